"""Remove staged copies that no trust needs."""

from __future__ import annotations

from pathlib import Path

from plugseal.errors import StateError
from plugseal.intake.stage import remove_stage
from plugseal.model.identity import STAGE
from plugseal.runtime.ancestors import MANIFEST
from plugseal.runtime.derived import DERIVED
from plugseal.trust.files import open_folder
from plugseal.trust.store import Store
from plugseal.verbs.known import known_records


def collect_stages(store: Store) -> int:
    """Remove staged copies that no record trusts, and what killed copies left, and return how many there were.

    Raises:
        StateError: a record can't be believed: it may need any of them, so nothing is removed.
    """
    records, broken = known_records(store)
    if broken:
        raise StateError(
            "a record can't be believed, so nothing is removed",
            place=broken[0].file,
            details=(broken[0].error.message,),
            hint="see what is wrong with `plugseal log verify`",
        )
    trusts = [record.standing.trust for record in records if record.standing.trust is not None]
    spare = _remove_spare(store.home / STAGE, {trust.content for trust in trusts})
    return spare + _remove_spare(store.home / DERIVED, {trust.derived for trust in trusts})


def _remove_spare(path: Path, needed: set[str]) -> int:
    folder = open_folder(path)
    if folder is None:
        return 0
    with folder:
        spare = [name for name in folder.names() if name not in needed and name != MANIFEST]
    for name in spare:
        remove_stage(path / name)
    return len(spare)

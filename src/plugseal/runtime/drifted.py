"""Say which files of a source are not those of the copy that was trusted, where the gate refuses it for that.

The decision is made before, by digests; this only tells people where to look, a few names at most. What a link of the
source shows is not followed: such paths are passed over, and so is everything that can't be read again by now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from plugseal.errors import PlugsealError
from plugseal.model.identity import STAGE
from plugseal.model.tree import Entry, EntryKind
from plugseal.runtime.hashed import read_source

if TYPE_CHECKING:
    from plugseal.model.trust import Approval
    from plugseal.trust.record import Record
    from plugseal.trust.store import Store

_MAX_NAMED: Final = 5


def drifted_words(store: Store, record: Record, approval: Approval) -> tuple[str, ...]:
    """Return what became of the first files that differ: `changed: server.py`; hostile text.

    Args:
        store: what was trusted.
        record: of the plugin.
        approval: that of the record, whose copy was found sound.
    """
    from plugseal.intake.read import read_once  # slow to load

    try:
        tree, holds = read_source(store, record, approval)
        copy = read_once(store.home / STAGE / approval.content)
    except PlugsealError:
        return ()  # it changes at this moment
    now = {entry.path: entry for entry in tree.entries if holds is None or holds(entry.path)}
    words = list(_differences({entry.path: entry for entry in copy.entries}, now))
    more = len(words) - _MAX_NAMED
    return (*words[:_MAX_NAMED], *([f"and {more:,} more"] if more > 0 else []))


def _differences(before: Mapping[str, Entry], now: Mapping[str, Entry]) -> Iterator[str]:
    links = {path for path, entry in now.items() if entry.kind is EntryKind.SYMLINK}
    is_shown = _below(links)
    for path in sorted(before.keys() | now.keys()):
        was, entry = before.get(path), now.get(path)
        if is_shown(path) and was is not None:
            continue
        if was is None:
            yield f"added: {path}"
        elif entry is None:
            yield f"removed: {path}"
        elif was.kind is not entry.kind or was.digest != entry.digest:
            yield f"changed: {path}"
        elif was.executable is not entry.executable:
            yield f"changed: {path} (may {'now' if entry.executable else 'no longer'} be executed)"


def _below(links: set[str]) -> Callable[[str], bool]:
    """Return what says whether a path is one of some links, or lies below one."""

    def is_below(path: str) -> bool:
        if not links:
            return False
        parts = path.split("/")
        return any("/".join(parts[:length]) in links for length in range(1, len(parts) + 1))

    return is_below

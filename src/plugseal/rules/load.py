"""Find, read and load the rules.

A changed set is always validated in full; a set whose digest stands in its `checked.sha256` was validated when that
was written, so a scan neither imports pydantic nor parses the examples. Anything else than a sound set raises: a scan
with half of its rules would be a quiet pass.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from plugseal.errors import RuleError
from plugseal.rules.compile import build_rule
from plugseal.rules.rule import RuleSet

CHECKED_FILE: Final = "checked.sha256"
"""Beside the rules: the digest of the set that was last validated."""
MAX_RULE_BYTES: Final = 64 * 1024
_EXAMPLES: Final = b"\n[[example]]\n"
_HINT: Final = "check the rules with `plugseal rules test`"


class RuleFile(NamedTuple):
    """One file as read."""

    path: str
    """Below the rules' folder, `/` between parts, e.g. `python/subprocess-shell.toml`."""
    data: bytes


def find_rules() -> Path:
    """Return the folder of the built-in rules: packaged in a wheel, beside `pyproject.toml` in a checkout.

    Raises:
        RuleError: where neither is there.
    """
    package = Path(__file__).resolve().parent.parent
    packaged = package / "_rules"
    if packaged.is_dir():
        return packaged
    checkout = package.parent.parent
    if package.parent.name == "src" and (checkout / "rules").is_dir() and _is_ours(checkout / "pyproject.toml"):
        return checkout / "rules"
    raise RuleError("the built-in rules are missing", place=str(packaged), hint="install plugseal again")


def load_rules(folder: Path | None = None) -> RuleSet:
    """Return all rules of a folder, by default the built-in ones.

    Args:
        folder: holds `<language>/<id>.toml`.

    Raises:
        RuleError: with every fault of every file as `file:line: what`.
    """
    folder = find_rules() if folder is None else folder
    files = read_rule_files(folder)
    digest = build_digest(files)
    if is_checked(folder, digest):
        return _build_set([_parse_checked(file) for file in files], digest)
    return _build_set(parse_rules(files, place=folder), digest)


def parse_rules(files: Sequence[RuleFile], *, place: Path) -> list[dict[str, Any]]:
    """Validate rule files in full and return their documents, in the order of the files.

    Args:
        files: as read.
        place: what to name in the error.

    Raises:
        RuleError: with every fault of every file.
    """
    from plugseal.rules.schema import check_rules  # pydantic costs more than a small scan

    documents, faults = check_rules(files)
    if faults:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise RuleError(f"the rules have {count}", place=str(place), details=faults, hint=_HINT)
    return documents


def read_rule_files(folder: Path) -> tuple[RuleFile, ...]:
    """Read every `<language>/<id>.toml`, sorted by path.

    Raises:
        RuleError: where the folder is missing, holds no rule, or a file can't be read or is too large.
    """
    files: list[RuleFile] = []
    faults: list[str] = []
    for path in sorted(folder.glob("*/*.toml"), key=lambda p: p.relative_to(folder).as_posix()):
        name = path.relative_to(folder).as_posix()
        try:
            with path.open("rb") as stream:
                data = stream.read(MAX_RULE_BYTES + 1)
        except OSError as error:
            faults.append(f"{name}:0: can't be read: {error.strerror}")
            continue
        if len(data) > MAX_RULE_BYTES:
            faults.append(f"{name}:0: larger than {MAX_RULE_BYTES} bytes")
        files.append(RuleFile(name, data.replace(b"\r\n", b"\n")))
    faults += [f"{path.name}:0: a rule stands in the folder of its language" for path in sorted(folder.glob("*.toml"))]
    if not files and not faults:
        raise RuleError("no rules there", place=str(folder), hint="rules stand at `<language>/<id>.toml`")
    if faults:
        raise RuleError("the rules can't be read", place=str(folder), details=faults, hint=_HINT)
    return tuple(files)


def build_digest(files: Sequence[RuleFile]) -> str:
    """Return the SHA-256 of a rule set in hex; names and lengths are part of it, the folder's place is not."""
    whole = hashlib.sha256(b"plugseal-rules/1\n")
    for file in files:
        whole.update(f"{len(file.path.encode())} {len(file.data)}\n".encode())
        whole.update(file.path.encode() + file.data)
    return whole.hexdigest()


def write_checked(folder: Path, digest: str) -> None:
    """Record that the set of this digest was validated; only `plugseal rules test` does so."""
    (folder / CHECKED_FILE).write_text(digest + "\n", encoding="ascii")


def is_checked(folder: Path, digest: str) -> bool:
    """Say whether the set of this digest was recorded as validated."""
    try:
        with (folder / CHECKED_FILE).open("rb") as stream:
            return stream.read(128).decode("ascii", "replace").strip() == digest
    except OSError:
        return False


def cut_examples(data: bytes) -> bytes:
    """Return a rule file's text above its first example: all that matching needs."""
    return data.partition(_EXAMPLES)[0] + b"\n"


def parse_rule(file: RuleFile) -> dict[str, Any]:
    """Return one file's whole document.

    Raises:
        DataError: where it is no TOML.
    """
    from plugseal.encode.toml import parse_toml  # loads the TOML library

    return parse_toml(file.data)


def _build_set(documents: Sequence[Mapping[str, Any]], digest: str) -> RuleSet:
    return RuleSet(tuple(sorted((build_rule(one) for one in documents), key=lambda rule: rule.id)), digest)


def _parse_checked(file: RuleFile) -> dict[str, Any]:
    """Return a validated file's document up to its examples, which matching doesn't need."""
    from plugseal.encode.toml import parse_known_toml  # loads the TOML library

    return parse_known_toml(cut_examples(file.data))


def _is_ours(pyproject: Path) -> bool:
    """Tell our own checkout from a foreign project that happens to have a `rules` folder."""
    try:
        with pyproject.open("rb") as stream:
            lines = stream.read(MAX_RULE_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return False
    if "[project]" not in lines:
        return False
    return 'name = "plugseal"' in lines[lines.index("[project]") :]

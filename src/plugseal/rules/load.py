"""Find, read and load the rules.

A changed set is always validated in full; a set whose digest stands in its `checked.sha256` was validated when that
was written, so a scan neither imports pydantic nor parses the examples. `checked.json` holds the same set without its
examples, in a form that is read ten times as fast, and the literals that its patterns need; for any other set than that
of its digest it counts as not there.
Anything else than a sound set raises: a scan with half of its rules would be a quiet pass.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from plugseal.errors import RuleError
from plugseal.limits import MIB
from plugseal.rules.compile import Needs, build_rule
from plugseal.rules.files import CHECK_HINT, MAX_RULE_BYTES, RuleFile, cut_examples, read_rule_files
from plugseal.rules.rule import Rule, RuleSet

CHECKED_FILE: Final = "checked.sha256"
"""Beside the rules: the digest of the set that was last validated."""
CHECKED_DOCUMENTS: Final = "checked.json"
"""Beside it: that digest and the rules without their examples."""
_MAX_DOCUMENTS_BYTES: Final = 16 * MIB


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
        return _build_set(*(_read_documents(folder, digest) or (_parse_all(files), {})), digest)
    return _build_set(parse_rules(files, place=folder), {}, digest)


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
        raise RuleError(f"the rules have {count}", place=str(place), details=faults, hint=CHECK_HINT)
    return documents


def build_digest(files: Sequence[RuleFile]) -> str:
    """Return the SHA-256 of a rule set in hex; names and lengths are part of it, the folder's place is not."""
    whole = hashlib.sha256(b"plugseal-rules/1\n")
    for file in files:
        whole.update(f"{len(file.path.encode())} {len(file.data)}\n".encode())
        whole.update(file.path.encode() + file.data)
    return whole.hexdigest()


def write_checked(folder: Path, files: Sequence[RuleFile], digest: str) -> None:
    """Record that the set of this digest was validated; only `plugseal rules test` does so."""
    from plugseal.rules.literals import find_needs  # a scan reads what it says

    documents = _parse_all(files)
    rules = ",\n".join(json.dumps(document, sort_keys=True) for document in documents)
    patterns = sorted({pattern for document in documents for pattern in patterns_of(build_rule(document))})
    needs = ",\n".join(f"{json.dumps(pattern)}: {json.dumps(find_needs(pattern))}" for pattern in patterns)
    text = f'{{"digest": "{digest}", "needs": {{\n{needs}\n}}, "rules": [\n{rules}\n]}}\n'
    (folder / CHECKED_DOCUMENTS).write_text(text, encoding="ascii")
    (folder / CHECKED_FILE).write_text(digest + "\n", encoding="ascii")


def patterns_of(rule: Rule) -> Iterator[str]:
    """Yield the text of every pattern that a rule searches for."""
    for clause in (*rule.matches, *rule.unless):
        tests = [*(test.matches for _, test in clause.names)]
        tests += [test.matches for _, test in (*clause.arguments, *clause.keywords)]
        yield from (found.pattern for found in tests if found is not None)


def is_checked(folder: Path, digest: str) -> bool:
    """Say whether the set of this digest was recorded as validated."""
    try:
        with (folder / CHECKED_FILE).open("rb") as stream:
            return stream.read(128).decode("ascii", "replace").strip() == digest
    except OSError:
        return False


def has_documents(folder: Path, digest: str) -> bool:
    """Say whether the set of this digest is there in the form that is read fast."""
    return _read_documents(folder, digest) is not None


def _read_documents(folder: Path, digest: str) -> tuple[list[dict[str, Any]], Needs] | None:
    """Return the rules' documents and the literals that their patterns need, None where they are of another set."""
    try:
        with (folder / CHECKED_DOCUMENTS).open("rb") as stream:
            found = json.loads(stream.read(_MAX_DOCUMENTS_BYTES))
        return (list(found["rules"]), dict(found["needs"])) if found["digest"] == digest else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _parse_all(files: Sequence[RuleFile]) -> list[dict[str, Any]]:
    return [_parse_checked(file) for file in files]


def _build_set(documents: Sequence[Mapping[str, Any]], needs: Needs, digest: str) -> RuleSet:
    return RuleSet(tuple(sorted((build_rule(one, needs) for one in documents), key=lambda rule: rule.id)), digest)


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

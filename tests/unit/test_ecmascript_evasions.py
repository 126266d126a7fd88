"""What hides a capability must not hide it, and what merely looks like one must be silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, Interest
from plugseal.scan.nested import read_nested
from plugseal.scan.workers.on_demand import WorkersOnDemand

_CASES = Path(__file__).parent / "ecmascript_cases"


def _cases(name: str) -> list[tuple[str, set[str], str]]:
    """Return (name, capabilities, source) of each block of a file of cases."""
    found = []
    for block in (_CASES / name).read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, source = block.partition("\n")
        title, _, words = head.rpartition(":")
        found.append((title, set(words.split()), source))
    return found


_EVASIONS = _cases("evasions.txt")
_LOOKALIKES = _cases("lookalikes.txt")


def _read(title: str, source: str) -> set[str]:
    suffix = next((one for one in (".tsx", ".ts") if title.endswith(one)), ".js")
    context = Context(f"x{suffix}", Interest())
    language = "javascript" if suffix == ".js" else "typescript"
    facts = read_script(source.encode("utf-8"), context, language=language)
    assert facts.status == "read", facts.reason
    with WorkersOnDemand() as workers:
        inside = [fact for _, found in read_nested(facts, context, workers=workers) for fact in found.facts]
    return {fact.capability for fact in (*facts.facts, *inside) if fact.channel != "import"}


def test_there_are_enough_cases() -> None:
    assert len(_EVASIONS) >= 170
    assert len(_LOOKALIKES) >= 30
    assert len({name for name, _, _ in _EVASIONS}) == len(_EVASIONS)


@pytest.mark.parametrize(("title", "expected", "source"), _EVASIONS, ids=[case[0] for case in _EVASIONS])
def test_hiding_it_does_not_hide_it(title: str, expected: set[str], source: str) -> None:
    assert expected <= _read(title, source)


@pytest.mark.parametrize(("title", "allowed", "source"), _LOOKALIKES, ids=[case[0] for case in _LOOKALIKES])
def test_what_only_looks_like_it_is_silent(title: str, allowed: set[str], source: str) -> None:
    assert _read(title, source) <= allowed

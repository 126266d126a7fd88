"""What hides a capability must not hide it, and what merely looks like one must be silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import read_python
from plugseal.scan.nested import read_nested
from plugseal.scan.workers.on_demand import WorkersOnDemand

_CASES = Path(__file__).parent / "python_cases"


def _cases(name: str) -> list[tuple[str, set[str], str]]:
    """Return (name, capabilities, source) of each block of a file of cases."""
    found = []
    for block in (_CASES / name).read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, source = block.partition("\n")
        title, _, words = head.rpartition(":")
        found.append((title, set(words.split()), source.replace("\\r", "\r").replace("\\n\\f\\n", "\n\f\n")))
    return found


_EVASIONS = _cases("evasions.txt")
_LOOKALIKES = _cases("lookalikes.txt")


def _read(source: str) -> set[str]:
    context = Context("x.py", Interest())
    facts = read_python(source.encode("utf-8"), context)
    assert facts.status == "read", facts.reason
    with WorkersOnDemand() as workers:
        inside = [fact for _, found in read_nested(facts, context, workers=workers) for fact in found.facts]
    return {fact.capability for fact in (*facts.facts, *inside)}


def test_there_are_enough_cases() -> None:
    assert len(_EVASIONS) >= 150
    assert len(_LOOKALIKES) >= 60
    assert len({name for name, _, _ in _EVASIONS}) == len(_EVASIONS)


@pytest.mark.parametrize(("expected", "source"), [c[1:] for c in _EVASIONS], ids=[c[0] for c in _EVASIONS])
def test_hiding_it_does_not_hide_it(expected: set[str], source: str) -> None:
    assert expected <= _read(source)


@pytest.mark.parametrize(("allowed", "source"), [c[1:] for c in _LOOKALIKES], ids=[c[0] for c in _LOOKALIKES])
def test_what_only_looks_like_it_is_silent(allowed: set[str], source: str) -> None:
    assert _read(source) <= allowed

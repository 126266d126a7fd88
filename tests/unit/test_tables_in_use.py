"""What the tables say of short programs, written as people write them: one fact expected, or one that must not be.

The programs stand in `tests/vectors/python-tables-in-use.txt`; they are read, never run.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import read_python

CASES = Path(__file__).resolve().parents[1] / "vectors/python-tables-in-use.txt"


class Case(NamedTuple):
    name: str
    capability: str
    found: str | None
    is_wanted: bool
    program: str


def read_cases() -> list[Case]:
    cases = []
    for part in CASES.read_text(encoding="utf-8").split("\n## ")[1:]:
        head, program = part.split("\n", 1)
        wanted, name = head.split(" ", 1)
        capability, _, found = wanted.removeprefix("!").partition("=")
        cases.append(Case(name, capability, found or None, not wanted.startswith("!"), program))
    return cases


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_a_program_has_the_fact_that_its_calls_deserve(case: Case) -> None:
    facts = read_python(case.program.encode(), Context("program.py", Interest())).facts
    found = {fact.object for fact in facts if fact.capability == case.capability and fact.channel == "code"}
    if not case.is_wanted:
        assert found == set()
    elif case.found is not None:
        assert case.found in found
    else:
        assert found


def test_every_case_has_a_name_of_its_own() -> None:
    names = [case.name for case in read_cases()]
    assert len(names) == len(set(names))
    assert len(names) > 150

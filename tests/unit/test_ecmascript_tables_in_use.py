"""What JavaScript's tables say of short programs, written as people write them: one fact expected, or one forbidden.

The programs stand in `tests/vectors/ecmascript-tables-in-use.txt`; they are read, never run.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, Interest

CASES = Path(__file__).resolve().parents[1] / "vectors/ecmascript-tables-in-use.txt"


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
    facts = read_script(case.program.encode(), Context("program.mts", Interest()), language="typescript").facts
    found = {fact.object for fact in facts if fact.capability == case.capability and fact.channel == "code"}
    if not case.is_wanted:
        assert case.found not in found if case.found is not None else found == set()
    elif case.found is not None:
        assert case.found in found
    else:
        assert found


def test_every_case_has_a_name_of_its_own() -> None:
    names = [case.name for case in read_cases()]
    assert len(names) == len(set(names))
    assert len(names) > 120

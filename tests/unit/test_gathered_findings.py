"""What one rule says of one place is one finding, however many parts of the place make it fire."""

from __future__ import annotations

import pytest

from plugseal.model.finding import Finding
from plugseal.model.location import Span
from plugseal.rules.load import load_rules
from plugseal.scan.matching.hit import Gathering, Hit


def _gathered(*hits: Hit) -> list[Finding]:
    rule = load_rules().by_id("host-key-unchecked")
    assert rule is not None
    gathering = Gathering("a.py", lambda line: ())
    for hit in hits:
        gathering.add(rule, hit)
    return gathering.findings()


_OUTER = Hit(Span(3, 5, 3, 60), "", None)


@pytest.mark.parametrize(
    ("second", "count"),
    [
        pytest.param(Hit(Span(3, 40, 3, 59), "", None), 1, id="an argument of the call"),
        pytest.param(Hit(Span(3, 5, 3, 60), "", None), 1, id="the same place"),
        pytest.param(Hit(Span(3, 61, 3, 70), "", None), 2, id="beside it"),
        pytest.param(Hit(Span(4, 5, 4, 20), "", None), 2, id="on another line"),
        pytest.param(Hit(Span(3, 40, 3, 59), "", "h.example"), 2, id="an argument that is about something else"),
    ],
)
def test_a_part_of_a_line_that_fires_again_is_no_finding_of_its_own(second: Hit, count: int) -> None:
    assert len(_gathered(_OUTER, second)) == count


def test_what_a_call_of_several_lines_holds_is_told_apart() -> None:
    outer = Hit(Span(3, 5, 9, 3), "", None)

    assert len(_gathered(outer, Hit(Span(5, 7, 5, 30), "", None))) == 2

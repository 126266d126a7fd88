"""Where facts of a text inside a file stand in the file."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Anchor, FileFacts, Nested
from plugseal.lang.nested import mapped
from plugseal.model.capability import Fact
from plugseal.model.location import WHOLE_FILE, Span

_OUTER = Span(10, 3, 12, 9)


def _fact(span: Span, trigger: str = "import") -> FileFacts:
    return FileFacts("python", "read", facts=(Fact(span, "process.shell", "ls", "direct", "code", trigger),))


def _nested(text: str, *anchors: Anchor, trigger: str = "install") -> Nested:
    return Nested("python", text, _OUTER, anchors, trigger, "a here-document")


_EXACT = (Anchor(0, 10, 5), Anchor(4, 11, 1))


@pytest.mark.parametrize(
    ("anchors", "inner", "outer"),
    [
        pytest.param(_EXACT, Span(1, 2, 1, 4), Span(10, 6, 10, 8), id="on the first line"),
        pytest.param(_EXACT, Span(2, 1, 2, 4), Span(11, 1, 11, 4), id="on a line with its own anchor"),
        pytest.param(_EXACT, Span(1, 1, 2, 3), Span(10, 5, 11, 3), id="across lines"),
        pytest.param(_EXACT[:1], Span(2, 1, 2, 4), _OUTER, id="on a line of which nobody said where it stands"),
        pytest.param((), Span(1, 2, 1, 4), _OUTER, id="in a folded text"),
        pytest.param((Anchor(2, 10, 5),), Span(1, 1, 1, 2), _OUTER, id="before the first anchor"),
        pytest.param(_EXACT, Span(9, 1, 9, 2), _OUTER, id="behind the end"),
        pytest.param(_EXACT, WHOLE_FILE, _OUTER, id="the whole text"),
        pytest.param((Anchor(0, 7, 3), Anchor(1, 7, 5)), Span(1, 2, 1, 3), Span(7, 5, 7, 6), id="behind an escape"),
    ],
)
def test_a_place_is_exact_where_an_anchor_covers_it(anchors: tuple[Anchor, ...], inner: Span, outer: Span) -> None:
    (fact,) = mapped(_fact(inner), _nested("abc\ndef", *anchors)).facts
    assert fact.span == outer
    assert fact.channel == "nested"


@pytest.mark.parametrize(
    ("own", "seen"), [("import", "install"), ("start", "install"), ("unknown", "install"), ("tool", "tool")]
)
def test_what_a_text_does_when_it_starts_happens_when_the_text_is_run(own: str, seen: str) -> None:
    (fact,) = mapped(_fact(Span(1, 1, 1, 2), own), _nested("abc")).facts
    assert fact.trigger == seen


def test_a_text_inside_a_text_is_placed_in_the_file() -> None:
    inner = Nested("shell", "ls", Span(1, 2, 1, 4), (Anchor(0, 1, 2),), "import", "os.system")
    found = mapped(FileFacts("python", "read", nested=(inner,)), _nested("abcdef", Anchor(0, 10, 5)))
    (placed,) = found.nested
    assert placed.span == Span(10, 6, 10, 8)
    assert placed.anchors == (Anchor(0, 10, 6),)
    assert placed.how == "a here-document > os.system"

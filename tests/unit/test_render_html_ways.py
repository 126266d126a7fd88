"""The ways to what a plugin can do: as a tree of boxes and as text, cut where there are too many, harmless always."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from plugseal.model.capability import Fact
from plugseal.model.location import Span
from plugseal.model.reach import Paths, Reached, Step
from plugseal.render.html_ways import MAX_STEPS, MAX_WAYS, Way, draw_ways, ways_of

HOSTILE = "\u202e<script>alert(1)</script>\x1b[2J"


def _fact(
    line: int, capability: str = "net.outbound", found: str | None = "a.example", trigger: str = "import"
) -> Fact:
    return Fact(Span(line, 1, line, 9), capability, found, "direct", "code", trigger)


def _reached(file: str, line: int, entry: str, *steps: tuple[str, str, int]) -> Reached:
    path = tuple(Step(*step) for step in steps)
    return Reached(file, steps[-1][1], line, line + 5, entry, path)


def _boxes(picture: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture)


def test_a_way_names_its_entry_its_functions_and_a_file_only_where_it_is_entered() -> None:
    reached = _reached(
        "p/lib/http.py",
        10,
        "tool deploy",
        ("p/server.py", "deploy", 4),
        ("p/server.py", "go", 9),
        ("p/lib/http.py", "send", 10),
    )
    found = ways_of([("p/lib/http.py", _fact(12))], Paths([reached]), root="p")
    assert found == [("tool deploy", "server.py:4 deploy", "go", "lib/http.py:10 send", "net.outbound a.example")]


def test_without_a_path_the_file_stands_between() -> None:
    facts = [("p/a.py", _fact(3)), ("p/a.py", _fact(7)), ("p/a.py", _fact(1, "unread", "a.py"))]
    assert ways_of(facts, Paths([]), root="p") == [("import", "a.py", "net.outbound a.example")]


@pytest.mark.parametrize(
    ("function", "shown"),
    [("<module>", "a.py:1"), ("<main>", "a.py:1 main block"), ("Server.run", "a.py:1 Server.run")],
)
def test_what_runs_without_a_name_is_named_by_its_file(function: str, shown: str) -> None:
    reached = _reached("a.py", 1, "start", ("a.py", function, 1))
    assert ways_of([("a.py", _fact(2))], Paths([reached]), root="")[0][1] == shown


def test_a_long_way_keeps_its_ends() -> None:
    steps = [("a.py", f"f{number}", number + 1) for number in range(MAX_STEPS + 4)]
    way = ways_of([("a.py", _fact(20))], Paths([_reached("a.py", 20, "import", *steps)]), root="")[0]
    assert len(way) == MAX_STEPS + 3
    assert way[4] == "\u2026 4 functions"
    assert way[-2] == f"f{MAX_STEPS + 3}"


def test_credentials_in_objects_are_stars() -> None:
    found = "https://user:gh" + "p_k3JwQz81LmVtY7RbX0aHs5NdPc2EuGf9TiWo@a.example"
    assert "k3JwQz81" not in ways_of([("a.py", _fact(1, found=found))], Paths([]), root="")[0][-1]


def _ways(number: int) -> list[Way]:
    facts = [("a.py", _fact(1, "fs.read", f"file{at}")) for at in range(number)]
    return ways_of([*facts, ("a.py", _fact(1, "process.shell", "sh"))], Paths([]), root="")


def test_what_is_cut_is_counted_and_what_starts_programs_is_drawn_first() -> None:
    picture = draw_ways(_ways(MAX_WAYS + 4), "ways")
    assert "and 5 ways more" in picture
    assert "process.shell sh" in _boxes(picture)
    assert f"the same as text: {MAX_WAYS} ways" in picture


@pytest.mark.parametrize(
    ("ways", "boxes"),
    [
        pytest.param([("import", "a.py", "fs.read"), ("import", "a.py", "fs.write")], 4, id="a common beginning"),
        pytest.param([("import", "a.py", "fs.read"), ("import", "b.py", "fs.read")], 5, id="a common end is two boxes"),
        pytest.param([("import", "x", "y"), ("import", "x", "y", "z")], 5, id="a name that is a step and an end"),
    ],
)
def test_ways_share_the_boxes_of_what_they_begin_with(ways: Sequence[Way], boxes: int) -> None:
    picture = draw_ways(ways, "ways")
    assert picture.count("<rect") == boxes
    assert picture.count('class="edge"') == boxes - 1


def test_every_box_lies_inside_the_picture_and_over_no_other() -> None:
    picture = draw_ways(_ways(30), "ways")
    width, height = map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', picture)[0])
    boxes = [
        tuple(map(int, found))
        for found in re.findall(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', picture)
    ]
    assert all(x + w <= width and y + h <= height for x, y, w, h in boxes)
    assert all(
        one is other or one[0] + one[2] <= other[0] or other[0] + other[2] <= one[0] or abs(one[1] - other[1]) >= one[3]
        for one in boxes
        for other in boxes
    )


def test_a_plugins_words_are_text() -> None:
    reached = _reached("a.py", 1, f"tool {HOSTILE}", ("a.py", HOSTILE, 1))
    picture = draw_ways(ways_of([("a.py", _fact(2, found=HOSTILE))], Paths([reached]), root=""), "ways")
    assert "<script" not in picture
    assert "\u202e" not in picture
    assert "\x1b" not in picture

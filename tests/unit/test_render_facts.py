"""Facts as lines of JSON: one line for each, its fields in order, ASCII whatever the files hold."""

from __future__ import annotations

import json

from plugseal.model.capability import Fact
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.render.facts import render_facts

HOSTILE = "\x1b[2J\u202e日\u2028\udcff\ud800"


def test_a_fact_is_one_line_with_its_fields_in_order() -> None:
    fact = Fact(Span(3, 5, 4, 9), "net.outbound", 'a"b', "direct", "code", "hook:Stop")
    (line,) = render_facts([("src/a.py", fact)])
    assert line == (
        '{"file":"src/a.py","line":3,"end_line":4,"column":5,"capability":"net.outbound","object":"a\\"b",'
        '"resolution":"direct","channel":"code","trigger":"hook:Stop"}\n'
    )


def test_a_fact_without_object_or_place_has_null_and_zero() -> None:
    fact = Fact(WHOLE_FILE, "unread", None, "direct", "binary", "unknown")
    (line,) = render_facts([("x", fact)])
    assert json.loads(line) == {
        "file": "x",
        "line": 0,
        "end_line": 0,
        "column": 0,
        "capability": "unread",
        "object": None,
        "resolution": "direct",
        "channel": "binary",
        "trigger": "unknown",
    }


def test_facts_of_hostile_files_are_lines_of_ascii() -> None:
    fact = Fact(WHOLE_FILE, "fs.read", HOSTILE, "direct", "code", f"hook:{HOSTILE}")
    lines = list(render_facts([(HOSTILE, fact), ("b\n", fact)]))
    assert len("".join(lines).splitlines()) == 2
    assert "".join(lines).replace("\n", "").isprintable()
    assert "".join(lines).isascii()
    assert json.loads(lines[1])["file"] == "b\n"
    assert json.loads(lines[0])["object"] == "\x1b[2J\u202e日\u2028\\xff\\ud800"

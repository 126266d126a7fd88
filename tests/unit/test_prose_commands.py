"""Commands in Markdown that run before a model sees the text: where they count, and where they stand."""

from __future__ import annotations

import pytest

from plugseal.systems.reading.prose_commands import find_commands


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("!`ls`", [("ls", 1, 3)], id="at the start of a line"),
        pytest.param("- status: !`git status`", [("git status", 1, 13)], id="behind a space"),
        pytest.param("a\n\t!`ls`\n", [("ls", 2, 4)], id="behind a tab"),
        pytest.param("KEY=!`ls`", [], id="behind another character"),
        pytest.param("no `ls` and !ls", [], id="neither mark"),
        pytest.param("!``", [], id="empty"),
        pytest.param("!` `", [], id="blank"),
        pytest.param("!`unclosed", [], id="without an end"),
        pytest.param("```\n!`ls`\n```\n", [("ls", 2, 3)], id="inside an ordinary fence"),
        pytest.param("```!\nls\npwd\n```\n", [("ls\npwd", 2, 1)], id="a block"),
        pytest.param("```! ls\n```\n", [("ls", 1, 6)], id="a block that begins on the line of its fence"),
        pytest.param("```!\necho !`x`\n```\n", [("echo !`x`", 2, 1)], id="inside a block it is a part of it"),
        pytest.param("```!\nls\n", [], id="a block without an end"),
        pytest.param("!`a`\r\n!`b`\r\n", [("a", 1, 3), ("b", 2, 3)], id="with CRLF"),
        pytest.param("é !`ls`", [("ls", 1, 5)], id="columns count code points"),
    ],
)
def test_what_runs_before_the_text_is_seen(text: str, found: list[tuple[str, int, int]]) -> None:
    assert [(one.text, one.span.line, one.span.column) for one in find_commands(text.encode())] == found


def test_nothing_runs_in_the_front_matter() -> None:
    data = b"---\nname: !`ls`\n---\n!`pwd`\n"

    assert [one.text for one in find_commands(data, data.index(b"---\n!") + 4)] == ["pwd"]


@pytest.mark.parametrize("unit", ["!`", "```!", "```! ", " !`a`", "```!x```"])
def test_many_marks_take_little_time(unit: str) -> None:
    assert len(find_commands((unit * (1_000_000 // len(unit))).encode())) <= 4_097

"""Markdown is cut into blocks as a model sees them, each with its exact place."""

from __future__ import annotations

import pytest

from plugseal.lang.prose.blocks import parse_blocks


def _shown(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.stretch.text) for block in parse_blocks(text)]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        pytest.param("# A\n\nb\nc\n", [("heading", "A"), ("paragraph", "b\nc")], id="heading and paragraph"),
        pytest.param("A\n===\nb\n", [("heading", "A"), ("paragraph", "b")], id="underlined heading"),
        pytest.param("- a\n  b\n- c\n", [("item", "a\nb"), ("item", "c")], id="items with a second line"),
        pytest.param("1. a\n2) b\n", [("item", "a"), ("item", "b")], id="numbered items"),
        pytest.param("- [ ] a\n", [("item", "a")], id="a task"),
        pytest.param("```sh\nx\n```\ny\n", [("fence", "x"), ("paragraph", "y")], id="a fence"),
        pytest.param("~~~\n```\nx\n~~~\n", [("fence", "```\nx")], id="a fence of the other kind inside"),
        pytest.param("````\n```\nx\n```\n````\n", [("fence", "```\nx\n```")], id="a longer fence"),
        pytest.param("- a\n\n  ```sh\n  x\n  ```\n", [("item", "a"), ("fence", "  x")], id="a fence in an item"),
        pytest.param("- ```sh\n  x\n  ```\n", [("fence", "  x")], id="a fence that begins an item"),
        pytest.param("> ```sh\n> x\n> ```\n", [("fence", "x")], id="a quoted fence"),
        pytest.param(
            "> ```sh\n> x\ny\n", [("fence", "x"), ("paragraph", "y")], id="a quoted fence ends with the quotation"
        ),
        pytest.param("```sh\nx\n", [("fence", "x\n")], id="a fence without an end"),
        pytest.param("``` a`b\nx\n", [("paragraph", "``` a`b\nx")], id="an inline span at a line's begin"),
        pytest.param("    x\n    y\n", [("code", "x\ny")], id="indented code"),
        pytest.param("a\n    x\n", [("paragraph", "a\nx")], id="an indented line goes on"),
        pytest.param("| a | b |\n|---|---|\n", [("row", "| a | b |"), ("row", "|---|---|")], id="a table"),
        pytest.param(
            "a <!-- b --> c\n", [("paragraph", "a "), ("comment", " b "), ("paragraph", " c")], id="a comment"
        ),
        pytest.param("<!-- a\nb -->\n", [("comment", " a\nb ")], id="a comment of two lines"),
        pytest.param("<!-- a", [("comment", " a")], id="a comment without an end"),
        pytest.param("```\n<!-- a -->\n```\n", [("fence", "<!-- a -->")], id="a comment that is shown"),
        pytest.param("[//]: # (a b)\n", [("comment", "a b)")], id="a note that no page shows"),
        pytest.param("[a]: https://a.invalid\n", [("paragraph", "[a]: https://a.invalid")], id="a link's definition"),
        pytest.param("---\na: b\n---\nc\n", [("front", "a: b"), ("paragraph", "c")], id="front matter"),
        pytest.param("a\n\n---\n\nb\n", [("paragraph", "a"), ("paragraph", "b")], id="a rule"),
        pytest.param("---\na: b\n", [("paragraph", "a: b")], id="front matter without an end is text"),
    ],
)
def test_a_text_has_these_blocks(text: str, blocks: list[tuple[str, str]]) -> None:
    assert _shown(text) == blocks


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("x\n\n  - needle\n", (3, 5), id="an item"),
        pytest.param("> > needle\n", (1, 5), id="a quotation"),
        pytest.param("# needle\n", (1, 3), id="a heading"),
        pytest.param("a <!-- needle -->\n", (1, 8), id="a comment"),
        pytest.param("é\U0001f600 a\nb needle\n", (2, 3), id="behind wide characters"),
        pytest.param("```\na\n needle\n```\n", (3, 2), id="a fence"),
    ],
)
def test_places_are_those_of_the_file(text: str, place: tuple[int, int]) -> None:
    places = [
        block.stretch.place(block.stretch.text.index("needle"))
        for block in parse_blocks(text)
        if "needle" in block.stretch.text
    ]
    assert places == [place]

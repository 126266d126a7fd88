"""Characters of code that show nothing: which ones hide something, and which ones are how a language is written."""

from __future__ import annotations

import pytest

from plugseal.lang.judging.hidden_characters import hidden_characters


@pytest.mark.parametrize(
    ("text", "places"),
    [
        pytest.param("a\u200bb", [(1, 2)], id="a break between Latin letters"),
        pytest.param("\u1793\u200b\u1798", [], id="a break between words of Khmer"),
        pytest.param("\u0e01\u200b\u0e02 \u4e2d\u200b\u6587", [], id="of Thai and of Chinese"),
        pytest.param("\u1793\u200b\u200b\u1798", [(1, 3)], id="several breaks in a row carry data"),
        pytest.param("\u1793\u200b", [(1, 2)], id="a break before nothing"),
        pytest.param("\u200b\u1793", [(0, 1)], id="a break behind nothing"),
        pytest.param("\u1793\u202e\u1798", [(1, 2)], id="what turns the direction around, in any language"),
    ],
)
def test_a_run_of_characters_that_show_nothing_is_found(text: str, places: list[tuple[int, int]]) -> None:
    assert hidden_characters(text) == places

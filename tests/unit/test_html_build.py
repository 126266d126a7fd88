"""Sentences in an HTML page: code between backticks is set as code, and nothing hostile becomes markup."""

from __future__ import annotations

import pytest

from plugseal.render.html_build import element, worded

_SENTENCES = {
    "no code": ("ship it", "ship it"),
    "code within": ("use `a` or `b` here", "use <code>a</code> or <code>b</code> here"),
    "code alone": ("`a`", "<code>a</code>"),
    "a backtick without another": ("a ` b", "a ` b"),
    "three backticks": ("`a` b `", "<code>a</code> b `"),
    "nothing between two": ("a `` b", "a  b"),
    "markup within": ('use `<b>` & "x"', "use <code>&lt;b&gt;</code> &amp; &quot;x&quot;"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "expected"), _SENTENCES.values(), ids=_SENTENCES)
def test_code_between_backticks_is_set_as_code(text: str, expected: str) -> None:
    assert element("p", None, *worded(text)) == f"<p>{expected}</p>"

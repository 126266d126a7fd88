"""Expansion in Agent Plugins: two exact placeholders, once, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.runtime.agent_plugins.expand import expand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("${PLUGIN_ROOT}", "/p", id="the root"),
        pytest.param("${PLUGIN_DATA}/x", "/d/x", id="the data"),
        pytest.param("--a=${PLUGIN_ROOT}/b:${PLUGIN_ROOT}/c", "--a=/p/b:/p/c", id="every occurrence"),
        pytest.param("${PLUGIN_ROOT}x", "/px", id="glued"),
        pytest.param("$PLUGIN_ROOT", "$PLUGIN_ROOT", id="no braces"),
        pytest.param("${plugin_root}", "${plugin_root}", id="another case"),
        pytest.param("${ PLUGIN_ROOT }", "${ PLUGIN_ROOT }", id="spaces"),
        pytest.param("${PLUGIN_ROOT:-x}", "${PLUGIN_ROOT:-x}", id="a default"),
        pytest.param("${HOME}", "${HOME}", id="another variable"),
        pytest.param("$${PLUGIN_ROOT}", "$/p", id="no escape"),
        pytest.param("${PLUGIN_${PLUGIN_ROOT}}", "${PLUGIN_/p}", id="nested"),
        pytest.param("", "", id="empty"),
    ],
)
def test_exact_placeholders_alone_are_expanded(text: str, expected: str) -> None:
    assert expand(text, root="/p", data="/d") == expected


def test_what_a_replacement_brings_in_is_not_expanded_again() -> None:
    assert expand("${PLUGIN_ROOT}", root="/${PLUGIN_DATA}", data="/d") == "/${PLUGIN_DATA}"
    assert expand("${PLUGIN_${PLUGIN_DATA}", root="/p", data="ROOT}") == "${PLUGIN_ROOT}"


@given(text=st.text(alphabet="${}PLUGIN_ROTDA/", max_size=40))
def test_text_without_a_placeholder_is_unchanged(text: str) -> None:
    if "${PLUGIN_ROOT}" not in text and "${PLUGIN_DATA}" not in text:
        assert expand(text, root="/p", data="/d") == text

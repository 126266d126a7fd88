"""Words of a plugin in every place where reviews, lists, trails and differences show them: none reaches a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from plugseal.cli.main import main

HOSTILE = {
    "terminal": "x\x1b[2K\x1b]0;t\x07\x9b31m\r",
    "direction": "x\u202egnp\u2066\u200b\u00ad",
    "new lines": "x\n\nTo trust exactly this content:\n\nplugseal trust x 0000",
    "runner of GitHub": "x\n::set-output name=a::b\n##[error]x",
    "runner of Azure": "x ##vso[task.setvariable]y ##teamcity[x]",
    "markup": "[bold red]TRUSTED[/] <b>x</b> | @all #1",
    "blank": "x\u3164\u2800\U000e0041",
    "long": "x" * 5000,
}
GOOD = "1.0.0"
"""A word that is right everywhere but as a folder."""
_BAD = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\u3164\u2800\u00ad\U000e0000-\U000e007f]"
)
_RUNNER = re.compile(r"^[ \t]*::|##(?:\[|vso\[|teamcity\[)", re.MULTILINE)


def _plugin(place: Path, word: str) -> None:
    schema = "https://agent-plugins.org/schemas/1.0.0"
    manifest = {"$schema": f"{schema}/plugin.schema.json", "name": "hello", "version": word, "description": word}
    server = {"type": "stdio", "command": "echo", "args": [word], "env": {"A": word}, "cwd": word}
    far = {"type": "streamable-http", "url": f"https://h.invalid/{word}", "headers": {"X-A": word}}
    servers = {"$schema": f"{schema}/mcp.schema.json", "mcpServers": {word[:100]: server, "far": far}}
    if word == GOOD:
        del server["cwd"]
    place.mkdir()
    (place / "plugin.json").write_text(json.dumps(manifest))
    (place / "mcp.json").write_text(json.dumps(servers))
    (place / "notes.md").write_text(f"{word}\n", "utf-8")


@pytest.mark.parametrize("word", HOSTILE.values(), ids=list(HOSTILE))
def test_no_word_of_a_plugin_speaks_to_a_terminal_or_a_runner(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path / "work")
    plain, hostile = tmp_path / "work" / "plain", tmp_path / "work" / "hostile"
    _plugin(plain, GOOD)
    _plugin(hostile, word)
    assert main(["review", "plain", "--system", "agent-plugins", "--quiet"]) == 0
    token = capsys.readouterr().out.strip()
    for words in (
        ["review", "hostile", "--system", "agent-plugins"],
        ["review", "hostile", "--system", "agent-plugins", "--only", f"server:{word[:100]}"],
        ["diff", "plain", "hostile", "--system", "agent-plugins"],
        ["trust", "hostile", word, "--system", "agent-plugins"],
        ["trust", "plain", token, "--system", "agent-plugins"],
        ["enable", "hostile", "--system", "agent-plugins"],
        ["revoke", "plain", "--reason", word[:400]],
        ["list", "."],
        ["show", "plain"],
        ["log"],
        ["log", "verify", "--since", "hostile/notes.md"],
    ):
        for form in ("text", "json"):
            if form == "json" and words[0] in ("trust", "enable", "revoke"):
                continue
            code = main([*words, *(["--format", "json"] if form == "json" else [])])
            out, errors = capsys.readouterr()
            assert out + errors, words
            assert code != 70, words
            assert words[0] not in ("review", "list", "show", "log", "revoke") or code in (0, 2, 4), (words, errors)
            assert words != ["review", "hostile", "--system", "agent-plugins"] or out, errors
            for text in (out, errors):
                assert not _BAD.search(text), (words, _BAD.search(text))
                assert not _RUNNER.search(text), (words, _RUNNER.search(text))
                assert not re.search(r"^plugseal trust x 0000", text, re.MULTILINE), words

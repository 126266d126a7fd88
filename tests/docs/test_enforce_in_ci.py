"""The steps of the guide to CI that need keys and commits are what happens, in a real shell with a real git.

Keys and commits are made anew each time, so what comes of them is compared by its shape, and by what it has in common.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guide" / "enforce-in-ci.md"
BLOCK = re.compile(r"(?<=^```console ci\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
CHANGES = re.compile(r"\b[0-9a-f]{64}\b|\b[0-9a-f]{16}\b|\b[0-9a-f]{12}\b|\b[0-9a-f]{8}\b|\b20\d\d-\d\d-\d\d\b")
TOKEN = re.compile(r"\b[0-9a-f]{64}\.[0-9a-f]{64}\b")
"""What was signed: no key is in it, so it is the same on every machine."""


def _shape(text: str) -> str:
    """Return text with each value that changes replaced by its number, the same for the same beginning."""
    seen: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        key = match[0][:8]
        return f"<{seen.setdefault(key, str(len(seen)))}:{len(match[0])}>"

    return CHANGES.sub(name, text)


def test_what_the_guide_shows_is_what_happens(tmp_path: Path) -> None:
    folder = tmp_path / "deploy"
    shutil.copytree(ROOT / "fixtures" / "sample" / "organisation" / "deploy", folder)
    program = tmp_path / "bin" / "plugseal"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m plugseal "$@"\n')
    program.chmod(0o755)
    environment = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "dana"),
        **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "dana@example.invalid"),
    }
    expected = "".join(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    commands = re.findall(r"^\$ (.*)$", expected, re.MULTILINE)
    assert len(commands) > 15
    printed = ""
    for command in commands:
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, capture_output=True, text=True, env=environment, timeout=300
        )
        printed += f"$ {command}\n{done.stdout}{done.stderr}"
    assert set(TOKEN.findall(printed)) == set(TOKEN.findall(expected))
    assert _shape(printed) == _shape(expected)
    assert re.findall(r"^ends with (\d)$", printed, re.MULTILINE) == ["1", "0", "1", "0"]

"""The ceremony of a two-person team, as the guide shows it, runs in a real shell with real programs.

Keys are made anew each time, so digests, key IDs, times and fingerprints are compared by their shape alone, and by what
they have in common: a value that the page shows twice must be one value.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guide" / "sign-reviews.md"
BLOCK = re.compile(r"(?<=^```console team\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
LISTED = re.compile(r"^  ([0-9a-f]{16})  \S+ +allowed_signers", re.MULTILINE)
CHANGES = re.compile(r"\b[0-9a-f]{64}\b|\b[0-9a-f]{16}\b|\b[0-9a-f]{8}\b|SHA256:[A-Za-z0-9+/]{43}|\b20\d\d-\d\d-\d\d\b")
TOKEN = re.compile(r"\b[0-9a-f]{64}\.[0-9a-f]{64}\b")
"""What was signed: no key is in it, so it is the same on every machine."""


def _shape(text: str, seen: dict[str, str]) -> str:
    """Return text with each value that changes replaced by its kind and number, the same for the same begin."""

    def name(match: re.Match[str]) -> str:
        value = match[0]
        key = value[:8] if re.fullmatch("[0-9a-f]+", value) else value
        seen.setdefault(key, f"<{len(seen)}>")
        return f"{seen[key]}:{len(value)}"

    return CHANGES.sub(name, text)


def _commands(transcript: str) -> list[str]:
    return re.findall(r"^\$ (.*)$", transcript, re.MULTILINE)


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs OpenSSH")
def test_the_ceremony_of_the_guide_is_what_happens(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "fixtures" / "sample" / "agent-tools", tmp_path / "agent-tools")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "plugseal"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m plugseal "$@"\n')
    program.chmod(0o755)
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    page = PAGE.read_text(encoding="utf-8")
    expected = "".join(BLOCK.findall(page))
    keys: dict[str, str] = {}
    printed = ""
    for command in _commands(expected):
        typed = command
        for shown, real in keys.items():
            typed = typed.replace(shown, real)
        done = subprocess.run(
            ["sh", "-c", typed], cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=300
        )
        printed += f"$ {typed}\n{done.stdout}{done.stderr}"
        listed = LISTED.findall(printed)
        if listed:
            keys = dict(zip(LISTED.findall(expected), listed, strict=True))

    assert set(TOKEN.findall(printed)) == set(TOKEN.findall(expected))
    assert _shape(printed, {}) == _shape(expected, {})


def test_the_guide_has_its_transcripts() -> None:
    assert len(BLOCK.findall(PAGE.read_text(encoding="utf-8"))) == 7

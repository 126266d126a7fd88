"""The guide of Amness is what its commands print, from the clone of a project to the revocation in flight.

A block in the language `sh-session` is a transcript: lines that begin with `$ ` are lines of a shell, the others their
output. They run one after the other in one clone, from the samples of the repository on. What differs from machine to
machine is not compared.

To accept what changed, after reading it: `PLUGSEAL_ACCEPT=1 python -m pytest tests/docs/test_amness_guide.py`.
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
PAGE = ROOT / "docs" / "guide" / "amness.md"
BLOCK = re.compile(r"(?<=^```sh-session\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_HANG_SECONDS = 120
_HOME = "/srv/dana/clone"
_TOKEN = re.compile(r"\b[0-9a-f]{64}\.[0-9a-f]{64}\b")
_VARYING = (
    (_TOKEN, "TOKEN"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"@[0-9a-f]{12}"), "@ID"),
    (re.compile(r"\b\d+ rules(?:, [0-9a-f]{8})?"), "N rules"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?"), "DATE"),
    (re.compile(r"by \S+, DATE"), "by USER, DATE"),
    (re.compile(r"(trusted: )[0-9a-f]{8}, DATE by \S+"), r"\1DIGEST, DATE by USER"),
)


def comparable(text: str) -> str:
    """Return a transcript without what differs from machine to machine."""
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return text


@pytest.mark.skipif(shutil.which("node") is None or shutil.which("pgrep") is None, reason="needs Node and pgrep")
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_the_guide_is_what_the_commands_print(tmp_path: Path) -> None:
    clone, state, programs = tmp_path / "clone", tmp_path / "state", tmp_path / "bin"
    shutil.copytree(ROOT / "fixtures" / "amness" / "changelog", clone / "fixtures" / "amness" / "changelog")
    folder = clone
    programs.mkdir()
    wrapper = programs / "plugseal"
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m plugseal "$@"\n')
    wrapper.chmod(0o755)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "PLUGSEAL_HOME": str(state), "LC_ALL": "C.UTF-8"}
    text = PAGE.read_text("utf-8")
    token, printed, done = "", [], 0
    for block in BLOCK.finditer(text):
        output = ""
        for command in re.findall(r"^\$ (.*)$", block[0], re.MULTILINE):
            if command.startswith("cd "):
                folder /= command[3:]
                output += f"$ {command}\n"
                continue
            said = _run(command.replace("TOKEN", token), folder, environment)
            found = _TOKEN.findall(said)
            token = found[-1] if found else token
            output += f"$ {command}\n" + said.replace(str(state), "/srv/dana/plugseal").replace(str(clone), _HOME)
        printed += [text[done : block.start()], comparable(output)]
        done = block.end()
    shown = "".join([*printed, text[done:]])
    if os.environ.get("PLUGSEAL_ACCEPT"):
        PAGE.write_text(shown, "utf-8")
    assert comparable(shown) == comparable(PAGE.read_text("utf-8"))


def _run(command: str, clone: Path, environment: dict[str, str]) -> str:
    return subprocess.run(
        ["sh", "-c", command],
        cwd=clone,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_HANG_SECONDS,
    ).stdout

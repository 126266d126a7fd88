"""Every transcript that the documentation shows is what the commands print.

A transcript is a fenced block in the language `console`: lines that begin with `$ ` are commands, the others are their
output. Commands run one after the other beside a copy of the repository's samples, without a shell; `echo $?` asks for
the last exit code.

To accept changed output after reading it: `PLUGSEAL_ACCEPT=1 python -m pytest tests/transcripts`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from plugseal.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
TRANSCRIPTS = {
    f"{page.relative_to(ROOT).as_posix()}#{number}": (page, block)
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1)
}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "fixtures" / "sample", tmp_path / "fixtures" / "sample")
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "PLUGSEAL_FORMAT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def _replay(transcript: str, capsys: pytest.CaptureFixture[str]) -> str:
    printed, code = "", 0
    for command in re.findall(r"^\$ (.*)$", transcript, re.MULTILINE):
        printed += f"$ {command}\n"
        if command == "echo $?":
            printed += f"{code}\n"
            continue
        program, *words = shlex.split(command)
        assert program == "plugseal", "a transcript runs plugseal and nothing else"
        code = main(words)
        out, err = capsys.readouterr()
        printed += out + err
    return printed


@pytest.mark.parametrize(("page", "transcript"), TRANSCRIPTS.values(), ids=TRANSCRIPTS)
def test_a_transcript_is_what_the_commands_print(
    page: Path, transcript: str, clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = _replay(transcript, capsys)
    if os.environ.get("PLUGSEAL_ACCEPT"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(transcript, printed), encoding="utf-8")
    else:
        assert printed == transcript


def test_there_are_transcripts() -> None:
    assert TRANSCRIPTS

"""Every transcript that the documentation shows is what the commands print.

A transcript is a fenced block in the language `console`: lines that begin with `$ ` are commands, the others are their
output. Commands run one after the other beside a copy of the repository's samples, without a shell; `echo $?` asks for
the last exit code, and a few words of a shell that handle files are understood (`_FILES`). The transcripts of one page
go on from each other: one state folder, one clock, one user. What differs from machine to machine (the folder, numbers
of processes, and digests over them) and with every rule is not compared.

To accept changed output after reading it: `PLUGSEAL_ACCEPT=1 python -m pytest tests/transcripts`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from plugseal.cli.main import main
from plugseal.model.trust import Actor
from plugseal.verbs import recheck, trust

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
TRANSCRIPTS = {
    f"{page.relative_to(ROOT).as_posix()}#{number}": (page, block)
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), 1)
}


_SAMPLES = ("sample", "amber", "coding", "codewhale", "agent-plugins", "amness")
"""Folders of fixtures that a transcript may use."""
_VARYING = (
    (re.compile(r"\bstarted \d+"), "started PID"),
    (re.compile(r"@[0-9a-f]{12}"), "@ID"),
    (re.compile(r"\b(workspace|user)/[0-9a-f]{12}/"), r"\1/ID/"),
    (re.compile(r"\b\d+ rules(?:, [0-9a-f]{8})?"), "N rules"),
    (re.compile(r"(incarnation|installation) [0-9a-f]{8,16}"), r"\1 ID"),
)
_TOKEN = re.compile(r"\b[0-9a-f]{64}\.[0-9a-f]{64}\b")
_HOME = "/srv/dana/clone"


def comparable(text: str) -> str:
    """Return a transcript without what differs from machine to machine and from rule to rule."""
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return text


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in _SAMPLES:
        shutil.copytree(ROOT / "fixtures" / name, tmp_path / "fixtures" / name, symlinks=True)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "PLUGSEAL_FORMAT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path.parent / f"{tmp_path.name}-state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path.parent / f"{tmp_path.name}-config"))
    monkeypatch.setenv("CODEWHALE_HOME", str(tmp_path.parent / f"{tmp_path.name}-config" / "codewhale"))
    monkeypatch.setattr(trust, "now_utc", lambda: "2027-01-12T09:14:03Z")
    monkeypatch.setattr(recheck, "now_utc", lambda: "2027-01-12T09:14:03Z")
    for module in (trust, recheck):
        monkeypatch.setattr(module, "current_actor", lambda: Actor("dana", 1000, None, ("bash",)))
    return tmp_path


def _copy(words: list[str]) -> str:
    """Copy a file, or with `-r` a folder."""
    source, target = words[-2:]
    if words[0] == "-r":
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
    return ""


def _append(words: list[str]) -> str:
    """Append a text to a file: `printf TEXT >> FILE`."""
    text, arrow, file = words
    assert arrow == ">>"
    with open(file, "a", encoding="utf-8") as stream:
        stream.write(text.replace("\\n", "\n"))
    return ""


def _pack(words: list[str]) -> str:
    """Pack everything in a folder: `tar -czf ARCHIVE -C FOLDER .`."""
    option, archive, change, folder, _ = words
    assert (option, change) == ("-czf", "-C")
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(folder, ".")
    return ""


_FILES: Final[dict[str, Callable[[list[str]], str]]] = {
    "cat": lambda words: Path(words[0]).read_text(encoding="utf-8"),
    "cp": _copy,
    "mkdir": lambda words: Path(words[-1]).mkdir(parents=True) or "",
    "printf": _append,
    "tar": _pack,
}


def _places(clone: Path) -> tuple[tuple[str, str], ...]:
    """Return the folders of a run, each with how a page calls it."""
    return (f"{clone}-state", "/srv/dana/plugseal"), (f"{clone}-config", "/srv/dana/.config"), (str(clone), _HOME)


def _replay(transcript: str, capsys: pytest.CaptureFixture[str], clone: Path) -> str:
    printed, code, token = "", 0, ""
    for command in re.findall(r"^\$ (.*)$", transcript, re.MULTILINE):
        if os.environ.get("PLUGSEAL_ACCEPT") and token:
            # A person would copy what the review before it ends in.
            command = _TOKEN.sub(token, command)
        printed += f"$ {command}\n"
        if command == "echo $?":
            printed += f"{code}\n"
            continue
        for place, shown_as in (*_places(clone), (f"{clone}-config", "~/.config"), (str(clone), "$PWD")):
            command = command.replace(shown_as, place)
        program, *words = shlex.split(command)
        if program in _FILES:
            printed += _FILES[program](words)
            continue
        assert program == "plugseal", "a transcript runs plugseal, and handles files"
        code = main(words)
        out, err = capsys.readouterr()
        found = _TOKEN.findall(out)
        token = found[-1] if found else token
        for place, shown_as in _places(clone):
            out, err = out.replace(place, shown_as), err.replace(place, shown_as)
        printed += out + err
    return printed


@pytest.mark.parametrize("page", {page: None for page, _ in TRANSCRIPTS.values()}, ids=lambda page: page.name)
def test_a_transcript_is_what_the_commands_print(page: Path, clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for transcript in [block for found, block in TRANSCRIPTS.values() if found == page]:
        printed = _replay(transcript, capsys, clone)
        if os.environ.get("PLUGSEAL_ACCEPT"):
            text = page.read_text(encoding="utf-8")
            page.write_text(text.replace(transcript, printed), encoding="utf-8")
        else:
            assert comparable(printed) == comparable(transcript)


def test_there_are_transcripts() -> None:
    assert TRANSCRIPTS

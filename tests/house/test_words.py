"""The repository speaks for itself: nothing in it names a machine or a workplace where it was made."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BINARY = b"\0"
UNWANTED = re.compile(
    r"/(?:work|root|home/[a-z]\w*|Users/[A-Za-z]\w*)/[\w.]|/tmp/(?:cases|contract|work)\b|\.\./shared/(?:design|security|cli|house-style)\b|\.\./(?:shared|work)/(?:cases|capbench|vectors|reference)\b|\bpyenv/versions\b"
    r"|\b(?:FIX" + r"ME|XX" + r"X|HA" + r"CK)\b|NotImplemented" + "Error"
)
"""Machine paths, and the words of unfinished work."""
EXCEPTIONS = ("fixtures/", "tests/vectors/", "rules/", "src/plugseal/lang/")
"""Samples and tables of what plugins do: they quote paths of other machines on purpose."""
QUOTED = re.compile(r"/home/(?:user|you|me|alice|bob|x|u)/|/Users/(?:user|you|me|alice|bob|x|u)/|/root/\.")
"""Paths that tests and pages give as examples."""


def violations(root: Path, names: list[str]) -> list[str]:
    """Return every unwanted word in the named files, as `file:line: word`."""
    found = []
    for name in names:
        data = (root / name).read_bytes() if (root / name).is_file() else b""
        if BINARY in data or name.startswith(EXCEPTIONS):
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            match = UNWANTED.search(QUOTED.sub("", line))
            if match is not None:
                found.append(f"{name}:{number}: {match[0]}")
    return found


def _tracked() -> list[str]:
    """Return all files of the repository as git knows them, else all that lie below its folders."""
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.CalledProcessError):
        return [p.relative_to(ROOT).as_posix() for part in ("src", "tests", "docs") for p in (ROOT / part).rglob("*.*")]
    return [name for name in done.stdout.split("\0") if name]


def test_no_file_names_the_place_where_it_was_made() -> None:
    names = [name for name in _tracked() if name != Path(__file__).relative_to(ROOT).as_posix()]

    assert violations(ROOT, names) == []


@pytest.mark.parametrize(
    "line",
    [
        "see /work/main/x",
        "in /root/project",
        "/home/jane/src",
        "/Users/jane/src",
        "see ../shared/design.md",
        "/tmp/cases/a",
        "# FIX" + "ME later",
        "raise NotImplemented" + "Error",
    ],
)
def test_an_unwanted_word_is_seen(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.md").write_text(f"fine\n{line}\n")

    found = violations(tmp_path, ["x.md"])

    assert len(found) == 1
    assert found[0].startswith("x.md:2: ")


@pytest.mark.parametrize(
    "line", ["a framework/library", "/usr/bin/python3", "~/.ssh", "https://example.org/work/", "/home/user/x"]
)
def test_ordinary_text_is_none(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.md").write_text(line)

    assert violations(tmp_path, ["x.md"]) == []

"""The top level of the repository holds exactly what was agreed, so that it stays readable."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
AGREED = frozenset({"pyproject.toml", "README.md", "SECURITY.md", "src", "tests", "rules", "fixtures", "docs"})


def violations(names: set[str]) -> list[str]:
    """Return what is missing from the top level and what is too much; names with a dot in front are free."""
    visible = {name for name in names if not name.startswith(".")}
    return [f"missing: {name}" for name in sorted(AGREED - visible)] + [
        f"not agreed: {n}" for n in sorted(visible - AGREED)
    ]


def _tracked() -> set[str]:
    """Return the top level as git knows it, else as it lies on disk."""
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.CalledProcessError):
        return {path.name for path in ROOT.iterdir()}
    return {name.split("/")[0] for name in done.stdout.split("\0") if name}


def test_the_top_level_is_as_agreed() -> None:
    names = _tracked() | {path.name for path in ROOT.iterdir()}

    assert violations(names - {"build", "dist"}) == []


@pytest.mark.parametrize("name", ["scripts", "setup.py", "Makefile", "conftest.py", "AGENTS.md"])
def test_a_stray_name_is_seen(name: str) -> None:
    assert violations({*AGREED, name, ".gitignore"}) == [f"not agreed: {name}"]


def test_a_missing_name_is_seen() -> None:
    assert violations(set(AGREED - {"docs"})) == ["missing: docs"]

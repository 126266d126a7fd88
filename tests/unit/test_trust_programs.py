"""Where programs outside the copy are found: never in a workspace, and yet in the user's own home."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.trust import programs
from plugseal.trust.programs import find_program


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    for folder in ("versions/bin", "work/clone/plugin", "work/clone/bin"):
        (home / folder).mkdir(parents=True)
    for program in ("versions/bin/node", "work/clone/bin/node", "work/clone/plugin/node"):
        (home / program).write_text("#!/bin/sh\n")
        (home / program).chmod(0o755)
    monkeypatch.setattr(programs, "account_home", lambda: home)
    return home


@pytest.mark.parametrize("stood", ["", "work", "work/clone", "..", "versions"])
def test_whoever_stands_in_the_home_finds_what_is_installed_there(stood: str, home: Path) -> None:
    outside = [str(home / "work/clone/plugin"), str(home / "work/clone"), str(home / stood)]
    search = [str(home / folder) for folder in ("work/clone/plugin", "work/clone/bin", "versions/bin")]
    found = find_program("node", search=search, outside=outside)
    if stood == "versions":
        assert found is None, "a folder below the home may be a workspace"
    else:
        assert found is not None
        assert found.path == str(home / "versions/bin/node")


def test_a_plugin_that_lies_in_the_home_hides_no_program_of_it(home: Path) -> None:
    node = str(home / "versions/bin/node")
    outside = [str(home / "plugin"), str(home), str(home)]
    assert find_program(node, search=(), outside=outside) is not None
    assert find_program(node, search=(), outside=[str(home / "versions")]) is None

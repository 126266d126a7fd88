"""Our own folders can be checked out on every file system: what we refuse in plugins we don't do ourselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.intake.read import read_tree

ROOT = Path(__file__).parents[2]
OF_THE_MACHINE = {"hard-link", "mount", "set-id"}
"""Faults that how a checkout was made can cause, not what is in it."""


@pytest.mark.parametrize("folder", ["src", "rules", "tests", "docs", "fixtures"])
def test_every_name_means_the_same_everywhere(folder: str) -> None:
    faults = [fault for fault in read_tree(ROOT / folder).faults if fault.code not in OF_THE_MACHINE]
    assert faults == []


def test_names_that_differ_only_by_case_are_seen(tmp_path: Path) -> None:
    for name in ("Cython.toml", "cython.toml"):
        (tmp_path / name).touch()
    assert {fault.code for fault in read_tree(tmp_path).faults} == {"case-collision"}

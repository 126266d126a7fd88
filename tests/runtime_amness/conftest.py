"""The world of these tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load_world() -> ModuleType:
    """Import the neighbour by its path: test folders are no packages."""
    name = "plugseal_tests_amness_world"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "amness_world.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def amness() -> ModuleType:
    """Return the helpers."""
    return load_world()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, amness: ModuleType) -> Any:
    """Return an empty project; the current folder is none of its, and the user has no plugins."""
    monkeypatch.chdir("/usr")
    monkeypatch.setattr("plugseal.verbs.amness_find.home_of_user", lambda: str(tmp_path / "home"))
    return amness.World(tmp_path)

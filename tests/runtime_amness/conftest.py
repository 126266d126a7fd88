"""The world of these tests."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import amness_world


@pytest.fixture(scope="session")
def amness() -> ModuleType:
    """Return the helpers."""
    return amness_world


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, amness: ModuleType) -> Any:
    """Return an empty project; the current folder is none of its, and the user has no plugins."""
    monkeypatch.chdir("/usr")
    monkeypatch.setattr("plugseal.verbs.amness.find.home_of_user", lambda: str(tmp_path / "home"))
    return amness.World(tmp_path)

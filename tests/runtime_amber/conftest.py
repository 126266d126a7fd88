"""The world of these tests."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import amber_world


@pytest.fixture(scope="session")
def amber() -> ModuleType:
    """Return the helpers."""
    return amber_world


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, amber: ModuleType) -> Any:
    """Return an empty world; the current folder is none of its."""
    monkeypatch.chdir("/usr")
    return amber.World(tmp_path)

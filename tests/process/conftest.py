"""What tests of processes share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest


@pytest.fixture
def descriptors_stay() -> Iterator[None]:
    """Compare the open descriptors and the children before and after."""
    before = _open_descriptors()
    yield
    gc.collect()
    assert _open_descriptors() == before
    assert not _has_children()


def _open_descriptors() -> set[str]:
    return {name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")}


def _has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True

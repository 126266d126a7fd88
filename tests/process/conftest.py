"""What tests of processes share."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Iterator

import pytest

_SET_CHILD_SUBREAPER = 36


@pytest.fixture(autouse=True)
def no_adopted_orphans() -> Iterator[None]:
    """Take back what a gate in this very process asked for in an earlier test: orphans are not ours to adopt here."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    yield


@pytest.fixture
def descriptors_stay() -> Iterator[None]:
    """Compare the open descriptors and the children before and after."""
    gc.collect()
    before, children = _open_descriptors(), _children()
    yield
    gc.collect()
    assert _open_descriptors() - before == set()
    assert _children() - children == set()


def _open_descriptors() -> set[str]:
    return {name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")}


def _children() -> set[str]:
    """Return the numbers of our children, those that wait to be reaped too; what other tests left is theirs."""
    own = str(os.getpid())
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parts = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if len(parts) > 1 and parts[1] == own:
                found.add(name)
    return found

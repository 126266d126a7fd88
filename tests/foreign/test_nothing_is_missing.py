"""Where every program must be there, none is missing: a skipped comparison proves nothing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

PROGRAMS = ("ssh-keygen", "ssh-agent", "ssh-add", "openssl", "git", "node")


@pytest.mark.skipif(not os.environ.get("PLUGSEAL_TESTS_NEED_ALL"), reason="asked for in CI")
def test_every_program_that_we_compare_with_is_there() -> None:
    assert [name for name in PROGRAMS if not shutil.which(name)] == []
    assert importlib.util.find_spec("securesystemslib")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    named = os.environ.get("PLUGSEAL_TEST_NODE_MODULES")
    modules = Path(named) if named else cache / "plugseal-tests" / "sigstore-3.1.1" / "node_modules"
    assert (modules / "@sigstore" / "verify").is_dir()
    shelf = os.environ.get("PLUGSEAL_TEST_ERASERS")
    erasers = Path(shelf) if shelf else cache / "plugseal-tests" / "erasers-2026.11"
    assert (erasers / "complete").exists()
    shelf = os.environ.get("PLUGSEAL_TEST_SERVERS")
    servers = Path(shelf) if shelf else cache / "plugseal-tests" / f"servers-2026.10-{sys.implementation.cache_tag}"
    assert (servers / "complete").exists()

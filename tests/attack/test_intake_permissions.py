"""What may not be read is said, entry by entry, and never taken for empty.

Root reads everything, so as root these run as nobody, by `setpriv`, with a copy of the package that nobody may read.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import plugseal

_NOBODY = 65534
_SYSTEM_PYTHON = Path("/usr/bin/python3")
_READ = """
import json, sys
from pathlib import Path
from plugseal.errors import PlugsealError
from plugseal.intake.read import check_representable, read_tree
class Recorder:
    visits = {}
    def begin(self, entries): self.listing = [e.path for e in entries]
    def visit(self, entry, data, reason): self.visits[entry.path] = [data is not None and data.decode(), reason]
recorder = Recorder()
try:
    tree = read_tree(Path(sys.argv[1]), recorder)
except PlugsealError as error:
    print(json.dumps({"error": error.message, "code": error.code}))
else:
    print(json.dumps({
        "faults": [[f.path, f.code] for f in check_representable(tree)], "visits": recorder.visits,
        "paths": [e.path for e in tree.entries], "listing": recorder.listing,
    }))
"""


def as_nobody() -> list[str]:
    if os.geteuid() != 0:
        return [sys.executable]
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("running as root, and there is no setpriv to become somebody else")
    version = subprocess.run(
        [_SYSTEM_PYTHON, "-c", "import sys; print(sys.version_info >= (3, 10))"], capture_output=True, text=True
    )
    if version.stdout.strip() != "True":
        pytest.skip("running as root, and no Python that others may run is 3.10 or newer")
    return [setpriv, f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", str(_SYSTEM_PYTHON)]


def copy_package(target: Path) -> None:
    """Copy what intake imports, and no more."""
    source = Path(plugseal.__file__).parent
    (target / "encode").mkdir(parents=True)
    for name in (
        "__init__.py",
        "errors.py",
        "limits.py",
        "patterns.py",
        "records.py",
        "names.py",
        "encode/__init__.py",
        "encode/rows.py",
        "encode/treehash.py",
    ):
        shutil.copy(source / name, target / name)
    for name in ("intake", "model"):
        shutil.copytree(source / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture
def world() -> Iterator[Path]:
    """Give a folder that everybody may enter, with the package in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        copy_package(folder / "src" / "plugseal")
        (folder / "tree").mkdir()
        (folder / "tree" / "open.md").write_text("hello")
        yield folder
        for path in (folder / "tree").rglob("*"):
            path.chmod(0o755)


def read_as_nobody(world: Path, path: str = "tree") -> Any:
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(world / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*as_nobody(), "-c", _READ, str(world / path)], env=environment, cwd="/", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_unreadable_file_is_a_fault_and_visited_without_bytes(world: Path) -> None:
    secret = world / "tree" / "secret.py"
    secret.write_text("import os")
    secret.chmod(0o000)
    result = read_as_nobody(world)
    assert result["faults"] == [["secret.py", "unreadable"]]
    assert result["visits"]["open.md"] == ["hello", ""]
    data, reason = result["visits"]["secret.py"]
    assert data is False
    assert "permission denied" in reason


def test_an_unreadable_directory_is_a_fault_and_still_listed(world: Path) -> None:
    closed = world / "tree" / "closed"
    closed.mkdir()
    (closed / "hidden.py").touch()
    closed.chmod(0o000)
    result = read_as_nobody(world)
    assert result["faults"] == [["closed", "unreadable"]]
    assert result["paths"] == ["closed", "open.md"]


def test_a_directory_that_lists_but_does_not_open_loses_its_files_one_by_one(world: Path) -> None:
    listed = world / "tree" / "listed"
    listed.mkdir()
    (listed / "a.py").touch()
    listed.chmod(0o444)
    result = read_as_nobody(world)
    assert result["faults"] == [["listed/a.py", "unreadable"]]
    assert result["visits"]["listed/a.py"][0] is False


def test_a_directory_that_opens_but_does_not_list_is_a_fault(world: Path) -> None:
    blind = world / "tree" / "blind"
    blind.mkdir()
    (blind / "a.py").touch()
    blind.chmod(0o111)
    assert read_as_nobody(world)["faults"] == [["blind", "unreadable"]]


@pytest.mark.parametrize("name", ["tree", "tree/open.md", "tree/open.zip"])
def test_a_root_that_may_not_be_read_is_an_error(name: str, world: Path) -> None:
    (world / "tree" / "open.zip").write_bytes(b"PK\5\6" + bytes(18))
    (world / name).chmod(0o000)
    assert read_as_nobody(world, name)["code"] == "unreadable"
    (world / name).chmod(0o755)


def test_reading_needs_no_right_to_write_and_leaves_no_trace(world: Path) -> None:
    (world / "tree").chmod(0o555)
    before = [(p, p.stat().st_mtime_ns, p.stat().st_ctime_ns) for p in sorted(world.rglob("*"))]
    assert read_as_nobody(world)["faults"] == []
    assert before == [(p, p.stat().st_mtime_ns, p.stat().st_ctime_ns) for p in sorted(world.rglob("*"))]

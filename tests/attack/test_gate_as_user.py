"""What a started program can do to its guards, as an ordinary user and as whoever runs the tests.

Level 1 does not contain it; these are what holds all the same: the reaper's memory stays closed to a user's programs,
and no daemon survives, however it hides.
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

import pytest

import plugseal

_NOBODY = 65534
_SYSTEM_PYTHON = Path("/usr/bin/python3")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
_ATTACK = '''
import json, os, select, sys
sys.path.insert(0, sys.argv[1])
from plugseal.runtime import kernel
from plugseal.runtime.child import Launch, start
from plugseal.runtime.reaper import descendants
ATTACKER = """
import os, signal, sys, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
            time.sleep(600)
        os._exit(0)
found = []
for pid in (os.getppid(), int(sys.argv[1])):
    for what in ("environ", "mem", "maps"):
        try:
            open(f"/proc/{pid}/{what}", "rb").read(1); found.append(what)
        except OSError:
            pass
if sys.argv[2] == "kill": os.kill(os.getppid(), signal.SIGKILL)
time.sleep(0.2)
print(found, flush=True)
time.sleep(600)
"""
kernel.set_undumpable()
kernel.set_subreaper()
folder = os.open("/", os.O_RDONLY)
told = []
for how in ("", "kill"):
    words = ("python3", "-c", ATTACKER, str(os.getpid()), how)
    child = start(Launch(sys.executable, words, {}, folder))
    # Whoever kills the reaper dies with it, mostly before a word; its daemons hold the stream all the same.
    ready = select.select([child.stdout], [], [], 3)[0]
    read = os.read(child.stdout, 100).decode().strip() if ready else ""
    below = descendants()
    gone = child.end(at_once=True)
    told.append([read, gone, [pid for pid in below if os.path.exists(f"/proc/{pid}")]])
print(json.dumps({"uid": os.getuid(), "told": told}))
'''


@pytest.fixture
def package() -> Iterator[Path]:
    """Give a copy of the package that everybody may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        source = Path(plugseal.__file__).parent
        shutil.copytree(source, folder / "plugseal", ignore=shutil.ignore_patterns("__pycache__", "data"))
        yield folder


def _attack(package: Path, *before: str) -> dict[str, object]:
    ran = subprocess.run(
        [*before, str(_SYSTEM_PYTHON), "-c", _ATTACK, str(package)], capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    return dict(json.loads(ran.stdout))


def _has_python() -> bool:
    if not _SYSTEM_PYTHON.exists():
        return False
    code = "import sys; print(sys.version_info >= (3, 10))"
    return subprocess.run([_SYSTEM_PYTHON, "-c", code], capture_output=True, text=True).stdout.strip() == "True"


@pytest.mark.skipif(not _has_python(), reason="no Python that others may run is 3.10 or newer")
@pytest.mark.parametrize("user", ["whoever runs the tests", "nobody"])
def test_no_daemon_survives_and_no_user_reads_the_guards(user: str, package: Path) -> None:
    before: list[str] = []
    if user == "nobody":
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            pytest.skip("only root can become somebody else")
        before = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
    found = _attack(package, *before)
    for read, gone, left in found["told"]:  # type: ignore[attr-defined]  # a list of three each
        assert gone
        assert left == []
        # Root's programs read everything: the limits say so.
        assert read == "[]" or found["uid"] == 0 or read == "", found

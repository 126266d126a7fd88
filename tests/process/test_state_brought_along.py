"""Whatever hands out or starts what is trusted refuses a state folder that a variable names and nobody registered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plugseal.trust.store import Store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
_HANG_SECONDS = 60
COMMANDS = {
    "run ID": 125,
    "call ID tool": 4,
    "amber list --prompt": 4,
    "amber call ID tool": 4,
    "amber serve": 4,
    "amness list": 4,
    "amness policy TRACES": 4,
    "amness grade TRACES": 4,
    "amness eval --selftest": 4,
    "amness call list": 4,
    "amness serve": 4,
    "codewhale skills list": 4,
    "codewhale call x y": 4,
    "codewhale serve": 4,
    "coding load ID": 4,
    "coding call ID tool": 4,
    "coding serve": 4,
    "lingtai call AGENT tool": 4,
    "lingtai serve AGENT": 125,
}
"""Command to the exit code of a state that can't be used; where a client waits it is the supervisor's."""


def _run(command: str, home: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    places = {"ID": "coding:x@000000000000", "AGENT": str(tmp_path), "TRACES": str(tmp_path)}
    words = [places.get(word, word) for word in command.split()]
    return subprocess.run(
        [sys.executable, "-I", "-m", "plugseal", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "PLUGSEAL_HOME": str(home)},
        cwd="/usr",
        timeout=_HANG_SECONDS,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_used_of_a_state_folder_that_was_brought_along(command: str, tmp_path: Path) -> None:
    brought = Store(tmp_path / "brought")
    brought.put_document(b"{}")
    done = _run(command, brought.home, tmp_path)
    assert (done.returncode, done.stdout) == (COMMANDS[command], ""), done.stderr
    assert "names a state folder that is not registered in the default one" in done.stderr


@pytest.mark.parametrize("command", ["amber list --prompt", "amness list"])
def test_a_folder_in_which_nothing_was_recorded_yet_holds_nothing_to_refuse(command: str, tmp_path: Path) -> None:
    done = _run(command, tmp_path / "new", tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "new").exists()

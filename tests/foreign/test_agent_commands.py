"""Signing by ssh-agent from the command line: SSHSIG unless DSSE is asked for in words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugseal.cli.main import main

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools"
PLUGIN = "plugins/deploy-helper"
pytestmark = pytest.mark.skipif(not shutil.which("ssh-agent"), reason="needs OpenSSH")


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a clone, with an agent that holds the keys of alice and bob."""
    shutil.copytree(SAMPLE, tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    socket = tmp_path / "agent"
    monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
    program = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL)
    try:
        for _ in range(1000):
            if socket.exists():
                break
            os.sched_yield()
            subprocess.run(["true"], check=True)
        for name in ("alice", "bob"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", f"../{name}"], check=True)
            subprocess.run(["ssh-add", "-q", f"../{name}"], check=True, capture_output=True)
        yield tmp_path / "clone"
    finally:
        program.terminate()
        program.wait(timeout=60)


def _signature_of(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["receipt", "sign", PLUGIN, *words])
    if code:
        return code, capsys.readouterr().err
    (receipt,) = Path(words[-1]).rglob("*.dsse.json")
    capsys.readouterr()
    assert main(["receipt", "verify", str(receipt), PLUGIN, "--key", "../alice.pub"]) == 0
    capsys.readouterr()
    assert main(["receipt", "show", str(receipt), "--format", "json"]) == 0
    return 0, str(json.loads(capsys.readouterr().out)["signature"])


def test_an_agent_signs_by_ssh_unless_dsse_is_asked_for(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _signature_of(capsys, "--agent", "alice", "--reviews", "a") == (0, "sshsig")
    assert _signature_of(capsys, "--agent", "alice", "--dsse", "--reviews", "b") == (0, "dsse")


def test_an_agent_s_key_is_named_and_never_guessed(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, errors = _signature_of(capsys, "--agent", "carol", "--reviews", "a")
    assert code == 4
    assert "no key of the agent fits" in errors
    assert "alice" in errors
    assert _signature_of(capsys, "--agent", "ali", "--reviews", "a")[0] == 4
    assert not Path("a").exists()


def test_the_agent_s_keys_are_listed(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "list"]) == 0
    assert [row.split()[-1] for row in capsys.readouterr().out.splitlines()] == ["alice", "bob", "keys"]


def test_a_review_of_one_component_is_verified_for_that_one(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only = ("--only", "server:deploy")
    assert main(["receipt", "sign", PLUGIN, *only, "--agent", "alice"]) == 0
    (receipt,) = Path("reviews").rglob("*.dsse.json")
    verify = ("receipt", "verify", str(receipt), PLUGIN, "--key", "../alice.pub")
    assert main([*verify, *only]) == 0
    assert main([*verify]) == 1
    assert "review-outdated" not in capsys.readouterr().err

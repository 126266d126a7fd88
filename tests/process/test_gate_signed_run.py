"""The whole way of a signed review, command by command: key, team, policy, receipt, start, refusal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import gated

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
POLICY = 'schema = "plugseal.policy/1"\n[gate]\nrequire-signatures = 2\n[receipts]\nrequired = true\nteam = "trust"\n'


def test_a_plugin_starts_once_two_people_signed_it_and_no_more_once_one_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    world = gated.World(tmp_path / "world").trust()
    team = tmp_path / "team"
    (team / "trust").mkdir(parents=True)
    (team / "reviews").mkdir()
    (team / "plugseal.toml").write_text(POLICY)

    def plugseal(*words: str, status: int = 0) -> str:
        around = {"PATH": os.environ["PATH"], "PLUGSEAL_HOME": str(world.store.home)}
        command = [sys.executable, "-I", "-m", "plugseal", *words]
        done = subprocess.run(command, cwd=team, env=around, capture_output=True, text=True, timeout=120, umask=0o022)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    for name in ("alice", "bob"):
        plugseal("key", "new", name)
        line = plugseal("key", "show", f"{name}.pub", "--quiet")
        with (team / "trust" / "allowed_signers").open("a") as file:
            file.write(line)
    assert "of 2 people" in plugseal("policy", "pin", "plugseal.toml")
    call = ("call", world.id, "echo", '{"x": 1}')
    for name, people in (("alice", "0 of 2 people"), ("bob", "1 of 2 people")):
        refused = plugseal(*call, status=126)
        assert "signature-missing" in refused
        assert people in refused
        sign = ("receipt", "sign", str(world.source), "--system", "agent-plugins", "--key", f"{name}.key")
        plugseal(*sign, "--team", "trust")
    assert "{'x': 1}" in plugseal(*call)
    (receipt, *_) = sorted(str(path) for path in (team / "reviews").glob("*/*.dsse.json"))
    plugseal("receipt", "sign", receipt, "--decision", "revoke", "--key", "bob.key", "--team", "trust")
    refused = plugseal("run", world.id, status=126)
    assert "review-refused" in refused
    assert "revoke by bob" in refused
    assert [event for event in world.events() if event != "pinned"][-2:] == ["ended", "refused"]

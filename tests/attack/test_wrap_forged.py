"""What only looks like the gate in a configuration is told as what goes around it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.agent_plugins.activation import Candidate, verify_entry
from plugseal.trust.store import Store
from plugseal.verbs.wrap import wrap

GATE = ["-I", "-m", "plugseal", "run", "claude-code:a", "server:main"]
FORGED = {
    "a program of the workspace": "/proc/self/cwd/tools/python",
    "another environment's link to this interpreter": "LINK",
    "another interpreter": "/usr/bin/python3",
    "a program with the name of this one": f"/tmp{sys.executable}",
}


def _command(command: str, folder: Path) -> str:
    if command != "LINK":
        return command
    link = folder / "venv" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(sys.executable)
    return str(link)


@pytest.mark.parametrize("command", FORGED.values(), ids=list(FORGED))
def test_wrap_takes_no_other_interpreter_for_the_gate(command: str, tmp_path: Path) -> None:
    config = tmp_path / ".mcp.json"
    servers = {
        "forged": {"command": _command(command, tmp_path), "args": GATE},
        "ours": {"command": sys.executable, "args": GATE},
    }
    config.write_text(json.dumps({"mcpServers": servers}))
    done = wrap(config, Store(tmp_path / "state"), check=True)
    assert (done.gated, [name for name, _ in done.around]) == (["ours"], ["forged"])


@pytest.mark.parametrize("command", FORGED.values(), ids=list(FORGED))
def test_an_entry_of_an_agent_with_another_interpreter_does_not_match(command: str, tmp_path: Path) -> None:
    record = {"name": "main", "transport": "stdio", "source": "plugin:a", "command": "./server", "args": []}

    def candidate(program: str) -> Candidate:
        entry = {"command": program, "args": [*GATE[:4], "agent-plugins:a", "server:main"]}
        return Candidate("main", "a", str(tmp_path), "", record, entry, "", "")

    verify_entry(candidate(sys.executable), None, plugin="agent-plugins:a")
    with pytest.raises(RefusedError, match="has another `command`"):
        verify_entry(candidate(_command(command, tmp_path)), None, plugin="agent-plugins:a")

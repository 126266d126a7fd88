"""The commands `plugseal lingtai …`: what they print, and what they end with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from plugseal.cli.main import main
from tests.lingtai_agents import Agent, stdio, tools


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    monkeypatch.chdir("/usr")
    return Agent(tmp_path)


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["lingtai", *words])
    out, errors = capsys.readouterr()
    return code, out, errors


def test_a_refresh_says_what_it_did_and_a_check_ends_with_1(agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    agent.declare(agent.plugin("alpha", {"a": stdio("node"), "B": stdio("node")}))
    folder = str(agent.folder)
    code, out, _ = _run(capsys, "refresh", folder, "--check")
    assert (code, agent.registry.exists()) == (1, False)
    assert "1 record would be appended: a" in out
    code, out, _ = _run(capsys, "refresh", folder)
    assert code == 0
    assert "skipped  mcp:B: not registrable: invalid name" in out
    assert out.splitlines()[-1] == "1 plugin registered; 1 record appended: a"
    assert _run(capsys, "refresh", folder, "--check")[0] == 0
    code, out, _ = _run(capsys, "refresh", folder, "--format", "json")
    found = json.loads(out)
    assert (found["format"], found["written"]) == ("plugseal.lingtai-refresh/1", False)
    agent.declare()
    assert _run(capsys, "prune", folder, "-q")[1] == "0 plugins registered; 1 record pruned: a\n"


def test_a_list_says_what_comes_next(agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(agent.folder)
    plugin = agent.plugin("alpha", {"a": tools("show")})
    agent.declare()
    assert _run(capsys, "list", folder)[0] == 3
    agent.declare(plugin)
    assert "alpha  discovered  0 skills, 1 server\n" in _run(capsys, "list", folder)[1]
    agent.refresh()
    out = _run(capsys, "list", folder)[1]
    assert "alpha  registered  0 skills, 1 server\n" in out
    assert out.splitlines()[-1] == "1 plugin: 1 registered; 1 server: 1 registered"
    agent.activate_all()
    assert f"next: `plugseal review {plugin}`" in _run(capsys, "list", folder)[1]
    agent.trust(plugin, enabled=False)
    assert f"next: `plugseal enable {plugin}`" in _run(capsys, "list", folder)[1]
    agent.trust(plugin)
    assert f"next: `plugseal lingtai serve {folder}`" in _run(capsys, "list", folder)[1]
    found = json.loads(_run(capsys, "list", folder, "--format", "json")[1])
    assert [(row["name"], row["mount"]) for row in found["plugins"]] == [("alpha", "registered")]
    (row,) = found["servers"]
    assert (row["server"], row["state"], row["why"], row["step"]) == ("a", "ready", None, "serve")
    agent.declare()
    assert f"next: `plugseal lingtai refresh {folder}`" in _run(capsys, "list", folder)[1]


@pytest.mark.parametrize("action", ["info", "settings", "manual"])
def test_an_input_that_is_not_empty_ends_with_1(action: str, agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    agent.declare(agent.plugin("alpha")).refresh()
    folder = str(agent.folder)
    assert _run(capsys, action, folder)[0] == 0
    code, out, _ = _run(capsys, action, folder, "--input", '{"x": 1}')
    assert (code, json.loads(out)["error_code"]) == (1, "INVALID_ARGUMENT")
    assert _run(capsys, action, folder, "--input", "[]")[0] == 1
    assert _run(capsys, action, folder, "--input", "{")[0] == 2
    assert _run(capsys, action, folder, "--reasoning", " ")[0] == 1


def test_settings_without_a_registration_end_with_1(agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    agent.declare()
    code, out, _ = _run(capsys, "settings", str(agent.folder))
    assert (code, json.loads(out)["error_code"]) == (1, "SETTINGS_UNAVAILABLE")


def test_the_section_is_printed_or_nothing(agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    agent.declare().refresh()
    assert _run(capsys, "render", str(agent.folder)) == (0, "", "")
    agent.declare(agent.plugin("alpha", description="\x1b[2J")).refresh()
    out = _run(capsys, "render", str(agent.folder))[1]
    assert out.endswith("</registered_plugin>\n")
    assert "\x1b" not in out


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_a_call_prints_its_result_and_ends_as_it_went(agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    plugin = agent.plugin("alpha", {"a": tools("write_note", "read_note")})
    folder = str(agent.folder)
    agent.declare(plugin).refresh()
    agent.activate_all()
    code, out, errors = _run(capsys, "call", folder, "read_note")
    assert (code, out) == (126, "")
    assert "not-recorded" in errors
    agent.trust(plugin)
    code, out, errors = _run(capsys, "call", folder, "write_note", '{"text": "x"}')
    assert (code, json.loads(out)["content"][0]["text"]) == (0, "written"), errors
    assert _run(capsys, "call", folder, "plugin", '{"action": "x"}')[0] == 1
    assert _run(capsys, "call", folder, "write_note", "[]")[0] == 2
    assert _run(capsys, "call", folder, "gone")[0] == 2
    assert _run(capsys, "call", folder, "read_note", "--plugins", "other")[0] == 2


@pytest.mark.parametrize("command", ["list", "refresh", "prune", "render", "info"])
def test_where_no_agent_is_nothing_is_judged(command: str, agent: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(capsys, command, str(agent.folder))[0] == 3
    assert _run(capsys, command, str(agent.folder / "gone"))[0] == 4


def test_a_configuration_that_can_not_be_read_is_said_with_its_place(
    agent: Agent, capsys: pytest.CaptureFixture[str]
) -> None:
    (agent.folder / "init.json").write_text('{"manifest": {}, "manifest": {}}')
    code, out, errors = _run(capsys, "refresh", str(agent.folder))
    assert (code, out) == (4, "")
    assert "init.json" in errors


def test_a_start_of_the_host_loads_no_scanner_and_nothing_that_reaches_a_network() -> None:
    code = (
        "import sys\n"
        "import plugseal.cli.commands.lingtai\n"
        "import plugseal.verbs.lingtai.run\n"
        "heavy = ('plugseal.systems', 'plugseal.scan', 'plugseal.lang', 'plugseal.rules', 'plugseal.runtime.remote')\n"
        "print([name for name in sys.modules if name.startswith(heavy) or name in ('ssl', 'http.client')])\n"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "[]\n"

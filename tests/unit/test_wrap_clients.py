"""A configuration of each client: wrapped, its server answers through the gate; unwrapped, every byte is back."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main
from plugseal.encode.launchers import find_launchers
from plugseal.errors import CouldNotJudgeError, IntakeError, RefusedError, RefusedTransitionError, StateError
from plugseal.model.change import WRAPPED
from plugseal.model.trust import TrustStatus
from plugseal.render.review import render_review
from plugseal.render.text import plain
from plugseal.render.wrap import render_wrapped
from plugseal.trust.store import Store
from plugseal.verbs.diff import diff_trusted
from plugseal.verbs.listing import list_plugins
from plugseal.verbs.look import look
from plugseal.verbs.recheck import recheck
from plugseal.verbs.review import review
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import disable, enable, trust
from plugseal.verbs.wrap import Wrapped, unwrap, wrap, wrap_all
from tests import gated

SERVER = '"command": "python3", "args": ["ROOT/server.py", "--flag"]'
CLIENTS = {
    "Claude Desktop": ("claude_desktop_config.json", '{\n  "mcpServers": {\n    "docs": {' + SERVER + "}\n  }\n}\n"),
    "Claude Code": (".mcp.json", '{"mcpServers":{"docs":{"type":"stdio",' + SERVER + ',"env":{"A":"${A:-b}"}}}}'),
    "Claude Code, the user's": (
        ".claude.json",
        '{"numStartups": 3, "projects": {"/home/x": {"mcpServers": {"docs": {' + SERVER + '}}}}, "theme": "dark"}',
    ),
    "Cursor": (".cursor/mcp.json", '{"mcpServers": {"docs": {' + SERVER + '}, "web": {"url": "https://x.invalid"}}}'),
    "VS Code": (
        ".vscode/mcp.json",
        '{\n  // the team\'s servers\n  "servers": {\n    "docs": { "type": "stdio", '
        + SERVER
        + " }, // ours\n  },\n}\n",
    ),
    "Windsurf": ("mcp_config.json", '{\r\n\t"mcpServers": {"docs": {' + SERVER + ', "disabled": false}}\r\n}'),
    "Codex": (
        "config.toml",
        (
            'model = "o3" # ours\n\n[mcp_servers.docs]\ncommand = "python3"\n'
            "args = [\n  \"ROOT/server.py\", # the server\n  '--flag',\n]\nstartup_timeout_sec = 10\n"
        ),
    ),
    "Codex, in one line": (
        "config.toml",
        '[mcp_servers]\ndocs = { command = "python3", args = ["ROOT/server.py", "--flag"] }\n',
    ),
    "Gemini": ("settings.json", '{"theme":"x","mcpServers":{"docs":{' + SERVER + ',"timeout":600,"trust":false}}}'),
}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world").trust()


def _config(world: Any, tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / "client" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(text.replace("ROOT", str(world.source)).encode())
    return path


@pytest.mark.parametrize(("name", "text"), CLIENTS.values(), ids=list(CLIENTS))
def test_a_wrapped_server_answers_and_unwrap_restores_the_bytes(
    name: str, text: str, world: Any, tmp_path: Path
) -> None:
    path = _config(world, tmp_path, name, text)
    path.chmod(0o640)
    before = path.read_bytes()

    done = wrap(path, world.store)

    assert done.wrapped == [("docs", world.id)]
    assert not done.around
    (launcher,) = [one for one in find_launchers(path.read_bytes(), toml=name.endswith(".toml")) if one.command]
    assert launcher.words == (sys.executable, "-I", "-m", "plugseal", "run", world.id, "server:main")
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    ran = subprocess.run(
        launcher.words,
        input=json.dumps(request).encode() + b"\n",
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)},
        cwd="/usr",
        timeout=60,
    )
    assert json.loads(ran.stdout)["result"]["tools"][0]["name"] == "echo", ran.stderr
    assert wrap(path, world.store, check=True).gated == ["docs"]
    unwrap(path, world.store)
    assert path.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o640


def test_every_byte_but_the_command_stays(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, *CLIENTS["VS Code"])
    wrap(path, world.store)
    text = path.read_text()
    assert text.startswith("{\n  // the team's servers\n")
    assert text.endswith(" }, // ours\n  },\n}\n")


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["ROOT/server.py"], id="an argument less"),
        pytest.param(["ROOT/server.py", "--flag", "--more"], id="an argument more"),
        pytest.param(["ROOT/other.py", "--flag"], id="another file"),
    ],
)
def test_what_nobody_trusted_is_left_as_it_is_and_said(args: list[str], world: Any, tmp_path: Path) -> None:
    server = {"command": "python3", "args": args}
    path = _config(world, tmp_path, ".mcp.json", json.dumps({"mcpServers": {"x": server}}))
    before = path.read_bytes()
    assert wrap(path, world.store).around == [("x", "nobody trusted what it starts")]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "server",
    [
        pytest.param('{"command": ["python3", "ROOT/server.py", "--flag"]}', id="a command that is a list"),
        pytest.param('{"command": "python3", "args": "ROOT/server.py"}', id="arguments that are a text"),
        pytest.param('{"command": "python3", "args": ["ROOT/server.py", 1]}', id="an argument that is a number"),
        pytest.param('{"command": 1}', id="a command that is a number"),
        pytest.param("{" + SERVER + ', "env": {"A": "b", "LD_PRELOAD": "/x"}}', id="a variable that loads a library"),
        pytest.param("{" + SERVER + ', "env": {"GLIBC_TUNABLES": "x"}}', id="a variable of the C library"),
    ],
)
def test_what_is_started_in_another_way_is_never_passed_over(server: str, world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, ".mcp.json", '{"mcpServers": {"x": ' + server + "}}")
    before = path.read_bytes()
    for check in (True, False):
        done = wrap(path, world.store, check=check)
        assert [name for name, _ in done.around] == ["x"]
        assert path.read_bytes() == before


def test_what_loads_code_into_the_gate_goes_around_it(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, *CLIENTS["Cursor"])
    wrap(path, world.store)
    path.write_bytes(path.read_bytes().replace(b'"docs": {', b'"docs": {"env": {"LD_AUDIT": "/x"}, '))
    done = wrap(path, world.store, check=True)
    assert (done.gated, [name for name, _ in done.around]) == ([], ["docs"])


def test_a_pipe_in_the_place_of_a_configuration_is_refused(world: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".mcp.json")
    with pytest.raises(IntakeError, match="no regular file"):
        wrap(tmp_path / ".mcp.json", world.store)


def test_check_writes_nothing(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, *CLIENTS["Cursor"])
    before = path.read_bytes()
    done = wrap(path, world.store, check=True)
    assert done.wrapped
    assert path.read_bytes() == before
    with pytest.raises(StateError, match="never wrapped"):
        unwrap(path, world.store)


def test_what_was_changed_since_is_not_put_back(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, *CLIENTS["Cursor"])
    wrap(path, world.store)
    path.write_bytes(path.read_bytes() + b"\n")
    now = path.read_bytes()
    with pytest.raises(CouldNotJudgeError, match="changed since"):
        unwrap(path, world.store)
    assert path.read_bytes() == now


def test_a_configuration_inside_the_plugin_may_be_wrapped_and_nothing_else_of_it_may_change(
    world: Any, tmp_path: Path
) -> None:
    path = world.source / "client.json"
    path.write_text(json.dumps({"mcpServers": {"x": {"command": "python3", "args": ["server.py", "--flag"]}}}))
    world.trust()
    wrap(path, world.store)
    assert world.grant()
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(RefusedError, match="content-drifted"):
        world.grant()


def test_a_plugin_whose_configuration_was_wrapped_is_as_it_was_trusted(world: Any, tmp_path: Path) -> None:
    path = world.source / "client.json"
    path.write_text(json.dumps({"mcpServers": {"x": {"command": "python3", "args": ["server.py", "--flag"]}}}))
    world.trust()
    wrap(path, world.store)

    (row,) = list_plugins(world.source, world.store)
    assert row.state == "active"
    (record,) = world.store.records()
    disable(record, world.store)
    enable(look(Selection(world.source), system="agent-plugins"), world.store)
    assert world.grant()

    path.write_bytes(path.read_bytes() + b" ")
    (row,) = list_plugins(world.source, world.store)
    assert row.state == "enabled, changed"
    with pytest.raises(RefusedTransitionError):
        enable(look(Selection(world.source), system="agent-plugins"), world.store)


def test_a_server_that_names_another_state_folder_goes_around_this_one(world: Any, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    server = {"command": "python3", "args": [f"{world.source}/server.py", "--flag"]}
    for env, around, homeless in (
        ({}, False, True),
        ({"PLUGSEAL_HOME": str(world.store.home)}, False, False),
        ({"PLUGSEAL_HOME": str(tmp_path / "other")}, True, False),
        ({"PLUGSEAL_HOME": 7}, True, False),
    ):
        path.write_text(json.dumps({"mcpServers": {"docs": {**server, "env": env}}}))
        for _ in range(2):  # once more as what was wrapped, where it was
            done = wrap(path, world.store)
            assert (bool(done.around), bool(done.homeless)) == (around, homeless), env
            assert not around or "PLUGSEAL_HOME" in done.around[0][1]
    text = render_wrapped("c", wrapped=[], gated=["docs"], around=[], homeless=["docs"], before=b"", after=b"")
    assert "set it in the `env` of docs" in "\n".join(map(plain, text))


def test_every_view_of_a_wrapped_plugin_says_that_only_wrap_changed_it(world: Any, tmp_path: Path) -> None:
    path = world.source / "client.json"
    path.write_text(json.dumps({"mcpServers": {"x": {"command": "python3", "args": ["server.py", "--flag"]}}}))
    world.trust()
    wrap(path, world.store)
    seen = look(Selection(world.source), system="agent-plugins")
    shown = review(seen, world.store)
    assert (shown.status, shown.change and shown.change.comes_to) == (TrustStatus.TRUSTED, WRAPPED)
    text = "\n".join(map(plain, render_review(shown)))
    assert "Changed since trust: only what `wrap` wrote differs" in text
    assert "nothing is to be done" in text
    assert f"plugseal trust {seen.path}" not in text
    assert diff_trusted(seen, world.store).comes_to == WRAPPED
    with pytest.raises(RefusedTransitionError, match="that `wrap` wrote: nothing to recheck") as found:
        recheck(seen, world.store)
    assert "plugseal unwrap" in (found.value.hint or "")

    (world.source / "server.py").write_text("print(1)\n")
    seen = look(Selection(world.source), system="agent-plugins")
    shown = review(seen, world.store)
    assert shown.status is not TrustStatus.TRUSTED
    assert shown.change is not None
    assert shown.change.comes_to == diff_trusted(seen, world.store).comes_to == "code"
    assert f"plugseal trust {seen.path}" in "\n".join(map(plain, render_review(shown)))

    world.write("server.py", gated.SERVER)
    unwrap(path, world.store)
    seen = look(Selection(world.source), system="agent-plugins")
    assert review(seen, world.store).change is None
    assert diff_trusted(seen, world.store).is_empty


def test_what_wrap_wrote_is_not_trusted_by_habit(world: Any, tmp_path: Path) -> None:
    path = world.source / "client.json"
    path.write_text(json.dumps({"mcpServers": {"x": {"command": "python3", "args": ["server.py", "--flag"]}}}))
    world.trust()
    done = wrap(path, world.store)
    assert done.wrapped
    again = look(Selection(world.source), system="agent-plugins")
    with pytest.raises(RefusedTransitionError, match="but for a client's configuration") as found:
        trust(again, again.report.token or "", world.store)
    assert "plugseal unwrap" in (found.value.hint or "")

    (world.source / "server.py").write_text("print(1)\n")
    other = look(Selection(world.source), system="agent-plugins")
    assert trust(other, other.report.token or "", world.store)


def test_a_disk_that_became_read_only_is_told_and_no_bug(
    world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    path = _config(world, tmp_path, *CLIENTS["Cursor"])
    before = path.read_bytes()
    monkeypatch.setattr(Path, "replace", read_only)
    monkeypatch.setattr(Path, "unlink", read_only)
    with pytest.raises(IntakeError, match="read-only file system") as found:
        wrap(path, world.store)
    assert "findmnt" in (found.value.hint or "")
    assert path.read_bytes() == before


def test_a_configuration_that_is_the_whole_plugin_is_left_and_the_way_out_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    path = tmp_path / ".mcp.json"
    path.write_text('{"mcpServers": {"x": {"command": "python3", "args": ["/opt/server.py"]}}}')
    before, store = path.read_bytes(), Store(tmp_path / "state")
    found = look(Selection(path))
    assert found.report.token is not None
    trust(found, found.report.token, store)
    enable(found, store)

    ((name, why),) = wrap(path, store).around

    assert name == "x"
    assert "trust the folder that it lies in" in why
    assert path.read_bytes() == before


def test_a_server_at_an_address_is_said_and_nothing_is_started_for_it(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, *CLIENTS["Cursor"])
    done = wrap(path, world.store)
    assert (done.remote, done.around) == (("web",), [])
    text = "\n".join(map(plain, _rendered(done)))
    assert "remote   web" in text


def test_values_of_the_environment_are_stars_on_the_screen(world: Any, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    server = "{" + SERVER + ', "env": {"GITHUB_TOKEN": "' + secret + '"}}'
    path = _config(world, tmp_path, ".mcp.json", '{"mcpServers": {"docs": ' + server + "}}")
    done = wrap(path, world.store)
    assert secret.encode() in path.read_bytes()
    assert secret not in "\n".join(map(plain, _rendered(done)))


def test_none_of_several_configurations_is_written_before_all_are_good(world: Any, tmp_path: Path) -> None:
    good = _config(world, tmp_path, *CLIENTS["Cursor"])
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    before = good.read_bytes()
    with pytest.raises(CouldNotJudgeError):
        list(wrap_all([good, bad], world.store))
    assert good.read_bytes() == before
    (done,) = wrap_all([good], world.store)
    assert done.wrapped


def test_one_that_can_not_be_put_back_keeps_no_other_from_it(
    world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(world.store.home))
    path = _config(world, tmp_path, *CLIENTS["Cursor"])
    before = path.read_bytes()
    others = [tmp_path / "a.json", tmp_path / "b.json"]
    for other in others:
        other.write_text("{}")
    wrap(path, world.store)

    assert main(["unwrap", str(others[0]), str(path), str(others[1])]) == 4

    assert path.read_bytes() == before
    out, err = capsys.readouterr()
    assert str(path) in out
    assert all(str(other) in err for other in others)


def _rendered(done: Wrapped) -> list[Any]:
    return list(
        render_wrapped(
            done.path,
            wrapped=done.wrapped,
            gated=done.gated,
            around=done.around,
            remote=done.remote,
            before=done.before,
            after=done.after,
        )
    )


def test_a_configuration_that_can_be_read_in_two_ways_is_left(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, ".mcp.json", '{"mcpServers": {"x": {"command": "a", "command": "b"}}}')
    with pytest.raises(CouldNotJudgeError):
        wrap(path, world.store)

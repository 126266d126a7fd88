"""What Codewhale's own tests ask of the review and the MCP adapter (its behaviours 45 to 60), asked of ours."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.runtime.codewhale.names import server_id
from plugseal.runtime.codewhale.pool import Pool
from plugseal.runtime.remote.endpoint import next_endpoint, reviewed_endpoint
from plugseal.verbs import trust as verbs
from tests import codewhale_world as worlds
from tests import remote_server as remotes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
ID = "plugin-5-hello-local"
_HANG_SECONDS = 60


REVIEWED = """[mcp_servers.local]
command = "node"
args = ["server.js", "--mode=worker", "-e", "console.log('ready')"]
env = { PLUGIN_TOKEN = "${PLUGIN_TOKEN_SOURCE}" }
[mcp_servers.far]
url = "https://api.example.invalid/mcp"
bearer_token_env_var = "FAR_TOKEN"
[capabilities]
network_hosts = ["api.example.invalid"]
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return worlds.World(tmp_path / "world", monkeypatch)


def _in(world: Any, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    found: tuple[int, str, str] = worlds.command("codewhale", *words, "--workspace", world.workspace, capsys=capsys)
    return found


def test_45_the_exact_token_alone_trusts(world: Any, capsys: pytest.CaptureFixture[str]) -> None:
    world.bundle()
    code, out, _ = _in(world, capsys, "enable", "hello")
    assert code == 1
    assert "refused: hello is not trusted" in out
    said = [row for row in out.splitlines() if row.startswith("plugseal codewhale trust hello ")]
    token = said[0].split()[-1]
    content, dot, capability = token.partition(".")
    assert (len(content), dot, len(capability)) == (64, ".", 64)
    for wrong in (token[:-1], f"{content[:12]}.{capability[:12]}", f"{capability}.{content}", token.upper()):
        code, _, errors = _in(world, capsys, "trust", "hello", wrong)
        assert (code, token in errors) == (1, False)
    assert not world.store.home.exists()
    assert _in(world, capsys, "trust", "hello", token)[0] == 0
    assert world.label() == "disabled"
    assert _in(world, capsys, "enable", "hello")[0] == 0
    assert world.label() == "active"


def test_46_the_review_shows_structure_and_no_value(
    world: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUGIN_TOKEN_SOURCE", "value-nobody-reads")
    monkeypatch.setenv("FAR_TOKEN", "value-nobody-reads-either")
    world.bundle(more=REVIEWED, files={"server.js": "serve()\n"})
    listed = _in(world, capsys, "list")[1]
    assert "skills=0 mcp=2 (stdio=1 remote=1)" in listed
    code, out, _ = _in(world, capsys, "show", "hello")
    assert code == 0
    assert "PLUGIN_TOKEN <- PLUGIN_TOKEN_SOURCE" in out
    assert "\"console.log('ready')\"" in out
    assert "https://api.example.invalid/mcp" in out
    assert "Bearer ${FAR_TOKEN}" in out
    assert "value-nobody-reads" not in listed + out


def test_47_list_show_and_validate_write_nothing_start_nothing_and_ask_nobody(
    world: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a socket or a program")

    monkeypatch.setattr("socket.socket.connect", never)
    monkeypatch.setattr("os.fork", never)
    monkeypatch.setattr("os.execve", never)
    world.bundle(more=REVIEWED, files={"server.js": "serve()\n"})
    before = sorted(world.root.rglob("*"))
    assert [_in(world, capsys, *words)[0] for words in (["list"], ["show", "hello"], ["validate", "hello"])] == [
        0,
        0,
        0,
    ]
    assert sorted(world.root.rglob("*")) == before


@pytest.mark.parametrize(
    ("plugin", "server", "name"),
    [
        ("foo-bar", "baz", "plugin-7-foo-bar-baz"),
        ("foo", "bar-baz", "plugin-3-foo-bar-baz"),
        ("a", "b_c", "plugin-1-a-b_c"),
    ],
)
def test_48_a_hyphen_makes_no_two_servers_one(plugin: str, server: str, name: str) -> None:
    assert server_id(plugin, server) == name


@pytest.mark.parametrize("enabled", [None, False], ids=["never trusted", "trusted and not enabled"])
def test_49_what_is_not_active_has_no_server_at_the_adapter_either(enabled: bool | None, world: Any) -> None:
    world.bundle()
    if enabled is not None:
        world.trust(enabled=enabled)
    with world.pool() as pool:
        assert pool.servers() == ()
        with pytest.raises(PlugsealError):
            pool.call_tool(ID, "echo", {})


@pytest.mark.parametrize("taken", [verbs.disable, verbs.revoke], ids=["disabled", "revoked"])
def test_49_a_registry_of_before_does_not_help_an_adapter_of_now(
    taken: Callable[..., object], world: Any, tmp_path: Path
) -> None:
    world.bundle()
    record = world.trust()
    start = world.start()
    assert [entry.label for entry in start.registry.entries] == ["active"]
    taken(record, world.store)
    with world.pool(start) as pool:
        assert pool.servers() == ()
    assert world.events() == []


def test_50_a_file_that_came_after_the_snapshot_drops_the_server(world: Any) -> None:
    path = world.bundle()
    world.trust()
    start = world.start()
    (path / "late.txt").write_text("late")
    with world.pool(start) as pool:
        assert pool.servers() == ()
    assert ["content-drifted" in line for line in world.told] == [True]


def test_51_an_entry_point_that_changed_after_the_pool_was_built_starts_nothing(world: Any, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    path = world.bundle()
    world.trust()
    with world.pool() as pool:
        (path / "server.py").write_text(f"open({str(marker)!r}, 'w')\n")
        with pytest.raises(RefusedError) as refused:
            pool.call_tool(ID, "echo", {})
    assert not marker.exists()
    assert f"refused to ask the server `{ID}` (tools/call) of bundle `hello`: content-drifted" in refused.value.message
    hint = refused.value.hint or ""
    assert [word in hint for word in ("reload", "show", "trust", "enable")] == [True] * 4
    assert world.events() == [("refused", "content-drifted")]


def test_52_a_revocation_by_another_process_ends_a_call_that_runs(world: Any, tmp_path: Path) -> None:
    world.bundle()
    world.trust()
    marker = tmp_path / "marker"
    code = (
        "import pathlib, sys, time\n"
        "from plugseal.cli.main import main\n"
        f"while not pathlib.Path({str(marker)!r}).exists(): time.sleep(0.01)\n"
        "sys.exit(main(['codewhale', 'revoke', 'hello', '--workspace', sys.argv[1]]))\n"
    )
    with world.pool() as pool:
        pid = worlds.text_of(pool.call_tool(ID, "look", {}))["pid"]
        other = subprocess.Popen(
            [sys.executable, "-I", "-c", code, str(world.workspace)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        with pytest.raises(RefusedError) as refused:
            pool.call_tool(ID, "hang", {"marker": str(marker)})
        assert not Path(f"/proc/{pid}").exists()
        out, errors = other.communicate(timeout=_HANG_SECONDS)
    assert other.returncode == 0, (out, errors)
    assert refused.value.reason == "revoked-meanwhile"
    assert world.events()[-1] == ("stopped", "revoked-meanwhile")


def test_53_an_idle_child_is_dead_once_its_authority_is(world: Any) -> None:
    world.bundle()
    record = world.trust()
    with world.pool() as pool:
        pid = worlds.text_of(pool.call_tool(ID, "look", {}))["pid"]
        verbs.revoke(record, world.store)
        assert select.select(pool.descriptors(), [], [], _HANG_SECONDS)[0]
        assert pool.heed()
        assert not Path(f"/proc/{pid}").exists()


def test_54_what_a_child_writes_to_its_standard_error_is_in_no_error(world: Any) -> None:
    world.bundle(files={"server.py": "import sys\nsys.stderr.write('secret of the child\\n')\nsys.exit(3)\n"})
    world.trust()
    with world.pool() as pool, pytest.raises(SupervisorError) as failed:
        pool.rows_of(ID, "tools")
    assert "secret of the child" not in failed.value.message + "".join(failed.value.details) + "".join(world.told)


FIVE: dict[str, Callable[[Pool], object]] = {
    "tools/list": lambda pool: pool.rows_of(ID, "tools"),
    "tools/call": lambda pool: pool.call_tool(ID, "echo", {}),
    "resources/list": lambda pool: pool.rows_of(ID, "resources"),
    "resources/read": lambda pool: pool.read_resource(ID, "memo:1"),
    "prompts/get": lambda pool: pool.get_prompt(ID, "ask", {}),
}


@pytest.mark.parametrize("operation", FIVE)
def test_55_after_a_revocation_every_list_is_empty_and_every_operation_refuses(operation: str, world: Any) -> None:
    world.bundle()
    world.trust()
    with world.pool() as pool:
        assert all(pool.rows(kind)[ID] for kind in ("tools", "resources", "templates", "prompts"))
        world.revoke()
        with pytest.raises(RefusedError) as refused:
            FIVE[operation](pool)
        assert refused.value.reason == "not-trusted"
        assert [pool.rows(kind) for kind in ("tools", "resources", "templates", "prompts")] == [{}] * 4
    assert [event for event, _ in world.events()].count("started") == 1


@pytest.mark.parametrize("which", ["source", "copy"])
def test_56_drift_hides_everything_that_was_cached(which: str, world: Any) -> None:
    path = world.bundle()
    world.trust()
    with world.pool() as pool:
        assert all(pool.rows(kind)[ID] for kind in ("tools", "resources", "prompts"))
        file = path / "server.py" if which == "source" else world.stage() / "server.py"
        file.chmod(0o600)
        file.write_text("changed")
        assert [pool.rows(kind) for kind in ("tools", "resources", "prompts")] == [{}] * 3
        assert pool.servers() == ()
        assert pool.descriptors() == ()


def test_57_a_variable_counts_as_it_was_before_the_workspace_spoke(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARLY", "value-of-before")
    monkeypatch.delenv("LATE", raising=False)
    env = 'env = {{ GIVEN = "${{{name}}}" }}\n'
    world.bundle("early", worlds.LOCAL + env.format(name="EARLY"))
    world.bundle("late", worlds.LOCAL + env.format(name="LATE"))
    world.trust("early")
    world.trust("late")
    with world.pool() as pool:
        monkeypatch.setenv("EARLY", "value-of-a-dotenv")
        monkeypatch.setenv("LATE", "value-of-a-dotenv")
        given = worlds.text_of(pool.call_tool("plugin-5-early-local", "look", {}))["environment"]
        assert given["GIVEN"] == "value-of-before"
        with pytest.raises(RefusedError) as refused:
            pool.call_tool("plugin-4-late-local", "look", {})
    assert refused.value.reason == "variable-missing"
    assert "`LATE` is not set" in refused.value.message
    assert "value-of-a-dotenv" not in refused.value.message


@pytest.mark.parametrize(
    ("location", "stays"),
    [
        ("https://API.example.invalid:443/other", True),
        ("/other", True),
        ("?page=2", True),
        ("http://api.example.invalid/mcp", False),
        ("https://user@api.example.invalid/mcp", False),
        ("https://api.example.invalid:444/mcp", False),
        ("https://other.example.invalid/mcp", False),
        ("https://api.example.invalid./mcp", False),
        ("https://api.example.invalid@other.invalid/mcp", False),
    ],
)
def test_58_a_redirect_stays_with_the_normalized_origin(location: str, stays: bool) -> None:
    now = reviewed_endpoint("https://api.example.invalid/mcp")
    if stays:
        assert next_endpoint(now, location).origin == now.origin
    else:
        with pytest.raises(RefusedError):
            next_endpoint(now, location)


class _Watched(dict[str, str]):
    """Variables that remember who asked for which."""

    def __init__(self, found: Mapping[str, str]) -> None:
        super().__init__(found)
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> str:
        self.asked.append(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.append(name)
        return super().get(name, default)


def test_59_a_request_to_a_reviewed_server_reads_no_variable_at_all(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with remotes.serving() as remote:
        manifest = f'[mcp_servers.far]\nurl = "http://127.0.0.1:{remote.port}/mcp"\n'
        world.bundle(more=f'{manifest}[capabilities]\nnetwork_hosts = ["127.0.0.1"]\n')
        world.trust()
        with world.pool() as pool:
            pool.rows_of("plugin-5-hello-far", "tools")
            watched = _Watched(os.environ)
            with monkeypatch.context() as patch:
                patch.setattr(os, "environ", watched)
                assert worlds.text_of(pool.call_tool("plugin-5-hello-far", "echo", {"n": 1})) == {"n": 1}
            assert [name for name in watched.asked if "proxy" in name.lower() or "ssl" in name.lower()] == []
    assert remote.messages().count("tools/call") == 1


@pytest.mark.parametrize("mapped", [False, True], ids=["not mapped", "mapped"])
def test_60_a_proxy_reaches_a_child_only_where_it_was_reviewed(
    mapped: bool, world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    more = 'env = { HTTP_PROXY = "${HTTP_PROXY}" }\n' if mapped else ""
    world.bundle(more=worlds.LOCAL + more)
    world.trust()
    with world.pool() as pool:
        given = worlds.text_of(pool.call_tool(ID, "look", {}))["environment"]
    assert ("HTTP_PROXY" in given) == mapped
    assert json.dumps(sorted(given)).count("PROXY") == int(mapped)

"""MCP servers of Codewhale's bundles: started lazily from the copy, under an authority that is looked at every time."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError, SupervisorError, UsageError
from plugseal.runtime.codewhale.host import Host
from plugseal.runtime.reaper import descendants
from plugseal.verbs.trust import disable
from tests import codewhale_world as worlds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
_HANG_SECONDS = 60
ID = "plugin-5-hello-local"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return worlds.World(tmp_path / "world", monkeypatch)


def test_a_server_is_started_at_its_first_call_and_once(world: Any) -> None:
    world.bundle()
    world.trust()
    with world.pool() as pool:
        assert [server.id for server in pool.servers()] == [ID]
        assert world.events() == []
        first = worlds.text_of(pool.call_tool(ID, "look", {}))
        second = worlds.text_of(pool.call_tool(ID, "look", {}))
        assert first["pid"] == second["pid"]
        assert world.events()[0] == ("started", "")
    assert world.events()[-1] == ("ended", "")
    assert not Path(f"/proc/{first['pid']}").exists()


def test_a_contained_entry_point_is_the_one_in_the_staged_copy(world: Any) -> None:
    launch = 'command = "python3"\nargs = ["main.py", "--mode=worker", "nowhere.py"]\ncwd = "in"\n'
    world.bundle(more=f"[mcp_servers.local]\n{launch}", files={"in/main.py": worlds.SERVER})
    world.trust()
    with world.pool() as pool:
        told = worlds.text_of(pool.call_tool(ID, "look", {}))
    stage = world.stage()
    assert told["argv"] == [f"{stage}/in/main.py", "--mode=worker", "nowhere.py"]
    assert told["cwd"] == f"{stage}/in"


def test_everything_that_a_server_has_is_asked_under_its_name(world: Any) -> None:
    world.bundle()
    world.trust()
    with world.pool() as pool:
        assert [row["name"] for row in pool.rows("tools")[ID]] == ["echo", "hang", "look", "fail"]
        assert pool.rows("resources") == {ID: [{"uri": "memo:1", "name": "one"}]}
        assert pool.rows("templates") == {ID: [{"uriTemplate": "memo:{n}", "name": "any"}]}
        assert pool.rows("prompts") == {ID: [{"name": "ask"}]}
        assert pool.read_resource(ID, "memo:1")["result"]["contents"][0]["text"] == "one"
        assert pool.get_prompt(ID, "ask", {})["result"] == {"messages": []}
        assert worlds.text_of(pool.call_tool(ID, "echo", {"text": "x"})) == {"text": "x"}
        with pytest.raises(UsageError, match="no active bundle has a server `other`"):
            pool.call_tool("other", "echo", {})


@pytest.mark.parametrize(
    ("filters", "shown", "refused"),
    [
        pytest.param('enabled_tools = ["echo", "look"]', ["echo", "look"], "fail", id="only some"),
        pytest.param('disabled_tools = ["echo", "hang"]', ["look", "fail"], "echo", id="all but some"),
    ],
)
def test_reviewed_filters_hide_tools_and_refuse_their_calls(
    filters: str, shown: list[str], refused: str, world: Any
) -> None:
    world.bundle(more=f"{worlds.LOCAL}{filters}\n")
    world.trust()
    with world.pool() as pool:
        assert [row["name"] for row in pool.rows_of(ID, "tools")] == shown
        with pytest.raises(RefusedError, match="its reviewed filters hide that tool"):
            pool.call_tool(ID, refused, {})


def test_a_server_that_is_switched_off_in_its_manifest_is_none(world: Any) -> None:
    world.bundle(more=f"{worlds.LOCAL}enabled = false\n")
    world.trust()
    with world.pool() as pool:
        assert pool.servers() == ()


def test_a_server_that_a_skill_declares_is_none_of_the_bundles(world: Any) -> None:
    inner = "mcpServers:\n  inner:\n    command: python3\n    args: [server.py]\n"
    world.bundle(files={"skills/hello/SKILL.md": f"---\nname: hello\ndescription: Greets.\n{inner}---\nHi.\n"})
    world.trust()
    (entry,) = world.start().registry.active()
    assert "server:inner" in {one.label for one in entry.admission.document.components}
    with world.pool() as pool:
        assert [server.id for server in pool.servers()] == [ID]


def test_what_is_trusted_anew_right_before_a_start_is_not_of_this_registry(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.bundle()
    world.trust()
    real = Host.supervisor

    def late(host: Host) -> Any:
        world.trust()
        return real(host)

    with world.pool() as pool:
        monkeypatch.setattr(Host, "supervisor", late)
        with pytest.raises(RefusedError) as refused:
            pool.call_tool(ID, "echo", {})
        assert refused.value.reason == "revoked-meanwhile"
        assert pool.descriptors() == ()


def test_a_call_that_takes_too_long_ends_the_server_and_nothing_late_is_delivered(world: Any, tmp_path: Path) -> None:
    world.bundle(more=f"{worlds.LOCAL}execute_timeout = 1\n")
    world.trust()
    with world.pool() as pool:
        before = worlds.text_of(pool.call_tool(ID, "look", {}))["pid"]
        with pytest.raises(SupervisorError, match="did not answer within 1 s") as failed:
            pool.call_tool(ID, "hang", {"marker": str(tmp_path / "marker")})
        assert "plugseal codewhale reload" in (failed.value.hint or "")
        assert not Path(f"/proc/{before}").exists()
        assert worlds.text_of(pool.call_tool(ID, "echo", {"n": 2})) == {"n": 2}


def test_a_required_server_that_can_not_start_fails_the_start(world: Any) -> None:
    world.bundle(more=f"{worlds.LOCAL}required = true\n", files={"server.py": "raise SystemExit(3)\n"})
    world.trust()
    with world.pool() as pool, pytest.raises(SupervisorError, match="failed to ask for the tools"):
        pool.connect_required()


def test_an_idle_server_is_ended_once_its_bundle_is_disabled(world: Any) -> None:
    world.bundle()
    record = world.trust()
    with world.pool() as pool:
        pid = worlds.text_of(pool.call_tool(ID, "look", {}))["pid"]
        assert not pool.heed()
        (descriptor,) = pool.descriptors()
        disable(record, world.store)
        assert select.select([descriptor], [], [], _HANG_SECONDS)[0] == [descriptor]
        assert pool.heed()
        assert pool.descriptors() == ()
        assert not Path(f"/proc/{pid}").exists()
    assert world.events()[-1] == ("stopped", "revoked-meanwhile")


def test_the_server_is_not_handed_what_nobody_reviewed(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_TOKEN", "value-of-the-source")
    monkeypatch.setenv("OTHER_TOKEN", "nobody-asked")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@proxy.invalid")
    world.bundle(more=f'{worlds.LOCAL}env = {{ TOKEN = "${{SOURCE_TOKEN}}" }}\n')
    world.trust()
    with world.pool() as pool:
        given = worlds.text_of(pool.call_tool(ID, "look", {}))["environment"]
    assert given["TOKEN"] == "value-of-the-source"
    assert not {"OTHER_TOKEN", "HTTPS_PROXY", "SOURCE_TOKEN", "CODEWHALE_HOME"} & set(given)


def test_nothing_is_left_after_a_pool(world: Any) -> None:
    world.bundle()
    world.trust()
    with world.pool() as pool:
        pool.rows("tools")
        below = descendants(os.getpid())
        assert below
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
    assert list((world.store.home / "run").iterdir()) == []


def test_the_fixture_finds_and_saves_notes(world: Any, tmp_path: Path) -> None:
    world.fixture("notes")
    world.trust("notes")
    (tmp_path / "saved").mkdir()
    name = "plugin-5-notes-desk"
    with world.pool() as pool:
        assert [row["name"] for row in pool.rows_of(name, "tools")] == ["find", "save"]
        found = pool.call_tool(name, "find", {"text": "release"})
        assert found["result"]["content"][0]["text"].splitlines() == [
            "release.md: # Release",
            "release.md: The release is on Thursday. Freeze on Tuesday.",
            "review.md: Every change has two readers. A release needs a third.",
        ]
        pool.call_tool(name, "save", {"folder": str(tmp_path / "saved"), "name": "new.md", "text": "kept"})
    assert (tmp_path / "saved" / "new.md").read_text() == "kept\n"
    assert world.events("notes") == [("started", ""), ("pinned", ""), ("ended", "")]

"""The registry of an agent: prune, append, collisions, and that nobody else's line is ever touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.errors import IntakeError, NothingToJudgeError, StateError
from plugseal.runtime.agent_plugins.files import open_agent
from plugseal.runtime.agent_plugins.records import build_line, build_record
from plugseal.runtime.agent_plugins.registry import build_registry, parse_registry, plan_registry
from tests.lingtai_agents import Agent, stdio, write_json

HUMAN = b'{"name": "greeter", "summary": "mine", "transport": "stdio", "source": "human", "command": "echo"}\n'
FOREIGN = (
    b'{"name": "cat", "summary": "s", "transport": "http", "source": "catalog", "url": "u"}\n'
    b"\n"
    b"{broken json\n"
    b'{"name": "x", "name": "y", "source": "plugin:gone"}\n'
    b"\xff\xfe not text\n"
    b'["no record"]\r\n'
)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def _names(agent: Agent) -> list[str]:
    return [record["name"] for record in agent.records()]


def test_registering_three_times_is_registering_once(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"greeter": stdio("node")}))
    done = [agent.refresh() for _ in range(3)]
    assert [one.appended for one in done] == [("greeter",), (), ()]
    assert [one.is_changed for one in done] == [True, False, False]
    assert _names(agent) == ["greeter"]


def test_a_changed_server_has_one_record_the_new_one(agent: Agent) -> None:
    folder = agent.plugin("alpha", {"greeter": stdio("node")})
    agent.declare(folder).refresh()
    agent.plugin("alpha", {"greeter": stdio("python3")})
    done = agent.refresh()
    assert (done.pruned, done.appended) == (("greeter",), ("greeter",))
    assert [record["command"] for record in agent.records()] == ["python3"]


def test_a_record_of_somebody_else_keeps_its_name_and_its_bytes(agent: Agent) -> None:
    agent.registry.write_bytes(HUMAN)
    agent.declare(agent.plugin("alpha", {"greeter": stdio("node"), "other": stdio("node")})).refresh()
    assert agent.registry.read_bytes().startswith(HUMAN)
    (row,) = agent.info()["registered"]
    assert row["mcp_registered"] == ["other"]
    assert "name already registered by 'human'" in row["skipped"][0]["reason"]


def test_of_two_plugins_the_first_declared_has_the_name(agent: Agent) -> None:
    first, second = (agent.plugin(name, {"greeter": stdio(name)}) for name in ("alpha", "beta"))
    agent.declare(first, second).refresh()
    rows = agent.info()["registered"]
    assert [row["mcp_registered"] for row in rows] == [["greeter"], []]
    assert rows[1]["skipped"] == [
        {"component": "mcp:greeter", "reason": "name already claimed by plugin 'alpha'"},
    ]
    assert [record["source"] for record in agent.records()] == ["plugin:alpha"]


def test_what_is_not_declared_any_more_goes_and_nothing_of_it_is_deleted(agent: Agent) -> None:
    folder = agent.plugin("alpha", {"greeter": stdio("node")})
    agent.skill(folder, "top")
    agent.registry.write_bytes(FOREIGN)
    agent.declare(folder).refresh()
    done = agent.declare().refresh()
    assert done.pruned == ("greeter",)
    assert agent.registry.read_bytes() == FOREIGN, "blank, broken and foreign lines stay byte for byte"
    assert (agent.info()["registered"], agent.section()) == ([], "")
    assert (folder / "skills/top/SKILL.md").exists()


def test_lines_that_are_no_records_are_told(agent: Agent) -> None:
    agent.registry.write_bytes(FOREIGN + HUMAN + HUMAN)
    agent.declare()
    told = [row["error"] for row in agent.info()["problems"]]
    assert [text.partition(":")[0] for text in told] == ["line 3", "line 4", "line 5", "line 6", "line 8"]
    assert "duplicate name" in told[-1]


def test_dropping_one_server_prunes_it_alone(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"a": stdio("node"), "b": stdio("node")})).refresh()
    agent.plugin("alpha", {"b": stdio("node")})
    assert agent.refresh().pruned == ("a",)
    assert _names(agent) == ["b"]


def test_where_nothing_is_declared_there_is_no_registry(agent: Agent) -> None:
    agent.declare().refresh()
    assert not agent.registry.exists()


def test_a_configuration_that_says_nothing_takes_nothing_away(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"greeter": stdio("node")})).refresh()
    agent.init = {"other": 1}
    done = agent.write_init().refresh()
    assert (done.is_changed, _names(agent)) == (False, ["greeter"])
    assert "takes nothing away" in done.problems[0]["error"]
    agent.init = {"manifest": {"capabilities": {}}}
    assert agent.write_init().refresh().pruned == ("greeter",)


def test_a_line_twice_becomes_one(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"greeter": stdio("node")})).refresh()
    agent.registry.write_bytes(agent.registry.read_bytes() * 2)
    agent.refresh()
    assert _names(agent) == ["greeter"]


def test_a_check_writes_nothing_and_a_prune_appends_nothing(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"a": stdio("node")})).refresh()
    agent.declare(agent.plugin("beta", {"b": stdio("node")}))
    before = agent.registry.read_bytes()
    done = agent.refresh(is_check=True)
    assert (done.pruned, done.appended, agent.registry.read_bytes()) == (("a",), ("b",), before)
    assert [row["name"] for row in agent.info()["registered"]] == ["alpha"], "the snapshot stays too"
    done = agent.refresh(is_prune=True)
    assert (done.pruned, done.appended, agent.records()) == (("a",), (), [])


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c", "\r", "\n"])
def test_a_record_is_one_line_for_every_reader(end: str, agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"greeter": stdio("node", f"a{end}b")}))
    agent.refresh()
    text = agent.registry.read_text("utf-8")
    assert len(text.splitlines()) == 1
    assert json.loads(text)["args"] == [f"a{end}b"]
    assert not agent.refresh().is_changed


def test_a_record_larger_than_a_line_may_be_is_skipped(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"greeter": stdio("node", "x" * 70_000)})).refresh()
    (row,) = agent.info()["registered"]
    assert "larger than 65,536 bytes" in row["skipped"][0]["reason"]
    assert not agent.registry.exists()


# The files themselves


@pytest.mark.parametrize("name", ["init.json", "mcp_registry.jsonl"])
def test_a_file_that_is_a_link_or_too_large_or_a_pipe_is_refused_and_left(name: str, agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"a": stdio("node")}))
    path, other = agent.folder / name, agent.root / "other"
    other.write_bytes(path.read_bytes() if path.exists() else b"")
    for make in (
        lambda: path.symlink_to(other),
        lambda: os.mkfifo(path),
        lambda: path.mkdir(),
        lambda: path.write_bytes(b" " * (4 * 1024 * 1024 + 1)),
    ):
        path.unlink(missing_ok=True)
        make()
        with pytest.raises(IntakeError, match=name):
            agent.refresh()
        if path.is_dir():
            path.rmdir()
    assert other.exists()


@pytest.mark.parametrize(
    "data",
    [b"{", b"\xff", b'{"manifest": {"plugins": []}, "manifest": {}}', b'{"a": NaN}', b"[" * 100_000],
    ids=["cut", "no text", "a key twice", "no number", "deep"],
)
def test_a_configuration_that_can_be_read_in_two_ways_changes_nothing(data: bytes, agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"a": stdio("node")})).refresh()
    before = agent.registry.read_bytes()
    (agent.folder / "init.json").write_bytes(data)
    with pytest.raises(IntakeError, match=r"init\.json"):
        agent.refresh()
    assert agent.registry.read_bytes() == before


def test_without_a_configuration_there_is_no_agent(agent: Agent, tmp_path: Path) -> None:
    with pytest.raises(NothingToJudgeError):
        agent.refresh()
    with pytest.raises(IntakeError), open_agent(tmp_path / "gone"):
        pass


def test_a_registry_that_somebody_changed_meanwhile_is_left_to_them(agent: Agent) -> None:
    agent.registry.write_bytes(HUMAN)
    with open_agent(agent.folder) as folder:
        before = folder.registry()
        with agent.registry.open("ab") as file:
            file.write(FOREIGN)
        with pytest.raises(StateError, match="meanwhile"):
            folder.replace_registry(before, b"")
    assert agent.registry.read_bytes() == HUMAN + FOREIGN
    assert sorted(path.name for path in agent.folder.iterdir()) == ["mcp_registry.jsonl"]


def test_a_registry_keeps_its_mode_and_a_new_one_is_private(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"a": stdio("node")})).refresh()
    assert agent.registry.stat().st_mode & 0o777 == 0o600
    agent.registry.chmod(0o644)
    agent.declare().refresh()
    assert agent.registry.stat().st_mode & 0o777 == 0o644


def test_a_snapshot_that_is_none_is_refused_and_made_anew_by_a_refresh(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha")).refresh()
    (file,) = (agent.store.home / "agent_plugins").iterdir()
    good = json.loads(file.read_bytes())
    for change in ({"format": "x"}, {"agent": "/other"}, {"plugins": [{}]}, {"more": 1}, {"declared": [1]}):
        write_json(file, good | change)
        with pytest.raises(StateError, match="snapshot"):
            agent.info()
    file.write_bytes(b"{")
    with pytest.raises(StateError, match="snapshot"):
        agent.info()
    agent.refresh()
    assert [row["name"] for row in agent.info()["registered"]] == ["alpha"]


# Laws


_WORDS = st.text(max_size=12)
_SPECS = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True),
    st.tuples(st.sampled_from(["alpha", "beta"]), st.lists(_WORDS, max_size=3)),
    max_size=5,
)


def _desired(specs: dict[str, tuple[str, list[str]]]) -> dict[str, dict[str, object]]:
    records = {
        name: build_record(plugin, name, {"type": "stdio", "command": "x", "args": words})[0]
        for name, (plugin, words) in specs.items()
    }
    return {name: record for name, record in records.items() if record is not None}


@given(before=_SPECS, after=_SPECS, noise=st.lists(st.binary(max_size=20).filter(lambda b: b"\n" not in b)))
def test_planning_the_result_again_changes_nothing_and_foreign_lines_stay(
    before: dict[str, tuple[str, list[str]]], after: dict[str, tuple[str, list[str]]], noise: list[bytes]
) -> None:
    rows = [*noise, *(build_line(record) for record in _desired(before).values())]
    plan = plan_registry(parse_registry(build_registry(rows)), _desired(after))
    assert list(plan.lines[: len(noise)]) == noise
    again = plan_registry(parse_registry(build_registry(plan.lines)), _desired(after))
    assert (again.lines, again.pruned, again.appended) == (plan.lines, (), ())

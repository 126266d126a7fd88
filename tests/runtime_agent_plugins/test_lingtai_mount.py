"""What is mounted of a package and why the rest is not: the manual's rules, and upstream's tests of them restated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lingtai_agents import PLUGIN_SCHEMA, Agent, stdio, write_json


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def _mounted(agent: Agent, folder: Path) -> dict[str, Any]:
    """Register one package and return its row."""
    agent.declare(folder).refresh()
    (row,) = agent.info()["registered"]
    return dict(row)


def _problems(agent: Agent) -> str:
    return "\n".join(row["error"] for row in agent.info()["problems"])


# The manifest


@pytest.mark.parametrize("name", ["my-plugin", "acme.tools", "lint3r", "a", "a" * 64])
def test_a_name_of_the_grammar_is_registered(name: str, agent: Agent) -> None:
    assert _mounted(agent, agent.plugin(name))["name"] == name


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        pytest.param({"$schema": None, "name": "a"}, "$schema", id="a null schema"),
        pytest.param({"name": "a"}, "$schema", id="no schema"),
        pytest.param({"$schema": PLUGIN_SCHEMA.replace("1.0.0", "2.0.0"), "name": "a"}, "unsupported $schema", id="v2"),
        pytest.param({"$schema": PLUGIN_SCHEMA}, "name", id="no name"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "My-Plugin"}, "name", id="upper case"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "-leading"}, "name", id="leading"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "trailing-"}, "name", id="trailing"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "a--b"}, "name", id="two hyphens"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "a..b"}, "name", id="two dots"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": ""}, "name", id="empty"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "a\n"}, "name", id="a final line end"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "a" * 65}, "name", id="too long"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "a", "keywords": "x"}, "keywords", id="keywords"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "a", "author": {"x": 1}}, "author", id="a field of an author"),
        pytest.param({"$schema": PLUGIN_SCHEMA, "name": "a", "version": 1}, "version", id="version"),
        pytest.param(["a"], "plugin.json", id="a list"),
    ],
)
def test_a_bad_manifest_rejects_the_whole_plugin(manifest: object, why: str, agent: Agent) -> None:
    folder = agent.plugin("broken", {"greeter": stdio("node")})
    agent.skill(folder, "top")
    write_json(folder / "plugin.json", manifest)
    agent.declare(folder).refresh()
    info = agent.info()
    assert (info["registered"], info["discovered"], agent.records()) == ([], [], [])
    assert not agent.registry.exists()
    (problem,) = info["problems"]
    assert why in problem["error"]


@pytest.mark.parametrize(
    "data", [b"{not json", b"\xff\xfe\x00", b"", b'{"a":' * 2000, b'{"name":"a","name":"a"}'], ids=range(5)
)
def test_a_manifest_that_can_not_be_read_is_a_problem_and_no_crash(data: bytes, agent: Agent) -> None:
    folder = agent.plugin("broken")
    (folder / "plugin.json").write_bytes(data)
    agent.declare(folder, agent.plugin("whole")).refresh()
    info = agent.info()
    assert [row["name"] for row in info["registered"]] == ["whole"]
    assert "cannot read plugin.json" in info["problems"][0]["error"]


def test_what_the_manifest_says_is_shown_and_cut(agent: Agent) -> None:
    folder = agent.plugin("alpha", version="1.2", description="x" * 300, homepage="https://a.example.invalid", odd=1)
    row = _mounted(agent, folder)
    assert (row["version"], row["summary"], row["homepage"]) == ("1.2", "x" * 199 + "…", "https://a.example.invalid")
    assert "odd" in _problems(agent), "a field that is ignored is told"


# Skills


def test_skills_are_listed_through_groups_and_never_copied(agent: Agent) -> None:
    folder = agent.plugin("alpha")
    for label in ("top", "group/nested", "group/deep/er"):
        agent.skill(folder, label)
    (folder / "skills/.hidden").mkdir()
    row = _mounted(agent, folder)
    assert row["skills"] == ["group/deep/er", "group/nested", "top"]
    assert (row["skill_count"], row["skills_mounted"], row["skipped"]) == (3, True, [])
    assert sorted(path.name for path in agent.folder.iterdir()) == ["init.json"]


def test_a_skill_that_leads_out_is_absent_everywhere_and_the_plugin_stays(agent: Agent, tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "stolen"
    outside.mkdir(parents=True)
    (outside / "SKILL.md").write_text("---\nname: stolen\n---\n")
    folder = agent.plugin("alpha")
    agent.skill(folder, "top")
    (folder / "skills/stolen").symlink_to(outside)
    row = _mounted(agent, folder)
    assert row["skills"] == ["top"]
    assert "stolen" in row["skipped"][0]["component"]
    assert "stolen" not in agent.section()


def test_loose_files_without_a_skill_are_told_as_corrupted(agent: Agent) -> None:
    folder = agent.plugin("alpha")
    agent.skill(folder, "top")
    (folder / "skills/bad").mkdir()
    (folder / "skills/bad/notes.txt").write_text("x")
    row = _mounted(agent, folder)
    assert row["skills"] == ["top"]
    assert (row["skipped"][0]["component"], "corrupted" in row["skipped"][0]["reason"]) == ("skills/bad", True)


@pytest.mark.parametrize(
    "capabilities",
    [{"capabilities": {"skills": None}}, {"disable": ["skills"]}],
    ids=["set to null", "disabled"],
)
def test_without_the_capability_skills_are_listed_and_not_mounted(
    capabilities: dict[str, object], agent: Agent
) -> None:
    folder = agent.plugin("alpha")
    agent.skill(folder, "top")
    agent.init["manifest"] |= capabilities
    row = _mounted(agent, folder)
    assert (row["skills"], row["skills_mounted"]) == (["top"], False)
    assert row["skipped"][0]["component"] == "skills/"


# Paths and tiers


def test_a_path_is_one_package_or_a_collection(agent: Agent) -> None:
    for name in ("one", "two", ".hidden"):
        agent.plugin(name.strip("."), below="all" if name[0] != "." else "all/.hidden")
    (agent.root / "all/no-plugin").mkdir()
    agent.declare("../all", agent.plugin("single"), "../missing").refresh()
    info = agent.info()
    assert [row["name"] for row in info["registered"]] == ["one", "two", "single"]
    paths = {raw: (row["exists"], row["plugins"]) for raw, row in info["paths"].items()}
    assert paths == {"../all": (True, 2), str(agent.root / "plugins/single"): (True, 1), "../missing": (False, 0)}
    assert "missing" in _problems(agent)


def test_a_path_may_be_absolute_or_of_a_home_folder(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(agent.root))
    agent.plugin("mine")
    agent.declare("~/plugins/mine").refresh()
    assert [row["source"] for row in agent.info()["registered"]] == [str((agent.root / "plugins/mine").resolve())]


def test_of_two_packages_of_one_name_the_first_is_there(agent: Agent) -> None:
    first, second = agent.plugin("alpha", version="1"), agent.plugin("alpha", below="other", version="2")
    agent.declare(first, second).refresh()
    assert [row["version"] for row in agent.info()["registered"]] == ["1"]
    assert "duplicate plugin name 'alpha'" in _problems(agent)


def test_declared_paths_come_canonical_first_each_once(agent: Agent) -> None:
    for name in "abc":
        agent.plugin(name)
    agent.init["manifest"]["capabilities"] = {"plugin": {"paths": ["../plugins/c", "../plugins/b"]}}
    agent.declare("../plugins/b", "../plugins/a").refresh()
    info = agent.info()
    assert info["declared"] == ["../plugins/b", "../plugins/a", "../plugins/c"]
    assert [row["name"] for row in info["registered"]] == ["b", "a", "c"]


@pytest.mark.parametrize("junk", [None, "x", [1, 2], [""], {}, [["a"]], ["a\0b"]], ids=repr)
def test_a_declaration_that_names_no_path_declares_nothing(junk: object, agent: Agent) -> None:
    agent.init["manifest"] = {"plugins": junk, "capabilities": {"plugin": {"paths": junk}}}
    agent.write_init().refresh()
    info = agent.info()
    assert (info["declared"], info["registered"]) == ([], [])
    assert (junk is None) == (info["problems"] == []), "what is junk is told"


def test_what_is_come_across_is_discovered_and_nothing_else(agent: Agent) -> None:
    found = agent.plugin("found", {"greeter": stdio("node")}, below="library")
    agent.skill(found, "top")
    own = agent.plugin("own", {"own": stdio("node")}, below="agent/plugin")
    agent.init["manifest"]["capabilities"] = {"skills": {"paths": ["../library"]}}
    agent.declare().refresh()
    info = agent.info()
    assert (info["registered"], info["mcp_appended"]) == ([], [])
    assert [(row["name"], row["skill_count"], row["mcp_server_count"]) for row in info["discovered"]] == [
        ("found", 1, 1),
        ("own", 0, 1),
    ]
    assert {row["source"] for row in info["discovered"]} == {str(found.resolve()), str(own.resolve())}
    assert not agent.registry.exists()


def test_a_declared_package_is_discovered_until_it_is_registered(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha")).refresh()
    agent.declare(agent.root / "plugins/alpha", agent.plugin("beta", {"b": stdio("node")}))
    info = agent.info()
    assert [row["name"] for row in info["registered"]] == ["alpha"]
    assert [row["name"] for row in info["discovered"]] == ["beta"]
    assert agent.records() == []


def test_a_registered_package_that_changed_since_is_told(agent: Agent) -> None:
    folder = agent.plugin("alpha", {"greeter": stdio("node")})
    assert _mounted(agent, folder)["name"] == "alpha"
    assert _problems(agent) == ""
    (folder / "server.py").write_text("# other\n")
    assert "it changed since it was registered" in _problems(agent)
    agent.refresh()
    assert _problems(agent) == ""


def test_the_keys_of_info_are_those_of_the_manual(agent: Agent) -> None:
    agent.declare(agent.plugin("alpha", {"greeter": stdio("node")})).refresh()
    info = agent.info()
    keys = "status declared registered_count registered discovered_count discovered mcp_appended mcp_pruned paths"
    assert list(info) == [*keys.split(), "problems"]
    row = "name version summary source skills skill_count skills_mounted mcp_servers mcp_server_count mcp_registered"
    assert set(info["registered"][0]) == {*row.split(), "skipped"}

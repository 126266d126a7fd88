"""Bounds of what one agent may bring: what is behind one is told and not looked at, and stops nothing before it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.errors import IntakeError
from plugseal.runtime.agent_plugins.init import MAX_PATHS
from plugseal.runtime.agent_plugins.registry import MAX_RECORDS
from plugseal.verbs.lingtai import read as lingtai_read
from tests.lingtai_agents import Agent, stdio


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def _many_paths(agent: Agent) -> None:
    agent.declare(*[f"../gone/{number}" for number in range(MAX_PATHS - 1)], "../plugins/good", "../plugins/last")


def _many_packages(agent: Agent) -> None:
    for number in range(3):
        agent.plugin(f"z{number}", below="plugins")
    agent.declare("../plugins")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        pytest.param(_many_paths, f"is behind {MAX_PATHS} others", id="declared paths"),
        pytest.param(_many_packages, "behind the first 2 are not looked at", id="packages of a collection"),
    ],
)
def test_what_is_behind_a_bound_is_told_and_not_looked_at(
    make: Callable[[Agent], None], told: str, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lingtai_read, "MAX_PACKAGES", 2)
    agent.plugin("good", {"greeter": stdio("node")})
    agent.plugin("last")
    make(agent)
    agent.refresh()
    info = agent.info()
    names = [row["name"] for row in info["registered"]]
    assert "good" in names
    assert len(names) <= 2
    assert any(told in problem["error"] for problem in info["problems"])


def test_a_registry_with_too_many_lines_is_refused_and_left(agent: Agent) -> None:
    agent.registry.write_bytes(b"\n" * (MAX_RECORDS + 1))
    agent.declare(agent.plugin("alpha", {"greeter": stdio("node")}))
    with pytest.raises(IntakeError, match="4,096 lines"):
        agent.refresh()
    assert agent.registry.read_bytes() == b"\n" * (MAX_RECORDS + 1)


def test_a_path_that_is_no_text_is_told_and_stops_nothing(agent: Agent) -> None:
    folder = agent.plugin("odd", {"greeter": stdio("node")}, below="all")
    os.rename(os.fsencode(folder), os.fsencode(folder) + b"\xff")
    agent.plugin("good", {"other": stdio("node")}, below="all")
    agent.declare("../all").refresh()
    info = agent.info()
    assert [row["name"] for row in info["registered"]] == ["good"]
    assert "its path is no text" in info["problems"][0]["error"]
    os.rename(os.fsencode(agent.folder), os.fsencode(agent.folder) + b"\xff")
    agent.folder = Path(os.fsdecode(os.fsencode(agent.folder) + b"\xff"))
    with pytest.raises(IntakeError, match="is no text"):
        agent.refresh()

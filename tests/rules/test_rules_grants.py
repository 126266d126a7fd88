"""What a grant that a text gives itself comes to is said as it is: any command, any code, or any request."""

from __future__ import annotations

import json

import pytest

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.scan.detectors.grants import look_for_unbound_sources, look_for_unrestricted_shell
from plugseal.systems.launching.pinning import build_package


def a_skill(allowed: str) -> Plugin:
    skill = Component(
        kind=ComponentKind.SKILL, name="a", file="a/SKILL.md", extra=(("front.allowed-tools", json.dumps(allowed)),)
    )
    return Plugin("claude-code", "sample", "", "", "a/SKILL.md", (skill,))


@pytest.mark.parametrize(
    ("allowed", "notes"),
    [
        pytest.param("Read, Bash", ["any command, unasked"], id="all"),
        pytest.param("Bash(node *) Bash(*)", ["any command, unasked"], id="all says more than one program"),
        pytest.param("Bash(node *) Bash(npx:*)", ["any code, by `node`, `npx`"], id="interpreters, once"),
        pytest.param("Bash(curl *)", ["any request and any download, by `curl`"], id="what sends and fetches"),
        pytest.param(
            "Bash(python3 *) Bash(wget *)",
            ["any code, by `python3`; any request and any download, by `wget`"],
            id="both",
        ),
        pytest.param("Bash(git status:*) Bash(node a.js)", [], id="single commands"),
    ],
)
def test_a_wide_grant_is_told_once_and_as_it_is(allowed: str, notes: list[str]) -> None:
    assert [hit.note for hit in look_for_unrestricted_shell(a_skill(allowed))] == notes


@pytest.mark.parametrize("system", ["claude-code", "codex", "cursor"])
def test_an_agent_grants_nothing_by_a_field_of_skills(system: str) -> None:
    agent = a_skill("Bash").components[0]._replace(kind=ComponentKind.AGENT, file="agents/a.md")
    assert list(look_for_unrestricted_shell(Plugin(system, "sample", "", "", "plugin.json", (agent,)))) == []


@pytest.mark.parametrize(
    ("image", "notes"),
    [
        pytest.param("${IMAGE:-docs:1.0.0}", [], id="a version where no variable is set"),
        pytest.param("${IMAGE:-docs:latest}", ["not pinned: docs:latest"], id="no version there either"),
        pytest.param("${IMAGE}", ["not pinned: ${IMAGE}"], id="whatever the environment says"),
    ],
)
def test_an_image_is_what_it_is_where_no_variable_is_set(image: str, notes: list[str]) -> None:
    packages = (build_package(image, "image"),)
    service = Component(
        kind=ComponentKind.SOURCE, name="service a", file="compose.yaml", trigger="command", packages=packages
    )
    found = look_for_unbound_sources(Plugin("tooling", "sample", "", "", "compose.yaml", (service,)))
    assert [hit.note for hit in found] == notes

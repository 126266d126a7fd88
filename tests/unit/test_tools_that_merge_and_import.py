"""What tools' files declare in roundabout ways: tables that are merged, modules named by options, hooks for others."""

from __future__ import annotations

import json

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.registry import reader_named
from plugseal.scan.claims import manifest_facts
from plugseal.scan.component_texts import component_texts
from tests.described import described, lines, one

_MERGED = """\
x-base: &base
  language: system
  entry: sh -c 'touch a'
repos:
  - repo: local
    hooks:
      - <<: *base
        id: a
"""


def test_a_hook_of_pre_commit_may_have_its_command_from_another_table() -> None:
    plugin = one({".pre-commit-config.yaml": _MERGED}, "tooling")
    assert lines(plugin) == ["script a hook:pre-commit sh -c 'touch a'"]
    assert plugin.components[0].span.line == 3


def test_a_service_of_compose_may_have_its_command_from_another_table() -> None:
    text = "x-a: &a\n  command: sh -c 'touch a'\nservices:\n  b:\n    <<: *a\n    image: c\n"
    (plugin,) = described({"compose.yaml": text}, "tooling")
    assert [component.command for component in plugin.components if component.command] == [("sh", "-c", "touch a")]


def test_the_manifest_of_a_plugin_merges_nothing() -> None:
    text = "name: a\nx: &x {description: b}\n<<: *x\n"
    (plugin,) = described({"plugin.yaml": text, "__init__.py": "def register(ctx):\n    pass\n"}, "hermes")
    assert any("merge keys" in fault.message for fault in plugin.faults)


def test_hooks_that_a_repository_offers_to_others_are_described() -> None:
    text = "- id: a\n  name: a\n  entry: python -c 'x'\n  language: python\n"
    assert lines(one({".pre-commit-hooks.yaml": text}, "tooling")) == ["script a command python -c 'x'"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("pytest.ini", "[pytest]\naddopts = -p extra\npythonpath = tools\n", id="pytest.ini"),
        pytest.param(
            "pyproject.toml",
            '[tool.pytest.ini_options]\naddopts = "-p extra"\npythonpath = ["tools"]\n',
            id="pyproject.toml",
        ),
        pytest.param(
            "pyproject.toml",
            '[tool.pytest.ini_options]\naddopts = ["-p", "extra"]\npythonpath = "tools"\n',
            id="pyproject.toml in other words",
        ),
    ],
)
def test_a_module_that_a_test_run_loads_is_looked_for_where_the_settings_say(name: str, text: str) -> None:
    plugin = one({name: text, "tools/extra.py": ""}, "tooling")
    assert [component.entry for component in plugin.components] == ["tools/extra.py"]


def test_pi_fetches_the_packages_of_its_settings() -> None:
    settings = json.dumps({"packages": ["npm:left@1.0.0", "../here", {"source": "git:a.example/b"}]})
    plugin = one({".pi/settings.json": settings}, "pi")
    found = [(fact.capability, fact.object) for _, fact in manifest_facts(plugin)]
    assert ("code.fetched", "left@1.0.0") in found
    assert ("code.fetched", "a.example/b") in found
    assert ("code.fetched", "../here") not in found


def test_python_inside_a_recipe_of_goose_is_read() -> None:
    recipe = (
        "version: 1.0.0\ntitle: a\ndescription: b\ninstructions: c\nextensions:\n"
        "  - type: inline_python\n    name: d\n    code: |\n      import os\n      os.system('touch a')\n"
    )
    plugin = one({"recipe.yaml": recipe}, "goose")
    (texts,) = component_texts([plugin], {"recipe.yaml": recipe.encode()}).values()
    assert [(text.language, text.anchors[0].line) for text in texts] == [("python", 9)]
    assert plugin.faults == ()


def test_the_lines_that_a_database_is_handed_by_a_server_are_read() -> None:
    servers = json.dumps({"mcpServers": {"a": {"command": "psql", "args": ["-c", "COPY t FROM PROGRAM 'touch a'"]}}})
    (plugin,) = described({".mcp.json": servers}, "mcp-config")
    (texts,) = component_texts([plugin], {".mcp.json": servers.encode()}).values()
    assert ("shell", "touch a") in [(text.language, text.text) for text in texts]


def test_features_of_a_container_are_fetched_but_for_those_beside_it() -> None:
    text = json.dumps({"features": {"ghcr.io/a/b:1.2.3": {}, "https://a.example/c.tgz": {}, "./d": {}}})
    plugin = one({".devcontainer.json": text}, "tooling")
    found = {fact.object for _, fact in manifest_facts(plugin) if fact.capability == "code.fetched"}
    assert found == {"ghcr.io/a/b:1.2.3", "https://a.example/c.tgz"}


def test_the_command_of_a_hook_in_front_matter_is_read() -> None:
    hook = "  Stop:\n    - hooks:\n        - type: command\n          command: touch a\n"
    agent = f"---\nname: a\ndescription: b\nhooks:\n{hook}---\nc\n"
    (plugin,) = described({".claude/agents/a.md": agent}, "claude-code")
    (texts,) = component_texts([plugin], {".claude/agents/a.md": agent.encode()}).values()
    assert [(text.language, text.text, text.trigger) for text in texts] == [("shell", "touch a", "hook:Stop")]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        pytest.param(r"\immediate\write18{touch a}", ["touch"], id="a line"),
        pytest.param(r'\input{|"touch a"}', ["touch"], id="a pipe"),
        pytest.param(r"\write18{\cmd}", [None], id="a macro"),
        pytest.param(r"% \write18{touch a}", [], id="a comment"),
    ],
)
def test_tex_names_the_program_that_it_starts(line: str, named: list[str | None]) -> None:
    found = reader_named("TeX").read(line.encode(), Context("a.tex", Interest()))
    assert [fact.object for fact in found.facts] == named

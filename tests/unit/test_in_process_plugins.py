"""Plugins that run inside their host: every module is marked as an entry with the host's full authority."""

from __future__ import annotations

import json

import pytest

from tests.described import described, lines, one

_AUTHORITY = '"full: runs inside the host; static evidence only"'


@pytest.mark.parametrize(
    ("files", "system", "entry", "trigger"),
    [
        pytest.param(
            {".opencode/plugin/a.ts": ""},
            "opencode",
            ".opencode/plugin/a.ts",
            "start",
            id="OpenCode, plugin",
        ),
        pytest.param(
            {".opencode/plugins/a.js": ""},
            "opencode",
            ".opencode/plugins/a.js",
            "start",
            id="OpenCode, plugins",
        ),
        pytest.param({".opencode/tool/a.ts": ""}, "opencode", ".opencode/tool/a.ts", "tool", id="OpenCode, a tool"),
        pytest.param(
            {"opencode.json": '{"plugin": ["./a.ts"]}', "a.ts": ""},
            "opencode",
            "a.ts",
            "start",
            id="OpenCode, by its path",
        ),
        pytest.param(
            {"package.json": '{"name": "p", "pi": {"extensions": ["./e/a.ts"]}}', "e/a.ts": ""},
            "pi",
            "e/a.ts",
            "start",
            id="Pi, a file",
        ),
        pytest.param(
            {"package.json": '{"name": "p", "pi": {"extensions": ["./e"]}}', "e/a/index.ts": ""},
            "pi",
            "e/a/index.ts",
            "start",
            id="Pi, a folder of folders",
        ),
        pytest.param({".pi/extensions/a.ts": ""}, "pi", ".pi/extensions/a.ts", "start", id="Pi, of a working folder"),
        pytest.param(
            {
                "openclaw.plugin.json": "{id: 'p'}",
                "package.json": '{"openclaw": {"extensions": ["./i.ts"]}}',
                "i.ts": "",
            },
            "openclaw",
            "i.ts",
            "start",
            id="OpenClaw",
        ),
        pytest.param(
            {"package.json": '{"name": "p", "openclaw": {"extensions": ["./i.ts"]}}', "i.ts": ""},
            "openclaw",
            "i.ts",
            "start",
            id="OpenClaw, by its package alone",
        ),
        pytest.param({"plugin.yaml": "name: p\n", "__init__.py": ""}, "hermes", "__init__.py", "import", id="Hermes"),
        pytest.param(
            {
                "pyproject.toml": '[project]\nname = "p"\n[project.entry-points."hermes_agent.plugins"]\np = "m:r"\n',
                "m.py": "",
            },
            "hermes",
            "m.py",
            "import",
            id="Hermes, a distribution",
        ),
    ],
)
def test_a_module_of_a_host_is_an_entry_with_full_authority(
    files: dict[str, str], system: str, entry: str, trigger: str
) -> None:
    (module,) = [c for c in one(files, system).components if c.kind.value == "module"]
    assert (module.entry, module.trigger, module.transport) == (entry, trigger, "in-process")
    assert dict(module.extra)["authority"] == _AUTHORITY
    assert module.gate


def test_packages_that_opencode_fetches_at_start_are_modules_with_what_fetches_them() -> None:
    plugin = one({"opencode.json": '{"plugin": ["pkg@1.0.0"]}'}, "opencode")
    assert lines(plugin) == ["module pkg@1.0.0 start bun add pkg@1.0.0"]
    assert plugin.components[0].gate == "none"


def test_what_a_package_of_opencode_asks_for_is_installed_at_start() -> None:
    plugin = one({".opencode/package.json": '{"dependencies": {"x": "1"}}', ".opencode/plugin/a.ts": ""}, "opencode")
    assert "script bun install start bun install" in lines(plugin)
    assert described({".opencode/package.json": '{"dependencies": {"x": "1"}}'}, "tooling") == []


@pytest.mark.parametrize(
    ("value", "sources", "literals"),
    [
        pytest.param("{env:KEY}", (("A", "KEY"),), (), id="a variable"),
        pytest.param("x-{env:KEY}", (("A", "KEY"),), (("A", "x-${env:KEY}"),), id="a variable among text"),
        pytest.param("plain", (("A", None),), (("A", "plain"),), id="a text"),
    ],
)
def test_variables_of_opencode_count_as_everywhere_else(
    value: str, sources: tuple[tuple[str, str | None], ...], literals: tuple[tuple[str, str], ...]
) -> None:
    text = json.dumps({"mcp": {"s": {"type": "local", "command": ["x"], "environment": {"A": value}}}})
    (server,) = one({"opencode.json": text}, "opencode").components
    assert server.literals == literals
    assert dict(server.environment).keys() == dict(sources).keys()
    assert (dict(server.environment)["A"] == "KEY") == (dict(sources)["A"] == "KEY" and not literals)


def test_a_module_that_is_built_later_has_no_entry() -> None:
    files = {"openclaw.plugin.json": '{"id": "p"}', "package.json": '{"openclaw": {"extensions": ["./dist/i.js"]}}'}
    (module,) = one(files, "openclaw").components
    assert (module.name, module.entry) == ("./dist/i.js", None)


def test_a_hook_of_openclaw_runs_its_handler_at_each_of_its_events() -> None:
    front = '---\nname: h\nmetadata: {"openclaw": {"events": ["command:new", "gateway:startup"]}}\n---\n'
    plugin = one({"h/HOOK.md": front, "h/handler.ts": ""}, "openclaw")
    assert [(c.trigger, c.entry) for c in plugin.components] == [
        ("hook:command:new", "handler.ts"),
        ("hook:gateway:startup", "handler.ts"),
    ]


def test_a_hook_without_a_handler_is_a_fault() -> None:
    (fault,) = one({"h/HOOK.md": "---\nname: h\n---\n"}, "openclaw").faults
    assert fault.message == "has no handler beside it"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param('{"kind": "brew", "formula": "x"}', "script install 0 install brew install x", id="brew"),
        pytest.param('{"kind": "node", "package": "x"}', "script install 0 install npm install -g x", id="node"),
        pytest.param(
            '{"kind": "go", "module": "a.invalid/x@v1"}',
            "script install 0 install go install a.invalid/x@v1",
            id="go",
        ),
        pytest.param('{"kind": "uv", "package": "x"}', "script install 0 install uv tool install x", id="uv"),
        pytest.param(
            '{"kind": "download", "url": "https://a.invalid/x"}',
            "source install 0 install https://a.invalid/x",
            id="download",
        ),
    ],
)
def test_what_a_skill_has_openclaw_install_is_shown(entry: str, expected: str) -> None:
    text = f'---\nname: s\ndescription: d\nmetadata: {{"openclaw": {{"install": [{entry}]}}}}\n---\nx\n'
    assert expected in lines(one({"s/SKILL.md": text}, "agent-skill"))


def test_a_helm_chart_is_no_plugin_of_hermes() -> None:
    assert described({"plugin.yaml": "name: diff\ncommand: x\n"}, "hermes") == []


def test_a_project_s_plugin_of_hermes_waits_for_a_variable_of_the_user() -> None:
    plugin = one({".hermes/plugins/p/plugin.yaml": "name: p\n", ".hermes/plugins/p/__init__.py": ""}, "hermes")
    assert plugin.components[0].gate == "HERMES_ENABLE_PROJECT_PLUGINS"

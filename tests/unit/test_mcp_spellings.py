"""MCP servers are the same in every spelling: names of files, keys of tables, lists, and formats."""

from __future__ import annotations

import json

import pytest

from tests.described import described, lines, one

_SERVER = {"command": "npx", "args": ["-y", "docs@1.2.3"]}
_JSON = json.dumps({"mcpServers": {"docs": _SERVER}})


@pytest.mark.parametrize(
    ("file", "text", "system"),
    [
        pytest.param(".mcp.json", _JSON, "mcp-config", id="of a project"),
        pytest.param("plugins/docs/mcp.json", json.dumps({"docs": _SERVER}), "mcp-config", id="the table alone"),
        pytest.param(".roo/mcp.json", _JSON, "mcp-config", id="in a client's folder"),
        pytest.param("claude_desktop_config.json", _JSON, "mcp-config", id="of a desktop app"),
        pytest.param("x/cline_mcp_settings.json", _JSON, "mcp-config", id="of an extension"),
        pytest.param("examples/my.mcp.json", _JSON, "mcp-config", id="a name that speaks of servers"),
        pytest.param("mcp.json", json.dumps({"servers": {"docs": _SERVER}}), "mcp-config", id="another key"),
        pytest.param(
            "mcp-servers.json", json.dumps({"mcpServers": [{"name": "docs", **_SERVER}]}), "mcp-config", id="a list"
        ),
        pytest.param(
            "mcp.json5",
            "{mcpServers: {docs: {command: 'npx', args: ['-y', 'docs@1.2.3']}}}",
            "mcp-config",
            id="JSON5",
        ),
        pytest.param(
            "mcp.yaml", "mcpServers:\n  docs:\n    command: npx\n    args: [-y, docs@1.2.3]\n", "mcp-config", id="YAML"
        ),
        pytest.param(
            "mcp.toml", '[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs@1.2.3"]\n', "mcp-config", id="TOML"
        ),
        pytest.param(".cursor/mcp.json", _JSON, "cursor", id="Cursor"),
        pytest.param(".vscode/mcp.json", json.dumps({"servers": {"docs": _SERVER}}), "vscode", id="VS Code"),
        pytest.param(".gemini/settings.json", _JSON, "gemini", id="Gemini"),
        pytest.param(
            ".codex/config.toml",
            '[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs@1.2.3"]\n',
            "codex",
            id="Codex",
        ),
        pytest.param(".kiro/settings/mcp.json", _JSON, "kiro", id="Kiro"),
        pytest.param(".windsurf/mcp_config.json", _JSON, "windsurf", id="Windsurf"),
        pytest.param(".github/mcp.json", _JSON, "copilot", id="Copilot"),
        pytest.param(
            "opencode.json",
            json.dumps({"mcp": {"docs": {"type": "local", "command": ["npx", "-y", "docs@1.2.3"]}}}),
            "opencode",
            id="OpenCode",
        ),
        pytest.param(".zed/settings.json", json.dumps({"context_servers": {"docs": _SERVER}}), "zed", id="Zed"),
        pytest.param(
            "recipes/x.yaml",
            "title: t\ndescription: d\nprompt: p\nextensions:\n"
            "  - {type: stdio, name: docs, cmd: npx, args: [-y, docs@1.2.3]}\n",
            "goose",
            id="Goose",
        ),
    ],
)
def test_a_server_is_the_same_in_every_spelling(file: str, text: str, system: str) -> None:
    found = [p for p in described({file: text}) if any(c.kind.value == "server" for c in p.components)]
    assert [plugin.system for plugin in found] == [system]
    (server,) = [component for component in found[0].components if component.kind.value == "server"]
    assert (server.name, server.command, server.transport) == ("docs", ("npx", "-y", "docs@1.2.3"), "stdio")
    assert server.gate
    assert not found[0].faults


@pytest.mark.parametrize(
    ("file", "text"),
    [
        pytest.param("mcp-results.json", '{"mcp": {"a": {"score": 1}}, "command": 1}', id="figures"),
        pytest.param("mcp.schema.json", '{"servers": {"a": {"command": "x"}}}', id="a schema"),
        pytest.param("server.json", '{"name": "web", "packages": ["a"]}', id="another product's server.json"),
        pytest.param("server.json", '{"port": 80}', id="settings of a server"),
        pytest.param("my-mcp.yaml", "servers: [a, b]\ncommand: x\n", id="a list of names"),
    ],
)
def test_what_only_has_the_name_is_none(file: str, text: str) -> None:
    assert described({file: text}, "mcp-config") == []


def test_an_entry_of_the_registry_says_how_clients_start_it() -> None:
    text = json.dumps(
        {
            "name": "invalid.example/docs",
            "version": "1.0.0",
            "packages": [
                {"registryType": "pypi", "identifier": "docs", "version": "1.0.0"},
                {
                    "registryType": "npm",
                    "identifier": "docs",
                    "packageArguments": [
                        {"type": "named", "name": "-m", "value": "x"},
                        {"type": "positional", "valueHint": "p"},
                    ],
                },
            ],
            "remotes": [{"type": "sse", "url": "https://docs.example.invalid/sse"}],
        }
    )
    plugin = one({"server.json": text}, "mcp-config")
    assert sorted(lines(plugin)) == [
        "server docs start npx -y docs -m x {p}",
        "server docs start uvx docs@1.0.0",
        "server remote 0 start https://docs.example.invalid/sse",
    ]


def test_code_that_makes_a_command_leaves_its_file_unread() -> None:
    plugin = one({"smithery.yaml": "startCommand:\n  type: stdio\n  commandFunction: (c) => ({})\n"}, "mcp-config")
    assert plugin.unknown == (("smithery.yaml", "startCommand.commandFunction"),)


_IMAGE = """
name: Docs
type: server
image: mcp/docs
about: {title: Docs}
run:
  command: [--root, /d]
  volumes: ["{{docs.path}}:/d"]
  user: "1"
config:
  secrets: [{name: docs.token, env: TOKEN}]
  env: [{name: MODE, value: fast}]
"""


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        pytest.param(
            "servers/docs/server.yaml",
            _IMAGE,
            ["server Docs start docker run -i --rm -e MODE -e TOKEN -v {{docs.path}}:/d -u 1 mcp/docs --root /d"],
            id="an image of Docker's catalog",
        ),
        pytest.param(
            "servers/docs/server.yaml",
            "name: docs\ntype: remote\nremote:\n  transport_type: sse\n  url: https://docs.example.invalid/sse\n",
            ["server docs start https://docs.example.invalid/sse"],
            id="an address of Docker's catalog",
        ),
        pytest.param(
            "servers/docs/server.yaml",
            "name: get\ntype: poci\ntools:\n  - {name: one, container: {image: curl, command: ['{{args|into}}']}}\n",
            ["tool get.one tool docker run -i --rm curl {{args|into}}"],
            id="a tool that is a container",
        ),
        pytest.param(
            "docker-mcp.yaml",
            "version: 2\nregistry:\n  docs: {type: server, image: 'mcp/docs@sha256:00', command: [serve]}\n",
            ["server docs start docker run -i --rm mcp/docs@sha256:00 serve"],
            id="a whole catalog",
        ),
        pytest.param(
            ".well-known/ai-plugin.json",
            json.dumps({"name_for_model": "docs", "api": {"type": "openapi", "url": "https://docs.example.invalid/a"}}),
            ["server docs tool https://docs.example.invalid/a"],
            id="a service with an OpenAPI document",
        ),
        pytest.param(
            ".well-known/agent-card.json",
            json.dumps(
                {
                    "name": "docs",
                    "protocolVersion": "0.3.0",
                    "skills": [],
                    "url": "https://docs.example.invalid/a",
                    "additionalInterfaces": [{"url": "https://docs.example.invalid/b", "transport": "GRPC"}],
                }
            ),
            ["server docs tool https://docs.example.invalid/a", "server docs 1 tool https://docs.example.invalid/b"],
            id="an agent card",
        ),
        pytest.param(
            "mcp_agent.config.yaml",
            "execution_engine: asyncio\nlogger: {level: info}\nmcp: {servers: {docs: {command: uvx, args: [docs]}}}\n",
            ["server docs start uvx docs"],
            id="a table inside the table",
        ),
    ],
)
def test_what_catalogs_and_services_say_is_a_server(file: str, text: str, expected: list[str]) -> None:
    plugin = one({file: text}, "mcp-config")
    assert sorted(lines(plugin)) == sorted(expected)
    assert plugin.unknown == ()
    assert not plugin.faults


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("server.yaml", "type: server\nport: 80\n"),
        ("config/server.yml", "server:\n  image: a\n"),
        ("agent.json", json.dumps({"name": "a", "url": "https://docs.example.invalid"})),
        ("docker-mcp.yaml", "services:\n  registry:\n    image: registry\n"),
    ],
)
def test_a_file_that_only_has_such_a_name_is_no_servers(file: str, text: str) -> None:
    assert described({file: text}, "mcp-config") == []


@pytest.mark.parametrize("spec", [{"transportType": "sse"}, {"transport": "streamable_http"}, {"type": "websocket"}])
def test_transports_are_known_in_every_spelling(spec: dict[str, str]) -> None:
    text = json.dumps({"mcpServers": {"docs": {"url": "https://docs.example.invalid/mcp", **spec}}})
    plugin = one({".mcp.json": text}, "mcp-config")
    assert not plugin.faults
    assert plugin.unknown == ()

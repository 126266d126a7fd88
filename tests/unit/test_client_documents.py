"""What clients run, read and grant by their own documents: a case for each place that is easily missed."""

from __future__ import annotations

import json

import pytest

from tests.described import described, line

_RUNS = "#!/bin/sh\nid\n"


def _told(files: dict[str, object], system: str) -> list[str]:
    """Return what a system tells of a tree: components with their entries, and each grant."""
    found = []
    for plugin in described({path: _text(value) for path, value in files.items()}, system):
        for component in plugin.components:
            entry = f" <{component.entry}>" if component.entry else ""
            found.append(line(component) + entry)
            found += json.loads(dict(component.extra).get("grant", "[]"))
        found += [f"? {file}: {keys}" for file, keys in plugin.unknown]
    return found


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_CLAUDE: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "servers of the preview",
        {
            ".claude/launch.json": {
                "version": "0.0.1",
                "configurations": [
                    {"name": "web", "runtimeExecutable": "npm", "runtimeArgs": ["run", "dev"], "port": 3000},
                    {"name": "api", "program": "server.js", "args": ["-x"], "cwd": "${workspaceFolder}"},
                ],
            },
            "server.js": "",
        },
        ["script web tool npm run dev", "script api tool node server.js -x <server.js>"],
    ),
    (
        "memory of an agent",
        {
            ".claude/agent-memory/a/MEMORY.md": "x",
            ".claude/agent-memory/a/more.md": "z",
            ".claude/agent-memory-local/a/MEMORY.md": "y",
        },
        ["instructions MEMORY prose", "instructions MEMORY prose"],
    ),
    ("the prompt of a bare loop", {".claude/loop.md": "x"}, ["command loop command"]),
    (
        "a server that is always loaded",
        {".claude/settings.json": {}, ".mcp.json": {"mcpServers": {"a": {"command": "x", "alwaysLoad": True}}}},
        ["server a start x"],
    ),
]
_CODEX: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "a layer of configuration that an agent's table names",
        {
            ".codex/config.toml": '[agents.a]\nconfig_file = "roles/a.toml"\n',
            ".codex/roles/a.toml": 'sandbox_mode = "danger-full-access"\n[mcp_servers.x]\ncommand = "x"\n',
        },
        [
            "setting agents.a.config_file start",
            "agent a prose",
            "setting sandbox_mode prose",
            "sandbox_mode = danger-full-access",
            "server x start x",
        ],
    ),
    (
        "a layer that nobody keeps",
        {".codex/config.toml": '[agents.a]\nconfig_file = "../a.toml"\n', "a.toml": ""},
        ["setting agents.a.config_file start", "? .codex/config.toml: agents.a.config_file"],
    ),
    (
        "shells and interpreters",
        {".codex/config.toml": 'zsh_path = "./z"\njs_repl_node_path = "./n"\n', "z": _RUNS},
        ["setting zsh_path start ./z <z>", "setting js_repl_node_path start ./n"],
    ),
    (
        "approvals of servers and the network",
        {
            ".codex/config.toml": '[mcp_servers.x]\ncommand = "x"\ndefault_tools_approval_mode = "approve"\n'
            '[mcp_servers.y]\ncommand = "y"\ndefault_tools_approval_mode = "prompt"\n'
            '[features.network_proxy]\nmode = "limited"\n[features.network_proxy.domains]\na = "allow"\nb = "deny"\n'
        },
        [
            "setting mcp_servers.x.default_tools_approval_mode start",
            "mcp_servers.x.default_tools_approval_mode = approve",
            "setting features.network_proxy.domains.a start",
            "features.network_proxy.domains.a = allow",
            "server x start x",
            "server y start y",
        ],
    ),
    (
        "names of files that stand for AGENTS.md",
        {".codex/config.toml": 'project_doc_fallback_filenames = ["TEAM.md"]\n', "TEAM.md": "x"},
        ["setting project_doc_fallback_filenames start", "instructions TEAM.md prose"],
    ),
]
_CURSOR: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "an image named as seen from the folder",
        {".cursor/environment.json": {"build": {"dockerfile": "Dockerfile"}}, ".cursor/Dockerfile": "FROM x\n"},
        ["script build install <.cursor/Dockerfile>"],
    ),
    (
        "hooks as seen from the folder, and from above it",
        {
            ".cursor/hooks.json": {"version": 1, "hooks": {"stop": [{"command": "./a.sh"}, {"command": "./b.sh"}]}},
            ".cursor/a.sh": _RUNS,
            "b.sh": _RUNS,
        },
        ["hook stop.0 hook:stop ./a.sh <.cursor/a.sh>", "hook stop.1 hook:stop ./b.sh <b.sh>"],
    ),
    (
        "a script for worktrees",
        {".cursor/worktrees.json": {"setup-worktree-unix": "s.sh"}, ".cursor/s.sh": _RUNS},
        ["script setup-worktree-unix open s.sh <.cursor/s.sh>"],
    ),
    ("rules of the reviewer", {".cursor/BUGBOT.md": "x"}, ["instructions .cursor/BUGBOT.md prose"]),
    (
        "an open network",
        {".cursor/sandbox.json": {"networkPolicy": {"default": "allow"}}},
        ["setting networkPolicy.default start", "networkPolicy.default = allow"],
    ),
]
_COPILOT: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "extensions of the command line",
        {".github/extensions/a/extension.mjs": "", ".github/extensions/b/other.mjs": ""},
        [
            "script a start node .github/extensions/a/extension.mjs <.github/extensions/a/extension.mjs>",
        ],
    ),
    (
        "a language server by a line for each shell",
        {".github/lsp.json": {"lspServers": {"u": {"bash": "./s.sh", "powershell": "./s.ps1"}}}, "s.sh": _RUNS},
        ["language-server u.bash open ./s.sh <s.sh>", "language-server u.powershell open ./s.ps1"],
    ),
]
_VSCODE: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "a sandbox that approves",
        {".vscode/mcp.json": {"servers": {"a": {"command": "x", "sandboxEnabled": True, "sandbox": {}}}}},
        ["server a start x"],
    ),
    (
        "how much is asked, and where telemetry goes",
        {
            ".vscode/settings.json": {
                "chat.permissions.default": "autopilot",
                "chat.agent.sandbox.enabled": "on",
                "chat.tools.terminal.blockDetectedFileWrites": "outsideWorkspace",
                "github.copilot.chat.otel.otlpEndpoint": "https://a.example",
            }
        },
        [
            "setting chat.permissions.default open",
            "chat.permissions.default = autopilot",
            "setting chat.agent.sandbox.enabled open",
            "chat.agent.sandbox.enabled = on",
            "setting github.copilot.chat.otel.otlpEndpoint open https://a.example",
        ],
    ),
]
_OPENCODE: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "packages of providers",
        {
            "opencode.json": {
                "provider": {
                    "a": {"npm": "a-sdk", "models": {"m": {"provider": {"npm": "@ai-sdk/openai"}}}},
                    "b": {"npm": "file://./b.js"},
                }
            },
            "b.js": "",
        },
        ["module a-sdk tool bun add a-sdk", "module file://./b.js tool <b.js>"],
    ),
    (
        "plugins of the screen",
        {
            ".opencode/tui.json": {"plugin": ["a"], "theme": "x"},
            "tui.json": {"tui": {"plugin": ["b", "file:///opt/c.js"]}},
        },
        ["module a start bun add a", "module b start bun add b", "module file:///opt/c.js start"],
    ),
    ("somebody else's settings of that name", {"tui.json": {"colors": {}}}, []),
    (
        "what is fetched, and the shell",
        {
            "opencode.json": {
                "shell": "./s",
                "skills": {"urls": ["https://a.example"]},
                "references": {"r": {"repository": "https://b.example/r"}, "h": {"host": "c.example"}},
                "mcp": {"m": {"enabled": False}},
            }
        },
        [
            "setting shell start ./s",
            "instructions https://a.example prose https://a.example",
            "source references.r start",
            "setting references.h start ssh://c.example",
            "server m start",
        ],
    ),
]
_GEMINI: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "a sandbox in parts",
        {
            ".gemini/settings.json": {
                "tools": {"sandbox": {"enabled": True, "command": "docker", "networkAccess": True}}
            },
            ".gemini/sandbox.bashrc": "",
        },
        [
            "setting tools.sandbox.command start docker",
            "setting tools.sandbox.networkAccess start",
            "tools.sandbox.networkAccess = true",
            "script sandbox.bashrc start <.gemini/sandbox.bashrc>",
        ],
    ),
    (
        "a server at a socket",
        {".gemini/settings.json": {"mcpServers": {"a": {"tcp": "a.example:1"}}}},
        ["server a start a.example:1"],
    ),
]
_KIRO: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "an agent: what it reads, what it need not ask for",
        {
            ".kiro/agents/a.json": {
                "name": "a",
                "prompt": "file://./p.md",
                "toolsSettings": {"shell": {"allowedCommands": [".*"], "deniedCommands": ["rm"]}},
                "hooks": {"stop": [{"command": "id", "timeout_ms": 1, "cache_ttl_seconds": 1}]},
            }
        },
        [
            "agent a prose",
            "setting toolsSettings.shell.allowedCommands tool",
            "toolsSettings.shell.allowedCommands = .*",
            "hook stop.0 hook:stop id",
        ],
    ),
    (
        "servers of powers, and language servers",
        {
            ".kiro/settings/mcp.json": {"mcpServers": {}, "powers": {"mcpServers": {"p": {"command": "x"}}}},
            ".kiro/settings/lsp.json": {"languages": {"l": {"command": "./l.sh", "args": ["-x"]}}},
            "l.sh": _RUNS,
        },
        ["server p start x", "language-server l open ./l.sh -x <l.sh>"],
    ),
]
_GOOSE: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "what runs after a failure, and other recipes",
        {
            "recipe.yaml": json.dumps(
                {
                    "title": "t",
                    "instructions": "i",
                    "retry": {"checks": [{"type": "shell", "command": "a"}], "on_failure": "b"},
                    "sub_recipes": [{"name": "s", "path": "s.yaml"}],
                }
            )
        },
        [
            "command instructions command",
            "command sub-recipe s command",
            "script check 0 command a",
            "script on_failure command b",
        ],
    ),
    (
        "a shared recipe in JSON",
        {"recipe.json": {"recipe": {"title": "t", "prompt": "p", "extensions": [{"type": "stdio", "cmd": "x"}]}}},
        ["command prompt command", "server 0 command x"],
    ),
    ("hints", {".goosehints": "x"}, ["instructions .goosehints prose"]),
    ("somebody else's recipe", {"recipes/cake.json": {"title": "Cake", "steps": []}}, []),
]
_CONTINUE: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "a configuration",
        {
            ".continue/agents/a.yaml": json.dumps(
                {
                    "models": [{"name": "m", "apiBase": "https://a.example"}, {"uses": "b/m"}],
                    "mcpServers": [{"name": "s", "command": "x", "connectionTimeout": 1}, {"uses": "b/s"}],
                    "rules": ["r"],
                    "requestOptions": {"verifySsl": False},
                }
            )
        },
        [
            "setting models.0.apiBase start https://a.example",
            "source b/m start",
            "server s start x",
            "source b/s start",
            "instructions rules.0 prose",
            "setting requestOptions.verifySsl start",
            "requestOptions.verifySsl = false",
        ],
    ),
    (
        "servers of other forms, and the file beside",
        {
            ".continue/mcpServers/a.json": {"mcpServers": {"a": {"command": "x"}}},
            ".continuerc.json": {
                "systemMessage": "s",
                "experimental": {"modelContextProtocolServers": [{"transport": {"type": "stdio", "command": "y"}}]},
            },
        },
        ["server a start x", "setting systemMessage start", "server 0 start y"],
    ),
]
_AIDER: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "lines that lint and test",
        {
            ".aider.conf.yml": json.dumps(
                {"lint-cmd": ["python: ./l.sh", "x"], "test-cmd": "./t.sh", "auto-test": True, "set-env": ["A=b"]}
            ),
            "l.sh": _RUNS,
        },
        [
            "hook lint-cmd hook:edit ./l.sh <l.sh>",
            "hook lint-cmd hook:edit x",
            "hook test-cmd hook:edit ./t.sh",
            "setting auto-test start",
            "auto-test = true",
            "setting set-env start",
        ],
    ),
]
_WINDSURF: list[tuple[str, dict[str, object], list[str]]] = [
    (
        "a hook in a folder of its own",
        {
            ".windsurf/hooks.json": {
                "hooks": {"pre_run_command": [{"command": "bash x.sh", "working_directory": "sub"}]}
            },
            "sub/x.sh": _RUNS,
        },
        ["hook pre_run_command.0 hook:pre_run_command bash x.sh <sub/x.sh>"],
    ),
]
_CASES = [
    pytest.param(system, files, expected, id=f"{system}: {name}")
    for system, cases in (
        ("claude-code", _CLAUDE),
        ("codex", _CODEX),
        ("cursor", _CURSOR),
        ("copilot", _COPILOT),
        ("vscode", _VSCODE),
        ("opencode", _OPENCODE),
        ("gemini", _GEMINI),
        ("kiro", _KIRO),
        ("goose", _GOOSE),
        ("continue", _CONTINUE),
        ("windsurf", _WINDSURF),
        ("aider", _AIDER),
    )
    for name, files, expected in cases
]


@pytest.mark.parametrize(("system", "files", "expected"), _CASES)
def test_a_client_s_own_documents_are_followed(system: str, files: dict[str, object], expected: list[str]) -> None:
    assert sorted(_told(files, system)) == sorted(expected)


@pytest.mark.parametrize(
    ("key", "gate"),
    [
        pytest.param("processWrapper", "never: counts in the user's or managed settings alone", id="of the user"),
        pytest.param("apiKeyHelper", "folder trust; none with -p", id="of any file"),
    ],
)
def test_a_key_that_counts_elsewhere_alone_says_so(key: str, gate: str) -> None:
    (plugin,) = described({".claude/settings.json": json.dumps({key: "./x"})}, "claude-code")
    assert [component.gate for component in plugin.components] == [gate]

"""The surfaces of systems that say none themselves, as rows of text: `file | key | what runs | when | gate | source`.

Data for the page of formats alone; what the systems find is in their own files. `none` as a gate means that nothing is
asked; `?` that nobody has said.
"""

from __future__ import annotations

from typing import Final

from plugseal.systems.surface import Surface

_ROWS: Final[dict[str, str]] = {
    "agent-plugins": """
plugin.json | | the manifest: nothing runs | load | the client's own | https://agent-plugins.org
mcp.json | mcpServers.* | an MCP server | start | the client's own | https://agent-plugins.org
skills/*/SKILL.md | | prose | on use | the client's own | https://agentskills.io/specification
""",
    "agent-skill": """
SKILL.md | | prose | on use | the client's own | https://agentskills.io/specification
SKILL.md | allowed-tools | grants tools without asking | on use | none | https://agentskills.io/specification
""",
    "aider": """
.aider.conf.yml | lint-cmd, test-cmd, notifications-command | a shell line | after each edit, end of a turn | none | https://aider.chat/docs/config/aider_conf.html
.aider.conf.yml | openai-api-base, set-env, yes-always, read, load, message | sends the conversation there; variables; answers for the user; files before the model | start | none | https://github.com/Aider-AI/aider/blob/main/aider/args.py
""",
    "amazonq": """
.amazonq/mcp.json, .amazonq/default.json | mcpServers.* | an MCP server | start | approval of each server | https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/command-line-mcp.html
.amazonq/cli-agents/*.json | mcpServers.*, hooks.*, allowedTools | an MCP server; a command by a shell; grants tools | start, its event | none | https://github.com/aws/amazon-q-developer-cli/blob/main/docs/agent-format.md
.amazonq/rules | | prose | always in context | none | https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/context-project-rules.html
""",
    "amber": """
.amber/plugins/*/manifest.json | main | a program that speaks JSON lines | tool call | switched on by the user | docs/reference/systems.md
""",
    "amness": """
.amness/plugins/*.{ts,js} | | code in the host's own process | load, hooks, tools | approval of its fingerprint | docs/reference/systems.md
""",
    "amp": """
.amp/settings.json, .amp/settings.jsonc | amp.mcpServers.* | an MCP server | start | approval of each server | https://ampcode.com/manual#configuration
.amp/settings.json, .amp/settings.jsonc | amp.permissions, amp.dangerouslyAllowAll | grants tools; a program that decides | start, each tool call | none | https://ampcode.com/manual/appendix#permissions-configuration
.amp/settings.json, .amp/settings.jsonc | amp.toolbox.path | programs that are tools | start | none | https://ampcode.com/manual#toolboxes
.amp/plugins/*.ts | | code in the host's own process | load | none | https://ampcode.com/manual
""",
    "antigravity": """
.agents/plugins/*/plugin.json, .agents/hooks.json | hooks.* | a command by a shell | its event | workspace trust | https://antigravity.google/docs
.agents/mcp_config.json | mcpServers.* | an MCP server | start | workspace trust | https://antigravity.google/docs
.agents/rules, .agents/workflows | | prose | always in context, on invoke | workspace trust | https://antigravity.google/docs
""",
    "augment": """
.augment/settings.json, .augment/settings.local.json | hooks.* | a command by a shell | its event | none | https://docs.augmentcode.com/cli/hooks
.augment/settings.json, .augment/settings.local.json | mcpServers.* | an MCP server | start | none | https://docs.augmentcode.com/cli/integrations
.augment/settings.json, .augment/settings.local.json | toolPermissions | grants tools; a script or an address that decides | start, each tool call | none | https://docs.augmentcode.com/cli/permissions
.augment/rules, .augment/commands, .augment/agents, .augment-guidelines | | prose | always in context, on invoke | none | https://docs.augmentcode.com/cli/rules
""",
    "codewhale": """
plugin.toml | mcp.*, skills | an MCP server; prose | start | trust of its hash | docs/reference/codewhale.md
""",
    "coding": """
coding-plugin.json | command | a program | start | ? | docs/reference/coding-plugin.md
""",
    "codex": """
.codex-plugin/plugin.json, hooks/hooks.json | hooks.* | a command by a shell; prompts and agents are read and not run | its event | install, and approval of each hook's hash | https://developers.openai.com/codex/hooks
.codex-plugin/plugin.json, .mcp.json, mcp.json | mcpServers.* | an MCP server | start | install | https://developers.openai.com/codex/config-reference
.app.json | apps.* | a remote app | start | install, and sign-in to the app | https://developers.openai.com/codex/config-reference
.codex/config.toml | mcp_servers.* | an MCP server | start | project trust | https://developers.openai.com/codex/config-reference
.codex/config.toml, .codex/hooks.json | hooks.* | a command by a shell | its event | project trust, and approval of each hook's hash | https://developers.openai.com/codex/hooks
.codex/config.toml | agents.*.config_file | a layer of configuration of its own, with servers and instructions | an agent is spawned | project trust | https://developers.openai.com/codex/config-reference
.codex/config.toml | model_instructions_file, model_catalog_json, project_doc_fallback_filenames | files before the model | always in context | project trust | https://developers.openai.com/codex/config-reference
.codex/config.toml | zsh_path, js_repl_node_path | the shell or interpreter of commands | each command | project trust | https://developers.openai.com/codex/config-reference
.codex/config.toml | notify | a program | end of a turn | project trust | https://developers.openai.com/codex/config-reference
.codex/config.toml | model_providers.*.base_url, openai_base_url | sends the conversation there | every turn | project trust | https://developers.openai.com/codex/config-reference
.codex/config.toml | approval_policy, sandbox_mode, projects.*.trust_level, features.network_proxy.*, mcp_servers.*.default_tools_approval_mode | sets how much is asked | start | project trust | https://developers.openai.com/codex/config-reference
.agents/plugins/marketplace.json | plugins.*.source | fetches a plugin | install | install | https://developers.openai.com/codex/config-reference
""",
    "continue": """
.continue/mcpServers/*.{yaml,json}, .continue/agents/*.yaml, .continuerc.json | mcpServers.* | an MCP server | start | none | https://docs.continue.dev/customize/deep-dives/mcp
.continue/agents/*.yaml, .continue/models/*.yaml, .continuerc.json | models.*.apiBase, data.*.destination, requestOptions.proxy, env | sends the conversation there; variables | every turn | none | https://docs.continue.dev/reference
.continue/agents/*.yaml | *.uses | a block that is fetched by its name | start | none | https://docs.continue.dev/reference
.continue/rules, .continue/prompts, .continuerules | | prose | always in context, on invoke | none | https://docs.continue.dev/customize/deep-dives/rules
""",
    "copilot": """
plugin.json, .plugin/plugin.json, .github/plugin/plugin.json | hooks, mcpServers, lspServers | hooks, MCP and language servers | its event, start | install | https://docs.github.com/copilot
.github/extensions/*/extension.mjs, extension.cjs | | a program by Node, with tools and hooks of its own | start | folder trust; none for the agent on GitHub | https://github.com/github/copilot-sdk/blob/main/nodejs/docs/extensions.md
.github/lsp.json | lspServers.* | a language server; `bash`, `powershell` by a shell | a file of its kind is opened | folder trust; none for the agent on GitHub | https://docs.github.com/en/copilot/reference/cli-command-reference
.github/copilot/settings.json, .github/copilot/settings.local.json | hooks.*, statusLine.command, extraKnownMarketplaces, enabledPlugins | a command by a shell; places that plugins come from | its event, start | folder trust; none for the agent on GitHub | https://docs.github.com/en/copilot/reference/cli-command-reference
.github/agents/*.agent.md | hooks, mcp-servers | hooks and MCP servers of an agent | on spawn | none | https://code.visualstudio.com/docs/copilot/customization/custom-agents
.github/copilot-instructions.md, .github/instructions, .github/prompts, .github/chatmodes | | prose | always in context, on invoke | none | https://code.visualstudio.com/docs/copilot/customization/overview
.github/hooks/*.json | command, windows, linux, osx, bash, powershell, url, prompt | a command by a shell; a request; a prompt | its event | folder trust; none for the agent on GitHub | https://docs.github.com/copilot
.github/mcp.json | mcpServers.* | an MCP server | start | folder trust; none for the agent on GitHub | https://docs.github.com/copilot
""",
    "crush": """
crush.json, .crush.json | mcp.*, lsp.*, hooks.* | an MCP server; a language server; a command by a shell | start, a file is opened, its event | none | https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md
crush.json, .crush.json | $(…) in any value | a line for a shell | start | none | https://github.com/charmbracelet/crush/blob/main/docs/config/README.md
crush.json, .crush.json | permissions.allowed_tools, env, providers.*.base_url, options.context_paths | grants tools; variables; sends the conversation there; files before the model | start | none | https://github.com/charmbracelet/crush/blob/main/schema.json
crushrc, .crushrc | | a shell script | start | none | https://github.com/charmbracelet/crush/blob/main/docs/config/README.md
""",
    "cursor": """
.cursor-plugin/plugin.json, hooks/hooks.json | hooks.* | a command by a shell; a prompt | its event | install | https://cursor.com/docs/plugins
.cursor-plugin/plugin.json, mcp.json | mcpServers.* | an MCP server | start | install, and approval of each server | https://cursor.com/docs/plugins
.cursor/hooks.json | hooks.* | a command by a shell | its event, opening the folder among them | workspace trust | https://cursor.com/docs/hooks
.cursor/mcp.json | mcpServers.* | an MCP server | start | approval of each server | https://cursor.com/docs/mcp
.cursor/worktrees.json | setup-worktree, setup-worktree-unix, setup-worktree-windows | a shell line or a script | an agent is given a worktree | workspace trust | https://cursor.com/docs/configuration/worktrees
.cursor/permissions.json, .cursor/cli.json | mcpAllowlist, terminalAllowlist, autoRun, permissions.allow | grants tools and commands | start | workspace trust | https://cursor.com/docs/cli/reference/permissions
.cursor/sandbox.json | networkPolicy, additionalReadwritePaths, type | what sandboxed commands may reach | each shell command | workspace trust | https://cursor.com/docs/agent/terminal
.cursor/commands, .cursor/agents | | prose | on invoke, on spawn | workspace trust | https://cursor.com/docs/agent/chat/commands
.cursor/BUGBOT.md | | prose | a change is reviewed | none: Bugbot reads it when it reviews a change | https://cursor.com/docs/bugbot
.cursor/environment.json | install, start, terminals, build.dockerfile | a shell line, an image | start of a cloud agent | none: a cloud agent runs it on its own machine | https://cursor.com/docs/cloud-agent/setup
.cursorrules, .cursor/rules/*.mdc | | prose | always in context | none | https://cursor.com/docs/rules
""",
    "devin": """
.devin/hooks.json, .devin/hooks.v1.json, .devin/config.json, .devin/mcp.json | hooks.*, mcpServers.*, permissions.allow | a command by a shell; an MCP server; grants tools | its event, start | workspace trust | https://docs.devin.ai/cli/reference/configuration/config-file
.devin-plugin/plugin.json, hooks.json, .mcp.json | hooks.*, mcpServers.*, requiredPlugins | a command by a shell; an MCP server; further plugins | its event, start, install | install | https://docs.devin.ai/cli/extensibility/plugins
""",
    "github-actions": """
.github/workflows/*.yml, action.yml | jobs.*.steps.*.run | a shell line on a build server | the workflow's event | the repository's owner | https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
.github/workflows/*.yml, action.yml | jobs.*.steps.*.uses | fetches and runs an action on a build server | the workflow's event | the repository's owner | https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
""",
    "goose": """
recipe.yaml, recipe.json, recipes (*.yaml, *.json) | extensions.*, retry.checks, retry.on_failure, sub_recipes | an MCP server; a shell line; another recipe | the user starts the recipe | the user starts the recipe | https://github.com/aaif-goose/goose/blob/main/crates/goose/src/recipe/mod.rs
.goosehints | | prose | always in context | none | https://block.github.io/goose/docs
""",
    "grok": """
.grok-plugin/plugin.json, .grok/hooks/*.json | hooks.* | a command by a shell | its event | folder trust | https://docs.x.ai
.grok-plugin/plugin.json, .grok/mcp.json | mcpServers.* | an MCP server | start | folder trust | https://docs.x.ai
""",
    "muse": """
.muse/hooks.json, .muse/mcp.json | hooks.*, mcpServers.* | a command by a shell; an MCP server | its event, start | folder trust | ?
""",
    "factory": """
.factory/hooks.json, .factory/hooks/hooks.json, .factory/settings.json | hooks.* | a command by a shell | its event | folder trust | https://docs.factory.ai/harness/hooks
.factory/mcp.json | mcpServers.* | an MCP server | start | folder trust | https://docs.factory.ai/cli/configuration/mcp
.factory/settings.json, .factory/settings.local.json | commandAllowlist, autonomyMode, customModels | grants commands; sets how much is asked; sends the conversation there | start | folder trust | https://docs.factory.ai/cli/configuration/settings
.factory/droids, .factory/commands | | prose; programs | on spawn, on invoke | folder trust | https://docs.factory.ai/cli/configuration/custom-droids
""",
    "gemini": """
gemini-extension.json | mcpServers.* | an MCP server | start | install, with consent | https://github.com/google-gemini/gemini-cli
gemini-extension.json | migratedTo | another source for updates | update | none: updates follow it unasked | https://github.com/google-gemini/gemini-cli
hooks/hooks.json | hooks.* | a command by a shell | its event | install, with consent | https://github.com/google-gemini/gemini-cli
commands/**/*.toml | prompt: !{…} | a shell line | on invoke | asks before the line runs | https://github.com/google-gemini/gemini-cli
.gemini/settings.json | mcpServers.*, hooks.*, tools.discoveryCommand, tools.callCommand, tools.sandbox.* | servers, hooks, tools by a command, the sandbox | start | folder trust, which is off by default | https://github.com/google-gemini/gemini-cli/blob/main/schemas/settings.schema.json
.gemini/.env | | variables of the client | start | folder trust, which is off by default | https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md
.gemini/sandbox.bashrc, .gemini/sandbox.Dockerfile | | a shell script; an image | start, install | folder trust, which is off by default; the user switched the sandbox on | https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/sandbox.md
.gemini/policies/*.toml | rule.*.decision = allow | grants tools | tool call | never in newer releases, which read policies of a folder no more | https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/policy-engine.md
.gemini/agents, .gemini/commands, GEMINI.md | | prose | on spawn, on invoke, always in context | folder trust, which is off by default | https://github.com/google-gemini/gemini-cli/blob/main/docs/core/subagents.md
""",
    "dify": """
manifest.yaml | meta.runner | a program of Python | start | installed in a workspace by who may | https://docs.dify.ai/en/develop-plugin/features-and-specs/plugin-types/plugin-info-by-manifest
manifest.yaml | plugins.*, and the files that these name | classes of the program | start, tool call | installed in a workspace by who may | https://docs.dify.ai/en/develop-plugin/features-and-specs/plugin-types/plugin-info-by-manifest
""",
    "hermes": """
plugin.yaml, __init__.py | register | code in the host's own process | load | switched on by the user | https://github.com/NousResearch/hermes-agent
.hermes/plugins/* | register | code in the host's own process | load | HERMES_ENABLE_PROJECT_PLUGINS | https://github.com/NousResearch/hermes-agent
""",
    "kilo": """
kilo.json, kilo.jsonc, .kilo/kilo.jsonc | plugin, mcp.*, lsp.*, formatter.*, permission | packages, MCP and language servers, formatters; grants tools | start | none | https://kilo.ai/docs/automate/mcp/using-in-kilo-code
.kilo/plugin/*.{js,ts}, .kilo/tool/* | | code in the host's own process | start, tool call | none | https://kilo.ai/docs/code-with-ai/platforms/cli
""",
    "kimi": """
.kimi-plugin/plugin.json, kimi.plugin.json | hooks, mcpServers.*, sessionStart | a command by a shell; an MCP server; a skill in every session | its event, start | install | https://moonshotai.github.io/kimi-code/en/customization/plugins.html
""",
    "kiro": """
POWER.md, mcp.json, .kiro/settings/mcp.json | mcpServers.* | an MCP server | start | workspace trust, and enabled | https://kiro.dev/docs
.kiro/hooks/* | | a prompt or a command | its event | workspace trust | https://kiro.dev/docs/hooks
.kiro/agents/*.json | mcpServers.*, hooks.*, allowedTools, toolsSettings, prompt, resources | an MCP server; a command by a shell; grants tools; files before the model | start, its event | workspace trust | https://kiro.dev/docs/cli/custom-agents/configuration-reference
.kiro/settings/lsp.json | languages.*.command | a language server | a file of its kind is opened | workspace trust | https://kiro.dev/docs/cli/code-intelligence
.kiro/steering | | prose | always in context | workspace trust | https://kiro.dev/docs/steering
""",
    "mcp-config": """
.mcp.json, mcp.json, claude_desktop_config.json, … | mcpServers.*, servers.* | an MCP server | start | differs by client | https://modelcontextprotocol.io
server.json | packages.*, remotes.* | an MCP server | start | the user installs it from a registry | https://github.com/modelcontextprotocol/registry
server.yaml, docker-mcp.yaml | image, run.*, remote.url, tools.*.container | a container with mounts and variables, an MCP server | start, tool call | the user enables it in the catalog | https://github.com/docker/mcp-registry
ai-plugin.json, agent-card.json | api.url, url, supportedInterfaces.*.url | a remote service | tool call | the user adds the service | https://a2a-protocol.org/latest/specification/
mcp_agent.config.yaml | mcp.servers.* | an MCP server | start | ? | https://github.com/lastmile-ai/mcp-agent
""",
    "mcpb": """
*.mcpb, *.dxt: manifest.json | server.mcp_config | an MCP server in a child of the app | start | the app's dialog at install | https://github.com/modelcontextprotocol/mcpb
""",
    "omp": """
.omp-plugin/plugin.json, .mcp.json | hooks.*, mcpServers.*, extensions | a command by a shell; an MCP server; code in the host's own process | its event, start, load | install | https://github.com/can1357/oh-my-pi
""",
    "openclaw": """
openclaw.plugin.json, package.json#openclaw.extensions | | code in the host's own process | load | install, acknowledged, and enabled | https://docs.openclaw.ai
HOOK.md, handler.ts | | code in the host's own process | its event | install, acknowledged, and enabled | https://docs.openclaw.ai
SKILL.md | metadata.openclaw.install | installs packages, downloads | use of the skill | install, acknowledged, and enabled | https://docs.openclaw.ai
""",
    "opencode": """
.opencode/plugin/*.{js,ts}, .opencode/tool/* | | code in the host's own process | start, tool call | none | https://opencode.ai/docs
opencode.json | plugin, mcp.*, lsp.*, formatter.* | packages, MCP and language servers, formatters | start | none | https://opencode.ai/docs
opencode.json | provider.*.npm, provider.*.models.*.provider.npm | a package or a file, loaded into the host's own process | a model of it is used | none | https://opencode.ai/docs/providers
opencode.json | shell, skills.urls, references.* | the shell of commands; skills and repositories that are fetched | start | none | https://opencode.ai/docs/config
tui.json, .opencode/tui.json | plugin | packages and files, loaded into the host's own process | start | none | https://opencode.ai/docs/plugins
.opencode/command/*.md, opencode.json | !`line` | a line for a shell | on invoke | none | https://opencode.ai/docs/commands
.opencode/package.json | dependencies | packages, installed with their scripts | start | none | https://opencode.ai/docs
""",
    "pi": """
package.json#pi, .pi/extensions/* | | code in the host's own process | start | ? | https://github.com/badlogic/pi-mono
""",
    "qwen": """
qwen-extension.json | mcpServers.*, hooks, lspServers.*, channels.* | an MCP or language server; a command by a shell; code in the host's own process | start, its event, load | install, with consent | https://qwenlm.github.io/qwen-code-docs/en/users/extension/introduction
.qwen/settings.json | mcpServers.*, hooks.*, tools.discoveryCommand, env, modelProviders.* | servers, hooks, tools by a command, variables; sends the conversation there | start | folder trust, which is off by default | https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings
.qwen/commands, .qwen/agents, .qwen/rules, .qwen/output-styles | | prose | on invoke, always in context | folder trust, which is off by default | https://qwenlm.github.io/qwen-code-docs/en/users/features/commands
""",
    "theia": """
.theia/settings.json | ai-features.mcp.mcpServers.* | an MCP server | start | workspace trust | https://theia-ide.org/docs/user_ai/
.theia/settings.json | ai-features.chat.toolConfirmation, ai-features.terminal.shellCommandAllowlist, ai-features.claudeCode.executablePath | grants tools and commands; a program | start, tool call | workspace trust | https://theia-ide.org/docs/user_ai/
.theia/tasks.json, .theia/launch.json | tasks, configurations | a command | the user starts it | workspace trust | https://theia-ide.org/docs/
""",
    "tooling": """
package.json | scripts.preinstall, install, postinstall, prepare | a shell line | install | the user installs | https://docs.npmjs.com/cli/using-npm/scripts
pyproject.toml, setup.py | build-system | code of the build | install, build | the user installs | https://packaging.python.org
conftest.py, pytest.ini | | code | tests are collected | the user runs tests | https://docs.pytest.org
.envrc | | a shell script | entering the folder | allowed once for path and content | https://direnv.net
.devcontainer/devcontainer.json | initializeCommand | a command on the host | the container is opened | workspace trust, and the container is opened; runs on the host | https://containers.dev/implementors/json_reference/
.devcontainer/devcontainer.json | onCreateCommand, postCreateCommand, postStartCommand, … | a command in the container | the container is opened | workspace trust, and the container is opened; runs inside it | https://containers.dev/implementors/json_reference/
.gitlab-ci.yml | script, before_script, after_script, include, image | a shell line; what is included and fetched | a push | none: the build server runs it on a push | https://docs.gitlab.com/ci/yaml/
.circleci/config.yml, azure-pipelines.yml, bitbucket-pipelines.yml, .travis.yml, .drone.yml, appveyor.yml, .buildkite/pipeline.yml, cloudbuild.yaml, buildspec.yml | their steps | a shell line, an image | a push | none: the build server runs it on a push | https://circleci.com/docs/reference/configuration-reference/
netlify.toml, vercel.json, fly.toml, render.yaml, railway.json, Procfile, app.json | build, install and start commands, plugins | a shell line, a module of the build | a deployment | none: the platform runs it when it deploys | https://docs.netlify.com/build/configure-builds/file-based-configuration/
.cirrus.yml, codemagic.yaml, bitrise.yml, .readthedocs.yaml | their steps | a shell line, an image | a push | none: the build server runs it on a push | https://cirrus-ci.org/guide/writing-tasks/
app.yaml, appspec.yml, serverless.yml, Pulumi.yaml, helmfile.yaml, devspace.yaml, okteto.yml | entrypoint, hooks, plugins, commands | a shell line, a program, a module | a deployment | none, or the user deploys | https://docs.readthedocs.com/platform/stable/config-file/v2.html
cloud-init.yaml | runcmd, bootcmd | a shell line, a program | the first start of a machine | none: a new machine runs it when it is first started | https://cloudinit.readthedocs.io/en/latest/reference/modules.html
process-compose.yaml, mprocs.yaml, ecosystem.json, .tmuxinator.yml | processes, procs, apps, windows | a shell line, a program | the user calls it | the user calls it | https://pm2.keymetrics.io/docs/usage/application-declaration/
docker-compose.yml, compose.yaml, compose.*.yaml | services.* | an image, a command, a build | docker compose up | docker compose up | https://docs.docker.com/reference/compose-file/
tsconfig.json, jsconfig.json | compilerOptions.plugins | a module of the language server | a file is opened | an editor's language server loads it, and asks first where it can | https://www.typescriptlang.org/tsconfig/#plugins
.goreleaser.yml, tauri.conf.json, wails.json, electron-builder.yml, snapcraft.yaml, dub.json, shard.yml, project.yml | hooks, commands before and after a build | a shell line, a module | a build, an install, a release | the user builds | https://goreleaser.com/customization/hooks/
.air.toml, book.toml, melos.yaml, moon.yml, buf.gen.yaml, sqlc.yaml, codegen.yml, angular.json, pants.toml, .rubocop.yml, .golangci.yml, .parcelrc, .swcrc | commands, plugins, require | a shell line, a module | on use | the user calls it | https://docs.rubocop.org/rubocop/extensions.html
.gitpod.yml, devfile.yaml, .replit | tasks, commands, run, onBoot | a shell line | a cloud workspace is opened | none: a cloud workspace runs it when it is opened | https://www.gitpod.io/docs/configure/workspaces/tasks
.idea/watcherTasks.xml | program, arguments | a program | a file is saved | project trust; a file is saved | https://www.jetbrains.com/help/idea/using-file-watchers.html
.idea/startup.xml | configuration | the run configuration of this name | the project is opened | project trust; the project is opened | https://www.jetbrains.com/help/idea/settings-tools-startup-tasks.html
.idea/runConfigurations/*.xml, .run/*.xml | SCRIPT_TEXT, SCRIPT_PATH, program | a script or program | the user starts it | project trust, and the user starts it | https://www.jetbrains.com/help/idea/run-debug-configuration.html
.helix/languages.toml | language-server.*.command, language.*.formatter.command | a program | a file of the language is opened | a file of the language is opened | https://docs.helix-editor.com/languages.html
.Rprofile, .irbrc, .pryrc, .ghci, .octaverc, .iex.exs, .pdbrc | | code | its interpreter is started in the folder | none, mostly | https://stat.ethz.ch/R-manual/R-devel/library/base/html/Startup.html
.exrc, .nvim.lua, .dir-locals.el, .gdbinit, .lldbinit | | code of an editor or debugger | it is started in the folder | an option of its user, or a question | https://neovim.io/doc/user/options.html#'exrc'
.eslintrc.json, .prettierrc, .babelrc, .stylelintrc, .mocharc.json, jest.config.json | extends, plugins, parser, presets, require, … | modules that the tool loads | on use | the user calls it, or an editor does | https://eslint.org/docs/latest/use/configure/configuration-files-deprecated
renovate.json | postUpgradeTasks.commands | a shell line | a bot proposes an update | none: a bot runs it, where its owner allows such commands | https://docs.renovatebot.com/configuration-options/#postupgradetasks
.changeset/config.json | changelog, commit | a module | a release | changeset version | https://github.com/changesets/changesets/blob/main/docs/config-file-options.md
deno.json, composer.json, pixi.toml, devbox.json, nx.json, project.json | tasks, scripts, init_hook, targets | a shell line, a module | install, on use, entering the folder | the user calls it | https://docs.deno.com/runtime/fundamentals/configuration/
""",
    "vscode": """
.vscode/tasks.json | runOptions.runOn: folderOpen | a command for each operating system | opening the folder | workspace trust, and automatic tasks allowed | https://code.visualstudio.com/docs/editor/tasks
.vscode/mcp.json | servers.* | an MCP server | start | workspace trust, and approval of each server and of each change | https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
.vscode/settings.json | keys that name programs | a program | its use | workspace trust | https://code.visualstudio.com/docs/editor/workspace-trust
.vscode/settings.json | chat.permissions.default, chat.tools.*.autoApprove, chat.agent.sandbox.*, … | sets how much is asked | each tool call | workspace trust | https://code.visualstudio.com/docs/copilot/reference/copilot-settings
.vscode/settings.json | chat.hookFilesLocations, chat.pluginLocations, chat.plugins.marketplaces, extraKnownMarketplaces | further places of hooks and plugins | its event, install | workspace trust | https://code.visualstudio.com/docs/copilot/customization/agent-plugins
.vscode/extensions.json | recommendations | an extension | install | the user installs it | https://code.visualstudio.com/docs/configure/extensions/extension-marketplace
.vscode/launch.json | configurations.*.program | a program | start by the user | workspace trust, and the user starts it | https://code.visualstudio.com/docs/editor/debugging
""",
    "windsurf": """
.windsurf/hooks.json | hooks.* | a command by a shell | its event | workspace trust | https://docs.windsurf.com
.windsurfrules | | prose | always in context | none | https://docs.windsurf.com
""",
    "zed": """
.zed/settings.json, .zed/tasks.json | lsp.*, context_servers.*, tasks | language and MCP servers, tasks | start, on use | workspace trust (Restricted Mode) | https://zed.dev/docs
""",
}


def known_surfaces(system: str) -> tuple[Surface, ...]:
    """Return the rows of a system, none for one that says its own."""
    lines = _ROWS.get(system, "").strip().splitlines()
    return tuple(Surface(*(cell.strip() for cell in line.split("|"))) for line in lines)

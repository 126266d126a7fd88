"""Codex' own configuration in a working folder: `.codex/config.toml`, hooks, agents, rules and environments.

Codex reads `.codex` of every folder from the project's root down to where it starts, and only in projects that the
user trusts; hooks are asked for one by one besides. Keys that send Codex elsewhere (`openai_base_url`,
`model_providers`, `notify` of a project in newer releases) may be ignored there: which, depends on the release, so
they are shown as what they would do.

See: https://developers.openai.com/codex/config-reference
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.codex.rules import rules_at
from plugseal.systems.codex.trust import trust_verdict
from plugseal.systems.components.hooks import hook_components
from plugseal.systems.components.parts import context_file, gated, hook_files, line_component
from plugseal.systems.components.prose import files_below
from plugseal.systems.components.servers import server_components
from plugseal.systems.components.settings import granting, setting_components
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, lookup
from plugseal.systems.reading.units import make_configuration

FOLDER: Final = ".codex"
CONFIG: Final = ".codex/config.toml"
_HOOKS: Final = ".codex/hooks.json"
_PROJECT: Final = "project trust"
_HOOK: Final = "project trust, and approval of each hook's hash"
_ROLES: Final = """
skip: mcp_servers.** hooks.** profiles model_providers
grant: mcp_servers.*.default_tools_approval_mode=approve mcp_servers.*.tools.*.approval_mode=approve
quiet: $schema agents.** analytics.** apps_mcp_product_sku audio.** background_terminal_max_timeout
quiet: check_for_update_on_startup cli_auth_credentials_store desktop.** disable_paste_burst features.** feedback.**
quiet: file_opener forced_chatgpt_workspace_id forced_login_method ghost_snapshot.** hide_agent_reasoning history.**
quiet: include_apps_instructions include_collaboration_mode_instructions include_environment_context model
quiet: mcp_oauth_callback_port mcp_oauth_credentials_store memories.** model_auto_compact_token_limit
quiet: model_auto_compact_token_limit_scope model_context_window model_reasoning_effort model_reasoning_summary
quiet: model_supports_reasoning_summaries model_verbosity notice.** oss_provider personality plan_mode_reasoning_effort
quiet: profile project_doc_max_bytes project_root_markers realtime.** review_model service_tier windows.**
quiet: show_raw_agent_reasoning suppress_unstable_features_warning tool_output_token_limit tools.** tui.** web_search
quiet: model_provider preferred_auth_method model_max_output_tokens include_permissions_instructions debug.**
quiet: experimental_use_unified_exec_tool experimental_realtime_ws_model experimental_thread_store.** tool_suggest.**
quiet: sandbox_workspace_write.exclude_tmpdir_env_var sandbox_workspace_write.exclude_slash_tmp
quiet: shell_environment_policy.exclude shell_environment_policy.include_only skills.** approval_policy.granular.**
quiet: commit_attribution experimental_use_freeform_apply_patch model_parallel_tool_calls
quiet: windows_wsl_setup_acknowledged
grant: approval_policy=never,on-failure approvals_reviewer=auto_review,guardian_subagent
grant: sandbox_mode=danger-full-access sandbox_workspace_write.network_access sandbox_workspace_write.writable_roots
grant: default_permissions=:danger-full-access permissions.** allow_login_shell projects.*.trust_level=trusted
grant: apps.*.default_tools_approval_mode=approve apps.*.tools.*.approval_mode=approve
grant: apps.*.destructive_enabled apps.*.open_world_enabled shell_environment_policy.ignore_default_excludes
grant: shell_environment_policy.experimental_use_profile shell_environment_policy.inherit=all
quiet: apps.*.enabled apps.*.default_tools_enabled apps.*.tools.*.enabled apps.*.approvals_reviewer
endpoint: openai_base_url chatgpt_base_url experimental_realtime_ws_base_url experimental_thread_config_endpoint
endpoint: mcp_oauth_callback_url
program: notify
grant: features.network_proxy.dangerously_allow_all_unix_sockets features.network_proxy.allow_local_binding
grant: features.network_proxy.dangerously_allow_non_loopback_proxy features.network_proxy.domains.*=allow
grant: features.network_proxy.unix_sockets.*=allow features.network_proxy.mode=full
grant: plugins.*.mcp_servers.*.default_tools_approval_mode=approve
grant: plugins.*.mcp_servers.*.tools.*.approval_mode=approve
prose: features.multi_agent_v2.usage_hint_text features.multi_agent_v2.root_agent_usage_hint_text
prose: features.multi_agent_v2.subagent_usage_hint_text
path: features.apps_mcp_path_override.path js_repl_node_module_dirs
program: js_repl_node_path zsh_path
reads: agents.*.config_file model_catalog_json
prose: instructions developer_instructions compact_prompt auto_review.** experimental_realtime_start_instructions
prose: experimental_realtime_ws_backend_prompt experimental_realtime_ws_startup_context
reads: model_instructions_file experimental_compact_prompt_file experimental_instructions_file
path: log_dir sqlite_home project_doc_fallback_filenames marketplaces.** plugins.** otel.**
endpoint: otel.exporter.*.endpoint otel.trace_exporter.*.endpoint otel.metrics_exporter.*.endpoint
environment: shell_environment_policy.set
"""
_PROVIDER: Final = """
quiet: name wire_api query_params.** request_max_retries stream_max_retries stream_idle_timeout_ms
quiet: requires_openai_auth supports_websockets websocket_connect_timeout_ms env_key_instructions
quiet: aws.**
endpoint: base_url
skip: env_key http_headers env_http_headers experimental_bearer_token auth
"""
_AGENT: Final = "name description developer_instructions nickname_candidates"
_ENVIRONMENT: Final = frozenset({"version", "name", "setup", "cleanup", "actions"})
_RULES_SUFFIX: Final = ".rules"


def describe_config(reader: PluginReader) -> Plugin:
    """Return the unit of one working folder's `.codex`."""
    plugin = make_configuration(
        "codex",
        reader,
        manifest=CONFIG if reader.exists(CONFIG) else _HOOKS if reader.exists(_HOOKS) else FOLDER,
        covers=(FOLDER,),
        components=gated(_components(reader), _PROJECT),
    )
    return plugin._replace(hosts=trust_verdict(reader, plugin.components))


def _components(reader: PluginReader) -> Iterator[Component]:
    for file in sorted(_configs(reader)):
        document = reader.toml(file)
        if document is not None:
            yield from _config(reader, document, ())
    yield from gated(hook_files(reader, (_HOOKS,)), _HOOK)
    yield from rules_at(
        reader, sorted(files_below(reader, f"{FOLDER}/rules", lambda name: name.endswith(_RULES_SUFFIX)))
    )
    for file in sorted(files_below(reader, f"{FOLDER}/agents", lambda name: name.endswith(".toml"))):
        document = reader.toml(file)
        if document is not None:
            yield from _agent(reader, document)
    for file in sorted(files_below(reader, f"{FOLDER}/environments", lambda name: name.endswith(".toml"))):
        document = reader.toml(file)
        if document is not None:
            yield from _environment(reader, document)


def _configs(reader: PluginReader) -> Iterator[str]:
    for name in reader.names(FOLDER):
        if name == "config.toml" or name.endswith(".config.toml"):
            yield f"{FOLDER}/{name}"


def _config(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe a layer of configuration: the file, or one of its profiles."""
    yield from setting_components(reader, document, _ROLES, path=path)
    for name in reader.texts(document, (*path, "project_doc_fallback_filenames")):
        yield from context_file(reader, name)
    for name in reader.table(document, (*path, "agents")):
        yield from _role(reader, document, (*path, "agents", name, "config_file"))
    for name in reader.table(document, (*path, "profiles")):
        yield from _config(reader, document, (*path, "profiles", name))
    for name in reader.table(document, (*path, "model_providers")):
        yield from _provider(reader, document, (*path, "model_providers", name), name)
    yield from server_components(reader, document, (*path, "mcp_servers"))
    hooks = (*path, "hooks")
    yield from gated(hook_components(reader, document, hooks, but=frozenset({"state"})), _HOOK)
    for key, state in reader.table(document, (*hooks, "state")).items():
        if isinstance(state, dict) and state.get("trusted_hash") is not None:
            place = (*hooks, "state", key)
            yield granting(document, place, f"hooks.state.{key}", (f"trusted_hash = {state['trusted_hash']}",))


def _provider(reader: PluginReader, document: Document, path: Path, name: str) -> Iterator[Component]:
    """Describe where a model provider sends what the user types, and what it sends along."""
    for component in setting_components(reader, document, _PROVIDER, path=path):
        key = reader.text(document, (*path, "env_key"))
        headers = [(h, str(v)) for h, v in reader.table(document, (*path, "http_headers")).items()]
        headers += [(h, f"${{{v}}}") for h, v in reader.table(document, (*path, "env_http_headers")).items()]
        headers += [("Authorization", f"Bearer ${{{key}}}")] if key else []
        token = reader.text(document, (*path, "experimental_bearer_token"))
        headers += [("Authorization", f"Bearer {token}")] if token else []
        yield component._replace(name=f"model_providers.{name}", headers=tuple(sorted(headers)))
    command = lookup(document.value, (*path, "auth", "command"))
    if isinstance(command, str):
        words = (command, *reader.texts(document, (*path, "auth", "args")))
        yield Component(
            kind=ComponentKind.SETTING,
            name=f"model_providers.{name}.auth",
            file=document.file,
            span=document.locate((*path, "auth", "command")),
            transport="exec",
            command=words,
            trigger="start",
        )


def _role(reader: PluginReader, document: Document, path: Path) -> Iterator[Component]:
    """Describe the layer of configuration that a file holds which an agent's table names, seen from the folder."""
    named = lookup(document.value, path)
    file = inner(named, FOLDER) if isinstance(named, str) else None
    if file is None or not reader.is_file(file) or file.startswith(f"{FOLDER}/agents/"):
        return  # Nothing of this tree, or described with the agents.
    if reader.real(file) in reader.listing.kept:
        layer = reader.toml(file)
        if layer is not None:
            yield from _agent(reader, layer)
    else:
        reader.unknown_key(document, path)


def _agent(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe an agent: a layer of configuration of its own, with instructions."""
    known = frozenset(_AGENT.split())
    table = reader.table(document)
    yield Component(
        kind=ComponentKind.AGENT,
        name=reader.text(document, ("name",)) or document.file.rpartition("/")[2].removesuffix(".toml"),
        file=document.file,
        span=document.locate(("name",)),
        trigger="prose",
        extra=tuple(sorted((key, compact(value)) for key, value in table.items() if key in known)),
    )
    roles = _ROLES + "skip: " + _AGENT
    yield from setting_components(reader, document, roles, trigger="prose")
    yield from server_components(reader, document, ("mcp_servers",))


def _environment(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe a local environment of the Codex app: a script that sets a worktree up, and actions on demand."""
    reader.expect_keys(document, reader.table(document), _ENVIRONMENT)
    for part in ("setup", "cleanup"):
        yield from _scripts(reader, document, (part,), part, "open")
    actions = lookup(document.value, ("actions",))
    for at, action in enumerate(actions if isinstance(actions, list) else []):
        if isinstance(action, dict):
            yield from _scripts(reader, document, ("actions", at), f"action {action.get('name', at)}", "command")


def _scripts(reader: PluginReader, document: Document, path: Path, name: str, trigger: str) -> Iterator[Component]:
    """Yield the script of a table, and those for single systems."""
    for key, value in reader.table(document, path).items():
        place = (*path, key)
        if isinstance(value, dict):
            yield from _scripts(reader, document, place, f"{name} {key}", trigger)
        elif key in ("script", "command") and isinstance(value, str):
            if value.strip():
                yield line_component(reader, document, place, kind=ComponentKind.SCRIPT, name=name, trigger=trigger)
        elif key not in ("name", "icon", "platform"):
            reader.unknown_key(document, place)

"""Zed: the `.zed` of a working folder: servers, language servers, formatters, and tasks that a user starts.

A folder is opened in Restricted Mode until it is trusted: then neither language servers nor MCP servers start.

See: https://zed.dev/docs/configuring-zed
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.limits import MAX_ARGUMENTS
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import gated
from plugseal.systems.components.servers import environment, launch_places
from plugseal.systems.components.settings import setting_components
from plugseal.systems.launching.launch import entry_file, shell_entry
from plugseal.systems.reading.reader import Document, Path, PluginReader, extras, kind_of, lookup
from plugseal.systems.reading.units import folders_with, make_configuration
from plugseal.systems.system import Listing

_FOLDER: Final = ".zed"
_FILES: Final = (".zed/settings.json", ".zed/tasks.json", ".zed/debug.json")
_GATE: Final = "workspace trust (Restricted Mode)"
_ROLES: Final = """
skip: context_servers agent_servers lsp.** languages.*.formatter languages.*.code_actions_on_format formatter
quiet: $schema theme icon_theme buffer_font_size buffer_font_family buffer_line_height ui_font_size ui_font_family
quiet: tab_size hard_tabs soft_wrap preferred_line_length format_on_save remove_trailing_whitespace_on_save vim_mode
quiet: ensure_final_newline_on_save show_whitespaces wrap_guides inlay_hints.** file_types.** file_scan_exclusions
quiet: file_scan_inclusions project_panel.** outline_panel.** git.** git_panel.** scrollbar.** minimap.** gutter.**
quiet: tab_bar.** tabs.** toolbar.** indent_guides.** diagnostics.** telemetry.** edit_predictions.** auto_indent
quiet: auto_save autosave load_direnv show_edit_predictions prettier.** linked_edits enable_language_server
quiet: languages.*.** language_servers auto_install_extensions.** assistant.** features.** jupyter.** journal.**
quiet: terminal.font_size terminal.dock terminal.blinking terminal.working_directory.** terminal.detect_venv.**
quiet: terminal.line_height terminal.option_as_meta terminal.button terminal.toolbar.** terminal.scrollbar.**
quiet: agent.default_model.** agent.version agent.enabled agent.dock agent.profiles.** agent.model_parameters.**
quiet: agent.default_profile agent.default_view agent.notify_when_agent_waiting agent.play_sound_when_agent_done
grant: agent.always_allow_tool_actions agent.tool_permissions.** trust_all_worktrees session.trust_all_worktrees
endpoint: proxy language_models.*.api_url
quiet: language_models.**
grant: agent.tool_permissions.default=allow
program: terminal.shell.program terminal.shell.with_arguments node.path node.npm_path git.blame.path
program: dap.*.binary
path: dap.**
environment: terminal.env
"""
_SERVER: Final = frozenset({"source", "command", "args", "env", "url", "headers", "settings", "enabled", "timeout"})
_AGENT: Final = frozenset(
    "type command args env default_mode default_model favorite_models default_config_options "
    "ignore_system_version".split()
)
_TASK: Final = frozenset(
    "label command args env cwd use_new_terminal allow_concurrent_runs reveal hide shell tags show_summary "
    "show_command reveal_target save hooks".split()
)


class Zed:
    """Configuration of Zed."""

    name = "zed"

    def keeps(self, path: str) -> bool:
        """Keep what Zed reads in `.zed`."""
        return path.endswith(_FILES)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield the configuration of every working folder."""
        for root in folders_with(listing, _FOLDER):
            reader = PluginReader(listing, root)
            present = [file for file in _FILES if reader.exists(file)]
            if present:
                yield make_configuration(
                    self.name,
                    reader,
                    manifest=present[0],
                    covers=(_FOLDER,),
                    components=gated(_components(reader, present), _GATE),
                )


def _components(reader: PluginReader, files: Iterable[str]) -> Iterator[Component]:
    for file in files:
        listed = not file.endswith("settings.json")
        document = reader.json(file, comments=True, lists=listed)
        if document is None:
            continue
        if listed:
            yield from _tasks(reader, document)
            continue
        yield from setting_components(reader, document, _ROLES, trigger="open")
        yield from _servers(reader, document)
        yield from _agents(reader, document)
        yield from _language_servers(reader, document)
        yield from _formatters(reader, document)


def _servers(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe MCP servers: a program (text, or a table of its own), an address, or settings for an extension's."""
    for name, spec in reader.declared(document, ("context_servers",)).items():
        path: Path = ("context_servers", name)
        if not isinstance(spec, dict):
            reader.fault_at(document, path, f"must be a table, not {kind_of(spec)}")
            continue
        reader.expect_keys(document, spec, _SERVER, at=path)
        place = (*path, "command") if isinstance(spec.get("command"), dict) else path
        component = _program(
            reader, document, place, reader.table(document, place), name, ComponentKind.SERVER, "start"
        )
        url = reader.text(document, (*path, "url"))
        headers = tuple(sorted((key, str(value)) for key, value in reader.table(document, (*path, "headers")).items()))
        yield component._replace(
            transport="stdio" if component.command else "http" if url else "",
            endpoint=url or None,
            headers=headers,
        )


def _agents(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe agents that are programs of their own; one of a registry is named and fetched when it is called."""
    for name, spec in reader.declared(document, ("agent_servers",)).items():
        path: Path = ("agent_servers", name)
        if not isinstance(spec, dict):
            reader.fault_at(document, path, f"must be a table, not {kind_of(spec)}")
            continue
        reader.expect_keys(document, spec, _AGENT, at=path)
        yield _program(reader, document, path, spec, name, ComponentKind.SERVER, "command")


def _language_servers(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe language servers whose program the settings name."""
    for name in reader.table(document, ("lsp",)):
        place = ("lsp", name, "binary")
        binary = reader.table(document, place)
        if isinstance(binary.get("path"), str):
            yield _program(reader, document, place, binary, f"{name}", ComponentKind.LANGUAGE_SERVER, "open")


def _formatters(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe formatters that are programs of their own, for one language or for all."""
    holders: list[tuple[Path, str]] = [(("formatter",), "formatter")]
    for name in reader.table(document, ("languages",)):
        holders.append((("languages", name, "formatter"), f"formatter {name}"))
    for path, name in holders:
        value = lookup(document.value, path)
        items = [(path, value)] if isinstance(value, dict) else []
        items += [((*path, at), item) for at, item in enumerate(value)] if isinstance(value, list) else []
        for place, item in items:
            external = item.get("external") if isinstance(item, dict) else None
            if isinstance(external, dict):
                yield _program(reader, document, (*place, "external"), external, name, ComponentKind.SCRIPT, "tool")


def _tasks(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe tasks and debugger configurations, which a user starts by name."""
    value = document.value
    for at, task in enumerate(value if isinstance(value, list) else []):
        if not isinstance(task, dict):
            reader.fault_at(document, (at,), f"must be a table, not {kind_of(task)}")
            continue
        if document.file.endswith("tasks.json"):
            reader.expect_keys(document, task, _TASK, at=(at,))
        name = str(task.get("label", at))
        yield _task(reader, document, (at,), task, name)
        build = task.get("build")
        if isinstance(build, dict):
            yield _task(reader, document, (at, "build"), build, f"{name}.build")


def _task(reader: PluginReader, document: Document, path: Path, task: Mapping[str, object], name: str) -> Component:
    """Return what a task runs: a command without arguments of its own is a line for a shell.

    One with hooks is run by the editor itself when that happens, any other by the user.
    """
    is_hook = bool(task.get("hooks"))
    component = _program(reader, document, path, task, name, ComponentKind.SCRIPT, "open" if is_hook else "command")
    if len(component.command) == 1 and " " in component.command[0]:
        line = component.command[0]
        component = component._replace(  # noqa: S604  # nosec B604  # a fact
            shell=True, entry=shell_entry(line, reader.is_launchable)
        )
    return component if is_hook else component._replace(gate=f"{_GATE}, and the user starts it")


def _program(
    reader: PluginReader,
    document: Document,
    path: Path,
    table: Mapping[str, object],
    name: str,
    kind: ComponentKind,
    trigger: str,
) -> Component:
    """Return a program that a table names, with its arguments and environment."""
    program = next((str(table[key]) for key in ("path", "command", "program") if isinstance(table.get(key), str)), "")
    arguments = next((table[key] for key in ("arguments", "args") if isinstance(table.get(key), list)), [])
    argv = (program, *(str(word) for word in arguments)) if program and isinstance(arguments, list) else ()
    sources, literals = environment(reader, document, (*path, "env"))
    cwd = table.get("cwd")
    return Component(
        kind=kind,
        name=name,
        file=document.file,
        span=document.locate(path),
        transport="exec" if argv else "",
        command=argv,
        cwd=cwd if isinstance(cwd, str) else None,
        environment=sources,
        literals=literals,
        trigger=trigger,
        entry=entry_file(argv[:MAX_ARGUMENTS], None, reader.is_launchable) if argv else None,
        extra=extras(table, frozenset({"path", "command", "program", "arguments", "args", "env", "cwd", "label"})),
        places=launch_places(document, path, table),
    )

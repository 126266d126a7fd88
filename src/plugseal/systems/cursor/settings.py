"""Cursor's own configuration in a working folder: `.cursor`, and `.cursorrules` beside it.

Hooks of a repository run once its folder is trusted; servers are asked for one by one. `environment.json` is obeyed by
cloud agents: it installs, starts and builds on their machine. The keys are those that Cursor documents.

See: https://cursor.com/docs/hooks, https://cursor.com/docs/cloud-agent/setup and https://cursor.com/docs/bugbot
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.lines import entry_below
from plugseal.systems.components.parts import (
    context_file,
    gated,
    hook_files,
    line_component,
    prose_at,
    server_files,
)
from plugseal.systems.components.settings import setting_components
from plugseal.systems.launching.launch import inner
from plugseal.systems.reading.reader import Document, Path, PluginReader, kind_of, lookup
from plugseal.systems.reading.units import make_configuration

_FOLDER: Final = ".cursor"
_TRUST: Final = "workspace trust"
_REVIEWER: Final = "BUGBOT.md"
_REVIEW: Final = "none: Bugbot reads it when it reviews a change"
_CLOUD: Final = "none: a cloud agent runs it on its own machine"
_ENVIRONMENT: Final = frozenset(
    "$schema name user install start terminals snapshot build agentCanUpdateSnapshot repositoryDependencies ports "
    "baseImage base_image mcpServerAllowlist".split()
)
_TERMINAL: Final = frozenset({"name", "command", "description", "ports"})
_CLI: Final = """
quiet: $schema version editor.** model.** display.** hasChangedDefaultModel network.** permissions.deny
grant: permissions.allow approvalMode=unrestricted,auto sandbox.mode=disabled
quiet: sandbox.networkAccess attribution.**
"""
_PERMISSIONS: Final = """
quiet: $schema version
grant: mcpAllowlist terminalAllowlist autoRun.**
"""
_SANDBOX: Final = """
quiet: $schema type networkPolicy.deny networkPolicy.log
grant: networkPolicy.default=allow networkPolicy.allow additionalReadwritePaths additionalReadonlyPaths
quiet: disableTmpWrite
grant: enableSharedBuildCache type=insecure_none
"""
_WORKTREES: Final = ("setup-worktree", "setup-worktree-unix", "setup-worktree-windows")


def describe_settings(reader: PluginReader) -> Plugin:
    """Return the unit of one working folder's `.cursor` and rules."""
    own = [f"{_FOLDER}/{name}" for name in ("hooks.json", "mcp.json", "environment.json")]
    present = [file for file in (*own, _FOLDER) if reader.exists(file)]
    return make_configuration(
        "cursor",
        reader,
        manifest=present[0] if present else ".cursorrules",
        covers=(_FOLDER, ".cursorrules"),
        components=gated(_components(reader), _TRUST),
    )


def _components(reader: PluginReader) -> Iterator[Component]:
    yield from _seen_from_folder(reader, hook_files(reader, (f"{_FOLDER}/hooks.json",)))
    yield from gated(server_files(reader, (f"{_FOLDER}/mcp.json",), comments=True), "approval of each server")
    suffixes = (".mdc", ".md")
    rules = prose_at(reader, (f"{_FOLDER}/rules",), ComponentKind.INSTRUCTIONS, trigger="prose", suffixes=suffixes)
    yield from gated(rules, "none")
    yield from gated(context_file(reader, ".cursorrules"), "none")
    yield from gated(context_file(reader, f"{_FOLDER}/{_REVIEWER}"), _REVIEW)
    yield from prose_at(reader, (f"{_FOLDER}/commands",), ComponentKind.COMMAND, trigger="command")
    yield from prose_at(reader, (f"{_FOLDER}/agents",), ComponentKind.AGENT, trigger="prose")
    for name, roles in (("cli", _CLI), ("permissions", _PERMISSIONS), ("sandbox", _SANDBOX)):
        document = _json(reader, name)
        if document is not None:
            yield from setting_components(reader, document, roles)
    for name, describe in (("environment", _environment), ("worktrees", _worktrees)):
        document = _json(reader, name)
        if document is not None:
            yield from _seen_from_folder(reader, describe(reader, document))


def _seen_from_folder(reader: PluginReader, components: Iterable[Component]) -> Iterator[Component]:
    """Yield components with a program that only their own folder has: some releases start there, others above it."""
    for component in components:
        if component.shell and component.entry is None:
            component = component._replace(entry=entry_below(reader, component.command[0], _FOLDER))
        yield component


def _json(reader: PluginReader, name: str) -> Document | None:
    file = f"{_FOLDER}/{name}.json"
    return reader.json(file, comments=True) if reader.exists(file) else None


def _environment(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what a cloud agent installs, starts and builds."""
    table = reader.table(document)
    reader.expect_keys(document, table, _ENVIRONMENT)
    for key, trigger in (("install", "install"), ("start", "start")):
        if reader.text(document, (key,)):
            yield _script(reader, document, (key,), key, trigger)
    terminals = lookup(document.value, ("terminals",))
    for at, terminal in enumerate(terminals if isinstance(terminals, list) else []):
        path = ("terminals", at)
        if isinstance(terminal, dict) and isinstance(terminal.get("command"), str):
            reader.expect_keys(document, terminal, _TERMINAL, at=path)
            name = f"terminal {terminal.get('name', at)}"
            yield _script(reader, document, (*path, "command"), name, "start")
        else:
            reader.fault_at(document, path, f"must be a table with a command, not {kind_of(terminal)}")
    built = reader.text(document, ("build", "dockerfile"))
    if built:
        yield Component(
            kind=ComponentKind.SCRIPT,
            name="build",
            file=document.file,
            span=document.locate(("build", "dockerfile")),
            trigger="install",
            gate=_CLOUD,
            entry=_dockerfile(reader, built),
            extra=(("dockerfile", f'"{built}"'),),
        )


def _dockerfile(reader: PluginReader, named: str) -> str | None:
    """Return the file that an environment is built from, which is named as seen from the folder."""
    places = (inner(named, _FOLDER), inner(named))
    return next((place for place in places if place is not None and reader.is_file(place)), None)


def _worktrees(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what runs when an agent is given a worktree of its own: lines, or a script's path."""
    reader.expect_keys(document, reader.table(document), frozenset(_WORKTREES) | {"$schema"})
    for key in _WORKTREES:
        value = lookup(document.value, (key,))
        if isinstance(value, str):
            script = inner(value, _FOLDER)
            line = _script(reader, document, (key,), key, "open", gate=_TRUST)
            yield line._replace(entry=script) if script is not None and reader.is_file(script) else line
        for at, line in enumerate(value if isinstance(value, list) else []):
            if isinstance(line, str):
                yield _script(reader, document, (key, at), f"{key}.{at}", "open", gate=_TRUST)
            else:
                reader.fault_at(document, (key, at), f"must be text, not {kind_of(line)}")


def _script(
    reader: PluginReader, document: Document, path: Path, name: str, trigger: str, *, gate: str = _CLOUD
) -> Component:
    return line_component(reader, document, path, kind=ComponentKind.SCRIPT, name=name, trigger=trigger, gate=gate)

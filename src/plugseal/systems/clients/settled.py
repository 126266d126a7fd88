"""Clients whose configuration of a working folder is a file of settings: Amp, Theia, Factory, Augment.

Servers, hooks and grants stand in one file among much that only looks like something. What a client has beyond that
(rules with an action, models at addresses of their own, programs in folders) is read here.

See: `clients/tables.py` for what each key does, and where that is documented.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.clients.tables import AMP, AUGMENT, FACTORY, THEIA
from plugseal.systems.components.folders import FolderClient, Layout, Settings
from plugseal.systems.components.parts import in_process
from plugseal.systems.components.prose import files_below
from plugseal.systems.components.settings import granting
from plugseal.systems.launching.launch import shell_entry
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, dotted, lookup
from plugseal.systems.system import System

_TRUST: Final = "workspace trust"
_MODULES: Final = (".ts", ".js", ".mts", ".mjs", ".cts", ".cjs")


def amp() -> System:
    """Return the system of `.amp`."""
    names = ("settings.json", "settings.jsonc")
    files = tuple(Settings(f".amp/{name}", AMP, servers="amp.mcpServers", is_dotted=True) for name in names)
    layout = Layout(
        folder=".amp",
        commands=("commands",),
        settings=files,
        more=("plugins",),
        gate="none",
        server_gate="approval of each server",
    )
    return FolderClient("amp", layout, _of_amp)


def theia() -> System:
    """Return the system of `.theia`."""
    files = (Settings(".theia/settings.json", THEIA, servers="ai-features.mcp.mcpServers", is_dotted=True),)
    layout = Layout(folder=".theia", settings=files, more=("tasks.json", "launch.json"), gate=_TRUST)
    return FolderClient("theia", layout, _of_theia)


def factory() -> System:
    """Return the system of `.factory`."""
    names = ("settings.json", "settings.local.json")
    files = tuple(Settings(f".factory/{name}", FACTORY, servers="mcpServers", hooks="hooks") for name in names)
    layout = Layout(
        folder=".factory",
        hooks=("hooks.json", "hooks/hooks.json"),
        servers=("mcp.json",),
        instructions=("rules",),
        commands=("commands",),
        agents=("droids",),
        settings=files,
        gate="folder trust",
    )
    return FolderClient("factory", layout, _of_factory)


def augment() -> System:
    """Return the system of `.augment`."""
    names = ("settings.json", "settings.local.json")
    files = tuple(Settings(f".augment/{name}", AUGMENT, servers="mcpServers", hooks="hooks") for name in names)
    layout = Layout(
        folder=".augment",
        instructions=("rules",),
        commands=("commands",),
        agents=("agents",),
        beside=(".augment-guidelines",),
        settings=files,
        gate="none",
    )
    return FolderClient("augment", layout, _of_augment)


def documents_at(reader: PluginReader, files: Iterable[str]) -> Iterator[Document]:
    """Yield the documents of those files that are there."""
    for file in files:
        document = reader.json(file, comments=True) if reader.exists(file) else None
        if document is not None:
            yield document


def _of_amp(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Yield the rules that allow or hand the decision to a program, the toolbox, and plugins of Amp."""
    for document in documents_at(reader, (f"{folder}/settings.json", f"{folder}/settings.jsonc")):
        rules = lookup(document.value, ("amp.permissions",))
        for at, rule in enumerate(rules if isinstance(rules, list) else []):
            path: Path = ("amp.permissions", at)
            if not isinstance(rule, dict):
                reader.fault_at(document, path, "must be a table")
                continue
            yield from _rule(reader, document, path, rule)
        place = lookup(document.value, ("amp.toolbox.path",))
        for file in _programs_in(reader, place):
            yield Component(
                kind=ComponentKind.TOOL,
                name=file.rpartition("/")[2],
                file=document.file,
                span=document.locate(("amp.toolbox.path",)),
                transport="exec",
                command=(file,),
                trigger="start",
                entry=file,
            )
    for file in sorted(files_below(reader, f"{folder}/plugins", lambda name: name.endswith(_MODULES))):
        yield in_process(file, file.rpartition("/")[2].partition(".")[0], gate="none")


def _rule(reader: PluginReader, document: Document, path: Path, rule: dict[str, object]) -> Iterator[Component]:
    reader.expect_keys(document, rule, frozenset({"tool", "matches", "action", "context", "to", "message"}), at=path)
    tool, matches = rule.get("tool"), rule.get("matches")
    if rule.get("action") == "allow":
        what = str(tool) if matches is None else f"{tool} {compact(matches)}"
        yield granting(document, (*path, "tool"), dotted(path), (f"amp.permissions = {what}",), trigger="tool")
    elif rule.get("action") == "delegate":
        program = reader.text(document, (*path, "to"), required=True)
        yield Component(
            kind=ComponentKind.HOOK,
            name=dotted(path),
            file=document.file,
            span=document.locate((*path, "to")),
            transport="exec",
            command=(program,) if program else (),
            trigger="hook:tool",
            entry=shell_entry(program, reader.is_launchable) if program else None,
            extra=(("rule", compact(rule)),),
        )


def _programs_in(reader: PluginReader, place: object) -> Iterator[str]:
    """Yield the files of folders of tools that lie in the working folder."""
    for folder in place.split(":") if isinstance(place, str) else []:
        below = folder.removeprefix("./").rstrip("/")
        if below and reader.is_directory(below):
            yield from (f"{below}/{name}" for name in reader.names(below) if reader.is_file(f"{below}/{name}"))


def _of_theia(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Yield tasks and launches, which Theia has as VS Code has them, and models at addresses of their own."""
    from plugseal.systems.vscode.launch import launch_components
    from plugseal.systems.vscode.tasks import task_components

    for document in documents_at(reader, (f"{folder}/settings.json",)):
        for key in (
            "openAiCustom.customOpenAiModels",
            "anthropicCustom.customAnthropicModels",
            "vercelAi.customModels",
        ):
            yield from model_addresses(document, (f"ai-features.{key}",), "url")
    for document in documents_at(reader, (f"{folder}/tasks.json",)):
        yield from task_components(reader, document, ())
    for document in documents_at(reader, (f"{folder}/launch.json",)):
        yield from launch_components(reader, document, ())


def _of_factory(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Yield the models of Factory at addresses of their own, and commands that are programs."""
    for document in documents_at(reader, (f"{folder}/settings.json", f"{folder}/settings.local.json")):
        yield from model_addresses(document, ("customModels",), "baseUrl")
    for file in sorted(files_below(reader, f"{folder}/commands", lambda name: not name.endswith((".md", ".mdx")))):
        yield Component(
            kind=ComponentKind.COMMAND,
            name=file.rpartition("/")[2],
            file=file,
            transport="exec",
            command=(file,),
            trigger="command",
            entry=file,
        )


def model_addresses(document: Document, path: Path, key: str) -> Iterator[Component]:
    """Yield the addresses of a list of models.

    Args:
        document: the settings.
        path: of the list.
        key: under which a model's address stands.
    """
    listed = lookup(document.value, path)
    for at, model in enumerate(listed[:MAX_DECLARED] if isinstance(listed, list) else []):
        address = model.get(key) if isinstance(model, dict) else None
        if isinstance(address, str) and address:
            span = document.locate_value((*path, at, key))
            yield Component(
                kind=ComponentKind.SETTING,
                name=dotted((*path, at, key)),
                file=document.file,
                span=span,
                transport="http",
                endpoint=address,
                trigger="start",
                extra=(("model", compact(model)),),
                places=(("endpoint", span),),
            )


def _of_augment(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Yield the tools that Augment need not ask for, and scripts and addresses that decide."""
    for document in documents_at(reader, (f"{folder}/settings.json", f"{folder}/settings.local.json")):
        rules = lookup(document.value, ("toolPermissions",))
        for at, rule in enumerate(rules if isinstance(rules, list) else []):
            path: Path = ("toolPermissions", at)
            if not isinstance(rule, dict):
                reader.fault_at(document, path, "must be a table")
                continue
            reader.expect_keys(
                document, rule, frozenset({"toolName", "permission", "shellInputRegex", "eventType"}), at=path
            )
            yield from _decision(reader, document, path, rule)


def _decision(reader: PluginReader, document: Document, path: Path, rule: dict[str, object]) -> Iterator[Component]:
    kind = lookup(document.value, (*path, "permission", "type"))
    if kind == "allow":
        pattern = rule.get("shellInputRegex")
        what = f"{rule.get('toolName')} {pattern}" if pattern else f"{rule.get('toolName')}"
        yield granting(document, (*path, "toolName"), dotted(path), (f"toolPermissions = {what}",), trigger="tool")
    elif kind == "script-policy":
        line = reader.text(document, (*path, "permission", "script"), required=True)
        yield Component(
            kind=ComponentKind.HOOK,
            name=dotted(path),
            file=document.file,
            span=document.locate((*path, "permission", "script")),
            transport="exec",
            command=(line,) if line else (),
            trigger="hook:tool",
            entry=shell_entry(line, reader.is_launchable) if line else None,
        )
    elif kind == "webhook-policy":
        address = reader.text(document, (*path, "permission", "webhookUrl"), required=True)
        yield Component(
            kind=ComponentKind.HOOK,
            name=dotted(path),
            file=document.file,
            span=document.locate((*path, "permission", "webhookUrl")),
            transport="http",
            endpoint=address or None,
            trigger="hook:tool",
        )
    elif kind not in ("deny", "ask-user"):
        reader.unknown_key(document, (*path, "permission", "type"))

"""Files of development containers and Compose: what runs on the host, what in the container, and what it may reach.

`initializeCommand` runs on the host itself before the container is made; every other command runs inside. Mounts,
privileges and arguments for the engine are what the container is let out by.

See: https://containers.dev/implementors/json_reference/
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from plugseal.model.plugin import Component, ComponentKind, Package
from plugseal.systems.components.parts import line_component
from plugseal.systems.components.servers import environment, server_components
from plugseal.systems.components.settings import granting, setting_components
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.launching.pinning import build_package
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, lookup

if TYPE_CHECKING:
    from plugseal.systems.tooling.parts import Reader

_HOST: Final = "initializeCommand"
_COMMANDS: Final = (
    _HOST,
    "onCreateCommand",
    "updateContentCommand",
    "postCreateCommand",
    "postStartCommand",
    "postAttachCommand",
)
_TABLES: Final = ("containerEnv", "remoteEnv")
_ON_HOST: Final = "workspace trust, and the container is opened; runs on the host"
_INSIDE: Final = "workspace trust, and the container is opened; runs inside it"
_SERVICE: Final = "docker compose up; runs in the container"
_ROLES: Final = """
skip: features.** customizations.** containerEnv.** remoteEnv.** initializeCommand.** onCreateCommand.**
skip: updateContentCommand.** postCreateCommand.** postStartCommand.** postAttachCommand.** build.** initializeCommand
skip: onCreateCommand updateContentCommand postCreateCommand postStartCommand postAttachCommand
quiet: $schema name image dockerFile context dockerComposeFile service runServices workspaceFolder shutdownAction
quiet: overrideCommand remoteUser containerUser updateRemoteUserUID userEnvProbe waitFor forwardPorts portsAttributes.**
quiet: otherPortsAttributes.** hostRequirements.** appPort overrideFeatureInstallOrder init secrets.** codespaces.**
quiet: extensions
grant: privileged capAdd securityOpt runArgs mounts workspaceMount
"""
_COMPOSE: Final = frozenset({"version", "name", "services", "volumes", "networks", "configs", "secrets", "include"})
_REACHES: Final = ("privileged", "cap_add", "network_mode", "pid", "ipc", "devices", "security_opt", "userns_mode")


def _dev(reader: PluginReader, file: str) -> Iterator[Component]:
    document = reader.json(file, comments=True)
    if document is None:
        return
    yield from setting_components(reader, document, _ROLES, trigger="open")
    for key in _COMMANDS:
        yield from _command(reader, document, (key,), key)
    for key in _TABLES:
        if reader.table(document, (key,)):
            sources, literals = environment(reader, document, (key,))
            yield Component(
                kind=ComponentKind.SETTING,
                name=key,
                file=file,
                span=document.locate((key,)),
                environment=sources,
                literals=literals,
                trigger="open",
                gate=_INSIDE,
            )
    for name, options in reader.table(document, ("features",)).items():
        yield Component(
            kind=ComponentKind.SOURCE,
            name=name,
            file=file,
            span=document.locate(("features", name)),
            trigger="open",
            gate=_INSIDE,
            extra=(("options", compact(options)),),
            places=(("extra.source", document.locate(("features", name))),),
            packages=(_feature(name),),
        )
    yield from _editor(reader, document)


def _feature(name: str) -> Package:
    """Return what a feature is fetched as: an image of a registry, an archive at an address, a folder."""
    if "://" in name:
        return build_package(name, "archive")
    return build_package(name, "local" if name.startswith(".") else "image")


def _command(reader: PluginReader, document: Document, path: Path, name: str) -> Iterator[Component]:
    """Describe a command: a line for a shell, program and arguments, or several at once by name."""
    value = lookup(document.value, path)
    gate = _ON_HOST if path[0] == _HOST else _INSIDE
    trigger, transport = ("open", "exec") if path[0] == _HOST else ("start", "container")
    if isinstance(value, str):
        line = line_component(reader, document, path, kind=ComponentKind.SCRIPT, name=name, trigger=trigger, gate=gate)
        yield line._replace(transport=transport)
    elif isinstance(value, list):
        words = reader.texts(document, path)
        yield Component(
            kind=ComponentKind.SCRIPT,
            name=name,
            file=document.file,
            span=document.locate(path),
            transport=transport,
            command=words,
            trigger=trigger,
            gate=gate,
            entry=entry_file(words, None, reader.is_launchable) if words else None,
        )
    elif isinstance(value, dict):
        for key in value:
            yield from _command(reader, document, (*path, key), f"{name} {key}")


def _editor(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what a container sets in the editor: extensions that are installed unasked, servers, and settings."""
    path = ("customizations", "vscode")
    names = reader.texts(document, (*path, "extensions"))
    for at, name in enumerate(names):
        yield Component(
            kind=ComponentKind.SOURCE,
            name=name,
            file=document.file,
            span=document.locate_value((*path, "extensions", at)),
            trigger="open",
            gate=_INSIDE,
        )
    for keys in (("mcp", "servers"), ("settings", "mcp", "servers")):
        yield from (one._replace(gate=_INSIDE) for one in server_components(reader, document, (*path, *keys)))
    if reader.table(document, (*path, "settings")):
        from plugseal.systems.vscode.keys import SETTINGS

        found = setting_components(reader, document, SETTINGS, trigger="open", path=(*path, "settings"), flat=True)
        yield from (component._replace(gate=_INSIDE) for component in found)


def _compose(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the services of a Compose file, and by what they reach the host."""
    document = reader.merged_yaml(file)
    if document is None:
        return
    reader.expect_keys(document, {k: v for k, v in reader.table(document).items() if not k.startswith("x-")}, _COMPOSE)
    for name, service in reader.table(document, ("services",)).items():
        path: Path = ("services", name)
        if not isinstance(service, dict):
            reader.fault_at(document, path, "must be a table")
            continue
        granted = [f"{key} = {compact(service[key])}" for key in _REACHES if service.get(key) not in (None, False, [])]
        granted += [f"volume {volume}" for volume in _host_volumes(service.get("volumes"))]
        if granted:
            component = granting(document, path, f"service {name}", granted, trigger="command")
            yield component._replace(gate="docker compose up")
        yield from _service_runs(reader, document, path, service)
        image = service.get("image")
        built = service.get("build") is not None
        yield Component(
            kind=ComponentKind.SOURCE,
            name=f"service {name}",
            file=file,
            span=document.locate(path),
            trigger="command",
            gate=_SERVICE,
            packages=(build_package(image, "image"),) if isinstance(image, str) and not built else (),
            extra=tuple(sorted((("image", compact(image)), *extras(service, frozenset({"image", "environment"}))))),
        )


def _service_runs(
    reader: PluginReader, document: Document, path: Path, service: Mapping[str, object]
) -> Iterator[Component]:
    """Describe what a service starts, how its health is asked for, and the variables that it is given."""
    name = f"service {path[-1]}"
    for key in ("entrypoint", "command"):
        words = _words(service.get(key))
        if words and not words[0].startswith("-"):
            yield _started(document, (*path, key), f"{name} {key}", words)
    check = service.get("healthcheck")
    test = check.get("test") if isinstance(check, dict) else None
    at = (*path, "healthcheck", "test")
    if isinstance(test, str) and test != "NONE":
        yield _started(document, at, f"{name} healthcheck", (test,), is_line=True)
    elif isinstance(test, list) and test[:1] in (["CMD"], ["CMD-SHELL"]):
        words = _words(test[1:])
        if words:
            yield _started(document, at, f"{name} healthcheck", words, is_line=test[0] == "CMD-SHELL")
    if isinstance(service.get("environment"), dict):
        sources, literals = environment(reader, document, (*path, "environment"))
        yield Component(
            kind=ComponentKind.SETTING,
            name=f"{name} environment",
            file=document.file,
            span=document.locate((*path, "environment")),
            transport="container",
            environment=sources,
            literals=literals,
            trigger="command",
            gate=_SERVICE,
        )


def _started(document: Document, path: Path, name: str, words: tuple[str, ...], *, is_line: bool = False) -> Component:
    return Component(
        kind=ComponentKind.SCRIPT,
        name=name,
        file=document.file,
        span=document.locate(path),
        transport="container",
        command=words[:1] if is_line else words,
        shell=is_line,  # nosec B604  # a field
        trigger="command",
        gate=_SERVICE,
        places=(("command.0", document.locate_value(path)),),
    )


def _words(value: object) -> tuple[str, ...]:
    """Return a command's words: a list as it is, a text as Compose takes it apart, which gives it to no shell."""
    if isinstance(value, str):
        try:
            return tuple(shlex.split(value))
        except ValueError:
            return (value,)
    return tuple(word for word in value if isinstance(word, str)) if isinstance(value, list) else ()


def _host_volumes(value: object) -> Iterator[str]:
    """Yield mounts of places of the host outside the folder."""
    for item in value if isinstance(value, list) else []:
        text = item.get("source") if isinstance(item, dict) else item
        if isinstance(text, str) and text.startswith(("/", "~", "$", "../")):
            yield text


READERS: Final[dict[str, Reader]] = {"container.dev": _dev, "container.compose": _compose}

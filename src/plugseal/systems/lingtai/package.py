"""One package as lingtai reads it: what it takes as skills and servers, what it skips, and what it crashes on.

lingtai looks at less than the specification asks and at some things that it should not; what it lets through is said
beside what it loads. It walks groups of skills by recursion without a limit, so a circle of links inside the package
ends it. A crash ends the boot of the whole agent: nothing of any plugin is registered then.

See: https://github.com/Lingtai-AI/lingtai-kernel/blob/main/src/lingtai/services/plugin_registry.py
"""

from __future__ import annotations

from collections.abc import Mapping

from plugseal.model.plugin import SKILL_FILE
from plugseal.patterns import lazy
from plugseal.systems.agent_plugins.paths import resolve_inside, trace
from plugseal.systems.agent_plugins.rules import MCP_SCHEMA, PLUGIN_SCHEMA
from plugseal.systems.lingtai.documents import read_loosely
from plugseal.systems.lingtai.paths import Gated, gate
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.system import Listing

_NAME = lazy(r"^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$")  # `$` as lingtai has it
_MAX_NAME_CHARACTERS = 64
_TYPES = ("sse", "stdio", "streamable-http")
_MAX_GROUP_DEPTH = 256
"""Groups within groups; lingtai's walk recurses once for each and ends near 1,000."""
_MAX_FOLDERS = 20_000
"""Folders that one walk looks at; links can show the same ones any number of times."""


class LingtaiPackage:
    """What lingtai has in hand after it read a package."""

    __slots__ = ("crashes", "gated", "leaks", "name", "problems", "rejected", "servers", "skills")

    def __init__(self) -> None:
        self.name = ""
        self.rejected = ""
        """Why the plugin is rejected, empty if it is not."""
        self.skills: list[str] = []
        self.servers: dict[str, dict[str, object]] = {}
        """By name, sorted, paths rewritten."""
        self.gated: list[tuple[str, str, str, Gated]] = []
        """(server, field, value as declared, what became of it) for all that the gate touched."""
        self.problems: list[tuple[str, str]] = []
        """(component, reason) of what is skipped."""
        self.crashes: list[str] = []
        self.leaks: list[tuple[str, str]] = []
        """(component, what) that it reads or mounts from outside the package."""


def read_package(reader: PluginReader) -> LingtaiPackage:
    """Return a package as lingtai reads it."""
    package = LingtaiPackage()
    manifest = read_loosely(reader, "plugin.json")
    if manifest is None:
        package.rejected = "cannot read plugin.json: no such file"
        return package
    package.crashes += [manifest.crash] if manifest.crash else []
    package.leaks += [("plugin.json", manifest.leak)] if manifest.leak else []
    package.rejected = manifest.error or manifest.crash or manifest.leak or _check_manifest(manifest.value)
    if not package.rejected and isinstance(manifest.value, dict):
        package.name = str(manifest.value["name"])
        _Skills(reader, package).walk()
        _read_servers(reader, package)
    return package


def _check_manifest(payload: object) -> str:
    if not isinstance(payload, dict):
        return "plugin.json must be a JSON object"
    schema, name = payload.get("$schema"), payload.get("name")
    if not isinstance(schema, str) or not schema:
        return "missing or non-string required field: $schema"
    if schema != PLUGIN_SCHEMA:
        return f"unsupported $schema {schema!a}: this kernel understands {PLUGIN_SCHEMA!a} (Agent Plugins v1.0.0)"
    if not isinstance(name, str) or not name:
        return "missing or non-string required field: name"
    if len(name) > _MAX_NAME_CHARACTERS:
        return f"name too long ({len(name)} > {_MAX_NAME_CHARACTERS} chars)"
    if not _NAME.match(name):
        return f"invalid name {name!a}: must match {_NAME.pattern}"
    return _check_optional(payload)


def _check_optional(payload: Mapping[str, object]) -> str:
    for key in ("version", "description", "homepage", "repository", "license"):
        if payload.get(key) is not None and not isinstance(payload[key], str):
            return f"{key} must be a string when present"
    words = payload.get("keywords")
    if words is not None and not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
        return "keywords must be a list of strings when present"
    for key in ("author", "extensions"):
        if payload.get(key) is not None and not isinstance(payload[key], dict):
            return f"{key} must be an object when present"
    return ""


def _read_servers(reader: PluginReader, package: LingtaiPackage) -> None:
    document = read_loosely(reader, "mcp.json")
    if document is None:
        return
    if document.leak:
        package.leaks.append(("mcp.json", document.leak))
        return
    if document.crash:
        package.crashes.append(document.crash)
        return
    why = document.error or _check_configuration(document.value)
    if why or not isinstance(document.value, dict):
        package.problems.append(("mcp.json", why))
        return
    servers = document.value["mcpServers"]
    for name in sorted(servers):
        spec, why = _resolved(reader.listing, reader.root, name, servers[name], package)
        if spec is None:
            package.problems.append((f"mcp:{name}", f"server {name!a} skipped: {why}"))
        else:
            package.servers[name] = spec


def _check_configuration(payload: object) -> str:
    if not isinstance(payload, dict):
        return "mcp.json must be a JSON object"
    schema = payload.get("$schema")
    if schema != MCP_SCHEMA:
        known = f"this kernel understands {MCP_SCHEMA!a} (Agent Plugins v1.0.0)"
        return f"unsupported mcp.json $schema {schema!a}: {known}"
    return "" if isinstance(payload.get("mcpServers"), dict) else "mcpServers must be an object"


def _resolved(
    listing: Listing, root: str, server: str, spec: object, package: LingtaiPackage
) -> tuple[dict[str, object] | None, str]:
    """Return a server with its paths rewritten, or None and the first thing that lingtai has against it."""
    if not isinstance(spec, dict):
        return None, "configuration must be an object"
    kind = spec.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        if isinstance(kind, (dict, list)):
            package.crashes.append(f"TypeError: the type of server {server!a} can't be looked up in a set")
        return None, f"invalid type {kind!a}, must be one of {list(_TYPES)}"
    resolved = dict(spec)
    why = _gate_all(listing, root, server, resolved, package) or _check_shape(spec, kind)
    return (None, why) if why else (resolved, "")


def _gate_all(listing: Listing, root: str, server: str, spec: dict[str, object], package: LingtaiPackage) -> str:
    """Put every path of a server through the gate, rewriting them in place; return why it is skipped, or nothing."""

    def passed(field_name: str, value: str) -> Gated:
        gated = gate(listing, root, value)
        if gated.becomes != value or gated.why:
            package.gated.append((server, field_name, value, gated))
        if gated.crashes:
            package.crashes.append(f"ValueError: `{field_name}` of server {server!a} holds NUL")
        return gated

    for key in ("command", "cwd"):
        value = spec.get(key)
        if value is None:
            continue
        if not isinstance(value, str):
            return f"{key} must be a string when present"
        gated = passed(key, value)
        if gated.becomes is None:
            return f"{key}: {gated.why}"
        spec[key] = gated.becomes
    words = spec.get("args")
    if words is None:
        return ""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return "args must be a list of strings when present"
    found = [passed(f"args[{number}]", word) for number, word in enumerate(words)]
    refused = next((number for number, gated in enumerate(found) if gated.becomes is None), None)
    if refused is not None:
        return f"args[{refused}]: {found[refused].why}"
    spec["args"] = [gated.becomes for gated in found]
    return ""


def _check_shape(spec: Mapping[str, object], kind: str) -> str:
    for key in ("env", "headers"):
        table = spec.get(key)
        if table is None:
            continue
        if not isinstance(table, dict):
            return f"{key} must be an object when present"
        if not all(isinstance(value, str) for value in table.values()):
            return f"{key} must map strings to strings"
    needed = "command" if kind == "stdio" else "url"
    value = spec.get(needed)
    return "" if isinstance(value, str) and value else f"{kind} transport requires a non-empty {needed!a}"


class _Skills:
    """lingtai's walk over `skills/`."""

    def __init__(self, reader: PluginReader, package: LingtaiPackage) -> None:
        self._listing = reader.listing
        self._reader = reader
        self._package = package
        self._looked_at = 0

    def walk(self) -> None:
        """List every skill that lingtai would mount, and every problem and crash on the way."""
        if resolve_inside(self._listing, self._reader.root, "skills") is None:
            self._package.problems.append(("skills", "skills/: plugin-relative path escapes plugin root: './skills'"))
        elif self._reader.is_directory("skills"):
            self._walk("skills", "", (self._reader.real("skills"),))

    def _walk(self, folder: str, prefix: str, above: tuple[str | None, ...]) -> None:
        if len(above) > _MAX_GROUP_DEPTH or self._looked_at > _MAX_FOLDERS:
            self._crash(f"the groups below `{folder}` nest or repeat without end")
            return
        for name in self._reader.names(folder):
            path, label = f"{folder}/{name}", f"{prefix}{name}"
            self._looked_at += 1
            if name.startswith("."):
                continue
            end = trace(self._listing, self._reader.root, path)
            if end.inner is None and not end.in_circle:
                self._skip(label, f"plugin-relative path escapes plugin root: './{path}'")
            elif self._reader.is_directory(path):
                self._take(path, label, above)

    def _take(self, path: str, label: str, above: tuple[str | None, ...]) -> None:
        skill = f"{path}/{SKILL_FILE}"
        if self._leads_out(skill):
            self._package.skills.append(label)
            self._package.leaks.append(
                (f"skills/{label}", f"`{SKILL_FILE}` is a link out of the plugin: mounted unseen")
            )
        elif self._reader.is_file(skill):
            self._package.skills.append(label)
        elif any(
            not n.startswith(".") and not self._reader.is_directory(f"{path}/{n}") for n in self._reader.names(path)
        ):
            self._skip(label, f"no {SKILL_FILE} and has loose files — corrupted")
        elif self._reader.real(path) in above:
            self._crash(f"`{path}` leads back to a folder above it")
        else:
            self._walk(path, f"{label}/", (*above, self._reader.real(path)))

    def _leads_out(self, file: str) -> bool:
        folder, _, name = file.rpartition("/")
        return name in self._reader.names(folder) and resolve_inside(self._listing, self._reader.root, file) is None

    def _skip(self, label: str, why: str) -> None:
        self._package.problems.append((f"skills/{label}", f"skill {label!a} skipped: {why}"))

    def _crash(self, why: str) -> None:
        said = f"RecursionError: {why}"
        if said not in self._package.crashes:
            self._package.crashes.append(said)

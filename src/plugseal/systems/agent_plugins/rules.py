"""The specification's rules for `plugin.json` and `mcp.json`, on parsed data; every broken rule is said, at once.

Whoever asks decides what a problem costs: the plugin, the servers, one server. Arguments and the values of variables
are opaque and never looked at. Nothing is expanded, started or fetched.

See: https://github.com/agentplugins/agent-plugins-spec/blob/main/spec/1.0.0.md
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from plugseal.model.verdict import Reported
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.reading.reader import Path, kind_of

PLUGIN_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
MCP_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
FIELDS = frozenset("$schema name version description author homepage repository license keywords extensions".split())
_TEXTS = ("version", "description", "homepage", "repository", "license")
_AUTHOR = frozenset({"name", "email", "url"})
_NAME = lazy(r"(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\Z", re.DOTALL)
_MAX_NAME_CHARACTERS = 64
_SCHEMA_OF_ANOTHER_VERSION = lazy(r"https://agent-plugins\.org/schemas/[0-9][^/]*/mcp\.schema\.json\Z")
_STDIO = frozenset({"type", "command", "args", "env", "cwd"})
_REMOTE = frozenset({"type", "url", "headers"})
VARIANTS: dict[str, frozenset[str]] = {"stdio": _STDIO, "streamable-http": _REMOTE, "sse": _REMOTE}
"""Transport to all fields that its servers may have."""
_RESERVED = ("PLUGIN_ROOT", "PLUGIN_DATA")
_CWD = lazy(r"(?:\./|\$\{PLUGIN_ROOT\}(?:/|\Z)|(\$\{PLUGIN_DATA\})(?:/|\Z))")
_NOT_IN_A_NAME = lazy(r"[\s/\\\x00-\x1f\x7f]|\A[A-Za-z]:|\A\.{1,2}\Z")
_CONTROL = lazy(r"[\x00-\x1f\x7f]")
IsInside = Callable[[str], bool]
"""Says whether a path relative to the plugin's root stays inside, links followed."""


class Problem(NamedTuple):
    """A rule that a document breaks."""

    path: Path
    """Where in the document."""
    why: str
    """Reads well behind the field; hostile text inside is for `shown()`."""


def check_manifest(manifest: Mapping[str, object]) -> Iterator[Problem]:
    """Yield everything in a manifest that rejects the plugin (5.2 to 5.5)."""
    schema = manifest.get("$schema")
    if schema != PLUGIN_SCHEMA:
        yield Problem(("$schema",), "is missing" if "$schema" not in manifest else "is not a version that is known")
    yield from _check_name(manifest)
    for key in _TEXTS:
        if key in manifest and not isinstance(manifest[key], str):
            yield Problem((key,), f"must be text, not {kind_of(manifest[key])}")
    keywords = manifest.get("keywords", [])
    if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
        yield Problem(("keywords",), "must be a list of texts")
    yield from _check_author(manifest)
    extensions = manifest.get("extensions")
    for name, value in extensions.items() if isinstance(extensions, dict) else ():
        if not isinstance(value, dict):
            yield Problem(("extensions", name), f"must be a table, not {kind_of(value)}")


def reported_fields(manifest: Mapping[str, object]) -> tuple[Reported, ...]:
    """Return the fields of a manifest that are ignored and must be reported (5.2, 8.1), sorted."""
    found = [Reported(key, "is no field of the specification: ignored") for key in manifest if key not in FIELDS]
    if "extensions" in manifest and not isinstance(manifest["extensions"], dict):
        found.append(Reported("extensions", f"must be a table, not {kind_of(manifest['extensions'])}: ignored"))
    return tuple(sorted(found))


def check_configuration(configuration: Mapping[str, object]) -> Iterator[Problem]:
    """Yield everything in `mcp.json` that switches all servers off (7.2.1, 10.1)."""
    schema = configuration.get("$schema")
    if schema != MCP_SCHEMA:
        yield Problem(("$schema",), _schema_fault(configuration, schema))
    if not isinstance(configuration.get("mcpServers"), dict):
        is_there = "mcpServers" in configuration
        why = f"must be a table, not {kind_of(configuration['mcpServers'])}" if is_there else "is missing"
        yield Problem(("mcpServers",), why)
    for key in configuration:
        if key not in ("$schema", "mcpServers"):
            yield Problem((key,), "is no field of the specification")


def check_server(server: object, is_inside: IsInside) -> Iterator[Problem]:
    """Yield everything that makes one server invalid (7.2.1, 9.2); paths are those inside the server."""
    if not isinstance(server, dict):
        yield Problem((), f"must be a table, not {kind_of(server)}")
        return
    kind = server.get("type")
    if not isinstance(kind, str) or kind not in VARIANTS:
        why = "is missing" if "type" not in server else "must be one of `stdio`, `streamable-http` and `sse`"
        yield Problem(("type",), why)
        return
    for key in server:
        if key not in VARIANTS[kind]:
            yield Problem((key,), f"is no field of a server of the type `{kind}`")
    yield from _check_stdio(server, is_inside) if kind == "stdio" else _check_remote(server)


def _schema_fault(configuration: Mapping[str, object], schema: object) -> str:
    if "$schema" not in configuration:
        return "is missing"
    if isinstance(schema, str) and _SCHEMA_OF_ANOTHER_VERSION.match(schema):
        return "is of another version than `plugin.json`"
    return "is not a version that is known"


def _check_name(manifest: Mapping[str, object]) -> Iterator[Problem]:
    name = manifest.get("name")
    if not isinstance(name, str):
        why = f"must be text, not {kind_of(name)}" if "name" in manifest else "is missing"
        yield Problem(("name",), why)
    elif not name:
        yield Problem(("name",), "must not be blank")
    elif len(name) > _MAX_NAME_CHARACTERS:
        yield Problem(("name",), f"is longer than {_MAX_NAME_CHARACTERS} characters")
    elif not _NAME.match(name):
        yield Problem(
            ("name",), "must be a-z, 0-9, `.` and `-`, begin and end with a letter or digit, without `--` and `..`"
        )


def _check_author(manifest: Mapping[str, object]) -> Iterator[Problem]:
    if "author" not in manifest:
        return
    author = manifest["author"]
    if not isinstance(author, dict):
        yield Problem(("author",), f"must be a table, not {kind_of(author)}")
        return
    for key, value in author.items():
        if key not in _AUTHOR:
            yield Problem(("author", key), "is no field of an author")
        elif not isinstance(value, str):
            yield Problem(("author", key), f"must be text, not {kind_of(value)}")


def _check_stdio(server: Mapping[str, object], is_inside: IsInside) -> Iterator[Problem]:
    why = _command_fault(server, is_inside)
    if why:
        yield Problem(("command",), why)
    arguments = server.get("args", [])
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        yield Problem(("args",), "must be a list of texts")
    yield from _check_environment(server)
    if "cwd" in server:
        why = _folder_fault(server["cwd"], is_inside)
        if why:
            yield Problem(("cwd",), why)


def _command_fault(server: Mapping[str, object], is_inside: IsInside) -> str | None:
    command = server.get("command")
    if not isinstance(command, str):
        return f"must be text, not {kind_of(command)}" if "command" in server else "is missing"
    if not command:
        return "must not be blank"
    if command.startswith("./"):
        if _CONTROL.search(command):
            return "holds a control character"
        return None if is_inside(command) else "leads out of the plugin"
    if _NOT_IN_A_NAME.search(command):
        return "must be one bare name, or a path that begins with `./`; nothing is expanded in it"
    return None


def _check_environment(server: Mapping[str, object]) -> Iterator[Problem]:
    table = server.get("env", {})
    if not isinstance(table, dict):
        yield Problem(("env",), f"must be a table, not {kind_of(table)}")
        return
    for name, value in table.items():
        if name in _RESERVED:
            yield Problem(("env", name), f"`{name}` is set by the client alone")
        elif not isinstance(value, str):
            yield Problem(("env", name), f"must be text, not {kind_of(value)}")


def _folder_fault(folder: object, is_inside: IsInside) -> str | None:
    if not isinstance(folder, str):
        return f"must be text, not {kind_of(folder)}"
    head = _CWD.match(folder)
    if head is None or _CONTROL.search(folder):
        return "must begin with `./`, `${PLUGIN_ROOT}` or `${PLUGIN_DATA}`"
    rest = folder[head.end() :].lstrip("/")
    if head[1]:
        # The data folder is the client's and empty here: what is written must not climb out of it.
        return None if _stays(rest) else "leads out of the plugin's data"
    return None if is_inside(rest) else "leads out of the plugin"


def _stays(path: str) -> bool:
    depth = 0
    for part in path.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return False
    return True


def _check_remote(server: Mapping[str, object]) -> Iterator[Problem]:
    from plugseal.systems.agent_plugins.web import check_headers, check_url

    url = server.get("url")
    if not isinstance(url, str):
        yield Problem(("url",), f"must be text, not {kind_of(url)}" if "url" in server else "is missing")
    elif why := check_url(url) if url else "must not be blank":
        yield Problem(("url",), why)
    headers = server.get("headers", {})
    if isinstance(headers, dict):
        yield from (Problem(("headers", *path), why) for path, why in check_headers(headers))
    else:
        yield Problem(("headers",), f"must be a table, not {kind_of(headers)}")

"""MCP servers as every client spells them: one table by name, each server with full launch data.

The spellings differ in the names of few keys. What has no field of its own goes whole into `extra`, so that a receipt
covers keys that nobody has heard of yet. A server that makes no sense is a fault of its own and hides no other.
"""

from __future__ import annotations

from collections.abc import Mapping

from plugseal.limits import MAX_ARGUMENTS
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.launching.launch import entry_file, exact_variable, shell_commands, shell_entry, variables
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, kind_of

_URL_KEYS = ("url", "httpUrl", "serverUrl", "endpoint", "uri", "tcp")
_HEADER_TABLES = ("headers", "http_headers", "env_headers", "env_http_headers")
_UNDERSTOOD = frozenset(_URL_KEYS + _HEADER_TABLES) | frozenset(
    "command args env environment cwd type transport transportType bearer_token_env_var name description enabled "
    "disabled required timeout timeouts connect_timeout execute_timeout read_timeout startup_timeout_sec "
    "tool_timeout_sec enabled_tools disabled_tools includeTools excludeTools alwaysAllow autoApprove trust scopes "
    "headersHelper gallery id settings source version env_vars oauth oauth_resource note "
    "supports_parallel_tool_calls startup_timeout_ms authProviderType targetAudience targetServiceAccount envFile "
    "dev sandbox sandboxEnabled auth tools default_tools_approval_mode alwaysLoad environment_id codemode "
    "disabledTools oauthScopes connectionTimeout serverName faviconUrl sourceFile sourceSlug apiKey "
    "requestOptions".split()
)
"""Keys whose meaning is known: they start nothing, or a component says what."""
_SWITCHES = frozenset({"enabled", "disabled"})
"""Of a server that is described elsewhere: a table may only switch it."""
_LINE = lazy(
    r"(?:npx|uvx|bunx|pnpx|node|deno|bun|npm|pnpm|yarn|python[0-9.]*|uv|pipx|docker|podman|(?:ba|z)?sh|cmd|pwsh|powershell)"
    r"(?:\.exe|\.cmd)?[ \t]+\S"
)
"""A program that everybody has, and more behind it."""
_TABLES = (
    ("env", "env"),
    ("environment", "env"),
    ("headers", "header"),
    ("http_headers", "header"),
    ("env_headers", "header"),
    ("env_http_headers", "header"),
)
_TRANSPORTS = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamableHttp": "http",
    "remote": "http",
    "ws": "http",
    "websocket": "http",
    "sse": "sse",
}


def server_components(reader: PluginReader, document: Document, path: Path) -> tuple[Component, ...]:
    """Describe all servers of a table.

    Args:
        reader: takes the faults.
        document: the manifest.
        path: where the table of servers stands in it.
    """
    found = []
    for name, spec in reader.declared(document, path).items():
        place = (*path, name)
        if not isinstance(spec, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(spec)}")
            continue
        found.append(server_component(reader, document, place, spec))
        if spec.get("headersHelper") is not None:
            found.append(_headers_helper(reader, document, (*place, "headersHelper"), name))
    return tuple(found)


def server_component(reader: PluginReader, document: Document, path: Path, spec: Mapping[str, object]) -> Component:
    """Describe one server, called by the last step of its path."""
    reader.expect_keys(document, spec, _UNDERSTOOD, at=path)
    return _server(reader, document, path, spec)


def environment(
    reader: PluginReader, document: Document, path: Path
) -> tuple[tuple[tuple[str, str | None], ...], tuple[tuple[str, str], ...]]:
    """Return the environment at a path as (destination, source) pairs and (destination, literal) pairs.

    A value that is more than one exact reference stands among the literals as written, with the first variable that
    it asks for as its source.
    """
    sources: list[tuple[str, str | None]] = []
    literals: list[tuple[str, str]] = []
    for name, value in reader.table(document, path).items():
        text = value if isinstance(value, str) else compact(value)
        if isinstance(value, (dict, list)):
            reader.fault_at(document, (*path, name), f"must be text, not {kind_of(value)}")
        exact = exact_variable(text)
        asked = variables(text)
        sources.append((name, exact or (asked[0] if asked else None)))
        if exact is None:
            literals.append((name, text))
    return tuple(sorted(sources, key=lambda pair: pair[0])), tuple(sorted(literals))


def argument_vector(
    reader: PluginReader, document: Document, path: Path, spec: Mapping[str, object]
) -> tuple[str, ...]:
    """Return program and arguments of a table with `command` (text, or the whole vector as a list) and `args`."""
    command = spec.get("command")
    if isinstance(command, list):
        words = reader.texts(document, (*path, "command"))
    else:
        text = reader.text(document, (*path, "command"))
        words = (text,) if text else ()
        if spec.get("args") is None and _LINE.match(text):
            lines = shell_commands(text)  # A whole line in the place of a program: some clients take it apart.
            words = tuple(lines[0]) if len(lines) == 1 else words
    arguments = reader.texts(document, (*path, "args"))
    return words + arguments if words else ()


def launch_places(document: Document, path: Path, spec: Mapping[str, object]) -> tuple[tuple[str, Span], ...]:
    """Return where the parts of a launch table stand: words of the command, environment, headers, other keys."""
    command, arguments = spec.get("command"), spec.get("args")
    keys: list[tuple[str, Path]] = []
    if isinstance(command, list):
        keys += [(f"command.{i}", (*path, "command", i)) for i in range(len(command))]
    elif command is not None:
        keys.append(("command.0", (*path, "command")))
    if isinstance(arguments, list):
        first = len(keys)
        keys += [(f"command.{first + i}", (*path, "args", i)) for i in range(len(arguments))]
    for table, part in _TABLES:
        inner = spec.get(table)
        if isinstance(inner, dict):
            keys += [(f"{part}.{name}", (*path, table, name)) for name in inner]
    keys += [("endpoint", (*path, key)) for key in _URL_KEYS if spec.get(key) is not None]
    keys += [("cwd", (*path, "cwd"))] if spec.get("cwd") is not None else []
    places = [(part, document.locate_value(where)) for part, where in keys]
    places += [(f"extra.{key}", document.locate((*path, key))) for key in spec]
    return tuple(places)


def not_taken(spec: Mapping[str, object], taken: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return all of a launch table that its component does not hold whole, so that a receipt binds it all the same.

    Args:
        spec: the table.
        taken: keys that the component has a field for; they count as taken only if their values have its shape.
    """
    whole = {key for key in taken if _has_shape(key, spec.get(key))}
    if "command" not in whole:
        whole.discard("args")
    return extras(spec, frozenset(whole))


def _has_shape(key: str, value: object) -> bool:
    if key in ("args", "command") and isinstance(value, list):
        return all(isinstance(word, str) for word in value)
    if key in ("env", "environment", *_HEADER_TABLES):
        return isinstance(value, dict)
    return isinstance(value, str) and key != "args"


def _server(reader: PluginReader, document: Document, path: Path, spec: Mapping[str, object]) -> Component:
    argv = argument_vector(reader, document, path, spec)
    url_key = next((key for key in _URL_KEYS if spec.get(key) is not None), None)
    endpoint = reader.text(document, (*path, url_key)) if url_key else ""
    if not argv and not endpoint and not spec.keys() <= _SWITCHES:
        reader.fault_at(document, path, "has neither a command nor a URL")
    elif argv and endpoint:
        reader.fault_at(document, path, "has both a command and a URL")
    declared = spec.get("type", spec.get("transport", spec.get("transportType")))
    transport = _TRANSPORTS.get(declared, "") if isinstance(declared, str) else ""
    if not transport and declared is not None and not isinstance(declared, dict):
        reader.fault_at(document, path, f"has a transport that is not known: {compact(declared)}")
    env_key = "environment" if "environment" in spec and "env" not in spec else "env"
    sources, literals = environment(reader, document, (*path, env_key))
    sources = tuple(sorted({*sources, *_forwarded(reader, document, path, spec)}, key=lambda pair: pair[0]))
    cwd = reader.text(document, (*path, "cwd")) or None
    line_key = url_key if endpoint and not argv else "command"
    taken = frozenset({"command", "args", "cwd", "bearer_token_env_var", env_key, url_key or "", *_HEADER_TABLES})
    return Component(
        kind=ComponentKind.SERVER,
        name=str(path[-1]),
        file=document.file,
        span=document.locate((*path, line_key or "command")),
        transport=transport or ("stdio" if argv else "http" if endpoint else ""),
        command=argv,
        cwd=cwd,
        environment=sources,
        literals=literals,
        endpoint=endpoint or None,
        headers=_headers(reader, document, path, spec),
        trigger="start",
        entry=entry_file(argv[:MAX_ARGUMENTS], cwd, reader.is_launchable) if argv else None,
        extra=not_taken(spec, taken),
        places=launch_places(document, path, spec),
    )


def _forwarded(
    reader: PluginReader, document: Document, path: Path, spec: Mapping[str, object]
) -> tuple[tuple[str, str | None], ...]:
    """Return the variables that a server is given from the client's own environment, by their names."""
    listed = spec.get("env_vars")
    if not isinstance(listed, list):
        return ()
    names = [item.get("name") if isinstance(item, dict) else item for item in listed]
    if not all(isinstance(name, str) for name in names):
        reader.fault_at(document, (*path, "env_vars"), "must be a list of names")
    return tuple((name, name) for name in names if isinstance(name, str))


def _headers(
    reader: PluginReader, document: Document, path: Path, spec: Mapping[str, object]
) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for key in _HEADER_TABLES:
        for name, value in reader.table(document, (*path, key)).items():
            text = value if isinstance(value, str) else compact(value)
            found.append((name, "${" + text + "}" if key.startswith("env_") else text))
    bearer = spec.get("bearer_token_env_var")
    if bearer is not None:
        found.append(("Authorization", f"Bearer ${{{reader.text(document, (*path, 'bearer_token_env_var'))}}}"))
    return tuple(sorted(found))


def _headers_helper(reader: PluginReader, document: Document, path: Path, name: str) -> Component:
    line = reader.text(document, path)
    return Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
        kind=ComponentKind.COMMAND,
        name=f"{name}.headersHelper",
        file=document.file,
        span=document.locate(path),
        transport="exec",
        command=(line,),
        shell=True,
        trigger="start",
        entry=shell_entry(line, reader.is_launchable),
    )

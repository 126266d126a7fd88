"""The servers of a client's configuration, and the same text with other commands: every other byte stays.

JSON (with comments) and TOML, under the keys by which clients name their servers. Nothing is written anew from what was
parsed: the places of two values are replaced in the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from plugseal.encode.json import index_json, parse_json
from plugseal.encode.places import Places, Pointer
from plugseal.encode.toml import index_toml, parse_toml
from plugseal.errors import DataError
from plugseal.records import NamedTuple

TABLES: Final = ("mcpServers", "servers", "mcp_servers", "mcp", "context_servers")
"""Claude, Cursor, Windsurf and Gemini; VS Code; Codex; VS Code's settings (`mcp.servers`); Zed."""
_ADDRESSES: Final = ("url", "serverUrl", "httpUrl")


class Launcher(NamedTuple):
    """One server that a client starts."""

    pointer: tuple[str, ...]
    """The way to its table."""
    command: str
    args: tuple[str, ...]
    cwd: str
    """As written; empty for none."""
    environment: tuple[tuple[str, object], ...] = ()
    """What it sets in the environment of what it starts, as written; hostile text."""

    @property
    def name(self) -> str:
        """Return its name; hostile text."""
        return self.pointer[-1]

    @property
    def words(self) -> tuple[str, ...]:
        """Return the whole command."""
        return (self.command, *self.args)

    @property
    def is_clear(self) -> bool:
        """Say whether command and arguments are texts, as every client reads them."""
        return bool(self.command)


def find_launchers(data: bytes, *, toml: bool) -> tuple[Launcher, ...]:
    """Return the servers that a configuration starts by a command, those with a command that is no text too.

    Args:
        data: all bytes of the file.
        toml: whether it is TOML, else JSON, in which comments are allowed.

    Raises:
        DataError: it can't be read without doubt.
    """
    value = parse_toml(data) if toml else parse_json(data, comments=True)
    return tuple(_launchers(value, ()))


def find_remote(data: bytes, *, toml: bool) -> tuple[str, ...]:
    """Return the names of the servers that a client asks at an address, and starts by no command.

    Raises:
        DataError: as `find_launchers`.
    """
    value = parse_toml(data) if toml else parse_json(data, comments=True)
    return tuple(
        way[-1]
        for way, server in _servers(value, ())
        if server.get("command") is None and any(isinstance(server.get(key), str) for key in _ADDRESSES)
    )


def replace_launchers(data: bytes, commands: Mapping[tuple[str, ...], Sequence[str]], *, toml: bool) -> bytes:
    """Return a configuration in which some servers have another command.

    Args:
        data: all bytes of the file.
        commands: from a server's pointer to its new command and arguments.
        toml: whether it is TOML.

    Raises:
        DataError: what it became would not say exactly that.
    """
    text = data.decode("utf-8")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    places = index_toml(data) if toml else index_json(data, comments=True)
    edits: list[tuple[int, int, str]] = []
    for pointer, words in commands.items():
        edits += _edits(text.removeprefix(mark), places, pointer, words, toml=toml)
    plain = text.removeprefix(mark)
    for start, end, new in sorted(edits, reverse=True):
        plain = plain[:start] + new + plain[end:]
    found = (mark + plain).encode("utf-8")
    _verify(data, found, commands, toml=toml)
    return found


def _launchers(value: Any, way: tuple[str, ...]) -> Iterator[Launcher]:  # Any: data, looked at field by field
    for place, server in _servers(value, way):
        if server.get("command") is not None:
            yield _launcher(server, place)
    for place in _listed(value, way):
        yield Launcher(place, "", (), "")


def _listed(value: Any, way: tuple[str, ...]) -> Iterator[tuple[str, ...]]:  # Any: as above
    """Yield the ways to servers that stand in a list: some clients start them, and nobody names them by a key."""
    for key in TABLES:
        table = value.get(key) if isinstance(value, dict) else None
        if isinstance(table, dict):
            yield from _listed(table, (*way, key))
        for number, server in enumerate(table if isinstance(table, list) else ()):
            if isinstance(server, dict) and server.get("command") is not None:
                name = server.get("name")
                yield *way, key, name if isinstance(name, str) else str(number)


def _servers(value: Any, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:  # Any: as above
    for key in TABLES:
        table = value.get(key) if isinstance(value, dict) else None
        if not isinstance(table, dict):
            continue
        yield from _servers(table, (*way, key))
        for name, server in table.items():
            if isinstance(server, dict):
                yield (*way, key, name), server
    projects = value.get("projects") if isinstance(value, dict) and not way else None
    for path, project in projects.items() if isinstance(projects, dict) else ():
        yield from _servers(project, ("projects", path))


def _launcher(server: Mapping[str, Any], way: tuple[str, ...]) -> Launcher:
    command, args, cwd, env = (server.get(key) for key in ("command", "args", "cwd", "env"))
    given = [command, *args] if isinstance(args, list) else [command] if args is None else [None]
    words = [word for word in given if isinstance(word, str)]
    if len(words) != len(given):
        words = [""]  # some client may start it all the same
    return Launcher(
        way,
        words[0],
        tuple(words[1:]),
        cwd if isinstance(cwd, str) else "",
        tuple(env.items()) if isinstance(env, dict) else (),
    )


def _edits(
    text: str, places: Places, pointer: Pointer, words: Sequence[str], *, toml: bool
) -> Iterator[tuple[int, int, str]]:
    command, args = places.offsets((*pointer, "command")), places.offsets((*pointer, "args"))
    if command is None:
        raise DataError(f"the command of `{pointer[-1]}` can't be found in the text")
    first, rest = json.dumps(words[0]), json.dumps(list(words[1:]))
    if args is not None:
        yield (*command, first)
        yield (*args, rest)
    elif not toml:
        yield (*command, f'{first}, "args": {rest}')
    else:
        is_inline = text[command[1] :].lstrip(" \t")[:1] in (",", "}")
        yield (*command, f"{first}{', ' if is_inline else chr(10)}args = {rest}")


def _verify(before: bytes, after: bytes, commands: Mapping[tuple[str, ...], Sequence[str]], *, toml: bool) -> None:
    old = {one.pointer: one.words for one in find_launchers(before, toml=toml)}
    new = {one.pointer: one.words for one in find_launchers(after, toml=toml)}
    if new != {**old, **{pointer: tuple(words) for pointer, words in commands.items()}}:
        raise DataError("the configuration can't be changed without doubt")

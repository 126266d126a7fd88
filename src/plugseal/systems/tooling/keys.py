"""Settings of tools of which a few keys run something: tables of these keys, and what becomes of the others.

A table has one line for each key, `role: key key …`; a key XX
| role | what the value is | what becomes of it |
|---|---|---|
| `line` | a line for a shell, or a list of them | a command each |
| `words` | program and arguments, or a program | a command |
| `run` | a line for a shell, or program and arguments | a command |
| `module` | names of modules that the tool loads into itself, or paths | a module each |
| `fetch` | what the tool fetches: a package, a repository, an address | a source each |
| `remote` | a file of settings that is added, here or from an address | a source each that is an address |
| `image` | the image of a container | a source |
| `endpoint` | an address that the tool talks to | an endpoint |
| `registry` | an address that packages come from | a setting, as of other package managers |
| `environment` | a table of variables | a setting with this environment |
| `quiet` | anything | nothing |

Every other key runs nothing, as its tool's documentation has it, unless its own name speaks of running: such a key is
unknown and leaves the file unread, since it may be newer than the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.components.parts import line_component
from plugseal.systems.components.servers import environment
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.launching.pinning import build_package
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, dotted, lookup
from plugseal.systems.tooling.parts import folder_of_file, registry_setting

_SPEAKS: Final = lazy(
    r"(?i)(?:\A|_|-|[a-z](?=[A-Z]))(?:cmds?|commands?|command_?line|exec|executable|scripts?|shell|hooks?|program|"
    r"entry_?point|interpreter|plugins?|loaders?|presets?|require|runner|run)\Z"
)
"""Names of keys that commonly run or load something."""
_ODD: Final = lazy(rb"(?m)^[^#'\"\n]*[\s:-](![A-Za-z][\w-]*)(?=\s)|(?<=\n)---[ \t]*$(?!\A)")
"""What YAML of build servers has and no reader of data takes: tags of their own, several documents."""
_MAX_DEPTH: Final = 24


_WHOLE: Final = frozenset({"environment", "module"})
"""Roles of a value as a whole, whatever stands below it."""
_PROGRAMS: Final = frozenset({"command", "program", "entrypoint", "cmd"})
"""Keys of a program whose arguments stand beside it under `args`."""


class Keys(NamedTuple):
    """What a tool does with a file of settings."""

    roles: str
    """The table."""
    gate: str
    """What stands before all that it runs."""
    trigger: str = "command"
    form: str = "yaml"
    """`yaml`, `json` (with comments), `toml`, or `any`: JSON or YAML by its first character."""
    telling: frozenset[str] = frozenset()
    """Keys without any of which a file of this name is another's, or says nothing; empty where the name is enough."""


class _Node:
    __slots__ = ("below", "role")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.role = ""


@lru_cache(maxsize=64)
def _parse(roles: str) -> _Node:
    top = _Node()
    for line in roles.strip().splitlines():
        role, _, keys = line.strip().partition(": ")
        for key in keys.split():
            node = top
            for step in key.split("."):
                node = node.below.setdefault(step, _Node())
            node.role = role
    return top


def keyed_components(reader: PluginReader, file: str, keys: Keys) -> Iterator[Component]:
    """Describe what a file of settings runs, loads, fetches and sets.

    Args:
        reader: takes unknown keys and faults.
        file: relative to the reader's root.
        keys: what its tool does with it.
    """
    document = _document(reader, file, keys.form)
    if document is None:
        return
    if keys.telling and not (isinstance(document.value, dict) and keys.telling & document.value.keys()):
        return
    yield from components_below(reader, document, keys, ())


def components_below(reader: PluginReader, document: Document, keys: Keys, path: Path) -> Iterator[Component]:
    """Describe what a tool's table runs, loads, fetches and sets that stands in another tool's document.

    Args:
        reader: takes unknown keys and faults.
        document: the whole of it.
        keys: what the tool does with its table.
        path: where the table stands.
    """
    top = (_parse(keys.roles),)
    for count, (place, value, role) in enumerate(_walk(reader, document, top, path, lookup(document.value, path))):
        if count >= MAX_DECLARED:
            reader.fault_at(document, place, f"declares more than {MAX_DECLARED:,}: not all were read")
            return
        yield from _MAKERS[role](reader, document, place, value, keys)


def _document(reader: PluginReader, file: str, form: str) -> Document | None:
    """Return a file as data, None where it can't be: a table that is not understood is no fault of its own."""
    data = reader.listing.kept.get(reader.real(file) or "", b"")
    is_json = form == "json" or (form == "any" and data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"/"))
    if is_json:
        return reader.json5(file)
    if form == "toml":
        return reader.toml(file)
    odd = _ODD.search(data)
    if odd is None:
        return reader.merged_yaml(file, lists=True)
    reader.not_understood.add(file)
    reader.unknown.setdefault(file, []).append(odd[1].decode("ascii") if odd[1] else "more than one document")
    return None


def _walk(
    reader: PluginReader, document: Document, nodes: tuple[_Node, ...], path: Path, value: object
) -> Iterator[tuple[Path, object, str]]:
    """Yield the values that have a role; name the keys unknown that speak of running and have none."""
    role = next((node.role for node in nodes if node.role), "")
    if role == "quiet":
        return
    if role and (role in _WHOLE or not any(node.below for node in nodes) or not _holds_tables(value)):
        if role != "module" or not isinstance(value, dict) or not any(node.below for node in nodes):
            yield path, value, role
        if role != "module":
            return
        role = ""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        place = (*path, key if isinstance(key, int) else str(key))
        found = tuple(c for node in nodes for c in _below(node, str(key)) if c is not None)
        if role and isinstance(inner, str) and isinstance(value, list) and not any(node.role for node in found):
            yield place, inner, role
        elif (
            not found and inner and isinstance(key, str) and _SPEAKS.search(key) and not isinstance(inner, (bool, int))
        ):
            reader.unknown_key(document, place)
        elif len(path) < _MAX_DEPTH:
            yield from _walk(reader, document, found, place, inner)


def _below(node: _Node, key: str) -> tuple[_Node | None, ...]:
    """Return what the table says of a key: by its name, by its last word (`*_script`), and of every key."""
    by_word = node.below.get(f"*_{key.rpartition('_')[2]}") if "_" in key else None
    return node.below.get(key), by_word, node.below.get("*")


def _holds_tables(value: object) -> bool:
    """Say whether a value is a table, or a list with one."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))


def _texts(path: Path, value: object) -> Iterator[tuple[Path, str]]:
    """Yield a text, or each of a list."""
    for at, item in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(item, str) and item.strip():
            yield ((*path, at) if isinstance(value, list) else path), item


def _lines(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    for place, _ in _texts(path, value):
        yield line_component(
            reader,
            document,
            place,
            kind=ComponentKind.SCRIPT,
            name=dotted(place),
            trigger=keys.trigger,
            gate=keys.gate,
            base=folder_of_file(document.file) if not document.file.startswith(".") else "",
        )


def _run(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    yield from (_lines if isinstance(value, str) else _words)(reader, document, path, value, keys)


def _words(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    placed = list(_texts(path, value))
    around = lookup(document.value, path[:-1])
    if isinstance(around, dict) and path[-1] in _PROGRAMS:
        placed += _texts((*path[:-1], "args"), around.get("args", ()))
    elif isinstance(around, dict) and path[-1] == "args" and not _PROGRAMS.isdisjoint(around):
        return
    words = tuple(text for _, text in placed)
    if words:
        yield Component(
            kind=ComponentKind.SCRIPT,
            name=dotted(path),
            file=document.file,
            span=document.locate(path),
            transport="exec",
            command=words,
            trigger=keys.trigger,
            gate=keys.gate,
            entry=entry_file(words, None, reader.is_launchable),
            places=tuple((f"command.{at}", document.locate_value(place)) for at, (place, _) in enumerate(placed)),
        )


def _modules(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    """Yield what the tool loads into itself; `[name, options]` is one, a table is one by its keys."""
    base = folder_of_file(document.file)
    for place, name in _named(path, value):
        local = name.removeprefix("./")
        file = f"{base}/{local}" if base else local
        yield Component(
            kind=ComponentKind.MODULE,
            name=f"{dotted(path)} {name}",
            file=document.file,
            span=document.locate(place),
            transport="in-process",
            trigger=keys.trigger,
            gate=keys.gate,
            entry=file if reader.is_file(file) else None,
            extra=(("module", compact(name)),),
        )


def _named(path: Path, value: object) -> Iterator[tuple[Path, str]]:
    """Yield the names of modules: texts, the first of each list, and the keys of a table."""
    if isinstance(value, dict):
        yield from (((*path, key), str(key)) for key in value)
        return
    for at, item in enumerate(value if isinstance(value, list) else [value]):
        place: Path = (*path, at) if isinstance(value, list) else path
        name = item[0] if isinstance(item, list) and item else item
        if isinstance(item, dict) and len(item) == 1:
            (name,) = item  # Its options stand under its name.
        if isinstance(name, str) and name.strip():
            yield place, name


def _sources(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    del reader
    yield from _fetched(document, path, value, keys, "")


def _remotes(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    yield from (one for one in _sources(reader, document, path, value, keys) if one.endpoint is not None)


def _images(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    del reader
    yield from _fetched(document, path, value, keys, "image")


def _fetched(document: Document, path: Path, value: object, keys: Keys, source: str) -> Iterator[Component]:
    texts = _named(path, value)
    if isinstance(value, dict):
        texts = (((*path, key), one) for key, one in value.items() if isinstance(one, str))
    for place, text in texts:
        span = document.locate_value(place)
        is_address = "://" in text
        yield Component(
            kind=ComponentKind.SOURCE,
            name=f"{dotted(path)} {text}",
            file=document.file,
            span=span,
            endpoint=text if is_address else None,
            trigger=keys.trigger,
            gate=keys.gate,
            extra=(("source", compact(text)),),
            places=(("endpoint", span), ("extra.source", span)),
            packages=() if text.startswith(("./", "/")) else (build_package(text, source or "url" * is_address),),
        )


def _registries(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    for component in _endpoints(reader, document, path, value, keys):
        yield registry_setting(component._replace(endpoint=None, transport=""), component.endpoint or "")


def _endpoints(reader: PluginReader, document: Document, path: Path, value: object, keys: Keys) -> Iterator[Component]:
    del reader
    for place, text in _texts(path, value):
        yield Component(
            kind=ComponentKind.SETTING,
            name=dotted(place),
            file=document.file,
            span=document.locate(place),
            transport="http",
            endpoint=text,
            trigger=keys.trigger,
            gate=keys.gate,
            places=(("endpoint", document.locate_value(place)),),
        )


def _environment(
    reader: PluginReader, document: Document, path: Path, value: object, keys: Keys
) -> Iterator[Component]:
    if not isinstance(value, dict) or any(isinstance(one, (dict, list)) for one in value.values()):
        return
    sources, literals = environment(reader, document, path)
    yield Component(
        kind=ComponentKind.SETTING,
        name=dotted(path),
        file=document.file,
        span=document.locate(path),
        environment=sources,
        literals=literals,
        trigger=keys.trigger,
        gate=keys.gate,
        places=tuple((f"env.{name}", document.locate_value((*path, name))) for name in value),
    )


_MAKERS: Final = {
    "line": _lines,
    "run": _run,
    "words": _words,
    "module": _modules,
    "fetch": _sources,
    "remote": _remotes,
    "image": _images,
    "endpoint": _endpoints,
    "registry": _registries,
    "environment": _environment,
}

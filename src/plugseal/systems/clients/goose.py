"""Goose: recipes, YAML files with instructions for an agent and the servers that it gets for them.

A recipe runs when a user starts it; its servers of the type `stdio` are programs, and `retry` may run shell lines as
checks. `.goosehints` is always before the model.

See: https://block.github.io/goose/docs/guides/recipes
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.limits import MAX_ARGUMENTS
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import line_component
from plugseal.systems.components.servers import environment
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, kind_of, lookup
from plugseal.systems.reading.units import make_plugin
from plugseal.systems.system import Listing

_NAMES: Final = frozenset({"recipe.yaml", "recipe.yml"})
_UNDERSTOOD: Final = frozenset(
    "version title description instructions prompt extensions parameters activities author settings response "
    "sub_recipes retry context".split()
)
_EXTENSION: Final = frozenset(
    "type name cmd args envs env env_keys timeout bundled display_name description uri url headers tools "
    "available_tools instructions code dependencies".split()
)
_GATE: Final = "the user starts the recipe"


class Goose:
    """Recipes of Goose."""

    name = "goose"

    def keeps(self, path: str) -> bool:
        """Keep recipes by name, and YAML in folders of recipes."""
        *folders, name = path.split("/")
        return name in _NAMES or (name.endswith((".yaml", ".yml")) and not {"recipes", ".goose"}.isdisjoint(folders))

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every recipe, each a unit of one file; other YAML of that name is none."""
        for path in listing.entries:
            if not self.keeps(path) or not listing.is_file(path):
                continue
            root, _, name = path.rpartition("/")
            data = listing.kept.get(path, b"")
            if b"title" in data and (b"instructions" in data or b"prompt" in data):
                reader = PluginReader(listing, root)
                document = reader.yaml(name)
                if document is not None and isinstance(lookup(document.value, ("title",)), str):
                    yield _describe(reader, document)


def _describe(reader: PluginReader, document: Document) -> Plugin:
    table = reader.table(document)
    reader.expect_keys(document, table, _UNDERSTOOD)
    return make_plugin(
        "goose",
        reader,
        manifest=document.file,
        name=reader.text(document, ("title",)),
        version=str(table.get("version", "")),
        description=reader.text(document, ("description",)),
        components=_components(reader, document),
        extra=extras(table, frozenset({"version", "title", "description", "extensions", "instructions", "prompt"})),
        single_file=True,
    )


def _components(reader: PluginReader, document: Document) -> Iterator[Component]:
    for key in ("instructions", "prompt"):
        text = reader.text(document, (key,))
        if text:
            yield Component(
                kind=ComponentKind.COMMAND,
                name=key,
                file=document.file,
                span=document.locate((key,)),
                trigger="command",
                gate=_GATE,
                extra=((key, compact(text)),),
            )
    listed = lookup(document.value, ("extensions",))
    for at, extension in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(extension, dict):
            reader.expect_keys(document, extension, _EXTENSION, at=("extensions", at))
            yield _server(reader, document, ("extensions", at), extension)
        else:
            reader.fault_at(document, ("extensions", at), f"must be a table, not {kind_of(extension)}")
    checks = lookup(document.value, ("retry", "checks"))
    for at in range(len(checks) if isinstance(checks, list) else 0):
        path = ("retry", "checks", at, "command")
        if isinstance(lookup(document.value, path), str):
            yield line_component(
                reader, document, path, kind=ComponentKind.SCRIPT, name=f"check {at}", trigger="command", gate=_GATE
            )


def _server(reader: PluginReader, document: Document, path: Path, table: Mapping[str, object]) -> Component:
    """Return a server of a recipe; those that Goose brings itself have a name alone."""
    program = reader.text(document, (*path, "cmd"))
    argv = (program, *reader.texts(document, (*path, "args"))) if program else ()
    sources, literals = environment(reader, document, (*path, "envs" if "envs" in table else "env"))
    keys = reader.texts(document, (*path, "env_keys"))
    endpoint = reader.text(document, (*path, "uri")) or reader.text(document, (*path, "url"))
    code = reader.text(document, (*path, "code")) if table.get("type") == "inline_python" else None
    if code:
        wanted = [
            word for name in ("mcp", *reader.texts(document, (*path, "dependencies"))) for word in ("--with", name)
        ]
        argv = ("uv", "run", *wanted, "python", "-c", code)
    return Component(
        kind=ComponentKind.SERVER,
        name=reader.text(document, (*path, "name")) or str(path[-1]),
        file=document.file,
        span=document.locate(path),
        transport="stdio" if argv else "http" if endpoint else str(table.get("type", "")),
        command=argv,
        environment=tuple(sorted({*sources, *((key, key) for key in keys)}, key=lambda pair: pair[0])),
        literals=literals,
        endpoint=endpoint or None,
        headers=tuple(sorted((k, str(v)) for k, v in reader.table(document, (*path, "headers")).items())),
        trigger="command",
        gate=_GATE,
        entry=entry_file(argv[:MAX_ARGUMENTS], None, reader.is_file) if argv else None,
        extra=extras(table, frozenset({"name", "cmd", "args", "envs", "env", "env_keys", "uri", "url", "headers"})),
        places=(
            ("command.0", document.locate_value((*path, "cmd"))),
            *_places_of_code(document, path, argv if code else ()),
        ),
    )


def _places_of_code(document: Document, path: Path, argv: tuple[str, ...]) -> Iterator[tuple[str, Span]]:
    """Yield the places of a program that stands in the recipe itself."""
    if argv:
        span = document.locate_value((*path, "code"))
        yield ("command.0", document.locate((*path, "type")))
        yield (f"command.{len(argv) - 1}", span)

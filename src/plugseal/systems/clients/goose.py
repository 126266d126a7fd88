"""Goose: recipes, YAML files with instructions for an agent and the servers that it gets for them.

A recipe runs when a user starts it; its servers of the type `stdio` are programs, and `retry` may run shell lines as
checks and after a failure. `.goosehints` is always before the model.

See: https://github.com/aaif-goose/goose/blob/main/crates/goose/src/recipe/mod.rs
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.limits import MAX_ARGUMENTS
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.systems.components.parts import context_file, gated, line_component
from plugseal.systems.components.servers import environment
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, kind_of, lookup
from plugseal.systems.reading.texts import READS
from plugseal.systems.reading.units import make_configuration, make_plugin
from plugseal.systems.system import Listing

_NAMES: Final = frozenset({"recipe.yaml", "recipe.yml", "recipe.json"})
_HINTS: Final = ".goosehints"
_WRAPPED: Final[Path] = ("recipe",)
"""Where a file that was shared holds its recipe."""
_UNDERSTOOD: Final = frozenset(
    "version title description instructions prompt extensions parameters activities author settings response "
    "sub_recipes retry context".split()
)
_EXTENSION: Final = frozenset(
    "type name cmd args envs env env_keys timeout bundled display_name description uri url headers tools "
    "available_tools instructions code dependencies socket".split()
)
_GATE: Final = "the user starts the recipe"


class Goose:
    """Recipes of Goose."""

    name = "goose"

    def keeps(self, path: str) -> bool:
        """Keep recipes by name, and YAML in folders of recipes."""
        *folders, name = path.split("/")
        if name in _NAMES or name == _HINTS:
            return True
        return name.endswith((".yaml", ".yml", ".json")) and not {"recipes", ".goose"}.isdisjoint(folders)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every recipe, each a unit of one file; other YAML of that name is none."""
        for path in listing.entries:
            if not self.keeps(path) or not listing.is_file(path):
                continue
            root, _, name = path.rpartition("/")
            if name == _HINTS:
                yield _hints(PluginReader(listing, root))
                continue
            data = listing.kept.get(path, b"")
            if b"title" in data and (b"instructions" in data or b"prompt" in data):
                reader = PluginReader(listing, root)
                document = reader.json(name) if name.endswith(".json") else reader.yaml(name)
                if document is not None:
                    at = _WRAPPED if isinstance(lookup(document.value, _WRAPPED), dict) else ()
                    if isinstance(lookup(document.value, (*at, "title")), str):
                        yield _describe(reader, document, at)


def _hints(reader: PluginReader) -> Plugin:
    return make_configuration(
        "goose", reader, manifest=_HINTS, covers=(_HINTS,), components=gated(context_file(reader, _HINTS), "none")
    )


def _describe(reader: PluginReader, document: Document, at: Path) -> Plugin:
    table = reader.table(document, at)
    reader.expect_keys(document, table, _UNDERSTOOD, at=at)
    return make_plugin(
        "goose",
        reader,
        manifest=document.file,
        name=reader.text(document, (*at, "title")),
        version=str(table.get("version", "")),
        description=reader.text(document, (*at, "description")),
        components=_components(reader, document, at),
        extra=extras(table, frozenset({"version", "title", "description", "extensions", "instructions", "prompt"})),
        single_file=True,
    )


def _components(reader: PluginReader, document: Document, base: Path) -> Iterator[Component]:
    for key in ("instructions", "prompt"):
        text = reader.text(document, (*base, key))
        if text:
            yield Component(
                kind=ComponentKind.COMMAND,
                name=key,
                file=document.file,
                span=document.locate((*base, key)),
                trigger="command",
                gate=_GATE,
                extra=((key, compact(text)),),
            )
    for at, extension in enumerate(_list(document, (*base, "extensions"))):
        path = (*base, "extensions", at)
        if isinstance(extension, dict):
            reader.expect_keys(document, extension, _EXTENSION, at=path)
            yield _server(reader, document, path, extension)
        elif not isinstance(extension, str):  # A name alone is one that the user has.
            reader.fault_at(document, path, f"must be a table, not {kind_of(extension)}")
    for at, recipe in enumerate(_list(document, (*base, "sub_recipes"))):
        if isinstance(recipe, dict) and isinstance(recipe.get("path"), str):
            yield _sub_recipe(document, (*base, "sub_recipes", at), recipe)
    retry = (*base, "retry")
    lines = [
        (f"check {at}", (*retry, "checks", at, "command")) for at in range(len(_list(document, (*retry, "checks"))))
    ]
    for name, path in [*lines, ("on_failure", (*retry, "on_failure"))]:
        if isinstance(lookup(document.value, path), str):
            yield line_component(
                reader, document, path, kind=ComponentKind.SCRIPT, name=name, trigger="command", gate=_GATE
            )


def _list(document: Document, path: Path) -> list[object]:
    value = lookup(document.value, path)
    return value if isinstance(value, list) else []


def _sub_recipe(document: Document, path: Path, recipe: Mapping[str, object]) -> Component:
    """Return another recipe that the model may run, which is read where its path says."""
    return Component(
        kind=ComponentKind.COMMAND,
        name=f"sub-recipe {recipe.get('name', path[-1])}",
        file=document.file,
        span=document.locate(path),
        trigger="command",
        gate=_GATE,
        extra=tuple(sorted((*extras(recipe, frozenset()), (READS, compact([recipe["path"]]))))),
        places=((f"extra.{READS}", document.locate_value((*path, "path"))),),
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

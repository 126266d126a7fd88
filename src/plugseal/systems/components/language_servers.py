"""Language servers that a client starts by a table with `command`, `args` and `env`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from plugseal.limits import MAX_ARGUMENTS
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.components.servers import argument_vector, environment, launch_places, not_taken
from plugseal.systems.launching.launch import entry_file
from plugseal.systems.reading.reader import Document, Path, PluginReader

_TAKEN: Final = frozenset({"command", "args", "env"})


def language_server(reader: PluginReader, document: Document, path: Path, spec: Mapping[str, object]) -> Component:
    """Return a language server: the client starts it as soon as a file of its kind is open.

    Args:
        reader: of the plugin; it takes the faults.
        document: where the table stands.
        path: of the table; its last part is the server's name.
        spec: the table.
    """
    argv = argument_vector(reader, document, path, spec)
    sources, literals = environment(reader, document, (*path, "env"))
    return Component(
        kind=ComponentKind.LANGUAGE_SERVER,
        name=str(path[-1]),
        file=document.file,
        span=document.locate((*path, "command")),
        transport="stdio",
        command=argv,
        environment=sources,
        literals=literals,
        trigger="open",
        entry=entry_file(argv[:MAX_ARGUMENTS], None, reader.is_launchable) if argv else None,
        extra=not_taken(spec, _TAKEN),
        places=launch_places(document, path, spec),
    )

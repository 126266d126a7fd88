"""Hand the files of each language to its linker: names of one file that live in another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import Event
from plugseal.model.capability import Fact
from plugseal.scan.linkable import Linkables

_PYTHON: Final = frozenset({"python"})
_SCRIPTS: Final = frozenset({"javascript", "typescript"})


def iterate_links(linkables: Linkables) -> Iterator[tuple[str, tuple[list[Fact], list[Event]]]]:
    """Yield, file by file, the facts and events that names of other files of the tree turn out to be."""
    if linkables.is_waiting(_PYTHON):
        from plugseal.lang.python.link import iterate_links as iterate_python_links

        yield from iterate_python_links(linkables.of(_PYTHON))
    if linkables.is_waiting(_SCRIPTS):
        from plugseal.lang.ecmascript.link import iterate_script_links

        yield from iterate_script_links(linkables.of(_SCRIPTS))

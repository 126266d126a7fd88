"""Hand the files of each language to its linker: names of one file that live in another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Event, FileFacts
from plugseal.model.capability import Fact
from plugseal.scan.linking.callings import Callings
from plugseal.scan.linking.linkable import Linkables

if TYPE_CHECKING:
    from plugseal.lang.linker import Linker

_PYTHON: Final = frozenset({"python"})
_NOTHING: Final = FileFacts("", "read")
_SCRIPTS: Final = frozenset({"javascript", "typescript"})


def iterate_links(linkables: Linkables) -> Iterator[tuple[str, tuple[list[Fact], list[Event]]]]:
    """Yield, file by file, the facts and events that names of other files of the tree turn out to be."""
    if linkables.is_waiting(_PYTHON):
        from plugseal.lang.python.linking.link import PythonLinker

        yield from PythonLinker(linkables.of(_PYTHON)).iterate()
    if linkables.is_waiting(_SCRIPTS):
        from plugseal.lang.ecmascript.linking.link import ScriptLinker

        yield from ScriptLinker(linkables.of(_SCRIPTS)).iterate()


class Places:
    """Where names of one file lead in others, for all languages that can link."""

    def __init__(self, linkables: Linkables, callings: Callings) -> None:
        self._linkables = linkables
        self._callings = callings
        self._python: Linker | None = None
        self._scripts: Linker | None = None

    def of(self, language: str, path: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield the files, with the name inside each, that a name used in a file may lead to; nearest first."""
        if language in _PYTHON:
            if self._python is None:
                from plugseal.lang.python.linking.link import PythonLinker

                self._python = PythonLinker(self._files(_PYTHON))
            yield from self._python.places(path, name)
        elif language in _SCRIPTS:
            if self._scripts is None:
                from plugseal.lang.ecmascript.linking.link import ScriptLinker

                self._scripts = ScriptLinker(self._files(_SCRIPTS))
            yield from self._scripts.places(path, name)

    def _files(self, languages: frozenset[str]) -> Mapping[str, FileFacts]:
        """Return all files with functions, those besides that only pass names on."""
        return _Files(self._linkables.of(languages), self._callings, languages)


class _Files(Mapping[str, FileFacts]):
    """Linkable files with their functions, and further ones that give others nothing else."""

    def __init__(self, linkables: Linkables, callings: Callings, languages: frozenset[str]) -> None:
        self._linkables = linkables
        self._callings = callings
        self._paths = {*linkables, *callings.of(languages)}

    def __getitem__(self, path: str) -> FileFacts:
        if path not in self._paths:
            raise KeyError(path)
        facts = self._linkables.get(path, _NOTHING)
        calling = self._callings.get(path, _NOTHING)
        return facts._replace(functions=calling.functions) if calling.functions else facts

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

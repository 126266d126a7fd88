"""The interfaces of detectors. Pure: a detector sees what was read and says where it fires."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from plugseal.lang.facts import FileFacts, Interest
from plugseal.model.plugin import Component, Plugin
from plugseal.model.tree import Tree
from plugseal.records import NamedTuple
from plugseal.scan.matching.hit import Hit, Lines


class CodeDetector(NamedTuple):
    """A detector over the facts and events of one source file."""

    look: Callable[[FileFacts, Lines], Iterable[Hit]]
    interest: Interest = Interest()
    """The events that it needs."""


class ManifestHit(NamedTuple):
    """A place in a plugin's manifests."""

    component: Component | None = None
    word: str = ""
    """The value to point at, as parsed."""
    note: str = ""
    object: str | None = None
    file: str = ""
    """Relative to the plugin's root; empty for the component's file, or the manifest."""
    line: int = 0


class TreeHit(NamedTuple):
    """An entry of a tree."""

    file: str
    note: str = ""
    object: str | None = None


ManifestDetector: TypeAlias = Callable[[Plugin], Iterable[ManifestHit]]
TreeDetector: TypeAlias = Callable[[Tree], Iterable[TreeHit]]
BytesDetector: TypeAlias = Callable[[str, bytes, str], Iterable[Hit]]
"""Over (path, bytes, language) of one file."""

"""Turn what a person typed into the path that is meant: a path, the ID of a plugin, or its name.

An ID holds for any folder from which it was printed: hex digits of every part of a plugin's path are tried. One that
is recorded holds anywhere. Names are looked for below the current folder alone. What fits more than one plugin is never
guessed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plugseal.errors import StateError, UsageError
from plugseal.intake.read import ARCHIVE_SUFFIXES, read_tree
from plugseal.model.identity import subject_id
from plugseal.model.origin import Origin
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Tree
from plugseal.patterns import lazy
from plugseal.scan.discover import Keeper, discover, id_of, plugin_id
from plugseal.systems.reading.units import NAME_OF_ROOT
from plugseal.verbs.anchor import anchor_of
from plugseal.verbs.user import existing_roots

ID: Final = lazy(r"([a-z][a-z0-9-]*):([^@]*)@([0-9a-f]{12})")
_NAMED: Final = lazy(r"([a-z][a-z0-9-]*):([^@/]+)")
_MAX_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class Selection:
    """What is meant."""

    path: Path
    """A directory, a file or an archive."""
    system: str = ""
    """Of the one plugin that is meant; empty where the path is."""
    name: str = ""
    id: str = ""
    """As it is below the folder in which it was found."""
    origin: Origin | None = None
    """Where the path comes from, where that is a user's own folder."""

    def means(self, plugin: Plugin) -> bool:
        """Say whether a plugin that is exactly at the path is meant."""
        if not self.system or plugin.system != self.system:
            return not self.system
        # Read by itself, a plugin without a name of its own has that of the root.
        return plugin.name in (self.name, NAME_OF_ROOT)


@dataclass(frozen=True, slots=True)
class _Found:
    """A plugin below a folder."""

    plugin: Plugin
    folder: Path
    origin: Origin

    @property
    def id(self) -> str:
        return plugin_id(self.plugin, self.origin)

    def has_id(self, wanted: str) -> bool:
        """Say whether an ID is this plugin's, printed from any folder between the first one and its own."""
        if wanted in (self.id, self._canonical_id()):
            return True
        if self.origin.base:
            return False
        parts = self.plugin.root.split("/")
        roots = ("/".join(parts[start:]) for start in range(1, len(parts) + 1))
        return any(id_of(self.plugin.system, self.plugin.name, root) == wanted for root in roots)

    def _canonical_id(self) -> str:
        """Return the ID that binds scope and canonical root: the one of reviews and of what is recorded."""
        root = os.path.realpath(self.folder / self.plugin.root if self.plugin.root else self.folder)
        return id_of(self.plugin.system, self.plugin.name, root, scope=self.origin.scope)

    def selection(self) -> Selection:
        path = self.folder / self.plugin.root if self.plugin.root else self.folder
        origin = None
        if self.origin.base:
            above = os.path.dirname(self.plugin.root) if self.plugin.single_file else self.plugin.root  # noqa: PTH120
            origin = self.origin._replace(
                base=f"{self.origin.base}/{above}".rstrip("/"), anchor=f"{self.origin.anchor}/{above}".rstrip("/")
            )
        return Selection(path, self.plugin.system, self.plugin.name, self.id, origin)


def select(word: str) -> Selection:
    """Return what a word means: a plugin by its ID, a path that is there, or a plugin by its name.

    Args:
        word: as typed; a name may stand as `system:name`. Names and IDs are looked for below the current folder.

    Raises:
        IntakeError: the folder can't be read.
        UsageError: nothing, or more than one plugin, is called so.
    """
    if ID.fullmatch(word):
        # What is recorded is found at once, wherever this was typed; a home or a disk is not walked for it.
        recorded = _recorded(word)
        if recorded is not None:
            return recorded
        fits = [found for found in _everywhere() if found.has_id(word)]
        return _only(word, [found for found in fits if found.id == word] or fits, "ID")
    if _is_path(word):
        return Selection(Path(word))
    plugins = list(_here())
    named = _NAMED.fullmatch(word)
    fits = [found for found in plugins if found.plugin.name == word]
    if not fits and named:
        fits = [f for f in plugins if (f.plugin.system, f.plugin.name) == (named[1], named[2])]
    return _only(word, fits, "name", [found.plugin.name for found in plugins])


def _recorded(word: str) -> Selection | None:
    """Return the plugin that is recorded under an ID, None where none is that can be believed."""
    # Loaded only where an ID is asked for.
    from plugseal.trust.record import Record
    from plugseal.verbs.state import open_store

    try:
        for record in open_store().records():
            if isinstance(record, Record) and subject_id(record.subject) == word and not record.standing.forgotten:
                subject = record.subject
                base = "" if subject.scope == "workspace" else subject.root
                origin = Origin(subject.scope, base, anchor_of(Path(subject.root)))
                return Selection(Path(subject.root), subject.system, subject.name, word, origin)
    except StateError:
        return None
    return None


def _is_path(word: str) -> bool:
    if word in ("", ".", "..") or word.startswith("-") or "/" in word or os.sep in word or "\0" in word:
        return True
    return word.lower().endswith(ARCHIVE_SUFFIXES) or os.path.lexists(word)


def _here() -> Iterator[_Found]:
    """Yield the plugins below the current folder."""
    folder = Path()
    origin = Origin(anchor=anchor_of(folder))
    for plugin in discover_in(folder, origin.anchor):
        yield _Found(plugin, folder, origin)


def _everywhere() -> Iterator[_Found]:
    """Yield the plugins below the current folder, and only then those of the user's own folders."""
    yield from _here()
    for root in existing_roots():
        origin = Origin(root.scope, root.path, root.anchor)
        for plugin in discover_in(Path(root.path), root.anchor):
            yield _Found(plugin, Path(root.path), origin)


def discover_in(path: Path, anchor: str) -> tuple[Plugin, ...]:
    """Return the plugins of a tree as their systems describe them; code is not looked at.

    See `describe_in` for what of them was not looked at either.
    """
    return describe_in(path, anchor)[0]


def describe_in(path: Path, anchor: str) -> tuple[tuple[Plugin, ...], Tree]:
    """Return the plugins of a tree and the tree, of which faults may hide parts.

    Args:
        path: a directory, a file or an archive.
        anchor: where it stands, as `Listing.anchor`.

    Raises:
        IntakeError: it can't be read.
    """
    keeper = Keeper(anchor)
    tree = read_tree(path, keeper)
    return discover(keeper.listing(tree)), tree


def _only(word: str, fits: Sequence[_Found], kind: str, known: Sequence[str] = ()) -> Selection:
    if len({(found.folder, found.plugin.root, found.plugin.system, found.plugin.name) for found in fits}) == 1:
        return fits[0].selection()
    if fits:
        rows = [f"{found.id}  {found.plugin.root or '.'}" for found in fits[:_MAX_LISTED]]
        more = [f"and {len(fits) - _MAX_LISTED:,} more"] if len(fits) > _MAX_LISTED else []
        raise UsageError(
            f"`{word}` is the {kind} of {len(fits):,} plugins", details=[*rows, *more], hint="give a path, or an ID"
        )
    if kind == "ID":
        raise UsageError(f"no plugin here has the ID `{word}`", hint="see the IDs with `plugseal scan . --format json`")
    raise UsageError(f"`{word}` is no path, and no plugin below here is called so", hint=_near(word, known))


def _near(word: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word[:100], [name[:100] for name in known], n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else "give a path, or see what is here with `plugseal scan .`"

"""Read the documents of one plugin out of a listing, and gather everything that is wrong with them.

Every document ends as data or as a fault, never as an exception and never as silence. Links are followed as long as
they stay inside the plugin; one that leads out is a fault and its target is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from plugseal.errors import DataError
from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Fault
from plugseal.model.tree import EntryKind
from plugseal.systems.reading.documents import Document, Path, Step, compact, dotted, extras, kind_of, lookup
from plugseal.systems.system import Listing

if TYPE_CHECKING:
    from plugseal.encode.places import Places
    from plugseal.encode.values import Json
    from plugseal.systems.reading.prose_commands import ProseCommand

__all__ = [
    "Document",
    "Path",
    "PluginReader",
    "Step",
    "compact",
    "dotted",
    "extras",
    "kind_of",
    "lookup",
]

_COMMENTS = ("_", "//", "$comment")
"""How people begin the keys of notes in formats without comments: no host gives such a key a meaning."""


class PluginReader:
    """Give one plugin's documents, and remember their faults."""

    def __init__(self, listing: Listing, root: str, *, mends: bool = False) -> None:
        """Begin a plugin.

        Args:
            listing: the tree.
            root: below the scanned root.
            mends: whether the host puts odd values of front matter in quotes where it can't be parsed as it stands.
        """
        self.listing = listing
        self.root = root
        self._mends = mends
        self.faults: list[Fault] = []
        self.parsed: list[str] = []
        """Documents that were understood as data, relative to the root, prose left out."""
        self._fronts: dict[str, Document | None] = {}
        self.not_understood: set[str] = set()
        """Documents with keys whose meaning nobody here knows: they stay unread, though nothing in them is wrong."""
        self.unknown: dict[str, list[str]] = {}
        """Of these, the keys by document, as dotted paths."""

    def narrow(self, file: str) -> None:
        """Say that what is wrong with a file concerns one component alone."""
        self.faults = [fault._replace(is_narrow=True) if fault.file == file else fault for fault in self.faults]

    def path(self, file: str) -> str:
        """Return the path below the scanned root."""
        return f"{self.root}/{file}" if self.root and file else self.root or file

    def fault(self, file: str, message: str, *, line: int = 0, field: str = "") -> None:
        """Remember that something is wrong."""
        self.faults.append(Fault(file, message, line=line, field=field))

    def exists(self, file: str) -> bool:
        """Say whether anything stands at this name, be it a link that leads nowhere, or behind a link."""
        path = self.path(file)
        return path in self.listing.entries or self.listing.resolve(path) is not None

    def real(self, file: str) -> str | None:
        """Return where a file or directory of the plugin really lies below the scanned root.

        Returns:
            None where nothing is there or a link leads out of the plugin.
        """
        real = self.listing.resolve(self.path(file))
        if real is None or not self.root or real == self.root or real.startswith(self.root + "/"):
            return real
        return None

    def is_file(self, file: str) -> bool:
        """Say whether a regular file is there, through links inside the plugin too."""
        real = self.real(file)
        return real is not None and self.listing.is_file(real)

    def is_launchable(self, file: str) -> bool:
        """Say whether a regular file is there that a command may run: inside the plugin, or beside it in the tree.

        Args:
            file: relative to the plugin's root; `../x` for one beside it.
        """
        if self.is_file(file):
            return True
        if not file.startswith("../"):
            return False
        real = self.listing.resolve(self.path(file))
        return real is not None and self.listing.is_file(real)

    def is_directory(self, file: str) -> bool:
        """Say whether a directory is there, through links inside the plugin too."""
        real = self.real(file)
        return real is not None and self.listing.is_directory(real)

    def names(self, directory: str) -> tuple[str, ...]:
        """Return the sorted names in a directory of the plugin; empty where there is none."""
        real = self.real(directory)
        return self.listing.children.get(real, ()) if real is not None else ()

    def executable(self, file: str) -> bool:
        """Say whether a regular file with any executable bit is there."""
        real = self.real(file)
        entry = self.listing.entries.get(real) if real is not None else None
        return entry is not None and entry.kind is EntryKind.FILE and entry.executable

    def data(self, file: str) -> bytes | None:
        """Return a kept file's bytes, or None with a fault."""
        real = self.real(file)
        if real is None or not self.listing.is_file(real):
            self.fault(file, self._why_not(file, real))
            return None
        data = self.listing.kept.get(real)
        if data is None:
            self.fault(file, "could not be read, or is too large for a manifest")
        return data

    def text_digest(self, file: str) -> str | None:
        """Return the digest of a kept prose file's text, line endings aside."""
        real = self.real(file)
        return self.listing.text_digests.get(real) if real is not None else None

    def prose_commands(self, file: str) -> tuple[ProseCommand, ...]:
        """Return the commands of a kept prose file that a client runs before its model reads it."""
        real = self.real(file)
        return self.listing.prose_commands.get(real, ()) if real is not None else ()

    def json(self, file: str, *, comments: bool = False, lists: bool = False) -> Document | None:
        """Parse a JSON file of the plugin, or return None with a fault.

        Args:
            file: relative to the plugin's root.
            comments: whether the host allows comments and trailing commas there.
            lists: whether the document may be a list.
        """
        from plugseal.encode.json import index_json, parse_json

        parse, index = partial(parse_json, comments=comments), partial(index_json, comments=comments)
        return self._parse(file, parse, index, lists=lists)

    def json5(self, file: str) -> Document | None:
        """Parse a JSON5 file of the plugin, or return None with a fault; one that is JSON is read as that."""
        from plugseal.encode.json import index_json, parse_json
        from plugseal.encode.json5 import build_json

        def parse(data: bytes) -> object:
            try:
                return parse_json(data, comments=True)
            except DataError:
                return parse_json(build_json(data))

        def index(data: bytes) -> Places:
            try:
                return index_json(data, comments=True)
            except DataError:
                return index_json(build_json(data))

        return self._parse(file, parse, index)

    def toml(self, file: str) -> Document | None:
        """Parse a TOML file of the plugin, or return None with a fault."""
        from plugseal.encode.toml import index_toml, parse_toml

        return self._parse(file, parse_toml, index_toml)

    def yaml(self, file: str, *, lists: bool = False) -> Document | None:
        """Parse a YAML file of the plugin, or return None with a fault.

        Args:
            file: relative to the plugin's root.
            lists: whether the document may be a list.
        """
        from plugseal.encode.yaml import index_yaml, parse_yaml

        return self._parse(file, parse_yaml, index_yaml, lists=lists)

    def merged_yaml(self, file: str, *, lists: bool = False) -> Document | None:
        """Parse a YAML file of a tool that merges tables (`<<: *base`); as `yaml`."""
        from plugseal.encode.yaml import index_merged_yaml, parse_merged_yaml

        return self._parse(file, parse_merged_yaml, index_merged_yaml, lists=lists)

    def front_matter(self, file: str) -> Document | None:
        """Parse the front matter of a Markdown file, once: an empty table where there is none, None with a fault."""
        if file not in self._fronts:
            self._fronts[file] = self._front_matter(file)
        return self._fronts[file]

    def _front_matter(self, file: str) -> Document | None:
        from plugseal.encode.yaml import index_frontmatter, parse_frontmatter

        data = self.data(file)
        if data is None:
            return None
        try:
            values = parse_frontmatter(data).values
        except DataError as error:
            mended = self._mended(data) if self._mends else None
            if mended is None:
                self.fault(file, error.message, line=error.line)
                return None
            data, values = mended
        return Document(file, values, data, index_frontmatter)

    def _mended(self, data: bytes) -> tuple[bytes, dict[str, Json]] | None:
        """Return a file with its front matter, mended as a forgiving host does it; None where that doesn't help."""
        from plugseal.encode.yaml import mend_frontmatter, parse_frontmatter

        try:
            mended = mend_frontmatter(data)
            return mended, parse_frontmatter(mended).values
        except DataError:
            return None

    def table(self, document: Document | None, path: Path = ()) -> dict[str, object]:
        """Return the table at a path: empty where it is absent, with a fault where it is something else."""
        if document is None:
            return {}
        value = lookup(document.value, path)
        if value is None or isinstance(value, dict):
            return value or {}
        self.fault_at(document, path, f"must be a table, not {kind_of(value)}")
        return {}

    def expect_keys(
        self, document: Document, table: Mapping[str, object], known: frozenset[str], *, at: Path = ()
    ) -> None:
        """Leave a document unread where a table of it has keys that are not known.

        Args:
            document: the document.
            table: one of its tables.
            known: keys that a component describes, or that do nothing.
            at: where the table stands.
        """
        for key in table:
            if key not in known and not key.startswith(_COMMENTS):
                self.unknown_key(document, (*at, key))

    def unknown_key(self, document: Document, path: Path) -> None:
        """Leave a document unread for a key whose meaning is not known, and remember its name."""
        self.not_understood.add(document.file)
        self.unknown.setdefault(document.file, []).append(dotted(path))

    def declared(self, document: Document, path: Path) -> dict[str, object]:
        """Return a table of declared things: empty, with a fault, where it is no table or holds too many."""
        table = self.table(document, path)
        if len(table) <= MAX_DECLARED:
            return table
        self.fault_at(document, path, f"declares more than {MAX_DECLARED:,}: none was read")
        return {}

    def text(self, document: Document, path: Path, *, required: bool = False) -> str:
        """Return the text at a path: empty where it is absent, with a fault where it is something else."""
        value = lookup(document.value, path)
        if isinstance(value, str):
            if not value.strip() and required:
                self.fault_at(document, path, "must not be blank")
            return value
        if value is not None:
            self.fault_at(document, path, f"must be text, not {kind_of(value)}")
        elif required:
            self.fault_at(document, path, "is missing")
        return ""

    def texts(self, document: Document, path: Path) -> tuple[str, ...]:
        """Return the list of texts at a path: empty where it is absent, with a fault where it is something else."""
        value = lookup(document.value, path)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.fault_at(document, path, "must be a list of texts")
        return ()

    def fault_at(self, document: Document, path: Path, message: str) -> None:
        """Remember a fault of one field, with the line of the nearest place that is known."""
        self.fault(document.file, message, line=document.locate(path).line, field=dotted(path))

    def _parse(
        self, file: str, parse: Callable[[bytes], object], index: Callable[[bytes], Places], *, lists: bool = False
    ) -> Document | None:
        data = self.data(file)
        if data is None:
            return None
        try:
            value = parse(data)
        except DataError as error:
            self.fault(file, error.message, line=error.line)
            return None
        if not isinstance(value, dict) and not (lists and isinstance(value, list)):
            self.fault(file, f"must hold a table, not {kind_of(value)}", line=1)
            return None
        self.parsed.append(file)
        return Document(file, value, data, index)

    def _why_not(self, file: str, real: str | None) -> str:
        entry = self.listing.entries.get(self.path(file))
        if entry is not None and entry.kind is EntryKind.SYMLINK and real is None:
            return "is a link that leads out of the plugin or nowhere; not read"
        if entry is not None and entry.kind is not EntryKind.SYMLINK:
            return "is no regular file"
        if entry is None and real is None and self.listing.resolve(self.path(file)) is not None:
            return "stands behind a link that leads out of the plugin; not read"
        return "is missing" if entry is None else "is a link to something that is no regular file"

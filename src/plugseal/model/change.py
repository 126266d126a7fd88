"""How one state of a plugin differs from another, in the order in which a person must read it. Pure data."""

from __future__ import annotations

from typing import Final

from plugseal.model.inventory import Capable
from plugseal.records import NamedTuple

WRAPPED: Final = "wrapped-only"
"""What a change comes down to that `wrap` made, and nobody else: all of it is as it was trusted."""


class ComponentChange(NamedTuple):
    """A component that is in both states and not the same in both."""

    kind: str
    name: str
    fields: tuple[tuple[str, str, str], ...]
    """(field, before, after) of each part that differs, both as canonical JSON; hostile text."""


class FileChange(NamedTuple):
    """A file that is in both states and not the same in both."""

    path: str
    what: str
    """`content`, `mode`, `line endings`, `kind`."""
    added: int
    """Lines; 0 where the text of one of the two is not at hand."""
    removed: int
    lines: tuple[str, ...] = ()
    """The difference of the two texts in unified form, where both are at hand; hostile text."""
    executable: bool | None = None
    """Whether it may be executed now, where that differs."""


class Change(NamedTuple):
    """Everything that differs; all empty where nothing does."""

    capabilities_added: tuple[Capable, ...] = ()
    capabilities_removed: tuple[Capable, ...] = ()
    components_added: tuple[tuple[str, str], ...] = ()
    """(kind, name)."""
    components_removed: tuple[tuple[str, str], ...] = ()
    components_changed: tuple[ComponentChange, ...] = ()
    components_same: tuple[tuple[str, str], ...] = ()
    about: tuple[tuple[str, str, str], ...] = ()
    """(field, before, after) of the plugin itself: name, version, description, declared permissions and the like."""
    files_added: tuple[str, ...] = ()
    added_lines: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(path, lines) of each new file whose text is at hand; hostile text."""
    files_removed: tuple[str, ...] = ()
    files_changed: tuple[FileChange, ...] = ()
    comes_to: str = "none"
    """What it comes down to: `none`, `line-endings-only`, `junk-files-only`, `line-endings-and-junk-files-only`,
    `prose-only`, `metadata-only`, `wrapped-only`, `code`."""

    @property
    def is_empty(self) -> bool:
        """Say whether nothing differs."""
        return self._replace(components_same=(), comes_to="none") == Change()

    @property
    def is_about_what_runs(self) -> bool:
        """Say whether a capability or a component differs."""
        return bool(
            self.capabilities_added
            or self.capabilities_removed
            or self.components_added
            or self.components_removed
            or self.components_changed
        )

    def of_class(self, name: str) -> Change:
        """Return the same change, named by what it comes down to."""
        return self._replace(comes_to=name)

"""What the parts of a word's folding ask of the whole of it, which stands in `words.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.parsing.script import Script
    from plugseal.lang.shell.parsing.source import Source


class Folding(Protocol):
    """The values of one script's words."""

    script: Script
    source: Source

    def fold(self, node: Node, block: int, depth: int = 0) -> list[tuple[str, int]]:
        """Return the alternatives of a word, each with its flags; never empty."""

    def variable(self, name: str, at: int, block: int, depth: int) -> list[tuple[str, int]]:
        """Return what a variable may hold where it is used."""

    def assigned(self, name: str, at: int, block: int, depth: int) -> list[tuple[str, int]] | None:
        """Return what the script itself gives a variable, None where it gives nothing."""

    def evaluate(self, node: Node, block: int, given: str | None = None, depth: int = 0) -> tuple[str | None, int]:
        """Return what a statement prints, None where that is not known, and how well it was hidden."""

    def heredoc(self, node: Node, block: int, depth: int = 0) -> str | None:
        """Return the text of a here-document."""

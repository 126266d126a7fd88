"""Build a text out of stretches of a file and remember where each stands."""

from __future__ import annotations

from plugseal.lang.facts import Anchor, Nested
from plugseal.model.location import Span


class Mapped:
    """A text that grows, with the places of its stretches in the file."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._anchors: list[Anchor] = []
        self._length = 0
        self._start: tuple[int, int] | None = None
        self._end = (0, 0)

    @property
    def text(self) -> str:
        """Return the text so far."""
        return "".join(self._parts)

    def add(self, text: str, line: int, column: int) -> None:
        """Add a stretch of one line of the file, character for character."""
        if not text:
            return
        self._anchors.append(Anchor(self._length, line, column))
        self._parts.append(text)
        self._length += len(text)
        self._start = self._start or (line, column)
        self._end = (line, column + len(text))

    def put(self, text: str, line: int, column: int) -> None:
        """Add what stands in the file in other characters, at the place of their first."""
        self._anchors.append(Anchor(self._length, line, column))
        self._parts.append(text)
        self._length += len(text)
        self._start = self._start or (line, column)
        self._end = (line, column + 1)

    def end_line(self) -> None:
        """Add a line end."""
        self._parts.append("\n")
        self._length += 1

    def span(self) -> Span:
        """Return where all of it stands."""
        line, column = self._start or (1, 1)
        return Span(line, column, *self._end) if self._start else Span(1, 1, 1, 1)

    def nested(self, language: str, trigger: str, how: str) -> Nested:
        """Return the text as one of another language.

        Args:
            language: of the reader.
            trigger: as `Fact.trigger`.
            how: what runs it.
        """
        return Nested(language, self.text, self.span(), tuple(self._anchors), trigger, how)

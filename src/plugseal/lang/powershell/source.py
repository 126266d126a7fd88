"""The text of one script: the places of its stretches, and the anchors of what stands in it word for word."""

from __future__ import annotations

from bisect import bisect_right

from plugseal.lang.facts import Anchor
from plugseal.model.location import Span


class TextSource:
    """A text with LF line ends, and where everything is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """Return the place of a stretch."""
        return Span(*self.place(start), *self.place(end))

    def anchors(self, text: str, start: int, end: int) -> tuple[Anchor, ...]:
        """Return the anchors of a text that stands within a stretch as it is, none where it does not."""
        at = self.text.find(text, start, end) if text else -1
        if at < 0 or self.text.find(text, at + 1, end) >= 0:
            return ()
        found = [Anchor(0, *self.place(at))]
        offset = text.find("\n")
        while offset >= 0:
            found.append(Anchor(offset + 1, *self.place(at + offset + 1)))
            offset = text.find("\n", offset + 1)
        return tuple(found)

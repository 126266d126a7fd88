"""The texts of other languages that a script runs, or its own, on their way to the readers of these."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Nested
from plugseal.lang.folded import HOLE, filled
from plugseal.lang.shell.parsing.names import ENVIRONMENT, INTERNAL
from plugseal.lang.shell.words.marks import OWN, ROOT, SPLIT
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.facts import Anchor
    from plugseal.lang.shell.judging.subject import Subject
    from plugseal.lang.shell.parsing.scanning import Word
    from plugseal.model.location import Span

    Seen = tuple[int, int]
    """An offset in the script, and a block of it."""

_MAX_TEXT: Final = 65_536
_MAX_VARIABLES: Final = 16
_MAX_VALUE: Final = 1_024
_VARIABLE: Final = lazy(r"\$\{?([A-Za-z_][A-Za-z0-9_]{0,63})")
_QUOTED: Final = lazy(r"[\"$`\\\\]")
_OWN_FOLDER: Final = lazy(f"{re.escape(OWN)}((?:/\\.\\.)*)(?![.\\w])")


class Texts:
    """Hands on the texts inside one script."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def put(
        self, language: str, text: str, span: Span, about: tuple[str, str], anchors: tuple[Anchor, ...] = ()
    ) -> None:
        """Hand a text to its reader, unless nothing of it is known.

        Args:
            language: of the text.
            text: with holes where it is not known.
            span: where it stands.
            about: what runs it, and the function that it stands in.
            anchors: of a text that stands there word for word.
        """
        if not text.replace(HOLE, "").strip() or len(text) > _MAX_TEXT:
            return
        if HOLE in text or OWN in text or ROOT in text or SPLIT in text:
            anchors = ()
            text = (
                _OWN_FOLDER.sub(self._own_folder, filled(text, language))
                .replace(OWN, ".")
                .replace(ROOT, "${CLAUDE_PLUGIN_ROOT}")
                .replace(SPLIT, " ")
            )
        how, function = about
        self._subject.report.add_nested(Nested(language, text, span, anchors, "start", how), function)

    def put_own(self, text: str, place: Span, about: tuple[str, str], anchors: tuple[Anchor, ...], seen: Seen) -> None:
        """Hand on a text that this very shell runs, with what the script gave the variables in it.

        Args:
            text: as the shell is given it.
            place: where it stands.
            about: as for `put`.
            anchors: as for `put`.
            seen: from where the variables are looked at.
        """
        before = "".join(f'{name}="{value}"; ' for name, value in self._values(text, seen))
        moved = tuple(one._replace(offset=one.offset + len(before)) for one in anchors)
        self.put("shell", before + text, place, about, moved)

    def _values(self, text: str, seen: Seen) -> Iterator[tuple[str, str]]:
        """Yield the variables of a text that the script sets, with what they hold there, quoted."""
        for name in list(dict.fromkeys(_VARIABLE.findall(text)))[:_MAX_VARIABLES]:
            found = None if name in INTERNAL or name in ENVIRONMENT else self._subject.folder.assigned(name, *seen, 0)
            if found is not None:
                value = found[0][0] if len(found) == 1 else HOLE
                is_plain = len(value) <= _MAX_VALUE and not any(mark in value for mark in (OWN, ROOT, SPLIT))
                yield name, _QUOTED.sub(r"\\\g<0>", value if is_plain else HOLE).replace(HOLE, "${_}")

    def _own_folder(self, found: re.Match[str]) -> str:
        """Return the folder of the script, or one above it, as a reader of code in it would name it."""
        folder = posixpath.dirname(self._subject.report.path)
        return "." if found[0] == OWN else posixpath.normpath(f"./{folder}/{found[1]}")

    def anchors(self, word: Word | None, text: str, skip: int = 0) -> tuple[Anchor, ...]:
        """Return the anchors of a text that a word holds exactly as it is written, none where it does not."""
        if word is None:
            return ()
        source = self._subject.source
        if source.text(word.start + skip, word.end) == text:
            return source.anchors(word.start + skip, text)
        if source.text(word.start + 1 + skip, word.end - 1) == text and source.data.startswith(
            (b"'", b'"'), word.start
        ):
            return source.anchors(word.start + 1 + skip, text)
        return ()

"""Credentials in scripts and texts that no other rule looks at: shells, prose, languages whose strings nobody reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.location import Span
from plugseal.model.secrets import MAX_SEARCHED_CHARACTERS, Secret, find_shapes, is_made_up
from plugseal.scan.detectors.credentials import STRING_SECRETS
from plugseal.scan.matching.hit import Hit
from plugseal.scan.sources import decode_for_show, split_lines

MAX_HITS: Final = 20
"""Credentials in one text: a list of them says no more."""
_ELSEWHERE: Final = frozenset(
    {"python", "javascript", "typescript", "notebook", "json", "yaml", "toml", "JSON lines", "environment file"}
)
"""Languages whose strings or manifests have rules of their own, and data in bulk."""
_MEDIA: Final = ("picture", "media", "sound", "font", "PDF", "office")
"""Beginnings of the names of kinds that hold no text of their own."""
_KEY: Final = "PRIVATE KEY"
_KEY_LINES: Final = 3
_OVERLAP: Final = 4_096
"""Characters that two parts of a long line share, so that no credential stands across their edge."""


def look_for_text_secrets(_: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find tokens in a text; only what its issuer made recognisable, since texts are full of examples and hashes."""
    begins = STRING_SECRETS.interest.strings
    if begins is None or language in _ELSEWHERE or language.startswith(_MEDIA) or b"\0" in data[:1024]:
        return
    seen: set[str] = set()
    lines = split_lines(decode_for_show(data))
    for number, line in enumerate(lines, 1):
        for text, secret in _secrets(lines, number) if begins.search(line) else ():
            value = text[secret.start : secret.end]
            if value in seen or is_made_up(text, secret):
                continue
            seen.add(value)
            yield Hit(Span(number, secret.start + 1, number, min(secret.end, len(line)) + 1), secret.kind)
            if len(seen) == MAX_HITS:
                return


def _secrets(lines: list[str], number: int) -> Iterator[tuple[str, Secret]]:
    """Yield the credentials that begin in a line, each with the text that it stands in: a key goes on below."""
    line = lines[number - 1]
    text = "\n".join(lines[number - 1 : number + _KEY_LINES]) if _KEY in line else line
    for at in range(0, max(len(line), 1), MAX_SEARCHED_CHARACTERS - _OVERLAP):
        for start, end, kind in find_shapes(text[at : at + MAX_SEARCHED_CHARACTERS]):
            if at + start < len(line):
                yield text, Secret(at + start, at + end, kind)

"""Credentials in environment files that are part of a tree; examples and templates are left alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.lang.textkinds import TEMPLATES
from plugseal.model.location import Span
from plugseal.model.secrets import TELLING_NAME, TELLING_WORDS, find_secrets, is_secret_value
from plugseal.patterns import lazy
from plugseal.scan.detectors.credentials import is_said_to_be_none
from plugseal.scan.matching.hit import Hit
from plugseal.scan.matching.values import searches
from plugseal.scan.sources import decode_for_show, split_lines

_LANGUAGE: Final = "environment file"
_TELLS: Final = lazy(rf"(?i){TELLING_NAME}$|(?:^|_)key$", needs=TELLING_WORDS)


def look_for_environment_secrets(path: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find lines of an environment file that hold a credential."""
    if language != _LANGUAGE or TEMPLATES.intersection(path.lower().replace("-", ".").split(".")):
        return
    for number, line in enumerate(split_lines(decode_for_show(data)), 1):
        name, mark, value = line.partition("=")
        if not mark or line.lstrip().startswith("#"):
            continue
        name = name.strip().removeprefix("export ").strip()
        found = find_secrets(line)
        kind = found[0].kind if found else ""
        if not kind and searches(_TELLS, name) and is_secret_value(value.strip().strip("\"'")):
            kind = "credential"
        if kind and not (kind == "credential" and is_said_to_be_none(value.strip().strip("\"'"))):
            yield Hit(Span(number, 1, number, len(line) + 1), kind, name)

"""Requirements that a script names in a comment for whoever starts it: `uv run` and `pipx run` install them unasked.

See: https://packaging.python.org/en/latest/specifications/inline-script-metadata/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import FileFacts
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import WHOLE_FILE
from plugseal.patterns import lazy

_BLOCK: Final = lazy(
    r"^# /// script[ \t]*\r?\n((?:#(?: (?!/// script[ \t]*\r?\n)[^\r\n]*)?\r?\n)+?)# ///[ \t]*\r?$", re.MULTILINE
)
_HOST: Final = lazy(r"(?:(?<![a-z+])[a-z+]+://)(?:[^/?#\\\s]*@)?([^/:?#\\\s]+)")


def with_inline_requirements(facts: FileFacts, text: str) -> FileFacts:
    """Return the facts of a script with those of the block in which it names its requirements.

    They are facts about the whole file: the block is a comment to whoever runs the script in any other way.

    Args:
        facts: of its code.
        text: of the file.
    """
    block = _BLOCK.search(text)
    if block is None:
        return facts
    more = set(_said(block[1]))
    return facts._replace(facts=tuple(sorted({*facts.facts, *more}, key=fact_order))) if more else facts


def _said(block: str) -> Iterator[Fact]:
    from plugseal.encode.toml import parse_toml
    from plugseal.errors import DataError

    plain = "".join(line[2:] if line.startswith("# ") else line[1:] for line in block.splitlines(keepends=True))
    try:
        table = parse_toml(plain.encode())
    except DataError:
        yield Fact(WHOLE_FILE, "code.fetched", None, "possible", "code", "start")
        return
    listed = table.get("dependencies")
    for one in listed if isinstance(listed, list) else []:
        if not isinstance(one, str):
            continue
        yield Fact(WHOLE_FILE, "code.fetched", one[:256], "direct", "code", "start")
        yield Fact(WHOLE_FILE, "autorun", one[:256], "direct", "code", "start")
        address = _HOST.search(one)
        yield Fact(WHOLE_FILE, "net.outbound", address[1].lower() if address else None, "direct", "code", "start")

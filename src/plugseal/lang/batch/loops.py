"""What `for /f` takes out of a text that stands in the file: tokens by delimiters, one variable for each."""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy

_HEAD: Final = lazy(r"for\s+/f\s+(?:\"([^\"]*)\"\s+)?%%?~?([a-z])\s", re.IGNORECASE)
_DELIMITERS: Final = lazy(r"delims=(.{0,64}?)(?:\s(?:tokens|skip|eol)=|\susebackq|\Z)", re.IGNORECASE)
_TOKENS: Final = lazy(r"tokens=([\d,*-]{1,64})", re.IGNORECASE)
_ECHO: Final = lazy(r"(?:cmd(?:\.exe)?\s+/c\s+)?@?echo[ .]\s*(.*)", re.IGNORECASE)
_MAX_TOKENS: Final = 26


def taken_from(loop: str, given: str) -> dict[str, str]:
    """Return the variables that a loop sets, empty where what it reads does not stand there.

    Args:
        loop: its head, up to `do`.
        given: what stands in its brackets.
    """
    head = _HEAD.match(loop)
    if head is None or len(given) < 2 or given[0] != given[-1]:
        return {}
    options = head[1] or ""
    text: str | None = given[1:-1]
    if given[0] == ("`" if "usebackq" in options.lower() else "'"):
        printed = _ECHO.fullmatch(given[1:-1].strip())
        text = printed[1].strip() if printed else None
    elif given[0] != ("'" if "usebackq" in options.lower() else '"'):
        return {}
    return dict(_tokens(text, options, head[2])) if text is not None and "\n" not in text else {}


def _tokens(text: str, options: str, first: str) -> list[tuple[str, str]]:
    """Return the letters of a loop's variables, each with what it holds."""
    found = _DELIMITERS.search(options)
    delimiters = found[1] if found is not None else " \t"
    wanted = _TOKENS.search(options)
    numbers, has_rest = _numbers(wanted[1] if wanted is not None else "1")
    places = list(re.finditer(f"[^{re.escape(delimiters)}]+", text)) if delimiters else []
    parts = [match[0] for match in places] if delimiters else [text]
    values = [parts[number - 1] if 0 < number <= len(parts) else "" for number in numbers]
    if has_rest:
        last = max(numbers, default=0)
        values.append(text[places[last].start() :] if last < len(places) else "")
    return [(chr(ord(first) + at), value) for at, value in enumerate(values[:_MAX_TOKENS])]


def _numbers(text: str) -> tuple[list[int], bool]:
    """Return the numbers of `1,3-5*`, and whether the rest of the line is wanted too."""
    numbers: list[int] = []
    for part in text.strip("*").split(","):
        start, _, end = part.partition("-")
        if start.isdecimal() and len(start) < 3:
            last = int(end) if end.isdecimal() and len(end) < 3 else int(start)
            numbers.extend(range(int(start), min(last, int(start) + _MAX_TOKENS) + 1))
    return numbers[:_MAX_TOKENS], text.endswith("*")

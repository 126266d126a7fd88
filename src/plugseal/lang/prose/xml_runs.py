"""What XML files of builders and of launchd start: the command lines and words that stand in them.

MSBuild gives `Command` and the events around a build to a shell; Ant, Maven and launchd start programs with words.
What such a file computes is not computed here.
"""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Iterator
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_COMMENT: Final = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_COMMAND: Final = lazy(r"<exec\s(?:[^<>]*?\s)?command\s*=\s*(?:\"([^\"<>]+)\"|'([^'<>]+)')", re.IGNORECASE)
_EVENT: Final = lazy(r"<((?:Pre|Post)(?:Build|Link)Event)>([^<>]+)</\1>", re.IGNORECASE)
_PROGRAM: Final = lazy(r"<exec\s(?=[^<>]*>)(?:[^<>]*?\s)?executable\s*=\s*[\"']([^\"'<>]+)[\"'][^<>]*>", re.IGNORECASE)
_ARGUMENT: Final = lazy(r"<arg\s[^<>]*?(value|line|path|file)\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')", re.IGNORECASE)
_MAVEN: Final = lazy(r"<executable>\s*(?=[^\s<>])([^<>]*[^\s<>])\s*</executable>")
_MAVEN_ARGUMENT: Final = lazy(r"<(argument|commandlineArgs)>\s*(?=[^\s<>])([^<>]*[^\s<>])\s*</\1>")
_LAUNCHD: Final = lazy(r"<key>\s*ProgramArguments\s*</key>\s*<array>")
_STRING: Final = lazy(r"<string>([^<>]*)</string>")
_ARRAY_END: Final = "</array>"
_MAX_ARRAY: Final = 8_000
_MAX_BEHIND: Final = 4_000
_MAX_RUNS: Final = 2_000


class Run(NamedTuple):
    """One command line."""

    start: int
    end: int
    line: str
    how: str


def iterate_runs(text: str) -> Iterator[Run]:
    """Yield the command lines that an XML file has started, in no order; comments hold none."""
    if "xec" not in text and "ProgramArguments" not in text and "Event>" not in text:
        return
    plain = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    for count, run in enumerate(_runs(plain)):
        if count >= _MAX_RUNS:
            return
        if run.line.strip():
            yield run


def _runs(text: str) -> Iterator[Run]:
    for match in _COMMAND.finditer(text):
        group = 1 if match[1] is not None else 2
        yield Run(match.start(group), match.end(group), html.unescape(match[group]), "Exec")
    for match in _EVENT.finditer(text):
        yield Run(match.start(2), match.end(2), html.unescape(match[2]).strip(), match[1])
    for match in _PROGRAM.finditer(text):
        end = -1 if match[0].endswith("/>") else text.find("</exec>", match.end(), match.end() + _MAX_BEHIND)
        inner = text[match.end() : end] if end >= 0 else ""
        yield Run(match.start(), match.end(), " ".join([_word(match[1]), *_ant(inner)]), "exec")
    for match in _MAVEN.finditer(text):
        end = text.find("</configuration>", match.end(), match.end() + _MAX_BEHIND)
        inner = text[match.end() : end] if end >= 0 else ""
        words = [
            html.unescape(one[2]) if one[1] == "commandlineArgs" else _word(one[2])
            for one in _MAVEN_ARGUMENT.finditer(inner)
        ]
        yield Run(match.start(1), match.end(1), " ".join([_word(match[1]), *words]), "exec plugin")
    for match in _LAUNCHD.finditer(text):
        end = text.find(_ARRAY_END, match.end(), match.end() + _MAX_ARRAY)
        if end >= 0:
            words = [_word(one[1]) for one in _STRING.finditer(text, match.end(), end)]
            yield Run(match.start(), end + len(_ARRAY_END), " ".join(words), "launchd")


def _ant(inner: str) -> Iterator[str]:
    for one in _ARGUMENT.finditer(inner):
        value = one[2] if one[2] is not None else one[3]
        yield html.unescape(value) if one[1].lower() == "line" else _word(value)


def _word(text: str) -> str:
    """Return a word for a shell; properties of builders stay variables in it."""
    plain = html.unescape(text)
    return f'"{plain}"' if "${" in plain and '"' not in plain else shlex.quote(plain)

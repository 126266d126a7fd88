"""What one program does by its own words, without what it starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from plugseal.lang.command_words import HOLE
from plugseal.lang.programs.options import option_values, plain_words
from plugseal.lang.programs.tables import Rule, programs, searcher
from plugseal.patterns import lazy

_REMOTE: Final = lazy(r"(?:[\w.-]+@)([\w.-]{2,}):(?!//)")
_NAME: Final = lazy(r"(?:localhost|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}|\d+(?:\.\d+){3})(?::\d+)?(?=[/?]|$)")
_SCHEME: Final = lazy(r"[A-Za-z][A-Za-z0-9+.-]*://")
_ASKING: Final = frozenset("--version -v -V --help -h version help -version /?".split())
"""Words that only ask a program about itself."""
_SLASHED: Final = frozenset("robocopy xcopy icacls cacls attrib takeown findstr".split())
"""Programs of Windows alone: a word that begins with a slash is an option of theirs, and no path."""
_SWITCH: Final = re.compile(r"/[A-Za-z?][A-Za-z0-9+-]*(?::.*)?\Z", re.DOTALL)
_MAX_OBJECTS: Final = 8


class Act(NamedTuple):
    """One thing that a command does."""

    capability: str
    kind: str
    """What `named` is: `path`, `host`, `package`, `text`, or empty for nothing."""
    named: str | None
    is_sure: bool = True


def acts_of(name: str, rest: Sequence[str]) -> list[Act]:
    """Return what a program does.

    Args:
        name: its plain name.
        rest: the words behind it; what is not known in them is a hole.
    """
    rules = programs().rules.get(name)
    if not rules or (len(rest) == 1 and rest[0] in _ASKING):
        return []
    has_options = any(word[:1] == "-" for word in rest)
    found: list[Act] = []
    for rule in rules:
        if not rule.option or has_options:
            found.extend(_acts(rule, rest, has_switches=name in _SLASHED))
    return found


def _acts(rule: Rule, words: Sequence[str], *, has_switches: bool) -> Iterator[Act]:
    behind: list[str] = []
    if rule.start or rule.is_bare or not (rule.option or rule.prefix or rule.literal or not rule.object):
        plain = [word for _, word in plain_words(words, rule.values)]
        if has_switches:
            plain = [word for word in plain if not _SWITCH.match(word)]
        following = _behind_start(rule.start, plain)
        if following is None or (rule.is_bare and plain):
            return
        behind = following
    is_sure = True
    if rule.any or rule.match or rule.none:
        sure = _conditions(rule, words)
        if sure is None:
            return
        is_sure = sure
    named = list(_named(rule, behind, words))
    if rule.literal:
        yield Act(rule.capability, "text", rule.literal, is_sure)
    elif named:
        for kind, text in named[:_MAX_OBJECTS]:
            yield Act(rule.capability, kind, text, is_sure)
    elif not (rule.is_needed or rule.option or rule.prefix or rule.capability == "env.read"):
        yield Act(rule.capability, "", None, is_sure)


def _conditions(rule: Rule, words: Sequence[str]) -> bool | None:
    """Say whether the words are what a rule asks for: for certain, perhaps (False), or not (None)."""
    is_sure = True
    for wanted in (
        not rule.any or any(word.partition("=")[0].lower() in rule.any or word in rule.any for word in words),
        not rule.match or any(searcher(rule.match)(word) for word in words if HOLE not in word),
    ):
        if not wanted:
            if not rule.is_open or not any(HOLE in word for word in words):
                return None
            is_sure = False
    if rule.none and any(searcher(rule.none)(word) for word in words):
        return None
    return is_sure


def _behind_start(starts: tuple[tuple[str, ...], ...], plain: list[str]) -> list[str] | None:
    """Return the words behind the leading ones, if these are among some."""
    if not starts:
        return plain
    for start in starts:
        if tuple(plain[: len(start)]) == start:
            return plain[len(start) :]
    return None


def _named(rule: Rule, behind: list[str], words: Sequence[str]) -> Iterator[tuple[str, str]]:
    what = rule.object
    if rule.option:
        texts = [valued.text for valued in option_values(words, rule.option)]
        if rule.prefix:
            texts = [text[len(p) :] for text in texts for p in rule.prefix if text.startswith(p)]
        yield from _as_kind(what, texts)
        return
    if rule.prefix:
        yield from _as_kind(what, [word[len(p) :] for word in words for p in rule.prefix if word.startswith(p)])
        return
    if what == "url":
        yield from (("host", host) for host in _hosts(behind, words, has_values=bool(rule.values))[:4])
    elif what == "file-url":
        yield from (("path", word[7:]) for word in words if word.lower().startswith("file://"))
    elif what == "remote":
        yield from (("host", host) for word in behind if (host := _remote(word)))
    elif what == "local":
        yield from (("path", word) for word in behind if not _remote(word))
    elif what == "host":
        named = [word for word in behind[:2] if not word.isdigit()]
        yield from (("host", word.rpartition("@")[2]) for word in named[:1])
    elif what in ("package", "word"):
        yield from (("text", word) for word in behind[:1])
    elif what:
        yield from (("path", word) for word in _chosen(what, behind))


def _chosen(what: str, behind: list[str]) -> list[str]:
    """Return the words that are paths."""
    if what == "paths":
        return behind
    if what == "rest":
        return behind[1:]
    if what == "first":
        return behind[:1]
    if what == "init":
        return behind[:-1]
    if what == "second":
        return behind[1:2]
    return behind[-1:]


def _as_kind(what: str, texts: list[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        if what == "at":
            if text.startswith("@"):
                yield "path", text[1:]
            elif "=@" in text or "=<" in text:
                yield "path", re.split(r"=[@<]", text, maxsplit=1)[1].partition(";")[0]
        elif what == "host":
            yield "host", text.rpartition("@")[2]
        elif what in ("url", "text"):
            yield ("host" if what == "url" else "text"), text
        elif text:
            yield "path", text


def _remote(word: str) -> str | None:
    """Return the host of `user@host:path`."""
    if _SCHEME.match(word):
        return word
    found = re.match(r"(?:[\w.-]+@)?([\w.-]{2,}|\[[0-9A-Fa-f:]+\]):", word)
    return found[1] if found else None


def _hosts(behind: list[str], words: Sequence[str], *, has_values: bool) -> list[str]:
    """Return the addresses among words: those with a scheme, else one that looks like a name with a dot."""
    found = [word for word in words if "://" in word and not word.startswith("-") and not word.startswith("file:")]
    found.extend(match[1] for match in map(_REMOTE.match, behind) if match)
    if found:
        return [word if _SCHEME.match(word) or "://" not in word else _first_url(word) for word in found]
    if has_values:
        return [word.partition("/")[0] for word in behind if _NAME.match(word)][:1]
    before = ["", *words]
    for at, word in enumerate(words):
        if not before[at].startswith("-") and not word.startswith("-") and _NAME.match(word):
            return [word.partition("/")[0]]
    return []


def _first_url(word: str) -> str:
    found = re.search(r"(?<![A-Za-z0-9+.-])[0-9+.-]*([A-Za-z][A-Za-z0-9+.-]*://\S*)", word)
    return found[1] if found else word

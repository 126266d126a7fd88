"""What one program does by its own words, without what it starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.judging.telling import most_telling
from plugseal.lang.placed_acts import Act
from plugseal.lang.programs.options import option_values, plain_words, windows_words
from plugseal.lang.programs.tables import MAX_SEARCHED, Rule, programs
from plugseal.model.git_settings import LOADS, RUNS, canonical, is_ordinary, line_of, loaded_by
from plugseal.patterns import lazy

_REMOTE: Final = lazy(r"(?:[\w.-]+@)([\w.-]{2,}):(?!//)")
_NAME: Final = lazy(r"(?:localhost|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}|\d+(?:\.\d+){3})(?::\d+)?(?=[/?]|$)")
_SCHEME: Final = lazy(r"[A-Za-z][A-Za-z0-9+.-]*://")
_ASKING: Final = frozenset("--version -v -V --help -h version help -version /?".split())
"""Words that only ask a program about itself."""
_UNKNOWN_HOST: Final = lazy(rf"[^/:]*{HOLE}:")
_MOUNT: Final = lazy(r"((?:[A-Za-z]:(?=[\\/]))?[^:]*):[^:]*(?::(.*))?\Z", re.DOTALL)
_BOUND: Final = lazy(r"(?:\A|,)(?:source|src)=([^,]*)")
_RECORDS: Final = frozenset("A AAAA ANY AXFR CAA CNAME MX NS PTR SOA SRV TXT".split())
_MAX_OBJECTS: Final = 8
_new: Final = tuple.__new__
_CHOSEN: Final = {
    "paths": slice(None),
    "rest": slice(1, None),
    "first": slice(1),
    "init": slice(-1),
    "second": slice(1, 2),
    "last": slice(-1, None),
}
"""Which of the words behind the leading ones are paths."""


def acts_of(name: str, rest: Sequence[str]) -> list[Act]:
    """Return what a program does.

    Args:
        name: its plain name.
        rest: the words behind it; what is not known in them is a hole.
    """
    known = programs()
    rules = known.rules.get(name)
    if not rules or (len(rest) == 1 and rest[0] in _ASKING):
        return []
    if name in known.windowed:
        rest = windows_words(rest)
    has_options = any(word[:1] == "-" for word in rest)
    found: list[Act] = []
    plain: dict[frozenset[str], list[str]] = {}
    for rule in rules:
        if rule.option and not has_options:
            continue
        behind: list[str] = []
        if rule.is_plain:
            words = plain.get(rule.values)
            if words is None:
                words = plain[rule.values] = [word for _, word in plain_words(rest, rule.values)]
            following = _behind_start(rule.start, words) if rule.start else words
            if following is None or (rule.is_bare and words):
                continue
            behind = following
        is_sure = _conditions(rule, rest) if rule.any or rule.match or rule.none else True
        if is_sure and rule.is_setting:
            is_sure = _sets_what_runs(rest)
        if is_sure is not None:
            _add_acts(rule, rest, behind, found, is_sure=is_sure)
    return found


def _add_acts(rule: Rule, words: Sequence[str], behind: list[str], found: list[Act], *, is_sure: bool) -> None:
    """Add what a rule says of words that fit it."""
    if rule.literal:
        found.append(_new(Act, (rule.capability, "text", rule.literal, is_sure)))
        return
    named = _named(rule, behind, words) if rule.object or rule.option or rule.prefix else []
    if named:
        if len(named) > _MAX_OBJECTS:
            named = most_telling(named, _MAX_OBJECTS, itemgetter(1))
        found.extend([_new(Act, (rule.capability, kind, text, is_sure)) for kind, text in named])
    elif not (rule.is_needed or rule.option or rule.prefix or rule.capability == "env.read"):
        found.append(_new(Act, (rule.capability, "", None, is_sure)))


def _conditions(rule: Rule, words: Sequence[str]) -> bool | None:
    """Say whether the words are what a rule asks for: for certain, perhaps (False), or not (None)."""
    is_sure = True
    wanted, match, none = rule.any, rule.fitting, rule.unfitting
    if (wanted and not any(_is_one_of(word, wanted) for word in words)) or (
        match is not None and not any(match.search(word, 0, MAX_SEARCHED) for word in words if HOLE not in word)
    ):
        if not rule.is_open or not any(HOLE in word for word in words):
            return None
        is_sure = False
    if none is not None and any(none.search(word, 0, MAX_SEARCHED) for word in words):
        return None
    return is_sure


def _sets_what_runs(words: Sequence[str]) -> bool | None:
    """Say whether words of `git config` set a key by which git runs something: perhaps where the value is unknown."""
    for word, value in pairwise(words):
        key = canonical(word)
        line = line_of(key, value) or loaded_by(key, value)
        if HOLE in value and (RUNS.fullmatch(key) or LOADS.fullmatch(key)):
            return False
        if line and not is_ordinary(line):
            return True
    return None


def _is_one_of(word: str, wanted: frozenset[str]) -> bool:
    """Say whether a word is one of a rule's, in whatever case; of `-n` and `-N` each means something of its own."""
    if word in wanted:
        return True
    return not (len(word) == 2 and word[0] == "-") and word.partition("=")[0].lower() in wanted


def _behind_start(starts: tuple[tuple[str, ...], ...], plain: list[str]) -> list[str] | None:
    """Return the words behind the leading ones, if these are among some."""
    for start in starts:
        if tuple(plain[: len(start)]) == start:
            return plain[len(start) :]
    return None


def _named(rule: Rule, behind: list[str], words: Sequence[str]) -> list[tuple[str, str]]:
    """Return what words name, each with its kind."""
    what = rule.object
    if rule.option:
        texts = [valued.text for valued in option_values(words, rule.option, glues=not rule.is_windowed)]
        if rule.prefix:
            texts = [text[len(p) :] for text in texts for p in rule.prefix if text.startswith(p)]
        return list(_as_kind(what, texts)) if texts else []
    if rule.prefix:
        return list(_as_kind(what, [word[len(p) :] for word in words for p in rule.prefix if word.startswith(p)]))
    chosen = _CHOSEN.get(what)
    if chosen is not None:
        return [("path", word) for word in behind[chosen]]
    if what == "url":
        if rule.is_windowed:
            words = [word.partition("=")[2] if word[:1] == "-" else word for word in words]
        return [("host", host) for host in _hosts(behind, words, has_values=bool(rule.values))[:4]]
    if what == "file-url":
        return [("path", word[7:]) for word in words if word.lower().startswith("file://")]
    if what == "remote":
        return [("host", host) for word in behind if (host := _remote(word))]
    if what in ("local", "local-last"):
        ends = behind[-1:] if what == "local-last" and len(behind) > 1 else behind[:-1] if what == "local" else []
        return [("path", word) for word in ends if not (_remote(word) or _UNKNOWN_HOST.match(word))]
    if what == "host":
        # `dig` writes its options with a plus, and may name the kind of record first.
        behind = [word for word in behind if word[:1] != "+" and word not in _RECORDS]
        named = [word for word in behind[:2] if not word.isdigit()]
        return [("host", word.rpartition("@")[2]) for word in named[:1]]
    if what in ("package", "word"):
        return [("text", word) for word in behind[:1]]
    return []


def _as_kind(what: str, texts: list[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        if what == "at":
            if text.startswith("@"):
                yield "path", text[1:]
            elif "=@" in text or "=<" in text:
                yield "path", re.split(r"=[@<]", text, maxsplit=1)[1].partition(";")[0]
        elif what in ("mount", "mount-write"):
            folder, is_read_only = _mounted(text)
            if folder and not (what == "mount-write" and is_read_only):
                yield "path", folder
        elif what == "host":
            yield "host", text.rpartition("@")[2]
        elif what in ("url", "text"):
            yield ("host" if what == "url" else "text"), text
        elif text:
            yield "path", text


def _mounted(text: str) -> tuple[str, bool]:
    """Return the folder that a container is given, empty for a volume, and whether it may only read it."""
    bound = _BOUND.search(text)
    found = _MOUNT.match(text) if bound is None else None
    folder = bound[1] if bound is not None else found[1] if found is not None else ""
    options = text if bound is not None else (found[2] or "" if found is not None else "")
    is_folder = folder[:1] in ("/", ".", "~", HOLE) or folder[1:2] == ":" or "/" in folder
    return folder if is_folder else "", not {"ro", "readonly", "readonly=true"}.isdisjoint(options.split(","))


def _remote(word: str) -> str | None:
    """Return the host of `user@host:path`."""
    if _SCHEME.match(word):
        return word
    found = re.match(r"(?:[\w.-]+@(?=[\w.\[-]))?((?<=@)[\w.-]+|[\w.-]{2,}|\[[0-9A-Fa-f:]+\]):", word)
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

"""What programs can do by the words that they are started with: the data of `programs.toml`, loaded at first use.

For argument lists and for the simple commands of literal shell lines, whatever language they stand in. Words that are
not known hold holes. Nothing here looks at any disk or runs anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from plugseal.lang.command_words import HOLE, Command, split_line

_FILE: Final = Path(__file__).parent / "programs.toml"
_MAX_DEPTH: Final = 4
_NO_FILES: Final = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-", "NUL", "nul", "1", "2"))
_FETCHERS: Final = frozenset(("curl", "wget", "wget2", "http", "https", "xh", "lynx", "aria2c"))
_RUNNERS: Final = re.compile(
    r"(?:ba|z|da|k|a|fi)?sh|python[\d.]*|pypy\d?|node(?:js)?|perl|ruby|php|deno|bun|lua|powershell|pwsh|iex"
)
_REMOTE: Final = re.compile(r"(?:[\w.-]+@)([\w.-]{2,}):(?!//)")
_NAME: Final = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}|\d+(?:\.\d+){3})(?::\d+)?(?=[/?]|$)")
_ASKING: Final = frozenset("--version -v -V --help -h version help -version /?".split())
"""Words that only ask a program about itself."""
_PYTHON: Final = re.compile(r"python[\d.]*|pypy\d?|py")


class Act(NamedTuple):
    """One thing that a command does."""

    capability: str
    kind: str
    """What `named` is: `path`, `host`, `package`, `text`, or empty for nothing."""
    named: str | None
    is_sure: bool = True


class _Rule(NamedTuple):
    capability: str
    start: tuple[tuple[str, ...], ...]
    any: tuple[str, ...]
    match: re.Pattern[str] | None
    is_bare: bool
    is_open: bool
    object: str
    values: frozenset[str]


class _Programs(NamedTuple):
    rules: dict[str, tuple[_Rule, ...]]
    wrap: dict[str, frozenset[str]]
    line: dict[str, frozenset[str]]
    code: dict[str, frozenset[str]]


def acts_of_words(words: Sequence[str], depth: int = 0) -> list[Act]:
    """Return what a program does when it is started with these words, the first being its name.

    Args:
        words: the words; what is not known in them is a hole.
        depth: how many lines and wrappers it stands in.
    """
    if not words or depth > _MAX_DEPTH:
        return []
    name = program_name(words[0])
    if not name or (len(words) == 2 and words[1] in _ASKING):
        return []
    known, rest = _programs(), words[1:]
    found = [act for rule in known.rules.get(name, ()) for act in _acts(rule, rest)]
    if name in known.line:
        line = _behind(rest, known.line[name])
        return found + (acts_of_line(line, depth + 1) or [] if line is not None else [])
    if name in known.code:
        if _behind(rest, known.code[name]) is not None or (rest and not known.code[name]):
            found.append(Act("code.dynamic", "", None))
        if any(word.lower() in ("-encodedcommand", "-enc") for word in rest):
            found.append(Act("code.obfuscated", "", None))
    if _PYTHON.fullmatch(name) and list(rest[:1]) == ["-m"]:
        found.extend(acts_of_words(rest[1:], depth + 1))
    if name in known.wrap:
        found.extend(acts_of_words(_wrapped(rest, known.wrap[name]), depth + 1))
    return found


def acts_of_line(line: str, depth: int = 0) -> list[Act] | None:
    """Return what a literal shell line does, or None where only a shell could tell."""
    commands = split_line(line)
    if commands is None or depth > _MAX_DEPTH:
        return None
    found: list[Act] = []
    before: Command | None = None
    for command in commands:
        found.extend(acts_of_words(command.words, depth))
        found.extend(Act("fs.write", "path", path) for path in command.writes if path not in _NO_FILES)
        found.extend(Act("fs.read", "path", path) for path in command.reads if path not in _NO_FILES)
        if before is not None and command.is_fed and _fetches(before) and _runs(command):
            found.extend(Act("code.fetched", act.kind, act.named) for act in acts_of_words(before.words)[:1])
        before = command if command.words else before
    return found


def program_name(word: str) -> str:
    """Return a program's name without folder and suffix, in lower case; empty where it is not known."""
    name = word.replace("\\", "/").rpartition("/")[2].lower()
    return "" if HOLE in name else name.removesuffix(".exe").removesuffix(".cmd")


def _fetches(command: Command) -> bool:
    return bool(command.words) and program_name(command.words[0]) in _FETCHERS


def _runs(command: Command) -> bool:
    words = list(command.words)
    while words and program_name(words[0]) in _programs().wrap:
        words = list(_wrapped(words[1:], _programs().wrap[program_name(words[0])]))
    return bool(words) and _RUNNERS.fullmatch(program_name(words[0])) is not None


def _behind(words: Sequence[str], options: frozenset[str]) -> str | None:
    """Return the word behind one of some options."""
    for at, word in enumerate(words[:-1]):
        if word.lower() in options or word in options:
            return words[at + 1]
    return None


def _wrapped(words: Sequence[str], options: frozenset[str]) -> Sequence[str]:
    """Return the words of the command inside a wrapper: behind its options, their values and its own words."""
    at, own = 0, 1 if "+" in options else 0
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word in options:
            at += 2
        elif word.startswith("-") or re.match(r"[A-Za-z_]\w*=", word):
            at += 1
        elif own:
            own, at = 0, at + 1
        else:
            break
    return words[at:]


def _acts(rule: _Rule, words: Sequence[str]) -> Iterator[Act]:
    plain = _plain(words, rule.values)
    behind = _behind_start(rule.start, plain)
    if behind is None or (rule.is_bare and plain):
        return
    is_sure = True
    for wanted in (
        not rule.any or any(word.partition("=")[0].lower() in rule.any for word in words),
        rule.match is None or any(rule.match.search(word) for word in words if HOLE not in word),
    ):
        if not wanted:
            if not rule.is_open or not any(HOLE in word for word in words):
                return
            is_sure = False
    named = list(_named(rule.object, behind, words))
    if not named and rule.capability == "env.read":
        return
    if not named:
        yield Act(rule.capability, "", None, is_sure)
    for kind, text in named:
        yield Act(rule.capability, kind, text, is_sure)


def _plain(words: Sequence[str], values: frozenset[str]) -> list[str]:
    """Return the words that are neither options nor their values."""
    found: list[str] = []
    before = ""
    for word in words:
        if not (word.startswith("-") and word != "-") and before not in values:
            found.append(word)
        before = word
    return found


def _behind_start(starts: tuple[tuple[str, ...], ...], plain: list[str]) -> list[str] | None:
    """Return the words behind the leading ones, if these are among some."""
    if not starts:
        return plain
    for start in starts:
        if tuple(plain[: len(start)]) == start:
            return plain[len(start) :]
    return None


def _named(what: str, behind: list[str], words: Sequence[str]) -> Iterator[tuple[str, str]]:
    if what == "url":
        yield from (("host", host) for host in _hosts(behind, words)[:4])
    elif what == "remote":
        yield from (
            ("host", word.partition(":")[0].rpartition("@")[2])
            for word in behind
            if re.match(r"(?:[\w.-]+@)?[\w.-]{2,}:", word)
        )
    elif what == "host":
        named = [word for word in behind[:2] if not word.isdigit()]
        yield from (("host", word.rpartition("@")[2]) for word in named[:1])
    elif what in ("paths", "rest", "first", "last"):
        chosen = {"paths": behind, "rest": behind[1:], "first": behind[:1], "last": behind[-1:]}[what]
        yield from (("path", word) for word in chosen[:8])
    elif what in ("package", "word"):
        yield from (("text", word) for word in behind[:1])


def _hosts(behind: list[str], words: Sequence[str]) -> list[str]:
    """Return the addresses among words: those with a scheme, else one that looks like a name with a dot."""
    found = [word for word in words if "://" in word and not word.startswith("-")]
    found.extend(match[1] for match in map(_REMOTE.match, behind) if match)
    if found:
        return found
    before = ["", *words]
    for at, word in enumerate(words):
        if not before[at].startswith("-") and not word.startswith("-") and _NAME.match(word):
            return [word.partition("/")[0]]
    return []


@cache
def _programs() -> _Programs:
    from plugseal.encode.toml import parse_toml

    table: dict[str, Any] = parse_toml(_FILE.read_bytes())  # Any: TOML, turned into ours here
    rules: dict[str, tuple[_Rule, ...]] = {}
    for group in table["act"]:
        rule = _Rule(
            group["capability"],
            tuple(sorted((tuple(start.split()) for start in group.get("start", ())), key=len, reverse=True)),
            tuple(group.get("any", ())),
            re.compile(group["match"]) if "match" in group else None,
            bool(group.get("bare", False)),
            bool(group.get("unknown", False)),
            group.get("object", ""),
            frozenset(group.get("values", "").split()),
        )
        for name in group["programs"]:
            own = rule._replace(values=rule.values | frozenset(table["values"].get(name, "").split()))
            rules[name] = (*rules.get(name, ()), own)
    sections = [
        {name: frozenset(words.split()) for name, words in table[part].items()} for part in ("wrap", "line", "code")
    ]
    return _Programs(rules, *sections)

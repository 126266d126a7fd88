"""What `${…}` makes of a variable: defaults, slices, replacements, cut ends, other case, names of names."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.shell.words.escapes import unescape_ansi
from plugseal.lang.shell.words.marks import CUT, DISGUISED, OWN, RESOLVED, SPLIT, UNSURE
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.words.folding import Folding

_FORM: Final = lazy(r"(?P<sign>[!#]?)(?P<name>\w+|[@*?$!-])(?P<item>\[[^\]]*\])?(?P<rest>[\s\S]*)\Z")
_SLICE: Final = lazy(r":\s*(-?\d+|\(-\d+\)| -\d+)\s*(?::\s*(-?\d+))?\Z")
_ROOTED: Final = frozenset(("HOME", "PATH", "PWD", "SHELL", "OLDPWD", "BASH"))
"""Variables that begin with a slash on every machine."""
_CASES: Final = {"@U": "^^", "@L": ",,", "@u": "^"}
_MAX_STRIPPED: Final = 256


def expand(folder: Folding, node: Node, block: int, depth: int) -> list[tuple[str, int]]:
    """Return the alternatives of one `${…}`."""
    found = _FORM.match(folder.source.text(node.start_byte + 2, node.end_byte - 1))
    if found is None or (found["sign"] == "#" and found["rest"] == ""):
        return [(HOLE, 0)]
    name, rest, item = found["name"], found["rest"], found["item"]
    if found["sign"] == "!":
        return _indirect(folder, name, node, block, depth)
    if rest[:1] == ":" and name in _ROOTED and name not in folder.script.assigned and _SLICE.match(rest):
        return [("/", DISGUISED)] if re.match(r":\s*0\s*:\s*1\Z", rest) else [(HOLE, 0)]
    operator = rest[:2] if rest[:2] in (":-", ":=", ":+", ":?") else rest[:1]
    if operator in (":-", ":=", "-", "="):
        known = folder.assigned(name, node.start_byte, block, depth)
        default = [(text, flags | RESOLVED) for text, flags in _operand(folder, node, operator, block, depth)]
        if known is None:
            own = folder.variable(name, node.start_byte, block, depth)
            if own == [(HOLE, 0)] and not any(text for text, _ in default):
                # `${1:-}` is what was given, or nothing: the nothing is no path, but before a slash it is the root.
                is_rooted = folder.source.data.startswith((b'/"', b"/ ", b"/\n", b'"/'), node.end_byte)
                return [*own, ("", UNSURE)] if is_rooted and not name.isdigit() else own
            return default if own == [(HOLE, 0)] else [one if one[0] else default[0] for one in own]
        known = _chosen(folder, name, item, known)
        return [*((text, flags | UNSURE) for text, flags in known if text not in ("", HOLE)), *default]
    if operator in (":+", "+"):
        return [*_operand(folder, node, operator, block, depth), ("", UNSURE)]
    values = _chosen(folder, name, item, folder.variable(name, node.start_byte, block, depth))
    if item == "[*]" and folder.source.data.startswith(b'"', node.end_byte):
        values = [(text.replace(SPLIT, _glue(folder)), flags) for text, flags in values]
    if not rest or operator in (":?", "?"):
        return values
    return [_changed(text, flags, rest) for text, flags in values]


def _chosen(folder: Folding, name: str, item: str | None, values: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the item of an array that is meant; all of it stays whole."""
    if SPLIT not in values[0][0] or name not in folder.script.assigned or item in ("[@]", "[*]"):
        return values
    number = item[1:-1] if item else "0"
    return [(_item(text, number), flags) for text, flags in values]


def _glue(folder: Folding) -> str:
    """Return what stands between the items of an array that are made one word."""
    own = folder.assigned("IFS", len(folder.source.data), 0, 0)
    return " " if own is None or HOLE in own[0][0] else own[0][0][:1]


def _item(text: str, number: str) -> str:
    parts = text.split(SPLIT)
    if not number.lstrip("-").isdigit() or not -len(parts) <= int(number) < len(parts):
        return HOLE
    return parts[int(number)]


def _indirect(folder: Folding, name: str, node: Node, block: int, depth: int) -> list[tuple[str, int]]:
    names = folder.assigned(name, node.start_byte, block, depth)
    if names is None or len(names) != 1 or HOLE in names[0][0]:
        return [(HOLE, 0)]
    values = folder.assigned(names[0][0], node.start_byte, block, depth)
    return [(HOLE, 0)] if values is None else [(text, flags | CUT | RESOLVED) for text, flags in values]


def _operand(folder: Folding, node: Node, operator: str, block: int, depth: int) -> list[tuple[str, int]]:
    """Return the word behind an operator."""
    source = folder.source
    text = source.of(node)
    at = text.find(operator, 2)
    start = node.start_byte + len(text[: at + len(operator)].encode("utf-8", "replace"))
    raw = source.text(start, node.end_byte - 1)
    if "$" not in raw and "`" not in raw:
        return [(raw.strip("\"'").replace("\\", ""), 0)]
    for child in node.named_children:
        if child.start_byte == start and child.end_byte == node.end_byte - 1:
            return folder.fold(child, block, depth + 1)
    pieces = [child for child in node.named_children if child.start_byte >= start]
    found, end = "", start
    flags = 0
    for child in pieces:
        inner, more = folder.fold(child, block, depth + 1)[0]
        found += source.text(end, child.start_byte).strip("\"'") + inner
        flags |= more
        end = child.end_byte
    return [(found + source.text(end, node.end_byte - 1).strip("\"'"), flags)] if pieces else [(HOLE, 0)]


def _changed(text: str, flags: int, rest: str) -> tuple[str, int]:
    """Return a value as an operator changes it."""
    if rest in ("%/*", "%%/*") and text.startswith(OWN):
        return text.rpartition("/")[0], flags
    if HOLE in text:
        return HOLE, flags
    sliced = _SLICE.match(rest)
    if sliced:
        start = int(sliced[1].strip(" ()"))
        part = text[start:] if sliced[2] is None else _slice(text, start, int(sliced[2]))
        return part, flags | CUT
    if rest[0] == "/":
        return _replaced(text, rest), flags | CUT
    if rest[0] in "#%" and "$" not in rest:
        return _stripped(text, rest), flags
    cased = {"^^": text.upper(), ",,": text.lower(), "^": text[:1].upper() + text[1:], ",": text[:1].lower() + text[1:]}
    if rest in cased:
        return cased[rest], flags | CUT
    if rest in _CASES:
        return cased[_CASES[rest]], flags | CUT
    if rest == "@E":
        return unescape_ansi(text)[0], flags | CUT
    return (text, flags) if rest in ("@Q", "@A", "@P") else (HOLE, flags)


def _slice(text: str, start: int, length: int) -> str:
    begin = start if start >= 0 else max(0, len(text) + start)
    return text[begin : begin + length] if length >= 0 else text[begin:length]


def _replaced(text: str, rest: str) -> str:
    """Replace as `/a/b` and `//a/b` do; patterns with wildcards are not followed."""
    is_all = rest.startswith("//")
    pattern, slash, new = _cut_at_slash(rest[2:] if is_all else rest[1:])
    pattern, new = pattern.replace("\\", ""), new.replace("\\", "")
    if "$" in pattern + new or any(mark in pattern for mark in "*?[") or not pattern:
        return HOLE
    pattern, new = pattern.strip("\"'"), new.strip("\"'") if slash else ""
    return text.replace(pattern, new) if is_all else text.replace(pattern, new, 1)


def _cut_at_slash(text: str) -> tuple[str, str, str]:
    at = next((at for at, mark in enumerate(text) if mark == "/" and text[at - 1 : at] != "\\"), -1)
    return (text, "", "") if at < 0 else (text[:at], "/", text[at + 1 :])


def _stripped(text: str, rest: str) -> str:
    """Cut off an end as `#`, `##`, `%` and `%%` do."""
    sign = rest[0]
    is_long = rest[:2] == sign * 2
    pattern = rest[2 if is_long else 1 :].strip("\"'").replace("\\", "")
    if len(text) > _MAX_STRIPPED:
        return HOLE
    fits = _glob(pattern)
    sizes = range(len(text) + 1) if not is_long else range(len(text), -1, -1)
    for size in sizes:
        if sign == "#" and fits.match(text[:size]):
            return text[size:]
        if sign == "%" and fits.match(text[len(text) - size :]):
            return text[: len(text) - size]
    return text


@lru_cache(maxsize=64)
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))

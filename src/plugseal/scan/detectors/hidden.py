"""Characters that a person can't see but a machine reads: bidirectional controls, zero-width, tags, fillers.

What scripts and emoji need is left alone: joiners beside letters of scripts that use them, the flags of countries'
parts, one variation selector after a character, a byte order mark at the start, isolates in right-to-left text.
See: https://trojansource.codes and https://www.unicode.org/reports/tr36/
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.location import Span
from plugseal.model.plugin import Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.matching.hit import Hit
from plugseal.scan.sources import decode_for_show, split_lines

MAX_LINES: Final = 100
"""Findings in one file; the last one says how many more lines there are."""
MAX_STRAY_LINES: Final = 3
"""The same for single characters that a copy left behind, of which a page's text holds one in each heading."""
_MAX_SPELLED: Final = 60
_SUSPECT: Final = lazy(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_CONTROL: Final = lazy(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]+|\r(?!\n)")
_ANY_CONTROL: Final = lazy(r"[\x00-\x1f\x7f-\x9f]+")
_NOT_TEXT: Final = frozenset(
    {"native", "archive", "binary", "pointer", "empty", "PDF", "office document", "database", "pickle"}
)
_MEDIA: Final = ("picture", "media", "sound", "font")
"""Beginnings of the names of kinds that hold no text."""
_PROSE: Final = frozenset({"Markdown", "plain text", "text", "html", "HTML", "json", "yaml", "toml", "xml"})
_RIGHT_TO_LEFT: Final = lazy("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001eeff]")
_FLAG: Final = lazy("[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_BLACK_FLAG: Final = "\U0001f3f4"
_SOFT: Final = frozenset("\u00ad\u034f\u180b\u180c\u180d\u180e\u180f\u17b4\u17b5")
"""Invisible, but ordinary within words of running text."""
_JOINERS: Final = frozenset("\u200c\u200d")
_SIGNS: Final = frozenset("\u2212\u00d7\u00b7+-")
_MARKS: Final = frozenset("\u200e\u200f\u061c")
_STEERS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u115f\u1160\u3164\uffa0")
"""One of these alone changes what is shown, or makes a name that nobody sees."""
_BREAK: Final = "\u200b"
_TO_ITSELF: Final = f"{_BREAK}](#"
"""The link of a heading to itself, whose text is a break, as makers of pages write it."""
_MAX_BREAKS: Final = 4
"""Breaks in one line beside words, as a page that was copied leaves behind; more may count something."""
_MAX_TRAILING: Final = 32
"""Breaks behind all else of a line, as a page that was copied leaves behind too."""
_SLIPS: Final = frozenset("\u200b\u200c\u200d\u200e\u2060\ufeff")
"""What one kind of, however often, says nothing as long as it stands beside words: which word it splits would."""
_MAX_BESIDE: Final = 2
_FORMULA: Final = lazy(
    r"\\(?:begin\{|frac\{|sqrt\{|hat\{|bar\{|left[(\[]|sum_|prod_|mathrm\{|mathbf\{|mathbb\{|text\{|bm\{|mathcal\{|displaystyle\b)"
)
"""TeX beside its picture in letters, as pages of formulas are copied: a break stands behind each index there."""
_ESCAPES: Final = frozenset(("\\n", "\\r", "\\t"))
_QUOTES: Final = frozenset("\"'`")
_OPENS: Final = "[\"'`^|("
_CLOSES: Final = "]\"'`\\|)-"
_ISOLATES: Final = frozenset("\u2066\u2067\u2068\u2069")


def look_for_hidden_text(_: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find lines with characters that steer or spell what nobody sees, in any text file."""
    return _hits(_lines_of(data, language), language, is_loud=True)


def look_for_stray_invisible(_: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find lines with one invisible character, as copying from a page leaves behind."""
    return _hits(_lines_of(data, language), language, is_loud=False)


def look_for_hidden_metadata(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find names and descriptions that hold invisible characters or terminal controls, written out or escaped."""
    names = {plugin.name, plugin.version, *(component.name for component in plugin.components)}
    for word, hit in iterate_metadata(plugin):
        reason = hidden_reason(word, is_name=word in names)
        if reason:
            yield hit._replace(note=reason)


def hidden_reason(text: str, *, is_name: bool = False) -> str:
    """Say what a name or a description holds that nobody sees, empty where it holds nothing of the kind.

    Args:
        text: as parsed, so that escapes are characters.
        is_name: a name may not hold line ends and tabs either.
    """
    found = next(find_hidden(text), None)
    control = (_ANY_CONTROL if is_name else _CONTROL).search(text) if found is None else None
    return _name(found[1]) if found is not None else _name(control[0]) if control is not None else ""


def find_hidden(line: str, *, is_prose: bool = True) -> Iterator[tuple[int, str]]:
    """Yield (offset, characters) of what is invisible in a line and needed by no script.

    Args:
        line: one line, or any short text.
        is_prose: whether right-to-left words excuse isolates; in code these are the trick itself.
    """
    if line.isascii():
        return
    is_right_to_left = _RIGHT_TO_LEFT.search(line) is not None
    for match in _SUSPECT.finditer(line):
        before = line[match.start() - 1] if match.start() else ""
        after = line[match.end()] if match.end() < len(line) else ""
        if not _is_ordinary(match[0], before, after, is_right_to_left=is_right_to_left, is_prose=is_prose):
            yield match.start(), match[0]


def _lines_of(data: bytes, language: str) -> list[str]:
    """Return a text's lines, none where no suspect character is in it."""
    if data.isascii() or language in _NOT_TEXT or language.startswith(_MEDIA) or b"\0" in data[:1024]:
        return []
    text = decode_for_show(data)
    return split_lines(text) if _SUSPECT.search(text) else []


def _hits(lines: list[str], language: str, *, is_loud: bool) -> list[Hit]:
    """Return a hit for each line that is as loud as asked."""
    is_prose = language in _PROSE
    places = [
        (number, found[0])
        for number, line in enumerate(lines, 1)
        if (found := list(find_hidden(line, is_prose=is_prose)))
        and not _is_notation(line, found, is_prose=is_prose)
        and _says_something(line, found) is is_loud
    ]
    most = MAX_LINES if is_loud else MAX_STRAY_LINES
    hits = [Hit(_span(number, *first), _name(first[1])) for number, first in places[:most]]
    if len(places) > most:
        hits[-1] = hits[-1]._replace(note=f"{hits[-1].note}; and {len(places) - most} more lines")
    return hits


def _says_something(line: str, found: list[tuple[int, str]]) -> bool:
    """Say whether a line's invisible characters carry or change a text, and are no slip of a copy."""
    characters = "".join(run for _, run in found)
    if set(characters) == {_BREAK} and _FORMULA.search(line) and all(len(run) <= _MAX_BREAKS for _, run in found):
        return False
    if set(characters) == {_BREAK}:
        if len(characters) <= _MAX_BREAKS:
            return len(found) > 1 and any(_splits(line, at, run) for at, run in found)
        if len(found) == 1 and len(characters) <= _MAX_TRAILING and not line[found[0][0] + len(characters) :].strip():
            return False
    if all(_is_listed(line, at, run) for at, run in found):
        return False
    if len(found) <= _MAX_BESIDE and all(_is_edge(line, *one) for one in found):
        return False
    if len(set(characters)) == 1 and characters[0] in _SLIPS and all(_stands_beside(line, *one) for one in found):
        return False
    return len(characters) > 1 or characters[0] in _STEERS or characters >= "\U000e0000"


def _stands_beside(line: str, at: int, run: str) -> bool:
    """Say whether a run is one or two characters at the edge of a word, as editors and translators leave behind."""
    return len(run) <= _MAX_BESIDE and not _splits(line, at, run)


def _is_edge(line: str, at: int, run: str) -> bool:
    """Say whether one character stands at an end of a quoted text, as what tests of trimming are given does."""
    return run in _SLIPS and (line[at - 1 : at] in _QUOTES or line[at + 1 : at + 2] in _QUOTES)


def _is_listed(line: str, at: int, run: str) -> bool:
    """Say whether a run is all of a literal or of a set of characters, each once: what is looked for, or taken out."""
    before, after = line[at - 1 : at], line[at + len(run) : at + len(run) + 1]
    is_whole = before in _OPENS and after in _CLOSES and before != "" and after != ""
    return is_whole and len(set(run)) == len(run) and _STEERS.isdisjoint(run) and run < "\U000e0000"


def _is_notation(line: str, found: list[tuple[int, str]], *, is_prose: bool) -> bool:
    """Say whether all there is in a line is a heading's link to itself, or one set of characters of a pattern."""
    if len(found) > 1 or line[found[0][0] - 1 : found[0][0]] != "[":
        return False
    at, run = found[0]
    if is_prose and run == _BREAK and line.startswith("#") and line.startswith("](", at + 1):
        return True  # The same heading in a page that was copied: the address is whole.
    return line.startswith(_TO_ITSELF, at) if is_prose else _is_listed(line, at, run)


def _splits(line: str, at: int, run: str) -> bool:
    """Say whether a run stands inside a word; the letter of an escape (`\\n`) begins none."""
    if line[max(0, at - 2) : at] in _ESCAPES:
        return False
    return line[at - 1 : at].isalnum() and line[at + len(run) : at + len(run) + 1].isalnum()


def _span(line: int, offset: int, characters: str) -> Span:
    return Span(line, offset + 1, line, offset + 1 + len(characters))


def _is_ordinary(run: str, before: str, after: str, *, is_right_to_left: bool, is_prose: bool) -> bool:
    """Say whether a run of invisible characters is what a script or an emoji needs."""
    if len(set(run)) == 1 and run[0] in _SOFT:
        return len(run) == 1
    if run[0] in _MARKS:
        return is_right_to_left and all(one in _MARKS for one in run)
    if run[0] in _ISOLATES or after in _ISOLATES:
        return is_right_to_left and is_prose
    if before == _BLACK_FLAG and _FLAG.fullmatch(run):
        return True
    rest = run[1:] if run[0] in "\ufe0e\ufe0f" and not before.isalpha() and before else run
    if rest != run and rest in ("", "\u200d"):
        return True
    if len(rest) > 1:
        return False
    if rest in _JOINERS:
        if _is_sum(before, after):
            return True
        return _uses_joiners(before) and (_uses_joiners(after) or not after.isalnum())
    if "\ufe00" <= rest <= "\ufe0f":
        return True
    if "\U000e0100" <= rest <= "\U000e01ef":
        return bool(before) and not before.isascii()
    if rest == "\u200b" and before in ("#", "@"):
        return after.isalnum()  # So that `#12` and `@name` name nobody and nothing: bots write it.
    return rest == "\u200b" and _has_no_spaces(before) and _has_no_spaces(after)


def _is_sum(before: str, after: str) -> bool:
    """Say whether a joiner keeps a number and a sign together."""
    return (before.isdigit() and after in _SIGNS) or (before in _SIGNS and after.isdigit())


def _uses_joiners(character: str) -> bool:
    """Say whether a letter's script shapes by joiners, or whether it is an emoji."""
    if not character:
        return False
    point = ord(character)
    return 0x0600 <= point <= 0x0DFF or 0x0E00 <= point <= 0x1AFF or point >= 0x1F000 or 0x2190 <= point <= 0x2BFF


def _has_no_spaces(character: str) -> bool:
    """Say whether a letter's script writes words without spaces, so that a break between them means something."""
    return bool(character) and (0x0E00 <= ord(character) <= 0x17FF or ord(character) > 0x2E7F)


def iterate_metadata(plugin: Plugin) -> Iterator[tuple[str, ManifestHit]]:
    """Yield every text that a plugin's manifests say about it, with its place."""
    for word in (plugin.name, plugin.version, plugin.description):
        yield word, ManifestHit(word=word)
    for key, value in plugin.extra:
        for text in _texts(value):
            yield text, ManifestHit(word=text, object=key)
    for component in plugin.components:
        yield component.name, ManifestHit(component, component.name)
        for key, value in component.extra:
            for text in _texts(value):
                yield text, ManifestHit(component, text, object=key)


def _texts(value: str) -> list[str]:
    """Return the texts within a value of launch data, which may be JSON with its own escapes."""
    if value[:1] not in ('"', "[", "{"):
        return [value]
    try:
        waiting: list[object] = [json.loads(value)]
    except (ValueError, RecursionError):
        return [value]
    found: list[str] = []
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one
    return found


def _spelled(characters: str) -> str:
    """Return what invisible characters spell: tags are ASCII moved up, selectors are bytes; empty for nothing."""
    tags = "".join(chr(ord(c) - 0xE0000) for c in characters if "\U000e0020" <= c <= "\U000e007e")
    if len(tags) > 1:
        return tags[:_MAX_SPELLED]
    selectors = bytes(
        ord(c) - 0xFE00 if c <= "\ufe0f" else ord(c) - 0xE0100 + 16
        for c in characters
        if "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"
    )
    text = selectors.decode("utf-8", "replace") if len(selectors) > 3 else ""
    return text[:_MAX_SPELLED] if text.isprintable() and "\ufffd" not in text else ""


def _name(characters: str) -> str:
    """Name what is hidden by what it spells, or by its code points."""
    spelled = _spelled(characters)
    if spelled:
        return f"invisible: {spelled!r}"
    points = list(dict.fromkeys(f"U+{ord(c):04X}" for c in characters))
    more = f" and {len(points) - 3} more" if len(points) > 3 else ""
    return f"invisible: {', '.join(points[:3])}{more}"

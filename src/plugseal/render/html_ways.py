"""The ways of one plugin as a picture: what enters it, over which functions, to what it can do there.

Ways that begin alike share their boxes, so that a tree grows from the left; what a plugin can do stands in one column
at the right. Where no call path is known, the file stands between. The same ways stand below as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from plugseal.model.capability import Fact
from plugseal.model.reach import Paths, Step
from plugseal.render.html_build import Node, Text, element, join, more, scroll
from plugseal.render.masked import masked_object
from plugseal.render.text import count
from plugseal.shown import shown, shown_path

MAX_WAYS: Final = 40
"""Ways drawn of one plugin."""
MAX_STEPS: Final = 6
"""Functions drawn of one way."""
_MAX_CHARACTERS: Final = 40
_ROW: Final = 26
_TOP: Final = 34
_GAP: Final = 56
_CHARACTER: Final = 8
_BOX: Final = 22
_LAST: Final = ("process.shell", "process.exec", "code.", "credentials.", "net.", "privilege", "persistence")
"""How capabilities begin that are drawn before others, where not all can be."""

Way = tuple[str, ...]
"""What enters, the functions between, and last what it can do: as shown."""


def ways_of(facts: Iterable[tuple[str, Fact]], paths: Paths, *, root: str) -> list[Way]:
    """Return the ways to what a plugin can do, sorted, each once.

    Args:
        facts: of the plugin, with their files below the scanned root.
        paths: how functions are reached.
        root: of the plugin, which is left out of what is shown.
    """
    found = {_way(file, fact, paths, root) for file, fact in facts if fact.capability != "unread"}
    ordered = sorted(found, key=lambda way: (not way[-1].startswith(_LAST), way))
    return sorted(ordered[:MAX_WAYS]) + sorted(ordered[MAX_WAYS:])


def draw_ways(ways: Sequence[Way], label: str) -> Node:
    """Return a picture of ways with their text.

    Args:
        ways: at least one; beyond `MAX_WAYS` they are counted.
        label: the text for readers who can't see the picture.
    """
    drawn = ways[:MAX_WAYS]
    tree = _Box("")
    for way in drawn:
        tree.add(way)
    depth = max(len(way) for way in drawn) - 1
    columns: list[list[_Box]] = [[] for _ in range(depth + 1)]
    rows = tree.place(columns, depth=-1, row=0)
    widths = [max((len(box.text) for box in column), default=0) * _CHARACTER + 20 for column in columns]
    lefts = [8 + sum(widths[:at]) + at * _GAP for at in range(depth + 1)]
    pieces = [_title("enters", lefts[0]), _title("can do", lefts[-1])]
    if depth > 1:
        pieces.append(_title("over", lefts[1]))
    pieces += _edges(columns, lefts, widths)
    pieces += [_box(box, lefts[at], widths[at]) for at, column in enumerate(columns) for box in column]
    size = lefts[-1] + widths[-1] + 8, _TOP + rows * _ROW
    picture: dict[str, str | int] = {"viewBox": f"0 0 {size[0]} {size[1]}", "width": size[0], "height": size[1]}
    svg = element("svg", {**picture, "role": "img", "aria-label": label}, *pieces)
    return join([scroll(svg, label), _as_text(drawn), more(len(ways) - len(drawn), "way")])


@dataclass(slots=True)
class _Box:
    """One box, with the boxes behind it."""

    text: str
    behind: dict[tuple[str, bool], _Box] = field(default_factory=dict)
    column: int = -1
    middle: float = 0.0

    def add(self, way: Sequence[str]) -> None:
        """Add the rest of a way; what can be done never shares a box with a function of the same name."""
        at = self
        for number, text in enumerate(way, 1):
            is_last = number == len(way)
            at = at.behind.setdefault((text, is_last), _Box(_begin(text) if is_last else _end(text)))

    def place(self, columns: list[list[_Box]], *, depth: int, row: int) -> int:
        """Give this box and those behind it their places, and return the first row that is free."""
        if not self.behind:
            depth = len(columns) - 1
        if depth >= 0:
            self.column = depth
            columns[depth].append(self)
        if not self.behind:
            self.middle = row
            return row + 1
        for box in self.behind.values():
            row = box.place(columns, depth=depth + 1, row=row)
        middles = [box.middle for box in self.behind.values()]
        self.middle = (middles[0] + middles[-1]) / 2
        return row


def _way(file: str, fact: Fact, paths: Paths, root: str) -> Way:
    what = masked_object(fact.object) if fact.object else ""
    ability = f"{fact.capability} {shown(what)}" if what else fact.capability
    reached = paths.to(file, fact.span.line)
    if reached is None:
        return (shown(fact.trigger), _inside(file, root), ability)
    return (shown(reached.entry), *_steps(reached.path, root), ability)


def _steps(path: Sequence[Step], root: str) -> Iterator[str]:
    """Yield the functions of a path; a file is named where it is entered."""
    file = None
    kept = path if len(path) <= MAX_STEPS else (*path[: MAX_STEPS // 2], None, *path[-MAX_STEPS // 2 :])
    for step in kept:
        if step is None:
            yield f"\u2026 {count(len(path) - MAX_STEPS, 'function')}"
            continue
        name = {"<module>": "", "<main>": "main block"}.get(step.function, step.function)
        place = f"{_inside(step.file, root)}:{step.line}" if step.file != file else ""
        file = step.file
        yield " ".join(part for part in (place, shown(name)) if part) or f"line {step.line}"


def _edges(columns: Sequence[Sequence[_Box]], lefts: Sequence[int], widths: Sequence[int]) -> Iterator[Node]:
    for at, column in enumerate(columns):
        for box in column:
            for other in box.behind.values():
                x1, x2 = lefts[at] + widths[at], lefts[other.column]
                y1, y2 = (round(_TOP + one.middle * _ROW + 9) for one in (box, other))
                half = (x1 + min(x2, lefts[at + 1])) // 2
                bend = f"M{x1} {y1} C{half} {y1} {half} {y2} {lefts[at + 1]} {y2} L{x2} {y2}"
                yield element("path", {"class": "edge", "d": bend})


def _box(box: _Box, left: int, width: int) -> Node:
    top = round(_TOP + box.middle * _ROW - 2)
    label = element("text", {"x": left + 8, "y": top + 15}, Text(box.text))
    return join([element("rect", {"x": left, "y": top, "width": width, "height": _BOX, "rx": 4}), label])


def _title(text: str, left: int) -> Node:
    return element("text", {"x": left, "y": 16, "class": "head"}, Text(text))


def _as_text(ways: Sequence[Way]) -> Node:
    items = [element("li", None, element("code", None, Text(" \u2192 ".join(way)))) for way in ways]
    summary = element("summary", None, Text(f"the same as text: {count(len(ways), 'way')}"))
    return element("details", None, summary, element("ol", None, *items))


def _inside(file: str, root: str) -> str:
    return shown_path(file[len(root) + 1 :] if root and file.startswith(f"{root}/") else file)


def _begin(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "\u2026"


def _end(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else "\u2026" + text[1 - _MAX_CHARACTERS :]

"""Turn the events of a YAML parser into a value and its places, within all limits.

The core schema of YAML 1.2 decides what a plain scalar is; no tag beyond it and no duplicate key passes. A merge key
passes only where the one tool that reads the file is known to merge: of manifests, readers differ in what they make.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from plugseal.encode.places import Node
from plugseal.encode.text import LineIndex, fault_at
from plugseal.encode.values import Json
from plugseal.errors import DataError
from plugseal.limits import MAX_DATA_DEPTH, MAX_DATA_NODES, MAX_KEY_BYTES, MAX_NUMBER_DIGITS, MAX_YAML_ALIASES
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_NULL = lazy(r"(?:~|null|Null|NULL)?")
_BOOL = lazy(r"true|True|TRUE|false|False|FALSE")
_INTEGER = lazy(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_REAL = lazy(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = lazy(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_CORE = "tag:yaml.org,2002:"
_MERGE = "<<"


class _Built(NamedTuple):
    """A value with where it stands and what it weighs when an alias repeats it."""

    value: Json
    node: Node
    nodes: int
    depth: int


class Composer:
    """Turn events into a value; recursion is bounded by the depth limit."""

    def __init__(self, text: str, events: Iterator[Any], *, merges: bool = False) -> None:
        self._text = text
        self._merges = merges
        self._events = events
        self._nodes_left = MAX_DATA_NODES
        self._aliases_left = MAX_YAML_ALIASES
        self._anchors: dict[str, _Built | None] = {}
        """None while the anchored value is still open: an alias to it would be a cycle."""

    def document(self) -> tuple[Json, Node | None]:
        """Return the value and its places; both None for an empty document.

        Raises:
            DataError: the first fault.
        """
        built = None
        for event in self._events:
            if type(event).__name__ == "DocumentStartEvent":
                if built is not None:
                    raise self._fault(event, "holds more than one document")
                if event.tags or event.version not in (None, (1, 1), (1, 2)):
                    raise self._fault(event, "directives are refused")
                built = self._build(next(self._events), 1)
        return (None, None) if built is None else (built.value, built.node)

    def _build(self, event: Any, depth: int) -> _Built:
        """Return the value that begins with an event, inside `depth - 1` containers."""
        kind = type(event).__name__
        if kind == "AliasEvent":
            return self._alias(event, depth)
        self._count(event, 1)
        if kind != "ScalarEvent" and depth > MAX_DATA_DEPTH:
            raise self._fault(event, f"nests deeper than {MAX_DATA_DEPTH}")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if kind == "ScalarEvent":
            node = Node(event.start_mark.index, event.end_mark.index)
            built = _Built(self._scalar(event), node, 1, 0)
        elif kind == "SequenceStartEvent":
            built = self._sequence(event, depth)
        else:
            built = self._mapping(event, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = built
        return built

    def _alias(self, event: Any, depth: int) -> _Built:
        built = self._anchors.get(event.anchor)
        if built is None:
            what = "contains itself" if event.anchor in self._anchors else "is not defined"
            raise self._fault(event, f"the anchor `{event.anchor}` {what}")
        self._aliases_left -= 1
        if self._aliases_left < 0:
            raise self._fault(event, f"holds more than {MAX_YAML_ALIASES} aliases")
        self._count(event, built.nodes)
        if depth - 1 + built.depth > MAX_DATA_DEPTH:
            raise self._fault(event, f"nests deeper than {MAX_DATA_DEPTH}")
        node = Node(event.start_mark.index, event.end_mark.index)
        node.children = built.node.children
        return built._replace(node=node)

    def _sequence(self, event: Any, depth: int) -> _Built:
        self._check_tag(event, "seq")
        node = Node(event.start_mark.index)
        node.children = {}
        values: list[Json] = []
        nodes, deepest = 1, 0
        for item in self._events:
            if type(item).__name__ == "SequenceEndEvent":
                _close(node, event, item)
                break
            built = self._build(item, depth + 1)
            node.children[len(values)] = built.node
            values.append(built.value)
            nodes += built.nodes
            deepest = max(deepest, built.depth)
        return _Built(values, node, nodes, deepest + 1)

    def _mapping(self, event: Any, depth: int) -> _Built:
        self._check_tag(event, "map")
        node = Node(event.start_mark.index)
        node.children = {}
        values: dict[str, Json] = {}
        merged: _Built | None = None
        nodes, deepest = 1, 0
        for key_event in self._events:
            if type(key_event).__name__ == "MappingEndEvent":
                _close(node, event, key_event)
                break
            key = self._key(key_event)
            if key == _MERGE and not key_event.style:
                if merged is not None:
                    raise self._duplicate(key_event, key, merged.node)
                merged = self._build(next(self._events), depth + 1)
                self._check_merged(key_event, merged)
                nodes, deepest = nodes + merged.nodes, max(deepest, merged.depth)
                continue
            if key in values:
                raise self._duplicate(key_event, key, node.children[key])
            built = self._build(next(self._events), depth + 1)
            built.node.key_start, built.node.key_end = key_event.start_mark.index, key_event.end_mark.index
            node.children[key] = built.node
            values[key] = built.value
            nodes += built.nodes
            deepest = max(deepest, built.depth)
        if merged is not None:
            _merge(values, node, merged)
        return _Built(values, node, nodes, deepest + 1)

    def _check_merged(self, event: Any, built: _Built) -> None:
        built.node.key_start, built.node.key_end = event.start_mark.index, event.end_mark.index
        tables = built.value if isinstance(built.value, list) else [built.value]
        if not all(isinstance(table, dict) for table in tables):
            raise self._fault(event, "a merge key (`<<`) without a table")

    def _key(self, event: Any) -> str:
        """Return a key as text, as it is written: `1`, `on` and `null` are what they look like."""
        if type(event).__name__ != "ScalarEvent":
            raise self._fault(event, "a key that is no plain text")
        if event.anchor is not None or event.tag not in (None, "!", _CORE + "str"):
            raise self._fault(event, "a key with an anchor or a tag")
        key: str = event.value
        if key == _MERGE and not event.style and not self._merges:
            raise self._fault(event, "merge keys (`<<`) are refused", hint="write the merged keys out")
        if len(key) * 4 > MAX_KEY_BYTES and len(key.encode()) > MAX_KEY_BYTES:
            raise self._fault(event, f"a key of more than {MAX_KEY_BYTES:,} bytes")
        return key

    def _scalar(self, event: Any) -> Json:
        """Return a scalar's value by the core schema."""
        text: str = event.value
        if event.tag is not None and event.tag != "!":
            return self._tagged(event, text)
        if event.style or event.tag == "!":
            return text
        return self._plain(event, text)

    def _tagged(self, event: Any, text: str) -> Json:
        if event.tag == _CORE + "str":
            return text
        value = self._plain(event, text)
        expected = {"null": type(None), "bool": bool, "int": int, "float": (int, float)}
        kinds = expected.get(event.tag.removeprefix(_CORE)) if event.tag.startswith(_CORE) else None
        if kinds is None:
            raise self._fault(event, f"the tag `{event.tag}` is refused")
        if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):  # type: ignore[arg-type]
            raise self._fault(event, "a value that does not fit its tag")
        return value

    def _plain(self, event: Any, text: str) -> Json:
        if _NULL.fullmatch(text):
            return None
        if _BOOL.fullmatch(text):
            return text[0] in "tT"
        if _NOT_FINITE.fullmatch(text):
            raise self._fault(event, f"`{text}` is refused: no receipt can hold it")
        is_integer = _INTEGER.fullmatch(text) is not None
        if not is_integer and not _REAL.fullmatch(text):
            return text
        if len(text) > MAX_NUMBER_DIGITS:
            raise self._fault(event, "a number that is too large")
        if is_integer:
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        value = float(text)
        if math.isinf(value):
            raise self._fault(event, "a number that is too large")
        return value

    def _check_tag(self, event: Any, name: str) -> None:
        if event.tag not in (None, "!", _CORE + name):
            raise self._fault(event, f"the tag `{event.tag}` is refused")

    def _count(self, event: Any, nodes: int) -> None:
        self._nodes_left -= nodes
        if self._nodes_left < 0:
            raise self._fault(event, "holds too many values")

    def _duplicate(self, event: Any, key: str, first: Node) -> DataError:
        line = LineIndex(self._text).place(first.key_start)[0]
        hint = "readers differ in which of the two they take: remove one"
        return self._fault(event, f"duplicate key `{key}`, first on line {line}", hint=hint)

    def _fault(self, event: Any, message: str, *, hint: str | None = None) -> DataError:
        return fault_at(self._text, event.start_mark.index, message, hint=hint)


def _merge(values: dict[str, Json], node: Node, merged: _Built) -> None:
    """Add the keys of other tables that a table does not have itself; of several the first counts.

    See: https://yaml.org/type/merge.html
    """
    own = node.children
    if own is None:
        return
    is_list = isinstance(merged.value, list)
    places = merged.node.children or {}
    tables = merged.value if isinstance(merged.value, list) else [merged.value]
    for at, table in enumerate(tables):
        inner = places[at].children if is_list else places
        for key, value in table.items() if isinstance(table, dict) else ():
            if key not in values:
                values[key] = value
                own[key] = (inner or {})[key]


def _close(node: Node, start: Any, end: Any) -> None:
    """Set where a container ends: in block style with its last member, since the parser's own mark lies beyond."""
    node.end = end.end_mark.index
    if not start.flow_style and node.children:
        node.end = max(child.end for child in node.children.values())

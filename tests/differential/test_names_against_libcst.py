"""An independent oracle: what libcst resolves to a name that our tables know, our resolver finds at the same place.

libcst's `QualifiedNameProvider` was written by others for other ends, and costs a hundred times as much. Each call
that it resolves to exactly one imported or built-in name with a capability must be a fact, or carry one, where it
stands. `PLUGSEAL_ALL=1` asks it about the whole standard library instead of sixty of its files.
"""

from __future__ import annotations

import os
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.judging.table_rule import Rule
from plugseal.lang.python.reader import read_python
from plugseal.lang.python.tables import shared_tables
from plugseal.model.location import Span

FILES = 60
MAX_FILE_BYTES = 60_000
_TELLING = re.compile(rb"^\s*(?:import|from) (?:os|subprocess|shutil|socket|ctypes|pickle|urllib)\b", re.MULTILINE)
"""Other files have next to nothing to compare."""


class Resolved(NamedTuple):
    """A call that libcst resolved."""

    name: str
    span: Span


def _library_files() -> list[Path]:
    root = Path(sysconfig.get_path("stdlib"))
    left_out = {"site-packages", "test", "tests", "idlelib", "lib2to3", "turtledemo", "__pycache__"}
    files = sorted(path for path in root.rglob("*.py") if not left_out.intersection(path.relative_to(root).parts))
    if os.environ.get("PLUGSEAL_ALL"):
        return files
    telling = [path for path in files if path.stat().st_size < MAX_FILE_BYTES and _TELLING.search(path.read_bytes())]
    return random.Random(3).sample(telling, min(FILES, len(telling)))


def _resolved_calls(text: str) -> Iterator[Resolved]:
    import libcst
    from libcst.metadata import MetadataWrapper, PositionProvider, QualifiedNameProvider, QualifiedNameSource

    wrapper = MetadataWrapper(libcst.parse_module(text), unsafe_skip_copy=True)
    names: Any = wrapper.resolve(QualifiedNameProvider)
    places: Any = wrapper.resolve(PositionProvider)
    outside = {QualifiedNameSource.IMPORT, QualifiedNameSource.BUILTIN}
    for node, found in names.items():
        if not isinstance(node, libcst.Call) or not _is_chain(node.func):
            continue
        found = found() if callable(found) else found
        if len(found) != 1:
            continue
        (only,) = found
        if only.source in outside and not only.name.startswith("."):
            place = places[node]
            start, end = place.start, place.end
            yield Resolved(only.name, Span(start.line, start.column + 1, end.line, end.column + 1))


def _is_chain(node: Any) -> bool:
    """Say whether a callee is made of names alone: libcst gives the result of a call the name of what was called."""
    import libcst

    while isinstance(node, libcst.Attribute):
        node = node.value
    return isinstance(node, libcst.Name)


def _expected(rules: tuple[Rule, ...]) -> list[frozenset[str]]:
    """Return what a call says whatever its arguments are: of each set one capability at least."""
    rules = tuple(rule for rule in rules if rule.use != "reference")
    certain = [frozenset({rule.capability}) for rule in rules if not (rule.when or rule.unless or rule.mode)]
    by_mode = [frozenset({"fs.read", "fs.write"}) for rule in rules if rule.mode and not (rule.when or rule.unless)]
    switched = frozenset(rule.capability for rule in rules if rule.when or rule.unless)
    either_way = any(rule.when for rule in rules) and any(rule.unless for rule in rules)
    return [*certain, *by_mode, *([switched] if either_way else [])]


def _read(text: str) -> FileFacts:
    return read_python(text.encode(), Context("file.py", Interest()))


def _missed(text: str, facts: FileFacts, path: str = "probe.py") -> tuple[list[str], int]:
    """Return what libcst knows and the facts do not say, and how many calls were compared."""
    if facts.status == "unread":
        return [], 0
    said = {(fact.capability, fact.span) for fact in facts.facts}
    strings = [(capability, span) for capability, span in said if _is_f_string(text, span)]
    tables = shared_tables()
    missed, compared = [], 0
    for call in _resolved_calls(text):
        for wanted in _expected(tables.rules(tables.canonical(call.name))):
            compared += 1
            is_said = any((capability, call.span) in said for capability in wanted)
            if not is_said and not any(c in wanted and _holds(span, call.span) for c, span in strings):
                missed.append(f"{path}:{call.span.line}:{call.span.column}: {call.name} {' or '.join(sorted(wanted))}")
    return missed, compared


def _is_f_string(text: str, span: Span) -> bool:
    """Say whether an f-string stands there: what is inside has its place, since places in it moved with Python 3.12."""
    line = text.split("\n")[span.line - 1]
    return re.match(r"""[a-zA-Z]{0,2}['"]""", line[span.column - 1 :]) is not None


def _holds(outer: Span, inner: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def test_every_call_that_libcst_resolves_is_a_fact() -> None:
    missed: list[str] = []
    partial: list[Path] = []
    compared = 0
    files = _library_files()
    for path in files:
        text = path.read_bytes().decode("utf-8-sig", "replace")
        facts = _read(text)
        if facts.status == "partial":
            partial.append(path)
            continue
        more, count = _missed(text, facts, str(path))
        missed += more
        compared += count
    assert missed == []
    assert compared > 200
    assert len(partial) * 50 <= len(files), partial


PROBES = {
    "a call of an import": ("import os\nos.system('a')\n", 1),
    "an alias of an import": ("from os import system as r\nr('a')\n", 1),
    "an import inside a function": ("def f():\n    import shutil\n    shutil.rmtree('a')\n", 1),
    "inside an f-string": ("import os\nx = f'{os.system(1)} {2}'\n", 1),
    "either of two capabilities": ("import subprocess\nsubprocess.run(x, shell=y)\nopen('a', z)\n", 2),
    "a built-in": ("eval(input())\n", 1),
    "a name of one's own": ("def system(): pass\nsystem()\n", 0),
}


@pytest.mark.parametrize("name", PROBES)
def test_the_oracle_itself_sees(name: str) -> None:
    source, expected = PROBES[name]
    missed, compared = _missed(source, _read(source))
    assert missed == []
    assert compared >= expected
    assert bool(compared) == bool(expected)


def test_the_comparison_fails_where_a_fact_is_missing() -> None:
    missed, compared = _missed("import os\nos.system('a')\n", _read("x = 1\n"))
    assert missed == ["probe.py:2:1: os.system process.shell"]
    assert compared == 1

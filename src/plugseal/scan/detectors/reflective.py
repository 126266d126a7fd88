"""Targets on sensitive objects that could not be resolved, where something is made of them.

The fact `code.reflective` stands at every such place. An alarm is raised where what was taken is called or kept: the
helpers of bundlers take each member of a module under its own name to pass it on, and do nothing with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import FileFacts
from plugseal.model.capability import Fact
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.values import searches

_WINDOW: Final = 60
_PASSED_ON: Final = lazy(
    r"get\s*(?::\s*(?:\(\)\s*=>|function\s*\(\)\s*\{\s*return)|\(\)\s*\{\s*return)\s*(?:[\w$]+\s*=>\s*)?$"
)
"""Before it: a getter that a module is copied with, by esbuild, Rollup, TypeScript."""
_DESCRIBED: Final = lazy(r"^\s*\)\s*\|\|\s*[\w$.]+\.enumerable")
"""Behind it: the other half of that helper, `!(desc = getDescriptor(from, key)) || desc.enumerable`."""
_LISTED: Final = lazy(r"(?:\bObject\.keys\s*\(|\bfor\s*\(\s*(?:const|let|var)\s+[\w$]+\s+in)\s*$")
"""Before it: only the names in it are asked for."""
_CALLED: Final = lazy(r"^\s*(?:(?:\?\.)?(?:\(|`|\[\s*\.?(?:call|apply|bind)\b)|(?:\?\.\s*)?\.?(?:call|apply|bind)\b)")
_OF_THE_GLOBAL: Final = lazy(r"^(?:globalThis|global|window|self|top|parent|frames|this|Function|\()")
_BINDING: Final = lazy(r"^[\w$.()\s]*\bbinding\s*\(")
_OF_A_LIBRARY: Final = lazy(r"^\s*(?:&&|\(\s*[\"'](?:node:)?(?:buffer|constants|config|types|url|util|uv)[\"']\s*\))")
"""Behind `module.require` and `process.binding`: it is only asked for being there, or for a module of that list."""
_TELLS_NOTHING: Final = frozenset("buffer constants config types url util uv".split())
"""Internal modules of Node that neither start, nor open, nor load anything."""


def _look(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    for fact in facts.facts:
        if fact.capability == "code.reflective" and (facts.language == "python" or _matters(fact, lines)):
            yield Hit(fact.span, f"what is taken from `{fact.object}` is not known" if fact.object else "", fact.object)


def _matters(fact: Fact, lines: Lines) -> bool:
    """Say whether something is made of what a script takes, as far as its text tells it."""
    span = fact.span
    source = lines(span.line)
    if not source or span.end_line != span.line:
        return True
    before = source[0][max(0, span.column - 1 - _WINDOW) : span.column - 1]
    text, behind = source[0][span.column - 1 : span.end_column - 1], source[0][span.end_column - 1 :][:_WINDOW]
    if searches(_PASSED_ON, before) or searches(_DESCRIBED, behind) or searches(_LISTED, before):
        return False
    if fact.object in _TELLS_NOTHING and searches(_BINDING, text):
        return False
    if text.endswith((".require", ".binding")) and searches(_OF_A_LIBRARY, behind):
        return False
    # A value that may be the global object, because some caller gives it, and that is only looked at.
    is_looked_at = fact.object == "globalThis" and not searches(_OF_THE_GLOBAL, text) and not searches(_CALLED, behind)
    return not is_looked_at


HIDDEN_TARGET: Final = CodeDetector(_look)

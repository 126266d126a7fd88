"""No regular expression of the product takes more than linear time: hostile texts are derived from each of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attack import slow_patterns, used_patterns

_HERE = Path(__file__).resolve().parent
_BOUNDED = {
    "plugseal.lang.sniff._LANGUAGES": "lines of at most 400 characters",
    "plugseal.lang.shell.words.substitutions._OWN_FOLDER": "substitutions of at most 512 bytes",
    "plugseal.lang.shell.words.substitutions._OWN_CUT": "substitutions of at most 512 bytes",
    "plugseal.scan.detectors.grants._WIDE": "settings of at most 4,096 characters",
    "plugseal.scan.detectors.grants._ENDPOINT_KEY": "settings of at most 4,096 characters",
    "programs": "words of at most 4,096 characters",
    "plugseal.systems.launching.pinning._RANGE": "names of packages of at most 4,096 characters",
    "plugseal.systems.launching.pinning._DIGEST": "names of packages of at most 4,096 characters",
    "plugseal.systems.launching.pinning._EXACT": "names of packages of at most 4,096 characters",
}
"""Patterns over texts that are cut before: why their time is bounded all the same."""
_SHARDS = 8


@pytest.mark.parametrize("shard", range(_SHARDS))
def test_no_pattern_takes_more_than_linear_time(shard: int) -> None:
    patterns = [used for used in used_patterns.patterns() if used.place.partition(":")[0] not in _BOUNDED]
    assert len(patterns) > 600
    assert [found for used in patterns[shard::_SHARDS] if (found := slow_patterns.slow(used)) is not None] == []


@pytest.mark.parametrize(
    ("source", "method"),
    [
        pytest.param(r"\s+$", "search", id="blanks before an end"),
        pytest.param(r"a\s*(?:b)?\s*c", "match", id="two runs of blanks side by side"),
        pytest.param(r"<a[^>]*>", "finditer", id="many beginnings without an end"),
        pytest.param(r"(?:a|b)*c", "search", id="a run from each of its places"),
        pytest.param(r"'(?:[^'\\]|\\.)*'|.", "finditer", id="a text without an end, behind each of its marks"),
        pytest.param(r"x=(\S.*?)\s*$", "match", id="a lazy run before blanks"),
        pytest.param(r"[\w.-]+@[\w.-]+", "search", id="a run that may begin anywhere"),
        pytest.param(r"\bnever\b[^.]*:\Z", "search", id="a word, and anything up to the end"),
        pytest.param(r"(?:.*/)?(?:[^/]*mcp[^/]*)\.json", "fullmatch", id="a word somewhere in a name"),
    ],
)
def test_a_slow_pattern_is_found(source: str, method: str) -> None:
    assert slow_patterns.slow(used_patterns.Used("here", source, 0, (method,))) is not None


@pytest.mark.parametrize(
    ("source", "method"),
    [
        pytest.param(r"[ \t]*(?![ \t])#.*", "match", id="blanks that give nothing back"),
        pytest.param(r"<a[^>]{0,200}>", "finditer", id="a bounded run"),
        pytest.param(r"(?<!\w)\w+\(", "finditer", id="a run that begins once"),
        pytest.param(r'"[^"]*"|.', "finditer", id="texts"),
    ],
)
def test_a_linear_pattern_is_left_alone(source: str, method: str) -> None:
    assert slow_patterns.slow(used_patterns.Used("here", source, 0, (method,))) is None


def test_all_patterns_of_modules_are_seen_with_how_they_are_used() -> None:
    # In a process of its own: other tests make patterns too.
    code = (
        f"import sys; sys.path.insert(0, {str(_HERE)!r}); import used_patterns; from plugseal.patterns import ALL_LAZY;"
        "seen = {used.source for used in used_patterns.patterns()};"
        "print(len(ALL_LAZY) > 300, [one._source[0] for one in ALL_LAZY if one._source[0] not in seen])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert ran.stdout == "True []\n", ran.stderr


def test_each_bound_names_a_pattern_that_is_there() -> None:
    places = {used.place.partition(":")[0] for used in used_patterns.patterns()}
    assert set(_BOUNDED) <= places
    assert all(re.search(r"at most [\d,]+ ", why) for why in _BOUNDED.values())

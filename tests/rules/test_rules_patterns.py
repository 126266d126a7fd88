"""No text makes a pattern slow: all patterns are of the kind that stays linear, and a few hostile texts prove it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from types import ModuleType

import pytest

from plugseal.model import secrets, variables
from plugseal.patterns import LazyPattern
from plugseal.rules.grammar import check_pattern, join_patterns
from plugseal.rules.load import load_rules, patterns_of
from plugseal.scan.detectors import credentials, environment, facts, flow, manifests, packages
from plugseal.scan.matching.values import MAX_MATCHED_CHARACTERS

HANG_SECONDS = 5.0
"""Ten times what the slowest takes here, and more: a guard against hanging, no measurement."""
WORDS = [
    "-",
    "a",
    "'",
    "|",
    "curl ",
    "wget x | ",
    "git -c ",
    "powershell -e ",
    "dd ",
    "eyJ",
    "--token ",
    "://",
    "a-",
    "/",
]


def modules_patterns(module: ModuleType) -> Iterator[str]:
    """Yield the patterns that a module keeps and searches for; what only fits whole texts begins at one place."""
    for name, value in vars(module).items():
        if value in (environment._ASSIGNMENT,):
            continue
        text = value.pattern if isinstance(value, LazyPattern) else value
        if name.startswith("_") and not name.startswith("__") and isinstance(text, str) and len(text) > 12:
            yield text


def all_patterns() -> list[str]:
    found = {pattern for _, pattern in secrets.SHAPES} | {pattern.pattern for pattern in secrets._BESIDE}
    for module in (credentials, environment, facts, flow, manifests, packages, secrets):
        found.update(modules_patterns(module))
    found.update(pattern.pattern for pattern in variables._HARMLESS_WORD.values())
    for rule in load_rules().rules:
        found.update(patterns_of(rule))
    return sorted(found)


PATTERNS = all_patterns()


def test_there_are_patterns() -> None:
    assert len(PATTERNS) > 60


@pytest.mark.parametrize("pattern", PATTERNS, ids=range(len(PATTERNS)))
def test_no_hostile_text_makes_a_pattern_hang(pattern: str) -> None:
    compiled = re.compile(pattern)
    for word in WORDS:
        text = (word * (MAX_MATCHED_CHARACTERS // len(word)))[:MAX_MATCHED_CHARACTERS]
        start = time.process_time()
        compiled.search(text)
        assert time.process_time() - start < HANG_SECONDS


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("(a+)+b", "a repetition inside a repetition"),
        ("(?:a*b?)*c", "a repetition inside a repetition"),
        ("(?:[a-z]{2,}x)+", "a repetition inside a repetition"),
        (r"(a)\1", "a back-reference"),
        ("(a)?(?(1)b|c)", "a conditional group"),
        ("(?<=a+)b", "does not compile"),
        ("(", "does not compile"),
        ("a*", "matches the empty text"),
        ("(?:|a)", "matches the empty text"),
        ("a" * 5_000, "longer than"),
    ],
)
def test_a_dangerous_pattern_is_refused(pattern: str, fault: str) -> None:
    assert fault in (check_pattern(pattern) or "")


@pytest.mark.parametrize(
    "pattern", ["a+b*c", "(?:ab){3}", "(?:[a-z]{1,8}-){4}x", "(?i)^(?:a|b+)$", "(?!x)a", "(?<!a)b", "a{0,400}b"]
)
def test_an_ordinary_pattern_is_taken(pattern: str) -> None:
    assert check_pattern(pattern) is None


def test_flags_of_one_pattern_of_several_hold_for_that_one_alone() -> None:
    joined = re.compile(join_patterns(["(?i)one", "two", "(?i)(?:three|four)"]))

    assert [joined.search(text) is not None for text in ("ONE", "TWO", "two", "Four")] == [True, False, True, True]

"""Patterns that are compiled at first use are sound all the same, and behave like compiled ones."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import plugseal
from plugseal import patterns
from plugseal.patterns import LazyPattern, lazy


def test_every_pattern_of_every_module_compiles() -> None:
    for module in pkgutil.walk_packages(plugseal.__path__, "plugseal."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert len(patterns.ALL_LAZY) > 50
    for found in patterns.ALL_LAZY:
        re.compile(*found._source)


@pytest.mark.parametrize("method", ["search", "match", "fullmatch", "findall", "split"])
def test_a_lazy_pattern_answers_as_a_compiled_one(method: str) -> None:
    source, text = r"(a+)|b", "aab"
    found, wanted = (getattr(made, method)(text) for made in (lazy(source), re.compile(source)))
    if isinstance(wanted, re.Match):
        found, wanted = found.span(), wanted.span()
    assert found == wanted


def test_flags_bytes_and_what_a_pattern_tells_of_itself_are_the_same() -> None:
    found, wanted = lazy(rb"(x)y", re.IGNORECASE), re.compile(rb"(x)y", re.IGNORECASE)
    assert (found.pattern, found.flags, found.groups) == (wanted.pattern, wanted.flags, wanted.groups)
    assert found.sub(b"-", b"XYxy") == b"--"


def test_a_pattern_compiles_once_and_at_its_first_use() -> None:
    found = LazyPattern("(", 0)
    with pytest.raises(re.error):
        found.search("a")
    sound = lazy("a")
    assert "search" not in vars(sound)
    assert sound.search("a") is not None
    assert "search" in vars(sound)

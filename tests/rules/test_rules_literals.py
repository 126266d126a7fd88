"""The literals of a pattern stand in each of its matches, so that a text without any of them has none."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import plugseal
from plugseal import patterns
from plugseal.patterns import NeedyPattern, lazy
from plugseal.rules.literals import find_needs
from plugseal.rules.load import CHECKED_DOCUMENTS, find_rules, load_rules, patterns_of

RULES = sorted({pattern for rule in load_rules().rules for pattern in patterns_of(rule)})


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        pytest.param("curl", {"curl"}, id="a word"),
        pytest.param(r"\bcurl\b.{0,9}\| ?sh$", {"curl"}, id="the longest of several"),
        pytest.param("(?:curl|wget) -o", {"curl -o", "wget -o"}, id="each branch with what follows"),
        pytest.param("curl|wg.t", {"curl", "wg"}, id="something of each branch"),
        pytest.param("curl|.", set(), id="a branch of which nothing is known"),
        pytest.param("a?b{1,2}c*[de]f", {"df", "ef"}, id="what may be left out is not needed"),
        pytest.param("(?:ab){2,}", {"ab"}, id="a repetition holds its body"),
        pytest.param("(?:ab){0,3}", set(), id="a repetition that may be empty"),
        pytest.param("gh[pousr]_x", {"gho_x", "ghp_x", "ghr_x", "ghs_x", "ghu_x"}, id="a small set is spelled out"),
        pytest.param("x[a-z]+y", {"x"}, id="a large set is not"),
        pytest.param("x[^y]", {"x"}, id="nor is one of all but some"),
        pytest.param("(?i)CURL", {"curl"}, id="lower case"),
        pytest.param("(?i)\u017fh -c", {"h -c"}, id="beyond ASCII nobody knows the other case"),
        pytest.param("(?=curl)..", set(), id="what is looked at is not matched"),
        pytest.param("(?<!x)curl(?!y)", {"curl"}, id="nor does it part what is beside it"),
        pytest.param("a(?P<n>b)c", {"abc"}, id="a group parts nothing"),
        pytest.param("ab|abc", {"ab"}, id="what holds another is found with it"),
        pytest.param("|".join(f"{chr(97 + n // 26)}{chr(97 + n % 26)}0" for n in range(60)), set(), id="too many"),
        pytest.param("(?x) a b # c", {"ab"}, id="spaces that count nothing"),
    ],
)
def test_what_a_pattern_needs(pattern: str, needs: set[str]) -> None:
    assert set(find_needs(pattern)) == needs


@pytest.mark.parametrize("pattern", RULES, ids=range(len(RULES)))
@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_match_of_a_rule_holds_what_its_pattern_needs(pattern: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(pattern))
    found = re.search(pattern, text)
    assert found is not None
    needs = find_needs(pattern)
    if needs and found[0].isascii():
        assert any(needed in found[0].lower() for needed in needs)


def test_most_rules_say_what_they_need() -> None:
    assert sum(bool(find_needs(pattern)) for pattern in RULES) > 0.9 * len(RULES)


def test_the_recorded_literals_are_those_of_the_rules() -> None:
    recorded = json.loads((find_rules() / CHECKED_DOCUMENTS).read_text("ascii"))["needs"]
    assert recorded == {pattern: list(find_needs(pattern)) for pattern in RULES}, "run `plugseal rules test`"


def test_the_literals_beside_a_constant_are_those_of_its_pattern() -> None:
    for module in pkgutil.walk_packages(plugseal.__path__, "plugseal."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    needy = [pattern for pattern in patterns.ALL_LAZY if isinstance(pattern, NeedyPattern)]
    assert len(needy) > 10
    for pattern in needy:
        text, needs = (_text(pattern.pattern), [_text(one) for one in pattern.needs])
        found = find_needs(text, pattern._source[1])
        assert found, text
        assert [one for one in found if not any(needed in one for needed in needs)] == [], text


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


@pytest.mark.parametrize("method", ["search", "match", "fullmatch"])
@given(st.text("curlCURL\u017f\u212a -|", max_size=12))
@example("CURL")
@example("curl")
@example("x curl")
def test_a_pattern_with_needs_answers_as_a_compiled_one(method: str, text: str) -> None:
    source = "(?i)curl| k"
    lazily, directly = (
        getattr(made, method)(text) for made in (lazy(source, needs=("curl", " k")), re.compile(source))
    )
    assert (lazily and lazily.span()) == (directly and directly.span())


def test_no_text_without_them_compiles_a_pattern() -> None:
    broken = cast("Any", lazy("curl(", needs=("curl",)))
    patterns.ALL_LAZY.remove(broken)
    assert broken.search("wget") is broken.match("wget") is broken.fullmatch("wget") is None
    assert list(broken.finditer("wget")) == []
    for text in ("a CURL", "\u212a"):
        with pytest.raises(re.error):
            broken.search(text)

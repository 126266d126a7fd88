"""Everything that any output names can be explained."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from plugseal import errors
from plugseal.errors import PlugsealError, UsageError
from plugseal.intake.faults import FAULTS
from plugseal.model.capability import Capability
from plugseal.model.inventory import LOOKED_AT_ANYWAY
from plugseal.rules.load import load_rules
from plugseal.verbs.explain import error_kinds, explain, explain_rules, known_identifiers
from plugseal.verbs.meanings import MEANINGS
from plugseal.verbs.reasons import ERRORS, REFUSALS

SOURCES = sorted((Path(errors.__file__).parent).rglob("*.py"))


def test_every_capability_has_its_meaning_and_no_other() -> None:
    assert set(MEANINGS) == {capability.value for capability in Capability}


def test_every_refusal_of_intake_has_its_reason_and_no_other() -> None:
    assert set(REFUSALS) == {*FAULTS, "broken-manifest"}


def test_every_error_of_ours_has_its_reason_and_no_other() -> None:
    assert set(ERRORS) == {kind.code for kind in error_kinds()}


def test_what_hides_nothing_from_a_scan_is_known_to_intake() -> None:
    assert set(FAULTS) > LOOKED_AT_ANYWAY
    assert LOOKED_AT_ANYWAY.isdisjoint({"special-file", "mount", "unreadable", "not-listed", "encrypted-member"})


def _codes_in_source() -> dict[str, str]:
    """Return what the source gives to `fault(path, code, …)` and what classes call their `code`."""
    found = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "fault" and len(node.args) > 1:
                second = node.args[1]
                if isinstance(second, ast.Constant) and isinstance(second.value, str):
                    found[second.value] = path.name
    return found


def test_every_code_that_the_source_uses_can_be_explained() -> None:
    codes = _codes_in_source()
    assert "symlink" in codes or "case-collision" in codes
    assert {code: place for code, place in codes.items() if code not in REFUSALS} == {}


@pytest.mark.parametrize("identifier", known_identifiers())
def test_an_explanation_says_what_why_and_what_to_do(identifier: str) -> None:
    page = explain(identifier)
    assert page.id == identifier
    assert page.title and page.why and page.remedy
    assert page.title[0] == page.title[0].lower() or page.title[:2].isupper()
    assert not page.title.endswith(".")


SPELLINGS = {
    "as a headline": "high[subprocess-shell]",
    "as in SARIF": "plugseal/subprocess-shell",
    "in backticks": "`subprocess-shell`",
    "in capitals": "Subprocess-Shell",
    "with spaces": " subprocess-shell ",
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_an_identifier_is_found_as_it_is_copied(spelling: str) -> None:
    assert explain(spelling).id == "subprocess-shell"


@pytest.mark.parametrize(
    ("word", "near"), [("net.outbond", "net.outbound"), ("simlink", "symlink"), ("tree-refuse", "tree-refused")]
)
def test_a_mistyped_identifier_gets_the_nearest(word: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        explain(word)
    assert caught.value.hint == f"did you mean `{near}`?"


@pytest.mark.parametrize("word", ["", " ", "\x1b[2J", "x" * 100_000, "[", "]["])
def test_nonsense_is_an_error_of_ours(word: str) -> None:
    with pytest.raises(PlugsealError):
        explain(word)


def test_rules_are_explained_once_each() -> None:
    first = load_rules().rules[0].id
    assert [page.id for page in explain_rules([first, first, "no-such-rule"])] == [first]
    assert explain_rules([]) == ()

"""The reference pages of rules say what the rules say."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.rules.load import load_rules
from plugseal.rules.vocabulary import NAME_WORDS
from plugseal.scan.detectors import BYTES_DETECTORS, CODE_DETECTORS, MANIFEST_DETECTORS, TREE_DETECTORS
from plugseal.verbs.rules import render_rules_page
from tests.rules.write_page import TOLD, told_anew

DOCS = Path(__file__).parents[2] / "docs" / "reference"


def test_the_page_of_rules_is_current() -> None:
    written = (DOCS / "rules.md").read_text(encoding="utf-8")
    assert written == render_rules_page(), "run `python tests/rules/write_page.py`"


def test_the_guides_tell_one_number_of_rules_and_one_digest() -> None:
    told = {
        found[0] for guide in (DOCS.parent / "guide").glob("*.md") for found in TOLD.finditer(guide.read_text("utf-8"))
    }
    assert len(told) <= 2, "run `python tests/rules/write_page.py`"
    assert told_anew("by 7 rules; 7 rules, 0123abcd") == (
        f"by {len(load_rules().rules)} rules; {len(load_rules().rules)} rules, {load_rules().digest[:8]}"
    )


@pytest.mark.parametrize("rule", [rule.id for rule in load_rules().rules])
def test_the_page_names_every_rule(rule: str) -> None:
    assert f"\n### {rule}\n" in (DOCS / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", sorted({word for words in NAME_WORDS.values() for word in words}))
def test_the_format_page_names_every_word(word: str) -> None:
    assert f"`{word}`" in (DOCS / "rule-format.md").read_text(encoding="utf-8")


def test_every_detector_is_named_by_a_rule() -> None:
    known = {*CODE_DETECTORS, *MANIFEST_DETECTORS, *TREE_DETECTORS, *BYTES_DETECTORS}
    assert known == {rule.detector for rule in load_rules().rules if rule.detector}

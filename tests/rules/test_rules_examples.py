"""Every example of every rule, run through the whole scanner: one named test each."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.rules.compile import build_rule
from plugseal.rules.examples import build_examples, parse_marks
from plugseal.rules.files import read_rule_files
from plugseal.rules.load import find_rules, has_documents, is_checked, load_rules, parse_rules
from plugseal.rules.rule import Example, Rule
from plugseal.scan.trial import try_example

FOLDER = find_rules()
FILES = read_rule_files(FOLDER)
DOCUMENTS = parse_rules(FILES, place=FOLDER)
RULES = {document["id"]: build_rule(document) for document in DOCUMENTS}
EXAMPLES = [(document["id"], example) for document in DOCUMENTS for example in build_examples(document)]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES, ids=[f"{rule}: {example.name}" for rule, example in EXAMPLES])
def test_example_fires_exactly_where_it_is_marked(rule: str, example: Example) -> None:
    outcome = try_example(load_rules(), RULES[rule], example)
    assert (outcome.missing, outcome.surplus) == ((), ())


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_shows_two_forms_and_two_look_alikes(rule: str) -> None:
    own = [example for name, example in EXAMPLES if name == rule]
    fires = sum(rule in marked_rules(example) for example in own)
    assert fires >= 2
    assert len(own) - fires >= 2


def test_every_mark_names_a_rule() -> None:
    unknown = {mark for _, example in EXAMPLES for mark in marked_rules(example)} - RULES.keys()
    assert unknown == set()


def test_the_set_is_recorded_as_checked() -> None:
    digest = load_rules().digest
    assert is_checked(FOLDER, digest), "run `plugseal rules test` and commit rules/checked.sha256"
    assert has_documents(FOLDER, digest), "run `plugseal rules test` and commit rules/checked.json"


def test_a_checked_set_loads_as_the_validated_one() -> None:
    loaded = load_rules().rules
    assert [repr(rule) for rule in loaded] == [repr(RULES[rule]) for rule in sorted(RULES)]


@pytest.mark.parametrize("rule", RULES.values(), ids=sorted(RULES))
def test_a_firing_rule_carries_its_page(rule: Rule) -> None:
    assert rule.what.strip().endswith(".")
    assert rule.why.strip().endswith(".")
    assert not rule.remedy.endswith(".")
    assert rule.references


def test_the_folder_is_found_from_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(load_rules().rules) == len(RULES)


def marked_rules(example: Example) -> frozenset[str]:
    texts = [example.code, *(text for _, text in example.more)]
    return frozenset(rule for text in texts for rule in parse_marks(text).rules())

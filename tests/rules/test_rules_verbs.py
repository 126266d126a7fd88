"""Listing, testing and beginning rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.errors import RuleError, UsageError
from plugseal.rules.load import is_checked
from plugseal.rules.vocabulary import GROUPS
from plugseal.verbs import rules as verbs

SILENT = """\
format = 1
id = "sample-call"
title = "a sample is called"
severity = "low"
confidence = "high"
languages = ["python"]
since = "0.1.0"
what = "The sample function is called."
why = "It is a sample, and nothing else is wrong with it."
remedy = "call another function"

[[match]]
call = "sample.call"

[[example]]
name = "a call"
code = '''
import sample as s

s.other()
s.call()  # expect: sample-call
'''

[[example]]
name = "a look-alike"
code = '''
def go(thing):
    thing.call()
'''
"""


def write(root: Path, text: str) -> Path:
    path = root / "python" / "sample-call.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_built_in_rules_are_listed() -> None:
    rules = verbs.list_rules().rules
    assert [rule.id for rule in rules] == sorted(rule.id for rule in rules)
    assert len({rule.id for rule in rules}) == len(rules) > 50


def test_a_folder_that_passes_is_recorded(tmp_path: Path) -> None:
    write(tmp_path, SILENT)
    tested = verbs.test_rules(folder=tmp_path)
    assert (tested.failed, tested.rules, tested.recorded) == (0, 1, True)
    assert is_checked(tmp_path, tested.digest)


@pytest.mark.parametrize(
    ("old", "new", "failure"),
    [
        pytest.param(
            "s.call()  #", "s.calls()  #", "example.py:4: `sample-call` was expected and is silent", id="silent"
        ),
        pytest.param("s.other()", "s.call()", "example.py:3: `sample-call` fires without a mark", id="surplus"),
    ],
)
def test_a_failing_example_is_named_and_nothing_recorded(tmp_path: Path, old: str, new: str, failure: str) -> None:
    write(tmp_path, SILENT.replace(old, new))
    tested = verbs.test_rules(folder=tmp_path)
    assert [result.failures for result in tested.results if result.failures] == [(failure,)]
    assert not is_checked(tmp_path, tested.digest)


def test_single_files_are_tested_by_themselves(tmp_path: Path) -> None:
    tested = verbs.test_rules([write(tmp_path, SILENT)])
    assert (tested.failed, tested.rules, tested.recorded) == (0, 1, False)


def test_a_missing_file_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="can't be read"):
        verbs.test_rules([tmp_path / "python" / "none.toml"])


def test_a_detector_that_is_not_there_is_refused(tmp_path: Path) -> None:
    text = SILENT.replace('[[match]]\ncall = "sample.call"', 'detector = "telepathy"')
    with pytest.raises(RuleError) as caught:
        verbs.test_rules([write(tmp_path, text)])
    assert caught.value.details == ("python/sample-call.toml:1: no detector `telepathy` for python",)


@pytest.mark.parametrize("language", GROUPS)
def test_a_new_rule_fails_until_it_is_filled_in(tmp_path: Path, language: str) -> None:
    path = verbs.new_rule(tmp_path / language / "my-rule")
    assert path.name == "my-rule.toml"
    with pytest.raises(RuleError) as caught:
        verbs.test_rules([path])
    text = "\n".join(caught.value.details)
    assert "still to be written" in text
    assert "no example fires: mark a line with `# expect: my-rule`" in text
    assert "unknown key" not in text
    assert "missing" not in text


def test_a_filled_in_draft_passes(tmp_path: Path) -> None:
    path = verbs.new_rule(tmp_path / "python" / "my-rule")
    text = path.read_text(encoding="utf-8")
    text = text.replace("module.function(argument=True)", "module.function(argument=True)  # expect: my-rule")
    for key in ("what", "why"):
        text = text.replace(f'{key} = "TODO"', f'{key} = "A sentence of a reasonable length."')
    path.write_text(text.replace("TODO: ", "").replace("TODO", "Words."), encoding="utf-8")
    assert verbs.test_rules([path]).failed == 0


@pytest.mark.parametrize(
    ("path", "message"),
    [
        pytest.param("python/My_Rule.toml", "no rule id", id="id"),
        pytest.param("cobol/my-rule.toml", "no language of rules", id="language"),
    ],
)
def test_a_name_that_can_not_be_a_rule_is_refused(tmp_path: Path, path: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        verbs.new_rule(tmp_path / path)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_an_existing_rule_is_never_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path, SILENT)
    with pytest.raises(UsageError, match="exists"):
        verbs.new_rule(path)
    assert path.read_text(encoding="utf-8") == SILENT

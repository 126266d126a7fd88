"""Reading, validating and recording a folder of rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from plugseal.errors import RuleError
from plugseal.rules.files import MAX_RULE_BYTES, read_rule_files
from plugseal.rules.load import build_digest, find_rules, is_checked, load_rules, write_checked

GOOD = """\
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
import sample

sample.call()  # expect: sample-call
'''

[[example]]
name = "another call"
code = '''
import sample

sample.other()
'''
"""


def folder_with(root: Path, text: str, *, name: str = "python/sample-call.toml") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return root


def faults_of(root: Path) -> list[str]:
    with pytest.raises(RuleError) as caught:
        load_rules(root)
    assert caught.value.hint
    return list(caught.value.details)


def test_a_sound_folder_loads(tmp_path: Path) -> None:
    loaded = load_rules(folder_with(tmp_path, GOOD))
    assert [rule.id for rule in loaded.rules] == ["sample-call"]
    assert loaded.by_id("sample-call") is loaded.rules[0]
    assert loaded.by_id("other") is None


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        pytest.param('id = "sample-call"', 'id = "other-call"', ":2: `other-call` is not the file's name", id="id"),
        pytest.param('severity = "low"', 'severity = "loud"', ":4: `severity`: input should be", id="severity"),
        pytest.param('since = "0.1.0"', 'sinse = "0.1.0"', ":7: `sinse`: unknown key", id="unknown key"),
        pytest.param('since = "0.1.0"\n', "", ":1: `since`: missing", id="missing key"),
        pytest.param(
            'since = "0.1.0"', 'since = "0.1.0"\ncapability = "net.none"', ":8: `capability`", id="capability"
        ),
        pytest.param('"a sample is called"', '"A sample."', ":3: a title is lower case", id="title"),
        pytest.param('"call another function"', '"TODO: say it"', ":10: still to be written", id="unwritten"),
        pytest.param('call = "sample.call"', 'calls = "sample.call"', ":13: `match.0.calls`: unknown key", id="word"),
        pytest.param('call = "sample.call"', "", ":12: an empty table matches everything", id="empty table"),
        pytest.param(
            'call = "sample.call"', "keyword = { a = true }", ":12: a table has exactly one of", id="nameless table"
        ),
        pytest.param(
            'call = "sample.call"',
            'import = "a"\nkeyword = { a = 1 }',
            ":12: `import` has no arguments",
            id="arguments",
        ),
        pytest.param('call = "sample.call"', "string = '(a+)+'", "a repetition inside a repetition", id="slow pattern"),
        pytest.param('call = "sample.call"', "string = '('", "pattern does not compile", id="broken pattern"),
        pytest.param('call = "sample.call"', "string = 'a*'", "pattern matches the empty text", id="empty pattern"),
        pytest.param(
            'call = "sample.call"',
            'call = "a"\nkeyword = { a = { maybe = true } }',
            "`match.0.keyword.a.maybe`: unknown key",
            id="value test",
        ),
        pytest.param(
            'call = "sample.call"', 'call = "a"\nargument = { first = 1 }', "`match.0.argument.first`", id="position"
        ),
        pytest.param(
            '[[match]]\ncall = "sample.call"', "", ":1: a rule has `[[match]]` tables or a `det", id="nothing"
        ),
        pytest.param("  # expect: sample-call", "", ":15: no example fires", id="no example fires"),
        pytest.param("sample.other()", "a()  # expect: sample-call", ":15: no example is silent", id="none is silent"),
        pytest.param('name = "another call"', 'name = "a call"', ":24: two examples are named `a call`", id="names"),
        pytest.param('["python"]', '["cobol"]', ":6: `languages.0`", id="language"),
        pytest.param('["python"]', '["python", "file"]', ":6: one rule can't be about code and file", id="groups"),
        pytest.param("format = 1", "format = 2", ":1: `format`", id="format"),
        pytest.param("format = 1", "format = 1\nformat = 1", ":2: duplicate key `format`", id="no TOML"),
        pytest.param(
            '[[example]]\nname = "a call"', '[[ example ]]\nname = "a call"', ":15: the examples stand", id="order"
        ),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert old in GOOD
    found = faults_of(folder_with(tmp_path, GOOD.replace(old, new, 1)))
    assert any(line.startswith("python/sample-call.toml:") and fault in line for line in found), found


def test_a_rule_below_its_examples_is_refused(tmp_path: Path) -> None:
    found = faults_of(folder_with(tmp_path, GOOD + '\n[[unless]]\ncall = "sample.call"\n'))
    assert found == ["python/sample-call.toml:15: the examples stand last, under `[[example]]` lines, below all else"]


def test_every_fault_of_every_file_is_reported_at_once(tmp_path: Path) -> None:
    folder_with(tmp_path, GOOD.replace('"low"', '"loud"').replace("  # expect: sample-call", ""))
    folder_with(tmp_path, "x =", name="python/broken.toml")
    found = faults_of(tmp_path)
    assert len(found) == 3
    assert [line.split(":")[0] for line in found] == ["python/broken.toml", *["python/sample-call.toml"] * 2]


def test_two_rules_may_not_share_an_id(tmp_path: Path) -> None:
    folder_with(tmp_path, GOOD)
    folder_with(
        tmp_path, GOOD.replace('["python"]', '["shell"]').replace("call =", "command ="), name="shell/sample-call.toml"
    )
    assert faults_of(tmp_path) == ["shell/sample-call.toml:1: the id is taken by python/sample-call.toml"]


def test_a_rule_outside_a_language_folder_is_refused(tmp_path: Path) -> None:
    folder_with(tmp_path, GOOD)
    folder_with(tmp_path, GOOD, name="stray.toml")
    assert faults_of(tmp_path) == ["stray.toml:0: a rule stands in the folder of its language"]


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_no_rules_are_an_error_and_no_pass(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RuleError, match="no rules there"):
        load_rules(tmp_path / name)


def test_an_oversized_file_is_refused(tmp_path: Path) -> None:
    found = faults_of(folder_with(tmp_path, GOOD + "#" * MAX_RULE_BYTES))
    assert found == [f"python/sample-call.toml:0: larger than {MAX_RULE_BYTES} bytes"]


def test_the_digest_binds_names_and_bytes(tmp_path: Path) -> None:
    digests = set()
    for name, text in [("a/sample-call", GOOD), ("b/sample-call", GOOD), ("b/sample-call", GOOD + "\n")]:
        root = tmp_path / str(len(digests))
        digests.add(build_digest(read_rule_files(folder_with(root, text, name=f"{name}.toml"))))
    assert len(digests) == 3


def test_line_endings_do_not_change_the_digest(tmp_path: Path) -> None:
    one = folder_with(tmp_path / "one", GOOD)
    two = folder_with(tmp_path / "two", GOOD)
    (two / "python/sample-call.toml").write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert build_digest(read_rule_files(one)) == build_digest(read_rule_files(two))


def test_a_changed_set_is_validated_again(tmp_path: Path) -> None:
    folder_with(tmp_path, GOOD)
    write_checked(tmp_path, read_rule_files(tmp_path), load_rules(tmp_path).digest)
    assert is_checked(tmp_path, load_rules(tmp_path).digest)
    folder_with(tmp_path, GOOD.replace('"low"', '"loud"'))
    assert len(faults_of(tmp_path)) == 1


def test_documents_of_a_checked_set_are_taken_for_that_set_alone(tmp_path: Path) -> None:
    folder_with(tmp_path, GOOD)
    plain = load_rules(tmp_path)
    write_checked(tmp_path, read_rule_files(tmp_path), plain.digest)
    assert repr(load_rules(tmp_path).rules) == repr(plain.rules)
    documents = tmp_path / "checked.json"
    text = documents.read_text()
    title = plain.rules[0].title
    documents.write_text(text.replace(title, "another title"))
    assert load_rules(tmp_path).rules[0].title == "another title"
    documents.write_text(text.replace(title, "another title").replace(plain.digest, "0" * 64))
    assert repr(load_rules(tmp_path).rules) == repr(plain.rules)
    for broken in ("", "[]", "{", text[:-20]):
        documents.write_text(broken)
        assert repr(load_rules(tmp_path).rules) == repr(plain.rules)


def test_a_scan_of_the_checked_set_never_imports_pydantic(tmp_path: Path) -> None:
    code = "import sys; from plugseal.rules.load import load_rules; load_rules(); print('pydantic' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert answer.stdout == "False\n"


def test_a_foreign_rules_folder_beside_the_package_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugseal.rules import load

    package = tmp_path / "src" / "plugseal" / "rules"
    package.mkdir(parents=True)
    folder_with(tmp_path / "rules", GOOD)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "other"\n')
    monkeypatch.setattr(load, "__file__", str(package / "load.py"))
    with pytest.raises(RuleError, match="built-in rules are missing"):
        find_rules()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "plugseal"\n')
    assert find_rules() == tmp_path / "rules"
    (tmp_path / "src" / "plugseal" / "_rules").mkdir()
    assert find_rules() == tmp_path / "src" / "plugseal" / "_rules"

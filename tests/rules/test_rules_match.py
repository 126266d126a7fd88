"""What match tables mean, over events made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from plugseal.lang.facts import UNKNOWN, Event, FileFacts, Ref, Value
from plugseal.model.capability import Fact
from plugseal.model.location import Span
from plugseal.rules.compile import build_rule
from plugseal.rules.rule import RuleSet
from plugseal.scan.matching.hit import MAX_FINDINGS, MAX_SOURCE_COLUMNS
from plugseal.scan.matching.index import build_interest
from plugseal.scan.matching.match import match_events, match_file


def rules_of(*tables: Mapping[str, Any], unless: tuple[Mapping[str, Any], ...] = (), **more: Any) -> RuleSet:
    document = {
        "id": "sample",
        "title": "sample",
        "severity": "low",
        "confidence": "high",
        "languages": ["python"],
        "since": "0.1.0",
        "what": "",
        "why": "",
        "remedy": "",
        "match": list(tables),
        "unless": list(unless),
        **more,
    }
    return RuleSet((build_rule(document),), "")


def call(name: str, *arguments: Value, line: int = 1, width: int = 20, **keywords: Value) -> Event:
    span = Span(line, 1, line, 1 + width)
    return Event("call", name, span, arguments, tuple(keywords.items()), "direct", "import")


def fires(rules: RuleSet, *events: Event) -> bool:
    return bool(match_events(rules, "a.py", events, lambda _: ()))


@pytest.mark.parametrize(
    ("test", "value", "expected"),
    [
        pytest.param(True, True, True, id="true is True"),
        pytest.param(True, 1, True, id="true is a truthy number"),
        pytest.param(True, "yes", True, id="true is a text"),
        pytest.param(True, False, False, id="true is not False"),
        pytest.param(True, None, False, id="true is not None"),
        pytest.param(True, UNKNOWN, False, id="true is not unknown"),
        pytest.param(False, 0, True, id="false is zero"),
        pytest.param(False, "", True, id="false is the empty text"),
        pytest.param(False, None, False, id="false is not None"),
        pytest.param("a", "a", True, id="a text"),
        pytest.param("1", 1, False, id="a text is no number"),
        pytest.param(1, True, False, id="a number is no boolean"),
        pytest.param(["a", "b"], "b", True, id="one of a list"),
        pytest.param(["a", "b"], "c", False, id="none of a list"),
        pytest.param({"one_of": [511, 438]}, 438, True, id="one of numbers"),
        pytest.param({"literal": False}, UNKNOWN, True, id="unknown is no literal"),
        pytest.param({"literal": False}, Ref("input()"), True, id="a name is no literal"),
        pytest.param({"literal": False}, ("ls", UNKNOWN), True, id="a list with an unknown word"),
        pytest.param({"literal": False}, ("ls", "-l"), False, id="a list of literals"),
        pytest.param({"literal": True}, ("ls", "-l"), True, id="a literal list"),
        pytest.param({"literal": True}, None, True, id="None is a literal"),
        pytest.param({"matches": "^ls -l$"}, ("ls", "-l"), True, id="words are joined"),
        pytest.param({"matches": "^ls \ufffd$"}, ("ls", UNKNOWN), True, id="an unknown word has a sign"),
        pytest.param({"matches": "x"}, UNKNOWN, False, id="nothing is found in the unknown"),
        pytest.param({"matches": "5"}, 15, True, id="a number as text"),
        pytest.param({"origin": ["base64.b64decode"]}, Ref("base64.b64decode().decode()"), True, id="an origin"),
        pytest.param({"origin": ["base64.*"]}, Ref("base64.b64decode()"), True, id="an origin by prefix"),
        pytest.param({"origin": ["base64.b64"]}, Ref("base64.b64decode()"), False, id="no half of a name"),
        pytest.param({"origin": ["input"]}, Ref("builtins.input()"), True, id="a built-in function"),
        pytest.param({"origin": ["input"]}, ("ls", Ref("builtins.input()")), True, id="an origin inside a list"),
        pytest.param({"literal": False, "matches": "^ls"}, ("ls", UNKNOWN), True, id="all parts hold"),
        pytest.param({"literal": False, "matches": "^rm"}, ("ls", UNKNOWN), False, id="one part does not"),
    ],
)
def test_a_value_test(test: object, value: Value, expected: bool) -> None:
    assert fires(rules_of({"call": "f", "keyword": {"k": test}}), call("f", k=value)) is expected


def test_an_absent_argument_is_asked_for() -> None:
    rules = rules_of({"call": "f", "keyword": {"filter": {"absent": True}}})
    assert fires(rules, call("f"))
    assert not fires(rules, call("f", filter=None))


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param(call("f", "x"), True, id="by position"),
        pytest.param(call("f", args="x"), True, id="by the first name"),
        pytest.param(call("f", command="x"), True, id="by the second name"),
        pytest.param(call("f", other="x"), False, id="by another name"),
        pytest.param(call("f", "y", "x"), False, id="at another position"),
    ],
)
def test_a_position_may_have_names(event: Event, expected: bool) -> None:
    assert fires(rules_of({"call": "f", "argument": {"0|args|command": "x"}}), event) is expected


def test_any_argument_is_asked() -> None:
    rules = rules_of({"call": "f", "argument": {"any": "x"}})
    assert fires(rules, call("f", "y", "x"))
    assert fires(rules, call("f", k="x"))
    assert not fires(rules, call("f", "y"))


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("requests.*", "requests.get", True),
        ("requests.*", "requests.Session().get", True),
        ("requests.*", "requestsx.get", False),
        ("requests.*", "requests", False),
        ("requests.get", "requests.get().json", False),
        ("eval", "builtins.eval", True),
        ("eval", "model.eval", False),
    ],
)
def test_a_name_fits_exactly_by_prefix_or_by_pattern(pattern: str, name: str, expected: bool) -> None:
    assert fires(rules_of({"call": pattern}), call(name)) is expected


def test_tables_are_or_and_keys_are_and() -> None:
    rules = rules_of({"call": "f", "keyword": {"a": 1, "b": 2}}, {"call": "g"})
    assert fires(rules, call("f", a=1, b=2))
    assert not fires(rules, call("f", a=1))
    assert fires(rules, call("g"))


def test_unless_silences_by_what_it_asks() -> None:
    rules = rules_of({"call": ["f", "g"]}, unless=({"call": "g", "keyword": {"safe": True}}, {"origin": ["input"]}))
    assert fires(rules, call("f", safe=True))
    assert fires(rules, call("g"))
    assert not fires(rules, call("g", safe=True))
    assert not fires(rules, call("f", Ref("builtins.input()")))


def test_an_origin_mixed_with_other_text_is_told_by_the_call_inside() -> None:
    rules = rules_of({"call": "exec", "origin": ["base64.*"]})
    outer = call("builtins.exec", UNKNOWN, width=40)
    inner = Event("call", "base64.b64decode", Span(1, 8, 1, 30), (), (), "direct", "import")
    beside = Event("call", "base64.b64decode", Span(2, 8, 2, 30), (), (), "direct", "import")
    assert fires(rules, outer, inner)
    assert not fires(rules, outer, beside)
    assert not fires(rules, call("builtins.exec", "1", width=40), inner)


@pytest.mark.parametrize(("kind", "name"), [("import", "ctypes.util"), ("import", "ctypes")])
def test_an_import_covers_what_is_below(kind: str, name: str) -> None:
    event = Event(kind, name, Span(1, 1, 1, 9), (), (), "direct", "import")
    assert fires(rules_of({"import": "ctypes"}), event)
    assert not fires(rules_of({"import": "ctypes.wintypes"}), event)


def test_a_string_is_searched_within_its_limit() -> None:
    rules = rules_of({"string": ["ghp_[a-z]", "AKIA"]})
    assert fires(rules, call("f")._replace(kind="string", name="xx ghp_a"))
    assert fires(rules, call("f")._replace(kind="string", name="AKIA"))
    assert not fires(rules, call("f")._replace(kind="string", name=" " * 65_536 + "AKIA"))


@pytest.mark.parametrize(("word", "name"), [("command", "curl"), ("pipe", "sh"), ("redirect", ">>")])
def test_shell_words_match_by_name(word: str, name: str) -> None:
    rules = rules_of({word: name}, languages=["shell"])
    assert fires(rules, call(name)._replace(kind=word))
    assert not fires(rules, call("other")._replace(kind=word))


def test_prose_is_searched() -> None:
    rules = rules_of({"text": "(?i)ignore previous"}, languages=["prose"])
    assert fires(rules, call("Ignore previous text")._replace(kind="text"))


def test_the_note_shows_the_arguments_source() -> None:
    rules = rules_of({"call": "f"}, note="`{argument.0|args}` is not a literal")
    source = "f(args=a + b, c=1)"
    found = match_events(rules, "a.py", [call("f", args=UNKNOWN, width=len(source))], lambda _: (source,))
    assert found[0].note == "`a + b` is not a literal"


@pytest.mark.parametrize("source", ["f(" + "a" * 60 + ")", "f(", "f(" * 50 + ")" * 50, "x = y", "", "f(c=1)"], ids=len)
def test_a_note_that_can_not_be_filled_is_left_out(source: str) -> None:
    rules = rules_of({"call": "f"}, note="`{argument.0}` is not a literal")
    found = match_events(rules, "a.py", [call("f", UNKNOWN, width=len(source))], lambda _: (source,))
    assert [finding.note for finding in found] == [""]


def test_a_choice_of_literals_is_no_unknown_value() -> None:
    rules = rules_of({"call": "f", "argument": {"0": {"literal": False}}})
    source = "f('cls' if nt else 'clear')"
    assert match_events(rules, "a.py", [call("f", UNKNOWN, width=len(source))], lambda _: (source,)) == []
    source = "f('cls' if nt else name)"
    assert len(match_events(rules, "a.py", [call("f", UNKNOWN, width=len(source))], lambda _: (source,))) == 1


def test_findings_are_unique_and_sorted() -> None:
    rules = rules_of({"call": "f"}, {"call": "f", "argument": {"any": 1}})
    events = [call("f", 1, line=9), call("f", 1, line=2), call("f", 1, line=2)]
    assert [finding.span.line for finding in match_events(rules, "a.py", events, lambda _: ())] == [2, 9]


def test_the_object_is_that_of_the_fact_at_the_same_place() -> None:
    rules = rules_of({"call": "f"}, capability="net.outbound")
    event = call("f")
    fact = Fact(event.span, "net.outbound", "host.invalid", "direct", "code", "import")
    facts = FileFacts("python", "read", facts=(fact,), events=(event,))
    assert match_file(rules, "a.py", facts, lambda _: ())[0].object == "host.invalid"


def test_credentials_in_the_evidence_are_masked() -> None:
    rules = rules_of({"call": "f"}, note="`{argument.0}`")
    source = "f('--token=ghp_sampleCCCC3333DDDD4444EEEE5555')"
    found = match_events(rules, "a.py", [call("f", "x", width=len(source))], lambda _: (source,))[0]
    assert "3333" not in "".join(found.source) + found.note
    assert len(found.source[0]) == len(source)


def test_the_interest_holds_all_that_rules_ask_for() -> None:
    rules = rules_of(
        {"call": ["eval", "a.*"], "origin": ["b.c", "d.*"]}, {"import": "i"}, {"attribute": "x.y"}, {"string": "s[0-9]"}
    )
    interest = build_interest(rules)
    assert interest.calls == {"eval", "builtins.eval", "b.c"}
    assert interest.call_prefixes == ("a.", "d.")
    assert (interest.imports, interest.attributes) == ({"i"}, {"x.y"})
    assert interest.strings is not None
    assert interest.strings.search("s1")


def test_many_places_of_one_rule_end_in_a_count() -> None:
    events = [call("f", line=line) for line in range(1, MAX_FINDINGS + 8)]
    found = match_events(rules_of({"call": "f"}), "a.py", events, lambda _: ())
    assert len(found) == MAX_FINDINGS
    assert found[-1].note == "and 7 more places"
    assert found[0].note == ""


def test_a_very_long_line_is_cut_and_far_places_have_no_evidence() -> None:
    source = "f()" + " " * MAX_SOURCE_COLUMNS + "f()"
    far = Event("call", "f", Span(1, len(source) - 2, 1, len(source) + 1), (), (), "direct", "import")
    near, distant = match_events(rules_of({"call": "f"}), "a.py", [call("f", width=3), far], lambda _: (source,))
    assert [len(line) for line in near.source] == [MAX_SOURCE_COLUMNS]
    assert distant.source == ()
    assert distant.span == far.span

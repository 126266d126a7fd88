"""Arguments against a tool's schema: what fits, what does not, and schemas that nobody can judge by."""

from __future__ import annotations

from typing import Any

import pytest

from plugseal.runtime.coding.arguments import check_arguments


def of(**schema: Any) -> dict[str, Any]:
    """Return a schema of one argument `x`."""
    return {"type": "object", "properties": {"x": schema}}


FITS = [
    ("no demand", {"type": "object"}, {"anything": 1}),
    ("text", of(type="string"), {"x": ""}),
    ("one of two types", of(type=["string", "null"]), {"x": None}),
    ("a whole number as a fraction", of(type="integer"), {"x": 2.0}),
    ("a whole number is a number", of(type="number"), {"x": 2}),
    ("1.0 is 1", of(const=1), {"x": 1.0}),
    ("a value of a list", of(enum=["a", {"b": [1]}]), {"x": {"b": [1]}}),
    ("left out", of(type="string"), {}),
    ("bounds are inside", of(minimum=1, maximum=1), {"x": 1}),
    ("lengths", of(minLength=1, maxLength=1), {"x": "é"}),
    ("a bound of another type", of(minimum=5), {"x": "a"}),
    ("items", of(items={"type": "string"}, maxItems=2), {"x": ["a", "b"]}),
    ("a tuple and the rest", of(prefixItems=[{"type": "string"}], items={"type": "null"}), {"x": ["a", None]}),
    ("a tuple of older drafts", of(items=[{"type": "string"}], additionalItems=False), {"x": ["a"]}),
    ("unique", of(uniqueItems=True), {"x": [1, True, "1"]}),
    ("any of", of(anyOf=[{"type": "string"}, {"type": "null"}]), {"x": None}),
    ("one of", of(oneOf=[{"minimum": 5}, {"maximum": 1}]), {"x": 7}),
    ("all of", of(allOf=[{"minimum": 5}, {"maximum": 8}]), {"x": 7}),
    ("not", {"type": "object", "not": {"required": ["x"]}}, {}),
    ("additional ones by a schema", {"type": "object", "additionalProperties": {"type": "string"}}, {"y": "a"}),
    (
        "names by expressions are left to the plugin",
        {"patternProperties": {"^y": {}}, "additionalProperties": False},
        {"y": 1},
    ),
    ("expressions are left to the plugin", of(pattern="^a$"), {"x": "b"}),
    ("a reference", {**of(**{"$ref": "#/$defs/a~1b"}), "$defs": {"a/b": {"type": "string"}}}, {"x": "a"}),
    ("null is no demand", of(minimum=None), {"x": 1}),
    ("always", of(items=True), {"x": [1]}),
]
FITS_NOT = [
    ("a number for text", of(type="string"), {"x": 1}, "`arguments.x` must be string"),
    ("true for a number", of(type="integer"), {"x": True}, "`arguments.x` must be integer"),
    ("a fraction", of(type="integer"), {"x": 2.5}, "must be integer"),
    ("true is not 1", of(enum=[1]), {"x": True}, "none of the values"),
    ("1 is not true, deep inside", of(const={"a": [True]}), {"x": {"a": [1]}}, "not the value"),
    ("missing", {"type": "object", "required": ["x"]}, {}, "`arguments` lacks `x`"),
    (
        "a name that is not taken",
        {"type": "object", "additionalProperties": False},
        {"y": 1},
        "`arguments.y` is nothing",
    ),
    ("below the least", of(minimum=1), {"x": 0}, "breaks `minimum`"),
    ("at an exclusive bound", of(exclusiveMaximum=1), {"x": 1}, "breaks `exclusiveMaximum`"),
    ("too long", of(maxLength=1), {"x": "ab"}, "breaks `maxLength`"),
    ("too few", of(minItems=1), {"x": []}, "breaks `minItems`"),
    ("too many members", of(maxProperties=0), {"x": {"a": 1}}, "breaks `maxProperties`"),
    ("an item", of(items={"type": "string"}), {"x": ["a", 1]}, "`arguments.x.1` must be string"),
    ("more than the tuple", of(prefixItems=[{}], items=False), {"x": [1, 2]}, "`arguments.x.1` may not be there"),
    ("twice", of(uniqueItems=True), {"x": [1, 1.0]}, "holds something twice"),
    ("none of", of(anyOf=[{"type": "string"}]), {"x": 1}, "does not fit `anyOf`"),
    ("two of one", of(oneOf=[{"minimum": 1}, {"minimum": 2}]), {"x": 3}, "does not fit `oneOf`"),
    ("not", of(**{"not": {"type": "string"}}), {"x": "a"}, "does not fit `not`"),
    ("deep", of(**of(**of(type="string"))), {"x": {"x": {"x": 1}}}, "`arguments.x.x.x` must be string"),
]
UNJUDGED = [
    ("a type that nobody knows", of(type="text"), {"x": "a"}),
    ("a bound that is text", of(minimum="1"), {"x": 1}),
    ("required that is text", {"type": "object", "required": "x"}, {"x": 1}),
    ("properties that are a list", {"type": "object", "properties": ["x"]}, {"x": 1}),
    ("a schema that is a number", of(items=1), {"x": [1]}),
    ("a reference to elsewhere", of(**{"$ref": "https://example.invalid/s"}), {"x": 1}),
    ("a reference to nothing", of(**{"$ref": "#/$defs/no"}), {"x": 1}),
    ("a broken part below not", of(**{"not": {"type": "text"}}), {"x": 1}),
    ("a reference to itself", {"$ref": "#"}, {}),
]


@pytest.mark.parametrize(("schema", "arguments"), [pytest.param(*row[1:], id=row[0]) for row in FITS])
def test_arguments_that_fit(schema: dict[str, Any], arguments: object) -> None:
    assert check_arguments(schema, arguments) == ""


@pytest.mark.parametrize(("schema", "arguments", "message"), [pytest.param(*row[1:], id=row[0]) for row in FITS_NOT])
def test_arguments_that_do_not_fit(schema: dict[str, Any], arguments: object, message: str) -> None:
    assert message in check_arguments(schema, arguments)


@pytest.mark.parametrize(("schema", "arguments"), [pytest.param(*row[1:], id=row[0]) for row in UNJUDGED])
def test_a_schema_that_cannot_be_understood_fits_nothing(schema: dict[str, Any], arguments: object) -> None:
    assert "can't be judged" in check_arguments(schema, arguments)


def test_a_schema_that_takes_too_long_fits_nothing() -> None:
    doubled: dict[str, Any] = {"type": "integer"}
    for _ in range(40):
        doubled = {"allOf": [doubled, doubled]}
    assert "takes too long" in check_arguments(of(**doubled), {"x": 1})
    assert "takes too long" in check_arguments(of(uniqueItems=True), {"x": list(range(10_000))})

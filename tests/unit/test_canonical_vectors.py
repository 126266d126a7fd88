r"""The six examples that accompany RFC 8785, written out anew from its text and appendix B.

Ours takes no floats, by rule: of the example with floats everything else is compared, and that they are refused.
See: https://www.rfc-editor.org/rfc/rfc8785
"""

from __future__ import annotations

import json

import pytest

from plugseal.encode.canonical import build_canonical
from plugseal.errors import CanonicalError


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        pytest.param(
            '[\n  56,\n  {\n    "d": true,\n    "10": null,\n    "1": [ ]\n  }\n]',
            '[56,{"1":[],"10":null,"d":true}]',
            id="arrays",
        ),
        pytest.param(
            '{"peach": "This sorting order", "p\u00e9ch\u00e9": "is wrong according to French",'
            ' "p\u00eache": "but canonicalization MUST", "sin": "ignore locale"}',
            '{"peach":"This sorting order","p\u00e9ch\u00e9":"is wrong according to French",'
            '"p\u00eache":"but canonicalization MUST","sin":"ignore locale"}',
            id="french",
        ),
        pytest.param(
            '{"1": {"f": {"f": "hi", "F": 5}, "\\n": 56}, "10": {}, "": "empty", "a": {},'
            ' "111": [{"e": "yes", "E": "no"}], "A": {}}',
            '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
            id="structures",
        ),
        pytest.param(
            '{"Unnormalized Unicode": "A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}', id="unicode: never normalized"
        ),
        pytest.param(
            '{"string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/", "literals": [null, true, false]}',
            '{"literals":[null,true,false],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
            id="values",
        ),
        pytest.param(
            '{"\\u20ac": "Euro Sign", "\\r": "Carriage Return", "\\u000a": "Newline", "1": "One",'
            ' "\\u0080": "Control\\u007f", "\\ud83d\\ude02": "Smiley",'
            ' "\\u00f6": "Latin Small Letter O With Diaeresis",'
            ' "\\ufb33": "Hebrew Letter Dalet With Dagesh", "</script>": "Browser Challenge"}',
            '{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\x80":"Control\x7f",'
            '"\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\U0001f602":"Smiley",'
            '"\ufb33":"Hebrew Letter Dalet With Dagesh"}',
            id="weird: sorted by units of UTF-16",
        ),
    ],
)
def test_an_example_of_the_standard_has_its_bytes(text: str, canonical: str) -> None:
    assert build_canonical(json.loads(text)) == canonical.encode("utf-8")


@pytest.mark.parametrize("number", ["333333333.33333329", "1E30", "4.50", "2e-3", "0.000000000000000000000000001"])
def test_a_float_is_refused(number: str) -> None:
    with pytest.raises(CanonicalError):
        build_canonical({"numbers": [json.loads(number)]})

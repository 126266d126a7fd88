"""Rules and their examples as text."""

from __future__ import annotations

from plugseal.model.explanation import Explanation
from plugseal.render.rules import render_examples, render_rules
from plugseal.render.text import join_plain

RULE = Explanation(
    "subprocess-shell", "rule", "command line handed to a shell", "what", "why", "remedy", facts=(("severity", "high"),)
)


def test_rules_are_listed_with_their_number() -> None:
    text = join_plain(render_rules([RULE]))
    assert text == "  high  subprocess-shell  command line handed to a shell\n\n1 rule\n"


def test_examples_that_do_not_hold_are_named_with_what_is_wrong() -> None:
    results = [("r", "an alias", ()), ("r", "a literal", ("a.py:3: `r` fires without a mark",))]
    assert join_plain(render_examples(results, rules=1)) == (
        "fail  r: a literal\n   = a.py:3: `r` fires without a mark\n\n1 rule, 2 examples: 1 hold, 1 do not\n"
    )
    assert join_plain(render_examples(results[:1], rules=1)) == "1 rule, 1 example: all hold\n"
    assert join_plain(render_examples(results[:1], rules=1, everything=True)).startswith("ok    r: an alias\n")

"""Rules as a list, as JSON (`plugseal.rules/1`), and what came of running their examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import plugseal
from plugseal.model.explanation import Explanation
from plugseal.render.json import Json, encode
from plugseal.render.text import BLANK, Line, Piece, count, line, render_table
from plugseal.shown import shown

RULES_FORMAT = "plugseal.rules/1"
_UNWRAPPED = 1_000_000
_MESSAGE_CHARACTERS = 1000


def render_rules(rules: Sequence[Explanation]) -> Iterator[Line]:
    """Yield one row for each rule, and their number."""
    rows = []
    for rule in rules:
        severity = dict(rule.facts)["severity"]
        rows.append((Piece(severity, severity), Piece(shown(rule.id), "literal"), Piece(shown(rule.title))))
    yield from render_table(rows, width=_UNWRAPPED)
    if rows:
        yield BLANK
    yield line(count(len(rules), "rule"))


def render_rules_json(rules: Sequence[Explanation], digest: str) -> Iterator[str]:
    """Yield the document, one rule a line, ended by a newline."""
    yield f'{{\n  "format": "{RULES_FORMAT}",\n  "plugseal": "{plugseal.__version__}",\n  "digest": "{digest}",\n'
    yield '  "rules": [\n'
    yield ",\n".join(f"    {encode(_rule(rule))}" for rule in rules)
    yield "\n  ]\n}\n"


def _rule(rule: Explanation) -> Json:
    facts = dict(rule.facts)
    return {
        "id": rule.id,
        "title": rule.title,
        "severity": facts["severity"],
        "confidence": facts["confidence"],
        "capability": facts.get("capability"),
        "languages": facts["languages"].split(", "),
        "since": facts["since"],
        "what": rule.what,
        "why": rule.why,
        "remedy": rule.remedy,
        "references": rule.references,
    }


def render_examples(
    results: Iterable[tuple[str, str, Sequence[str]]], *, rules: int, everything: bool = False
) -> Iterator[Line]:
    """Yield the examples that do not hold, and the count.

    Args:
        results: (rule, example, what is wrong a line each).
        rules: how many rules were tested.
        everything: name the examples that hold, too.
    """
    held = failed = 0
    for rule, example, failures in results:
        held += not failures
        failed += bool(failures)
        if failures or everything:
            mark = Piece("fail", "high") if failures else Piece("ok  ", "good")
            yield line(mark, "  ", Piece(shown(rule), "literal"), f": {shown(example)}")
        for failure in failures:
            yield line(Piece("   = ", "dim"), shown(failure, limit=_MESSAGE_CHARACTERS))
    if failed or everything:
        yield BLANK
    verdict = "all hold" if not failed else f"{held:,} hold, {failed:,} do not"
    text = f"{count(rules, 'rule')}, {count(held + failed, 'example')}: {verdict}"
    yield line(Piece(text, "" if failed else "good"))

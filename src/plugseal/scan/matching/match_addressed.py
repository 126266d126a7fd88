"""Match the rules of prose over what code says to a model: the descriptions of the tools that it declares.

A poisoned description need not do anything itself: the model that reads it does. A file that declares no tool costs one
search for the marks of those that do.
"""

from __future__ import annotations

from plugseal.lang.addressed import Addressed
from plugseal.model.finding import Finding
from plugseal.rules.rule import RuleSet
from plugseal.scan.detectors.tools_in_code import addressed_in
from plugseal.scan.matching.hit import Hit, Lines, build_finding, sort_findings
from plugseal.scan.matching.match_words import rules_over


def match_addressed(rules: RuleSet, file: str, data: bytes, language: str, lines: Lines) -> list[Finding]:
    """Return the findings in what a file's tools say of themselves.

    Args:
        rules: the set.
        file: path below the scanned root.
        data: all its bytes.
        language: one of `ADDRESSED_IN`.
        lines: source lines for the evidence.
    """
    texts = addressed_in(data, language)
    return sort_findings(finding for text in texts for finding in _of_text(rules, file, text, lines)) if texts else []


def _of_text(rules: RuleSet, file: str, text: Addressed, lines: Lines) -> list[Finding]:
    name = text.name or None
    return [
        build_finding(rule, Hit(text.place(span.line, span.column), object=name), file, lines)
        for rule, span in rules_over(rules, text.text)
    ]

"""Match the rules of prose over the texts of recorded tools: a model reads them as it reads a skill."""

from __future__ import annotations

from plugseal.model.finding import Finding
from plugseal.rules.rule import RuleSet
from plugseal.scan.detectors.tool_lists import RecordedTool, recorded_lists
from plugseal.scan.matching.hit import Hit, Lines, build_finding
from plugseal.scan.matching.match_words import rules_over, tells_something


def match_recorded(rules: RuleSet, file: str, data: bytes, language: str, lines: Lines) -> list[Finding]:
    """Return the findings in what recorded tools say of themselves.

    Args:
        rules: the set.
        file: path below the scanned root.
        data: all its bytes.
        language: as it was classified.
        lines: source lines for the evidence.
    """
    lists = recorded_lists(file, data, language)
    return [finding for tools in lists for tool in tools for finding in _of_tool(rules, file, tool, lines)]


def _of_tool(rules: RuleSet, file: str, tool: RecordedTool, lines: Lines) -> list[Finding]:
    return [
        build_finding(rule, Hit(span, object=tool.name), file, lines)
        for text, span in tool.texts
        if tells_something(text)
        for rule, _ in rules_over(rules, text)
    ]

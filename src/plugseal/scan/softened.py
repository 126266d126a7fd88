"""Give findings in programs that only developers start the severity that their rule says for these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from plugseal.model.finding import Finding, Severity
from plugseal.model.plugin import Plugin
from plugseal.rules.rule import RuleSet
from plugseal.scan.linking.unstarted import Told, unstarted
from plugseal.systems.system import Listing

NOTE: Final = "only developers start this"


def soften(
    findings: Iterable[Finding], rules: RuleSet, listing: Listing, plugins: Sequence[Plugin], told: Told
) -> list[Finding]:
    """Return findings, those in unstarted programs as their rules say, one of each rule in a file.

    Args:
        findings: of all files.
        rules: that fired.
        listing: with what each program names.
        plugins: of the tree.
        told: what is named outside of programs.
    """
    found = list(findings)
    lesser = {rule.id: rule.when_unstarted for rule in rules.rules if rule.when_unstarted is not None}
    if not any(one.rule in lesser for one in found):
        return found
    files = unstarted(listing, plugins, told)
    soft: dict[tuple[str, str], list[Finding]] = {}
    kept: list[Finding] = []
    for one in found:
        if one.rule in lesser and one.file in files:
            soft.setdefault((one.rule, one.file), []).append(one)
        else:
            kept.append(one)
    return kept + [_one_of(these, lesser[rule]) for (rule, _), these in soft.items()]


def _one_of(findings: list[Finding], severity: Severity) -> Finding:
    """Return the first of several findings, which says how many more places there are."""
    first = min(findings, key=lambda one: one.span)
    count = len({one.span for one in findings}) - 1
    more = f", here and at {count:,} more place{'s' if count > 1 else ''} of this file" if count else ""
    note = f"{first.note}; {NOTE}{more}" if first.note else NOTE + more
    return first._replace(severity=severity, note=note)

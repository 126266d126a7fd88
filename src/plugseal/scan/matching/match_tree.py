"""Match file rules over the entries of a tree, and over the bytes of single files."""

from __future__ import annotations

from functools import lru_cache

from plugseal.model.finding import Finding
from plugseal.model.tree import Entry, Tree
from plugseal.rules.rule import Clause, Rule, RuleSet
from plugseal.scan.detectors import BYTES_DETECTORS, TREE_DETECTORS
from plugseal.scan.detectors.tool_lists import RECORDED_IN, recorded_lists
from plugseal.scan.matching.hit import Hit, Lines, build_finding, sort_findings
from plugseal.scan.matching.values import fits_name

_KINDS = {"file": "file", "directory": "directory", "symlink": "link", "other": "other"}


def match_tree(rules: RuleSet, tree: Tree) -> list[Finding]:
    """Return the findings about names, kinds and links in a tree."""
    found: list[Finding] = []
    faults: dict[str, list[str]] = {}
    for fault in tree.faults:
        faults.setdefault(fault.path, []).append(fault.code)
    for rule in _file_rules(rules):
        if rule.detector in TREE_DETECTORS:
            hits = TREE_DETECTORS[rule.detector](tree)
            found += [build_finding(rule, Hit(note=hit.note, object=hit.object), hit.file, _no_lines) for hit in hits]
        elif rule.matches:
            found += [
                build_finding(rule, Hit(note=rule.note, object=entry.path), entry.path, _no_lines)
                for entry in tree.entries
                if _fires(rule, entry, faults.get(entry.path, []))
            ]
    return sort_findings(found)


def match_text(rules: RuleSet, file: str, data: bytes, language: str, lines: Lines) -> list[Finding]:
    """Return the findings in the bytes of one file, whatever its language.

    Args:
        rules: the set.
        file: path below the scanned root.
        data: all its bytes.
        language: as it was classified.
        lines: source lines for the evidence.
    """
    found: list[Finding] = []
    for rule in _byte_rules(rules):
        for hit in BYTES_DETECTORS[rule.detector](file, data, language):
            found.append(build_finding(rule, hit, file, lines))
    if language in RECORDED_IN and recorded_lists(file, data, language):
        from plugseal.scan.matching.match_recorded import match_recorded  # loads the patterns of prose

        found += match_recorded(rules, file, data, language, lines)
    return sort_findings(found) if found else found


def _fires(rule: Rule, entry: Entry, faults: list[str]) -> bool:
    if not any(_holds(clause, entry, faults) for clause in rule.matches):
        return False
    return not any(_holds(clause, entry, faults) for clause in rule.unless)


def _holds(clause: Clause, entry: Entry, faults: list[str]) -> bool:
    """Say whether everything that a table asks holds of an entry."""
    for word, test in clause.names:
        values = {"path": [entry.path], "kind": [_KINDS[entry.kind.value]], "fault": faults}[word]
        if not any(fits_name(test, value) for value in values):
            return False
    return True


def _no_lines(_: int) -> tuple[str, ...]:
    return ()


@lru_cache(maxsize=8)
def _file_rules(rules: RuleSet) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules.rules if "file" in rule.languages and rule.detector not in BYTES_DETECTORS)


@lru_cache(maxsize=8)
def _byte_rules(rules: RuleSet) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules.rules if rule.detector in BYTES_DETECTORS)

"""Run a rule's example through the whole scanner, on a tree that exists in memory only.

Python examples are one file; manifest examples name theirs by `file`; `file` examples without one list entries, each
line `path`, `path -> target` for a link, or `path (code)` for an entry with a fault. Further files stand in `more`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final

from plugseal.model.finding import Finding
from plugseal.model.tree import Entry, EntryKind, Fault, Tree
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.rules.examples import Marked, parse_marks
from plugseal.rules.rule import Example, Rule, RuleSet
from plugseal.scan.inventory import build_inventory
from plugseal.scan.scanner import Scanner
from plugseal.scan.workers.on_demand import WorkersOnDemand

_FILES: Final = {
    "python": "example.py",
    "javascript": "example.js",
    "typescript": "example.ts",
    "prose": "SKILL.md",
    "shell": "example.sh",
    "ruby": "example.rb",
    "perl": "example.pl",
    "php": "example.php",
    "lua": "example.lua",
}
"""What the file of an example is called that names none, by the language of its rule."""
_ENTRY: Final = lazy(r"(?P<path>.+?)(?: -> (?P<target>.+)| \((?P<fault>[a-z0-9-]+)\))?", re.DOTALL)


class Fired(NamedTuple):
    """A place where a rule fired or should fire, in an example."""

    file: str
    line: int
    """1-based within the example's text; 1 for what is about a whole file."""
    rule: str


class Outcome(NamedTuple):
    """What came of one example."""

    missing: tuple[Fired, ...]
    """Marked, but silent."""
    surplus: tuple[Fired, ...]
    """The rule itself fired where no mark is."""
    findings: tuple[Finding, ...]
    """All of them, other rules' too."""


def try_example(rules: RuleSet, rule: Rule, example: Example) -> Outcome:
    """Return what comes of one example under a whole set of rules.

    Args:
        rules: the set, which holds the rule.
        rule: the one that the example belongs to; only its marks are complete, those of others in the set must hold.
        example: the text with its marks.
    """
    sources = _sources(rule, example)
    listing = sources.pop("", None)
    entries = {path: _file_entry(path, marked.text) for path, marked in sources.items()}
    faults: list[Fault] = []
    expected = {Fired(path, line, name) for path, marked in sources.items() for line, name in marked.expected}
    lines: dict[str, int] = {}
    if listing is not None:
        lines, listed, faults = _listed(listing)
        entries.update(listed)
        expected |= {
            Fired(path, line, name) for path, at in lines.items() for line, name in listing.expected if at == line
        }
    entries.update({folder: Entry(folder, EntryKind.DIRECTORY, 0, False, None) for folder in _folders(entries)})
    data = {path: marked.text.encode("utf-8", "surrogatepass") for path, marked in sources.items()}
    findings = _scan(rules, tuple(entries[path] for path in sorted(entries)), tuple(faults), data)
    fired = {Fired(f.file, lines.get(f.file, max(1, f.span.line)), f.rule) for f in findings}
    expected = {one for one in expected if rules.by_id(one.rule) is not None}
    surplus = {one for one in fired - expected if one.rule == rule.id}
    return Outcome(tuple(sorted(expected - fired)), tuple(sorted(surplus)), findings)


def _sources(rule: Rule, example: Example) -> dict[str, Marked]:
    """Return the example's texts by path; the listing of entries under the empty path."""
    file = example.file or next((_FILES[one] for one in rule.languages if one in _FILES), "")
    texts = {file: example.code, **dict(example.more)}
    return {path: parse_marks(text) for path, text in texts.items()}


def _scan(
    rules: RuleSet, entries: tuple[Entry, ...], faults: tuple[Fault, ...], data: Mapping[str, bytes]
) -> tuple[Finding, ...]:
    with WorkersOnDemand() as workers:
        scanner = Scanner(rules, workers)
        scanner.begin(entries)
        for entry in entries:
            if entry.path in data:
                scanner.visit(entry, data[entry.path], "")
        return build_inventory(scanner, Tree("example", entries, faults, ()), "example").findings


def _folders(paths: Iterable[str]) -> set[str]:
    """Return every folder above some paths."""
    parts = [path.split("/")[:-1] for path in paths]
    return {"/".join(folder[:depth]) for folder in parts for depth in range(1, len(folder) + 1)}


def _file_entry(path: str, text: str) -> Entry:
    data = text.encode("utf-8", "surrogatepass")
    return Entry(path, EntryKind.FILE, len(data), False, hashlib.sha256(data).hexdigest())


def _listed(listing: Marked) -> tuple[dict[str, int], dict[str, Entry], list[Fault]]:
    """Return the lines, entries and faults of a listing by path."""
    lines: dict[str, int] = {}
    entries: dict[str, Entry] = {}
    faults: list[Fault] = []
    for number, line in enumerate(listing.text.split("\n"), 1):
        found = _ENTRY.fullmatch(line.strip(" "))
        if found is None:
            continue
        path, target, fault = found["path"], found["target"], found["fault"] or (found["target"] and "symlink")
        lines[path] = number
        kind = EntryKind.FILE if target is None else EntryKind.SYMLINK
        entries[path] = Entry(path, kind, 0, False, None if target else "0" * 64, target)
        if fault:
            faults.append(Fault(path, fault, "as listed"))
    return lines, entries, faults

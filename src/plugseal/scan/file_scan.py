"""Scan the bytes of one file: read it by its language, match the rules, say why it was not read.

Law: what `FileScan` returns depends on the rules, the tree's own module names and the arguments alone; the order of
files and the process that scans them change nothing.
"""

from __future__ import annotations

from typing import Final

from plugseal.errors import DataError
from plugseal.lang.classify import DATA_LANGUAGES, READ, UNREAD, Verdict
from plugseal.lang.disguised_data import disguise_of
from plugseal.lang.encodings import as_utf8
from plugseal.lang.facts import Context, FileFacts, Nested
from plugseal.lang.surfaces import is_surface
from plugseal.lang.textkinds import READABLE
from plugseal.model.capability import Fact, fact_order
from plugseal.model.finding import Finding
from plugseal.model.location import WHOLE_FILE
from plugseal.records import NamedTuple
from plugseal.rules.rule import RuleSet
from plugseal.scan.analyse import analyse
from plugseal.scan.data import read_data
from plugseal.scan.detectors.tools_in_code import ADDRESSED_IN
from plugseal.scan.git_files import judge_git_file
from plugseal.scan.instructed import OBEYED
from plugseal.scan.kept.outcome import Outcome
from plugseal.scan.matching.index import build_interest
from plugseal.scan.matching.match import match_file
from plugseal.scan.matching.match_addressed import match_addressed
from plugseal.scan.matching.match_tree import match_text
from plugseal.scan.sources import SourceLines
from plugseal.scan.workers.on_demand import WorkersOnDemand

_CHANNELS: Final = {
    "Markdown": "prose",
    OBEYED: "prose",
    "plain text": "prose",
    "text": "prose",
    "shell": "shell",
    "native": "binary",
    "archive": "binary",
    "binary": "binary",
    "json": "manifest",
    "toml": "manifest",
    "yaml": "manifest",
}


class TextsRead(NamedTuple):
    """What was read in the texts inside one file."""

    facts: set[Fact]
    findings: list[Finding]
    reason: str
    """Why one of them was not read: that of the first; empty where all were."""


class FileScan:
    """Scan files under one set of rules, one by one, as parts of one tree."""

    def __init__(self, rules: RuleSet, workers: WorkersOnDemand) -> None:
        """Prepare without reading anything.

        Args:
            rules: what to ask.
            workers: where large and odd files are read.
        """
        self._rules = rules
        self._workers = workers
        self._interest = build_interest(rules)
        self.local_modules: frozenset[str] = frozenset()
        """Top-level names of the tree's own Python modules."""

    @property
    def reads_elsewhere(self) -> int:
        """Return how many texts other processes have read, which keep to themselves what they ask for."""
        return self._workers.count

    def scan_file(self, path: str, data: bytes, verdict: Verdict, *, language: str) -> Outcome:
        """Return all that one file of the tree contributes.

        Args:
            path: below the scanned root.
            data: all its bytes.
            verdict: what `classify` says of it.
            language: whose reader reads it, where one does.
        """
        lines = SourceLines(data)
        outcome = self.scan_content(path, data, verdict, language=language, lines=lines)
        matched = match_text(self._rules, path, data, verdict.language, lines)
        if verdict.action == READ and language in ADDRESSED_IN:
            matched = [*matched, *match_addressed(self._rules, path, data, language, lines)]
        return outcome._replace(findings=(*outcome.findings, *matched)) if matched else outcome

    def scan_content(
        self, path: str, data: bytes, verdict: Verdict, *, language: str, lines: SourceLines | None = None
    ) -> Outcome:
        """Return what `scan_file` does, without the rules about bytes."""
        if verdict.action == READ:
            return self._read(path, data, language, SourceLines(data) if lines is None else lines)
        if verdict.action != UNREAD:
            return Outcome()
        why = judge_git_file(path, data)
        return Outcome(unread=why) if why is not None else _account_unread(path, data, verdict)

    def scan_texts(self, path: str, facts: FileFacts, lines: SourceLines) -> TextsRead:
        """Return what is found in the texts inside a file: lines for a shell, code of other languages, fences."""
        from plugseal.scan.nested import is_about_behaviour, is_about_its_place, is_shown_only, read_nested

        context = Context(path, self._interest, self.local_modules)
        gathered: set[Fact] = set()  # A file may hold thousands of texts: its facts are gathered once.
        findings: list[Finding] = []
        reason = ""
        for nested, found in read_nested(facts, context, workers=self._workers):
            reason = reason or found.reason
            gathered.update(found.facts)
            matched = match_file(self._rules, path, found, lines)
            matched = [finding for finding in matched if is_about_its_place(finding, facts.language, nested.how)]
            findings.extend(filter(is_about_behaviour, matched) if is_shown_only(nested) else matched)
        return TextsRead(gathered, findings, reason)

    def _read(self, path: str, data: bytes, language: str, lines: SourceLines) -> Outcome:
        if language in DATA_LANGUAGES:
            outcome, is_document = _read_data(path, data, language)
            return outcome if is_document else self._as_program(path, data, lines, outcome)
        if language != "python":  # Its reader says of each coding what the interpreter makes of it.
            data = as_utf8(data)
        facts = analyse(language, data, Context(path, self._interest, self.local_modules), workers=self._workers)
        findings = match_file(self._rules, path, facts, lines) if facts.events or facts.facts else []
        outcome = Outcome(facts.facts, tuple(findings), facts.reason, "", _linkable(facts), _calling(facts))
        if not facts.nested:
            return outcome
        texts = self.scan_texts(path, facts, lines)
        return outcome._replace(
            facts=tuple(sorted({*facts.facts, *texts.facts}, key=fact_order)),
            findings=(*findings, *texts.findings),
            unread=facts.reason or texts.reason,
        )

    def _as_program(self, path: str, data: bytes, lines: SourceLines, refused: Outcome) -> Outcome:
        """Return what a file that is no document says as the program that it is, if it is one."""
        from plugseal.lang.sniff import program_language  # few documents are none

        language = program_language(as_utf8(data))
        if language not in READABLE:
            return refused
        return self._read(path, data, language, lines)._replace(unread=refused.unread)


def manifest_texts(texts: tuple[Nested, ...]) -> FileFacts:
    """Return the code that a manifest holds as the facts of a file."""
    return FileFacts("manifest", "read", nested=texts)


def _linkable(facts: FileFacts) -> FileFacts | None:
    if not facts.pending and not facts.exports:
        return None
    return FileFacts(facts.language, "read", pending=facts.pending, exports=facts.exports)


def _calling(facts: FileFacts) -> FileFacts | None:
    if not facts.functions:
        return None  # Whatever it does, it does when it is loaded.
    return FileFacts(facts.language, "read", entries=facts.entries, functions=facts.functions, calls=facts.calls)


def _read_data(path: str, data: bytes, language: str) -> tuple[Outcome, bool]:
    """Return what a document contributes, and whether it is one that is more than a single text."""
    facts = _disguise(path, data)
    try:
        is_document = read_data(data, language)
    except DataError as error:
        at = f" (line {error.line})" if error.line else ""
        return Outcome(facts, unread=f"not valid {language.upper()}: {error.message}{at}"), False
    return Outcome(facts), is_document


def _disguise(path: str, data: bytes) -> tuple[Fact, ...]:
    """Return the fact that a document of settings hides what it says, if it does."""
    if not is_surface(path) or (data.isascii() and b"\\" not in data):
        return ()
    span = disguise_of(data)
    return () if span is None else (Fact(span, "code.obfuscated", None, "direct", "manifest", "unknown"),)


def _account_unread(path: str, data: bytes, verdict: Verdict) -> Outcome:
    facts = _disguise(path, data) if verdict.language in DATA_LANGUAGES else ()
    if verdict.is_native:
        from plugseal.lang.native.imports import imported_facts  # few trees hold any

        fact = Fact(WHOLE_FILE, "code.native", path, "direct", "binary", "unknown")
        facts = tuple(sorted({fact, *imported_facts(data)}, key=fact_order))
    return Outcome(facts, unread=verdict.reason, channel=_CHANNELS.get(verdict.language, ""))

"""Look at every file of a tree once, and account for each: read by a reader, inert by content, or unread.

The scanner is a `Visitor`: intake hands it bytes, it keeps facts and drops the bytes. It opens nothing, runs nothing
of the tree, obeys nothing in it. What a crash of a parser costs is that one file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from plugseal.errors import DataError
from plugseal.lang.classify import DATA_LANGUAGES, READ, UNREAD, Verdict, classify
from plugseal.lang.encodings import as_utf8
from plugseal.lang.facts import Context, FileFacts, Interest, Nested
from plugseal.model.capability import Fact
from plugseal.model.factlog import FactLog
from plugseal.model.finding import Finding
from plugseal.model.inside import Unpack
from plugseal.model.location import WHOLE_FILE
from plugseal.model.origin import Origin
from plugseal.model.tree import Entry
from plugseal.rules.rule import RuleSet
from plugseal.scan.analyse import analyse
from plugseal.scan.archives import Archives, begins_with_line, has_archive_behind
from plugseal.scan.data import read_data
from plugseal.scan.discover import Keeper
from plugseal.scan.git_files import judge_git_file
from plugseal.scan.instructed import OBEYED, Instructed
from plugseal.scan.linkable import Linkables
from plugseal.scan.match import build_interest, match_file
from plugseal.scan.match_tree import match_text
from plugseal.scan.modules import local_modules
from plugseal.scan.on_demand import WorkersOnDemand
from plugseal.scan.sources import SourceLines

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


class Scanner:
    """Collect what a tree's files can do; `scan.inventory.build_inventory` makes the result of it."""

    def __init__(
        self,
        rules: RuleSet,
        workers: WorkersOnDemand,
        origin: Origin | None = None,
        *,
        asks_hosts: bool = True,
        unpack: Unpack | None = None,
    ) -> None:
        """Begin without anything.

        Args:
            rules: what to ask.
            workers: where large and odd files are read.
            origin: where the scanned root comes from.
            asks_hosts: as `Listing.asks_hosts`.
            unpack: how archives inside the tree are unpacked; without it they stay unread.
        """
        self.rules = rules
        self.facts = FactLog()
        self.findings: list[Finding] = []
        self.unread: dict[str, str] = {}
        """File to reason."""
        self.half_read: dict[str, str] = {}
        """Manifest to what of the code inside it could not be read."""
        self.channels: dict[str, str] = {}
        """The channel of what is unread, where it is not `code`."""
        self.origin = Origin() if origin is None else origin
        """Where the scanned root comes from."""
        self.keeper = Keeper(self.origin.anchor, asks_hosts=asks_hosts)
        """The manifests that systems asked for."""
        self.linkables = Linkables()
        """Python files whose names other files may use, or that use names of others."""
        self._workers = workers
        self._interest: Interest = build_interest(rules)
        self._local: frozenset[str] = frozenset()
        self._instructed = Instructed()
        self._archives = Archives(unpack)
        self._is_inside = False
        """Whether the file at hand lies in an archive, where no module is looked for."""

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing: which modules are the tree's own."""
        self._local = local_modules(entries)
        self._instructed = Instructed(entries)
        self.keeper.begin(entries)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Take one file."""
        path = entry.path
        if data is None:
            self._leave_unread(path, reason or "could not be read")
            return
        self.keeper.visit(entry, data, reason)
        self._look(path, data)

    def _look(self, path: str, data: bytes) -> None:
        """Take the bytes of one file, of the tree or of an archive in it."""
        lines = SourceLines(data)
        verdict = classify(path, data)
        if verdict.action == READ:
            self._read(path, data, self._instructed.reader_for(path, verdict.language), lines)
        elif verdict.action == UNREAD and (why := judge_git_file(path, data)) is not None:
            if why:
                self._leave_unread(path, why)
        elif verdict.action == UNREAD:
            self._account_unread(path, data, verdict)
        self.findings.extend(match_text(self.rules, path, data, verdict.language, lines))
        if verdict.language == "archive" or has_archive_behind(data):
            self._look_inside(path, data, verdict)

    def _look_inside(self, path: str, data: bytes, verdict: Verdict) -> None:
        """Take the files of an archive; where all of it could be unpacked, it is itself no longer unread."""
        found = self._archives.look_inside(path, data)
        if found is None:
            return
        files, reason = found
        was_inside, self._is_inside = self._is_inside, True
        for file in files:
            if file.reason or file.data is None:
                self._leave_unread(file.path, file.reason)
            if file.data is not None:
                self._look(file.path, file.data)
        self._is_inside = was_inside
        if reason:
            self._leave_unread(path, f"{verdict.reason or 'archive'}: {reason}")
        elif verdict.language == "archive" or begins_with_line(data):
            self.unread.pop(path, None)

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        """Take a file that lies outside of the tree: a setting or a hook of the root's `.git`."""
        if data is None:
            self._leave_unread(path, reason)
            return
        self.keeper.aside(path, data, reason)
        verdict = classify(path, data)
        if "/hooks/" in path and verdict.action == READ:
            self._read(path, data, verdict.language, SourceLines(data))
        elif "/hooks/" in path and verdict.action == UNREAD:
            self._account_unread(path, data, verdict)

    def _read(self, path: str, data: bytes, language: str, lines: SourceLines) -> None:
        if language in DATA_LANGUAGES:
            self._read_data(path, data, language)
            return
        if language != "python":  # Its reader says of each coding what the interpreter makes of it.
            data = as_utf8(data)
        facts = analyse(language, data, Context(path, self._interest, self._local), workers=self._workers)
        if facts.reason:
            self._leave_unread(path, facts.reason)
        if facts.facts:
            self.facts.add(path, facts.facts)
        if facts.events or facts.facts:
            self.findings.extend(match_file(self.rules, path, facts, lines))
        if (facts.pending or facts.exports) and not self._is_inside:
            self.linkables.put(path, facts, data)
        if facts.nested:
            self._read_nested(path, facts, lines)

    def _read_nested(self, path: str, facts: FileFacts, lines: SourceLines) -> None:
        from plugseal.scan.nested import is_about_behaviour, is_shown_only, read_nested

        context = Context(path, self._interest, self._local)
        gathered: set[Fact] = set()  # A file may hold thousands of texts: its facts are packed once.
        for nested, found in read_nested(facts, context, workers=self._workers):
            if found.reason:
                self.unread.setdefault(path, found.reason)
            gathered.update(found.facts)
            findings = match_file(self.rules, path, found, lines)
            self.findings.extend(filter(is_about_behaviour, findings) if is_shown_only(nested) else findings)
        self.facts.add(path, gathered)

    def read_texts(self, path: str, texts: tuple[Nested, ...], lines: SourceLines) -> None:
        """Read the code that a manifest holds; what can't be read of it leaves the manifest unread, whoever knows it.

        Args:
            path: of the manifest.
            texts: what stands in it.
            lines: of the manifest.
        """
        from plugseal.scan.nested import read_nested

        context = Context(path, self._interest, self._local)
        gathered: set[Fact] = set()
        for _, found in read_nested(FileFacts("manifest", "read", nested=texts), context, workers=self._workers):
            if found.reason:
                self.half_read.setdefault(path, found.reason)
            gathered.update(found.facts)
            self.findings.extend(match_file(self.rules, path, found, lines))
        self.facts.add(path, gathered)

    def _read_data(self, path: str, data: bytes, language: str) -> None:
        try:
            read_data(data, language)
        except DataError as error:
            at = f" (line {error.line})" if error.line else ""
            self._leave_unread(path, f"not valid {language.upper()}: {error.message}{at}")

    def _account_unread(self, path: str, data: bytes, verdict: Verdict) -> None:
        if verdict.is_native:
            from plugseal.lang.native.imports import imported_facts  # few trees hold any

            fact = Fact(WHOLE_FILE, "code.native", path, "direct", "binary", "unknown")
            self.facts.add(path, [fact, *imported_facts(data)])
        if verdict.language in _CHANNELS:
            self.channels[path] = _CHANNELS[verdict.language]
        self._leave_unread(path, verdict.reason)

    def _leave_unread(self, path: str, reason: str) -> None:
        self.unread[path] = reason

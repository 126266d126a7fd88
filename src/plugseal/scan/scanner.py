"""Look at every file of a tree once, and account for each: read by a reader, inert by content, or unread.

The scanner is a `Visitor`: intake hands it bytes, it keeps facts and drops the bytes. It opens nothing, runs nothing
of the tree, obeys nothing in it. What a crash of a parser costs is that one file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from plugseal.lang.classify import CONFIGURATION, Verdict, classify
from plugseal.lang.facts import Nested
from plugseal.model.capability import Fact
from plugseal.model.factlog import FactLog
from plugseal.model.finding import Finding
from plugseal.model.inside import Unpack
from plugseal.model.origin import Origin
from plugseal.model.tree import Entry
from plugseal.rules.rule import RuleSet
from plugseal.scan.archives import Archives, begins_with_line, has_archive_behind
from plugseal.scan.discover import Keeper
from plugseal.scan.file_scan import FileScan, manifest_texts
from plugseal.scan.instructed import Instructed
from plugseal.scan.kept.outcome import Outcome
from plugseal.scan.linking.callings import Callings
from plugseal.scan.linking.climbing import split_climbs
from plugseal.scan.linking.covered import GIT
from plugseal.scan.linking.linkable import Linkables
from plugseal.scan.linking.modules import AskedModules, local_modules
from plugseal.scan.linking.unstarted import Told
from plugseal.scan.sources import SourceLines
from plugseal.scan.workers.job import Job, Looked
from plugseal.scan.workers.on_demand import WorkersOnDemand

if TYPE_CHECKING:
    from plugseal.scan.kept.cache import FileCache
    from plugseal.scan.workers.pool import Pool

MIN_FILE_BYTES: Final = 256
"""Smaller files are read faster than a cache is asked for them."""
_INSIDE: Final = "configuration inside an archive: what it is for is known once the archive is unpacked and scanned"
_NO_POINTER: Final = "stands in the place of git's folder and is no file of git's: no receipt covers it"


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
        self.climbs: dict[str, list[Fact]] = {}
        """Paths that climb, by which files load modules: facts where they leave a plugin."""
        self.callings = Callings()
        """Which functions of a file call which, for call paths."""
        self.linkables = Linkables()
        """Python files whose names other files may use, or that use names of others."""
        self.told = Told()
        """Which programs are named outside of programs."""
        self._file_scan = FileScan(rules, workers)
        self._cache: FileCache | None = None
        self._pool: Pool | None = None
        self._modules = AskedModules()
        self._instructed = Instructed()
        self._archives = Archives(unpack)
        self._is_inside = False
        """Whether the file at hand lies in an archive, where no module is looked for."""

    def use_cache(self, cache: FileCache) -> None:
        """Take from a cache what earlier scans found in the same files; call it before `begin`."""
        self._cache = cache

    def use_processes(self, size: int) -> Pool:
        """Return a pool of processes that scan files for this scanner; call it before `begin`."""
        from plugseal.scan.workers.pool import Pool

        self._pool = Pool(size, self._look_at, self._done)
        return self._pool

    def begin(self, entries: Sequence[Entry]) -> None:
        """Take the listing: from it follows which modules are the tree's own, and which texts are instructions."""
        self._file_scan.local_modules = modules = local_modules(entries)
        if self._cache is not None:
            self._file_scan.local_modules = self._modules = AskedModules(modules)
            self._cache.begin(modules)
        self._instructed = Instructed(entries)
        self.told = Told(entries)
        self.keeper.begin(entries)

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        """Take one file of the tree: its bytes, or why there are none."""
        path = entry.path
        if data is None:
            self._leave_unread(path, reason or "could not be read")
            return
        self.keeper.visit(entry, data, reason)
        self.told.visit(path, data, is_obeyed=self._instructed.is_obeyed(path))
        self._look(path, data, digest=entry.digest)

    def _look(self, path: str, data: bytes, *, digest: str | None = None) -> None:
        """Scan one file of the tree or of an archive in it: here, in the pool, or by what the cache knows."""
        verdict = classify(path, data)
        language = self._instructed.reader_for(path, verdict.language)
        job = Job(path, data, verdict, language, digest or "")
        is_archive = verdict.language == "archive" or has_archive_behind(data)
        pool = self._pool
        if pool is None or is_archive or self._is_inside:
            if pool is not None and is_archive and not self._is_inside:
                pool.drain()  # What archives hold counts against bounds, in the order of files.
            self._done(job, self._known(job) or self._look_at(job))
        elif (known := self._known(job)) is not None:
            pool.known(job, known)
        elif len(data) < MIN_FILE_BYTES:
            pool.known(job, self._look_at(job))
        else:
            pool.look(job)
        if is_archive:
            self._look_inside(path, data, verdict)

    def _known(self, job: Job) -> Looked | None:
        """Return what an earlier scan found in a file, None where that is not known."""
        if self._cache is None or not job.digest or len(job.data) < MIN_FILE_BYTES:
            return None
        outcome = self._cache.get(self._cache.key(job.digest, job.path, job.language), job.path)
        return None if outcome is None else Looked(outcome, is_new=False)

    def _look_at(self, job: Job) -> Looked:
        """Return what a file contributes, and which modules its reader asked for."""
        before = self._file_scan.reads_elsewhere
        self._modules.asked.clear()
        outcome = self._file_scan.scan_file(job.path, job.data, job.verdict, language=job.language)
        asked = dict(self._modules.asked) if self._file_scan.reads_elsewhere == before else None
        return Looked(outcome, asked)

    def _done(self, job: Job, looked: Looked) -> None:
        """Keep what came of a file, for this scan and in the cache for later ones."""
        is_worth_it = looked.is_new and job.digest and len(job.data) >= MIN_FILE_BYTES
        if self._cache is not None and is_worth_it:
            self._cache.put(self._cache.key(job.digest, job.path, job.language), looked.outcome, looked.asked)
        self._take(job.path, job.data, looked.outcome)

    def finish(self) -> None:
        """Wait until the pool has no file any more."""
        if self._pool is not None:
            self._pool.drain()

    def _take(self, path: str, data: bytes, outcome: Outcome) -> None:
        """Keep what one file contributes."""
        if outcome.channel:
            self.channels[path] = outcome.channel
        if outcome.unread:
            is_inner = self._is_inside and outcome.unread == CONFIGURATION
            self._leave_unread(path, _INSIDE if is_inner else outcome.unread)
        if outcome.facts:
            self._keep(path, outcome.facts)
        self.findings.extend(outcome.findings)
        if outcome.linkable is not None and not self._is_inside:
            self.linkables.put(path, outcome.linkable, data)
        if outcome.calling is not None and not self._is_inside:
            self.callings.put(path, outcome.calling)

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
        self.finish()
        is_other = path == GIT and not _is_pointer(data)
        if "/hooks/" in path or is_other:
            verdict = classify(path, data)
            self._take(path, data, self._file_scan.scan_content(path, data, verdict, language=verdict.language))
        if is_other:
            self._leave_unread(path, _NO_POINTER)

    def read_texts(self, path: str, texts: tuple[Nested, ...], lines: SourceLines) -> None:
        """Read the code that a manifest holds; what can't be read of it leaves the manifest unread.

        Args:
            path: of the manifest.
            texts: what stands in it.
            lines: of the manifest.
        """
        found = self._file_scan.scan_texts(path, manifest_texts(texts), lines)
        if found.reason:
            self.half_read.setdefault(path, found.reason)
        self._keep(path, found.facts)
        self.findings.extend(found.findings)

    def _keep(self, path: str, facts: Iterable[Fact]) -> None:
        """Keep the facts of a file, and its climbing paths until it is known which plugin holds it."""
        plain, climbs = split_climbs(facts)
        self.facts.add(path, plain)
        if climbs and not self._is_inside:
            self.climbs.setdefault(path, []).extend(climbs)

    def _leave_unread(self, path: str, reason: str) -> None:
        self.unread[path] = reason


def _is_pointer(data: bytes) -> bool:
    from plugseal.systems.repository.git import is_pointer  # only where a `.git` is a file

    return is_pointer(data)

"""Load plugins behind the gate: a process each, by the rules of loading, and out again when its permission is gone.

A plugin that can't be loaded is a warning, never the end of the host. Of two with one name the second is skipped. What
a plugin contributes beyond its review is dropped, where the review could tell all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from plugseal.errors import PlugsealError, RefusedError
from plugseal.records import NamedTuple
from plugseal.runtime.amness.description import Described, Description, Item, parse_description
from plugseal.runtime.amness.loaded import Loaded
from plugseal.runtime.amness.protocol import Process
from plugseal.runtime.amness.reviewed import parse_reviewed
from plugseal.runtime.approved import Approved, Document
from plugseal.runtime.exchange import Exchange
from plugseal.runtime.limits import Limits
from plugseal.runtime.supervise import Session, Supervisor

_STATUS: Final = "contributions"
_READ: Final = '"read"'


class Candidate(NamedTuple):
    """A plugin that is to be loaded."""

    id: str
    """Of its record."""
    component: str
    """`module:name`."""
    file: str
    """Its name in the folder of plugins; hostile text."""
    scope: str
    """`user` or `project`."""


class Skipped(NamedTuple):
    """A plugin file that is not loaded."""

    file: str
    scope: str
    reason: str
    """Hostile text inside."""
    hint: str = ""
    """What to type."""


class _Running(NamedTuple):
    loaded: Loaded
    session: Session
    exchange: Exchange
    process: Process
    stack: ExitStack


class Loader:
    """Hold the processes of loaded plugins."""

    def __init__(self, supervisor: Supervisor, *, cwd: Path, tell: Callable[[str], None], limits: Limits) -> None:
        """Prepare; nothing is started yet.

        Args:
            supervisor: the only door to a process.
            cwd: the working folder.
            tell: told what plugins print, and what is wrong with their lines.
            limits: of what is started.
        """
        self._supervisor = supervisor
        self._cwd = cwd
        self._tell = tell
        self._limits = limits
        self._running: list[_Running] = []

    @property
    def plugins(self) -> tuple[Loaded, ...]:
        """Return the loaded plugins, in load order."""
        return tuple(one.loaded for one in self._running)

    def load(self, candidates: Sequence[Candidate]) -> tuple[list[Skipped], list[str]]:
        """Load plugins in order, and return those that were skipped, and warnings about parts of the others."""
        skipped: list[Skipped] = []
        warnings: list[str] = []
        for candidate in candidates:
            try:
                reason, parts = self._load(candidate)
            except PlugsealError as error:
                reason, parts = error.message, ()
                skipped.append(Skipped(candidate.file, candidate.scope, reason, error.hint or ""))
                continue
            if reason:
                skipped.append(Skipped(candidate.file, candidate.scope, reason))
            warnings += [f"plugin {candidate.file}: {part}" for part in parts]
        return skipped, warnings

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Take out at once, with all of its processes, a plugin whose permission is found gone within the block."""
        try:
            yield
        except RefusedError:
            self.drop_refused()
            raise

    def descriptors(self) -> list[int]:
        """Return what to wait for while nothing is called."""
        found: list[int] = []
        for one in self._running:
            if one.process.is_ended:
                continue
            if not one.process.is_busy:
                found += one.exchange.descriptors()[0]
            elif one.session.watch.descriptor is not None:
                found.append(one.session.watch.descriptor)
        return found

    def look(self) -> list[tuple[Loaded, str]]:
        """Look after all processes while nothing is called of them; return plugins that were ended, and why.

        Raises:
            RefusedError: the permission of one was taken that is being called.
        """
        ended = []
        for one in list(self._running):
            if one.process.is_busy:
                if one.session.watch.changed():
                    one.exchange.verify()
                continue
            why = self._problem(one)
            if not why:
                continue
            self._running.remove(one)
            one.stack.close()
            ended.append((one.loaded, why))
        return ended

    def _problem(self, one: _Running) -> str:
        """Return why a plugin that is not being called can't go on, empty where it can."""
        if one.process.is_ended:
            return "its process ended"
        try:
            if any(one.process.overhear(line) for line in one.exchange.take()):
                return "its process ended"
        except PlugsealError as error:
            return error.message
        return "its process ended" if one.exchange.is_ended or one.process.is_ended else ""

    def drop_refused(self) -> None:
        """End the processes of plugins whose permission was taken."""
        for one in [one for one in self._running if one.session.refusal is not None]:
            self._running.remove(one)
            one.stack.close()

    @property
    def is_busy(self) -> bool:
        """Say whether a call of a plugin waits for its answer."""
        return any(one.process.is_busy for one in self._running)

    def close(self) -> None:
        """End all processes."""
        while self._running:
            self._running.pop().stack.close()

    def _load(self, candidate: Candidate) -> tuple[str, tuple[str, ...]]:
        """Start and load one plugin; return why it is skipped, empty where it is not, and warnings."""
        with ExitStack() as stack:
            session = stack.enter_context(self._supervisor.spawn(candidate.id, candidate.component))
            exchange = Exchange(session, on_event=self._of(candidate.file), limits=self._limits)
            process = Process(exchange, tell=self._of(candidate.file))
            answer = process.call("load", {"cwd": str(self._cwd)})
            if answer.failed:
                return f"could not load: {answer.failed}", ()
            described = parse_description(answer.value)
            if described.description is not None:
                described = only_reviewed(described, session.grant.document, session.grant.component)
            description = described.description
            if description is None:
                return described.stops, ()
            if any(one.loaded.name == description.name for one in self._running):
                return f"another plugin has the name `{description.name}`", ()
            loaded = Loaded(
                id=candidate.id,
                file=candidate.file,
                scope=candidate.scope,
                description=description,
                process=process,
                reviewed=parse_reviewed(session.grant.document),
            )
            self._running.append(_Running(loaded, session, exchange, process, stack.pop_all()))
        return "", described.warnings

    def _of(self, file: str) -> Callable[[str], None]:
        return lambda text: self._tell(f"{file}: {text}")


def only_reviewed(described: Described, document: Document, module: Approved) -> Described:
    """Return a description without what the review does not know of, where the review knows everything.

    A name other than the reviewed one keeps the plugin from loading: it would stand for another.
    """
    description = described.description
    if description is None or dict(module.extra).get(_STATUS) != _READ:
        return described
    if description.name != document.name:
        return Described(None, f"it calls itself `{description.name}`, and was reviewed as `{document.name}`")
    known = {dict(component.extra).get("contributes", "") for component in document.components}
    dropped = [one for one in sorted(_parts(description)) if one not in known]
    if not dropped:
        return described
    kept = replace(
        description,
        functions=frozenset(one for one in description.functions if one in known),
        tools=_kept(description.tools, "tools", known),
        commands=_kept(description.commands, "commands", known),
        gates=_kept(description.gates, "gates", known),
        cases=_kept(description.cases, "cases", known),
    )
    return Described(kept, "", (*described.warnings, *(f"`{one}` was not reviewed: skipped" for one in dropped)))


def _parts(description: Description) -> Iterator[str]:
    yield from description.functions
    for field, items in (
        ("tools", description.tools),
        ("commands", description.commands),
        ("gates", description.gates),
        ("cases", description.cases),
    ):
        yield from (f"{field}.{item.name}" for item in items)


def _kept(items: tuple[Item, ...], field: str, known: set[str]) -> tuple[Item, ...]:
    return tuple(item for item in items if f"{field}.{item.name}" in known)

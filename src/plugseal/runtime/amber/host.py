"""Several amber plugins behind one gate: each started at the first call of one of its tools, and kept until it must go.

Nothing that goes wrong is thrown at who calls: it is an envelope. A plugin goes when it is switched off, revoked or
trusted anew, when its settings change, when it breaks the protocol, or when the host ends; what does not speak as
documented is unregistered until its permission is given anew.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

from plugseal.errors import PlugsealError, RefusedError, StateError, SupervisorError, UsageError
from plugseal.model.decision import Reason
from plugseal.model.trust import Subject
from plugseal.runtime.amber.confine import OutsideError, confine
from plugseal.runtime.amber.envelope import Envelope, failed
from plugseal.runtime.amber.manifest import Setting, Tool
from plugseal.runtime.amber.offered import Offer, Offered, Plugin, Rank, offered, read_enabled
from plugseal.runtime.amber.session import (
    LINE_SECONDS,
    SHUTDOWN_SECONDS,
    AmberSession,
    Attend,
    Event,
    IncompatibleError,
    PluginFailedError,
)
from plugseal.runtime.amber.settings import effective, read_overrides
from plugseal.runtime.supervise import Session, Supervisor
from plugseal.runtime.watch import Watch
from plugseal.trust.store import Store

COMPONENT: Final = "executable:main"
MAX_RUNNING: Final = 64
"""Plugins that run at the same time; for one more the one that was not used for longest is ended."""


@dataclass(frozen=True)
class _Running:
    """A started plugin and what it was started with."""

    plugin: Plugin
    settings: Mapping[str, Setting]
    session: AmberSession
    block: AbstractContextManager[Session]


class Host:
    """Offer the tools of enabled plugins; use as a context manager, which ends all that it started."""

    def __init__(
        self,
        store: Store,
        supervisor: Supervisor,
        *,
        name: Callable[[Subject], str],
        rank: Rank,
        workspace: str,
        on_event: Event,
        seconds: float = LINE_SECONDS,
    ) -> None:
        """Prepare without starting anything.

        Args:
            store: what was trusted.
            supervisor: who starts programs.
            name: from a subject to its ID.
            rank: where each plugin is found.
            workspace: its canonical path; paths among arguments stay in it.
            on_event: told what happens, and what plugins say beside their answers.
            seconds: how long a plugin may take to answer a call with a line.
        """
        self._store = store
        self._supervisor = supervisor
        self._name = name
        self._rank = rank
        self._workspace = workspace
        self._on_event = on_event
        self.seconds = seconds
        self._running: dict[Subject, _Running] = {}
        self._incompatible: dict[tuple[str, int], str] = {}
        """By the state of the record in which it showed."""
        self._watch = Watch(store.folder)
        self._told: set[tuple[str, str]] = set()
        self._offered = self._read()
        self._seen = _tools(self._offered)
        """What was offered when somebody last looked."""

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def offered(self) -> Offered:
        """Return what is offered now."""
        return self._offered

    def descriptors(self) -> list[int]:
        """Return what becomes readable when `look` has something to see."""
        own = [] if self._watch.descriptor is None else [self._watch.descriptor]
        return own + [number for one in self._running.values() for number in one.session.descriptors]

    def look(self) -> bool:
        """End what must go, and return whether other tools are offered than before."""
        is_changed = self._watch.changed()
        if is_changed:
            self._offered = self._read()
        for subject in list(self._running):
            # Nobody is told that a plugin is off before it is: looked at after what is offered was read, not before.
            self._look_at(subject, verify=is_changed)
        before, self._seen = self._seen, _tools(self._offered)
        return before != self._seen

    def call(self, name: str, arguments: Mapping[str, Any], attend: Attend | None = None) -> Envelope:
        """Return the result of one call; whatever goes wrong is in the envelope.

        Args:
            name: of the tool, as registered.
            arguments: as the model gave them.
            attend: asked now and then whether the call is still wanted.
        """
        try:
            if self._watch.changed():
                self._offered = self._read()
            offer = self._offered.tools.get(name)
            if offer is None:
                return failed(UsageError(f"there is no tool `{name}`{self._why_not(name)}"))
            closed = os.path.realpath(self._store.home)
            confined = confine(arguments, offer.tool.schema, self._workspace, closed=closed)
            return self._call(offer, confined, attend)
        except OutsideError as error:
            return failed(UsageError(f"the call was refused: {error}", hint=f"stay inside `{self._workspace}`"))
        except PlugsealError as error:
            return failed(error)
        except OSError as error:
            return failed(SupervisorError(f"the plugin can't be started: {error.strerror}"))

    def close(self) -> None:
        """End all that was started: each is told first, and has a second altogether."""
        running = list(self._running.values())
        for one in running:
            one.session.say_goodbye()
        end = time.monotonic() + SHUTDOWN_SECONDS
        for one in running:
            one.session.wait_for_end(end)
            self._leave(one)
        self._running.clear()
        self._watch.close()

    def _call(self, offer: Offer, arguments: Mapping[str, Any], attend: Attend | None) -> Envelope:
        subject = offer.plugin.record.subject

        def is_wanted() -> bool:
            for other in [other for other in self._running if other != subject]:
                self._look_at(other)
            return attend is None or attend()

        running = self._start(offer.plugin, is_wanted)
        try:
            return running.session.call(offer.tool.called, arguments, seconds=self.seconds, attend=is_wanted)
        except (RefusedError, SupervisorError, StateError) as error:
            self._end(subject, error)
            raise

    def _start(self, plugin: Plugin, attend: Attend) -> _Running:
        """Return the running plugin, started anew where what runs is of an older permission or older settings."""
        subject = plugin.record.subject
        settings = effective(plugin.declared.settings, read_overrides(self._store, subject))
        self._look_at(subject)
        running = self._running.get(subject)
        if running is not None:
            if running.plugin.state == plugin.state and running.settings == settings:
                self._running[subject] = self._running.pop(subject)  # the last that was used
                return running
            self._end(subject, None)
        if len(self._running) >= MAX_RUNNING:
            self._end(next(iter(self._running)), None)
        block = self._supervisor.spawn(self._name(subject), COMPONENT)
        session = AmberSession(block.__enter__(), on_event=self._teller(plugin))
        running = self._running[subject] = _Running(plugin, settings, session, block)
        try:
            if session.session.grant.state != plugin.state:
                raise _changed(self._name(subject))
            session.greet(settings, self._workspace, attend=attend)
        except IncompatibleError as error:
            self._incompatible[plugin.state] = error.message
            self._offered = self._read()
            self._end(subject, error)
            self._on_event(f"{plugin.declared.id} is incompatible and unregistered: {error.message}")
            raise PluginFailedError(f"the plugin is incompatible and was unregistered: {error.message}") from error
        except BaseException as error:
            self._end(subject, error)
            raise
        self._on_event(f"{plugin.declared.id} started {session.session.child.pid} from the staged copy")
        return running

    def _look_at(self, subject: Subject, *, verify: bool = False) -> None:
        """End a plugin that must go; called while it has nothing to do.

        Args:
            subject: whose.
            verify: whether its permission is looked at though nothing of its own record is known to have moved.
        """
        running = self._running.get(subject)
        if running is None:
            return
        try:
            running.session.look(verify=verify)
        except RefusedError as error:
            self._on_event(f"{running.plugin.declared.id} ended: {error.reason}")
            self._end(subject, error, gently=self._is_only_off(subject))
        except (SupervisorError, StateError) as error:
            self._on_event(f"{running.plugin.declared.id} ended: {error.message}")
            self._end(subject, error)

    def _is_only_off(self, subject: Subject) -> bool:
        """Say whether a plugin was switched off and is trusted as ever: then it is told to end, as documented."""
        try:
            record = self._store.read(subject)
        except StateError:
            return False
        running = self._running[subject].plugin.record.standing
        return record is not None and record.standing.trust is not None and record.standing.trust == running.trust

    def _end(self, subject: Subject, error: BaseException | None, *, gently: bool | None = None) -> None:
        """End one plugin and all below it.

        Args:
            subject: whose.
            error: why.
            gently: whether it is told first; by default where nothing is wrong with it.
        """
        running = self._running.pop(subject)
        if gently if gently is not None else error is None:
            running.session.say_goodbye()
            running.session.wait_for_end(time.monotonic() + SHUTDOWN_SECONDS)
        elif running.session.session.child.gone is None:
            # What does not answer, or not as documented, gets no chance to go on.
            running.session.session.child.end(at_once=True)
        if isinstance(error, SupervisorError):
            self._note(running, error.message.partition(":")[0])
        self._leave(running)

    def _note(self, running: _Running, why: str) -> None:
        """Write into the trail why a plugin was ended; none of its own words."""
        try:
            running.session.session.note("stopped", "", why)
        except StateError as error:
            self._on_event(f"the end of {running.plugin.declared.id} is not in the trail: {error.message}")

    def _leave(self, running: _Running) -> None:
        try:
            running.block.__exit__(None, None, None)
        except StateError as error:
            self._on_event(f"the end of {running.plugin.declared.id} is not in the trail: {error.message}")

    def _read(self) -> Offered:
        plugins, broken = read_enabled(self._store)
        found = offered(plugins, rank=self._rank, incompatible=self._why_incompatible)
        for what in (*broken, *found.left_out):
            if what not in self._told:
                self._told.add(what)
                self._on_event(f"not offered: {what[0]}: {what[1]}")
        return found

    def _why_incompatible(self, plugin: Plugin) -> str:
        return plugin.declared.problem or self._incompatible.get(plugin.state, "")

    def _why_not(self, name: str) -> str:
        known = dict(self._offered.left_out)
        plugin = next((what for what in known if name == what or name.startswith(f"plugin_{what}_")), None)
        return "" if plugin is None else f": `{plugin}` is not offered: {known[plugin]}"

    def _teller(self, plugin: Plugin) -> Event:
        return lambda text: self._on_event(f"{plugin.declared.id}: {text}")


def _tools(found: Offered) -> list[Tool]:
    return [offer.tool for offer in found.tools.values()]


def _changed(plugin: str) -> RefusedError:
    reason = Reason.REVOKED_MEANWHILE
    return RefusedError(reason.value, f"{plugin}: {reason.meaning}", hint=reason.hint.replace("{plugin}", plugin))

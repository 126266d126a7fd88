"""Run one granted component behind the gate, with its trail: the way that `plugseal run` and other harnesses take.

The order is the gate's promise: watch, authorize, plan, start, look again, and only then the first byte. Whatever the
end, it is in the trail; what can't be recorded is not started.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from plugseal.errors import RefusedError, SupervisorError
from plugseal.model.decision import Reason
from plugseal.model.policy import GatePolicy
from plugseal.model.trust import Actor, Subject
from plugseal.runtime import kernel
from plugseal.runtime.environment import find_wrapper, snapshot
from plugseal.runtime.gate import Gate
from plugseal.runtime.grant import Grant
from plugseal.runtime.limits import Limits
from plugseal.runtime.policies import load_policy, stamp_policies
from plugseal.runtime.policy_check import verify_not_denied, verify_policy
from plugseal.runtime.runs import RunTrail
from plugseal.runtime.watch import Watch
from plugseal.trust.files import open_folder
from plugseal.trust.store import Store, subject_key

if TYPE_CHECKING:  # what starts a program is loaded when one is
    from plugseal.runtime.child import Child
    from plugseal.runtime.hashed import Hashed
    from plugseal.runtime.plan import Places, Plan
    from plugseal.runtime.prefetch import Prefetch

_RUN: Final = "run"
_DATA: Final = "data"
Note = Callable[[str, str, str], None]
"""Records (event, reason, detail) in the trail."""
_HINT: Final = "unset it: what it loads runs in this process too"


class Held:
    """The permission for one component."""

    def __init__(self, grant: Grant, watch: Watch, *, verify: Callable[[], None], note: Note) -> None:
        self.grant: Final = grant
        self.watch: Final = watch
        self.verify: Final = verify
        """Raises `RefusedError` when the permission is gone."""
        self.note: Final = note
        self.refusal: RefusedError | None = None
        """Set by whoever ends it because the permission was taken."""


class Session(Held):
    """One started component."""

    def __init__(self, held: Held, plan: Plan, child: Child) -> None:
        super().__init__(held.grant, held.watch, verify=held.verify, note=held.note)
        self.plan: Final = plan
        self.child: Final = child
        self.began: Final = time.monotonic()


class Supervisor:
    """Start components of trusted plugins; one for each process."""

    def __init__(
        self,
        store: Store,
        *,
        name: Callable[[Subject], str],
        by: Actor,
        policy: GatePolicy | None = None,
        limits: Limits = Limits(),  # noqa: B008  # a constant tuple
        environment: Mapping[str, str] | None = None,
        ahead: Hashed | None = None,
        begun: Prefetch | None = None,
    ) -> None:
        """Prepare without reading anything.

        Args:
            store: what was trusted.
            name: from a subject to its ID.
            by: who runs this.
            policy: what the team asks of the gate; by default what this machine and this user pinned.
            limits: of what is started.
            environment: the variables that reviewed mappings take from, as they were before anything of a workspace
                was read; by default those of each start.
            ahead: what was begun to be hashed already, for the first start (`hash_ahead`).
            begun: what is being read already in place of that.
        """
        self._environment = environment
        self._ahead = ahead
        self._begun = begun
        self._store = store
        self._policy = policy
        self._stamps: object = None
        """Of the policies that the last decision went by."""
        self._gate = Gate(store, name=name)
        self._name = name
        self._trail = RunTrail(store, by)
        self._limits = limits

    @contextmanager
    def spawn(self, plugin: str, component: str | None = None) -> Iterator[Session]:
        """Start a component, and end it and everything below it at the end of the block.

        Args:
            plugin: its ID.
            component: `kind:name`, or None where only one can be started.

        Raises:
            RefusedError: the gate refuses.
            SupervisorError: it can't be started or supervised.
            StateError: the trail can't be written: nothing was started.
        """
        now = snapshot()
        # What this process holds in memory (variables of the user above all) is none of the program's business.
        if not kernel.set_undumpable():
            raise SupervisorError("the kernel does not close this process's memory to what it starts")
        with self._watched(plugin, component, now) as (grant, watch), self._places(grant) as places:
            ours = now if self._environment is None else dict(self._environment)
            session = self._start(grant, watch, ours, places)
            try:
                yield session
            finally:
                self._end(session)

    @contextmanager
    def hold(self, plugin: str, component: str) -> Iterator[Held]:
        """Hold the permission for a remote server, which this process itself asks; nothing is started.

        Args:
            plugin: its ID.
            component: `kind:name` of one that has an endpoint.

        Raises:
            RefusedError: the gate refuses, or takes the permission.
            StateError: the trail can't be written.
        """
        with self._watched(plugin, component, snapshot()) as (grant, watch):
            if grant.component.endpoint is None:
                error = RefusedError(Reason.NOT_RUNNABLE.value, f"`{grant.component.label}` is not remote")
                self._trail.note(grant.record, "refused", label=grant.component.label, reason=error.reason)
                raise error
            self._note(grant, "started", detail="remote")
            held = self._held(grant, watch)
            began = time.monotonic()
            try:
                held.verify()
                yield held
            except RefusedError as error:
                held.refusal = held.refusal or error
                raise
            finally:
                self._note_end(grant, held.refusal, "remote", began)

    @contextmanager
    def _watched(self, plugin: str, component: str | None, now: dict[str, str]) -> Iterator[tuple[Grant, Watch]]:
        """Watch the state first, then ask the gate."""
        wrapper = find_wrapper(now)
        if wrapper is not None:
            raise SupervisorError(f"`{wrapper}` is set around plugseal", hint=_HINT)
        watch = Watch(self._store.folder)
        try:
            grant = self._authorize(plugin, component)
            watch.only(self._store.file_of(grant.subject))
            yield grant, watch
        finally:
            watch.close()

    def _authorize(self, plugin: str, component: str | None) -> Grant:
        try:
            self._stamps = stamp_policies(self._store)
            policy = load_policy(self._store) if self._policy is None else self._policy
            ahead, begun = self._ahead, self._begun
            self._ahead = self._begun = None
            self._gate = Gate(self._store, name=self._name, policy=policy, ahead=ahead, begun=begun)
            return self._gate.authorize(plugin, component)
        except RefusedError as error:
            record = self._gate.record_of(plugin)
            if record is not None:
                self._trail.note(record, "refused", label=component or "", reason=error.reason)
            raise

    def _start(self, grant: Grant, watch: Watch, ours: dict[str, str], places: Places) -> Session:
        from plugseal.runtime.child import Launch, start
        from plugseal.runtime.identity import Identities
        from plugseal.runtime.plan import build_plan

        try:
            plan = build_plan(grant, ours, places, digest=Identities(self._store).digest_of)
            if watch.changed():
                self._gate.verify_current(grant)
        except RefusedError as error:
            self._trail.note(grant.record, "refused", label=grant.component.label, reason=error.reason)
            raise
        folder = os.open(plan.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        noted: list[bool] = []

        def note() -> None:
            self._note(grant, "started")
            noted.append(True)

        try:
            # It is in the trail, on the disk, before anything is executed; meanwhile the process is prepared for it.
            child = start(Launch(plan.program, plan.argv, plan.environment, folder, self._limits), before=note)
        except SupervisorError:
            if noted:
                self._note(grant, "ended", detail="not started")
            raise
        finally:
            os.close(folder)
        session = Session(self._held(grant, watch), plan, child)
        try:
            # Once more, before the first byte reaches it: what happened while it was started counts too.
            self._gate.verify_current(grant)
        except RefusedError as error:
            session.refusal = error
            self._end(session)
            raise
        return session

    def _held(self, grant: Grant, watch: Watch) -> Held:
        gate, stamps = self._gate, self._stamps

        def verify() -> None:
            nonlocal stamps
            gate.verify_current(grant)
            now = stamps if self._policy is not None else stamp_policies(self._store)
            if now != stamps:
                # Somebody pinned another one meanwhile: what it denies ends.
                policy, approval = load_policy(self._store), grant.approval
                verify_policy(policy, grant.record, approval, plugin=grant.id)
                verify_not_denied(policy, grant.document, approval, plugin=grant.id)
                stamps = now

        return Held(
            grant,
            watch,
            verify=verify,
            note=lambda *what: self._note(grant, *what),
        )

    def _end(self, session: Session) -> None:
        child = session.child
        if child.gone is None:
            child.end(at_once=session.refusal is not None)
        gone = "" if child.gone else f", {child.left:,} descendants not proven gone"
        code = "unknown" if child.code is None else str(child.code)
        self._note_end(session.grant, session.refusal, f"{code}{gone}", session.began)

    def _note_end(self, grant: Grant, refusal: RefusedError | None, detail: str, began: float) -> None:
        event = "ended" if refusal is None else "stopped"
        reason = "" if refusal is None else refusal.reason
        took = int((time.monotonic() - began) * 1000)
        self._note(grant, event, reason=reason, detail=detail, milliseconds=took)

    def _note(self, grant: Grant, event: str, reason: str = "", detail: str = "", *, milliseconds: int = 0) -> None:
        label = grant.component.label
        level = grant.policy.level if grant.component.endpoint is None else 0
        self._trail.note(
            grant.record, event, label=label, reason=reason, detail=detail, level=level, milliseconds=milliseconds
        )

    @contextmanager
    def _places(self, grant: Grant) -> Iterator[Places]:
        from plugseal.runtime.places import own_folder
        from plugseal.runtime.plan import Places

        data = self._store.home / _DATA / subject_key(grant.subject)
        for path in (self._store.home / _RUN, data.parent, data):
            folder = open_folder(path, create=True)
            if folder is not None:
                folder.close()
        with own_folder(self._store.home / _RUN) as below:
            home, temporary = below / "home", below / "tmp"
            home.mkdir(mode=0o700)
            temporary.mkdir(mode=0o700)
            programs = below / "bin"
            programs.mkdir(mode=0o700)
            for name, real, _ in grant.approval.interpreters:
                if "/" not in name:
                    (programs / name).symlink_to(real)
            yield Places(str(home), str(temporary), str(programs), str(data))

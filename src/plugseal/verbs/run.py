"""Run a component as an MCP client's command: gate, start, relay, and the exit code that says how it ended."""

from __future__ import annotations

from plugseal.runtime.prefetch import Prefetch

TYPE_CHECKING = False
if TYPE_CHECKING:  # all that is not needed to begin is loaded while copy and source are read
    from collections.abc import Callable

    from plugseal.runtime.frames import Frame
    from plugseal.runtime.hashed import Hashed
    from plugseal.runtime.relay import Guard
    from plugseal.runtime.supervise import Session
    from plugseal.trust.store import Store

    OnEvent = Callable[[str], None]
    """Called with a line of ours for the user."""


def run_component(
    plugin: str,
    component: str | None,
    *,
    on_event: OnEvent,
    prepare: Callable[[], None] | None = None,
    store: Store | None = None,
) -> int:
    """Serve a client on standard input and output, and return the exit code.

    Args:
        plugin: its ID.
        component: `kind:name`, or None where only one can be started.
        on_event: told what the gate does.
        prepare: called before anything else but that copy and source begin to be read.
        store: what was trusted; that of the account by default.

    Raises:
        RefusedError: the gate refused or took the permission back.
        SupervisorError: it can't be started or supervised.
        StateError: there is no state folder that counts.
    """
    begun = Prefetch(plugin)
    try:
        if prepare is not None:
            prepare()
        return _run(plugin, component, store or _open_store(), on_event, begun)
    finally:
        begun.close()


def _open_store() -> Store:
    from plugseal.verbs.state import open_running_store

    return open_running_store()


def _run(plugin: str, component: str | None, store: Store, on_event: OnEvent, begun: Prefetch) -> int:
    if not begun.is_in_vain():
        return _serve(plugin, component, store, on_event, begun=begun)
    from plugseal.model.identity import subject_id
    from plugseal.runtime.hashed import hash_ahead

    ahead = hash_ahead(store, plugin, name=subject_id)
    try:
        return _serve(plugin, component, store, on_event, ahead=ahead)
    finally:
        if ahead is not None:
            ahead.close()


def _serve(
    plugin: str,
    component: str | None,
    store: Store,
    on_event: OnEvent,
    *,
    ahead: Hashed | None = None,
    begun: Prefetch | None = None,
) -> int:
    import plugseal.runtime.child
    import plugseal.runtime.identity
    import plugseal.runtime.places
    import plugseal.runtime.plan
    import plugseal.trust.run_writer  # noqa: F401  # the gate waits for the hashes: what comes behind them is there then
    from plugseal.errors import SupervisorError
    from plugseal.model.identity import subject_id
    from plugseal.runtime.limits import Limits
    from plugseal.runtime.supervise import Supervisor
    from plugseal.trust.actor import current_actor

    limits = Limits()
    supervisor = Supervisor(store, name=subject_id, by=current_actor(), limits=limits, ahead=ahead, begun=begun)
    with supervisor.spawn(plugin, component) as session:
        from plugseal.runtime.relay import Relay  # what is started takes its time

        _tell_started(session, on_event)
        relay = Relay(
            session.child,
            session.watch,
            session.verify,
            guard=guard_of(session, store, on_event),
            label=session.grant.component.label,
            limits=limits,
        )
        code = relay.run()
        session.refusal = relay.refusal
    if relay.refusal is not None:
        raise relay.refusal
    if relay.problem:
        raise SupervisorError(relay.problem)
    on_event(f"ended with {code}")
    return code


def _tell_started(session: Session, on_event: OnEvent) -> None:
    grant = session.grant
    names = len(session.plan.environment)
    on_event(f"{grant.id} allowed: trusted, enabled, content, capability, policy hold")
    on_event(f"started {session.child.pid} from the staged copy, {names} environment names, level {session.plan.level}")


def adopt_orphans() -> None:
    """Become the parent of what a reaper that is killed leaves behind; for a process that starts nothing else."""
    from plugseal.runtime import kernel

    kernel.set_subreaper()


def guard_of(session: Session, store: Store, on_event: OnEvent) -> Guard:
    """Return who looks at the messages of a session: for MCP servers the pins, else nobody.

    Raises:
        StateError: what is pinned can't be believed.
    """
    from plugseal.runtime.pins import PinGuard, Pinning

    grant = session.grant
    if grant.component.kind != "server":
        return _Nobody()
    about = Pinning(store, grant.subject, grant.approval.token, grant.id, grant.component.label)
    return PinGuard(about, on_event=on_event, record=session.note)


class _Nobody:
    """Let everything pass."""

    def on_request(self, frame: Frame) -> str | None:
        del frame
        return None

    def on_response(self, frame: Frame, method: str) -> None:
        del frame, method

    def on_notification(self, frame: Frame) -> None:
        del frame

"""The connection to one server, local or remote: made under its authority, ended with it, and silent about secrets.

A started program's standard error is read and dropped: it is never part of an error. A remote server is asked at its
reviewed address alone, with headers from reviewed variables.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.records import NamedTuple
from plugseal.runtime.caller import Asker, Caller
from plugseal.runtime.codewhale.host import Host
from plugseal.runtime.codewhale.server import Server
from plugseal.runtime.limits import Limits
from plugseal.runtime.lines import Attend
from plugseal.runtime.pins import PinGuard, Pinning
from plugseal.runtime.remote.endpoint import reviewed_endpoint
from plugseal.runtime.remote.headers import reviewed_headers
from plugseal.runtime.remote.http import Http
from plugseal.runtime.remote.patience import Patience
from plugseal.runtime.remote.sse import EventsAndPosts
from plugseal.runtime.remote.streamable import StreamableHttp
from plugseal.runtime.supervise import Held, Session


@dataclass
class Link:
    """One connection."""

    asker: Asker
    held: Session | Held
    stack: ExitStack
    lines: StreamableHttp | EventsAndPosts | None = None
    """Of a remote one."""

    @property
    def descriptor(self) -> int | None:
        """Return what becomes readable when the record changes, None where the kernel gives no watch."""
        return self.held.watch.descriptor

    @property
    def state(self) -> tuple[str, int]:
        """Return (incarnation, generation) that it was permitted under."""
        return self.held.grant.state

    def check(self) -> RefusedError | None:
        """Return why it may not go on, None where it may; cheap."""
        if not self.held.watch.changed():
            return None
        try:
            self.held.verify()
        except RefusedError as error:
            return error
        return None

    def close(self, refusal: RefusedError | None = None) -> None:
        """End it, with everything below it.

        Args:
            refusal: why, where the permission was taken.
        """
        self.held.refusal = self.held.refusal or refusal
        self.stack.close()


class Around(NamedTuple):
    """What a connection has to do with whoever made it."""

    on_event: Callable[[str], None]
    """Told what the pins find."""
    attend: Attend
    """Asked while an answer is waited for."""
    authorities: str | None = None
    """Certificates in PEM that alone are believed of remote servers; None for the system's."""


def open_link(server: Server, host: Host, around: Around) -> Link:
    """Return a connection whose handshake is done and whose tools are read.

    Args:
        server: as reviewed.
        host: of this start.
        around: of whoever makes it.

    Raises:
        RefusedError: the gate refuses.
        SupervisorError: it can't be started or reached, or does not answer.
    """
    with ExitStack() as stack:
        make = _far if server.is_remote else _near
        link = make(server, host, stack, around)
        if link.state != server.authority.state:
            # It was trusted anew since this start: what was reviewed then is not what this registry is of.
            raise RefusedError(Reason.REVOKED_MEANWHILE.value, Reason.REVOKED_MEANWHILE.meaning)
        try:
            link.asker.shake_hands()
        except RefusedError as error:
            link.held.refusal = error
            raise
        if link.lines is not None:
            link.lines.seconds = server.execute_seconds
        link.stack = stack.pop_all()
        return link


def _near(server: Server, host: Host, stack: ExitStack, around: Around) -> Link:
    session = stack.enter_context(host.supervisor().spawn(server.authority.plugin, server.label))
    guard = _guard(server, host, session, around.on_event)
    seconds = server.connect_seconds
    caller = Caller(session, guard=guard, on_event=_drop, limits=Limits(), seconds=seconds, attend=around.attend)
    return Link(caller, session, stack)


def _far(server: Server, host: Host, stack: ExitStack, around: Around) -> Link:
    held = stack.enter_context(host.supervisor().hold(server.authority.plugin, server.label))
    component = held.grant.component
    silence = server.read_seconds
    patience = Patience(held.verify, changed=held.watch.changed, silence=silence, attend=around.attend)
    http = Http(
        reviewed_endpoint(component.endpoint or ""),
        headers=reviewed_headers(component.headers, host.variables),
        patience=patience,
        connect_seconds=server.connect_seconds,
        authorities=around.authorities,
    )
    lines = _lines(component.transport, http, server.connect_seconds)
    stack.callback(lines.close)
    guard = _guard(server, host, held, around.on_event)
    return Link(Asker(lines, guard=guard, seconds=server.connect_seconds), held, stack, lines)


def _lines(transport: str, http: Http, seconds: float) -> StreamableHttp | EventsAndPosts:
    return EventsAndPosts(http, seconds=seconds) if transport == "sse" else StreamableHttp(http, seconds=seconds)


def _guard(server: Server, host: Host, held: Session | Held, on_event: Callable[[str], None]) -> PinGuard:
    grant = held.grant
    about = Pinning(host.store, grant.subject, grant.approval.token, grant.id, server.label)
    return PinGuard(about, on_event=on_event, record=held.note)


def _drop(text: str) -> None:
    del text

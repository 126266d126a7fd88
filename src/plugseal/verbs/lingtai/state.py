"""From a registered server to what is recorded about its plugin: its ID, its review, what keeps it from starting."""

from __future__ import annotations

from plugseal.errors import PlugsealError, RefusedError
from plugseal.model.decision import Reason
from plugseal.model.identity import subject_id
from plugseal.model.lingtai import ServerRow
from plugseal.model.trust import Subject
from plugseal.runtime.agent_plugins.activation import Candidate, verify_entry
from plugseal.runtime.agent_plugins.launch import SYSTEM
from plugseal.runtime.approved import Approved, parse_document
from plugseal.trust.record import Record
from plugseal.trust.store import Store


def plugin_id(candidate: Candidate, store: Store) -> str:
    """Return the ID of the plugin of a server, as it is or would be recorded.

    Raises:
        StateError: what is recorded can't be believed.
    """
    record = _record(candidate, store)
    subject = Subject(SYSTEM, candidate.plugin, "workspace", candidate.source) if record is None else record.subject
    return subject_id(subject)


def verify_matches(candidate: Candidate, store: Store) -> None:
    """Refuse a server whose entry does not match, or whose registered bytes are not the reviewed ones.

    What is not trusted at all is for the gate to refuse: it knows why.

    Raises:
        RefusedError: with the reason.
        StateError: what is recorded can't be believed.
    """
    record = _record(candidate, store)
    approval = None if record is None else record.standing.trust
    if approval is None:
        return
    if approval.source != candidate.digest:
        raise RefusedError(
            Reason.CONTENT_DRIFTED.value,
            f"`{candidate.plugin}` was registered with other bytes than those that were reviewed",
            place=candidate.source,
            hint="`plugseal lingtai refresh`, then review it again if it changed",
        )
    reviewed = _component(candidate, store.document(approval.capability))
    verify_entry(candidate, reviewed, plugin=plugin_id(candidate, store))


def row_of(candidate: Candidate, store: Store) -> ServerRow:
    """Return how far a server is from being started: one look, nothing is hashed."""

    def row(state: str, why: str, step: str) -> ServerRow:
        return ServerRow(candidate.server, candidate.plugin, candidate.source, state, why, step)

    if candidate.why:
        return row("registered", candidate.why, candidate.step)
    try:
        verify_matches(candidate, store)
        record = _record(candidate, store)
    except PlugsealError as error:
        return row("activated", error.message, "")
    if record is None:
        return row("activated", Reason.NOT_RECORDED.meaning, "review")
    if record.standing.trust is None:
        return row("activated", Reason.NOT_TRUSTED.meaning, "review")
    if not record.standing.enabled:
        return row("activated", Reason.NOT_ENABLED.meaning, "enable")
    return row("ready", "", "serve")


def _record(candidate: Candidate, store: Store) -> Record | None:
    for found in store.records():
        if not isinstance(found, Record):
            raise found.error
        subject = found.subject
        if (subject.system, subject.name, subject.root) == (SYSTEM, candidate.plugin, candidate.source):
            return found
    return None


def _component(candidate: Candidate, document: bytes) -> Approved | None:
    for component in parse_document(document).components:
        if component.kind == "server" and component.name == candidate.server:
            return component
    return None

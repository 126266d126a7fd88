"""The gate: from an ID to a grant, or a refusal with its reason. Nothing starts without a grant.

Order, and why: the state is watched before it is read, so that nothing between goes unseen; then the record, the copy
that would run, the source as the policy wants it, the reviewed document (all launch data come from it), the programs
outside the copy, and last the state again. The gate parses no manifest, scans nothing and trusts no time stamp.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final

from plugseal.errors import IntakeError, PlugsealError, RefusedError, StageError, StateError
from plugseal.model.decision import Reason
from plugseal.model.identity import STAGE
from plugseal.model.policy import GatePolicy
from plugseal.model.trust import Approval, Subject
from plugseal.runtime.ancestors import find_ancestor, looks_above, put_manifest
from plugseal.runtime.approved import Approved, Document, parse_document
from plugseal.runtime.derived import verify_derived
from plugseal.runtime.fetching import fetches_code
from plugseal.runtime.grant import Admission as Admission
from plugseal.runtime.grant import Grant as Grant
from plugseal.runtime.hashed import Hashed
from plugseal.runtime.policy_check import verify_not_denied, verify_policy, verify_signed
from plugseal.runtime.prefetch import Prefetch
from plugseal.runtime.refused import meant_hint, refused
from plugseal.trust.files import open_below
from plugseal.trust.record import Record
from plugseal.trust.store import Store

_RUNNABLE: Final = frozenset({"server", "executable", "tool", "module", "hook", "command"})


class Gate:
    """The only door to a process. It keeps no state of its own: each decision reads everything again."""

    def __init__(
        self,
        store: Store,
        *,
        name: Callable[[Subject], str],
        policy: GatePolicy = GatePolicy(),  # noqa: B008  # a constant tuple
        ahead: Hashed | None = None,
        begun: Prefetch | None = None,
    ) -> None:
        """Prepare without reading anything.

        Args:
            store: what was trusted.
            name: from a subject to its ID.
            policy: what the team asks for.
            ahead: what was begun to be hashed already, for the first decision; this closes it then.
            begun: what is being read already in place of that; as `ahead`.
        """
        self._store = store
        self._name = name
        self._policy = policy
        self._ahead = ahead
        self._begun = begun

    def authorize(self, plugin: str, component: str | None = None) -> Grant:
        """Return the permission to start one component of a plugin.

        Args:
            plugin: its ID; nothing else names it here.
            component: `kind:name`, or a name that only one has; None where there is only one that can be started.

        Raises:
            RefusedError: with the reason.
        """
        admitted = self._admit(plugin)
        chosen = _choose(admitted.document, component, plugin)
        _verify_launchable(chosen, self._policy, plugin)
        _verify_ancestors(admitted, (chosen,))
        grant = Grant(admitted, chosen)
        self.verify_current(grant)
        return grant

    def admit(self, plugin: str) -> Admission:
        """Return that a plugin as a whole may be used: source, copy, document, record and policy hold now.

        It is all that a host needs which hands out what a plugin says without starting anything.

        Args:
            plugin: its ID.

        Raises:
            RefusedError: with the reason.
        """
        admitted = self._admit(plugin)
        _verify_ancestors(admitted, admitted.document.components)
        self.verify_current(admitted)
        return admitted

    def _admit(self, plugin: str) -> Admission:
        record = self._find(plugin)
        approval = self._standing(record, plugin)
        verify_policy(self._policy, record, approval, plugin=plugin)
        document = self._document(approval, plugin)
        verify_not_denied(self._policy, document, approval, plugin=plugin)
        with self._hashing(record, approval) as hashed:
            stage = self._stage(approval, hashed, plugin)
            verify_signed(self._policy, self._store, record, approval, document, plugin=plugin)
            self._verify_source(record, approval, hashed, plugin=plugin)
        return Admission(plugin, record, document=document, stage=stage, policy=self._policy)

    def record_of(self, plugin: str) -> Record | None:
        """Return the record of an ID, None where there is none that can be believed."""
        try:
            return self._find(plugin)
        except RefusedError:
            return None

    def verify_current(self, grant: Admission) -> None:
        """Refuse to go on with a grant whose record is not the same any more: cheap, for every operation.

        Raises:
            RefusedError: it was revoked, disabled, trusted anew or forgotten, or the state can't be believed.
        """
        try:
            record = self._store.read(grant.subject)
        except StateError as error:
            raise refused(Reason.STATE_UNREADABLE, grant.id, error.message, place=error.place) from error
        standing = None if record is None else record.standing
        if standing is None or (standing.incarnation, standing.generation) != grant.state or not standing.enabled:
            raise refused(Reason.REVOKED_MEANWHILE, grant.id)

    def _find(self, plugin: str) -> Record:
        broken: StateError | None = None
        known: list[tuple[str, Subject]] = []
        try:
            for found in self._store.records():
                if not isinstance(found, Record):
                    broken = broken or found.error
                    continue
                known.append((self._name(found.subject), found.subject))
                if known[-1][0] == plugin:
                    return found
        except StateError as error:
            broken = error
        if broken is not None:
            # The one that is asked for may be among those that can't be believed.
            raise refused(Reason.STATE_UNREADABLE, plugin, broken.message, place=broken.place) from broken
        raise refused(Reason.NOT_RECORDED, plugin, hint=meant_hint(plugin, known))

    def _standing(self, record: Record, plugin: str) -> Approval:
        standing = record.standing
        if standing.trust is None:
            raise refused(Reason.NOT_TRUSTED, plugin)
        if not standing.enabled:
            raise refused(Reason.NOT_ENABLED, plugin)
        try:
            status = Path(record.subject.root).stat()
        except OSError as error:
            if self._policy.source_must_match:
                raise refused(Reason.SOURCE_GONE, plugin, place=record.subject.root) from error
        else:
            if standing.place != (status.st_dev, status.st_ino):
                raise refused(Reason.ANOTHER_PLACE, plugin, place=record.subject.root)
        return standing.trust

    def _hashing(self, record: Record, approval: Approval) -> Hashed:
        """Return what was begun ahead, where it is about this very approval, else what begins now."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.is_of(record):
            return ahead
        if ahead is not None:
            ahead.close()
        begun, self._begun = self._begun, None
        return Hashed(self._store, record, approval, copy=False, source=self._policy.source_must_match, begun=begun)

    def _stage(self, approval: Approval, hashed: Hashed, plugin: str) -> Path:
        stage = self._store.home / STAGE / approval.content
        try:
            folder = open_below(self._store.home, STAGE)
        except StateError as error:
            raise refused(Reason.STATE_UNREADABLE, plugin, error.message, place=error.place) from error
        if folder is not None:
            folder.close()  # it is ours alone, and no link: nobody swaps what is hashed now
        try:
            hashed.verify_copy()
            verify_derived(self._store.home, approval)
        except (StageError, IntakeError, OSError) as error:
            message = error.message if isinstance(error, PlugsealError) else str(error)
            raise refused(Reason.STAGE_DAMAGED, plugin, message, place=str(stage)) from error
        if not put_manifest(stage.parent):
            raise refused(Reason.STAGE_DAMAGED, plugin, "no manifest of ours can stand above it", place=str(stage))
        return stage

    def _document(self, approval: Approval, plugin: str) -> Document:
        try:
            data = self._store.document(approval.capability)
        except StateError as error:
            raise refused(Reason.DOCUMENT_DAMAGED, plugin, error.message, place=error.place) from error
        # The store names it by its digest; the receipt in the record is what was trusted.
        if not hmac.compare_digest(sha256(data).hexdigest(), approval.capability):
            raise refused(Reason.DOCUMENT_DAMAGED, plugin)
        return parse_document(data)

    def _verify_source(self, record: Record, approval: Approval, hashed: Hashed, *, plugin: str) -> None:
        if not self._policy.source_must_match or not approval.source:
            return
        try:
            found = hashed.source_digest()
        except StateError as error:
            raise refused(Reason.STATE_UNREADABLE, plugin, error.message, place=error.place) from error
        except IntakeError as error:
            raise refused(Reason.SOURCE_GONE, plugin, error.message, place=record.subject.root) from error
        if found != approval.source:
            from plugseal.runtime.drifted import drifted_words  # nobody waits for a refusal as for a start

            trusted = f"trusted: {approval.content[:8]}, {approval.at[:10]} by {approval.by.user}"
            words = drifted_words(self._store, record, approval)
            raise refused(Reason.CONTENT_DRIFTED, plugin, place=record.subject.root, details=(trusted, *words))


def _verify_ancestors(admitted: Admission, components: Iterable[Approved]) -> None:
    """Refuse to start what may load packages from above the copy, where there are any."""
    document, programs = admitted.document, admitted.approval.interpreters
    if ("code.unbound", "ancestors") in document.capabilities:
        return
    if not any(looks_above(one, programs, document.capabilities) for one in components):
        return
    found = find_ancestor(admitted.stage)
    if found is not None:
        raise refused(Reason.UNBOUND_CODE, admitted.id, place=found)


def _choose(document: Document, wanted: str | None, plugin: str) -> Approved:
    """Return the component that is meant."""
    runnable = [one for one in document.components if one.kind in _RUNNABLE and (one.command or one.entry)]
    labels = tuple(one.label for one in runnable)
    if wanted is None:
        # A plugin's server is what a client means; anything else must be named.
        servers = [one for one in runnable if one.kind in ("server", "executable")]
        fits = servers or runnable
    else:
        fits = [one for one in document.components if one.label == wanted] or [
            one for one in document.components if one.name == wanted
        ]
    if len(fits) > 1:
        raise refused(Reason.AMBIGUOUS_COMPONENT, plugin, details=labels)
    if not fits:
        reason = Reason.NO_COMPONENT if wanted is not None or not document.components else Reason.NOT_RUNNABLE
        raise refused(reason, plugin, details=labels)
    return fits[0]


def _verify_launchable(component: Approved, policy: GatePolicy, plugin: str) -> None:
    if component.kind not in _RUNNABLE or not (component.command or component.entry or component.endpoint):
        raise refused(Reason.NOT_RUNNABLE, plugin, f"`{component.label}` starts nothing")
    if not policy.fetches_code and fetches_code(component.command, shell=component.shell):  # nosec B604  # a field
        raise refused(Reason.FETCHES_CODE, plugin, f"`{component.label}` fetches what it runs")

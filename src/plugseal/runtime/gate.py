"""The gate: from an ID to a grant, or a refusal with its reason. Nothing starts without a grant.

Order, and why: the state is watched before it is read, so that nothing between goes unseen; then the record, the copy
that would run, the source as the policy wants it, the reviewed document (all launch data come from it), the programs
outside the copy, and last the state again. The gate parses no manifest, scans nothing and trusts no time stamp.
"""

from __future__ import annotations

import calendar
import hmac
import time
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from plugseal.encode.source import source_digest
from plugseal.errors import IntakeError, PlugsealError, RefusedError, StageError, StateError
from plugseal.intake.read import read_tree
from plugseal.intake.stage import verify_stage
from plugseal.model.decision import Reason
from plugseal.model.policy import LEVEL, GatePolicy
from plugseal.model.tree import Tree
from plugseal.model.trust import Approval, Subject
from plugseal.policy.denied import find_denied
from plugseal.runtime.ancestors import find_ancestor, put_manifest
from plugseal.runtime.approved import Approved, Document, parse_document
from plugseal.runtime.fetching import fetches_code
from plugseal.runtime.grant import Admission as Admission
from plugseal.runtime.grant import Grant as Grant
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.trust.wraps import read_wraps

STAGE: Final = "stage"
_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"
_RUNNABLE: Final = frozenset({"server", "executable", "tool", "module", "hook", "command"})


class Gate:
    """The only door to a process. It keeps no state of its own: each decision reads everything again."""

    def __init__(
        self,
        store: Store,
        *,
        name: Callable[[Subject], str],
        policy: GatePolicy = GatePolicy(),  # noqa: B008  # a constant tuple
    ) -> None:
        """Prepare without reading anything.

        Args:
            store: what was trusted.
            name: from a subject to its ID.
            policy: what the team asks for.
        """
        self._store = store
        self._name = name
        self._policy = policy

    def authorize(self, plugin: str, component: str | None = None) -> Grant:
        """Return the permission to start one component of a plugin.

        Args:
            plugin: its ID; nothing else names it here.
            component: `kind:name`, or a name that only one has; None where there is only one that can be started.

        Raises:
            RefusedError: with the reason.
        """
        admitted = self.admit(plugin)
        chosen = _choose(admitted.document, component, plugin)
        _verify_launchable(chosen, self._policy, plugin)
        grant = Grant(
            admitted.id,
            admitted.subject,
            admitted.record,
            admitted.document,
            admitted.stage,
            admitted.policy,
            component=chosen,
        )
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
        record = self._find(plugin)
        approval = self._standing(record, plugin)
        self._verify_policy(record, approval, plugin)
        stage = self._stage(approval, plugin)
        document = self._document(approval, plugin)
        self._verify_not_denied(document, approval, plugin)
        self._verify_source(record, approval, document, plugin)
        _verify_ancestors(stage, document, plugin)
        admitted = Admission(plugin, record.subject, record, document, stage, self._policy)
        self.verify_current(admitted)
        return admitted

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
            raise _refused(Reason.STATE_UNREADABLE, grant.id, error.message, place=error.place) from error
        standing = None if record is None else record.standing
        if standing is None or (standing.incarnation, standing.generation) != grant.state or not standing.enabled:
            raise _refused(Reason.REVOKED_MEANWHILE, grant.id)

    def _find(self, plugin: str) -> Record:
        broken: StateError | None = None
        try:
            for found in self._store.records():
                if not isinstance(found, Record):
                    broken = broken or found.error
                elif self._name(found.subject) == plugin:
                    return found
        except StateError as error:
            broken = error
        if broken is not None:
            # The one that is asked for may be among those that can't be believed.
            raise _refused(Reason.STATE_UNREADABLE, plugin, broken.message, place=broken.place) from broken
        raise _refused(Reason.NOT_RECORDED, plugin)

    def _standing(self, record: Record, plugin: str) -> Approval:
        standing = record.standing
        if standing.trust is None:
            raise _refused(Reason.NOT_TRUSTED, plugin)
        if not standing.enabled:
            raise _refused(Reason.NOT_ENABLED, plugin)
        try:
            status = Path(record.subject.root).stat()
        except OSError as error:
            if self._policy.source_must_match:
                raise _refused(Reason.SOURCE_GONE, plugin, place=record.subject.root) from error
        else:
            if standing.place != (status.st_dev, status.st_ino):
                raise _refused(Reason.ANOTHER_PLACE, plugin, place=record.subject.root)
        return standing.trust

    def _verify_policy(self, record: Record, approval: Approval, plugin: str) -> None:
        """Refuse what the policy does not want, whatever receipt it has."""
        policy, subject = self._policy, record.subject
        names = {plugin, approval.token, f"{subject.system}:{subject.name}"}
        if not names.isdisjoint(policy.deny):
            raise _refused(Reason.POLICY_DENIES, plugin, f"the policy ({policy.origin}) names it under `deny`")
        if policy.allow is not None and {plugin, approval.token}.isdisjoint(policy.allow):
            raise _refused(Reason.POLICY_DENIES, plugin, f"the policy ({policy.origin}) does not name it under `allow`")
        if policy.level > LEVEL:
            wanted = f"the policy ({policy.origin}) demands level {policy.level}, this reaches {LEVEL}"
            raise _refused(Reason.LEVEL_TOO_LOW, plugin, wanted)
        if policy.signatures:
            wanted = f"the policy ({policy.origin}) demands {policy.signatures} signed reviews, and the gate has none"
            raise _refused(Reason.SIGNATURE_MISSING, plugin, wanted)
        if policy.max_age_days and not approval.at <= _now() <= _days_after(approval.at, policy.max_age_days):
            raise _refused(
                Reason.REVIEW_EXPIRED, plugin, f"it was trusted on {approval.at[:10]}, for {policy.max_age_days} days"
            )

    def _verify_not_denied(self, document: Document, approval: Approval, plugin: str) -> None:
        """Refuse what the policy denies by what it is or what it can do, also what was trusted before it did."""
        found = find_denied(
            self._policy.denied,
            document.abilities,
            system=document.system,
            name=document.name,
            content=approval.content,
        )
        if found is not None:
            raise _refused(Reason.POLICY_DENIES, plugin, f"the policy ({self._policy.origin}): {found}")

    def _stage(self, approval: Approval, plugin: str) -> Path:
        stage = self._store.home / STAGE / approval.content
        try:
            verify_stage(stage, approval.content)
        except (StageError, IntakeError, OSError) as error:
            message = error.message if isinstance(error, PlugsealError) else str(error)
            raise _refused(Reason.STAGE_DAMAGED, plugin, message, place=str(stage)) from error
        if not put_manifest(stage.parent):
            raise _refused(Reason.STAGE_DAMAGED, plugin, "no manifest of ours can stand above it", place=str(stage))
        return stage

    def _document(self, approval: Approval, plugin: str) -> Document:
        try:
            data = self._store.document(approval.capability)
        except StateError as error:
            raise _refused(Reason.DOCUMENT_DAMAGED, plugin, error.message, place=error.place) from error
        # The store names it by its digest; the receipt in the record is what was trusted.
        if not hmac.compare_digest(sha256(data).hexdigest(), approval.capability):
            raise _refused(Reason.DOCUMENT_DAMAGED, plugin)
        return parse_document(data)

    def _as_before_wrap(self, tree: Tree, root: str) -> Tree:
        """Return a tree in which configurations that `wrap` wrote stand as they were before."""
        wraps = read_wraps(self._store)
        if not wraps:
            return tree
        is_file = Path(root).is_file()
        entries = []
        for entry in tree.entries:
            wrap = wraps.get(root if is_file else f"{root}/{entry.path}")
            is_ours = wrap is not None and entry.digest == wrap.after
            entries.append(entry._replace(digest=wrap.before) if wrap is not None and is_ours else entry)
        return replace(tree, entries=tuple(entries))

    def _verify_source(self, record: Record, approval: Approval, document: Document, plugin: str) -> None:
        if not self._policy.source_must_match or not approval.source:
            return
        covers = document.covers
        try:
            tree = self._as_before_wrap(read_tree(Path(record.subject.root)), record.subject.root)
            now = source_digest(tree, None if covers is None else _Covered(covers))
        except StateError as error:
            raise _refused(Reason.STATE_UNREADABLE, plugin, error.message, place=error.place) from error
        except IntakeError as error:
            raise _refused(Reason.SOURCE_GONE, plugin, error.message, place=record.subject.root) from error
        if now != approval.source:
            raise _refused(
                Reason.CONTENT_DRIFTED,
                plugin,
                place=record.subject.root,
                details=(f"trusted: {approval.content[:8]}, {approval.at[:10]} by {approval.by.user}",),
            )


def _verify_ancestors(stage: Path, document: Document, plugin: str) -> None:
    if ("code.unbound", "ancestors") in document.capabilities:
        return
    found = find_ancestor(stage)
    if found is not None:
        raise _refused(Reason.UNBOUND_CODE, plugin, place=found)


class _Covered:
    """Say which paths the unit of a client's configuration covers."""

    def __init__(self, covers: tuple[str, ...]) -> None:
        self._covers = covers

    def __call__(self, path: str) -> bool:
        return any(path == cover or path.startswith(f"{cover}/") for cover in self._covers)


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
        raise _refused(Reason.AMBIGUOUS_COMPONENT, plugin, details=labels)
    if not fits:
        reason = Reason.NO_COMPONENT if wanted is not None or not document.components else Reason.NOT_RUNNABLE
        raise _refused(reason, plugin, details=labels)
    return fits[0]


def _verify_launchable(component: Approved, policy: GatePolicy, plugin: str) -> None:
    if component.kind not in _RUNNABLE or not (component.command or component.entry or component.endpoint):
        raise _refused(Reason.NOT_RUNNABLE, plugin, f"`{component.label}` starts nothing")
    if not policy.fetches_code and fetches_code(component.command, shell=component.shell):  # nosec B604  # a field
        raise _refused(Reason.FETCHES_CODE, plugin, f"`{component.label}` fetches what it runs")


def _now() -> str:
    return time.strftime(_TIME, time.gmtime())


def _days_after(moment: str, days: int) -> str:
    return time.strftime(_TIME, time.gmtime(calendar.timegm(time.strptime(moment, _TIME)) + days * 86_400))


def _refused(
    reason: Reason, plugin: str, message: str = "", *, place: str | None = None, details: tuple[str, ...] = ()
) -> RefusedError:
    told = f"the gate refused {plugin}: {reason.value}: {message or reason.meaning}"
    return RefusedError(reason.value, told, place=place, hint=reason.hint.replace("{plugin}", plugin), details=details)

"""The registry of one start: which bundles a workspace has, and which of them contribute, fixed once it is built.

Rules
- The user's bundles come before the workspace's; the first of a name wins, trusted or not, so that a repository
  shadows nothing that a user has.
- A bundle contributes if it is valid, not shadowed, declares nothing that isn't started yet, is trusted and enabled as
  it is now, and its conditions hold. What keeps it from that is its label.
- Nothing is written and nothing started. What happens on disk later changes no registry: it ends authorities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from plugseal.errors import RefusedError
from plugseal.model.codewhale import Bundle, Diagnostic
from plugseal.model.decision import Reason
from plugseal.model.plugin import SKILL_FILE
from plugseal.runtime.codewhale.authority import Authority, Place, place_of, refused
from plugseal.runtime.codewhale.host import Host
from plugseal.runtime.codewhale.when import unmet_condition
from plugseal.runtime.gate import Gate
from plugseal.runtime.grant import Admission

ACTIVE: Final = "active"
DISABLED: Final = "disabled"
_LABELS: Final = {
    Reason.NOT_RECORDED: DISABLED,
    Reason.NOT_ENABLED: DISABLED,
    Reason.NOT_TRUSTED: DISABLED,
    Reason.CONTENT_DRIFTED: "content-changed",
    Reason.STAGE_DAMAGED: "unstaged",
    Reason.DOCUMENT_DAMAGED: "unstaged",
    Reason.STATE_UNREADABLE: "state-invalid",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One bundle of a registry."""

    bundle: Bundle
    label: str
    """`active disabled enabled-untrusted content-changed unstaged inapplicable unsupported inactive shadowed invalid
    state-invalid`."""
    why: str
    """In a few words; empty where it is active."""
    reason: Reason | None = None
    """Why nothing of it is handed out, by the gate's closed list; None where it is active."""
    authority: Authority | None = None
    """What it contributes under; None where it contributes nothing."""
    admission: Admission | None = None


@dataclass(frozen=True, slots=True)
class Registry:
    """All bundles of one workspace, as they were when this start began."""

    workspace: Place
    entries: tuple[Entry, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    """About the discovery roots themselves."""

    def active(self) -> tuple[Entry, ...]:
        """Return the bundles that contribute, by name."""
        return tuple(entry for entry in self.entries if entry.authority is not None)

    def refusal(self, prefix: Callable[[str], str], name: str, operation: str) -> RefusedError | None:
        """Return why a bundle hands out nothing, where it is the one that a name of something of it means.

        Args:
            prefix: from a bundle's name to how the names of what it has begin.
            name: of a skill or a server.
            operation: what was about to happen.
        """
        for entry in self.entries:
            if entry.reason is not None and entry.label != "shadowed" and name.startswith(prefix(entry.bundle.name)):
                return refused(entry.bundle.name, operation, entry.reason, entry.why)
        return None

    def find(self, name: str) -> Entry | None:
        """Return the bundle that has a name here, the one that wins."""
        fits = [entry for entry in self.entries if name in (entry.bundle.name, entry.bundle.id)]
        winners = [entry for entry in fits if entry.label != "shadowed"] or fits
        return winners[0] if winners else None


def build_registry(
    bundles: Iterable[Bundle],
    host: Host,
    *,
    workspace: Place,
    homes: Mapping[str, Place],
    diagnostics: Iterable[Diagnostic] = (),
) -> Registry:
    """Return the registry of one start.

    Args:
        bundles: as discovered, the user's first.
        host: of this start.
        workspace: whose start it is.
        homes: the discovery root of each scope.
        diagnostics: about the discovery roots.

    Raises:
        RefusedError: a policy is there and can't be believed.
    """
    gate = host.gate()
    taken: set[str] = set()
    entries = []
    for bundle in bundles:
        is_shadowed = bundle.name in taken
        taken.add(bundle.name)
        entries.append(_shadowed(bundle) if is_shadowed else _entry(bundle, gate, workspace, homes, host.variables))
    ordered = sorted(entries, key=lambda entry: (entry.bundle.name, entry.bundle.scope))
    return Registry(workspace, tuple(ordered), tuple(diagnostics))


def _shadowed(bundle: Bundle) -> Entry:
    conflict = Diagnostic("warning", "name-conflict", "another bundle of this name comes before it")
    bundle = bundle._replace(diagnostics=(*bundle.diagnostics, conflict))
    return Entry(bundle, "shadowed", conflict.message, Reason.NOT_RUNNABLE)


def _entry(
    bundle: Bundle, gate: Gate, workspace: Place, homes: Mapping[str, Place], variables: Mapping[str, str]
) -> Entry:
    if not bundle.is_valid:
        return Entry(bundle, "invalid", "its manifest or its files are refused", Reason.NOT_RUNNABLE)
    if bundle.inactive:
        why = f"it declares what isn't started yet: {', '.join(bundle.inactive)}"
        return Entry(bundle, "unsupported", why, Reason.NOT_RUNNABLE)
    try:
        admission = gate.admit(bundle.id)
    except RefusedError as error:
        return _refused(bundle, gate, Reason(error.reason))
    # A broken skill keeps itself back, and nothing else of its bundle.
    if any(not file.endswith(SKILL_FILE) for file, _ in admission.document.faults):
        return Entry(bundle, "unsupported", "what was trusted of it is not understood in full", Reason.NOT_RUNNABLE)
    unmet = unmet_condition(dict(admission.document.extra), variables)
    if unmet:
        return Entry(bundle, "inapplicable", unmet, Reason.NOT_RUNNABLE)
    authority = _authority(bundle, admission, workspace, homes)
    if authority is None:
        return Entry(bundle, "inactive", "its folder changed while it was looked at", Reason.ANOTHER_PLACE)
    return Entry(bundle, ACTIVE, "", authority=authority, admission=admission)


def _refused(bundle: Bundle, gate: Gate, reason: Reason) -> Entry:
    label = _LABELS.get(reason, "inactive")
    record = gate.record_of(bundle.id)
    if reason is Reason.NOT_TRUSTED and record is not None and record.standing.enabled:
        label = "enabled-untrusted"
    return Entry(bundle, label, reason.meaning, reason)


def _authority(bundle: Bundle, admission: Admission, workspace: Place, homes: Mapping[str, Place]) -> Authority | None:
    root, home = place_of(bundle.root), homes.get(bundle.scope)
    if root is None or home is None or admission.subject.root != bundle.root:
        return None
    approval = admission.approval
    incarnation, generation = admission.state
    return Authority(
        plugin=bundle.id,
        bundle=bundle.name,
        version=bundle.version,
        scope=bundle.scope,
        workspace=workspace,
        root=root,
        home=home,
        content=approval.content,
        capability=approval.capability,
        incarnation=incarnation,
        generation=generation,
        reviewed_at=approval.at,
    )

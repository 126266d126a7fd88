"""What two versions of Codewhale would say of a bundle: the documented 0.9.1, and 0.9.10 beside it.

Both read a `plugin.toml` by the same rules. 0.9.1 enables nothing of a bundle that declares a surface which it doesn't
start; 0.9.10 starts more, and the rest of a mixed bundle. A manifest that is refused is refused as a whole, a broken
skill alone. Everything here is said of the files; what a user trusted is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from plugseal.encode.codewhale import MANIFESTS, POLICIES, SURFACES, BundleInventory, bundle_capability_hash
from plugseal.model.plugin import Fault
from plugseal.model.verdict import HostVerdict
from plugseal.records import NamedTuple
from plugseal.systems.reading.reader import compact

OLD: Final = "codewhale-0.9.1"
NEW: Final = "codewhale-0.9.10"
FUTURE: Final = SURFACES[3:]
"""Surfaces that 0.9.1 knows by name alone: they block a bundle there."""
_STARTED: Final = {OLD: (SURFACES[:3], "v1"), NEW: (SURFACES[:6], "v3")}
"""Surfaces that a version starts, and the stream of its capability hash."""


class Diagnostic(NamedTuple):
    """One line of what Codewhale says of a bundle."""

    severity: str
    """`error` or `warning`."""
    code: str
    """As Codewhale names it."""
    message: str
    path: str = ""
    """Relative to the bundle."""


class Evidence(NamedTuple):
    """What both verdicts rest on."""

    errors: Sequence[Fault]
    """Why the bundle is refused as a whole."""
    diagnostics: Sequence[Diagnostic]
    """What Codewhale warns of."""
    inventory: BundleInventory
    content_hashes: Mapping[str, str]
    """By name of the manifest; a name is missing where the hash can't be told."""
    manifests: Sequence[str]
    """Those that are there, the one that 0.9.10 prefers first."""
    is_shadowed: bool = False
    """Whether another bundle of the same name comes before it."""
    manifest: str = MANIFESTS[-1]
    """The one that was judged."""
    skills: Sequence[str] = ()
    """The names under which a model would see them, sorted."""
    servers: Sequence[str] = ()


def build_verdicts(evidence: Evidence) -> tuple[HostVerdict, ...]:
    """Return what both versions say."""
    return tuple(build_verdict(host, evidence) for host in (OLD, NEW))


def build_verdict(host: str, evidence: Evidence) -> HostVerdict:
    """Return what one version, `OLD` or `NEW`, says."""
    surfaces, stream = _STARTED[host]
    declared = evidence.inventory.declared()
    active = tuple(surface for surface in declared if surface in surfaces)
    inactive = tuple(surface for surface in declared if surface not in surfaces)
    compatibility = "full" if not inactive else "partial" if active and host == NEW else "unsupported"
    other = evidence.manifests[0] if host == NEW and evidence.manifests[0] != evidence.manifest else ""
    loads = not (evidence.errors or other or evidence.is_shadowed) and compatibility != "unsupported"
    found = [Diagnostic("error", "manifest-invalid", _fault_text(fault), fault.file) for fault in evidence.errors]
    found += evidence.diagnostics
    if inactive:
        found.append(Diagnostic("warning", "component-inactive", ", ".join(inactive), evidence.manifest))
    data = {
        "compatibility": compatibility,
        "active": active if loads else (),
        "inactive": declared if not loads else inactive,
        "diagnostics": [diagnostic._asdict() for diagnostic in found],
        "inventory": evidence.inventory.as_json(),
        "content_hash": evidence.content_hashes.get(evidence.manifest),
        "capability_hash": bundle_capability_hash(evidence.inventory, stream),
        "capability_stream": stream,
        "versions": POLICIES[stream].versions,
        "skills": tuple(evidence.skills) if loads else (),
        "servers": tuple(evidence.servers) if loads else (),
        "manifest": evidence.manifest,
        "reads": other or evidence.manifest,
        "valid": not evidence.errors,
    }
    summary = _summary(evidence, other, active, inactive, loads)
    return HostVerdict(host, loads, summary, compact(data), tuple(map(_note, found)))


def server_id(plugin: str, server: str) -> str:
    """Return the name of a plugin's server in Codewhale; the length keeps `foo-bar` + `baz` from `foo` + `bar-baz`."""
    return f"plugin-{len(plugin.encode('utf-8'))}-{plugin}-{server}"


def _summary(evidence: Evidence, other: str, active: Iterable[str], inactive: Sequence[str], loads: bool) -> str:
    errors = len(evidence.errors)
    if other:
        return f"reads {other} instead"
    if errors:
        return f"refuses the bundle: {errors} {'fault' if errors == 1 else 'faults'}"
    if evidence.is_shadowed:
        return "ignores it: another bundle of this name comes before it"
    names = ", ".join(active) or "nothing"
    if not loads:
        return f"can't enable it: declares {', '.join(inactive)}"
    return f"would start {names}" + (f", not {', '.join(inactive)}" if inactive else "")


def _note(diagnostic: Diagnostic) -> str:
    """Return a diagnostic as one line; why a manifest is refused needs no code."""
    place = f"{diagnostic.path}: " if diagnostic.path else ""
    code = "" if diagnostic.code == "manifest-invalid" else f" ({diagnostic.code})"
    return f"{place}{diagnostic.message}{code}"


def _fault_text(fault: Fault) -> str:
    field = f"`{fault.field}` " if fault.field else ""
    return f"{field}{fault.message}"

"""What a policy says of what a scan found: pure, from facts and verdicts on receipts to objections.

Deny wins over everything, exceptions included. What the policy does not know is denied. An unknown object fits no glob.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from plugseal.model.capability import Capability
from plugseal.model.checked import Excepted, Objection, Verdict
from plugseal.model.finding import Finding, Severity
from plugseal.model.fingerprint import Owners
from plugseal.model.inventory import Capable, Inventory, PluginReport
from plugseal.model.plugin import Component, ComponentKind, Pinning, Plugin
from plugseal.model.secrets import mask_secrets
from plugseal.model.team_policy import Allowed, AllowedServer, Denied, Exempted, Objects, PinnedPlugin, TeamPolicy
from plugseal.policy.commands import simple_words
from plugseal.policy.denied import explained
from plugseal.policy.globs import matches
from plugseal.policy.objects import is_allowed_object, is_denied_object
from plugseal.records import NamedTuple

_UNREAD: Final = Capability.UNREAD.value
_RANK: Final = {Pinning.EXACT.value: 0, Pinning.VERSIONED.value: 1}
_ALLOWS: Final = {"exact": 0, "versioned": 1, "any": 9}


class Reviewed(NamedTuple):
    """What the receipts say of one plugin."""

    objections: tuple[str, ...] = ()
    """Why they don't do; empty where they do."""
    signers: frozenset[str] = frozenset()
    """IDs of the keys whose reviews of exactly this hold."""


class Decided(NamedTuple):
    """The verdicts, and what of the policy was at work."""

    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    """Those that count."""
    used: frozenset[int]
    """Lines of the exceptions that excepted something."""


def decide(
    policy: TeamPolicy,
    inventory: Inventory,
    *,
    reviewed: Mapping[str, Reviewed],
    today: str,
    accepted: frozenset[int] = frozenset(),
) -> Decided:
    """Return what a policy says of everything in an inventory.

    Args:
        policy: compiled.
        inventory: of the whole repository.
        reviewed: by the ID of a plugin; empty where no receipts are asked.
        today: `YYYY-MM-DD`; exceptions hold to the end of their last day.
        accepted: positions of the findings that a baseline accepts.
    """
    judge = _Judge(policy, reviewed, today)
    owners = Owners(inventory.plugins)
    by_plugin: dict[str, list[Finding]] = {}
    lowest = Severity(policy.fail_on).rank
    for number, finding in enumerate(inventory.findings):
        if finding.severity.rank >= lowest and number not in accepted:
            report = owners.report(finding.file)
            by_plugin.setdefault("" if report is None else report.id, []).append(finding)
    verdicts = [judge.plugin(report, by_plugin.pop(report.id, [])) for report in inventory.plugins]
    rest = judge.rest(inventory, [one for found in by_plugin.values() for one in found])
    if rest is not None:
        verdicts.append(rest)
    return Decided(tuple(verdicts), tuple(judge.counted), frozenset(judge.used))


class _Judge:
    def __init__(self, policy: TeamPolicy, reviewed: Mapping[str, Reviewed], today: str) -> None:
        self._policy = policy
        self._reviewed = reviewed
        self._exceptions = [one for one in policy.exceptions if one.until >= today]
        self.used: set[int] = set()
        self.counted: list[Finding] = []

    def plugin(self, report: PluginReport, findings: Sequence[Finding]) -> Verdict:
        """Return the verdict on one plugin."""
        excepted: dict[Exempted, None] = {}
        reviewed = self._reviewed.get(report.id, Reviewed())
        pins = [pin for pin in self._policy.plugins if _is_bound(pin, report, reviewed)]
        found = [
            *self._denied(report),
            *self._capabilities(report, pins, excepted),
            *self._launches(report, pins),
            *self._servers(report),
            *self._findings(findings, report, excepted),
        ]
        demand = self._policy.receipts
        if demand is not None:
            found += [Objection("receipt", why, demand.line) for why in reviewed.objections]
        faults = [fault for fault in report.plugin.faults if not fault.is_narrow]
        plugin = report.plugin
        return Verdict(
            report.id,
            plugin.name,
            plugin.system,
            plugin.root,
            tuple(dict.fromkeys(found)),
            _excepted(excepted),
            bool(faults or (report.content_receipt is None and demand is not None)),
        )

    def rest(self, inventory: Inventory, findings: Sequence[Finding]) -> Verdict | None:
        """Return the verdict on what belongs to no plugin, None where there is nothing to say of it."""
        excepted: dict[Exempted, None] = {}
        found = self._findings(findings, None, excepted)
        is_open = inventory.hides_something or bool(self._unowned(inventory))
        if not found and not is_open and not excepted:
            return None
        return Verdict("", "(no plugin)", "", "", tuple(found), _excepted(excepted), is_open)

    def _unowned(self, inventory: Inventory) -> list[str]:
        """Return the unread files that belong to no plugin: what nobody declares may still be run."""
        owners = Owners(inventory.plugins)
        demand = self._policy.receipts
        # Keys and receipts are read by their own strict readers, which refuse what does not belong there.
        ours = () if demand is None else (f"{demand.team}/", f"{demand.reviews}/")
        files = (row.file for row in inventory.unread if owners.report(row.file) is None)
        files = (file for file in files if not (ours and file.startswith(ours)))
        return [file for file in files if not self._allows(Capable(_UNREAD, file, "", ""), ())]

    def _denied(self, report: PluginReport) -> list[Objection]:
        plugin = report.plugin
        return [
            Objection("denied", f"it is denied: {one.reason}", one.line)
            for one in self._policy.deny
            if not one.capability and _is_meant(one, plugin.system, plugin.name, report.content_receipt)
        ]

    def _capabilities(
        self, report: PluginReport, pins: Sequence[PinnedPlugin], excepted: dict[Exempted, None]
    ) -> list[Objection]:
        found = []
        for row in abilities(report):
            one = Capable(*row, "", "")
            denied = self._denied_capability(report, one)
            if denied is not None:
                found.append(denied)
            elif not self._allows(one, pins) and not self._excepts_capability(report, one, excepted):
                line = self._policy.line("allow") or self._policy.line("capabilities")
                found.append(Objection("capability", f"`{_said(one)}` is not allowed", line))
        return found

    def _denied_capability(self, report: PluginReport, row: Capable) -> Objection | None:
        plugin = report.plugin
        for one in self._policy.deny:
            if one.capability != row.capability or not _is_meant(
                one, plugin.system, plugin.name, report.content_receipt
            ):
                continue
            if is_denied_object(one.objects, row.capability, row.object):
                return Objection("denied", f"`{_said(row)}` is denied: {one.reason}", one.line)
        return None

    def _allows(self, row: Capable, pins: Sequence[PinnedPlugin]) -> bool:
        # What nobody could read passes only where it was said which files.
        if self._policy.capabilities == "allow" and row.capability != _UNREAD:
            return True
        rows: list[Allowed] = [*self._policy.allow, *(one for pin in pins for one in pin.allow)]
        return any(one.capability == row.capability and _fits(one.objects, row) for one in rows)

    def _excepts_capability(self, report: PluginReport, row: Capable, excepted: dict[Exempted, None]) -> bool:
        for one in self._exceptions:
            if one.capability == row.capability and _is_in(one, report) and _fits(one.objects, row) and not one.path:
                excepted[one] = None
                self.used.add(one.line)
                return True
        return False

    def _findings(
        self, findings: Sequence[Finding], report: PluginReport | None, excepted: dict[Exempted, None]
    ) -> list[Objection]:
        found = []
        for finding in findings:
            used = next((one for one in self._exceptions if _excepts(one, finding, report)), None)
            if used is not None:
                excepted[used] = None
                self.used.add(used.line)
                continue
            self.counted.append(finding)
            message = f"{finding.severity.value}[{finding.rule}]: {finding.title}"
            at = self._policy.line("fail-on")
            found.append(Objection("finding", message, at, finding.file, finding.span.line))
        return found

    def _launches(self, report: PluginReport, pins: Sequence[PinnedPlugin]) -> list[Objection]:
        found = []
        launch = [vector for pin in pins if pin.launch is not None for vector in pin.launch]
        asked = next((pin.line for pin in pins if pin.launch is not None), 0)
        for component in report.plugin.components:
            where = (report.plugin.path_of(component.file), component.span.line)
            if component.command and asked and component.command not in launch:
                message = f"`{component.name}` starts another command than the one that is pinned"
                found.append(Objection("launch", message, asked, *where))
            if component.command and not self._may_start(component):
                line = self._policy.line("commands")
                found.append(Objection("launch", f"`{component.name}` starts what is not allowed", line, *where))
            most = _ALLOWS[self._policy.packages]
            loose = [one for one in component.packages if _RANK.get(one.pinning, 5) > most]
            line = self._policy.line("packages")
            found += [
                Objection("package", f"`{one.name or '?'}` is {one.pinning}, not {self._policy.packages}", line, *where)
                for one in loose
            ]
        return found

    def _may_start(self, component: Component) -> bool:
        commands = self._policy.commands
        if commands is None:
            return True
        words = simple_words(component.command[0]) if component.shell else component.command
        return words is not None and words[0] in commands

    def _servers(self, report: PluginReport) -> list[Objection]:
        if self._policy.servers == "allow":
            return []
        plugin = report.plugin
        line = self._policy.line("server") or self._policy.line("servers")
        return [
            Objection(
                "server",
                f"the server `{component.name}` is not allowed",
                line,
                plugin.path_of(component.file),
                component.span.line,
            )
            for component in plugin.components
            if component.kind is ComponentKind.SERVER
            and not any(_is_server(one, report, component) for one in self._policy.allowed_servers)
        ]


def abilities(report: PluginReport) -> list[tuple[str, str | None]]:
    """Return (capability, object) of what a plugin can do, sorted, without imports that its known uses explain."""
    rows = (*report.capabilities, *report.beside)
    return sorted(explained((row.capability, row.object, row.channel) for row in rows), key=repr)


def is_configuration(report: PluginReport) -> bool:
    """Say whether something is a folder's own configuration and no plugin that could own a server."""
    return report.plugin.covers is not None or report.plugin.system == "mcp-config"


def _is_server(one: AllowedServer, report: PluginReport, component: Component) -> bool:
    if not matches(one.name, component.name):
        return False
    if one.owner and (is_configuration(report) or report.plugin.name != one.owner):
        return False
    if one.command and component.command != one.command:
        return False
    return not one.url or component.endpoint == one.url


def _is_bound(pin: PinnedPlugin, report: PluginReport, reviewed: Reviewed) -> bool:
    plugin = report.plugin
    if (pin.system, pin.name) != (plugin.system, plugin.name):
        return False
    if pin.content and pin.content != report.content_receipt:
        return False
    return not pin.publisher or pin.publisher in reviewed.signers


def _is_meant(one: Denied, system: str, name: str, content: str | None) -> bool:
    if one.system and one.system != system:
        return False
    # Compared without case: denying must not be escaped by spelling.
    if one.name and not matches(one.name.casefold(), name.casefold()):
        return False
    return not one.content or one.content == content


def _is_in(one: Exempted, report: PluginReport | None) -> bool:
    if one.name and (report is None or report.plugin.name != one.name):
        return False
    return not one.system or (report is not None and report.plugin.system == one.system)


def _excepts(one: Exempted, finding: Finding, report: PluginReport | None) -> bool:
    if one.rule != finding.rule or not _is_in(one, report):
        return False
    return not one.path or matches(one.path, finding.file)


def _fits(objects: Objects, row: Capable) -> bool:
    return is_allowed_object(objects, row.capability, row.object)


def _said(row: Capable) -> str:
    return f"{row.capability} {mask_secrets(row.object) if row.object is not None else '?'}"


def _excepted(rows: Mapping[Exempted, None]) -> tuple[Excepted, ...]:
    return tuple(Excepted(one.until, one.reason, one.owner) for one in rows)


def decide_one(
    policy: TeamPolicy, plugin: Plugin, row: Capable, *, content: str | None = None
) -> tuple[Objection, ...]:
    """Return the objections to one capability of a plugin of which nothing else is known.

    Args:
        policy: compiled.
        plugin: whose.
        row: what it can do.
        content: its content receipt, where that is known.
    """
    report = PluginReport(plugin, f"{plugin.system}:{plugin.name}", (row,), (), 0, 0, content, "")
    verdict = _Judge(policy._replace(receipts=None), {}, "9999-12-31").plugin(report, ())
    return verdict.objections

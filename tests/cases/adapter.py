"""From the words of the public cases to the product: one function for each kind of check.

A case speaks of capabilities in its own words; `CAPABILITIES` and `RULES` say what they are here. A check whose word
nobody here knows fails: it is never passed over.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from plugseal.errors import TreeRefusedError
from plugseal.model.finding import Severity
from plugseal.model.inventory import Inventory, PluginReport
from plugseal.verbs.diff import diff_looks
from plugseal.verbs.hash import hash_path
from plugseal.verbs.look import look
from plugseal.verbs.scan import scan_path
from plugseal.verbs.select import select
from tests.cases import gate_checks as _gate
from tests.cases import lingtai as _lingtai
from tests.cases import policy_checks as _policy
from tests.cases import signing as _signing
from tests.cases import trusting as _trusting
from tests.cases import words as _words
from tests.cases.command_line import run_command

CAPABILITIES: dict[str, str] = _words.CAPABILITIES
FACTS: dict[str, str] = _words.FACTS
RULES: dict[str, frozenset[str]] = _words.RULES
JUDGED: dict[str, str] = _words.JUDGED
_EXITS = {"ok": 0, "findings": 1, "incomplete": 4, "unreviewed": 1, "error": 4}
_CONTROLS = frozenset(chr(code) for code in (*range(32), *range(127, 160))) - {"\n"}


class Place(NamedTuple):
    """A fact, an unread file or a finding at one place."""

    file: str
    line: int
    column: int
    text: str
    """The source lines it covers."""
    object: str
    severity: Severity | None


class Case:
    """One case, built below a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._scans: dict[Path, Inventory] = {}

    @cached_property
    def main_tree(self) -> Path:
        """The folder that is scanned where a check names none."""
        tree = self.root / "tree"
        return tree if tree.is_dir() else self.root

    def tree(self, name: str | None) -> Path:
        """Return a tree by its name in the case."""
        return self.root / name if name else self.main_tree

    def scan(self, path: Path | None = None) -> Inventory:
        """Return the inventory of a tree, scanned once."""
        path = path or self.main_tree
        if path not in self._scans:
            self._scans[path] = scan_path(path)
        return self._scans[path]


def run_check(case: Case, check: dict[str, Any]) -> None:
    """Assert one check of a case; a word that is not known here fails."""
    word = check["op"]
    found = _policy.find_check(case, word) or _signing.CHECKS.get(word)
    if found is not None:
        found(case, check, run_command)
        return
    if word in _gate.CHECKS:
        _gate.CHECKS[word](case.root, check, _trusting.Ceremony(case.root, run_command))
        return
    assert word in _CHECKS, f"no adapter for `{word}` yet"
    _CHECKS[word](case, check)


def _places(case: Case, word: str, tree: Path, *, with_facts: bool) -> Iterator[Place]:
    inventory = case.scan(tree)
    name = FACTS.get(word, CAPABILITIES.get(word, word))
    counts = word not in RULES or (with_facts and word in FACTS)
    worst = _worst(inventory, name)
    for file, fact in inventory.facts:
        if fact.capability == name and counts:
            at = (file, fact.span.line, fact.span.column)
            yield Place(
                *at, _source(tree, file, fact.span.line, fact.span.end_line), fact.object or "", worst.get(at[:2])
            )
    for finding in inventory.findings:
        if finding.rule in RULES.get(word, frozenset()):
            text = _source(tree, finding.file, finding.span.line, finding.span.end_line)
            yield Place(
                finding.file, finding.span.line, finding.span.column, text, finding.object or "", finding.severity
            )


def _worst(inventory: Inventory, capability: str) -> dict[tuple[str, int], Severity]:
    """Return the highest severity of findings that rest on a capability, by file and line."""
    worst: dict[tuple[str, int], Severity] = {}
    for finding in inventory.findings:
        at = (finding.file, finding.span.line)
        if finding.capability == capability and finding.severity.rank >= worst.get(at, Severity.INFO).rank:
            worst[at] = finding.severity
    return worst


def _source(tree: Path, file: str, line: int, end_line: int) -> str:
    path = tree / file
    if not path.is_file():
        return ""
    text = path.read_bytes().decode("utf-8", "replace")
    return "\n".join(text.split("\n")[line - 1 : end_line]) if line else text


def _matching(case: Case, check: dict[str, Any], *, with_facts: bool = True) -> list[Place]:
    found: list[Place] = []
    for tree in [case.tree(name) for name in check.get("trees", [None])]:
        for word in [check["cap"], *check.get("alt", [])]:
            found.extend(place for place in _places(case, word, tree, with_facts=with_facts) if _fits(place, check))
    return found


def _fits(place: Place, check: dict[str, Any]) -> bool:
    if "file" in check and place.file != check["file"]:
        return False
    if check.get("contains", "") not in place.text and check.get("contains", "") not in place.object:
        return False
    least = check.get("severity_at_least")
    return least is None or (place.severity is not None and place.severity.rank >= Severity(least).rank)


def _finds(case: Case, check: dict[str, Any]) -> None:
    found = _matching(case, check)
    spots = {(place.file, place.line, place.column) for place in found}
    assert len(spots) >= check.get("min_count", 1), f"{len(spots)} found of {check}"
    assert "count" not in check or len(spots) == check["count"], f"{len(spots)} found of {check}"
    for program in check.get("programs", []):
        assert any(place.object.rpartition("/")[2] == program for place in found), f"{program} is not among {found}"
    if "max_severity" in check:
        worst = max((place.severity.rank for place in found if place.severity), default=0)
        assert worst <= Severity(check["max_severity"]).rank


def _not_finds(case: Case, check: dict[str, Any]) -> None:
    assert not _matching(case, check, with_facts=False)


def _alarm(case: Case, check: dict[str, Any]) -> None:
    assert run_command("scan", str(case.main_tree)).code == 1


def _no_alarm(case: Case, check: dict[str, Any]) -> None:
    assert not [f for f in case.scan().findings if f.severity is Severity.HIGH]
    assert run_command("scan", str(case.main_tree)).code != 1


def _not_clean_pass(case: Case, check: dict[str, Any]) -> None:
    assert run_command("scan", str(case.main_tree)).code != 0


def _finds_or_uninspected(case: Case, check: dict[str, Any]) -> None:
    inventory = case.scan()
    spoken_of = {file for file, _ in inventory.facts} | {finding.file for finding in inventory.findings}
    spoken_of |= {unread.file for unread in inventory.unread} | {file for file, _, _ in inventory.faults}
    for file in check["files"]:
        assert file in spoken_of, f"nothing is said of {file}"


def _complete(case: Case, check: dict[str, Any]) -> None:
    inventory = case.scan(case.tree(check.get("tree")))
    assert not inventory.unread
    assert not inventory.faults


def _max_findings(case: Case, check: dict[str, Any]) -> None:
    assert len([f for f in case.scan().findings if f.file == check["file"]]) <= check["max"]


def _max_severity(case: Case, check: dict[str, Any]) -> None:
    ranks = [f.severity.rank for f in case.scan().findings if f.file == check["file"]]
    assert max(ranks, default=0) <= Severity(check["max"]).rank


def _content_hash(case: Case, check: dict[str, Any]) -> None:
    first, second = (hash_path(case.tree(check[side])).content for side in ("a", "b"))
    assert (first == second) == (check["rel"] == "equal")


def _capability_hash(case: Case, check: dict[str, Any]) -> None:
    first, second = (_capability_receipts(case.scan(case.tree(check[side]))) for side in ("a", "b"))
    assert first
    assert second
    assert (first == second) == (check["rel"] == "equal")


def _capability_receipts(inventory: Inventory) -> list[tuple[str, str]]:
    return [(report.plugin.root, report.capability_receipt) for report in inventory.plugins]


def _explains_change(case: Case, check: dict[str, Any]) -> None:
    before, after = (look(select(str(case.tree(check[side])))) for side in ("a", "b"))
    change = diff_looks(before, after)
    assert change.comes_to == check["as"]
    assert [file.path for file in change.files_changed] == [entry.path for entry in after.tree.entries if entry.digest]


def _rejects(case: Case, check: dict[str, Any]) -> None:
    path = case.main_tree / check["what"]
    if path.is_dir():
        with contextlib.suppress(TreeRefusedError):
            hash_path(path)
            raise AssertionError(f"{check['what']} was given a receipt")
        return
    assert [fault for fault in case.scan().faults if fault.path == check["what"]], f"no fault in {check['what']}"


def _accepts(case: Case, check: dict[str, Any]) -> None:
    assert not [fault for fault in case.scan().faults if fault.path == check["what"]]


def _rejects_trees(case: Case, check: dict[str, Any]) -> None:
    accepted = [name for name in check["trees"] if not _is_rejected(case.scan(case.main_tree / name))]
    assert not accepted, f"not rejected: {accepted}"


def _accepts_trees(case: Case, check: dict[str, Any]) -> None:
    rejected = [name for name in check["trees"] if _is_rejected(case.scan(case.main_tree / name))]
    assert not rejected, f"not accepted: {rejected}"


def _is_rejected(inventory: Inventory) -> bool:
    assert inventory.plugins
    return any(report.plugin.is_broken for report in inventory.plugins)


def _rejects_files(case: Case, check: dict[str, Any]) -> None:
    for name in check["files"]:
        assert run_command("scan", str(case.main_tree / name)).code not in (0, 1), name
        assert run_command("hash", str(case.main_tree / name)).code == 4, name


def _accepts_files(case: Case, check: dict[str, Any]) -> None:
    for name in check["files"]:
        assert not case.scan(case.main_tree / name).faults, name
        assert run_command("hash", str(case.main_tree / name)).code == 0, name


def _mentions(case: Case, check: dict[str, Any]) -> None:
    ran = run_command("scan", str(case.tree(check.get("tree"))), "--format", "json")
    said = json.loads(ran.out) if ran.out else {}
    assert check["path"] in json.dumps(said, ensure_ascii=False) + ran.errors


def _inventory(case: Case, check: dict[str, Any]) -> None:
    assert check["item"] in _items(case.scan(case.tree(check.get("tree"))).plugins)


def _inventory_absent(case: Case, check: dict[str, Any]) -> None:
    assert check["item"] not in _items(case.scan(case.tree(check.get("tree"))).plugins)


def _inventory_or_incomplete(case: Case, check: dict[str, Any]) -> None:
    inventory = case.scan()
    assert check["item"] in _items(inventory.plugins) or inventory.unread or inventory.faults


def _items(reports: Iterable[PluginReport]) -> set[str]:
    """Return plugins and components in the words of the cases, e.g. `mcp:docs`, `hook:Stop`, `skill:a`."""
    found: set[str] = set()
    for report in reports:
        found.add(f"plugin:{report.plugin.name}")
        for component in report.plugin.components:
            kind = "mcp" if component.kind.value == "server" else component.kind.value
            name = component.name.partition(".")[0] if kind == "hook" else component.name
            found.add(f"{kind}:{name}")
    return found


def _identities_distinct(case: Case, check: dict[str, Any]) -> None:
    found = [(r.plugin.name, c.name, r.id) for r in case.scan().plugins for c in r.plugin.components]
    by_item = {item: {i for plugin, name, i in found if f"{plugin}/{name}" == item} for item in check["items"]}
    assert all(by_item.values()), f"not found: {by_item}"
    assert len(set().union(*by_item.values())) == sum(len(ids) for ids in by_item.values())


def _exit(case: Case, check: dict[str, Any]) -> None:
    assert run_command("scan", str(case.main_tree)).code == _EXITS[check["class"]]


def _output_lacks(case: Case, check: dict[str, Any]) -> None:
    for form in ("text", "json"):
        ran = run_command("scan", str(case.main_tree), "--format", form)
        assert check["text"] not in ran.out + ran.errors


def _output_lacks_controls(case: Case, check: dict[str, Any]) -> None:
    for form in ("text", "json"):
        ran = run_command("scan", str(case.main_tree), "--format", form)
        assert not _CONTROLS & set(ran.out + ran.errors)


def _path_absent(case: Case, check: dict[str, Any]) -> None:
    run_command("scan", str(case.main_tree))
    assert not Path(check["path"]).exists()


def _time_below(case: Case, check: dict[str, Any]) -> None:
    """Guard against a hang; what is measured is in the benches."""
    started = time.monotonic()
    scan_path(case.main_tree)
    assert time.monotonic() - started < check["value"]


def _manual(case: Case, check: dict[str, Any]) -> None:
    """Leave to a person what only a person can judge, and pass once one did."""
    assert check["text"] in JUDGED, f"nobody has judged yet: {check['text']}"


_CHECKS: dict[str, Callable[[Case, dict[str, Any]], None]] = {
    "finds": _finds,
    "not_finds": _not_finds,
    "alarm": _alarm,
    "no_alarm": _no_alarm,
    "not_clean_pass": _not_clean_pass,
    "finds_or_uninspected": _finds_or_uninspected,
    "reports_uninspected": _finds_or_uninspected,
    "complete": _complete,
    "max_findings": _max_findings,
    "max_severity": _max_severity,
    "content_hash": _content_hash,
    "capability_hash": _capability_hash,
    "explains_change": _explains_change,
    "rejects": _rejects,
    "accepts": _accepts,
    "rejects_trees": _rejects_trees,
    "accepts_trees": _accepts_trees,
    "component_rejected": _lingtai.component_rejected,
    "component_rejected_or_flagged": _lingtai.component_rejected_or_flagged,
    "rejects_files": _rejects_files,
    "accepts_files": _accepts_files,
    "mentions": _mentions,
    "inventory": _inventory,
    "inventory_absent": _inventory_absent,
    "inventory_or_incomplete": _inventory_or_incomplete,
    "identities_distinct": _identities_distinct,
    "exit": _exit,
    "output_lacks": _output_lacks,
    "output_lacks_controls": _output_lacks_controls,
    "path_absent": _path_absent,
    "time_below_s": _time_below,
    "manual": _manual,
    **_trusting.checks_by(run_command),
}

"""Links inside an Agent Plugins package: receipts are over the tree as it is once they are followed, within limits."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from plugseal.errors import TreeRefusedError
from plugseal.intake.read import read_tree
from plugseal.model.inventory import Inventory, PluginReport
from plugseal.model.tree import EntryKind
from plugseal.scan.resolved import resolve_links
from plugseal.verbs.hash import build_path_manifest, hash_path
from plugseal.verbs.scan import scan_path

MANIFEST = json.dumps({"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "sample"})
SKILL = "---\nname: a\ndescription: d\n---\n"


def _build(root: Path, links: dict[str, str], manifest: str = "plugin.json", **further: str) -> Path:
    files = {manifest: MANIFEST, "shared/a/SKILL.md": SKILL, "shared/a/run.sh": "true\n"} | further
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    (root / "shared/a/run.sh").chmod(0o755)
    for name, target in links.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    return root


def _report(path: Path) -> PluginReport:
    return _of(scan_path(path))


def _of(inventory: Inventory) -> PluginReport:
    [report] = [report for report in inventory.plugins if report.plugin.system == "agent-plugins"]
    return report


INSIDE = [
    pytest.param({"skills/a": "../shared/a"}, id="a folder"),
    pytest.param({"skills/a/SKILL.md": "../../shared/a/SKILL.md"}, id="a file"),
    pytest.param({"skills": "shared"}, id="a fixed location"),
    pytest.param({"skills/a": "../one", "one": "two", "two": "shared/a"}, id="a chain"),
    pytest.param({"skills/a": "../x/y", "x": "z", "z/y": "../shared/a"}, id="a link on the way"),
    pytest.param({"shared/b": "a", "skills": "shared"}, id="a link behind a link"),
]


@pytest.mark.parametrize("links", INSIDE)
def test_a_linked_tree_and_its_plain_copy_have_one_content_receipt(links: dict[str, str], tmp_path: Path) -> None:
    linked = _build(tmp_path / "linked", links)
    plain = tmp_path / "plain"
    shutil.copytree(linked, plain)
    first, second = _report(linked), _report(plain)
    assert first.content_receipt is not None
    assert first.content_receipt == second.content_receipt
    assert first.token is not None
    assert first.capability_receipt != second.capability_receipt


@pytest.mark.parametrize("links", INSIDE)
def test_hash_and_the_exported_manifest_see_what_the_scan_sees(links: dict[str, str], tmp_path: Path) -> None:
    linked = _build(tmp_path / "linked", links)
    plain = tmp_path / "plain"
    shutil.copytree(linked, plain)
    assert hash_path(linked).content == _report(linked).content_receipt
    assert build_path_manifest(linked) == build_path_manifest(plain)
    assert hash_path(linked).h1 == hash_path(plain).h1


def test_a_link_that_moves_changes_both_receipts(tmp_path: Path) -> None:
    one = _report(_build(tmp_path / "one", {"skills/a": "../shared/a"}))
    two = _report(_build(tmp_path / "two", {"skills/a": "../shared"}))
    assert one.content_receipt != two.content_receipt
    assert one.capability_receipt != two.capability_receipt


def test_a_link_written_in_another_way_changes_the_capability_receipt_alone(tmp_path: Path) -> None:
    one = _report(_build(tmp_path / "one", {"skills/a": "../shared/a"}))
    two = _report(_build(tmp_path / "two", {"skills/a": "../shared/./a"}))
    assert one.content_receipt == two.content_receipt
    assert one.capability_receipt != two.capability_receipt


OUTSIDE = [
    pytest.param({"docs": "../outside"}, "leads out", id="out"),
    pytest.param({"docs": "/etc"}, "leads out", id="absolute"),
    pytest.param({"docs": "not-there"}, "nowhere", id="nowhere"),
    pytest.param({"docs": "docs"}, "in a circle", id="itself"),
    pytest.param({"a": "b", "b": "a"}, "in a circle", id="each other"),
    pytest.param({"docs/up": ".."}, "folder above", id="the root above"),
    pytest.param({"x/down": "../y", "y/up": "../x"}, "folder above", id="a circle of folders"),
    pytest.param({"skills/a": "../shared/a", "docs": "../outside"}, "leads out", id="one of two"),
    pytest.param({"docs": "../linked/shared"}, "leads out", id="out and back"),
]


@pytest.mark.parametrize(("links", "why"), OUTSIDE)
def test_any_other_link_refuses_all_receipts_of_the_content(links: dict[str, str], why: str, tmp_path: Path) -> None:
    linked = _build(tmp_path / "linked", links)
    (tmp_path / "outside").mkdir()
    report = _report(linked)
    assert (report.content_receipt, report.token) == (None, None)
    for refuse in (hash_path, build_path_manifest):
        with pytest.raises(TreeRefusedError) as refused:
            refuse(linked)
        assert any(why in detail for detail in refused.value.details)


def test_another_system_still_refuses_the_same_link(tmp_path: Path) -> None:
    linked = _build(tmp_path / "linked", {"docs": "shared"}, manifest=".claude-plugin/plugin.json")
    inventory = scan_path(linked)
    assert [report.content_receipt for report in inventory.plugins if not report.plugin.root] == [None]
    assert ("docs", "symlink") in {(path, code) for path, code, _ in inventory.faults}
    with pytest.raises(TreeRefusedError):
        hash_path(linked)


def test_a_scan_calls_nothing_refused_that_is_allowed(tmp_path: Path) -> None:
    inventory = scan_path(_build(tmp_path / "linked", {"skills/a": "../shared/a"}))
    assert "symlink" not in {code for _, code, _ in inventory.faults}


def test_a_package_below_the_scanned_root_is_judged_by_its_own_root(tmp_path: Path) -> None:
    _build(tmp_path / "ok", {"skills/a": "../shared/a"})
    _build(tmp_path / "bad", {"skills/a": "../../ok/shared/a"})
    found = {
        r.plugin.root: r.content_receipt for r in scan_path(tmp_path).plugins if r.plugin.system == "agent-plugins"
    }
    assert found["ok"] is not None
    assert found["bad"] is None


def test_a_bomb_of_links_is_refused_in_bounded_work(tmp_path: Path) -> None:
    links = {f"d{n}/{side}": f"../d{n + 1}" for n in range(40) for side in "abcdefgh"}
    linked = _build(tmp_path / "linked", links, **{"d40/x": "x"})
    tree = resolve_links(read_tree(linked))
    assert any("more than a tree may hold" in fault.message for fault in tree.faults)
    assert _report(linked).content_receipt is None


def test_what_is_shown_often_counts_as_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = _build(tmp_path / "linked", {f"copy{n}": "shared/a" for n in range(10)})
    assert _report(linked).content_receipt is not None
    monkeypatch.setattr("plugseal.scan.resolved.MAX_TREE_BYTES", 200)
    assert _report(linked).content_receipt is None


@pytest.mark.parametrize(("depth", "fits"), [(60, True), (70, False)])
def test_paths_behind_links_are_measured_as_shown(depth: int, fits: bool, tmp_path: Path) -> None:
    links = {f"d{n}/n": f"../d{n + 1}" for n in range(depth)}
    linked = _build(tmp_path / "linked", links, **{f"d{depth}/x": "x"})
    assert (_report(linked).content_receipt is not None) == fits


def test_a_tree_without_links_is_returned_as_it_is(tmp_path: Path) -> None:
    tree = read_tree(_build(tmp_path, {}))
    assert resolve_links(tree) is tree


def test_a_resolved_tree_has_no_links_and_its_entries_in_order(tmp_path: Path) -> None:
    linked = _build(tmp_path, {"skills/a": "../shared/a", "skills-x": "shared", "skills.d/a": "../plugin.json"})
    tree = resolve_links(read_tree(linked))
    paths = [entry.path.encode() for entry in tree.entries]
    assert paths == sorted(set(paths))
    assert EntryKind.SYMLINK not in {entry.kind for entry in tree.entries}
    assert resolve_links(tree) is tree

"""Folders that another client's marketplace lists, and skills that stand behind links out of a plugin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.model.inventory import Inventory
from plugseal.verbs.scan import scan_path

MANIFEST = {"name": "helper", "version": "1.0.0", "description": "d"}
SKILL = "---\nname: a\ndescription: d\n---\nHelp.\n"


def _write(root: Path, files: dict[str, object]) -> Path:
    for name, value in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return root


def _faults(inventory: Inventory) -> list[tuple[str, str]]:
    return sorted((finding.file, finding.note) for finding in inventory.findings)


@pytest.mark.parametrize("source", ["./plugins/helper", {"source": "local", "path": "./plugins/helper"}])
@pytest.mark.parametrize("market", [".claude-plugin", ".github/plugin"])
def test_a_plugin_of_another_clients_marketplace_lacks_no_schema(tmp_path: Path, market: str, source: object) -> None:
    listed = {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "helper", "source": source}]}
    tree = _write(
        tmp_path,
        {
            f"{market}/marketplace.json": listed,
            "plugins/helper/plugin.json": MANIFEST,
            "plugins/helper/skills/a/SKILL.md": SKILL,
        },
    )
    assert "agent-plugins" not in {report.plugin.system for report in scan_path(tree).plugins}


def test_a_folder_that_no_marketplace_lists_lacks_its_schema(tmp_path: Path) -> None:
    listed = {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "other", "source": "./plugins/other"}]}
    tree = _write(
        tmp_path,
        {
            ".claude-plugin/marketplace.json": listed,
            "plugins/helper/plugin.json": MANIFEST,
            "plugins/helper/skills/a/SKILL.md": SKILL,
        },
    )
    assert "agent-plugins" in {report.plugin.system for report in scan_path(tree).plugins}


def test_a_skill_behind_a_link_out_of_its_plugin_is_told_once(tmp_path: Path) -> None:
    tree = _write(
        tmp_path,
        {"one/.claude-plugin/plugin.json": MANIFEST, "shared/a/SKILL.md": SKILL, "one/skills/b/SKILL.md": SKILL},
    )
    (tree / "one/skills/a").symlink_to("../../shared/a")
    found = [row for row in _faults(scan_path(tree)) if row[0].startswith("one/skills/a")]
    assert found == [("one/skills/a", "is a link that leads out of the plugin or nowhere; not read")]


def test_a_link_that_git_wrote_as_a_text_is_no_broken_package(tmp_path: Path) -> None:
    tree = _write(
        tmp_path, {"one/skills/a/SKILL.md": SKILL, "one/skills/a/plugin.json": "../../.claude-plugin/plugin.json"}
    )
    assert [row for row in _faults(scan_path(tree)) if row[0].endswith("plugin.json")] == []


@pytest.mark.parametrize(("front", "faults"), [("concept: skill\nsource: x", 0), ("name: a\ndescription: d", 1)])
def test_a_page_that_is_called_skill_is_no_misspelled_skill(tmp_path: Path, front: str, faults: int) -> None:
    tree = _write(tmp_path, {"wiki/skill.md": f"---\n{front}\n---\nA page.\n"})
    assert len([row for row in _faults(scan_path(tree)) if "not spelled" in row[1]]) == faults

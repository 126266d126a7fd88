"""Behind which gate each part of Claude Code stands, and what belongs to a working folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Component, Plugin
from plugseal.scan.discover import Keeper, discover
from plugseal.systems.claude import surfaces as gates
from plugseal.verbs.hash import build_path_manifest, hash_path
from plugseal.verbs.scan import scan_path
from tests import materialise

_ROOT = Path(__file__).resolve().parents[2]
_FIXTURES = _ROOT / "fixtures" / "claude-code"


def tree_of(fixture: str, target: Path) -> Path:
    return Path(materialise.materialise(_FIXTURES / fixture, target / fixture))


def plugins_of(fixture: str, target: Path) -> dict[str, Plugin]:
    keeper = Keeper()
    read_tree(tree_of(fixture, target), keeper)
    return {plugin.name: plugin for plugin in discover(keeper.listing())}


def component(plugin: Plugin, kind: str, name: str) -> Component:
    return next(one for one in plugin.components if (one.kind.value, one.name) == (kind, name))


@pytest.mark.parametrize(
    ("fixture", "unit", "kind", "name", "gate"),
    [
        ("everything", "everything", "hook", "SessionStart.0", gates.ENABLED),
        ("everything", "everything", "hook", "PostToolUse.0", gates.INVOKED),
        ("everything", "everything", "server", "clock", gates.ENABLED),
        ("everything", "everything", "command", "docs.headersHelper", gates.ENABLED),
        ("everything", "everything", "monitor", "log", gates.INTERACTIVE),
        ("everything", "everything", "language-server", "sample", gates.ENABLED),
        ("everything", "everything", "command", "review.!0", gates.PREAPPROVED),
        ("everything", "everything", "command", "review.!1", gates.PERMISSION),
        ("everything", "everything", "command", "status.!0", gates.PERMISSION),
        ("self-approving", "settings", "command", "wide.!0", gates.PREAPPROVED),
        ("everything", "everything", "agent", "helper", gates.SPAWNED),
        ("everything", "everything", "source", "helper", gates.INSTALL),
        ("project", "settings", "hook", "PostToolUse.0", gates.FOLDER),
        ("project", "settings", "setting", "statusLine.command", gates.FOLDER),
        ("project", "settings", "setting", "permissions.allow", gates.EXACT_FOLDER),
        ("project", "settings", "source", "team", gates.EXACT_FOLDER),
        ("project", "settings", "server", "local", gates.PER_SERVER),
        ("project", "settings", "server", "inline", gates.EXACT_FOLDER),
        ("project", "settings", "hook", "Stop.0", gates.EXACT_FOLDER),
        ("project", "settings", "instructions", "CLAUDE.md", "none"),
        ("project", "whole", "hook", "Stop.0", gates.EXACT_FOLDER),
        ("shop", "shop marketplace", "source", "bound", gates.INSTALL),
        ("shop", "shop marketplace", "hook", "extra/Stop.0", gates.ENABLED),
    ],
)
def test_each_part_stands_behind_its_gate(
    fixture: str, unit: str, kind: str, name: str, gate: str, tmp_path: Path
) -> None:
    assert component(plugins_of(fixture, tmp_path)[unit], kind, name).gate == gate


def test_every_gate_of_a_component_stands_in_the_table_of_surfaces(tmp_path: Path) -> None:
    known = {surface.gate for surface in gates.SURFACES} | {gates.PREAPPROVED, gates.EXACT_PER_SERVER, gates.NOT_LOADED}
    said = {
        one.gate
        for fixture in ("everything", "project", "self-approving", "shop")
        for plugin in plugins_of(fixture, tmp_path).values()
        for one in plugin.components
    }
    assert said - known == set()


def test_an_agent_of_a_plugin_can_neither_hook_nor_start_nor_lift_questions(tmp_path: Path) -> None:
    plugin = plugins_of("everything", tmp_path)["everything"]

    assert {key for key, _ in component(plugin, "agent", "helper").extra if key.startswith("ignored.")} == {
        "ignored.hooks",
        "ignored.mcpServers",
        "ignored.permissionMode",
    }
    assert not [one for one in plugin.components if one.name == "never" or one.command == ("echo never",)]


def test_a_working_folder_covers_its_settings_and_what_they_start(tmp_path: Path) -> None:
    plugin = plugins_of("project", tmp_path)["settings"]

    assert plugin.covers == (".claude", ".mcp.json", "CLAUDE.md", "tools/format.py")


def test_other_files_move_no_receipt_of_a_working_folder_and_its_own_do(tmp_path: Path) -> None:
    root = tree_of("project", tmp_path)

    def receipts() -> tuple[str | None, str]:
        report = next(one for one in scan_path(root).plugins if one.plugin.name == "settings")
        return report.content_receipt, report.capability_receipt

    before = receipts()
    (root / "tools" / "other.py").write_text("import os\nos.remove('x')\n")
    (root / "README.md").write_text("# New\n")
    assert receipts() == before
    (root / "tools" / "format.py").write_text("import os\nos.remove('x')\n")
    assert receipts()[0] != before[0]
    assert receipts()[1] != before[1]


def test_a_folder_that_holds_notes_alone_is_no_working_folder(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "plans").mkdir(parents=True)
    (tmp_path / ".claude" / "plans" / "a.md").write_text("# A\n")

    assert scan_path(tmp_path).plugins == ()


def test_a_script_beside_the_plugin_is_its_entry_and_no_receipt_rests_on_where_it_was_scanned(tmp_path: Path) -> None:
    (tmp_path / "plugins" / "a" / ".claude-plugin").mkdir(parents=True)
    (tmp_path / "plugins" / "a" / ".claude-plugin" / "plugin.json").write_text(
        '{"name": "a", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "python3",'
        ' "args": ["${CLAUDE_PLUGIN_ROOT}/../shared/run.py"]}]}]}}'
    )
    (tmp_path / "plugins" / "shared").mkdir()
    (tmp_path / "plugins" / "shared" / "run.py").write_text("import os\nos.remove('x')\n")
    report = scan_path(tmp_path).plugins[0]

    assert report.plugin.components[0].entry == "../shared/run.py"
    assert ("fs.delete", "x", "hook:Stop") in {(row.capability, row.object, row.trigger) for row in report.beside}
    rows = {(row.capability, row.object, row.trigger) for row in report.capabilities}
    assert ("path.outside", "${CLAUDE_PLUGIN_ROOT}/../shared/run.py", "hook:Stop") in rows
    alone = scan_path(tmp_path / "plugins" / "a").plugins[0]
    assert alone.plugin.components[0].entry is None
    assert alone.token == report.token


def test_a_configuration_is_hashed_by_its_name_as_it_is_scanned(tmp_path: Path) -> None:
    root = tree_of("project", tmp_path)
    report = next(one for one in scan_path(root).plugins if one.plugin.name == "settings")
    meant = {"means": lambda plugin: plugin.name == "settings"}

    assert hash_path(root, is_named=True, **meant).content == report.content_receipt
    assert hash_path(root).content != report.content_receipt
    assert hashlib.sha256(build_path_manifest(root, **meant)).hexdigest() == report.content_receipt


def test_more_commands_in_a_text_than_are_read_are_a_fault(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "commands").mkdir(parents=True)
    (tmp_path / ".claude" / "commands" / "many.md").write_text("!`ls`\n" * 5_000)
    keeper = Keeper()
    read_tree(tmp_path, keeper)
    (plugin,) = discover(keeper.listing())

    assert [fault.message for fault in plugin.faults] == ["holds more than 4,096 commands: not all were read"]
    assert len(plugin.components) == 4_097

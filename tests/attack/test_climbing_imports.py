"""A plugin whose script imports a file outside of it says so, under one name and one token wherever the scan begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.model.inventory import PluginReport
from plugseal.verbs.policies.check import check_path
from plugseal.verbs.scan import scan_path as scan

MANIFEST = json.dumps({"id": "desk", "version": "1.0.0", "command": "node", "args": ["./src/main.mjs"]})
HELPER = 'import { execSync } from "node:child_process";\nexport const go = () => execSync("id");\n'
OUT = {
    "an import": ('import { go } from "../../lib/go.mjs";\ngo();\n', "../lib/go.mjs"),
    "an import for its effect": ('import "../../lib/go.mjs";\n', "../lib/go.mjs"),
    "an export from there": ('export { go } from "../../lib/go.mjs";\n', "../lib/go.mjs"),
    "all exports from there": ('export * from "../../lib/go.mjs";\n', "../lib/go.mjs"),
    "a call that imports": ('const { go } = await import("../../lib/go.mjs");\ngo();\n', "../lib/go.mjs"),
    "a require": ('require("../../lib/go.mjs").go();\n', "../lib/go.mjs"),
    "dots in the middle": ('import "./a/../../../lib/go.mjs";\n', "../lib/go.mjs"),
    "out of the scanned folder too": ('import "../../../../x.mjs";\n', "../../../x.mjs"),
    "out and in again by its folder's name": ('import "../../desk/go.mjs";\n', "../desk/go.mjs"),
    "a neighbour whose name begins alike": ('import "../../desk2/x.mjs";\n', "../desk2/x.mjs"),
}
IN = {
    "a file beside": 'import "./go.mjs";\n',
    "a file above, inside": 'import "../go.mjs";\n',
    "a type alone": 'import type { Go } from "../../lib/go.mjs";\nconst a: Go | null = null;\n',
    "a comment": '// import "../../lib/go.mjs";\n',
    "a text": 'const a = "../../lib/go.mjs";\n',
    "a module": 'import "lodash";\n',
}


def plugin_in(root: Path, script: str, name: str = "main.mjs") -> Path:
    """Make a plugin two folders below a root, with a helper beside it, and return its folder."""
    folder = root / "plugins" / "desk"
    (folder / "src").mkdir(parents=True)
    (root / "plugins" / "lib").mkdir()
    (root / "plugins" / "lib" / "go.mjs").write_text(HELPER)
    (folder / "coding-plugin.json").write_text(MANIFEST.replace("main.mjs", name))
    (folder / "src" / name).write_text(script)
    return folder


def report_of(root: Path) -> PluginReport:
    (report,) = scan(root).plugins
    return report


def unbound(report: PluginReport) -> set[str | None]:
    return {row.object for row in report.capabilities if row.capability == "code.unbound"}


@pytest.mark.parametrize(("script", "told"), OUT.values(), ids=OUT)
def test_a_module_outside_of_the_plugin_is_told_from_its_own_folder(tmp_path: Path, script: str, told: str) -> None:
    folder = plugin_in(tmp_path, script)
    reports = [report_of(root) for root in (tmp_path, tmp_path / "plugins", folder)]
    assert [unbound(report) for report in reports] == [{told}] * 3
    assert len({report.token for report in reports}) == 1


@pytest.mark.parametrize("script", IN.values(), ids=IN)
def test_a_module_of_its_own_is_no_fact(tmp_path: Path, script: str) -> None:
    folder = plugin_in(tmp_path, script, "main.mts")
    assert [unbound(report_of(root)) for root in (tmp_path, folder)] == [set(), set()]


def test_a_script_of_no_plugin_has_nothing_to_leave(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.mjs").write_text('import "../c.mjs";\nimport "../../d.mjs";\n')
    assert [fact for _, fact in scan(tmp_path).facts if fact.capability == "code.unbound"] == []


def test_an_amness_plugin_is_not_called_harmless_for_what_another_file_does(tmp_path: Path) -> None:
    folder = tmp_path / ".amness" / "plugins"
    folder.mkdir(parents=True)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "go.ts").write_text(HELPER)
    plugin = folder / "a.ts"
    plugin.write_text(
        'import { go } from "../../lib/go.ts";\nexport default { name: "a", hooks: { Stop: () => go() } };\n'
    )
    for root in (tmp_path, plugin):
        report = report_of(root)
        assert unbound(report) == {"../../lib/go.ts"}
        assert "loads code from outside the plugin" in json.loads(report.plugin.hosts[0].data)["scan"]


def test_what_was_signed_for_a_folder_holds_where_the_whole_repository_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = tmp_path / "tools" / "desk"
    (plugin / "lib").mkdir(parents=True)
    (plugin / "coding-plugin.json").write_text('{"id": "desk", "version": "1", "command": "sh", "args": ["./run.sh"]}')
    (plugin / "run.sh").write_text('#!/bin/sh\n. "$(dirname "$0")/lib/a.sh"\ncat "$(dirname "$0")/../b"\n')
    (plugin / "lib" / "a.sh").write_text("echo a\n")
    team = tmp_path / "plugseal-trust"
    team.mkdir()
    assert main(["key", "new", str(tmp_path / "alice")]) == 0
    (team / "allowed_signers").write_text(
        f'alice namespaces="plugin-review@plugseal" {(tmp_path / "alice.pub").read_text()}'
    )
    key, reviews = str(tmp_path / "alice.key"), str(tmp_path / "reviews")
    assert main(["receipt", "sign", str(plugin), "--key", key, "--team", str(team), "--reviews", reviews]) == 0
    (tmp_path / "plugseal.toml").write_text('schema = "plugseal.policy/1"\n[receipts]\nrequired = true\n')
    capsys.readouterr()

    def objections() -> str:
        checked = check_path(tmp_path, policy=str(tmp_path / "plugseal.toml"))
        return "; ".join(map(str, (one for verdict in checked.verdicts for one in verdict.objections)))

    assert "review" not in objections()
    (plugin / "lib" / "a.sh").write_text("echo b\n")
    assert "not-reviewed" in objections()

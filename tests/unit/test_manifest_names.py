"""A manifest chooses the names of its own files: hooks, servers and prose are read under any name, in any folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.limits import KIB
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.manifest_names import HeldFiles
from plugseal.verbs.scan import scan_path

_HOOK = {"type": "command", "command": "sh ./x.sh"}
_NESTED = {"hooks": {"Stop": [{"hooks": [_HOOK]}]}}
_FLAT = {"version": 1, "hooks": {"stop": [_HOOK]}}
_MANIFESTS = {
    ".claude-plugin/plugin.json": _NESTED,
    ".codex-plugin/plugin.json": _NESTED,
    ".cursor-plugin/plugin.json": _FLAT,
    ".plugin/plugin.json": _FLAT,
    ".github/plugin/plugin.json": _FLAT,
}


def _write(root: Path, files: dict[str, object]) -> None:
    for name, value in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")


@pytest.mark.parametrize("manifest", _MANIFESTS)
@pytest.mark.parametrize(("hooks", "servers"), [("./a.json", "./b.json"), ("./deep/er/one.json", "./deep/two.json")])
def test_files_with_names_of_their_own_are_described(tmp_path: Path, manifest: str, hooks: str, servers: str) -> None:
    table = {"name": "named", "version": "1.0.0", "description": "x", "hooks": hooks, "mcpServers": servers}
    files = {manifest: table, hooks: _MANIFESTS[manifest], servers: {"mcpServers": {"one": {"command": "echo"}}}}
    _write(tmp_path, files)
    found = scan_path(tmp_path)
    parts = {
        (part.kind.value, part.name.partition(".")[0].lower()) for r in found.plugins for part in r.plugin.components
    }
    assert {("hook", "stop"), ("server", "one")} <= parts
    assert found.faults == ()


def test_prose_with_a_name_of_its_own_is_described(tmp_path: Path) -> None:
    table = {"name": "named", "version": "1.0.0", "description": "x", "commands": ["./one.md", "./many"]}
    _write(tmp_path, {".claude-plugin/plugin.json": table, "one.md": "!`ls`\n", "many/two.md": "Hello.\n"})
    (report,) = scan_path(tmp_path).plugins
    assert [part.name for part in report.plugin.components] == ["one", "one.!0", "two"]


def test_a_file_that_nothing_names_is_not_kept() -> None:
    manifest = b'{"hooks": "./a.json", "mcpServers": "../b.json", "name": "c.json"}'
    held = HeldFiles([Entry("p/plugin.json", EntryKind.FILE, 1, False, "0")])
    for path in ("p/a.json", "b.json", "d.json", "p/a.py"):
        held.hold(path, b"{}")
    assert [path for path, _ in held.named({"p/plugin.json": manifest})] == ["p/a.json"]


def test_files_of_an_entry_of_a_marketplace_are_named_from_its_source(tmp_path: Path) -> None:
    entry = {"name": "p", "source": "./p", "strict": False, "hooks": "./a/one.json", "mcpServers": "./a/two.json"}
    files = {
        ".claude-plugin/marketplace.json": {"name": "m", "owner": {"name": "x"}, "plugins": [entry]},
        "p/a/one.json": _NESTED,
        "p/a/two.json": {"mcpServers": {"one": {"command": "echo"}}},
    }
    _write(tmp_path, files)
    found = scan_path(tmp_path)
    parts = {part.name.rpartition("/")[2].partition(".")[0] for r in found.plugins for part in r.plugin.components}
    assert {"Stop", "one"} <= parts
    assert found.faults == ()


def test_without_a_manifest_and_above_the_bounds_nothing_is_held() -> None:
    none = HeldFiles([Entry("a.json", EntryKind.FILE, 1, False, "0")])
    none.hold("a.json", b"{}")
    large = HeldFiles([Entry("plugin.json", EntryKind.FILE, 1, False, "0")])
    large.hold("a.json", b" " * (256 * KIB + 1))
    for number in range(40):
        large.hold(f"b{number}.json", b" " * (256 * KIB))
    kept = {"plugin.json": json.dumps(["a.json", *(f"b{number}.json" for number in range(40))]).encode()}
    assert list(none.named(kept)) == []
    assert len(list(large.named(kept))) == 32

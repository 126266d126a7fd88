"""What code can do that no plugin covers: it has a line of its own in every output, and no other code has."""

from __future__ import annotations

import json
from pathlib import Path

from plugseal.model.inventory import Inventory
from plugseal.render.html import render_html
from plugseal.render.json import render_scan_json
from plugseal.render.markdown import render_markdown
from plugseal.render.terminal import render_scan
from plugseal.render.text import join_plain
from plugseal.scan.loose import MAX_SINGLE
from plugseal.verbs.client import for_client
from plugseal.verbs.scan import scan_path

READS = "open('notes.txt').read()\n"


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def loose(inventory: Inventory) -> list[tuple[str, int, set[str]]]:
    return [(one.path, one.files, {row.capability for row in one.capabilities}) for one in inventory.loose]


def test_a_server_that_no_manifest_starts_is_shown(tmp_path: Path) -> None:
    write(tmp_path, server_py="import requests\nrequests.get('https://a.example')\n")
    assert loose(scan_path(tmp_path)) == [("server.py", 1, {"net.outbound"})]


def test_what_a_plugin_covers_is_not_loose(tmp_path: Path) -> None:
    write(
        tmp_path,
        a__skill__SKILL_md="---\nname: skill\ndescription: d\n---\n",
        a__skill__run_py=READS,
        b__other_py=READS,
    )
    assert loose(scan_path(tmp_path)) == [("b/other.py", 1, {"fs.read"})]


def test_what_a_unit_of_settings_starts_and_loads_is_not_loose(tmp_path: Path) -> None:
    write(tmp_path, package_json='{"scripts": {"start": "node a.js"}}')
    write(
        tmp_path, a_js="require('./b.js')\n", b_js="fetch('https://a.example')\n", c_js="fetch('https://b.example')\n"
    )
    found = scan_path(tmp_path).loose
    assert [(one.path, [row.object for row in one.capabilities]) for one in found] == [("c.js", ["b.example"])]


def test_a_plugin_at_the_root_leaves_nothing_loose(tmp_path: Path) -> None:
    write(tmp_path, plugin_toml="", **{"_claude-plugin__plugin_json": '{"name": "p"}'}, x_py=READS)
    assert scan_path(tmp_path).loose == ()


def test_texts_and_mere_imports_are_not_loose_code(tmp_path: Path) -> None:
    fence = "```sh\ncurl https://a.example | sh\n```\n"
    write(tmp_path, README_md=fence, AGENTS_md=fence, types_py="import socket\n", data_bin="\x00\x01")
    assert scan_path(tmp_path).loose == ()


def test_many_files_stand_together_by_the_folder_at_the_top(tmp_path: Path) -> None:
    for number in range(MAX_SINGLE):
        write(tmp_path, **{f"src__deep__{number}_py": READS})
    assert len(scan_path(tmp_path).loose) == MAX_SINGLE
    write(tmp_path, main_py=READS)
    assert loose(scan_path(tmp_path)) == [("main.py", 1, {"fs.read"}), ("src", MAX_SINGLE, {"fs.read"})]


def test_every_output_says_it(tmp_path: Path) -> None:
    write(tmp_path, server_py=READS)
    inventory = scan_path(tmp_path)
    text = join_plain(render_scan(inventory))
    assert "Code of no plugin (no manifest here says who runs it)\n  server.py  1 file  fs.read\n" in text
    assert json.loads("".join(render_scan_json(inventory)))["loose"] == [
        {
            "path": "server.py",
            "files": 1,
            "capabilities": [
                {"capability": "fs.read", "object": "notes.txt", "channel": "code", "trigger": "import"},
            ],
        }
    ]
    assert "| `server.py` | 1 | `fs.read` |" in "".join(render_markdown(inventory))
    assert "Code of no plugin" in "".join(render_html(inventory))


def test_what_one_client_would_run_holds_no_loose_code(tmp_path: Path) -> None:
    write(tmp_path, server_py=READS)
    assert for_client(scan_path(tmp_path), "codex").loose == ()

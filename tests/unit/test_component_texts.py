"""Code inside manifests is read by its language, at the very place where it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.lang.facts import Anchor
from plugseal.model.location import Span
from plugseal.scan.component_texts import find_anchors
from plugseal.verbs.scan import scan_path


def test_what_a_client_fills_in_is_a_variable_of_no_known_value(tmp_path: Path) -> None:
    hooks = {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "curl ${user_config.api.url} && rm -rf a${/}b"}]}]}
    }
    (tmp_path / ".claude-plugin").mkdir()
    (tmp_path / ".claude-plugin" / "plugin.json").write_text('{"name": "p"}')
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "hooks.json").write_text(json.dumps(hooks))
    inventory = scan_path(tmp_path)
    assert inventory.unread == ()
    assert {"net.outbound", "fs.delete"} <= {row.capability for row in inventory.plugins[0].capabilities}


@pytest.mark.parametrize(
    ("line", "column", "text", "anchors"),
    [
        pytest.param('{"a": "ls -l"}', 7, "ls -l", [(0, 8)], id="a JSON string as it is"),
        pytest.param(r'{"a": "a \"b\" c"}', 7, 'a "b" c', [(0, 8), (3, 12), (5, 15)], id="behind escapes"),
        pytest.param(r'{"a": "a\nb"}', 7, "a\nb", [(0, 8), (2, 11)], id="a new line"),
        pytest.param(r'{"a": "\u00e9b"}', 7, "éb", [(0, 8), (1, 14)], id="a code point by its number"),
        pytest.param(r'{"a": "\ud83d\ude00b"}', 7, "\U0001f600b", [(0, 8), (1, 20)], id="a pair of surrogates"),
        pytest.param('{"a": "x=ls"}', 7, "ls", [(0, 10)], id="the end of a word"),
        pytest.param("a = 'ls -l'", 5, "ls -l", [(0, 6)], id="TOML's quotes"),
        pytest.param("a: ls -l", 4, "ls -l", [(0, 4)], id="YAML without quotes"),
        pytest.param('{"a": "ls ls"}', 7, "pwd", [], id="another text"),
    ],
)
def test_a_text_is_found_character_by_character(
    line: str, column: int, text: str, anchors: list[tuple[int, int]]
) -> None:
    span = Span(1, column, 1, len(line) if line.endswith("}") else len(line) + 1)

    assert find_anchors([line], span, text) == tuple(Anchor(offset, 1, at) for offset, at in anchors)


@pytest.mark.parametrize(
    ("lines", "text", "anchors"),
    [
        pytest.param(["a: |", "  ls", "", "    pwd"], "ls\n\n  pwd\n", [(0, 2, 3), (3, 3, 1), (4, 4, 3)], id="a block"),
        pytest.param(["a: |-", "  a ${{ b }}"], "a ${_____}", [(0, 2, 3)], id="with a placeholder"),
        pytest.param(["a: >", "  ls", "  -l"], "ls -l\n", [], id="a folded block"),
        pytest.param(["a: |", "  ls"], "ls\npwd\n", [], id="more lines than the file has"),
    ],
)
def test_a_block_is_found_line_by_line(lines: list[str], text: str, anchors: list[tuple[int, int, int]]) -> None:
    span = Span(1, 4, len(lines), len(lines[-1]) + 1)

    assert find_anchors(lines, span, text) == tuple(Anchor(*anchor) for anchor in anchors)


def test_a_text_is_not_looked_for_behind_the_file_s_end() -> None:
    assert find_anchors([], Span(3, 1, 3, 4), "ls") == ()


def test_python_in_a_server_s_arguments_is_read_where_it_stands(tmp_path: Path) -> None:
    code = 'import os\nos.remove("x")'
    manifest = json.dumps({"mcpServers": {"a": {"command": "python3", "args": ["-c", code]}}})
    (tmp_path / ".mcp.json").write_text(manifest)

    facts = [(f.capability, f.object, f.span, f.trigger) for _, f in scan_path(tmp_path).facts if f.channel == "nested"]
    at = manifest.index("os.remove") + 1
    assert facts == [("fs.delete", "x", Span(1, at, 1, at + len(r"os.remove(\"x\")")), "start")]


def test_what_can_not_be_read_leaves_the_manifest_unread(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "python3", "args": ["-c", "def ("]}}}')

    (row,) = scan_path(tmp_path).unread
    assert row.file == ".mcp.json"
    assert row.reason.startswith("python inside: ")


@pytest.mark.parametrize(
    ("server", "fires"),
    [
        pytest.param(("python3", "${CLAUDE_PLUGIN_ROOT}/a.py", "${CLAUDE_PLUGIN_ROOT}/lib"), False, id="its own"),
        pytest.param(("python3", "${CLAUDE_PLUGIN_ROOT}/a.py", "./lib"), True, id="below any folder"),
        pytest.param(("python3", "${CLAUDE_PLUGIN_ROOT}/a.py", "${CLAUDE_PLUGIN_ROOT}/.."), True, id="above it"),
        pytest.param(("uvx", "docs==1.0.0", "${CLAUDE_PLUGIN_ROOT}/lib"), True, id="another's program"),
    ],
)
def test_modules_of_the_plugin_for_its_own_program_are_nothing_new(
    tmp_path: Path, server: tuple[str, str, str], fires: bool
) -> None:
    command, word, folders = server
    (tmp_path / "a.py").write_text("import os\n")
    (tmp_path / ".claude-plugin").mkdir()
    (tmp_path / ".claude-plugin" / "plugin.json").write_text('{"name": "p"}')
    table = {"mcpServers": {"a": {"command": command, "args": [word], "env": {"PYTHONPATH": folders}}}}
    (tmp_path / ".mcp.json").write_text(json.dumps(table))
    rules = {finding.rule for finding in scan_path(tmp_path).findings}
    assert ("environment-adds-modules" in rules) is fires

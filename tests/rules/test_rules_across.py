"""Servers of two plugins whose names become one where hosts join them with the plugin's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.verbs.scan import scan_path


def plant(root: Path, plugins: dict[str, tuple[str, str]], *, manifest: str = ".claude-plugin/plugin.json") -> Path:
    """Write plugins by folder, each with its name and the name of its one server; return the root."""
    for folder, (name, server) in plugins.items():
        path = root / folder / manifest
        path.parent.mkdir(parents=True)
        servers = {server: {"command": "node", "args": ["server.js"]}}
        path.write_text(json.dumps({"name": name, "version": "1.0.0", "mcpServers": servers}))
        (root / folder / "server.js").write_text("serve();\n")
    return root


def notes(root: Path) -> list[tuple[str, str]]:
    return [(f.file, f.note) for f in scan_path(root).findings if f.rule == "colliding-names"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(("a_b", "c"), ("a", "b_c"), id="an underscore that moves"),
        pytest.param(("a.b", "c"), ("a", "b.c"), id="a dot that moves"),
        pytest.param(("a", "b/c"), ("a_b", "c"), id="another sign"),
    ],
)
def test_one_name_of_two_servers_is_found_at_the_later(
    tmp_path: Path, first: tuple[str, str], second: tuple[str, str]
) -> None:
    root = plant(tmp_path, {"p1": first, "p2": second})
    note = f"with its plugin's name it becomes that of `{first[1]}` in `{first[0]}`"
    assert notes(root) == [("p2/.claude-plugin/plugin.json", note)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(("a", "c"), ("b", "c"), id="one server of two plugins"),
        pytest.param(("a", "c"), ("a", "c"), id="two copies of a plugin"),
        pytest.param(("a-b", "c"), ("a", "b-c"), id="a hyphen, which is kept"),
        pytest.param(("a", "b"), ("ab", "c"), id="other words"),
    ],
)
def test_names_that_stay_two_are_silent(tmp_path: Path, first: tuple[str, str], second: tuple[str, str]) -> None:
    assert notes(plant(tmp_path, {"p1": first, "p2": second})) == []


def test_hosts_that_keep_the_names_apart_are_silent(tmp_path: Path) -> None:
    for folder, name, server in (("p1", "a-b", "c"), ("p2", "a", "b-c")):
        (tmp_path / folder).mkdir()
        text = (
            f'schema_version = 1\n[plugin]\nname = "{name}"\nversion = "1.0.0"\n[mcp_servers.{server}]\ncommand = "x"\n'
        )
        (tmp_path / folder / "plugin.toml").write_text(text)
    assert notes(tmp_path) == []

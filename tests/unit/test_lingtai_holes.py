"""What lingtai lets through or crashes on is a clear problem here: a fault, or a finding of a rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugseal.verbs.scan import scan_path

SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
SKILL = "---\nname: {}\ndescription: Says hello.\n---\nHello.\n"


def package(root: Path, manifest: dict[str, Any] | bytes | None = None, **server: Any) -> Path:
    """Write a package with some fields of its manifest set, or given as bytes, and one server; return its folder."""
    root.mkdir(exist_ok=True)
    fields = {"$schema": f"{SCHEMAS}/plugin.schema.json", "name": "p"}
    data = manifest if isinstance(manifest, bytes) else json.dumps({**fields, **(manifest or {})}).encode()
    (root / "plugin.json").write_bytes(data)
    if server:
        document = {"$schema": f"{SCHEMAS}/mcp.schema.json", "mcpServers": {"s": server}}
        (root / "mcp.json").write_text(json.dumps(document))
    return root


def said(root: Path) -> tuple[set[tuple[str, str]], set[str]]:
    """Return the faults as (file, field) of a package, and the rules that fire."""
    inventory = scan_path(root)
    (plugin,) = [report.plugin for report in inventory.plugins if report.plugin.system == "agent-plugins"]
    return {(fault.file, fault.field) for fault in plugin.faults}, {finding.rule for finding in inventory.findings}


@pytest.mark.parametrize(
    ("manifest", "field"),
    [
        pytest.param({"name": "a\n"}, "name", id="a name with a final line end"),
        pytest.param({"author": {"x": 1}}, "author.x", id="an author with other keys"),
        pytest.param({"author": {"name": 1}}, "author.name", id="an author's name a number"),
        pytest.param(b'{"name": "\xff"}', "", id="no UTF-8"),
        pytest.param(b'{"a":' * 200_000, "", id="nested without end"),
        pytest.param(b'{"name": "p", "name": "q"}', "", id="a key twice"),
    ],
)
def test_a_manifest_is_a_fault(manifest: dict[str, Any] | bytes, field: str, tmp_path: Path) -> None:
    (tmp_path / "p" / "skills" / "hello").mkdir(parents=True)
    (tmp_path / "p" / "skills" / "hello" / "SKILL.md").write_text(SKILL.format("hello"))
    faults, rules = said(package(tmp_path / "p", manifest))
    assert ("plugin.json", field) in faults
    assert "broken-manifest" in rules


@pytest.mark.parametrize(
    ("server", "field"),
    [
        pytest.param({"command": "lnk/passwd"}, "command", id="a path without a dot, through a link out"),
        pytest.param({"command": "./lnk/passwd"}, "command", id="a path through a link out"),
        pytest.param({"command": "x", "cwd": "/"}, "cwd", id="the root of the machine"),
        pytest.param({"command": "x", "env": {"PLUGIN_ROOT": "/"}}, "env.PLUGIN_ROOT", id="the client's own variable"),
        pytest.param({"command": "x", "unknown": 1}, "unknown", id="an unknown key"),
        pytest.param({"command": "x", "url": "https://h.invalid"}, "url", id="a key of another transport"),
        pytest.param({"type": "sse", "url": "javascript:alert(1)"}, "url", id="a script"),
        pytest.param({"type": "sse", "url": "http://h.invalid/"}, "url", id="no TLS"),
        pytest.param({"type": "sse", "url": "https://user:pass@h.invalid/"}, "url", id="a login"),
    ],
)
def test_a_server_is_a_fault(server: dict[str, Any], field: str, tmp_path: Path) -> None:
    root = package(tmp_path / "p", **{"type": "stdio", **server})
    (root / "lnk").symlink_to("/etc")
    faults, _ = said(root)
    assert ("mcp.json", f"mcpServers.s.{field}") in faults


@pytest.mark.parametrize(
    ("server", "rule"),
    [
        pytest.param({"env": {"LD_PRELOAD": "./x.so"}}, "environment-loads-code", id="a library that is preloaded"),
        pytest.param({"args": ["--config=../../etc/passwd"]}, "outside-path-argument", id="a path in an option"),
        pytest.param({"args": ["${PLUGIN_ROOT}/../x"]}, "outside-path-argument", id="a path out of the root"),
        pytest.param({"args": ["-y", "x@latest"], "command": "npx"}, "unpinned-server", id="the newest of a package"),
    ],
)
def test_what_the_specification_allows_is_found_by_a_rule(server: dict[str, Any], rule: str, tmp_path: Path) -> None:
    faults, rules = said(package(tmp_path / "p", **{"type": "stdio", "command": "node", **server}))
    assert faults == set()
    assert rule in rules


@pytest.mark.parametrize(
    ("link", "target", "file"),
    [
        pytest.param("skills/s1/SKILL.md", "/etc/passwd", "skills/s1/SKILL.md", id="a skill's text"),
        pytest.param("skills/s1", "/etc", "skills/s1", id="a skill's folder"),
        pytest.param("skills/g/up", "..", "skills/g/up", id="a circle"),
        pytest.param("mcp.json", "/etc/passwd", "mcp.json", id="the servers"),
    ],
)
def test_a_link_that_leads_out_or_round_is_said(link: str, target: str, file: str, tmp_path: Path) -> None:
    root = package(tmp_path / "p")
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(target)
    inventory = scan_path(root)
    spoken_of = {fault.path for fault in inventory.faults} | {unread.file for unread in inventory.unread}
    assert file in spoken_of
    assert inventory.plugins
    assert [report.id for report in inventory.plugins if report.content_receipt is not None] == []


def test_a_manifest_that_is_a_link_out_is_said(tmp_path: Path) -> None:
    root = package(tmp_path / "p", command="x", type="stdio")
    (root / "plugin.json").rename(tmp_path / "elsewhere.json")
    (root / "plugin.json").symlink_to("../elsewhere.json")
    inventory = scan_path(root)
    assert "plugin.json" in {fault.path for fault in inventory.faults}
    assert [report.id for report in inventory.plugins if report.content_receipt is not None] == []


def test_a_thousand_nested_folders_of_skills_end(tmp_path: Path) -> None:
    root = package(tmp_path / "p")
    folder = root / "skills"
    for _ in range(300):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format("d"))
    assert scan_path(root).plugins

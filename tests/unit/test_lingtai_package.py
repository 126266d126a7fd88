"""What lingtai would make of a package, rule by rule, and each of its crashes and leaks as a verdict of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Plugin
from plugseal.scan.discover import Keeper, discover

PLUGIN_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
MCP_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
SKILL = "---\nname: x\ndescription: d\n---\n"


def _write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def _manifest(**fields: Any) -> str:
    return json.dumps({"$schema": PLUGIN_SCHEMA, "name": "alpha"} | fields)


def _servers(**servers: Any) -> str:
    return json.dumps({"$schema": MCP_SCHEMA, "mcpServers": servers})


def _link(root: Path, links: dict[str, str]) -> None:
    for name, target in links.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)


def _plugin(root: Path) -> Plugin:
    keeper = Keeper()
    read_tree(root, keeper)
    [plugin] = [plugin for plugin in discover(keeper.listing()) if plugin.system == "agent-plugins"]
    return plugin


def _lingtai(root: Path) -> dict[str, Any]:
    verdict = _plugin(root).hosts[0]
    assert verdict.host == "lingtai"
    return {"loads": verdict.loads, "summary": verdict.summary, **json.loads(verdict.data)}


def _of_server(tmp_path: Path, spec: Any, name: str = "s") -> dict[str, Any]:
    _write(tmp_path, {"plugin.json": _manifest(), "mcp.json": _servers(**{name: spec}), "bin/serve": "x"})
    return _lingtai(tmp_path)


MANIFESTS = [
    pytest.param(_manifest(), "", id="least"),
    pytest.param(json.dumps({"name": "alpha"}), "non-string required field: $schema", id="no schema"),
    pytest.param(_manifest(**{"$schema": "x/2.0.0"}), "unsupported $schema 'x/2.0.0'", id="another schema"),
    pytest.param(_manifest(**{"$schema": ""}), "non-string required field: $schema", id="empty schema"),
    pytest.param(json.dumps({"$schema": PLUGIN_SCHEMA}), "required field: name", id="no name"),
    pytest.param(_manifest(name=""), "required field: name", id="empty name"),
    pytest.param(_manifest(name="a" * 64), "", id="name of 64"),
    pytest.param(_manifest(name="a" * 65), "name too long (65 > 64 chars)", id="name of 65"),
    *[
        pytest.param(_manifest(name=name), "invalid name", id=f"name {name}")
        for name in ("My-Plugin", "-leading", "trailing-", "a--b", "a..b")
    ],
    *[pytest.param(_manifest(name=name), "", id=f"name {name}") for name in ("my-plugin", "acme.tools", "lint3r", "a")],
    pytest.param(_manifest(version=1), "version must be a string", id="version number"),
    pytest.param(_manifest(version=None), "", id="version null"),
    pytest.param(_manifest(homepage=[]), "homepage must be a string", id="homepage list"),
    pytest.param(_manifest(keywords="a"), "keywords must be a list of strings", id="keywords text"),
    pytest.param(_manifest(keywords=[1]), "keywords must be a list of strings", id="keywords of numbers"),
    pytest.param(_manifest(author="me"), "author must be an object", id="author text"),
    pytest.param(_manifest(extensions=[]), "extensions must be an object", id="extensions list"),
    pytest.param("{not json", "cannot read plugin.json", id="not JSON"),
    pytest.param("[]", "plugin.json must be a JSON object", id="list"),
    pytest.param("\ufeff" + _manifest(), "cannot read plugin.json", id="byte order mark"),
    pytest.param(_manifest().replace('"name"', '"name": "beta", "name"'), "", id="last of repeated keys"),
]


@pytest.mark.parametrize(("text", "reason"), MANIFESTS)
def test_a_manifest_is_taken_or_rejected(text: str, reason: str, tmp_path: Path) -> None:
    _write(tmp_path, {"plugin.json": text, "skills/x/SKILL.md": SKILL})
    said = _lingtai(tmp_path)
    assert said["loads"] == (not reason)
    assert reason in (said["rejected"] or "")
    assert said["skills"] == ([] if reason else ["x"])


GATED = [
    pytest.param("./bin/serve", "<root>/bin/serve", id="plugin-relative"),
    pytest.param("./", "<root>", id="the root itself"),
    pytest.param("./bin/../bin/serve", "<root>/bin/serve", id="dot-dot inside"),
    pytest.param("bin/../bin/serve", "<root>/bin/serve", id="relative with dot-dot inside"),
    pytest.param("./not/there", "<root>/not/there", id="not there"),
    pytest.param("./inside/x", "<root>/bin/x", id="through a link inside"),
    pytest.param("${PLUGIN_ROOT}/bin/serve", "<root>/bin/serve", id="placeholder"),
    pytest.param("${PLUGIN_ROOT}", "<root>", id="placeholder alone"),
    pytest.param("${PLUGIN_ROOT}bin", "<root>/bin", id="placeholder glued"),
    pytest.param("${PLUGIN_ROOT}/sub/..", "<root>", id="placeholder back to the root"),
    *[
        pytest.param(value, value, id=f"passes {value!r}")
        for value in ("node", "-c", "/usr/bin/env", "${HOME}/x", "a/b", "/x/../y", "~/x", "--a=b/c", "...")
    ],
    *[
        pytest.param(value, None, id=f"refused {value!r}")
        for value in (
            "../../bin/sh",
            "..",
            "sub/../../../bin/sh",
            "./../escape.js",
            "./../../bin/sh",
            "${PLUGIN_ROOT}/../outside",
            "${PLUGIN_ROOT}../outside",
            "./outside/x",
            ".//etc/passwd",
        )
    ],
]


@pytest.mark.parametrize("field", ["command", "cwd", "args"])
@pytest.mark.parametrize(("value", "becomes"), GATED)
def test_a_path_is_rewritten_refused_or_passed(value: str, becomes: str | None, field: str, tmp_path: Path) -> None:
    spec: dict[str, Any] = {"type": "stdio", "command": "node"} | {field: [value] if field == "args" else value}
    _link(tmp_path, {"inside": "bin", "outside": "../elsewhere"})
    said = _of_server(tmp_path, spec)
    if becomes is None:
        where = "args[0]" if field == "args" else field
        assert [row["component"] for row in said["skipped"]] == ["mcp:s"]
        assert f"skipped: {where}: plugin-relative path escapes plugin root" in said["skipped"][0]["reason"]
        assert value in said["skipped"][0]["reason"]
        assert said["records"] == []
        return
    [record] = said["records"]
    assert record.get(field, "") == ([becomes] if field == "args" else becomes)
    assert said["skipped"] == []


def test_backslashes_that_lead_out_on_windows_are_refused_everywhere(tmp_path: Path) -> None:
    said = _of_server(tmp_path, {"type": "stdio", "command": "python3", "args": ["..\\..\\x.py"]})
    assert "on Windows" in said["skipped"][0]["reason"]
    assert said["records"] == []


def test_backslashes_that_stay_inside_pass(tmp_path: Path) -> None:
    said = _of_server(tmp_path, {"type": "stdio", "command": "python3", "args": ["bin\\..\\x.py"]})
    assert said["records"][0]["args"] == ["bin\\..\\x.py"]


@pytest.mark.parametrize(
    ("value", "becomes"),
    [
        pytest.param("--config=../../etc/passwd", "<root>/etc/passwd", id="a flag"),
        pytest.param("${PLUGIN_DATA}/../x", "<root>/x", id="another placeholder"),
        pytest.param("a:../../x", "<root>/x", id="a pair"),
        pytest.param("-c ../../x.json", "<root>/x.json", id="a flag and a space"),
    ],
)
def test_an_argument_that_holds_a_path_is_rewritten_wrongly_and_said_so(
    value: str, becomes: str, tmp_path: Path
) -> None:
    said = _of_server(tmp_path, {"type": "stdio", "command": "node", "args": [value]})
    [row] = said["rewritten"]
    assert (row["declared"], row["becomes"]) == (value, becomes)
    assert "rewritten wrongly" in row["note"]
    assert said["records"][0]["args"] == [becomes]


SERVERS = [
    pytest.param("x", "configuration must be an object", id="no table"),
    pytest.param({"command": "x"}, "invalid type None", id="no type"),
    pytest.param({"type": "http", "url": "u"}, "invalid type 'http'", id="unknown type"),
    pytest.param({"type": "stdio"}, "stdio transport requires a non-empty 'command'", id="no command"),
    pytest.param({"type": "stdio", "command": ""}, "requires a non-empty 'command'", id="empty command"),
    pytest.param({"type": "stdio", "command": 1}, "command must be a string", id="command number"),
    pytest.param({"type": "stdio", "command": "x", "cwd": 1}, "cwd must be a string", id="cwd number"),
    pytest.param({"type": "stdio", "command": "x", "args": "y"}, "args must be a list of strings", id="args text"),
    pytest.param({"type": "stdio", "command": "x", "args": [1]}, "args must be a list of strings", id="args numbers"),
    pytest.param({"type": "stdio", "command": "x", "env": []}, "env must be an object", id="env list"),
    pytest.param({"type": "stdio", "command": "x", "env": {"A": 1}}, "env must map strings", id="env number"),
    pytest.param({"type": "sse"}, "sse transport requires a non-empty 'url'", id="no url"),
    pytest.param({"type": "sse", "url": "u", "headers": {"A": 1}}, "headers must map strings", id="headers number"),
    pytest.param({"type": "sse", "url": "u", "headers": "x"}, "headers must be an object", id="headers text"),
]


@pytest.mark.parametrize(("spec", "reason"), SERVERS)
def test_a_server_without_its_shape_is_skipped(spec: Any, reason: str, tmp_path: Path) -> None:
    said = _of_server(tmp_path, spec)
    assert [row["component"] for row in said["skipped"]] == ["mcp:s"]
    assert reason in said["skipped"][0]["reason"]
    assert said["loads"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("{", "cannot read mcp.json", id="not JSON"),
        pytest.param("[]", "mcp.json must be a JSON object", id="list"),
        pytest.param(json.dumps({"mcpServers": {}}), "unsupported mcp.json $schema None", id="no schema"),
        pytest.param(json.dumps({"$schema": MCP_SCHEMA}), "mcpServers must be an object", id="no servers"),
    ],
)
def test_a_bad_configuration_costs_its_servers_alone(text: str, reason: str, tmp_path: Path) -> None:
    _write(tmp_path, {"plugin.json": _manifest(), "mcp.json": text, "skills/x/SKILL.md": SKILL})
    said = _lingtai(tmp_path)
    assert (said["loads"], said["skills"], said["mcp_servers"]) == (True, ["x"], [])
    assert reason in said["skipped"][0]["reason"]


def test_further_keys_of_the_configuration_are_not_looked_at(tmp_path: Path) -> None:
    text = json.dumps({"$schema": MCP_SCHEMA, "mcpServers": {"s": {"type": "stdio", "command": "x"}}, "inputs": 1})
    _write(tmp_path, {"plugin.json": _manifest(), "mcp.json": text})
    assert _lingtai(tmp_path)["mcp_registered"] == ["s"]


def test_servers_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    spec = {"type": "stdio", "command": "x"}
    text = json.dumps({"$schema": MCP_SCHEMA, "mcpServers": {"b": spec, "a-b": spec, "a": spec}})
    _write(tmp_path, {"plugin.json": _manifest(), "mcp.json": text})
    assert _lingtai(tmp_path)["mcp_servers"] == ["a", "a-b", "b"]


def test_groups_of_skills_are_walked_and_labelled(tmp_path: Path) -> None:
    files = {f"skills/{name}/SKILL.md": SKILL for name in ("top", "group/nested", "group/deep/er", ".hidden")}
    _write(tmp_path, {"plugin.json": _manifest(), "skills/loose.txt": "x", "skills/empty/.keep": "x"} | files)
    said = _lingtai(tmp_path)
    assert said["skills"] == ["group/deep/er", "group/nested", "top"]
    assert said["skipped"] == []


def test_a_folder_with_loose_files_and_no_skill_is_corrupted(tmp_path: Path) -> None:
    _write(tmp_path, {"plugin.json": _manifest(), "skills/bad/x.txt": "x", "skills/bad/in/SKILL.md": SKILL})
    said = _lingtai(tmp_path)
    assert said["skills"] == []
    assert said["skipped"] == [
        {
            "component": "skills/bad",
            "reason": "skill 'bad' skipped: no SKILL.md and has loose files — corrupted",
        }
    ]


def test_a_skill_folder_that_leads_out_is_skipped_and_the_plugin_stays(tmp_path: Path) -> None:
    _write(tmp_path, {"p/plugin.json": _manifest(), "p/skills/ok/SKILL.md": SKILL, "out/SKILL.md": SKILL})
    _link(tmp_path / "p", {"skills/away": "../../out"})
    said = _lingtai(tmp_path / "p")
    assert (said["loads"], said["skills"]) == (True, ["ok"])
    assert "escapes plugin root: './skills/away'" in said["skipped"][0]["reason"]


# Defects: what crashes lingtai, or lets it reach what it should not, is a clear word here and never a crash of ours.


@pytest.mark.parametrize(
    ("files", "links", "error"),
    [
        pytest.param({"plugin.json": b'{"name": "\xff"}'}, {}, "UnicodeDecodeError", id="not UTF-8"),
        pytest.param({"plugin.json": _manifest().encode("utf-16")}, {}, "UnicodeDecodeError", id="UTF-16"),
        pytest.param({"plugin.json": "[" * 2000 + "]" * 2000}, {}, "RecursionError", id="deep JSON"),
        pytest.param({"plugin.json": '{"x": ' + "9" * 5000 + "}"}, {}, "ValueError", id="a number without end"),
        pytest.param({"mcp.json": b"\xff"}, {}, "UnicodeDecodeError", id="servers not UTF-8"),
        pytest.param(
            {"skills/g/in/SKILL.md": SKILL}, {"skills/g/up": ".."}, "RecursionError", id="a circle of folders"
        ),
        pytest.param({"skills/" + "a/" * 300 + "SKILL.md": SKILL}, {}, "RecursionError", id="deep folders"),
        pytest.param(
            {"mcp.json": _servers(s={"type": "stdio", "command": "./a\0b"})}, {}, "ValueError", id="NUL in a path"
        ),
        pytest.param({"mcp.json": _servers(s={"type": ["stdio"]})}, {}, "TypeError", id="a type that can't be hashed"),
        pytest.param(
            {"mcp.json": _servers(s={"type": "stdio", "command": "x", "env": {"A": "\ud800"}})},
            {},
            "UnicodeEncodeError",
            id="a lone surrogate in a record",
        ),
    ],
)
def test_what_crashes_lingtai_is_said(
    files: dict[str, str | bytes], links: dict[str, str], error: str, tmp_path: Path
) -> None:
    _write(tmp_path, {"plugin.json": _manifest()} | files)
    _link(tmp_path, links)
    said = _lingtai(tmp_path)
    assert not said["loads"]
    assert said["crashes"][0].startswith(error)
    assert said["summary"].startswith("crashes: ")


def test_links_that_show_the_same_folders_again_and_again_end_in_bounded_work(tmp_path: Path) -> None:
    _write(tmp_path, {"plugin.json": _manifest(), "skills/g0/end/none": "x"})
    _link(tmp_path, {f"skills/g{n}/{side}": f"../g{n - 1}" for n in range(1, 40) for side in "ab"})
    said = _lingtai(tmp_path)
    assert any("without end" in crash for crash in said["crashes"])


LET_THROUGH = [
    pytest.param({"plugin.json": _manifest(name="a\n")}, "plugin.json", "`name`", id="a final newline in the name"),
    pytest.param({"plugin.json": _manifest(author={"x": 1})}, "plugin.json", "`author.x`", id="author with junk"),
    pytest.param({"plugin.json": _manifest(hooks=1)}, "plugin.json", "`hooks`", id="unknown fields"),
    *[
        pytest.param({"mcp.json": _servers(s=spec)}, "mcp:s", what, id=name)
        for name, spec, what in (
            ("a path without dot", {"type": "stdio", "command": "a/b"}, "`command`"),
            ("cwd of the machine", {"type": "stdio", "command": "x", "cwd": "/"}, "`cwd`"),
            ("env PLUGIN_ROOT", {"type": "stdio", "command": "x", "env": {"PLUGIN_ROOT": "/"}}, "`env.PLUGIN_ROOT`"),
            ("a script URL", {"type": "sse", "url": "javascript:x"}, "`url`"),
            ("plain HTTP", {"type": "sse", "url": "http://a.invalid/"}, "`url`"),
            ("a login in a URL", {"type": "sse", "url": "https://u:p@a.invalid/"}, "`url`"),
            ("unknown keys", {"type": "stdio", "command": "x", "y": 1}, "`y`"),
            ("keys of another transport", {"type": "stdio", "command": "x", "url": "u"}, "`url`"),
            ("a record of two lines", {"type": "stdio", "command": "x", "env": {"A": "a\u2028b"}}, "two lines"),
        )
    ],
]


@pytest.mark.parametrize(("files", "component", "what"), LET_THROUGH)
def test_what_lingtai_lets_through_is_said(
    files: dict[str, str | bytes], component: str, what: str, tmp_path: Path
) -> None:
    _write(tmp_path, {"plugin.json": _manifest()} | files)
    said = _lingtai(tmp_path)
    assert said["loads"]
    assert [row["component"] for row in said["lets_through"]] == [component]
    assert what in said["lets_through"][0]["what"]


def test_a_command_behind_a_link_out_passes_and_is_said(tmp_path: Path) -> None:
    _link(tmp_path, {"lnk": "/etc"})
    said = _of_server(tmp_path, {"type": "stdio", "command": "lnk/passwd"})
    assert said["records"][0]["command"] == "lnk/passwd"
    assert any("leads out of the plugin" in row["what"] for row in said["lets_through"])


def test_a_skill_file_that_is_a_link_out_is_mounted_unseen(tmp_path: Path) -> None:
    _write(tmp_path, {"plugin.json": _manifest()})
    _link(tmp_path, {"skills/s1/SKILL.md": "/etc/passwd"})
    said = _lingtai(tmp_path)
    assert said["skills"] == ["s1"]
    assert said["lets_through"][0]["component"] == "skills/s1"


@pytest.mark.parametrize("file", ["plugin.json", "mcp.json"])
def test_a_document_that_is_a_link_out_is_read_unseen(file: str, tmp_path: Path) -> None:
    _write(tmp_path, {"p/plugin.json": _manifest(), "p/skills/x/SKILL.md": SKILL, "out.json": _manifest(name="out")})
    (tmp_path / "p" / file).unlink(missing_ok=True)
    _link(tmp_path / "p", {file: "../out.json"})
    said = _lingtai(tmp_path / "p")
    assert said["lets_through"][0]["component"] == file
    assert "out" not in said["mcp_servers"]
    assert said["loads"] == (file == "mcp.json")


def test_the_verdict_is_the_same_wherever_the_package_lies(tmp_path: Path) -> None:
    verdicts = []
    for name in ("one", "two"):
        root = tmp_path / name
        _write(root, {"plugin.json": _manifest(), "mcp.json": _servers(s={"type": "stdio", "command": "./x"})})
        verdicts.append(_plugin(root).hosts)
    assert verdicts[0] == verdicts[1]

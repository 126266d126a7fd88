"""`plugseal validate`: every fault with its place, or that a plugin conforms; in text, in JSON, and by exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main

SOUND = '{"id": "labels", "version": "1", "command": "true"}'


def _coding(folder: Path, manifest: str = SOUND) -> Path:
    folder.mkdir(parents=True)
    (folder / "coding-plugin.json").write_text(manifest)
    return folder


def _run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["validate", *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_plugin_that_keeps_the_rules_conforms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, _coding(tmp_path / "p"))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "1 plugin conforms"
    assert "  conforms\n" in out


def test_every_fault_is_told_with_file_line_and_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _coding(tmp_path / "p", '{\n "id": "",\n "command": "x",\n "tools": [\n  {"name": 1}\n ],\n "y": 1\n}\n')
    code, out, _ = _run(capsys, folder)
    assert code == 1
    faults = [row.split("  ")[2:] for row in out.splitlines() if row.startswith("  fault")]
    assert faults == [
        ["coding-plugin.json", "`version`: is missing"],
        ["coding-plugin.json:2", "`id`: must not be blank"],
        ["coding-plugin.json:5", "`tools.0.inputSchema`: is missing"],
        ["coding-plugin.json:5", "`tools.0.name`: must be text, not a number"],
        ["coding-plugin.json:7", "`y`: has no meaning in a Coding plugin"],
    ]
    assert out.splitlines()[-1] == "1 plugin, 5 faults in 1"


def test_one_broken_plugin_hides_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _coding(tmp_path / "a", "{")
    _coding(tmp_path / "b")
    code, out, _ = _run(capsys, tmp_path)
    assert code == 1
    assert "labels 1  coding" in out
    assert out.splitlines()[-1] == "2 plugins, 1 fault in 1"


def test_a_place_without_plugins_is_nothing_to_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, tmp_path)
    assert (code, out) == (3, "")
    assert err.startswith("error: no plugin there")


@pytest.mark.parametrize(
    ("export", "code"),
    [
        pytest.param('{ name: "p" }', 0, id="read"),
        pytest.param('{ name: "p", ...more }', 4, id="in part"),
        pytest.param("make()", 4, id="not at all"),
        pytest.param("{ name: 7 }", 1, id="a fault"),
    ],
)
def test_what_could_not_be_read_is_no_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], export: str, code: int
) -> None:
    folder = tmp_path / ".amness" / "plugins"
    folder.mkdir(parents=True)
    (folder / "p.ts").write_text(f"export default {export};")
    assert _run(capsys, tmp_path)[0] == code


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["nothing-here"], 2, id="a name of nothing"),
        pytest.param(["./nothing-here"], 4, id="a path to nothing"),
        pytest.param(["--nothing"], 2, id="an unknown option"),
        pytest.param([".", "."], 2, id="too many words"),
    ],
)
def test_wrong_words_have_their_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _run(capsys, *words)[0] == code


def test_quiet_is_the_count_line_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(capsys, _coding(tmp_path / "p"), "-q") == (0, "1 plugin conforms\n", "")


def test_many_faults_are_cut_and_never_silently(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = ", ".join(f'"k{number}": 1' for number in range(150))
    folder = _coding(tmp_path / "p", f'{{"id": "a", "version": "1", "command": "true", {keys}}}')
    _, out, _ = _run(capsys, folder)
    assert out.count("  fault  ") == 100
    assert "  and 50 more (all of them: `--verbose`)\n" in out
    assert _run(capsys, folder, "-v")[1].count("  fault  ") == 150


def test_the_json_holds_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _coding(tmp_path / "p", '{"id": "a",\n"version": 1, "command": "true"}')
    code, out, _ = _run(capsys, folder, "--format", "json")
    document: dict[str, Any] = json.loads(out)
    assert code == 1
    assert (document["format"], document["paths"], document["conforms"]) == (
        "plugseal.validate/1",
        [str(folder)],
        False,
    )
    (plugin,) = document["plugins"]
    assert plugin["id"].startswith("coding:a@")
    assert plugin["faults"] == [
        {"file": "coding-plugin.json", "line": 2, "field": "version", "message": "must be text, not a number"}
    ]
    assert plugin["hosts"]["coding"]["loads"] is False
    assert plugin["conforms"] is None


def test_the_verdict_of_a_host_stands_beside_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "manifest.json").write_text('{"id": "a", "version": "1", "protocol_version": 1.9, "main": "run"}')
    _, out, _ = _run(capsys, folder)
    assert "  amber  accepts it all the same; off until switched on\n" in out
    assert "`protocol_version`: must be an integer, not 1.9" in out


SKILL = "---\nname: {}\ndescription: Says hello.\n---\nHello.\n"


def _package(folder: Path, *, server: str = "{}", skill: str = "hello") -> Path:
    """Write an Agent Plugins package with a skill in `skills/hello` and one MCP server, return its folder."""
    (folder / "skills" / "hello").mkdir(parents=True)
    schemas = "https://agent-plugins.org/schemas/1.0.0"
    (folder / "plugin.json").write_text(f'{{"$schema": "{schemas}/plugin.schema.json", "name": "polite"}}')
    (folder / "skills" / "hello" / "SKILL.md").write_text(SKILL.format(skill))
    servers = f'{{"$schema": "{schemas}/mcp.schema.json", "mcpServers": {server}}}'
    (folder / "mcp.json").write_text(servers)
    return folder


def test_a_part_that_the_specification_skips_is_no_fault_and_no_conformity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = _run(capsys, _package(tmp_path / "p", skill="other"))
    assert code == 1
    assert "\n  no faults\n" in out
    assert "    skips skills/hello: `name` is not that of its folder `hello`\n" in out
    assert out.splitlines()[-1] == "1 plugin, no faults; 1 not loaded in full by the specification"
    document = json.loads(_run(capsys, tmp_path / "p", "--format", "json")[1])
    assert document["conforms"] is False


def test_a_skill_that_the_specification_rejects_does_not_conform(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "SKILL.md").write_text(SKILL.format("b"))
    code, out, _ = _run(capsys, tmp_path)
    assert code == 1
    assert "\n  no faults\n" in out
    assert "rejects it: `name` is not that of its folder `a`" in out


def test_what_hosts_refuse_and_skip_stands_below_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = '{"Loud": {"type": "stdio", "command": "echo", "env": {"A": "b"}}}'
    _, out, _ = _run(capsys, _package(tmp_path / "p", server=servers))
    lines = out.splitlines()
    lingtai = lines.index("  lingtai  if declared: 1 skill, 0 servers registered, 1 skipped")
    assert lines[lingtai + 1].startswith("    skips mcp:Loud: not registrable: ")
    codewhale = next(number for number, row in enumerate(lines) if row.startswith("  codewhale-0.9.10  "))
    assert lines[codewhale] == "  codewhale-0.9.10  refuses the bundle: 1 fault"
    assert lines[codewhale + 1].startswith("    plugin.json: `mcp_servers.Loud.env.A` must be exactly")


def test_a_fault_is_not_said_again_by_a_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "plugin.toml").write_text('schema_version = 1\n[plugin]\nname = "Bad"\nversion = "1.0.0"\n')
    _, out, _ = _run(capsys, folder)
    assert out.count("with a letter or digit at both ends") == 1
    assert "  codewhale-0.9.1  refuses the bundle: 1 fault\n  codewhale-0.9.10  refuses" in out


def test_many_notes_of_a_host_are_cut_and_never_silently(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = json.dumps({f"S{n}": {"type": "stdio", "command": "echo", "env": {"A": "b"}} for n in range(105)})
    folder = _package(tmp_path / "p", server=servers)
    _, out, _ = _run(capsys, folder)
    assert "    and 5 more (`--verbose`)\n" in out
    assert _run(capsys, folder, "-v")[1].count("    skips mcp:S") == 105


def test_among_many_plugins_those_that_conform_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(21):
        _coding(tmp_path / f"p{number}")
    _coding(tmp_path / "bad", "{}")
    code, out, _ = _run(capsys, tmp_path)
    assert code == 1
    assert out.count("  coding  ") == 2
    assert out.splitlines()[-3:] == [
        "21 plugins conform and are not shown (all of them: `--verbose`)",
        "",
        "22 plugins, 3 faults in 1",
    ]
    assert _run(capsys, tmp_path, "-v")[1].count("  conforms\n") == 21


def test_hostile_text_is_shown_safely(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _coding(tmp_path / "p", '{"id": "a\\u001b[2Kb", "version": "\\u202e", "command": "true", "\\u0007::x": 1}')
    for form in ("text", "json"):
        out = _run(capsys, folder, "--format", form)[1]
        assert not {"\x1b", "\u202e", "\x07"} & set(out)


def test_archives_are_judged_like_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("coding-plugin.json", SOUND)
    assert _run(capsys, tmp_path / "p.zip")[0] == 0

"""Commands on real trees, from the words to the exit code."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.cli.main import main

SERVER = """\
import os
import subprocess


def deploy(command):
    token = os.environ["DEPLOY_TOKEN"]
    return subprocess.run(command, shell=True, env={"T": token})
"""
MCP = '{"mcpServers": {"deploy": {"command": "python3", "args": ["server.py"]}}}\n'


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "deploy-helper"
    folder.mkdir()
    (folder / ".mcp.json").write_text(MCP)
    (folder / "server.py").write_text(SERVER)
    return folder


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("import os\nos.system('ls')\n")
    (folder / "b.py").write_text('"""os.system"""\n# os.system(x)\n')
    return folder


def _out(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_scan_ends_with_1_and_shows_the_place(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _out(capsys, "scan", plugin)
    assert (code, err) == (1, "")
    assert out.startswith("high[subprocess-shell]: ")
    assert "\n  --> server.py:7:12\n" in out
    assert out.splitlines()[-1] == f"next: `plugseal review {plugin}`"


def test_quiet_is_the_count_line_only(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, full, _ = _out(capsys, "scan", plugin)
    code, out, err = _out(capsys, "scan", plugin, "-q")
    assert (code, err) == (1, "")
    assert out.splitlines() == [full.splitlines()[-2]]


def test_explain_adds_the_pages_of_the_rules_that_fired(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _out(capsys, "scan", plugin, "--explain")
    assert out.count("\nsubprocess-shell (rule): ") == 1


def test_thresholds_and_exit_zero(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _out(capsys, "scan", plugin, "--fail-on", "never")[0] in (0, 4)
    assert _out(capsys, "scan", plugin, "--exit-zero")[0] == 0


def _clean(folder: Path) -> Path:
    (folder / "nested").mkdir(parents=True)
    (folder / "nested" / ".mcp.json").write_text('{"mcpServers": {}}\n')
    return folder


def _zipped(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(folder / "nested" / ".mcp.json", "nested/.mcp.json")
    return path


CLEAN = {
    "a directory": lambda folder: folder,
    "an archive": _zipped,
    "a file": lambda folder: folder / "nested" / ".mcp.json",
}


@pytest.mark.parametrize("where", CLEAN.values(), ids=CLEAN)
def test_next_works_as_pasted(
    where: Callable[[Path], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = _out(capsys, "scan", where(_clean(tmp_path / "a clone")))
    assert code == 0
    last = out.splitlines()[-1]
    assert last.startswith(("next: `plugseal review ", "next: `plugseal hash "))
    assert _out(capsys, *shlex.split(last[len("next: `plugseal ") : -1]))[0] == 0


def test_no_plugin_is_3_and_the_hint_works_as_pasted(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (plain / "a.py").write_text("x = 1\n")
    code, out, err = _out(capsys, "scan", plain, "--exit-zero")
    assert code == 3
    assert out.splitlines()[-1].startswith("no plugins, no findings; ")
    hint = err.splitlines()[-1]
    command = hint[hint.index("`plugseal ") + len("`plugseal ") : -1].split()
    assert main(command) == 0


def test_json_is_the_same_result_and_the_same_exit_code(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _out(capsys, "scan", plugin, "--format", "json")
    document = json.loads(out)
    assert (code, err) == (1, "")
    assert document["counts"]["high"] == 1
    assert document["findings"][0]["file"] == "server.py"
    assert document["plugins"][0]["system"] == "mcp-config"


def test_the_variable_chooses_the_format_and_the_option_wins(
    plugin: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUGSEAL_FORMAT", "json")
    assert _out(capsys, "scan", plugin)[1].startswith('{\n  "format"')
    assert _out(capsys, "scan", plugin, "--format", "text")[1].startswith("high[")
    assert _out(capsys, "explain", "symlink")[0] == 0


def test_a_result_goes_to_a_file_and_nothing_to_the_screen(
    plugin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed, _ = _out(capsys, "scan", plugin)
    assert _out(capsys, "scan", plugin, "-o", tmp_path / "out.txt") == (1, "", "")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == printed


def test_a_failed_command_leaves_an_older_result_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out.txt").write_text("older")
    assert _out(capsys, "scan", tmp_path / "missing", "-o", tmp_path / "out.txt")[0] == 4
    assert (tmp_path / "out.txt").read_text() == "older"


def test_facts_are_lines_in_file_order_and_end_with_0(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (plain / "z.bin").write_bytes(b"\x7fELF" + bytes(range(256)))
    code, out, err = _out(capsys, "facts", plain)
    rows = [json.loads(row) for row in out.splitlines()]
    assert (code, err) == (0, "")
    assert [row["file"] for row in rows] == sorted(row["file"] for row in rows)
    assert ("a.py", 2, "process.shell") in {(row["file"], row["line"], row["capability"]) for row in rows}
    assert ("z.bin", 0, "unread") in {(row["file"], row["line"], row["capability"]) for row in rows}
    assert "b.py" not in {row["file"] for row in rows}


def test_facts_of_one_file_have_its_name(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _out(capsys, "facts", plain / "a.py")
    assert code == 0
    assert {json.loads(row)["file"] for row in out.splitlines()} == {"a.py"}


def test_facts_need_no_sound_rules(
    plain: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from plugseal.rules import load

    monkeypatch.setattr(load, "find_rules", lambda: plain)
    assert _out(capsys, "facts", plain)[0] == 0
    assert _out(capsys, "scan", plain)[0] == 4


def test_the_manifest_is_the_text_whose_hash_is_the_receipt(
    plugin: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["hash", str(plugin), "--manifest"]) == 0
    manifest = capsysbinary.readouterr().out
    assert main(["hash", str(plugin), "--format", "json"]) == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert hashlib.sha256(manifest).hexdigest() == document["content_receipt"]
    assert manifest.startswith(b"plugin-tree-manifest/v1\n")
    assert main(["hash", str(plugin), "-q"]) == 0
    assert capsysbinary.readouterr().out.decode().strip() == document["content_receipt"]


def test_a_plain_tree_has_a_content_receipt_only(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _out(capsys, "hash", plain)
    assert code == 0
    assert "content" in out
    assert "capability" not in out


def test_an_archive_has_the_receipt_of_its_directory(
    plain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(tmp_path / "plain.zip", "w") as archive:
        for path in sorted(plain.iterdir()):
            archive.write(path, path.name)
    of_directory = _out(capsys, "hash", plain, "-q")
    assert _out(capsys, "hash", tmp_path / "plain.zip", "-q") == of_directory


def test_a_refused_tree_ends_with_4_and_every_reason(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (plain / "link").symlink_to("a.py")
    (plain / "aux.py").write_text("")
    code, out, err = _out(capsys, "hash", plain)
    assert (code, out) == (4, "")
    assert "link" in err
    assert "aux.py" in err
    assert "[symlink]" in err
    assert "[device-name]" in err
    assert _out(capsys, "hash", plain, "--manifest")[0] == 4


MISSING = [("scan",), ("facts",), ("hash",), ("hash", "--manifest")]


@pytest.mark.parametrize("command", MISSING, ids=" ".join)
def test_a_path_that_is_not_there_is_4(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _out(capsys, *command, tmp_path / "missing")
    assert (code, out) == (4, "")
    assert err.startswith("error: no such file or directory\n  --> ")


@pytest.mark.parametrize("command", MISSING, ids=" ".join)
def test_a_path_with_odd_bytes_is_never_a_bug_of_ours(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b[2J\n")
    Path(folder).mkdir()
    (Path(folder) / "a.py").write_text("import os\nos.system('ls')\n")
    code, out, err = _out(capsys, *command, folder)
    assert code in (0, 1, 3, 4)
    assert (out + err).replace("\n", "").isprintable()


def test_the_current_directory_is_scanned_by_default(
    plugin: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plugin)
    with_path, without = _out(capsys, "scan", "."), _out(capsys, "scan")
    assert with_path == without


def test_a_path_that_looks_like_an_option_comes_after_two_dashes(
    plugin: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plugin.parent)
    plugin.rename(plugin.parent / "-x")
    assert _out(capsys, "scan", "--", "-x")[0] == 1
    assert _out(capsys, "scan", "-x")[0] == 2


def test_a_rule_is_begun_and_fails_until_it_is_filled_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "python" / "bad-thing.toml"
    code, out, _ = _out(capsys, "rules", "new", path)
    assert code == 0
    assert out == f"wrote {path}\nnext: `plugseal rules test {path}` once it is filled in\n"
    assert _out(capsys, "rules", "test", path)[0] in (1, 4)
    assert _out(capsys, "rules", "new", path)[0] == 2


def test_the_built_in_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _out(capsys, "rules", "list")
    assert code == 0
    assert "subprocess-shell" in out
    document = json.loads(_out(capsys, "rules", "list", "--format", "json")[1])
    assert out.splitlines()[-1] == f"{len(document['rules'])} rules"
    assert _out(capsys, "rules", "list", "-q")[1].splitlines() == out.splitlines()[-1:]

"""What `list` says: the state of each plugin and component, why, and what to type; within 80 columns."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main
from plugseal.shown import display_width

SKILL = "---\nname: {name}\ndescription: Neutral.\n---\n\nSay hello.\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def _skill(place: Path, name: str, folder: str = "") -> Path:
    path = place / (folder or name)
    path.mkdir(parents=True)
    (path / "SKILL.md").write_text(SKILL.format(name=name))
    return path


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, errors = capsys.readouterr()
    return code, out, errors


def _trust(capsys: pytest.CaptureFixture[str], path: Path, *only: str) -> None:
    token = _run(capsys, "review", str(path), "--quiet", *only)[1].strip()
    assert _run(capsys, "trust", str(path), token, *only)[0] == 0


def _listed(capsys: pytest.CaptureFixture[str], path: Path) -> list[dict[str, Any]]:
    return list(json.loads(_run(capsys, "list", str(path), "--format", "json")[1])["plugins"])


def test_what_was_never_reviewed_says_so_and_what_to_type(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _skill(place, "hello")
    code, out, _ = _run(capsys, "list", ".")
    assert code == 0
    assert "hello  agent-skill  not reviewed  hello" in out
    assert out.endswith("next: `plugseal review hello`\n")


def test_only_what_is_recorded_has_its_id_below_its_row(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _trust(capsys, _skill(place, "hello"))
    _skill(place, "other")
    ids = {one["name"]: one["id"] for one in _listed(capsys, place)}
    rows = _run(capsys, "list", ".")[1].splitlines()
    assert rows[1] == f"    {ids['hello']}"
    assert ids["other"] not in "\n".join(rows)


def test_each_state_has_its_word_and_its_command(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _skill(place, "hello")

    def state() -> tuple[str, str]:
        (one,) = _listed(capsys, place)
        return one["state"], one["next"] or ""

    seen = [state()]
    _trust(capsys, path)
    seen.append(state())
    _run(capsys, "enable", "hello")
    seen.append(state())
    kept = (path / "SKILL.md").read_text()
    (path / "SKILL.md").write_text(kept + "More.\n")
    seen.append(state())
    (path / "SKILL.md").write_text(kept)
    _run(capsys, "revoke", "hello")
    seen.append(state())
    _run(capsys, "forget", "hello")
    seen.append(state())
    assert seen == [
        ("not reviewed", "review"),
        ("trusted", "enable"),
        ("active", ""),
        ("enabled, changed", "review"),
        ("revoked", "review"),
        ("not reviewed", "review"),
    ]


def test_servers_that_were_trusted_by_their_file_are_trusted_in_its_folder(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def servers(*names: str) -> str:
        return json.dumps({"mcpServers": {name: {"command": "python3", "args": [f"{name}.py"]} for name in names}})

    path = place / "project" / ".mcp.json"
    path.parent.mkdir()
    path.write_text(servers("a", "b"))
    _trust(capsys, path, "--only", "server:a")
    (one,) = _listed(capsys, place)
    assert (one["state"], one["path"].endswith("project/.mcp.json")) == ("trusted", True)
    path.write_text(servers("a", "b", "c"))
    (one,) = _listed(capsys, place)
    states = {component["name"]: component["state"] for component in one["components"]}
    assert (one["state"], states) == ("changed", {"a": "trusted", "b": "not reviewed", "c": "not reviewed"})
    _, out, _ = _run(capsys, "review", str(path))
    assert "Changed since trust: what runs differs" in out
    assert "+ server b" in out
    assert "+ server c" in out
    _, out, _ = _run(capsys, "review", str(path), "--only", "server:a")
    assert "Changed since trust: only data differs" in out
    assert "+ server" not in out


def test_what_alone_is_trusted_is_said_wherever_trust_is(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = place / ".mcp.json"
    names = [f"s{number}" for number in range(12)]
    path.write_text(json.dumps({"mcpServers": {name: {"command": "python3", "args": [name]} for name in names}}))
    for only, words in (("server:s1", "only server:s1"), (",".join(f"server:{name}" for name in names[:10]), "2 more")):
        token = _run(capsys, "review", str(path), "--quiet", "--only", only)[1].strip()
        _, out, _ = _run(capsys, "trust", str(path), token, "--only", only)
        assert f"{words}: no other component of it is trusted" in out
        assert f"{words}), 2" in _run(capsys, "review", str(path))[1]
        assert f"only {only.replace(',', ', ')}\n" in _run(capsys, "log", str(path))[1]


def test_checkpoints_that_are_about_nothing_here_prove_nothing(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _trust(capsys, _skill(place, "hello"))
    _trust(capsys, _skill(place, "other"))
    _run(capsys, "log", "checkpoint", "other", "-o", str(place / "taken"))
    assert _run(capsys, "log", "verify", "other", "--since", str(place / "taken"))[0] == 0
    code, out, _ = _run(capsys, "log", "verify", "hello", "--since", str(place / "taken"))
    assert code == 4
    assert "missing: none of the checkpoints is about it" in out
    monkeypatch.setenv("PLUGSEAL_HOME", str(place.parent / "second"))
    _trust(capsys, place / "other")
    code, out, _ = _run(capsys, "log", "verify", "--since", str(place / "taken"))
    assert code == 4
    assert "is a checkpoint of another installation" in out


@pytest.mark.parametrize("enabled", [False, True])
def test_a_plugin_without_its_copy_is_not_called_ready(
    place: Path, capsys: pytest.CaptureFixture[str], enabled: bool
) -> None:
    _trust(capsys, _skill(place, "hello"))
    if enabled:
        _run(capsys, "enable", "hello")
    (copy,) = (place.parent / "state" / "stage").iterdir()
    copy.rename(place.parent / "elsewhere")
    (one,) = _listed(capsys, place)
    assert (one["state"], one["next"]) == ("unstaged", "review")


def test_a_record_that_was_removed_is_missed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _skill(place, "hello")
    _trust(capsys, path)
    _trust(capsys, _skill(place, "other"))
    (record,) = (one for one in (place.parent / "state" / "plugins").glob("*.json") if b'"hello"' in one.read_bytes())
    record.unlink()
    code, out, _ = _run(capsys, "list", ".")
    assert code == 4
    assert "hello: the record was removed: one transition was written" in out
    code, out, _ = _run(capsys, "log", "verify")
    assert code == 4
    assert f"{record}  missing: the record was removed" in out
    assert _run(capsys, "log", "verify", "other")[0] == 0
    shutil.rmtree(path)
    assert _run(capsys, "list", ".")[0] == 4


@pytest.mark.parametrize(("data", "told"), [(None, "is not there"), (b"", "is empty"), (bytes(512), "is empty")])
def test_a_head_that_tells_nothing_is_told_and_written_again_by_the_next_entry(
    data: bytes | None, told: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _trust(capsys, _skill(place, "hello"))
    (head,) = (place.parent / "state" / "plugins").glob("*.head")
    assert "its head" not in _run(capsys, "log", "verify")[1]
    if data is None:
        head.unlink()
    else:
        head.write_bytes(data)
    code, out, _ = _run(capsys, "log", "verify")
    assert (code, f"its head {told}: cut, or never written" in out) == (0, True)
    assert _run(capsys, "enable", "hello")[0] == 0
    assert "its head" not in _run(capsys, "log", "verify")[1]


def test_a_plugin_that_is_gone_stands_there_still(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _skill(place, "hello")
    _skill(place, "other")
    _trust(capsys, path)
    shutil.rmtree(path)
    states = {one["name"]: one["state"] for one in _listed(capsys, place)}
    assert states == {"hello": "gone", "other": "not reviewed"}


def test_another_clone_at_the_same_path_is_trusted_and_not_enabled(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _skill(place, "hello")
    _trust(capsys, path)
    _run(capsys, "enable", "hello")
    shutil.copytree(path, place / "clone")
    shutil.rmtree(path)
    (place / "clone").rename(path)
    (one,) = _listed(capsys, place)
    assert one["state"] == "trusted, enabled elsewhere"


def test_trust_does_not_travel_to_another_place(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _trust(capsys, _skill(place, "hello", "one/hello"))
    shutil.copytree(place / "one", place / "two")
    states = {one["path"]: one["state"] for one in _listed(capsys, place)}
    assert sorted(states.values()) == ["not reviewed", "trusted"]


def test_equal_names_are_told_apart_and_never_guessed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = _skill(place, "hello", "one/hello"), _skill(place, "hello", "two/hello")
    _trust(capsys, first)
    _trust(capsys, second)
    out = _run(capsys, "list", ".")[1]
    assert "one/hello" in out
    assert "two/hello" in out
    code, _, errors = _run(capsys, "revoke", "hello")
    assert code == 2
    assert errors.count("agent-skill:hello@") == 2
    assert _run(capsys, "revoke", "one/hello")[0] == 0
    assert {one["state"] for one in _listed(capsys, place)} == {"revoked", "trusted"}


def test_each_server_has_a_state_of_its_own(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = {name: {"command": "echo", "args": [name]} for name in "ab"}
    (place / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    _trust(capsys, place)
    servers["b"]["args"] = ["b", "--more"]
    servers["c"] = {"command": "echo"}
    (place / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    (one,) = _listed(capsys, place)
    assert {c["name"]: c["state"] for c in one["components"]} == {"a": "trusted", "b": "changed", "c": "not reviewed"}
    out = _run(capsys, "list", ".")[1]
    assert "trusted  server a" in out
    assert "changed  server b" in out
    assert "not reviewed  server c" in out


def test_only_what_was_trusted_of_a_plugin_is(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = {name: {"command": "echo", "args": [name]} for name in "ab"}
    (place / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    _trust(capsys, place, "--only", "server:a")
    (one,) = _listed(capsys, place)
    assert {c["name"]: c["state"] for c in one["components"]} == {"a": "trusted", "b": "not reviewed"}


def test_a_record_that_is_broken_stands_at_its_plugin(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _trust(capsys, _skill(place, "hello"))
    (record,) = (place.parent / "state" / "plugins").glob("*.json")
    record.write_bytes(record.read_bytes().replace(b"trusted", b"trusteD"))
    code, out, _ = _run(capsys, "list", ".")
    assert code == 4
    assert "hello  agent-skill  broken record  hello" in out
    assert out.endswith("next: `plugseal log verify`\n")


def test_a_list_stays_within_eighty_columns_where_names_do(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for number in range(3):
        _skill(place, f"hello-{number}", f"a/folder-{number}")
    out = _run(capsys, "list", ".")[1]
    assert max(map(display_width, out.splitlines())) <= 80


def test_nothing_hostile_reaches_the_screen(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = place / "evil"
    path.mkdir()
    manifest = {"name": "trusted\x1b[2K\r\u202eactive", "version": "1", "id": "x", "protocol_version": 1, "main": "run"}
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "run").write_text("#!/bin/sh\n")
    (path / "run").chmod(0o755)
    out = _run(capsys, "list", ".")[1]
    assert out
    assert not {"\x1b", "\r", "\u202e"} & set(out)


def test_every_command_that_is_offered_works_where_plugins_share_a_path(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / ".claude" / "skills").mkdir(parents=True)
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo stop"}]}]}}
    (place / ".claude" / "settings.json").write_text(json.dumps(hooks))
    (place / ".codex").mkdir()
    (place / ".codex" / "config.toml").write_text('[mcp_servers.proj]\ncommand = "echo"\nargs = ["proj"]\n')
    assert _run(capsys, "review", ".")[0] == 2
    offered = _run(capsys, "list", ".")[1].splitlines()[-1]
    words = offered.partition("`plugseal ")[2].rstrip("`").split()
    code, out, _ = _run(capsys, *words)
    assert code == 0
    assert _run(capsys, *out.splitlines()[-1].split()[1:])[0] == 0
    first, second = _listed(capsys, place)
    assert {first["state"], second["state"]} == {"trusted", "not reviewed"}
    for one in (first, second):
        assert _run(capsys, "review", one["id"])[1].startswith("Review of settings")


def test_checkpoints_may_come_through_a_pipe_and_a_silent_one_keeps_nobody_waiting(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _trust(capsys, _skill(place, "hello"))
    taken = _run(capsys, "log", "checkpoint")[1].encode()
    monkeypatch.setattr("plugseal.verbs.piped._PIPE_SECONDS", 0.05)
    out, into = os.pipe()
    os.write(into, taken)
    assert _run(capsys, "log", "verify", "--since", f"/dev/fd/{out}")[0] == 4, "its writer is there, and says no more"
    os.write(into, taken)
    os.close(into)
    assert _run(capsys, "log", "verify", "--since", f"/dev/fd/{out}")[0] == 0
    os.close(out)
    os.mkfifo(place / "nobody")
    assert _run(capsys, "log", "verify", "--since", str(place / "nobody"))[0] == 4


def test_a_token_in_the_place_of_the_plugin_is_told_before_anything_is_read(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _skill(place, "hello")
    token = _run(capsys, "review", str(path), "--quiet")[1].strip()
    monkeypatch.setattr("plugseal.cli.commands.ceremony.look_at", None)
    code, _, told = _run(capsys, "trust", token, str(path))
    assert code == 2
    assert "the token stands in the place of the plugin" in told

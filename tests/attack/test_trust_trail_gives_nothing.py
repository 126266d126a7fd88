"""What a trail, a record or a repository holds is nothing to approve with; what was taken back stays taken."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main
from plugseal.model.trust import Actor, Subject
from plugseal.trust.event import Run
from plugseal.trust.store import Store
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection

SKILL = "---\nname: hello\ndescription: Neutral.\n---\n\nSay hello.\n"
BY = Actor("mallory", 1000, None, ())


class World:
    """A workspace, its state folder, and commands in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self.home = root / "work", root / "state"
        self._capsys = capsys

    def run(self, *words: str | Path) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        out, errors = self._capsys.readouterr()
        return code, out, errors

    def skill(self, name: str = "hello") -> Path:
        path = self.root / name
        path.mkdir(parents=True)
        (path / "SKILL.md").write_text(SKILL)
        return path

    def trust(self, path: Path) -> None:
        token = self.run("review", path, "--quiet")[1].strip()
        assert self.run("trust", path, token)[0] == 0

    def states(self) -> list[str]:
        return [one["state"] for one in json.loads(self.run("list", self.root, "--format", "json")[1])["plugins"]]

    def shown(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("show", path, "--format", "json")[1])
        return found


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> World:
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path / "work")
    return World(tmp_path, capsys)


def test_no_output_holds_the_secret_of_the_installation(world: World) -> None:
    path = world.skill()
    world.trust(path)
    secret = (world.home / "installation.key").read_text().strip()
    for words in (("show", path), ("log",), ("log", "export"), ("log", "checkpoint"), ("log", "verify"), ("list", ".")):
        assert secret not in "".join(world.run(*words)[1:])


def test_an_entry_put_into_an_export_or_a_record_trusts_nothing(world: World) -> None:
    path = world.skill()
    world.trust(path)
    world.run("revoke", path)
    (record,) = (world.home / "plugins").glob("*.json")
    told = json.loads(record.read_bytes())
    told["standing"]["trust"] = {"content": told["reviews"]["tail"][0]["content"]}
    record.write_text(json.dumps(told, sort_keys=True, separators=(",", ":")))
    assert world.states() == ["broken record"]
    assert world.run("enable", path)[0] == 4


@pytest.mark.parametrize("place", ["inside the plugin", "inside the work tree", "relative", "inside a worktree"])
def test_a_repository_can_not_bring_its_own_state(world: World, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world.skill("repository/hello")
    world.trust(path)
    clone = world.root.parent / "clone"
    shutil.copytree(world.root / "repository", clone)
    where = clone / ("hello" if place == "inside the plugin" else "") / ".home"
    shutil.copytree(world.home, where)
    if place == "inside a worktree":
        (clone / ".git").write_text("gitdir: /srv/repository/.git/worktrees/clone\n")
    elif place != "relative":
        subprocess.run(["git", "init", "-q", str(clone)], check=True)
    monkeypatch.setenv("PLUGSEAL_HOME", ".home" if place == "relative" else str(where))
    for words in (("list", clone), ("review", clone / "hello"), ("enable", clone / "hello"), ("show", "hello")):
        code, _, errors = world.run(*words)
        assert code == 4
        assert "PLUGSEAL_HOME" in errors


def test_state_that_was_copied_from_another_installation_is_none(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world.skill()
    world.trust(path)
    other = world.root.parent / "other"
    monkeypatch.setenv("PLUGSEAL_HOME", str(other))
    world.trust(world.skill("own"))
    for file in (world.home / "plugins").iterdir():
        shutil.copy2(file, other / "plugins" / file.name)
    assert world.run("enable", path)[0] == 4
    assert "active" not in world.states()


def test_what_was_forgotten_and_trusted_anew_is_never_the_same_state_again(world: World) -> None:
    path = world.skill()
    world.trust(path)
    before = world.shown(path)["recorded"]
    world.run("forget", path)
    world.trust(path)
    after = world.shown(path)["recorded"]
    assert after["incarnation"] != before["incarnation"]
    assert after["generation"] > before["generation"]


def test_a_record_from_a_backup_is_older_than_its_head(world: World) -> None:
    path = world.skill()
    world.trust(path)
    (record,) = (world.home / "plugins").glob("*.json")
    backup = record.read_bytes()
    world.run("revoke", path)
    record.write_bytes(backup)
    assert world.states() == ["broken record"]
    code, out, _ = world.run("log", "verify")
    assert code == 4
    assert "rolled-back" in out


def test_a_whole_snapshot_that_is_put_back_is_told_by_a_checkpoint_kept_elsewhere(world: World) -> None:
    path = world.skill()
    world.trust(path)
    shutil.copytree(world.home, world.root.parent / "snapshot")
    world.run("revoke", path)
    kept = world.root.parent / "checkpoint"
    assert world.run("log", "checkpoint", "-o", kept)[0] == 0
    assert world.run("log", "verify", "--since", kept)[0] == 0
    subprocess.run(["chmod", "-R", "u+w", str(world.home)], check=True)
    shutil.rmtree(world.home)
    shutil.move(world.root.parent / "snapshot", world.home)
    assert world.run("log", "verify")[0] == 0
    code, out, _ = world.run("log", "verify", "--since", kept)
    assert code == 4
    assert "rolled-back" in out


def test_a_record_that_was_removed_with_its_head_is_told_by_a_checkpoint(world: World) -> None:
    path = world.skill()
    world.trust(path)
    kept = world.root.parent / "checkpoint"
    world.run("log", "checkpoint", "-o", kept)
    for file in (world.home / "plugins").iterdir():
        file.unlink()
    code, out, _ = world.run("log", "verify", "--since", kept)
    assert code == 4
    assert "missing" in out


def test_ten_thousand_refusals_push_out_neither_trust_nor_revocation(world: World) -> None:
    path = world.skill()
    world.trust(path)
    world.run("revoke", path)
    world.trust(path)
    store, subject = Store(world.home), Subject(**world.shown(path)["subject"])
    refused = Run("2027-01-12T09:14:03Z", "refused", BY, "skill hello", None, None, 1, 0, "content-drifted", "SKILL.md")
    for number in range(300):
        store.append_run(subject, refused._replace(detail=f"{number}") if number % 100 == 0 else refused)
    shown = world.shown(path)
    assert shown["recorded"]["trust"] is not None
    assert shown["revoked"]["action"] == "revoked"
    assert [entry["action"] for entry in shown["reviews"]["entries"]] == ["trusted", "revoked", "trusted"]
    assert shown["runs"]["size"] == 6
    assert sum(entry["times"] for entry in shown["runs"]["entries"]) == 300


def test_who_trusted_is_told_with_the_programs_that_started_it(world: World) -> None:
    path = world.skill()
    world.trust(path)
    by = world.shown(path)["recorded"]["trust"]["by"]
    assert by["parents"]
    assert "started by" in world.run("show", path)[1]


def test_a_planted_cache_changes_no_token(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world.skill()
    before = world.run("review", path, "--quiet")[1]
    cache = world.root.parent / "cache"
    for folder in ("plugseal", "plugseal/facts"):
        (cache / folder).mkdir(parents=True, exist_ok=True)
        (cache / folder / "x.json").write_text("{}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("PLUGSEAL_CACHE", str(cache))
    assert world.run("review", path, "--quiet")[1] == before


def test_links_stay_in_the_document_of_a_part(world: World) -> None:
    path = world.root / "linked"
    shutil.copytree(Path(__file__).parents[2] / "fixtures" / "agent-plugins" / "hello", path, symlinks=True)
    (path / "copy.md").symlink_to("plugin.json")
    from plugseal.verbs.narrow import component_name, narrowed

    whole = look(Selection(path), system="agent-plugins")
    part = narrowed(whole, [component_name(whole.plugin.components[0])])
    assert json.loads(part.document)["links"] == json.loads(whole.document)["links"] == [["copy.md", "plugin.json"]]
    out = world.run("review", path, "--system", "agent-plugins")[1]
    assert "copy.md -> plugin.json" in out

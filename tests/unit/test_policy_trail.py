"""The audit trail that a team commits: whole, going on from what was signed, and from what the base held."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.cli.main import main

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "fixtures" / "sample" / "agent-tools" / "plugins" / "deploy-helper"
POLICY = """schema = "plugseal.policy/1"
[defaults]
capabilities = "allow"
fail-on = "high"
[allow]
unread = true
[[exception]]
rule = "subprocess-shell"
name = "deploy-helper"
owner = "dana"
reason = "it is a sample of what is found"
until = 2099-01-01
[trail]
exports = "audit"
keep = 8
"""
ENVIRONMENT = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.invalid"),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": "/usr/bin:/bin",
}
Out = pytest.CaptureFixture[str]


class Clone:
    """A repository whose trail is committed, as a reviewer keeps it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "clone"
        self.keys = root / "keys"
        self.keys.mkdir()
        shutil.copytree(SAMPLE, self.folder / "plugin")
        (self.folder / "plugseal.toml").write_text(POLICY)
        (self.folder / "audit").mkdir()
        (self.folder / "plugseal-trust").mkdir()
        for person in ("dana", "mallory"):
            assert main(["key", "new", str(self.keys / person)]) == 0
        key = (self.keys / "dana.pub").read_text()
        signers = f'dana namespaces="plugin-review@plugseal" {key}'
        (self.folder / "plugseal-trust" / "allowed_signers").write_text(signers)
        self.git("init", "-q")
        self.transitions("trust", "enable")
        self.export()
        self.base = self.commit()

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def transitions(self, *names: str) -> None:
        plugin = str(self.folder / "plugin")
        for name in names:
            more = [self.token] if name == "trust" else []
            assert main([name, plugin, *more]) == 0

    @property
    def token(self) -> str:
        file = self.folder.parent / "token"
        assert main(["review", str(self.folder / "plugin"), "--quiet", "-o", str(file)]) == 0
        return file.read_text().strip()

    @property
    def trail(self) -> Path:
        return self.folder / "audit" / "dana.jsonl"

    def export(self, *, key: str = "dana") -> None:
        assert main(["log", "export", "-o", str(self.trail)]) == 0
        checkpoints = self.folder / "audit" / "checkpoints"
        assert main(["log", "checkpoint", "--key", str(self.keys / f"{key}.key"), "-o", str(checkpoints)]) == 0

    def check(self, *words: str) -> int:
        self.commit()
        return main(["check", str(self.folder), "--base", self.base, *words])


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> Clone:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    monkeypatch.chdir("/usr")
    made = Clone(tmp_path)
    capsys.readouterr()
    return made


def test_a_trail_that_is_as_it_was_passes_and_one_that_went_on(clone: Clone, capsys: Out) -> None:
    assert clone.check() == 0, capsys.readouterr()
    clone.transitions("disable", "enable", "revoke")
    clone.export()
    assert clone.check() == 0, capsys.readouterr()


def _without_newest(text: str) -> str:
    return text[: text.rstrip("\n").rindex("\n") + 1]


def _edited(text: str) -> str:
    return text.replace('"action":"enabled"', '"action":"trusted"')


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(_without_newest, "cut-newest: the newest entry is missing", id="cut"),
        pytest.param(_edited, "edited: an entry among the 2 is not what was written", id="edited"),
        pytest.param(lambda text: text + text, "rolled-back: a trail stands twice", id="doubled"),
        pytest.param(lambda text: "", "missing: the file is empty", id="emptied"),
        pytest.param(lambda text: "hello\n", "cut-oldest: the header is missing", id="no export"),
    ],
)
def test_what_was_done_to_an_export_is_named(
    change: Callable[[str], str], message: str, clone: Clone, capsys: Out
) -> None:
    clone.trail.write_text(change(clone.trail.read_text()))
    assert clone.check() == 1
    out = capsys.readouterr().out
    assert message in out
    assert "audit/dana.jsonl" in out


def test_a_trail_that_is_gone_is_named_by_its_base(clone: Clone, capsys: Out) -> None:
    clone.trail.unlink()
    assert clone.check() == 1
    out = capsys.readouterr().out
    assert "missing: the trail `reviews` of `agent-plugins:deploy-helper@" in out
    assert "no trail is exported there" in out


def test_another_history_in_its_place_is_named(clone: Clone, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(clone.folder.parent / "other"))
    clone.transitions("trust", "revoke", "trust")
    clone.export()
    assert clone.check() == 1
    assert "rolled-back: the trail `reviews`" in capsys.readouterr().out


def test_an_older_state_in_its_place_is_named(clone: Clone, capsys: Out) -> None:
    older = clone.trail.read_text(), (clone.folder / "audit/checkpoints").read_text()
    clone.transitions("disable")
    clone.export()
    clone.base = clone.commit()
    clone.trail.write_text(older[0])
    (clone.folder / "audit/checkpoints").write_text(older[1])
    assert clone.check() == 1
    assert "an older state was put back: there were 3 entries, now there are 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda clone: clone.export(key="mallory"), "from no checkpoint that somebody", id="a stranger"),
        pytest.param(
            lambda clone: (clone.folder / "audit/checkpoints").unlink(), "the signed checkpoints: ", id="none"
        ),
        pytest.param(
            lambda clone: main(["log", "checkpoint", "-o", str(clone.folder / "audit/checkpoints")]),
            "a checkpoint has no signature below it",
            id="not signed",
        ),
        pytest.param(
            lambda clone: (clone.folder / "plugseal-trust" / "revoked_keys").write_text(
                (clone.keys / "dana.pub").read_text()
            ),
            "from no checkpoint that somebody",
            id="a revoked key",
        ),
    ],
)
def test_a_checkpoint_counts_by_a_key_of_the_team_alone(
    change: Callable[[Clone], object], message: str, clone: Clone, capsys: Out
) -> None:
    change(clone)
    assert clone.check() == 1
    assert message in capsys.readouterr().out


def test_without_signatures_the_base_tells(clone: Clone, capsys: Out) -> None:
    policy = clone.folder / "plugseal.toml"
    policy.write_text(POLICY + "signed = false\n")
    (clone.folder / "audit/checkpoints").unlink()
    clone.base = clone.commit()
    assert clone.check() == 0, capsys.readouterr()


def test_as_many_entries_as_are_asked_must_stand_whole(clone: Clone, capsys: Out) -> None:
    for _ in range(20):
        clone.transitions("disable", "enable")
    clone.export()
    clone.base = clone.commit()
    assert clone.check() == 0, capsys.readouterr()
    (clone.folder / "plugseal.toml").write_text(POLICY.replace("keep = 8", "keep = 33"))
    assert main(["check", str(clone.folder), "--policy", str(clone.folder / "plugseal.toml")]) == 4
    assert "less than or equal to 32" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(POLICY[POLICY.index("[trail]") :], "", "an audit trail is no longer required", id="gone"),
        pytest.param("keep = 8", "keep = 7", "7 entries must stand whole, not 8", id="fewer"),
        pytest.param("keep = 8", "keep = 8\nsigned = false", "checkpoints need no signature any more", id="unsigned"),
        pytest.param('"audit"', '"elsewhere"', "are read from another place", id="another folder"),
    ],
)
def test_what_a_change_loosens_is_named(old: str, new: str, message: str, clone: Clone, capsys: Out) -> None:
    (clone.folder / "plugseal.toml").write_text(POLICY.replace(old, new))
    assert clone.check() == 1
    assert message in capsys.readouterr().out


def test_the_objections_are_those_of_something_that_belongs_to_no_plugin(clone: Clone, capsys: Out) -> None:
    clone.trail.write_text("")
    assert clone.check("--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    (trail,) = [one for one in document["plugins"] if one["name"] == "audit trail"]
    assert trail["id"] is None
    assert {one["kind"] for one in trail["objections"]} == {"trail"}


def test_both_trails_of_an_export_are_verified_where_the_seal_is_known(clone: Clone, capsys: Out) -> None:
    assert main(["log", "verify", str(clone.trail)]) == 0
    doubled = clone.trail.read_text().replace('"trail":"reviews"', '"trail":"runs"')
    clone.trail.write_text(clone.trail.read_text() + doubled)
    assert main(["log", "verify", str(clone.trail)]) == 4
    assert "the seal does not fit" in capsys.readouterr().out

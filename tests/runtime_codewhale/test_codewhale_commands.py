"""`plugseal codewhale …` by its words: what each prints, with which exit code, and that nothing of it shows a path."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import codewhale_world as worlds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


class Line:
    """Command lines in a world."""

    def __init__(self, world: Any, capsys: pytest.CaptureFixture[str]) -> None:
        self.world = world
        self._capsys = capsys

    def __call__(self, *words: str | Path) -> tuple[int, str, str]:
        return self.bare(*words, "--workspace", self.world.workspace)

    def bare(self, *words: str | Path) -> tuple[int, str, str]:
        """Run a command without a workspace."""
        found: tuple[int, str, str] = worlds.command("codewhale", *words, capsys=self._capsys)
        return found

    def json(self, *words: str | Path) -> Any:
        """Return what a command prints as JSON."""
        code, out, errors = self(*words, "--format", "json")
        assert code in (0, 1), errors
        return json.loads(out)

    def token(self, name: str = "hello") -> str:
        """Return the token that a review ends in."""
        return self("show", name, "--quiet")[1].split()[-1]


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Line:
    return Line(worlds.World(tmp_path / "world", monkeypatch), capsys)


def test_the_whole_way_of_a_bundle(line: Line) -> None:
    line.world.bundle()
    assert line("trust", "hello", line.token())[0] == 0
    assert "next: `plugseal codewhale enable hello`" not in line("enable", "hello")[1]
    assert line.json("list")["bundles"][0]["state"] == "active"
    assert line("skills", "load", "hello:hello")[1] == worlds.SKILL
    assert [one["name"] for one in line.json("skills", "list")["skills"]] == ["hello:hello"]
    assert [one["id"] for one in line.json("mcp", "list")["servers"]] == ["plugin-5-hello-local"]
    code, out, errors = line("call", "plugin-5-hello-local", "echo", '{"n": 1}')
    assert (code, json.loads(json.loads(out)["content"][0]["text"])) == (0, {"n": 1}), errors
    rows = json.loads(line("mcp", "show", "plugin-5-hello-local", "--kind", "prompts")[1])
    assert rows == [{"name": "ask"}]
    assert line("disable", "hello")[0] == 0
    assert line.json("list")["bundles"][0]["state"] == "disabled"
    assert line("skills", "list")[1] == "0 skills\n"
    code, _, errors = line("call", "plugin-5-hello-local", "echo")
    assert (code, "not-enabled" in errors) == (126, True)
    assert line("call", "plugin-5-other-local", "echo")[0] == 2
    assert line("enable", "hello")[0] == 0
    assert line("revoke", "hello", "--reason", "enough")[0] == 0
    assert line.json("list")["bundles"][0]["state"] == "enabled-untrusted"


def test_an_edited_file_is_said_and_a_reload_ends_what_was_permitted(line: Line) -> None:
    path = line.world.bundle()
    line.world.bundle("still")
    line.world.trust()
    line.world.trust("still")
    generations = {name: line.world.record(name).standing.generation for name in ("hello", "still")}
    (path / "late").write_text("late")
    code, _, errors = line("skills", "load", "hello:hello")
    assert (code, "content-drifted" in errors) == (126, True)
    reloaded = line.json("reload")
    assert reloaded["reloaded"] == ["hello"]
    assert {one["name"]: one["state"] for one in reloaded["bundles"]} == {"hello": "content-changed", "still": "active"}
    assert line.world.record("hello").standing.generation == generations["hello"] + 1
    assert line.world.record("still").standing.generation == generations["still"]
    (path / "late").unlink()
    assert line.json("list")["bundles"][0]["state"] == "active"


def test_a_reload_ends_what_was_permitted_to_a_bundle_that_is_gone(line: Line) -> None:
    path = line.world.bundle()
    record = line.world.trust()
    assert line.json("reload")["reloaded"] == []
    shutil.rmtree(path)
    assert line.json("reload")["reloaded"] == ["hello"]
    after = line.world.store.read(record.subject)
    assert after is not None
    assert after.standing.generation == record.standing.generation + 1


def test_validate_says_everything_under_codewhales_own_codes(line: Line) -> None:
    line.world.bundle(more='[skills]\npath = "nowhere"\n')
    code, out, _ = line("validate", "hello")
    assert (code, "error[manifest-invalid]" in out, out.splitlines()[-1]) == (1, True, "can't be enabled: refused")
    line.world.bundle("later", more='[skills]\n[hooks]\npath = "skills"\n')
    code, out, _ = line("validate", "later")
    assert (code, "component-inactive" in out) == (1, True)
    found = line.json("validate", "later")["bundle"]
    assert (found["valid"], found["inactive"]) == (True, ["hooks"])
    line.world.bundle("fine")
    assert line("validate", "fine")[0] == 0


def test_skills_are_inspected_queued_and_dispatched_without_a_path(line: Line, tmp_path: Path) -> None:
    line.world.bundle()
    line.world.trust()
    inspected = line("skills", "inspect", "hello:hello")[1]
    kept = tmp_path / "kept.json"
    assert line("skills", "queue", "hello:hello", "--output", kept)[0] == 0
    assert line("skills", "dispatch", kept)[:2] == (0, worlds.SKILL)
    for text in (inspected, kept.read_text(), json.dumps(line.json("skills", "inspect", "hello:hello"))):
        assert str(line.world.root) not in text
    line.world.trust()
    code, out, errors = line("skills", "dispatch", kept)
    assert (code, out, "an older authority" in errors) == (126, "", True)
    kept.write_text("{}")
    assert line("skills", "dispatch", kept)[0] == 2
    assert line("skills", "dispatch", tmp_path / "none.json")[0] == 2


def test_a_silent_pipe_or_an_endless_file_keeps_nobody_waiting(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plugseal.verbs.piped._PIPE_SECONDS", 0.05)
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        assert line("skills", "dispatch", tmp_path / "pipe")[0] == 2
        for endless in (tmp_path / "pipe", "/dev/zero", tmp_path):
            assert line("mcp", "show", "plugin-1-a-b", "--ca", endless)[0] == 2
    finally:
        os.close(writer)


def test_a_state_folder_that_came_with_a_repository_hands_out_nothing(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.world.bundle()
    line.world.trust()
    brought = line.world.root / "brought"
    shutil.copytree(line.world.root / "state", brought, symlinks=True)
    brought.chmod(0o700)
    monkeypatch.setenv("PLUGSEAL_HOME", str(brought))
    for words in (
        ("skills", "list"),
        ("skills", "load", "hello:hello"),
        ("mcp", "list"),
        ("call", "x", "y"),
        ("serve",),
    ):
        code, out, errors = line(*words)
        assert (code, out) == (4, ""), words
        assert "not registered" in errors


def test_a_name_that_is_none_is_answered_with_the_nearest(line: Line) -> None:
    line.world.bundle()
    code, _, errors = line("show", "helo")
    assert (code, "did you mean `hello`?" in errors) == (3, True)
    for word in ("disable", "revoke"):
        assert line(word, "nobody")[0] == 3


def test_trust_is_taken_from_a_bundle_that_is_gone(line: Line) -> None:
    path = line.world.bundle()
    record = line.world.trust()
    shutil.rmtree(path)
    assert line("revoke", "hello")[0] == 0
    after = line.world.store.read(record.subject)
    assert after is not None
    assert after.standing.trust is None


def test_the_older_tools_are_listed_apart(line: Line) -> None:
    user = line.world.user
    (user / "tools").mkdir(parents=True)
    (user / "tools" / "count.sh").write_text("#!/bin/sh\n# name: count\n# description: Counts.\nwc -l\n")
    (user / "tools" / "plain.sh").write_text("echo nothing\n")
    (user / "tools" / ".hidden.sh").write_text("# name: hidden\n")
    (user / "tools" / "README.md").write_text("# name: readme\n")
    (user / "tools" / "linked.sh").symlink_to(user / "tools" / "count.sh")
    line.world.bundle()
    found = json.loads(line.bare("tools", "--format", "json")[1])
    assert [(one["name"], one["file"]) for one in found["tools"]] == [("count", "count.sh")]
    assert "no bundle, and trusted by nothing here" in line.bare("tools")[1]
    assert [one["name"] for one in line.json("list")["bundles"]] == ["hello"]


@pytest.mark.parametrize(
    ("config", "names", "why"),
    [
        pytest.param('[tools]\nplugin_dir = "{other}"\n', ["other"], "", id="another folder"),
        pytest.param("[tools]\n", ["usual"], "", id="no folder said"),
        pytest.param('[tools]\nplugin_dir = "relative"\n', [], "not absolute", id="a relative folder"),
        pytest.param("[tools\n", [], "config.toml", id="no TOML"),
        pytest.param('[tools]\nplugin_dir = "/nowhere/at/all"\n', [], "", id="a folder that is not there"),
    ],
)
def test_the_folder_of_the_older_tools(config: str, names: list[str], why: str, line: Line, tmp_path: Path) -> None:
    for folder, name in ((line.world.user / "tools", "usual"), (tmp_path / "other", "other")):
        folder.mkdir(parents=True)
        (folder / "a.sh").write_text(f"# name: {name}\n")
    (line.world.user / "config.toml").write_text(config.format(other=tmp_path / "other"))
    found = json.loads(line.bare("tools", "--format", "json")[1])
    assert [one["name"] for one in found["tools"]] == names
    assert why in found["why"]


def test_words_of_a_bundle_harm_no_screen(line: Line) -> None:
    evil = '"\\u001b[2J##[error]\\u202e"'
    line.world.bundle(more=f"[skills]\n{worlds.LOCAL}", files={
        "skills/evil/SKILL.md": f"---\nname: {evil}\ndescription: {evil}\n---\nx\n",
    })  # fmt: skip
    line.world.trust()
    (line.world.user / "tools").mkdir(parents=True)
    (line.world.user / "tools" / "a.sh").write_text("# name: \x1b[2Jevil\n# description: ##[error]\n")
    out = "".join(
        run[1] + run[2]
        for run in (
            line("list"),
            line("show", "hello"),
            line("skills", "list"),
            line("skills", "inspect", "hello:\x1b[2J##[error]\u202e"),
            line.bare("tools"),
        )
    )
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "##[error]" not in out


def test_a_skill_is_written_as_it_is_and_harms_no_terminal(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "---\nname: evil\n---\nfirst\nsecond \x1b[2J\u202e end\n"
    line.world.bundle(files={"skills/evil/SKILL.md": text})
    line.world.trust()
    out = tmp_path / "skill.md"
    assert line("skills", "load", "hello:evil")[1] == text
    assert line("skills", "load", "hello:evil", "--output", out)[0] == 0
    assert out.read_text("utf-8") == text
    monkeypatch.setattr("plugseal.cli.commands.codewhale.is_terminal", lambda _: True)
    printed = line("skills", "load", "hello:evil")[1]
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "second \\x1b[2J\\u202e end\n" in printed


def test_a_call_by_hand_that_fails_ends_with_1_and_repeats_no_secret(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE", "value-of-the-source")
    line.world.bundle(more=f'{worlds.LOCAL}env = {{ TOKEN = "${{SOURCE}}" }}\n')
    line.world.trust()
    message = {"message": "GET https://h.invalid/a?key=secret1 Authorization: Bearer secret2 value-of-the-source"}
    code, out, errors = line("call", "plugin-5-hello-local", "fail", json.dumps(message))
    assert code == 1
    assert [word for word in ("secret1", "secret2", "value-of-the-source") if word in out + errors] == []
    assert "https://h.invalid/a?[hidden]" in out

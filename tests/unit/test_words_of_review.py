"""What commands that look at one plugin take for it, and what they say in the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.cli.main import main

SKILL = "---\nname: hello\ndescription: Neutral.\n---\n\nSay hello.\n"
HOOK = "[core]\n\tfsmonitor = ./x.sh\n"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    root = tmp_path / "work" / "hello"
    root.mkdir(parents=True)
    monkeypatch.chdir(root.parent)
    (root / "SKILL.md").write_text(SKILL)
    return root


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, errors = capsys.readouterr()
    return code, out, errors


def _trusted(capsys: pytest.CaptureFixture[str], name: str) -> None:
    token = _run(capsys, "review", name, "--quiet")[1].strip()
    assert _run(capsys, "trust", name, token)[0] == 0


def test_what_git_runs_from_a_clone_is_no_second_plugin_to_choose_from(
    plugin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (plugin / ".git").mkdir()
    (plugin / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (plugin / ".git" / "config").write_text(HOOK)
    code, out, _ = _run(capsys, "review", "hello")
    assert code == 0
    assert out.startswith("Review of hello")
    assert "git-settings-run-code" in out
    assert "Left out" in out
    _trusted(capsys, "hello")
    assert _run(capsys, "enable", "hello")[0] == 0
    code, out, _ = _run(capsys, "review", "hello", "--system", "git")
    assert (code, out.startswith("Review of settings")) == (0, True)


def test_what_git_runs_is_a_plugin_where_nothing_else_is(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (plugin / "SKILL.md").unlink()
    (plugin / ".git").mkdir()
    (plugin / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (plugin / ".git" / "config").write_text(HOOK)
    assert _run(capsys, "review", "hello")[1].startswith("Review of settings")


@pytest.mark.parametrize("only", ["", ",", "skill:hello,"])
def test_names_that_came_out_empty_never_mean_the_whole_plugin(
    plugin: Path, capsys: pytest.CaptureFixture[str], only: str
) -> None:
    token = _run(capsys, "review", "hello", "--quiet")[1].strip()
    for words in (("review", "hello", "--only", only), ("trust", "hello", token, "--only", only)):
        code, _, errors = _run(capsys, *words)
        assert code == 2
        assert "no component ``" in errors or "`--only` is empty" in errors


def test_a_refusal_names_the_plugin_and_stands_apart_from_the_review(
    plugin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = _run(capsys, "enable", "hello")
    assert code == 1
    assert out.splitlines()[-2:] == ["", "refused: hello is not trusted"]
    assert _run(capsys, "enable", "hello", "--quiet")[1] == "refused: hello is not trusted\n"


def test_a_quiet_log_is_a_line_for_each_plugin(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _trusted(capsys, "hello")
    (line,) = _run(capsys, "log", "--quiet")[1].splitlines()
    assert line.startswith("reviews 1 to 1 whole")
    other = plugin.with_name("other")
    other.mkdir()
    (other / "SKILL.md").write_text(SKILL.replace("hello", "other"))
    _trusted(capsys, "other")
    lines = _run(capsys, "log", "--quiet")[1].splitlines()
    assert [line.partition(":")[0].partition(" ")[0] for line in lines] == ["agent-skill", "reviews"] * 2


def test_checkpoints_that_are_not_there_are_told_with_what_makes_them(
    plugin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _trusted(capsys, "hello")
    code, _, errors = _run(capsys, "log", "verify", "--since", "nowhere")
    assert code == 4
    assert "error: the file can't be read: no such file or directory" in errors
    assert "log checkpoint" in errors


@pytest.mark.parametrize("mask", [0o777, 0o177, 0o077, 0o000], ids=oct)
def test_state_is_ours_whatever_the_umask_takes(
    plugin: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mask: int
) -> None:
    import os

    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "deep" / "er" / "state"))
    before = os.umask(mask)
    try:
        _trusted(capsys, "hello")
        assert _run(capsys, "enable", "hello")[0] == 0
    finally:
        os.umask(before)
    assert json.loads(_run(capsys, "list", "--format", "json")[1])["plugins"][0]["state"] == "active"
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "deep").rglob("*") if "stage/" not in str(path)}
    assert modes == {0o700, 0o600}

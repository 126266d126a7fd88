"""A base revision out of a hostile clone: nothing of it runs, and no other policy gets in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.errors import CouldNotJudgeError, UsageError
from plugseal.policy import base as base_module
from plugseal.policy.base import Base

ENVIRONMENT = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.invalid"),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": "/usr/bin:/bin",
}
STRICT = 'schema = "plugseal.policy/1"\n[defaults]\nfail-on = "low"\n'
LOOSE = 'schema = "plugseal.policy/1"\n[defaults]\nfail-on = "high"\ncapabilities = "allow"\n'


def git(folder: Path, *words: str, stdin: bytes | None = None) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, env=ENVIRONMENT, input=stdin, capture_output=True, check=True, timeout=60
    )
    return done.stdout.decode().strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "plugseal.toml").write_text(STRICT)
    (folder / "SKILL.md").write_text(
        "---\nname: clone\ndescription: A sample skill that says hello.\n---\nSay hello.\n"
    )
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "base")
    return folder


def read(folder: Path, revision: str, path: str = "plugseal.toml") -> bytes | None:
    with Base(folder, revision) as base:
        return base.read(path)


def test_the_policy_is_that_of_the_base(clone: Path) -> None:
    base = git(clone, "rev-parse", "HEAD")
    (clone / "plugseal.toml").write_text(LOOSE)
    git(clone, "commit", "-q", "-am", "head")

    assert read(clone, base) == STRICT.encode()
    assert read(clone, "refs/heads/main") == LOOSE.encode()
    assert read(clone, base, "nothing.toml") is None
    assert read(clone, base, "nowhere/nothing.toml") is None


@pytest.mark.parametrize(
    "revision",
    [
        pytest.param("main", id="a name that a tag could take"),
        pytest.param("HEAD", id="what the head says"),
        pytest.param("--output=x", id="an option"),
        pytest.param("refs/heads/--upload-pack=x", id="an option below refs"),
        pytest.param("refs/heads/main^", id="a way from a name"),
        pytest.param("refs/heads/main:plugseal.toml", id="a file"),
        pytest.param("refs/heads/../../config", id="a way out"),
        pytest.param("refs/heads/main\n0000", id="a second line"),
        pytest.param("0123abc", id="a short ID"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_revision_is_an_id_or_a_full_name(clone: Path, revision: str) -> None:
    with pytest.raises((UsageError, CouldNotJudgeError)):
        read(clone, revision)


def test_a_replaced_object_changes_nothing(clone: Path) -> None:
    base = git(clone, "rev-parse", "HEAD")
    blob = git(clone, "rev-parse", "HEAD:plugseal.toml")
    other = git(clone, "hash-object", "-w", "--stdin", stdin=LOOSE.encode())
    git(clone, "replace", blob, other)
    (clone / "plugseal.toml").write_text(LOOSE)
    git(clone, "commit", "-q", "-am", "loose")
    git(clone, "replace", base, git(clone, "rev-parse", "HEAD"))

    assert read(clone, base) == STRICT.encode()


def test_an_object_that_is_not_what_its_id_says_ends_everything(clone: Path) -> None:
    import zlib

    base = git(clone, "rev-parse", "HEAD")
    blob = git(clone, "rev-parse", "HEAD:plugseal.toml")
    path = clone / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"blob %d\0" % len(LOOSE) + LOOSE.encode()))

    with pytest.raises(CouldNotJudgeError):
        read(clone, base)


@pytest.mark.parametrize(
    "config",
    [
        pytest.param("[core]\n\tfsmonitor = {run}\n", id="a file system monitor"),
        pytest.param("[core]\n\tsshCommand = {run}\n\tgitProxy = {run}\n\tpager = {run}\n", id="programs of core"),
        pytest.param(
            '[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\turl = ext::{run}\n\tpromisor = true\n'
            "\tuploadpack = {run}\n[protocol]\n\tallow = always\n",
            id="a promisor that runs a program",
        ),
        pytest.param("[core]\n\talternateRefsCommand = {run}\n[alias]\n\tcat-file = !{run}\n", id="an alias"),
        pytest.param("[include]\n\tpath = more\n[credential]\n\thelper = !{run}\n", id="an include"),
    ],
)
def test_a_hostile_configuration_runs_nothing(clone: Path, tmp_path: Path, config: str) -> None:
    base = git(clone, "rev-parse", "HEAD")
    blob = git(clone, "rev-parse", "HEAD:plugseal.toml")
    marker = tmp_path / "marker"
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    (clone / ".git/more").write_text(f"[core]\n\tfsmonitor = {script}\n")
    with (clone / ".git/config").open("a") as file:
        file.write(config.replace("{run}", str(script)))

    assert read(clone, base) == STRICT.encode()
    (clone / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(CouldNotJudgeError):
        read(clone, base)
    assert not marker.exists()


@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs"])
def test_git_is_not_waited_for_for_ever(clone: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    base = git(clone, "rev-parse", "HEAD")
    (clone / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(clone / ".git" / name)
    monkeypatch.setattr(base_module, "ANSWER_SECONDS", 0.3)

    with pytest.raises(CouldNotJudgeError):
        read(clone, base if name != "packed-refs" else "refs/heads/gone")


def test_a_policys_path_may_begin_here(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = git(clone, "rev-parse", "HEAD")
    assert main(["check", str(clone), "--base", base, "--policy", "./plugseal.toml"]) == 0, capsys.readouterr()


def test_a_link_in_the_policys_place_is_refused(clone: Path) -> None:
    (clone / "plugseal.toml").unlink()
    (clone / "plugseal.toml").symlink_to("../loose.toml")
    git(clone, "commit", "-q", "-am", "link")

    with pytest.raises(CouldNotJudgeError, match="no regular file"):
        read(clone, "refs/heads/main")


def test_a_base_without_a_policy_never_means_the_heads_own(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(clone, "rm", "-q", "plugseal.toml")
    git(clone, "commit", "-q", "-m", "without")
    base = git(clone, "rev-parse", "HEAD")
    (clone / "plugseal.toml").write_text(LOOSE)

    assert main(["check", str(clone), "--base", base]) == 4
    assert "the base revision has no policy" in capsys.readouterr().err


def test_a_shallow_clone_without_the_base_is_told(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = git(clone, "rev-parse", "HEAD")
    git(clone, "commit", "-q", "--allow-empty", "-m", "head")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{clone}", "shallow")

    assert main(["check", str(tmp_path / "shallow"), "--base", base]) == 4
    assert "is not in this clone" in capsys.readouterr().err


def test_what_is_no_repository_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path), "--base", "0" * 40]) == 4


def test_a_policy_in_the_judged_tree_only_asks_for_more(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clone / "run.py").write_text("import subprocess\nsubprocess.run(input(), shell=True)\n")
    (clone / "plugseal.toml").write_text(
        LOOSE + '[[exception]]\nrule = "subprocess-shell"\nname = "clone"\nowner = "me"\n'
        'reason = "I say that it is fine"\nuntil = 2099-01-01\n'
    )

    assert main(["check", str(clone)]) == 1
    assert "of the judged tree itself" in capsys.readouterr().out


def test_no_variable_names_the_policy_of_a_base(
    clone: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loose = tmp_path / "loose.toml"
    loose.write_text(LOOSE)
    monkeypatch.setenv("PLUGSEAL_POLICY", str(loose))
    base = git(clone, "rev-parse", "HEAD")
    main(["check", str(clone), "--base", base])

    assert f"of the base {base[:12]}" in capsys.readouterr().out


def test_a_variable_that_is_empty_names_no_policy_and_is_said(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUGSEAL_POLICY", "")
    assert main(["check", str(clone)]) == 2
    assert "`PLUGSEAL_POLICY` is empty" in capsys.readouterr().err
    assert main(["check", str(clone), "--policy", str(clone / "plugseal.toml")]) == 0


def test_what_is_larger_than_a_policy_is_read_all_the_same(clone: Path) -> None:
    (clone / "exports").mkdir()
    whole = b"x" * (5 * 1024 * 1024)
    (clone / "exports" / "dana.jsonl").write_bytes(whole)
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "an export of many plugins")
    with Base(clone, "refs/heads/main") as base:
        assert list(base.files("exports")) == [("exports/dana.jsonl", whole)]


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        pytest.param("MAX_OBJECT_BYTES", "`exports/b.jsonl` is larger than 5,000 bytes in the base revision", id="one"),
        pytest.param("MAX_PACK_BYTES", "`exports/b.jsonl` and all before it are more than 5,000 bytes", id="all"),
        pytest.param("MAX_OBJECTS", "`exports/b.jsonl` is behind 4 other objects of the base revision", id="many"),
    ],
)
def test_what_is_too_large_in_the_base_is_called_by_its_name(
    clone: Path, limit: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (clone / "exports").mkdir()
    (clone / "exports" / "a.jsonl").write_bytes(b"a" * 4000)
    (clone / "exports" / "b.jsonl").write_bytes(b"b" * 6000)
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "exports")
    monkeypatch.setattr(base_module, limit, 4 if limit == "MAX_OBJECTS" else 5000)
    with Base(clone, "refs/heads/main") as base, pytest.raises(CouldNotJudgeError, match=says) as caught:
        list(base.files("exports"))
    assert "in smaller parts" in (caught.value.hint or "")

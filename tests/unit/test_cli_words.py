"""From words to a command: what is understood, and what an error says instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.cli.main import main

WRONG = {
    "a mistyped command": (["scna", "."], "error: unknown command `scna`\n\nhint: did you mean `scan`?\n"),
    "a command like nothing": (["xyzzy"], "error: unknown command `xyzzy`\n\nhint: see `plugseal --help`\n"),
    "a mistyped option": (
        ["scan", "--formt", "x"],
        "error: unknown option `--formt`\n\nhint: did you mean `--format`?\n",
    ),
    "a mistyped option with its value": (
        ["scan", "--fail-onn=low"],
        "error: unknown option `--fail-onn`\n\nhint: did you mean `--fail-on`?\n",
    ),
    "a shortened option": (
        ["scan", "--exit"],
        "error: unknown option `--exit`\n\nhint: did you mean `--exit-zero`?\n",
    ),
    "a value that is none": (
        ["scan", "--fail-on", "hihg"],
        (
            "error: unknown value for `--fail-on`: `hihg`\n"
            "   = --fail-on: info | low | medium | high | never\n\nhint: did you mean `high`?\n"
        ),
    ),
    "a format of later": (
        ["scan", "--format", "cyclonedx"],
        (
            "error: unknown format `cyclonedx`\n   = --format: text | json | sarif | html | markdown | github\n\n"
            "hint: use one of `text`, `json`, `sarif`, `html`, `markdown`, `github`\n"
        ),
    ),
    "an option without its value": (
        ["scan", "--format"],
        "error: `--format` needs a value\n\nhint: see `plugseal scan --help`\n",
    ),
    "a switch with a value": (
        ["scan", "--quiet=yes"],
        "error: `--quiet` takes no value\n\nhint: see `plugseal scan --help`\n",
    ),
    "a second path": (
        ["scan", "a", "b"],
        "error: unexpected argument `b`\n\nhint: see `plugseal scan --help`\n",
    ),
    "no path": (["hash"], "error: `PLUGIN` is missing\n\nhint: see `plugseal hash --help`\n"),
    "two words that are missing": (
        ["trust"],
        "error: `PLUGIN` and `TOKEN` are missing\n\nhint: see `plugseal trust --help`\n",
    ),
    "a number that is none": (
        ["scan", "--jobs", "many"],
        "error: `--jobs` must be a number from 1 to 64\n\nhint: leave it out for as many as help\n",
    ),
    "an empty path": (["hash", ""], "error: `PLUGIN` is empty\n\nhint: see `plugseal hash --help`\n"),
    "an empty path to scan": (["scan", ""], "error: `PATH` is empty\n\nhint: see `plugseal scan --help`\n"),
    "an empty base": (["check", ".", "--base="], "error: `--base` is empty\n\nhint: see `plugseal check --help`\n"),
    "an empty policy": (
        ["check", ".", "--policy", ""],
        "error: `--policy` is empty\n\nhint: see `plugseal check --help`\n",
    ),
    "an empty pin": (
        ["receipt", "verify", ".", "--pin", ""],
        "error: `--pin` is empty\n\nhint: see `plugseal receipt verify --help`\n",
    ),
    "an empty older state": (
        ["receipt", "verify", ".", "--since", ""],
        "error: `--since` is empty\n\nhint: see `plugseal receipt verify --help`\n",
    ),
    "an empty team": (
        ["policy", "pin", "p.toml", "--team="],
        "error: `--team` is empty\n\nhint: see `plugseal policy pin --help`\n",
    ),
    "an option before the command": (
        ["--quiet", "scan"],
        "error: `--quiet` needs a command before it\n\nhint: for example `plugseal scan . --quiet`\n",
    ),
    "a mistyped option before the command": (
        ["--versoin"],
        "error: unknown option `--versoin`\n\nhint: did you mean `--version`?\n",
    ),
    "half of a command": (
        ["rules"],
        (
            "error: `rules` needs a command\n\n"
            "hint: one of `plugseal rules list`, `plugseal rules test`, `plugseal rules new`\n"
        ),
    ),
    "a mistyped second word": (
        ["rules", "lsit"],
        "error: unknown command `rules lsit`\n\nhint: did you mean `list`?\n",
    ),
    "two thirds of a command": (
        ["codewhale", "mcp"],
        (
            "error: `codewhale mcp` needs a command\n\n"
            "hint: one of `plugseal codewhale mcp list`, `plugseal codewhale mcp show`\n"
        ),
    ),
    "a mistyped third word": (
        ["codewhale", "skills", "lod"],
        "error: unknown command `codewhale skills lod`\n\nhint: did you mean `skills load`?\n",
    ),
    "an unknown identifier": (
        ["explain", "net.outbond"],
        "error: nothing is called `net.outbond`\n\nhint: did you mean `net.outbound`?\n",
    ),
    "hostile words": (
        ["\x1b[2J\u202e"],
        "error: unknown command `\\x1b[2J\\u202e`\n\nhint: see `plugseal --help`\n",
    ),
    "a hostile option": (
        ["scan", "--\x1b]0;x\x07"],
        "error: unknown option `--\\x1b]0;x\\x07`\n\nhint: see `plugseal scan --help`\n",
    ),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_command_ends_with_2_and_says_what_to_type(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert err == message
    assert out == ""


def test_the_format_variable_is_checked_like_the_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUGSEAL_FORMAT", "jsno")
    assert main(["scan", "."]) == 2
    expected = (
        "error: unknown format `jsno`\n   = PLUGSEAL_FORMAT: text | json | sarif | html | markdown | github\n\n"
        "hint: did you mean `json`?\n"
    )
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_the_version_is_one_line(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    import plugseal

    assert main([word]) == 0
    assert capsys.readouterr().out == f"plugseal {plugseal.__version__}\n"


def test_no_words_at_all_is_a_wrong_command_that_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Usage: plugseal COMMAND" in err


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]], ids=" ".join)
def test_the_overview_fits_two_screens_and_names_the_first_word_of_every_command(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    firsts = {name.partition(" ")[0] for name in _all_commands()}
    assert {first for first in firsts if f"\n  {first} " not in out} == set()
    assert len(out.splitlines()) <= 75


def test_the_overview_has_each_first_word_under_one_topic() -> None:
    from plugseal.cli.commands.topics import TOPICS

    listed = [word for topic in TOPICS for word in topic.words]
    assert sorted(listed) == sorted({name.partition(" ")[0] for name in _all_commands()})


def test_a_family_is_whatever_first_word_has_several_commands() -> None:
    from plugseal.cli.commands.topics import FAMILIES

    firsts = [name.partition(" ")[0] for name in _all_commands()]
    assert sorted(FAMILIES) == sorted({first for first in firsts if firsts.count(first) > 1})


FAMILY_HELP = {
    "by its word": (["rules", "--help"], ["rules list", "rules test", "rules new"]),
    "by the word help": (["help", "rules"], ["rules list", "rules test", "rules new"]),
    "of a family within a family": (["codewhale", "mcp", "-h"], ["codewhale mcp list", "codewhale mcp show"]),
    "of a command that is one by itself": (["log", "--help"], ["log verify", "log checkpoint", "log export"]),
}


@pytest.mark.parametrize(("words", "commands"), FAMILY_HELP.values(), ids=FAMILY_HELP)
def test_help_of_a_family_names_its_commands_and_no_others(
    words: list[str], commands: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [name for name in _all_commands() if f"\n  {name:<22}  " in out] == commands


def test_help_of_a_family_that_is_none_is_a_wrong_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "lsit", "--help"]) == 2
    assert capsys.readouterr().err == "error: unknown command `rules lsit`\n\nhint: did you mean `list`?\n"


def _all_commands() -> list[str]:
    from plugseal.cli.commands.table import COMMANDS

    return [command.name for command in COMMANDS]


@pytest.mark.parametrize("name", _all_commands())
def test_help_of_a_command_names_every_option_and_fits_a_screen(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    from plugseal.cli.commands.table import COMMANDS
    from plugseal.cli.parser import COMMON

    command = next(command for command in COMMANDS if command.name == name)
    assert main([*name.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert main(["help", *name.split()]) == 0
    assert capsys.readouterr().out == out
    for option in (*command.options, *COMMON):
        assert all(spelling in out for spelling in option.names)
    assert max(map(len, out.splitlines())) <= 100


def test_help_wins_over_what_is_missing_or_too_much(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hash", "--help"]) == 0
    assert "Usage: plugseal hash" in capsys.readouterr().out
    assert main(["scan", "a", "b", "--help"]) == 0
    assert "Usage: plugseal scan" in capsys.readouterr().out


def test_what_follows_two_dashes_is_no_request_for_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["facts", "--", "--help"]) == 4
    assert capsys.readouterr().err.startswith("error: no such file or directory\n  --> --help\n")


@pytest.mark.parametrize("name", _all_commands())
def test_every_command_has_its_function(name: str) -> None:
    from plugseal.cli.commands.table import COMMANDS
    from plugseal.cli.find import load_run

    assert callable(load_run(next(command for command in COMMANDS if command.name == name)))

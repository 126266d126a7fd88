"""Our readers of archives against the standard library's, on archives good and damaged.

What we accept, they must read the same; what is damaged may be refused, and breaks nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import random
import tarfile
import tempfile
import zipfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.encode.treehash import build_manifest
from plugseal.errors import IntakeError
from plugseal.intake.faults import FAULTS
from plugseal.intake.read import check_representable, read_tree

_NAMES = ("a", "b/c", "d/é", "x" * 90 + "/y", "long-" * 30, "b/日本")
_TAR_FORMATS = (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)


def build_tar(dice: random.Random) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=dice.choice(_TAR_FORMATS)) as archive:
        for index in range(dice.randrange(1, 4)):
            info = tarfile.TarInfo(f"{dice.choice(_NAMES)}{index}")
            data = dice.randbytes(dice.randrange(700))
            info.size, info.mode = len(data), dice.choice((0o644, 0o755))
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def build_zip(dice: random.Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", dice.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as archive:
        for index in range(dice.randrange(1, 4)):
            info = zipfile.ZipInfo(f"{dice.choice(_NAMES)}{index}")
            archive.writestr(info, dice.randbytes(dice.randrange(300)), archive.compression)
    return buffer.getvalue()


def damage(data: bytearray, dice: random.Random) -> None:
    # Headers are where it matters: of a tar the first blocks, of a zip both ends.
    at = dice.randrange(len(data)) if dice.randrange(2) else dice.randrange(min(len(data), 600))
    kind = dice.randrange(6)
    if kind == 0:
        del data[at + 1 :]
    elif kind == 1:
        data[at:at] = data[dice.randrange(len(data)) :][: dice.randrange(600)]
    elif kind == 2:
        data[at : at + 4] = dice.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"PK\5\6", b"\x1f\x8b\x08\0"])
    else:
        data[at] = dice.choice([0, 0xFF, ord("/"), ord("."), dice.randrange(256)])


def read_by_library(path: Path) -> dict[str, str]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as zipped:
            members = [(info.filename, zipped.read(info)) for info in zipped.infolist() if not info.is_dir()]
    else:
        with tarfile.open(path) as archive:
            members = [(i.name, (archive.extractfile(i) or io.BytesIO()).read()) for i in archive if i.isfile()]
    return {name.removeprefix("./"): hashlib.sha256(data).hexdigest() for name, data in members}


@given(st.sampled_from([".tar", ".tar.gz", ".zip"]), st.integers(0, 2**64), st.integers(0, 3))
@settings(max_examples=400, deadline=None)
def test_what_we_accept_the_standard_library_reads_the_same(suffix: str, seed: int, times: int) -> None:
    dice = random.Random(seed)
    data = bytearray(build_zip(dice) if suffix == ".zip" else build_tar(dice))
    if suffix == ".tar.gz" and dice.randrange(2):
        data = bytearray(gzip.compress(data, mtime=0))
    for _ in range(times):
        damage(data, dice)
    if suffix == ".tar.gz" and data[:2] != b"\x1f\x8b":
        data = bytearray(gzip.compress(data, mtime=0))
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"archive{suffix}"
        path.write_bytes(data)
        try:
            tree = read_tree(path)
        except IntakeError:
            assert times, "an archive that nobody damaged"
            return
        assert {f.code for f in tree.faults} <= FAULTS.keys()
        if check_representable(tree):
            assert times, tree.faults
            return
        build_manifest(tree)
        assert {e.path: e.digest for e in tree.entries if e.digest} == read_by_library(path)

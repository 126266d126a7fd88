"""The manifest, the content receipt and Go's hash, against vectors printed by an independent implementation."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from plugseal.encode.treehash import build_manifest, content_receipt, dirhash_h1
from plugseal.errors import TreeRefusedError
from plugseal.intake.read import read_tree, verify_representable
from plugseal.model.tree import Entry, EntryKind, Fault, Tree

_VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "tree-manifest.json").read_text(encoding="utf-8"))
_DIGEST = hashlib.sha256(b"").hexdigest()


def build(root: Path, vector: dict[str, Any]) -> Path:
    for name in vector["dirs"]:
        (root / name).mkdir(parents=True)
    for file in vector["files"]:
        path = root / file["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file["text"].encode())
        path.chmod(0o755 if file["executable"] else 0o644)
    return root


@pytest.fixture(params=_VECTORS["vectors"], ids=[v["name"] for v in _VECTORS["vectors"]])
def vector(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param  # type: ignore[no-any-return]  # parsed JSON


def test_a_tree_on_disk_has_the_manifest_of_its_vector(vector: dict[str, Any], tmp_path: Path) -> None:
    tree = verify_representable(read_tree(build(tmp_path, vector)))
    assert build_manifest(tree).decode() == vector["manifest"]


def test_the_content_receipt_is_the_sha256_of_the_manifest(vector: dict[str, Any], tmp_path: Path) -> None:
    tree = read_tree(build(tmp_path, vector))
    assert content_receipt(tree) == vector["content_receipt"]
    assert content_receipt(tree) == hashlib.sha256(build_manifest(tree)).hexdigest()


def test_sha256sum_of_the_exported_manifest_is_the_receipt(vector: dict[str, Any], tmp_path: Path) -> None:
    manifest = tmp_path.with_name("plugin.manifest")
    tree = read_tree(build(tmp_path, vector))
    manifest.write_bytes(build_manifest(tree))
    printed = subprocess.run(["sha256sum", manifest], capture_output=True, text=True, check=True).stdout
    assert printed.split()[0] == vector["content_receipt"]


def test_go_s_hash_is_that_of_the_lines_of_sha256sum(vector: dict[str, Any], tmp_path: Path) -> None:
    # What `dirhash.Hash1` hashes is by definition what `sha256sum` prints of the sorted files.
    build(tmp_path, vector)
    line = "find . -type f -printf '%P\\n' | LC_ALL=C sort | LC_ALL=C xargs -d '\\n' sha256sum | sha256sum"
    printed = subprocess.run(["/bin/sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    digest = bytes.fromhex(printed.split()[0])
    assert dirhash_h1(read_tree(tmp_path)) == "h1:" + base64.b64encode(digest).decode()


def test_without_executable_bits_the_header_says_so_and_the_receipt_differs() -> None:
    tree = Tree("t", (Entry("run", EntryKind.FILE, 0, True, _DIGEST),), (), ())
    plain = build_manifest(tree, executable_bits=False)
    assert plain.startswith(b"plugin-tree-manifest/v1 noexec\nf - 0 ")
    assert content_receipt(tree, executable_bits=False) != content_receipt(tree, executable_bits=True)


def test_an_empty_tree_has_a_receipt(tmp_path: Path) -> None:
    assert build_manifest(read_tree(tmp_path)) == b"plugin-tree-manifest/v1\nend 0 0 0\n"


@pytest.mark.parametrize(
    ("entries", "faults"),
    [
        pytest.param((), (Fault("a", "symlink", "a link"),), id="a fault"),
        pytest.param((Entry("a", EntryKind.SYMLINK, 0, False, None, "b"),), (), id="a link"),
        pytest.param((Entry("a", EntryKind.FILE, 0, False, None),), (), id="a file that was not read"),
        pytest.param((Entry("a\nf x 1 b", EntryKind.FILE, 0, False, _DIGEST),), (), id="a line end in a name"),
        pytest.param((Entry("a\udcff", EntryKind.FILE, 0, False, _DIGEST),), (), id="a name that is not UTF-8"),
        pytest.param(
            (Entry("b", EntryKind.DIRECTORY, 0, False, None), Entry("a", EntryKind.DIRECTORY, 0, False, None)),
            (),
            id="out of order",
        ),
        pytest.param((Entry("a", EntryKind.DIRECTORY, 0, False, None),) * 2, (), id="twice the same"),
    ],
)
@pytest.mark.parametrize("function", [build_manifest, content_receipt, dirhash_h1])
def test_what_no_manifest_can_hold_is_refused(
    entries: tuple[Entry, ...], faults: tuple[Fault, ...], function: Any
) -> None:
    with pytest.raises(TreeRefusedError) as refused:
        function(Tree("t", entries, faults, ()))
    assert refused.value.details


def test_a_part_of_a_tree_has_the_receipt_of_its_directory(tmp_path: Path) -> None:
    inner = tmp_path / "plugins" / "one"
    inner.mkdir(parents=True)
    (inner / "plugin.json").write_text("{}")
    (tmp_path / "plugins" / "one-more").write_text("x")
    os.symlink("nowhere", tmp_path / "link")
    part = read_tree(tmp_path).below("plugins/one")
    assert content_receipt(part) == content_receipt(read_tree(inner))

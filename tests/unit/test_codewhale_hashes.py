"""Codewhale's own hashes equal what Codewhale printed for nine trees, and move with what they bind, no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugseal.encode.codewhale import (
    MANIFESTS,
    POLICIES,
    SURFACES,
    BundleFile,
    BundleInventory,
    bundle_capability_hash,
    bundle_content_hash,
    bundle_file_hash,
    bundle_plugin_id,
    os_path_record,
)

_FILE = Path(__file__).resolve().parents[1] / "vectors" / "codewhale-hashes.json"
VECTORS: list[dict[str, Any]] = json.loads(_FILE.read_text("utf-8"))["vectors"]
_each = pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["name"]) for vector in VECTORS])
MANIFEST = {b"plugin.toml": BundleFile(False, b"[plugin]\n")}


def inventory_of(vector: dict[str, Any]) -> BundleInventory:
    return BundleInventory(
        **{key: tuple(value) if isinstance(value, list) else value for key, value in vector["inventory"].items()}
    )


def content_of(files: dict[bytes, BundleFile], *directories: bytes) -> str:
    return bundle_content_hash("plugin.toml", {**MANIFEST, **files}, directories)


@_each
def test_the_content_hash_is_codewhales(vector: dict[str, Any]) -> None:
    files = {
        file["path"].encode("utf-8"): BundleFile(file["executable"], file["text"].encode("utf-8"))
        for file in vector["files"]
    }
    directories = [path.encode("utf-8") for path in vector["dirs"]]
    assert bundle_content_hash(vector["manifest"], files, directories) == vector["content_hash"]


@_each
def test_the_file_hashes_are_codewhales(vector: dict[str, Any]) -> None:
    found = {file["path"]: bundle_file_hash(file["text"].encode("utf-8")) for file in vector["files"]}
    assert found == vector["file_hashes"]


@pytest.mark.parametrize("stream", ["v1", "v2", "v3"])
@_each
def test_the_capability_hash_is_codewhales(vector: dict[str, Any], stream: str) -> None:
    assert bundle_capability_hash(inventory_of(vector), stream) == vector[f"capability_{stream}"]


def test_the_order_in_which_files_are_given_changes_nothing() -> None:
    files = {name: BundleFile(False, name) for name in (b"b/x", b"a.txt", b"a-b", b"a/y")}
    backwards = dict(reversed(files.items()))
    assert content_of(files, b"a", b"b") == content_of(backwards, b"b", b"a")


def test_a_file_whose_bytes_mimic_the_next_record_is_not_two_files() -> None:
    second = b"unix-executable\0\0F\0" + os_path_record(b"bundle-relative-file", b"b") + (1).to_bytes(8, "little")
    one = content_of({b"a": BundleFile(False, b"x" + second + b"y")})
    two = content_of({b"a": BundleFile(False, b"x"), b"b": BundleFile(False, b"y")})
    assert one != two


def test_names_that_are_the_same_text_after_a_loss_have_other_hashes_and_ids() -> None:
    assert content_of({b"a\xff": BundleFile(False, b"")}) != content_of({b"a\xfe": BundleFile(False, b"")})
    assert bundle_plugin_id("user", "p", b"/p/a\xff") != bundle_plugin_id("user", "p", b"/p/a\xfe")


@pytest.mark.parametrize(
    ("files", "directories"),
    [
        pytest.param({}, [b"empty"], id="an empty directory counts"),
        pytest.param({b".git/x": BundleFile(False, b"")}, [b".git"], id="a dot directory counts"),
        pytest.param({b"a": BundleFile(False, b"")}, [], id="an empty file counts"),
        pytest.param({b"a": BundleFile(True, b"")}, [], id="the executable bit counts"),
        pytest.param({b"A": BundleFile(False, b"")}, [], id="letter case counts"),
    ],
)
def test_everything_in_the_tree_counts(files: dict[bytes, BundleFile], directories: list[bytes]) -> None:
    plain = {content_of({}), content_of({b"a": BundleFile(False, b"-")})}
    assert content_of(files, *directories) not in plain


def test_a_deep_tree_needs_no_deep_stack() -> None:
    deep = [b"/".join([b"d"] * depth) for depth in range(1, 3000)]
    assert len(content_of({deep[-1] + b"/x": BundleFile(False, b"")}, *deep)) == 64


def test_the_manifests_name_is_part_of_the_content() -> None:
    files = {name.encode(): BundleFile(False, b"{}") for name in MANIFESTS}
    assert len({bundle_content_hash(name, files, []) for name in MANIFESTS}) == 3


def test_each_stream_has_another_hash_of_the_same_inventory() -> None:
    assert len({bundle_capability_hash(BundleInventory(skills=1), stream) for stream in POLICIES}) == 3


def test_a_policy_names_every_surface_once() -> None:
    for stream in ("v2", "v3"):
        assert POLICIES[stream].supported + POLICIES[stream].inactive == SURFACES


@pytest.mark.parametrize(
    "change",
    [
        {"skills": 2},
        {"mcp_servers": 1},
        {"stdio_mcp_servers": 1},
        {"remote_mcp_servers": 1},
        {"commands": 1},
        {"agents": 1},
        {"hooks": 1},
        {"lsp": 1},
        {"native": 1},
        {"filesystem_roots": ("workspace",)},
        {"network_hosts": ("example.invalid",)},
        {"lifecycle_mutation": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_count_moves_the_capability_hash(change: dict[str, Any]) -> None:
    plain = BundleInventory(skills=1)
    for stream in POLICIES:
        assert bundle_capability_hash(plain._replace(**change), stream) != bundle_capability_hash(plain, stream)


def test_roots_and_hosts_are_sorted_and_counted_once() -> None:
    messy = BundleInventory(network_hosts=("b", "a", "b"), filesystem_roots=("y", "X", "y"))
    tidy = BundleInventory(network_hosts=("a", "b"), filesystem_roots=("X", "y"))
    assert bundle_capability_hash(messy, "v1") == bundle_capability_hash(tidy, "v1")
    assert messy.as_json() == tidy.as_json()


def test_an_id_holds_scope_place_and_name() -> None:
    known = bundle_plugin_id("user", "example", b"/home/user/.codewhale/plugins/example")
    assert known.startswith("user/")
    assert known.endswith("/example")
    others = {
        bundle_plugin_id("workspace", "example", b"/home/user/.codewhale/plugins/example"),
        bundle_plugin_id("user", "example", b"/home/user/.codewhale/plugins/moved"),
        bundle_plugin_id("user", "other", b"/home/user/.codewhale/plugins/example"),
    }
    assert known not in others
    assert len(known.split("/")[1]) == 12


def test_windows_has_records_of_its_own() -> None:
    record = os_path_record(b"d", "é".encode(), windows=True)
    assert record.endswith(b"windows-utf16le\0" + (1).to_bytes(8, "little") + b"\xe9\0")
    assert bundle_content_hash("plugin.toml", MANIFEST, [], windows=True) != content_of({})

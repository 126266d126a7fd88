"""`hash` prints what Codewhale itself would print: on the nine golden trees, and nothing where that can't be told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from plugseal.encode.codewhale import bundle_plugin_id
from plugseal.errors import TreeRefusedError
from plugseal.limits import MIB
from plugseal.model.receipt import TreeReceipts
from plugseal.render.hash import render_receipts, render_receipts_json
from plugseal.render.text import join_plain
from plugseal.verbs.hash import hash_path
from plugseal.verbs.scan import scan_path

_FILE = Path(__file__).resolve().parents[1] / "vectors" / "codewhale-hashes.json"
VECTORS: list[dict[str, Any]] = json.loads(_FILE.read_text("utf-8"))["vectors"]
HEAD = 'schema_version = 1\n[plugin]\nname = "p"\nversion = "1.0.0"\n'


def build_vector(root: Path, vector: dict[str, Any]) -> Path:
    """Write a golden tree."""
    root.mkdir(parents=True)
    for folder in vector["dirs"]:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for file in vector["files"]:
        (root / file["path"]).write_bytes(file["text"].encode("utf-8"))
        (root / file["path"]).chmod(0o755 if file["executable"] else 0o644)
    return root


def build(root: Path, manifest: str = HEAD) -> Path:
    root.mkdir(parents=True)
    (root / "plugin.toml").write_text(manifest, encoding="utf-8")
    return root


def tokens(receipts: TreeReceipts) -> dict[str, str]:
    """Return the tokens by stream."""
    return {token.stream: token.token for receipt in receipts.hosts for token in receipt.tokens}


REPRESENTABLE = [vector for vector in VECTORS if vector["name"] != "v7-order"]


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["name"]) for vector in REPRESENTABLE])
def test_the_tokens_of_a_golden_tree_are_codewhales(vector: dict[str, Any], tmp_path: Path) -> None:
    content = vector["content_hash"]
    expected = {stream: f"{content}.{vector[f'capability_{stream}']}" for stream in ("v1", "v2", "v3")}
    receipts = hash_path(build_vector(tmp_path / "tree", vector))
    assert tokens(receipts) == expected
    [plugin] = json.loads("".join(render_receipts_json(receipts)))["plugins"]
    assert {row["stream"]: row["token"] for row in plugin["host_tokens"]} == expected
    text = join_plain(render_receipts(receipts))
    assert all(f"{token}\n" in text for token in expected.values())


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["name"]) for vector in VECTORS])
def test_a_scan_says_codewhales_hashes_and_inventory_of_a_golden_tree(vector: dict[str, Any], tmp_path: Path) -> None:
    [report] = scan_path(build_vector(tmp_path / "tree", vector)).plugins
    data = {host.host: json.loads(host.data) for host in report.plugin.hosts if host.host.startswith("codewhale-")}
    new = data["codewhale-0.9.10"]
    assert (new["content_hash"], new["capability_hash"]) == (vector["content_hash"], vector["capability_v3"])
    assert new["inventory"] == vector["inventory"]
    if vector["manifest"] == "plugin.toml":
        assert data["codewhale-0.9.1"]["capability_hash"] == vector["capability_v1"]


def test_each_stream_is_labelled_with_its_versions(tmp_path: Path) -> None:
    [receipt] = hash_path(build(tmp_path / "p")).hosts
    assert [(token.stream, token.versions) for token in receipt.tokens] == [
        ("v1", "0.9.1-0.9.7"),
        ("v2", "0.9.8-0.9.9"),
        ("v3", "0.9.10"),
    ]


def test_a_bundle_of_a_workspace_has_the_id_of_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plugseal.verbs.user.home_of_user", lambda: str(tmp_path / "elsewhere"))
    monkeypatch.delenv("CODEWHALE_HOME", raising=False)
    root = build(tmp_path / "work/.codewhale/plugins/p")
    [receipt] = hash_path(root).hosts
    assert receipt.id == bundle_plugin_id("workspace", "p", bytes(root.resolve()))


@pytest.mark.parametrize("is_moved", [False, True], ids=["in the home", "moved by its variable"])
def test_a_bundle_of_the_user_has_the_id_of_its_place(
    is_moved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plugseal.verbs.user.home_of_user", lambda: str(tmp_path / "home"))
    monkeypatch.delenv("CODEWHALE_HOME", raising=False)
    if is_moved:
        monkeypatch.setenv("CODEWHALE_HOME", str(tmp_path / "moved"))
    root = build((tmp_path / "moved" if is_moved else tmp_path / "home/.codewhale") / "plugins/p")
    [receipt] = hash_path(root).hosts
    assert receipt.id == bundle_plugin_id("user", "p", bytes(root.resolve()))


def test_a_bundle_that_codewhale_would_not_look_at_has_no_id(tmp_path: Path) -> None:
    [receipt] = hash_path(build(tmp_path / "p")).hosts
    assert receipt.id is None
    assert receipt.tokens


def test_an_archive_has_tokens_and_no_place(tmp_path: Path) -> None:
    root = build(tmp_path / "work/.codewhale/plugins/p")
    archive = Path(shutil.make_archive(str(tmp_path / "p"), "zip", root))
    [receipt] = hash_path(archive).hosts
    assert receipt.id is None
    assert tokens(hash_path(archive)) == tokens(hash_path(root))


def test_a_bundle_that_codewhale_refuses_has_neither(tmp_path: Path) -> None:
    [receipt] = hash_path(build(tmp_path / ".codewhale/plugins/p", f"{HEAD}[nope]\n")).hosts
    assert (receipt.id, receipt.tokens) == (None, ())


def test_a_future_surface_takes_our_token_and_not_codewhales(tmp_path: Path) -> None:
    root = build(tmp_path / "p", f'{HEAD}[capabilities]\nfilesystem_roots = ["w"]\n')
    receipts = hash_path(root)
    assert receipts.plugins[0].token is None
    assert len(tokens(receipts)) == 3


def test_a_repository_with_its_history_has_no_codewhale_hash(tmp_path: Path) -> None:
    root = build(tmp_path / "p")
    (root / ".git").mkdir()
    assert tokens(hash_path(root)) == {}


def test_another_manifest_beside_it_leaves_the_versions_that_never_read_that(tmp_path: Path) -> None:
    root = build(tmp_path / "p")
    (root / "kimi.plugin.json").write_text("{}")
    found = [receipt for receipt in hash_path(root).hosts if receipt.tokens]
    assert [(token.stream, token.versions) for token in found[0].tokens] == [("v1", "0.9.1-0.9.3")]


def test_bundles_within_a_tree_have_the_hash_that_they_have_alone(tmp_path: Path) -> None:
    outer = build(tmp_path / "outer")
    build(outer / "in/p", HEAD.replace('"p"', '"q"'))
    alone = tokens(hash_path(outer / "in/p"))["v1"]
    found = {report.plugin.root: report.plugin.hosts[0].data for report in scan_path(outer).plugins}
    assert alone.partition(".")[0] in found["in/p"]
    assert tokens(hash_path(outer))["v1"].partition(".")[0] in found[""]


def test_a_bundle_over_codewhales_limits_is_not_hashed(tmp_path: Path) -> None:
    root = build(tmp_path / "p")
    with (root / "large").open("wb") as file:
        file.truncate(64 * MIB + 1)
    assert tokens(hash_path(root)) == {}


def test_a_tree_that_we_refuse_is_refused_whatever_codewhale_says(tmp_path: Path) -> None:
    vector = next(vector for vector in VECTORS if vector["name"] == "v7-order")
    with pytest.raises(TreeRefusedError):
        hash_path(build_vector(tmp_path / "tree", vector))


def test_a_package_is_labelled_with_the_versions_that_read_it(tmp_path: Path) -> None:
    vector = next(vector for vector in VECTORS if vector["name"] == "v8-json")
    [receipt] = hash_path(build_vector(tmp_path / "tree", vector)).hosts
    assert [token.versions for token in receipt.tokens] == ["0.9.4-0.9.7", "0.9.8-0.9.9", "0.9.10"]

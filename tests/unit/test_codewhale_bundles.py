"""Whole bundles: limits with their boundaries, links, where Codewhale looks, and what both versions say."""

from __future__ import annotations

import pytest

from plugseal.limits import MIB
from plugseal.model.tree import Entry, EntryKind
from plugseal.systems.system import Listing
from tests import codewhale_bundles as bundles

SKILL = "---\nname: a\ndescription: d\n---\n"
HOME = ".codewhale/plugins"


def named(name: str) -> str:
    """Return the manifest of a bundle."""
    return f'schema_version = 1\n[plugin]\nname = "{name}"\nversion = "1.0.0"\n'


def sized(listing: Listing, **sizes: int) -> Listing:
    """Return a listing in which files have other sizes; `_` stands for `/` and `__` for a dot."""
    entries = dict(listing.entries)
    for name, size in sizes.items():
        path = name.replace("__", ".").replace("_", "/")
        entries[path] = entries[path]._replace(size=size)
    return listing._replace(entries=entries)


@pytest.mark.parametrize(("files", "is_refused"), [(4_095, False), (4_096, False), (4_097, True)])
def test_a_bundle_has_at_most_4096_files(files: int, is_refused: bool) -> None:
    plugin = bundles.describe(bundles.HEAD, {f"d/{number}": "" for number in range(files - 1)})
    assert bool(plugin.faults) is is_refused


@pytest.mark.parametrize(("size", "is_refused"), [(-1, False), (0, False), (1, True)])
def test_a_bundle_has_at_most_64_mebibytes(size: int, is_refused: bool) -> None:
    listing = bundles.build_tree({"plugin.toml": bundles.HEAD, "x": ""})
    [plugin] = bundles.discover(sized(listing, x=64 * MIB - len(bundles.HEAD) + size))
    assert bool(plugin.faults) is is_refused


@pytest.mark.parametrize(("size", "is_refused"), [(MIB - 1, False), (MIB, False), (MIB + 1, True)])
def test_a_manifest_has_at_most_one_mebibyte(size: int, is_refused: bool) -> None:
    manifest = bundles.HEAD + "# " + "x" * (size - len(bundles.HEAD) - 2)
    assert bool(bundles.describe(manifest).faults) is is_refused


@pytest.mark.parametrize(("size", "is_refused"), [(MIB - 1, False), (MIB, False), (MIB + 1, True)])
def test_a_skill_has_at_most_one_mebibyte(size: int, is_refused: bool) -> None:
    listing = bundles.build_tree({"plugin.toml": f"{bundles.HEAD}[skills]\n", "skills/a/SKILL.md": SKILL})
    [plugin] = bundles.discover(sized(listing, skills_a_SKILL__md=size))
    assert bool(plugin.faults) is is_refused


def test_folders_are_not_counted() -> None:
    assert bundles.describe(bundles.HEAD, {}, folders=[f"d{number}" for number in range(5000)]).faults == ()


def test_a_special_file_anywhere_refuses_the_bundle() -> None:
    listing = bundles.build_tree({"plugin.toml": bundles.HEAD})
    entries = {**listing.entries, "pipe": Entry("pipe", EntryKind.OTHER, 0, False, None)}
    [plugin] = bundles.discover(listing._replace(entries=entries))
    assert [(fault.file, fault.message.partition(":")[0]) for fault in plugin.faults] == [("pipe", "is a special file")]


@pytest.mark.parametrize("target", ["server.js", "../outside", "/etc/passwd", "none"])
def test_a_link_anywhere_refuses_the_bundle_wherever_it_leads(target: str) -> None:
    plugin = bundles.describe(bundles.HEAD, links={"docs/link": target})
    assert bundles.fault_fields(plugin) == ["docs/link"]


def test_a_thousand_links_are_few_faults() -> None:
    plugin = bundles.describe(bundles.HEAD, links={f"l{number}": "server.js" for number in range(1000)})
    assert len(plugin.faults) == 17
    assert "1,000 links" in str(plugin.faults)


def test_a_path_that_leads_through_a_link_is_refused() -> None:
    manifest = f'{bundles.HEAD}[mcp_servers.a]\ncommand = "bin/run"\ncwd = "bin"\n'
    plugin = bundles.describe(manifest, {"real/run": ""}, links={"bin": "real"})
    assert bundles.fault_fields(plugin) == ["bin", "mcp_servers.a.command", "mcp_servers.a.cwd"]


def test_two_skills_of_one_name_refuse_the_bundle() -> None:
    plugin = bundles.describe(f"{bundles.HEAD}[skills]\n", {"skills/a/SKILL.md": SKILL, "skills/b/SKILL.md": SKILL})
    assert bundles.fault_fields(plugin) == ["skills/b/SKILL.md"]
    assert not bundles.verdict(plugin, "0.9.1")["valid"]


def test_a_broken_skill_hides_no_other_and_not_the_bundle() -> None:
    files = {"skills/a/SKILL.md": SKILL, "skills/b/SKILL.md": "---\nname: [\n---\n"}
    plugin = bundles.describe(f"{bundles.HEAD}[skills]\n", files)
    assert "a" in {component.name for component in plugin.components}
    data = bundles.verdict(plugin, "0.9.1")
    assert (data["loads"], [row["code"] for row in data["diagnostics"]]) == (True, ["skill-invalid"])


def test_what_lies_in_an_inner_bundle_counts_for_both() -> None:
    files = {"plugin.toml": named("outer"), "in/plugin.toml": named("inner"), "x": ""}
    listing = bundles.build_tree(files, links={"in/link": "../x"})
    found = {plugin.name: bundles.fault_fields(plugin) for plugin in bundles.discover(listing)}
    assert found == {"outer": ["in/link"], "inner": ["link"]}


def test_a_broken_bundle_hides_no_other() -> None:
    files = {f"{HOME}/a/plugin.toml": "[plugin\n", f"{HOME}/b/plugin.toml": named("b")}
    found = [(plugin.name, bool(plugin.faults)) for plugin in bundles.discover(bundles.build_tree(files))]
    assert found == [("a", True), ("b", False)]


def test_anything_is_a_bundle_where_codewhale_looks_and_only_a_likely_manifest_elsewhere() -> None:
    files = {f"{HOME}/a/plugin.toml": "x = 1\n", "elsewhere/plugin.toml": "x = 1\n", f"{HOME}/a/b/plugin.toml": "x = 1"}
    assert [plugin.root for plugin in bundles.discover(bundles.build_tree(files))] == [f"{HOME}/a"]


def test_bundles_come_in_one_order_and_the_first_of_a_name_is_taken() -> None:
    files = {f"{HOME}/{folder}/plugin.toml": named(name) for folder, name in {"z": "p", "a": "p", "m": "q"}.items()}
    found = bundles.discover(bundles.build_tree(files))
    assert [plugin.root[-1] for plugin in found] == ["a", "m", "z"]
    assert [bundles.verdict(plugin, "0.9.1")["loads"] for plugin in found] == [True, True, False]
    last = bundles.verdict(found[-1], "0.9.10")
    assert [row["code"] for row in last["diagnostics"]] == ["name-conflict"]


def test_bundles_of_two_workspaces_do_not_shadow_each_other() -> None:
    files = {f"{workspace}/{HOME}/p/plugin.toml": named("p") for workspace in ("one", "two")}
    found = bundles.discover(bundles.build_tree(files))
    assert [bundles.verdict(plugin, "0.9.1")["loads"] for plugin in found] == [True, True]


def test_a_linked_discovery_root_loads_nothing() -> None:
    listing = bundles.build_tree({"real/p/plugin.toml": named("p")}, links={HOME: "../real"})
    found = {plugin.root: plugin for plugin in bundles.discover(listing)}
    assert sorted(found) == [HOME, "real/p"]
    assert [row["code"] for row in bundles.verdict(found[HOME], "0.9.1")["diagnostics"]][-1] == "root-symlink"
    assert found[HOME].single_file


@pytest.mark.parametrize("other", ["plugin.json", "kimi.plugin.json"])
def test_the_new_version_prefers_another_manifest(other: str) -> None:
    plugin = bundles.describe(bundles.HEAD, {other: "{}"})
    old, new = (bundles.verdict(plugin, version) for version in ("0.9.1", "0.9.10"))
    assert (old["loads"], old["reads"]) == (True, "plugin.toml")
    assert (new["loads"], new["reads"], new["summary"]) == (False, other, f"reads {other} instead")


def test_a_full_bundle_loads_in_both() -> None:
    manifest = (
        f'{bundles.HEAD}[skills]\n[mcp_servers.a]\ncommand = "node"\n[mcp_servers.b]\nurl = "http://localhost/"\n'
    )
    plugin = bundles.describe(f'{manifest}[capabilities]\nnetwork_hosts = ["localhost"]\n')
    for version in ("0.9.1", "0.9.10"):
        data = bundles.verdict(plugin, version)
        assert (data["loads"], data["compatibility"]) == (True, "full")
        assert data["active"] == ["skills", "mcp-stdio", "mcp-remote"]
        assert data["inventory"]["mcp_servers"] == 2
        assert data["summary"] == "would start skills, mcp-stdio, mcp-remote"


def test_what_a_manifest_asks_for_is_described() -> None:
    manifest = (
        f'{bundles.HEAD}[capabilities]\nfilesystem_roots = ["Home", "workspace"]\nnetwork_hosts = ["H.invalid"]\n'
        'lifecycle_mutation = true\nother = ["x"]\n'
    )
    assert bundles.describe(manifest).permissions == (
        "filesystem Home",
        "filesystem workspace",
        "lifecycle-mutation",
        "net.outbound H.invalid",
        'other ["x"]',
    )

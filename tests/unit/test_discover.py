"""Discovery finds every plugin of a tree by names and manifests alone, in one order, and never follows a link out."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.model.capability import Capability, Channel, Resolution
from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import Keeper, build_listing, discover, manifest_facts, plugin_id
from plugseal.systems.registry import all_systems
from plugseal.systems.system import Listing
from plugseal.systems.wanted import keeps, wanted

_PLUGIN = b'{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "%s"}'
_SKILL = b"---\nname: %s\ndescription: d\n---\ntext\n"
_AMBER = b'{"id": "%s", "version": "1", "protocol_version": 1, "main": "run"}'


def entries_of(files: dict[str, bytes | str]) -> list[Entry]:
    """Return the entries of a tree given as path to bytes, or to a link's target where it is text."""
    found: dict[str, Entry] = {}
    for path, content in files.items():
        parts = path.split("/")
        for end in range(1, len(parts)):
            folder = "/".join(parts[:end])
            found[folder] = Entry(folder, EntryKind.DIRECTORY, 0, False, None)
        if isinstance(content, str):
            found[path] = Entry(path, EntryKind.SYMLINK, 0, False, None, content)
        else:
            found[path] = Entry(path, EntryKind.FILE, len(content), path.endswith("run"), "00")
    return sorted(found.values(), key=lambda e: e.path.encode("utf-8", "surrogateescape"))


def listing_of(files: dict[str, bytes | str]) -> Listing:
    """Return the listing that a scan of these files would make."""
    entries = entries_of(files)
    return build_listing(entries, {p: c for p in wanted(entries) if isinstance(c := files[p], bytes)})


def found_in(files: dict[str, bytes | str]) -> list[tuple[str, str, str]]:
    """Return (root, system, name) of the plugins of a tree."""
    return [(plugin.root, plugin.system, plugin.name) for plugin in discover(listing_of(files))]


def test_plugins_come_in_one_order_whatever_the_order_of_the_files() -> None:
    files: dict[str, bytes | str] = {
        "b/plugin.json": _PLUGIN % b"b",
        "b/manifest.json": _AMBER % b"b",
        "a/manifest.json": _AMBER % b"a",
        "plugin.json": _PLUGIN % b"top",
    }
    expected = [("", "agent-plugins", "top"), ("a", "amber", "a"), ("b", "agent-plugins", "b"), ("b", "amber", "b")]
    for seed in range(5):
        shuffled = list(files.items())
        random.Random(seed).shuffle(shuffled)
        entries = entries_of(dict(shuffled))
        random.Random(seed).shuffle(entries)
        listing = build_listing(entries, {p: c for p, c in shuffled if isinstance(c, bytes)})
        assert [(p.root, p.system, p.name) for p in discover(listing)] == expected


def test_a_plugin_inside_a_plugin_is_a_unit_of_its_own() -> None:
    files: dict[str, bytes | str] = {
        "plugin.json": _PLUGIN % b"outer",
        "skills/inner/SKILL.md": _SKILL % b"inner",
        "skills/inner/examples/manifest.json": _AMBER % b"nested",
    }
    assert found_in(files) == [("", "agent-plugins", "outer"), ("skills/inner/examples", "amber", "nested")]


def test_a_skill_that_no_plugin_describes_is_a_unit() -> None:
    files: dict[str, bytes | str] = {
        "plugin.json": _PLUGIN % b"outer",
        "skills/own/SKILL.md": _SKILL % b"own",
        ".hidden/skills/other/SKILL.md": _SKILL % b"other",
    }
    assert ("skills/own", "agent-skill", "own") not in found_in(files)
    assert (".hidden/skills/other", "agent-skill", "other") in found_in(files)


def test_servers_of_a_package_are_its_own_even_where_there_are_none() -> None:
    schema = b'"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"'
    files: dict[str, bytes | str] = {
        "plugin.json": _PLUGIN % b"outer",
        "mcp.json": b"{" + schema + b', "mcpServers": {}}',
    }
    assert found_in(files) == [("", "agent-plugins", "outer")]


def test_hooks_that_another_plugin_names_are_its_own() -> None:
    files: dict[str, bytes | str] = {
        ".claude-plugin/plugin.json": b'{"name": "p", "hooks": "./parts/hooks/hooks.json"}',
        "parts/hooks/hooks.json": b'{"hooks": {"Stop": [{"command": "echo"}]}}',
        "other/hooks/hooks.json": b'{"hooks": {"Stop": [{"command": "echo"}]}}',
    }
    assert found_in(files) == [("", "claude-code", "p"), ("other", "claude-code", "other")]


def test_a_skill_behind_a_link_inside_the_plugin_is_described_once() -> None:
    files: dict[str, bytes | str] = {
        "plugin.json": _PLUGIN % b"p",
        "skills/linked": "../shared/one",
        "shared/one/SKILL.md": _SKILL % b"one",
    }
    (plugin,) = discover(listing_of(files))
    assert [component.file for component in plugin.components] == ["skills/linked/SKILL.md"]
    assert not plugin.faults


def test_a_manifest_that_is_a_link_inside_the_tree_is_read_where_it_leads() -> None:
    files: dict[str, bytes | str] = {
        "plugin.json": _PLUGIN % b"p",
        "mcp.json": "config/servers.data",
        "config/servers.data": b'{"mcpServers": {"s": {"command": "true"}}}',
    }
    assert "config/servers.data" in wanted(entries_of(files))
    (plugin,) = discover(listing_of(files))
    assert [component.name for component in plugin.components] == ["s"]


@pytest.mark.parametrize("target", ["/etc", "../../elsewhere", "../skills/loop", "nowhere", ".."])
def test_a_link_that_leads_out_nowhere_or_round_in_a_circle_is_a_fault_and_hides_nothing_else(target: str) -> None:
    files: dict[str, bytes | str] = {
        "p/plugin.json": _PLUGIN % b"p",
        "p/skills/good/SKILL.md": _SKILL % b"good",
        "p/skills/loop": target if target != ".." else "../..",
    }
    (plugin,) = discover(listing_of(files))
    assert [component.name for component in plugin.components] == ["good"]
    assert [fault.file for fault in plugin.faults] == (["skills/loop"])


def test_links_that_lead_round_in_circles_are_walked_once() -> None:
    circles: dict[str, bytes | str] = {f"skills/c{number}": "." if number % 2 else ".." for number in range(30)}
    files: dict[str, bytes | str] = {"plugin.json": _PLUGIN % b"p", "skills/one/SKILL.md": _SKILL % b"one", **circles}
    files |= {f"commands/c{number}": "." for number in range(30)}
    files |= {"commands/run.md": b"Run.", ".claude-plugin/plugin.json": b'{"name": "c"}'}
    packages = discover(listing_of(files))
    assert {(p.system, c.name) for p in packages for c in p.components} == {
        ("agent-plugins", "one"),
        ("claude-code", "one"),
        ("claude-code", "run"),
    }


def test_prose_in_utf_16_is_a_fault() -> None:
    (skill,) = discover(listing_of({"a/SKILL.md": "---\nname: a\n---\n".encode("utf-16")}))
    assert [fault.message for fault in skill.faults] == ["encoded as UTF-16, not UTF-8"]


def test_a_link_into_a_neighbour_is_outside_the_plugin() -> None:
    files: dict[str, bytes | str] = {
        "p/plugin.json": _PLUGIN % b"p",
        "p/skills/theirs": "../../q/skill",
        "q/skill/SKILL.md": _SKILL % b"theirs",
    }
    plugin, skill = discover(listing_of(files))
    assert (plugin.components, [fault.file for fault in plugin.faults]) == ((), ["skills/theirs"])
    assert (skill.system, skill.root) == ("agent-skill", "q/skill")


def test_a_broken_manifest_hides_no_other() -> None:
    files: dict[str, bytes | str] = {
        "a/plugin.json": b"{",
        "b/plugin.json": _PLUGIN % b"b",
        "c/.mcp.json": b"\xff\xfe{\x00}\x00",
        "d/plugin.toml": b"[plugin]\nname = 1 = 2\n",
        "e/coding-plugin.json": b"[]",
        "f/.claude-plugin/plugin.json": b"null",
    }
    plugins = discover(listing_of(files))
    assert [plugin.root for plugin in plugins] == ["a", "b", "c", "d", "e", "f"]
    assert [plugin.is_broken for plugin in plugins] == [True, False, True, True, True, True]


def test_a_manifest_that_was_not_kept_is_a_fault() -> None:
    entries = entries_of({"plugin.json": b"x" * 10, ".mcp.json": b"{}"})
    plugins = discover(build_listing(entries, {}))
    assert [(p.system, [f.message for f in p.faults]) for p in plugins] == [
        ("agent-plugins", ["could not be read, or is too large for a manifest"]),
        ("mcp-config", ["could not be read, or is too large for a manifest"]),
    ]


def test_an_mcp_configuration_that_starts_what_lies_in_the_tree_has_the_folder_as_its_unit() -> None:
    far = b'{"mcpServers": {"a": {"url": "https://a.example.invalid"}, "b": {"command": "npx", "args": ["b"]}}}'
    near = b'{"mcpServers": {"a": {"command": "make", "args": ["serve"]}}}'
    (elsewhere,) = discover(listing_of({"x/.mcp.json": far, "x/other.py": b""}))
    (here,) = discover(listing_of({"x/.mcp.json": near, "x/other.py": b""}))
    assert (elsewhere.root, elsewhere.single_file) == ("x/.mcp.json", True)
    assert (here.root, here.single_file) == ("x", False)


@pytest.mark.parametrize(
    ("manifest", "beside", "systems"),
    [
        pytest.param(b'{"name": "a"}', "skills/s/SKILL.md", ["agent-plugins"], id="no schema, but its components"),
        pytest.param(b'{"name": "a"}', ".claude-plugin/plugin.json", ["claude-code"], id="another client's folder"),
        pytest.param(b'{"name": "a"}', "readme.md", ["agent-plugins"], id="its fields alone, where the user pointed"),
        pytest.param(b'{"name": "a", "kind": "b"}', "readme.md", [], id="nothing beside it"),
        pytest.param(b'{"name": "a", "hooks": "x"}', "mcp.json", ["copilot", "mcp-config"], id="another client's keys"),
        pytest.param(b'{"name": "a", "id": "b"}', "mcp.json", ["mcp-config"], id="another product's manifest"),
        pytest.param(_PLUGIN % b"a", ".claude-plugin/plugin.json", ["agent-plugins", "claude-code"], id="two at once"),
    ],
)
def test_a_plugin_json_is_taken_for_what_it_is(manifest: bytes, beside: str, systems: list[str]) -> None:
    other = b'{"name": "a", "mcpServers": {"s": {"command": "true"}}}' if beside.endswith(".json") else _SKILL % b"s"
    assert [system for _, system, _ in found_in({"plugin.json": manifest, beside: other})] == systems


def test_names_that_are_no_text_do_no_harm() -> None:
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    (plugin,) = discover(listing_of({f"{name}/manifest.json": b'{"protocol_version": 1}'}))
    assert plugin.name == name
    assert plugin_id(plugin).isascii()


def test_an_id_names_system_name_and_place() -> None:
    def identity(system: str, name: str, root: str) -> str:
        return plugin_id(Plugin(system, name, "", root, "m"))

    assert identity("amber", "hello", "") == "amber:hello@f5831b593808"
    found = {
        identity(system, name, root)
        for system in ("amber", "coding")
        for name in ("a", "a b", "a%20b", "A", "a/b", "a@b", "a:b", "\ud800", "ä", "")
        for root in ("", "a", "a/b")
    }
    assert len(found) == 2 * 10 * 3
    for identifier in found:
        system, _, rest = identifier.partition(":")
        name, _, place = rest.rpartition("@")
        assert system
        assert not set(name) & set(" /:@\n")
        assert len(place) == 12


def test_prose_is_kept_up_to_its_front_matter_and_hashed_whole_without_line_endings() -> None:
    keeper = Keeper()
    entries = entries_of({"a/SKILL.md": b"", "b/SKILL.md": b"", "c/SKILL.md": b"", "d/SKILL.md": b""})
    keeper.begin(entries)
    texts = [b"---\nname: a\n---\nbody", b"---\r\nname: a\r\n---\r\nbody", b"no front", b"---\nname: a\nno end"]
    for entry, text in zip([e for e in entries if e.path.endswith(".md")], texts, strict=True):
        keeper.visit(entry, text, "")
    listing = keeper.listing()
    kept = [listing.kept[f"{name}/SKILL.md"] for name in "abcd"]
    assert b"body" not in b"".join(kept[:3])
    assert kept[3] == texts[3]
    assert listing.text_digests["a/SKILL.md"] == listing.text_digests["b/SKILL.md"]
    assert len(set(listing.text_digests.values())) == 3


def test_the_registry_lists_each_system_once() -> None:
    names = [system.name for system in all_systems()]
    assert names == sorted(set(names))
    assert keeps("x/plugin.json")
    assert not keeps("x/other.txt")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "name id main version tools $schema mcpServers servers hooks command args env url headers cwd skills "
                "protocol_version type s SessionStart matcher allowed-tools trust plugin description".split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)
_MANIFESTS = (
    "plugin.json",
    "mcp.json",
    ".mcp.json",
    "manifest.json",
    ".amber/plugins/a/manifest.json",
    "coding-plugin.json",
    ".claude-plugin/plugin.json",
    "hooks/hooks.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
    ".vscode/mcp.json",
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(_MANIFESTS), _JSON, min_size=1, max_size=5))
def test_no_shape_of_a_manifest_makes_discovery_fail(manifests: dict[str, Any]) -> None:
    files: dict[str, bytes | str] = {path: json.dumps(value).encode() for path, value in manifests.items()}
    for plugin in discover(listing_of(files)):
        for _, fact in manifest_facts(plugin):
            assert fact.capability in {capability.value for capability in Capability}
            assert fact.channel in {channel.value for channel in Channel}
            assert fact.resolution in {resolution.value for resolution in Resolution}


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from((*_MANIFESTS, "plugin.toml", "SKILL.md", "plugin.yaml", "commands/a.md")), st.binary(max_size=200)
)
def test_no_bytes_of_a_manifest_make_discovery_fail(path: str, data: bytes) -> None:
    discover(listing_of({path: data, "__init__.py": b"", ".claude-plugin/plugin.json": b"{}"} | {path: data}))


def _servers(*specs: dict[str, Any]) -> dict[str, bytes | str]:
    return {".mcp.json": json.dumps({"mcpServers": {f"s{i}": spec for i, spec in enumerate(specs)}}).encode()}


def test_commands_and_tables_over_a_limit_are_faults_and_unread() -> None:
    too_many_words = _servers({"command": "node", "args": ["/x"] * 4097})
    too_long_a_line = _servers({"command": "sh", "args": ["-c", "echo ${A:-" * 8000]})
    for files in (too_many_words, too_long_a_line):
        (plugin,) = discover(listing_of(files))
        assert [fault.message for fault in plugin.faults] == ["the command of `s0` is too long"]
        assert [fact.capability for _, fact in manifest_facts(plugin)] == ["unread"]
    (plugin,) = discover(listing_of(_servers(*[{"command": "true"}] * 4097)))
    assert [fault.message for fault in plugin.faults] == ["declares more than 4,096: none was read"]


def test_shapes_that_make_naive_work_quadratic_end() -> None:
    """A hang here is the failure; nothing is measured."""
    shapes = [
        {"command": "env", "args": ["A=1"] * 4000},
        {"command": "poetry", "args": ["run", "poetry"] * 2000},
        {"command": "sh", "args": ["-c", "${A:-" * 13_000]},
        {"command": "sh", "args": ["-c", "a=1 b=$a " * 7000]},
        {"command": "sh", "args": ["-c", "npx a;" * 10_000]},
        {"command": "x", "env": {f"A{i}": f"${{B{i}}}" for i in range(20_000)}},
    ]
    (plugin,) = discover(listing_of(_servers(*shapes)))
    assert len(plugin.components) == len(shapes)
    assert manifest_facts(plugin)
    grants = b"---\nname: a\nallowed-tools: '" + b"a(" * 500_000 + b"'\n---\n"
    (skill,) = discover(listing_of({"a/SKILL.md": grants}))
    assert len(manifest_facts(skill)) == 1


def test_servers_of_both_tables_of_one_file_are_described() -> None:
    both = b'{"servers": {"a": {"command": "true"}}, "mcpServers": {"b": {"command": "true"}}}'
    (plugin,) = discover(listing_of({".vscode/mcp.json": both}))
    assert [component.name for component in plugin.components] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "grants"),
    [
        pytest.param("Bash(git add:*), Read", ["Bash(git add:*)", "Read"], id="a space inside parentheses"),
        pytest.param("Read Write", ["Read", "Write"], id="spaces alone"),
        pytest.param('["Bash", "Read"]', ["Bash", "Read"], id="a list"),
        pytest.param("Bash(", ["Bash("], id="never closed"),
    ],
)
def test_grants_of_a_skill_are_told_apart(text: str, grants: list[str]) -> None:
    front = f"---\nname: a\nallowed-tools: {text}\n---\n".encode()
    (skill,) = discover(listing_of({"a/SKILL.md": front}))
    assert [fact.object for _, fact in manifest_facts(skill)] == grants


def test_a_skill_beside_hooks_of_a_client_is_a_unit_though_the_folder_looks_like_a_plugin() -> None:
    hooks = b'{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "./scripts/a.sh"}]}}'
    found = found_in({".github/hooks/hooks.json": hooks, ".github/skills/deploy/SKILL.md": _SKILL % b"deploy"})

    assert (".github/skills/deploy", "agent-skill", "deploy") in found
    assert ("", "copilot", "settings") in found

"""Codewhale's own tests of bundles, one by one, asked of what we say of the same bundles."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Plugin
from plugseal.scan.discover import Keeper, discover
from tests import codewhale_bundles as bundles

MCP = f"{bundles.HEAD}[mcp_servers.a]\n"


def build(root: Path, manifest: str, files: dict[str, str] | None = None) -> Path:
    """Write a bundle."""
    for path, text in {"plugin.toml": manifest, **(files or {})}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def read(root: Path) -> list[Plugin]:
    """Return the Codewhale bundles below a folder, as a scan sees them."""
    keeper = Keeper()
    tree = read_tree(root, keeper)
    return [plugin for plugin in discover(keeper.listing(tree)) if plugin.system == "codewhale"]


def hashes(root: Path) -> tuple[str, str]:
    """Return the content and the capability hash of the bundle right there, as 0.9.10 has them."""
    data = bundles.verdict(next(plugin for plugin in read(root) if not plugin.root), "0.9.10")
    return data["content_hash"], data["capability_hash"]


SKILL = {"skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nbody\n"}


def test_1_an_edited_skill_moves_the_content_hash_alone(tmp_path: Path) -> None:
    build(tmp_path, f"{bundles.HEAD}[skills]\n", SKILL)
    before = hashes(tmp_path)
    assert bundles.verdict(read(tmp_path)[0], "0.9.10")["diagnostics"] == []
    build(tmp_path, f"{bundles.HEAD}[skills]\n", {"skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\nevil\n"})
    after = hashes(tmp_path)
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_2_a_tree_of_eight_levels_is_fine(tmp_path: Path) -> None:
    build(tmp_path, bundles.HEAD, {"1/2/3/4/5/6/7/8/x": "x"})
    assert read(tmp_path)[0].faults == ()
    assert len(hashes(tmp_path)[0]) == 64


def test_3_the_order_of_creation_changes_nothing_and_a_companion_counts(tmp_path: Path) -> None:
    files = {"b/x": "1", "a": "2", "c": "3"}
    first = hashes(build(tmp_path / "1", bundles.HEAD, files))
    second = hashes(build(tmp_path / "2", bundles.HEAD, dict(reversed(files.items()))))
    third = hashes(build(tmp_path / "3", bundles.HEAD, {**files, "c": "4"}))
    assert first == second
    assert (first[0] != third[0], first[1] == third[1]) == (True, True)


def test_4_bytes_that_mimic_a_record_are_not_a_record(tmp_path: Path) -> None:
    one = hashes(build(tmp_path / "1", bundles.HEAD, {"a": "xF\0codewhale-os-path-v1\0y"}))
    two = hashes(build(tmp_path / "2", bundles.HEAD, {"a": "x", "b": "y"}))
    assert one[0] != two[0]


def test_5_names_that_are_no_text_are_told_apart(tmp_path: Path) -> None:
    found = []
    for number, name in enumerate((b"a\xff", b"a\xfe")):
        root = build(tmp_path / str(number), bundles.HEAD)
        (root / "x").touch()
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).touch()
        found.append(hashes(root)[0])
    assert found[0] != found[1]


def test_6_a_name_alone_is_a_legacy_manifest_with_two_warnings() -> None:
    plugin = bundles.describe('[plugin]\nname = "old"\n')
    assert (plugin.version, plugin.faults) == ("0.0.0", ())
    warnings = [(row["severity"], row["code"]) for row in bundles.verdict(plugin, "0.9.1")["diagnostics"]]
    assert warnings == [("warning", "manifest-legacy")] * 2


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param(f"{bundles.HEAD}[other]\n", id="an unknown top key"),
        pytest.param('schema_version = 1\n[plugin]\nname = "Bad_Name"\nversion = "1.0.0"\n', id="a bad name"),
        pytest.param('schema_version = 1\n[plugin]\nname = "p"\nversion = "latest"\n', id="a bad version"),
        pytest.param('schema_version = 1\n[plugin]\nname = "p"\n', id="no version"),
    ],
)
def test_7_unknown_keys_bad_names_and_versions_are_errors(manifest: str) -> None:
    assert not bundles.verdict(bundles.describe(manifest), "0.9.10")["valid"]


def test_8_a_wrong_type_that_holds_a_token_is_not_repeated() -> None:
    plugin = bundles.describe('schema_version = "sk-live-secret"\n[plugin]\nname = "p"\nversion = "1.0.0"\n')
    assert plugin.faults
    assert "sk-live" not in str(plugin.faults) + str(plugin.hosts)


@pytest.mark.parametrize("path", ["../escape", "/tmp/x", "C:\\x", "\\\\server\\share"])
def test_9_a_component_path_stays_inside(path: str) -> None:
    plugin = bundles.describe(f"{bundles.HEAD}[skills]\npath = '{path}'\n")
    assert bundles.fault_fields(plugin) == ["skills.path"]


@pytest.mark.parametrize("link", ["skills", "skills/a/link"])
def test_10_a_link_at_or_inside_a_component_is_an_error(link: str) -> None:
    files = {} if link == "skills" else {"skills/a/SKILL.md": "---\nname: a\n---\n"}
    plugin = bundles.describe(f"{bundles.HEAD}[skills]\n", {"real/x": "", **files}, links={link: "real"})
    assert link in bundles.fault_fields(plugin)
    assert not bundles.verdict(plugin, "0.9.1")["valid"]


def test_11_a_linked_manifest_and_a_linked_bundle_are_errors(tmp_path: Path) -> None:
    build(tmp_path / "real", bundles.HEAD).joinpath("plugin.toml").rename(tmp_path / "real/real.toml")
    (tmp_path / "real/plugin.toml").symlink_to("real.toml")
    home = tmp_path / ".codewhale/plugins"
    home.mkdir(parents=True)
    (home / "linked").symlink_to("../../real")
    found = {plugin.name: plugin for plugin in read(tmp_path)}
    assert [fault.file for fault in found["p"].faults] == ["plugin.toml"]
    assert bundles.verdict(found["linked"], "0.9.1")["diagnostics"][-1]["code"] == "bundle-symlink"
    assert not any(bundles.verdict(plugin, "0.9.10")["loads"] for plugin in found.values())


def test_12_an_absolute_argument_and_a_login_are_errors() -> None:
    for body in ('command = "node"\nargs = ["/x"]', 'url = "https://user:secret@h.invalid/"'):
        assert not bundles.verdict(bundles.describe(f"{MCP}{body}\n"), "0.9.10")["valid"]


def test_13_hooks_roots_and_mutation_are_counted_and_named() -> None:
    manifest = (
        f'{bundles.HEAD}[hooks]\npath = "hooks"\n[capabilities]\nfilesystem_roots = ["w"]\nlifecycle_mutation = true\n'
    )
    data = bundles.verdict(bundles.describe(manifest), "0.9.1")
    assert data["inactive"] == ["hooks", "filesystem-roots", "lifecycle-mutation"]
    assert (data["inventory"]["hooks"], data["inventory"]["lifecycle_mutation"]) == (1, True)


def test_14_a_mixed_bundle_is_partial_and_one_of_lsp_alone_unsupported() -> None:
    files = {"commands/a.md": "a\n", "lsp/x": ""}
    lsp = f'{bundles.HEAD}[lsp]\npath = "lsp"\n'
    mixed = bundles.verdict(bundles.describe(f'{lsp}[commands]\npath = "commands"\n', files), "0.9.10")
    alone = bundles.verdict(bundles.describe(lsp, files), "0.9.10")
    assert (mixed["loads"], mixed["compatibility"], mixed["active"]) == (True, "partial", ["commands"])
    assert (alone["loads"], alone["compatibility"], alone["active"]) == (False, "unsupported", [])


def test_15_the_hash_moves_with_the_policy() -> None:
    plugin = bundles.describe(bundles.HEAD)
    assert len({bundles.verdict(plugin, version)["capability_hash"] for version in ("0.9.1", "0.9.10")}) == 2


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('command = "node"\nautostart = true', id="an unknown field"),
        pytest.param('url = "https://h.invalid/"\nargs = ["x"]', id="a URL with arguments"),
        pytest.param('url = "https://h.invalid/?token=x"', id="a token in the query"),
        pytest.param('url = "http://h.invalid/"', id="http"),
        pytest.param('url = "https://other.invalid/"', id="another host than declared"),
        pytest.param('command = "node"\ntransport = "sse"', id="a command with a transport"),
        pytest.param('command = "node"\nconnect_timeout = 0', id="no time at all"),
        pytest.param('command = "node"\nenabled_tools = ["a"]\ndisabled_tools = ["a"]', id="a tool in both lists"),
        pytest.param('command = "node"\n[mcp_servers.a.env]\nTOKEN = "literal"', id="a literal variable"),
        pytest.param('url = "https://h.invalid/"\n[mcp_servers.a.headers]\nA = "b"', id="a literal header"),
        pytest.param('url = "https://h.invalid/"\n[mcp_servers.a.oauth]\nclient_secret = "x"', id="an OAuth secret"),
    ],
)
def test_16_eleven_bad_servers_are_errors(body: str) -> None:
    declared = '[capabilities]\nnetwork_hosts = ["h.invalid"]\n' if "url" in body else ""
    plugin = bundles.describe(f"{bundles.HEAD}{declared}[mcp_servers.a]\n{body}\n")
    assert not bundles.verdict(plugin, "0.9.10")["valid"]


def test_17_a_good_endpoint_gives_its_normal_host() -> None:
    manifest = (
        f'{bundles.HEAD}[mcp_servers.a]\nurl = "https://Example.Invalid:8443/mcp"\nbearer_token_env_var = "TOKEN"\n'
        'env_headers = { X-Key = "KEY" }\n[capabilities]\nnetwork_hosts = ["example.invalid"]\n'
    )
    plugin = bundles.describe(manifest)
    assert plugin.faults == ()
    assert bundles.verdict(plugin, "0.9.1")["inventory"]["network_hosts"] == ["example.invalid"]
    [server] = plugin.components
    assert server.headers == (("Authorization", "Bearer ${TOKEN}"), ("X-Key", "${KEY}"))


@pytest.mark.parametrize(
    "line", ['scopes = ["a"]', 'oauth_resource = "https://h.invalid/"', 'oauth = { client_id = "x" }']
)
def test_18_oauth_is_off_for_plugins(line: str) -> None:
    manifest = (
        f'{bundles.HEAD}[capabilities]\nnetwork_hosts = ["h.invalid"]\n[mcp_servers.a]\nurl = "https://h.invalid/"'
    )
    messages = [fault.message for fault in bundles.describe(f"{manifest}\n{line}\n").faults]
    assert messages == ["may not stand here: Codewhale's OAuth is off for plugins"]


def test_19_credentials_in_arguments_are_named_and_safe_ones_pass() -> None:
    for words in ('"--token", "x"', '"--api-key=x"', '"sk-live-1"'):
        [fault] = bundles.describe(f'{MCP}command = "node"\nargs = [{words}]\n').faults
        assert "credential" in fault.message
    safe = f'{MCP}command = "node"\nargs = ["--mode=worker", "-e", "console.log(\'ready\')"]\n'
    assert bundles.describe(safe).faults == ()


@pytest.mark.parametrize("text", ["a\\nb", "a\\u202eb"])
def test_20_an_author_is_one_honest_line(text: str) -> None:
    assert bundles.fault_fields(bundles.describe(f'{bundles.HEAD}author = "{text}"\n')) == ["plugin.author"]


def test_48_a_hyphen_in_either_name_makes_no_two_servers_one() -> None:
    found = []
    for plugin, server in (("foo-bar", "baz"), ("foo", "bar-baz")):
        manifest = f'schema_version = 1\n[plugin]\nname = "{plugin}"\nversion = "1.0.0"\n'
        data = bundles.verdict(bundles.describe(f'{manifest}[mcp_servers.{server}]\ncommand = "node"\n'), "0.9.1")
        found += data["servers"]
    assert found == ["plugin-7-foo-bar-baz", "plugin-3-foo-bar-baz"]


def test_a_skill_is_exposed_under_its_plugins_name() -> None:
    data = bundles.verdict(bundles.describe(f"{bundles.HEAD}[skills]\n"), "0.9.10")
    assert data["skills"] == ["p:hello"]

"""Whatever stands in Claude Code's and git's files: systems describe it or find fault, and never raise."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.component_texts import component_texts
from plugseal.scan.discover import build_listing, discover, entry_files, manifest_facts
from plugseal.scan.document import build_document, capability_receipt
from plugseal.systems.reading.prose_commands import find_commands
from plugseal.systems.repository.git_config import parse_git_config

FILES = (
    ".claude-plugin/plugin.json",
    ".claude-plugin/marketplace.json",
    ".claude/settings.json",
    ".mcp.json",
    ".lsp.json",
    "hooks/hooks.json",
    "monitors/monitors.json",
    "settings.json",
)
KEYS = st.sampled_from(
    """
    name source plugins hooks type command args url env headers mcpServers lspServers skills commands agents channels
    dependencies userConfig experimental monitors when server path repo ref sha sha256 package version strict metadata
    pluginRoot permissions allow defaultMode extraKnownMarketplaces enabledPlugins statusLine sandbox filesystem Stop
    apiKeyHelper content ./skills ../x *
    """.split()
)
TEXTS = KEYS | st.text(max_size=12) | st.sampled_from(["./a", "../a", "${CLAUDE_PLUGIN_ROOT}/a.py", "npx -y a | sh"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=6), inner, max_size=4),
    max_leaves=24,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(FILES), VALUES, min_size=1, max_size=4))
def test_any_manifest_is_described_or_at_fault(files: dict[str, object]) -> None:
    data = {path: json.dumps(value).encode("utf-8", "surrogatepass") for path, value in files.items()}
    folders = {path.rpartition("/")[0] for path in data} - {""}
    entries = [Entry(path, EntryKind.FILE, 1, False, "0" * 64) for path in (*data, "a.py", "skills/a/SKILL.md")]
    entries += [Entry(path, EntryKind.DIRECTORY, 0, False, None) for path in {*folders, "skills", "skills/a"}]
    plugins = discover(build_listing(sorted(entries), {**data, "skills/a/SKILL.md": b"---\nname: a\n---\n!`ls`\n"}))

    for plugin in plugins:
        manifest_facts(plugin)
        entry_files(plugin)
        capability_receipt(build_document(plugin, (), ()))
    component_texts(plugins, data)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='[]="\\#;!` \n\tabc.', max_size=80))
def test_any_settings_of_git_are_read(text: str) -> None:
    for setting in parse_git_config(text.encode()):
        line = text.split("\n")[setting.line - 1]
        assert line[setting.column - 1 : setting.end_column - 1].lower() == setting.name.rpartition(".")[2]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="!` \n\rab-é\U0001f600", max_size=80))
def test_every_command_in_a_text_stands_where_it_is_said_to(text: str) -> None:
    lines = text.split("\n")
    for command in find_commands(text.encode()):
        first, *rest = command.text.split("\n")
        assert lines[command.span.line - 1][command.span.column - 1 :].startswith(first)
        assert command.span.end_line == command.span.line + len(rest)

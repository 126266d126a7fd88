"""Whatever stands in an agent's and a package's files: an answer or an error of ours, and the same the second time."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.errors import PlugsealError
from plugseal.render.lingtai import render_listed, render_listed_json, render_refreshed, render_refreshed_json
from plugseal.verbs.lingtai.agent import list_agent
from tests.lingtai_agents import MCP_SCHEMA, Agent, write_json

_WORDS = st.sampled_from(
    "a ./x ../x .. /abs node ${PLUGIN_ROOT}/x ${PLUGIN_DATA}/y a:../../x https://a.invalid/ stdio sse streamable-http "
    "plugin:alpha LD_PRELOAD PLUGIN_ROOT".split()
) | st.sampled_from(["", "\x00", "\u202e", "\u2028"])
_KEYS = st.sampled_from("type command args env cwd url headers name version mcpServers plugins paths x".split())
_ANY = st.recursive(
    _WORDS | st.none() | st.booleans() | st.integers(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(_KEYS | _WORDS, below, max_size=4),
    max_leaves=8,
)
_SERVER = st.fixed_dictionaries(
    {"type": st.sampled_from(["stdio", "sse", "streamable-http"]) | _ANY},
    optional={
        "command": _WORDS | _ANY,
        "args": st.lists(_WORDS, max_size=3) | _ANY,
        "env": st.dictionaries(_WORDS, _WORDS, max_size=2) | _ANY,
        "cwd": _WORDS | _ANY,
        "url": _WORDS | _ANY,
        "headers": _ANY,
    },
)
_SERVERS = st.dictionaries(st.sampled_from(["a", "b", "X", "é", ""]), _SERVER, max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    servers=_SERVERS,
    others=_SERVERS,
    manifest=st.dictionaries(st.sampled_from(["version", "author", "keywords", "extensions", "x"]), _ANY, max_size=2),
    capabilities=_ANY,
    activated=_ANY,
    lines=st.lists(_ANY, max_size=3),
)
def test_any_files_are_an_answer_or_an_error_of_ours(
    servers: object, others: object, manifest: dict[str, object], capabilities: object, activated: object, lines: object
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(Path(folder))
        one, two = agent.plugin("alpha", servers), agent.plugin("beta", others)
        write_json(one / "plugin.json", {**json.loads((one / "plugin.json").read_text()), **manifest})
        write_json(two / "mcp.json", {"$schema": MCP_SCHEMA, "mcpServers": others})
        agent.registry.write_text("".join(json.dumps(line) + "\n" for line in lines))  # type: ignore[attr-defined]  # a list
        agent.init = {"manifest": {"plugins": ["../plugins"], "capabilities": capabilities}, "mcp": activated}
        agent.write_init()
        try:
            done = agent.refresh()
            assert not agent.refresh().is_changed
            assert json.loads("".join(render_refreshed_json(done)))
            assert all("\u202e" not in piece.text for line in render_refreshed(done) for piece in line)
            assert all(character.isprintable() or character == "\n" for character in agent.section())
            agent.info()
            listed = list_agent(agent.folder, agent.store)
            assert json.loads("".join(render_listed_json(listed)))
            list(render_listed(listed, agent="x", width=80))
        except PlugsealError as error:
            assert error.message

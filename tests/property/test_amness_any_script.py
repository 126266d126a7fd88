"""No script makes the description of Amness plugins fail, and what is told of one is the same each time."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing, discover, manifest_facts
from plugseal.scan.document import build_document, capability_receipt

_PIECES = st.sampled_from(
    "export default { } [ ] ( ) , : ; => = . ... name hooks policy tools memory gates cases check failClosed Stop "
    "PreToolUse 'a' \"b\" `c` `${ \\u0061 \\x61 const let function async get true null 1 as satisfies import from "
    "definePlugin module.exports /* */ // # @ ? + < > / é \ud800 \x00 \n".split(" ")
)


def _describe(name: str, data: bytes) -> tuple[Plugin, ...]:
    path = f".amness/plugins/{name}"
    entries = [Entry(folder, EntryKind.DIRECTORY, 0, False, None) for folder in (".amness", ".amness/plugins")]
    entries.append(Entry(path, EntryKind.FILE, len(data), False, "0" * 64))
    return discover(build_listing(entries, {path: data}))


def _told(plugins: tuple[Plugin, ...]) -> list[object]:
    return [(capability_receipt(build_document(p, (), ())), p.hosts, manifest_facts(p)) for p in plugins]


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=40), st.sampled_from(["p.ts", "p.js", "p.tsx", "p.mjs"]))
def test_any_script_is_described(pieces: list[str], name: str) -> None:
    data = " ".join(pieces).encode("utf-8", "surrogatepass")
    plugins = _describe(name, data)
    assert len(plugins) == 1
    assert json.loads(plugins[0].hosts[0].data)["read"] in ("read", "partly", "unread")
    assert _told(plugins) == _told(_describe(name, data))


@settings(max_examples=200, deadline=None)
@given(st.lists(_PIECES, max_size=25))
def test_any_export_is_described(pieces: list[str]) -> None:
    data = f"export default {{ name: 'p', {' '.join(pieces)} }};".encode("utf-8", "surrogatepass")
    (plugin,) = _describe("p.ts", data)
    assert plugin.name
    assert _told((plugin,)) == _told(_describe("p.ts", data))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_described(data: bytes) -> None:
    assert len(_describe("p.js", b"export default " + data)) == 1

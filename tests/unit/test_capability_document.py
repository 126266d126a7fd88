"""The capability document moves when what a plugin can do moves, and with nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plugseal.model.inventory import Capable
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind, Fault, Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing, discover
from plugseal.scan.document import SCHEMA, build_document, capability_receipt, document_bytes

_COMPONENT = Component(
    kind=ComponentKind.SERVER,
    name="docs",
    file="mcp.json",
    transport="stdio",
    command=("python3", "server.py", "--region", "eu"),
    cwd="mcp",
    environment=(("KEY", "SOURCE"), ("MODE", None)),
    literals=(("MODE", "quiet"),),
    headers=(("X", "y"),),
    endpoint="https://a.example.invalid",
    trigger="start",
    entry="mcp/server.py",
    extra=(("timeout", "5"),),
)
_PLUGIN = Plugin(
    system="agent-plugins",
    name="helper",
    version="1.0.0",
    root="plugins/helper",
    manifest="plugin.json",
    components=(_COMPONENT,),
    permissions=("net.outbound a.example.invalid",),
    description="Helps.",
    extra=(("license", "MIT"),),
)
_ROWS = (Capable("env.read", "SOURCE", "manifest", "start"), Capable("process.shell", None, "code", "tool"))


def receipt(plugin: Plugin = _PLUGIN, rows: tuple[Capable, ...] = _ROWS, links: Any = ()) -> str:
    """Return the capability receipt of a plugin."""
    return capability_receipt(build_document(plugin, rows, links))


def receipt_of_files(files: dict[str, bytes]) -> str:
    """Return the capability receipt of the one plugin of a tree at its root."""
    entries = [Entry(path, EntryKind.FILE, len(data), False, "00") for path, data in sorted(files.items())]
    (plugin,) = discover(build_listing(entries, files))
    return receipt(plugin, ())


def with_component(**changes: Any) -> Plugin:
    """Return the plugin with another component."""
    return _PLUGIN._replace(components=(_COMPONENT._replace(**changes),))


def test_the_document_is_canonical_json_of_a_known_shape() -> None:
    document = build_document(_PLUGIN, _ROWS, [])
    assert document["schema"] == SCHEMA == "urn:plugseal:capabilities:v1"
    assert document["capabilities"] == [
        ["env.read", "SOURCE", "manifest", "start"],
        ["process.shell", None, "code", "tool"],
    ]
    assert json.loads(document_bytes(document)) == document
    assert len(receipt()) == 64


def test_the_receipt_of_a_known_plugin_never_changes() -> None:
    assert receipt() == "7995cba086278911d6cdc57ec1cda3aeccb65c21bfc6322a6cdfded648f983ec"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", ComponentKind.TOOL),
        ("name", "other"),
        ("file", "other.json"),
        ("transport", "sse"),
        ("command", ("python3", "server.py", "eu", "--region")),
        ("shell", True),
        ("cwd", None),
        ("environment", (("KEY", "OTHER"), ("MODE", None))),
        ("literals", (("MODE", "loud"),)),
        ("endpoint", "https://b.example.invalid"),
        ("headers", (("X", "z"),)),
        ("trigger", "tool"),
        ("entry", "mcp/other.py"),
        ("extra", (("timeout", "6"),)),
    ],
)
def test_every_part_of_a_component_moves_the_receipt(field: str, value: Any) -> None:
    assert receipt(with_component(**{field: value})) != receipt()


def test_every_field_of_a_component_is_tested_or_is_a_place() -> None:
    marks = test_every_part_of_a_component_moves_the_receipt.pytestmark  # type: ignore[attr-defined]
    tested = {case[0] for case in marks[0].args[1]}
    assert set(Component._fields) == tested | {"span", "places", "gate", "packages"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("system", "codewhale"),
        ("name", "Helper"),
        ("version", "1.0.1"),
        ("manifest", "other.json"),
        ("components", ()),
        ("permissions", ()),
        ("description", "Helps. "),
        ("extra", (("license", "ISC"),)),
        ("faults", (Fault("plugin.json", "is odd", field="x"),)),
    ],
)
def test_every_part_of_a_plugin_moves_the_receipt(field: str, value: Any) -> None:
    assert receipt(_PLUGIN._replace(**{field: value})) != receipt()


def test_place_in_the_clone_and_place_in_the_file_move_nothing() -> None:
    moved = with_component(span=Span(7, 3, 7, 9), places=(("command.0", Span(8, 1, 8, 2)),))
    assert receipt(moved._replace(root="elsewhere")) == receipt()
    first = _PLUGIN._replace(faults=(Fault("plugin.json", "on line 1", line=1, field="x"),))
    second = _PLUGIN._replace(faults=(Fault("plugin.json", "on line 2", line=2, field="x"),))
    assert receipt(first) == receipt(second)


def test_order_and_doubles_of_rows_links_and_components_move_nothing() -> None:
    other = _COMPONENT._replace(name="aaa")
    both = _PLUGIN._replace(components=(_COMPONENT, other))
    turned = _PLUGIN._replace(components=(other, _COMPONENT))
    assert receipt(both) == receipt(turned)
    assert receipt(rows=(*reversed(_ROWS), *_ROWS)) == receipt()
    assert receipt(links=[("a", "b"), ("c", "d")]) == receipt(links=[("c", "d"), ("a", "b")]) != receipt()


def test_an_unknown_object_is_not_an_empty_or_a_spelled_one() -> None:
    receipts = {receipt(rows=(Capable("fs.read", name, "code", "tool"),)) for name in (None, "", "null", "None", "?")}
    assert len(receipts) == 5


def test_texts_that_are_no_unicode_have_a_receipt_and_are_told_apart() -> None:
    names = [b"caf\xe9".decode("utf-8", "surrogateescape"), b"caf\xe8".decode("utf-8", "surrogateescape"), "\\udce9"]
    assert len({receipt(with_component(file=name)) for name in names}) == 3


def test_layout_escapes_and_line_endings_of_a_manifest_move_nothing() -> None:
    plain = (
        b'{"mcpServers": {"note": {"command": "python3", "args": ["server.py", "--caf\xc3\xa9"], '
        b'"env": {"A": "1", "B": "2"}}}}'
    )
    laid_out = (
        b'{\r\n "mcpServers": {\r\n\r\n  "note": {\r\n   "env": {"B": "2", "A": "1"},\r\n'
        b'   "args": ["server.py", "--caf\\u00e9"],\r\n   "command": "python3"\r\n  }\r\n }\r\n}\r\n'
    )
    turned = plain.replace(b'"server.py", "--caf\xc3\xa9"', b'"--caf\xc3\xa9", "server.py"')
    assert receipt_of_files({".mcp.json": plain}) == receipt_of_files({".mcp.json": laid_out})
    assert receipt_of_files({".mcp.json": plain}) != receipt_of_files({".mcp.json": turned})


def test_long_texts_count_to_their_end() -> None:
    def manifest(end: str) -> bytes:
        tool = {"name": "report", "description": "Collects numbers. " * 500 + end, "schema": {}}
        return json.dumps({"id": "a", "protocol_version": 1, "main": "run", "version": "1", "tools": [tool]}).encode()

    assert receipt_of_files({"manifest.json": manifest("a")}) != receipt_of_files({"manifest.json": manifest("b")})


def test_a_comment_at_the_end_of_a_skill_counts_and_its_line_endings_do_not() -> None:
    text = b"---\nname: a\ndescription: d\n---\n\nSay hello.\n\n<!-- %s -->\n"
    assert receipt_of_files({"SKILL.md": text % b"a"}) != receipt_of_files({"SKILL.md": text % b"b"})
    assert receipt_of_files({"SKILL.md": text % b"a"}) == receipt_of_files(
        {"SKILL.md": (text % b"a").replace(b"\n", b"\r\n")}
    )


def test_keys_that_nobody_knows_count() -> None:
    first = b'{"mcpServers": {"a": {"command": "true", "future": {"x": [1, 2]}}}}'
    assert receipt_of_files({".mcp.json": first}) != receipt_of_files({".mcp.json": first.replace(b"1, 2", b"2, 1")})
    assert receipt_of_files({".mcp.json": first}) != receipt_of_files(
        {".mcp.json": first.replace(b"[1, 2]", b'"[1,2]"')}
    )


_SPEC: dict[str, Any] = {
    "type": "stdio",
    "transport": {"kind": "x"},
    "command": "node",
    "args": ["a", "b"],
    "env": {"A": "1", "B": "${C}", "D": 4},
    "environment": {"A": "2"},
    "cwd": "x",
    "url": "https://a.example.invalid",
    "httpUrl": "https://b.example.invalid",
    "endpoint": ["c"],
    "headers": {"X": "1"},
    "env_headers": {"Y": "Z"},
    "bearer_token_env_var": "T",
    "headersHelper": "echo x",
    "timeout": 5,
    "future": {"deep": [1, {"x": None}]},
}
_HOOK: dict[str, Any] = {
    "type": "command",
    "command": "echo a",
    "windows": "echo b",
    "linux": {"command": "echo c"},
    "args": ["x"],
    "cwd": "d",
    "env": {"E": "f"},
    "url": "https://a.example.invalid",
    "timeout": 5,
    "hooks": {"odd": "table"},
}


def _changed(value: Any) -> Any:
    """Return every value that differs from this one in one leaf."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield from ({**value, key: other} for other in _changed(inner))
    elif isinstance(value, list):
        yield value[:-1]
        for at, inner in enumerate(value):
            yield from ([*value[:at], other, *value[at + 1 :]] for other in _changed(inner))
    else:
        yield f"{value}x"
        yield {"other": value}


@pytest.mark.parametrize(
    ("table", "wrap"),
    [
        pytest.param(_SPEC, lambda spec: {"mcpServers": {"s": spec}}, id="a server"),
        pytest.param(
            {k: v for k, v in _SPEC.items() if k != "command"},
            lambda spec: {"mcpServers": {"s": spec}},
            id="no command",
        ),
        pytest.param({**_SPEC, "command": ["node", "c"]}, lambda spec: {"mcpServers": {"s": spec}}, id="a vector"),
    ],
)
def test_every_leaf_of_a_launch_table_moves_the_receipt(table: dict[str, Any], wrap: Any) -> None:
    plain = receipt_of_files({".mcp.json": json.dumps(wrap(table)).encode()})
    changed = list(_changed(table))
    receipts = {receipt_of_files({".mcp.json": json.dumps(wrap(spec)).encode()}) for spec in changed}
    assert plain not in receipts
    assert len(changed) > 30


def test_every_leaf_of_a_hook_moves_the_receipt() -> None:
    def files(handler: dict[str, Any]) -> dict[str, bytes]:
        hooks = {"hooks": {"Stop": [{"matcher": "m", "hooks": [handler]}]}}
        return {".claude-plugin/plugin.json": b'{"name": "a"}', "hooks/hooks.json": json.dumps(hooks).encode()}

    plain = receipt_of_files(files(_HOOK))
    assert plain not in {receipt_of_files(files(handler)) for handler in _changed(_HOOK)}

"""Each rule of amber's manifest, one named case per row and boundary: what is a fault, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plugseal.model.plugin import ComponentKind, Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing, discover

MANIFEST: dict[str, Any] = {
    "id": "hello",
    "name": "Hello",
    "version": "1.0.0",
    "protocol_version": 1,
    "description": "Greets people.",
    "main": "run",
}
LEFT_OUT = object()


def describe(manifest: bytes | dict[str, Any], *others: Entry, root: str = "p") -> Plugin:
    """Return the one plugin of a tree that holds a manifest, the executable `run`, and some more entries."""
    data = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    path = f"{root}/manifest.json" if root else "manifest.json"
    folders = ["/".join(root.split("/")[:end]) for end in range(1, root.count("/") + 2)] if root else []
    entries = [Entry(folder, EntryKind.DIRECTORY, 0, False, None) for folder in folders]
    entries += [_file(path), _file(f"{root}/run" if root else "run", executable=True), *others]
    listing = build_listing(sorted(entries), {path: data})
    (plugin,) = [plugin for plugin in discover(listing) if plugin.system == "amber"]
    return plugin


def _file(path: str, *, executable: bool = False) -> Entry:
    return Entry(path, EntryKind.FILE, 1, executable, "0" * 64)


def changed(**fields: Any) -> dict[str, Any]:
    """Return the sound manifest with some fields changed or left out."""
    return {key: value for key, value in {**MANIFEST, **fields}.items() if value is not LEFT_OUT}


def faults(plugin: Plugin) -> list[str]:
    """Return the faults as `field: message`."""
    return [f"{fault.field}: {fault.message}" for fault in plugin.faults]


def test_a_sound_manifest_has_no_fault() -> None:
    plugin = describe(MANIFEST)
    assert faults(plugin) == []
    assert plugin.read == ("manifest.json",)


FAULTS = [
    *(pytest.param({field: LEFT_OUT}, f"{field}: is missing", id=f"{field} left out") for field in MANIFEST),
    *(
        pytest.param({field: ""}, f"{field}: must not be blank", id=f"{field} empty")
        for field in MANIFEST
        if field != "protocol_version"
    ),
    *(
        pytest.param({field: " \t"}, f"{field}: must not be blank", id=f"{field} of spaces")
        for field in ("name", "description")
    ),
    *(
        pytest.param({field: 7}, f"{field}: must be text, not a number", id=f"{field} a number")
        for field in ("id", "name", "version", "description", "main", "author", "url", "license")
    ),
    *(
        pytest.param({"id": text}, "id: may hold small letters, digits and `_` alone", id=f"id {why}")
        for text, why in (
            ("my-plugin", "with a dash"),
            ("Hello", "with a capital"),
            ("a.b", "with a dot"),
            ("a b", "with a space"),
            ("../x", "with a path"),
            ("hello\n", "with a line end"),
            ("hallo\u0308", "beyond ASCII"),
            ("٣", "of other digits"),
        )
    ),
    *(
        pytest.param(
            {"version": text}, "version: must be a semantic version such as `1.0.0`", id=f"version {text.strip()} ({n})"
        )
        for n, text in enumerate(
            ["1", "1.0", "v1.0.0", "latest", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", " 1.0.0", "1.0.0\n"]
        )
    ),
    pytest.param({"protocol_version": 0}, "protocol_version: must be 1, not 0", id="protocol 0"),
    pytest.param({"protocol_version": 2}, "protocol_version: must be 1, not 2", id="protocol 2"),
    pytest.param({"protocol_version": -1}, "protocol_version: must be 1, not -1", id="protocol -1"),
    pytest.param({"protocol_version": 1.9}, "protocol_version: must be an integer, not 1.9", id="protocol 1.9"),
    pytest.param({"protocol_version": 1.0}, "protocol_version: must be an integer, not 1.0", id="protocol 1.0"),
    pytest.param({"protocol_version": "1"}, "protocol_version: must be an integer, not text", id="protocol text"),
    pytest.param({"protocol_version": True}, "protocol_version: must be an integer, not a boolean", id="protocol true"),
    pytest.param({"protocol_version": [1]}, "protocol_version: must be an integer, not a list", id="protocol a list"),
    pytest.param({"protocol_version": None}, "protocol_version: is missing", id="protocol null"),
    *(
        pytest.param({"main": path}, "main: names a file that is not there", id=f"main {why}")
        for path, why in (("absent", "absent"), ("run\0junk", "cut by a zero byte"))
    ),
    *(
        pytest.param({"main": path}, "main: leads out of the plugin", id=f"main {why}")
        for path, why in (
            ("../run", "above"),
            ("x/../../run", "above by a detour"),
            ("/bin/sh", "absolute"),
            ("~/run", "of the home"),
            ("C:\\run", "of a drive"),
            ("..\\run", "with back slashes"),
            ("$PLUGIN_ROOT/../run", "behind a variable"),
            ("out", "a link that leads out"),
        )
    ),
    pytest.param({"main": "data"}, "main: names a file that is not executable", id="main not executable"),
    pytest.param({"main": "folder"}, "main: names no regular file", id="main a directory"),
    pytest.param({"main": "."}, "main: names no regular file", id="main the plugin itself"),
    pytest.param({"main": "pipe"}, "main: names no regular file", id="main a pipe"),
    pytest.param({"settings": "x"}, "settings: must be a table, not text", id="settings text"),
    pytest.param({"settings": ["x"]}, "settings: must be a table, not a list", id="settings a list"),
    pytest.param(
        {"settings": {"a": {}}}, "settings.a: must be text, a number or a boolean, not a table", id="a setting a table"
    ),
    pytest.param(
        {"settings": {"a": []}}, "settings.a: must be text, a number or a boolean, not a list", id="a setting a list"
    ),
    pytest.param(
        {"settings": {"a": None}}, "settings.a: must be text, a number or a boolean, not null", id="a setting null"
    ),
    pytest.param({"tools": {}}, "tools: must be a list, not a table", id="tools a table"),
    pytest.param({"tools": ["greet"]}, "tools.0: must be a table, not text", id="a tool text"),
    pytest.param({"tools": [{}]}, "tools.0.name: is missing", id="a tool without a name"),
    pytest.param({"tools": [{"name": ""}]}, "tools.0.name: must not be blank", id="a tool with an empty name"),
    pytest.param({"tools": [{"name": 1}]}, "tools.0.name: must be text, not a number", id="a tool named by a number"),
    pytest.param(
        {"tools": [{"name": "a", "description": 1}]},
        "tools.0.description: must be text, not a number",
        id="a tool's description a number",
    ),
    pytest.param(
        {"tools": [{"name": "a", "schema": "x"}]},
        "tools.0.schema: must be a table, not text",
        id="a tool's schema text",
    ),
    pytest.param(
        {"tools": [{"name": "a"}, {"name": "b"}, {"name": "a"}]},
        "tools.2.name: is the name of an earlier tool: `a`",
        id="a tool twice",
    ),
    pytest.param({"completion": "x"}, "completion: must be a table, not text", id="completion text"),
    pytest.param(
        {"completion": {"set": {}}},
        "completion.set: lies outside the plugin's own namespace `hello`",
        id="completion of another namespace",
    ),
    pytest.param(
        {"completion": {"hello": "x"}}, "completion.hello: must be a table, not text", id="a completion node text"
    ),
    pytest.param(
        {"completion": {"hello": {"help": 1}}},
        "completion.hello.help: must be text, not a number",
        id="a node's help a number",
    ),
    pytest.param(
        {"completion": {"hello": {"children": []}}},
        "completion.hello.children: must be a table, not a list",
        id="a node's children a list",
    ),
    pytest.param(
        {"completion": {"hello": {"children": {"greet": {"man": []}}}}},
        "completion.hello.children.greet.man: must be text, not a list",
        id="a child's manual a list",
    ),
]


@pytest.mark.parametrize(("fields", "fault"), FAULTS)
def test_a_breach_is_the_only_fault(fields: dict[str, Any], fault: str) -> None:
    plugin = describe(
        changed(**fields),
        _file("p/data"),
        Entry("p/folder", EntryKind.DIRECTORY, 0, False, None),
        Entry("p/out", EntryKind.SYMLINK, 0, False, None, "../../run"),
        Entry("p/pipe", EntryKind.OTHER, 0, False, None),
    )
    assert faults(plugin) == [fault]
    assert plugin.is_broken
    assert plugin.read == ()


ALLOWED = [
    *(pytest.param({"id": text}, id=f"id {text}") for text in ("a", "0", "_", "a_b", "hello2", "x" * 64)),
    *(
        pytest.param({"version": text}, id=f"version {text}")
        for text in ("0.0.0", "1.2.3", "10.20.30", "1.0.0-rc.1", "1.0.0-alpha-x", "1.0.0+build.5", "1.0.0-0a+b")
    ),
    *(pytest.param({"main": path}, id=f"main {path}") for path in ("run", "./run", "bin/go", "bin/../run", "near")),
    pytest.param({"author": "a", "url": "u", "license": "MIT"}, id="all texts that may be left out"),
    pytest.param({"settings": {}}, id="no settings"),
    pytest.param({"settings": {"a": "x", "b": 1, "c": 1.5, "d": True}}, id="settings of every kind"),
    pytest.param({"tools": []}, id="no tools"),
    pytest.param({"tools": [{"name": "a"}]}, id="a tool with a name alone"),
    pytest.param(
        {"tools": [{"name": "a", "schema": {"x": {"type": "string", "required": True}}}]}, id="a short schema"
    ),
    pytest.param({"tools": [{"name": "a", "schema": {"type": "object", "properties": {}}}]}, id="a full schema"),
    pytest.param({"tools": [{"name": "a"}, {"name": "A"}]}, id="tools that differ by case"),
    pytest.param({"completion": {}}, id="no completion"),
    pytest.param({"completion": {"hello": {"help": "h", "man": "m", "children": {"x": {}}}}}, id="a completion"),
    pytest.param(
        {"completion": {"hello": {"action": "plugin.hello", "choices": ["a"], "range": [1, 2]}}}, id="actions"
    ),
    pytest.param({"unknown": 1}, id="an unknown key, which amber ignores"),
]


@pytest.mark.parametrize("fields", ALLOWED)
def test_what_is_allowed_is_no_fault(fields: dict[str, Any]) -> None:
    plugin_id = fields.get("id", "hello")
    manifest = changed(**fields)
    plugin = describe(
        manifest,
        Entry("p/bin", EntryKind.DIRECTORY, 0, False, None),
        _file("p/bin/go", executable=True),
        Entry("p/near", EntryKind.SYMLINK, 0, False, None, "bin/go"),
    )
    assert faults(plugin) == []
    assert plugin.name == plugin_id


def test_all_faults_are_told_at_once_with_their_lines() -> None:
    text = b'{\n "id": "A",\n "version": "1",\n "protocol_version": "1",\n "main": "../x",\n "tools": [\n  {}\n ]\n}\n'
    told = {(fault.field, fault.line) for fault in describe(text).faults}
    assert told == {
        ("id", 2),
        ("version", 3),
        ("protocol_version", 4),
        ("main", 5),
        ("tools.0.name", 7),
        ("name", 0),
        ("description", 0),
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b'{"protocol_version": 1,', "expected", id="cut"),
        pytest.param(b'{"protocol_version": 1, "id": "a", "id": "b"}', "duplicate key `id`", id="a key twice"),
        pytest.param(b'{"protocol_version": NaN}', "NaN", id="no JSON number"),
        pytest.param(b'\xff{"protocol_version": 1}', "UTF-8", id="no UTF-8"),
        pytest.param(b'["protocol_version"]', "must hold a table", id="a list"),
    ],
)
def test_a_manifest_that_is_no_table_of_json_is_one_fault(data: bytes, message: str) -> None:
    plugin = describe(data, root=".amber/plugins/hello")
    assert plugin.name == "hello"
    (fault,) = plugin.faults
    assert message in fault.message


def test_a_directory_without_a_manifest_where_amber_looks_is_a_fault() -> None:
    entries = [
        Entry(path, EntryKind.DIRECTORY, 0, False, None) for path in (".amber", ".amber/plugins", ".amber/plugins/a")
    ]
    (plugin,) = discover(build_listing([*entries, _file(".amber/plugins/a/run")], {}))
    assert (plugin.name, faults(plugin)) == ("a", [": is missing"])


def test_where_amber_looks_the_directory_is_the_id() -> None:
    home = ".amber/plugins"
    assert faults(describe(MANIFEST, root=f"{home}/hello")) == []
    assert faults(describe(MANIFEST, root=f"{home}/other")) == ["id: must be the name of its directory, `other`"]
    assert faults(describe(MANIFEST, root="samples/other")) == []


def test_tools_carry_the_name_under_which_they_are_registered() -> None:
    plugin = describe(changed(tools=[{"name": "greet", "description": "d"}]))
    (tool,) = [c for c in plugin.components if c.kind is ComponentKind.TOOL]
    assert tool.name == "plugin_hello_greet"
    assert dict(tool.extra)["description"] == '"d"'


def test_completion_is_shown_and_starts_nothing() -> None:
    plugin = describe(changed(completion={"hello": {"help": "h", "children": {"greet": {"man": "run `sudo x`"}}}}))
    commands = [c for c in plugin.components if c.kind is ComponentKind.COMMAND]
    assert [c.name for c in commands] == ["/hello", "/hello greet"]
    assert all(not c.command and not c.transport and c.entry is None for c in commands)
    assert dict(commands[1].extra) == {"man": '"run `sudo x`"'}


def test_everything_else_in_a_manifest_is_in_the_receipt() -> None:
    extra = dict(describe(changed(settings={"a": 1}, later={"x": []})).extra)
    assert extra["settings"] == '{"a":1}'
    assert extra["later"] == '{"x":[]}'

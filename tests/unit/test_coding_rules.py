"""Each rule of `coding-plugin.json`, one named case per row and boundary: what is a fault, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plugseal.model.plugin import ComponentKind, Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.detectors.identities import look_for_colliding_names
from plugseal.scan.discover import build_listing, discover
from plugseal.systems.components.tools import MAX_RIVALS

MANIFEST: dict[str, Any] = {"id": "labels", "version": "1", "command": "node", "args": ["./main.js"]}
TOOL: dict[str, Any] = {"name": "label", "inputSchema": {"type": "object"}}
LEFT_OUT = object()


def describe(*manifests: bytes | dict[str, Any]) -> list[Plugin]:
    """Return the plugins of a tree with one directory for each manifest; beside each lie `main.js` and `bin/go`."""
    entries, kept = [], {}
    for number, manifest in enumerate(manifests):
        root = f"p{number}"
        entries += [Entry(path, EntryKind.DIRECTORY, 0, False, None) for path in (root, f"{root}/bin")]
        files = {f"{root}/coding-plugin.json": False, f"{root}/main.js": False, f"{root}/bin/go": True}
        entries += [Entry(path, EntryKind.FILE, 1, executable, "0" * 64) for path, executable in files.items()]
        entries.append(Entry(f"{root}/out", EntryKind.SYMLINK, 0, False, None, "/usr/bin/node"))
        kept[f"{root}/coding-plugin.json"] = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    return list(discover(build_listing(sorted(entries), kept)))


def hex_of(text: str) -> str:
    """Return the code points of a text, as a case's name."""
    return " ".join(f"U+{ord(character):04X}" for character in text)


def described(**fields: Any) -> Plugin:
    """Return the plugin of the sound manifest with some fields changed or left out."""
    merged = {key: value for key, value in {**MANIFEST, **fields}.items() if value is not LEFT_OUT}
    (plugin,) = describe(merged)
    return plugin


def tool(**fields: Any) -> dict[str, Any]:
    """Return manifest fields with one tool, some of its fields changed or left out."""
    return {"tools": [{key: value for key, value in {**TOOL, **fields}.items() if value is not LEFT_OUT}]}


def faults(plugin: Plugin) -> list[str]:
    """Return the faults as `field: message`."""
    return [f"{fault.field}: {fault.message}" for fault in plugin.faults]


CONTRACT = [
    *(pytest.param({field: LEFT_OUT}, f"{field}: is missing", id=f"{field} left out") for field in ("id", "version")),
    *(pytest.param({field: None}, f"{field}: is missing", id=f"{field} null") for field in ("id", "version")),
    *(
        pytest.param({field: text}, f"{field}: must not be blank", id=f"{field} {why}")
        for field in ("id", "version")
        for text, why in (
            ("", "empty"),
            (" \t\r\n", "of spaces"),
            ("\u00a0\u3000", "of wide spaces"),
            ("\u0085\u2028\u2029", "of line ends"),
        )
    ),
    *(
        pytest.param({field: 7}, f"{field}: must be text, not a number", id=f"{field} a number")
        for field in ("id", "name", "version")
    ),
    pytest.param({"protocolVersion": 2}, "protocolVersion: must be 1, not 2", id="protocol 2"),
    pytest.param({"protocolVersion": 0}, "protocolVersion: must be 1, not 0", id="protocol 0"),
    pytest.param({"protocolVersion": "1"}, 'protocolVersion: must be 1, not "1"', id="protocol text"),
    pytest.param({"protocolVersion": 1.0}, "protocolVersion: must be 1, not 1.0", id="protocol 1.0"),
    pytest.param({"protocolVersion": True}, "protocolVersion: must be 1, not true", id="protocol true"),
    pytest.param({"protocolVersion": None}, "protocolVersion: must be 1, not null", id="protocol null"),
    pytest.param({"tools": {}}, "tools: must be a list, not a table", id="tools a table"),
    pytest.param({"tools": ["label"]}, "tools.0: must be a table, not text", id="a tool text"),
    pytest.param(tool(name=LEFT_OUT), "tools.0.name: is missing", id="a tool without a name"),
    pytest.param(tool(name=None), "tools.0.name: is missing", id="a tool named null"),
    pytest.param({"tools": [None]}, "tools.0: must be a table, not null", id="a tool null"),
    pytest.param(tool(inputSchema=None), "tools.0.inputSchema: is missing", id="a schema null"),
    pytest.param(tool(name="  "), "tools.0.name: must not be blank", id="a tool named by spaces"),
    pytest.param(tool(name=1), "tools.0.name: must be text, not a number", id="a tool named by a number"),
    pytest.param(tool(description=1), "tools.0.description: must be text, not a number", id="a description a number"),
    pytest.param(tool(label=[]), "tools.0.label: must be text, not a list", id="a label a list"),
    pytest.param(tool(inputSchema=LEFT_OUT), "tools.0.inputSchema: is missing", id="no schema"),
    pytest.param(tool(inputSchema="x"), "tools.0.inputSchema: must be a table, not text", id="a schema text"),
    pytest.param(tool(inputSchema=[]), "tools.0.inputSchema: must be a table, not a list", id="a schema a list"),
    pytest.param(tool(inputSchema={}), 'tools.0.inputSchema.type: must be `"object"`', id="a schema without a type"),
    pytest.param(
        tool(inputSchema={"type": "string"}), 'tools.0.inputSchema.type: must be `"object"`', id="a schema of text"
    ),
    pytest.param(
        tool(inputSchema={"type": ["object"]}), 'tools.0.inputSchema.type: must be `"object"`', id="a list of types"
    ),
    pytest.param(
        tool(executionMode="sometimes"),
        "tools.0.executionMode: must be `parallel` or `sequential`",
        id="mode sometimes",
    ),
    pytest.param(
        tool(executionMode="Parallel"),
        "tools.0.executionMode: must be `parallel` or `sequential`",
        id="mode in capitals",
    ),
    pytest.param(tool(executionMode=[]), "tools.0.executionMode: must be `parallel` or `sequential`", id="mode a list"),
    pytest.param(tool(guidelines="x"), "tools.0.guidelines: must be a list of texts", id="guidelines text"),
    pytest.param(tool(guidelines=[1]), "tools.0.guidelines: must be a list of texts", id="a guideline a number"),
    pytest.param(
        {"tools": [TOOL, {**TOOL, "name": "other"}, TOOL]},
        "tools.2.name: is the name of an earlier tool: `label`",
        id="a tool twice",
    ),
    pytest.param(
        {"tools": [TOOL, {**TOOL, "name": " label "}]},
        "tools.1.name: is the name of an earlier tool: `label`",
        id="a tool twice once trimmed",
    ),
]


FORMAT = [
    pytest.param({"command": LEFT_OUT}, "command: is missing", id="command left out"),
    pytest.param({"command": None}, "command: is missing", id="command null"),
    pytest.param({"description": 7}, "description: must be text, not a number", id="description a number"),
    pytest.param({"command": ["node"]}, "command: must be text, not a list", id="command a list"),
    *(
        pytest.param({"command": text}, "command: must not be blank", id=f"command {why}")
        for text, why in (("", "empty"), ("  ", "of spaces"), ("\u2003\u00a0", "of wide spaces"))
    ),
    pytest.param({"args": "x"}, "args: must be a list of texts", id="args text"),
    pytest.param({"args": [1]}, "args: must be a list of texts", id="an argument a number"),
    pytest.param({"command": "./absent"}, "command: names no regular file inside the plugin", id="a program absent"),
    pytest.param({"command": "../x"}, "command: names no regular file inside the plugin", id="a program above"),
    pytest.param({"command": "./bin"}, "command: names no regular file inside the plugin", id="a program a directory"),
    pytest.param({"command": "./out"}, "command: names no regular file inside the plugin", id="a program a link out"),
    pytest.param({"cwd": "../"}, "cwd: names no directory inside the plugin", id="cwd above"),
    pytest.param({"cwd": "/"}, "cwd: names no directory inside the plugin", id="cwd absolute"),
    pytest.param({"cwd": "main.js"}, "cwd: names no directory inside the plugin", id="cwd a file"),
    pytest.param({"env": ["A=b"]}, "env: must be a table, not a list", id="env a list"),
    pytest.param({"env": {"A": {}}}, "env.A: must be text, not a table", id="a variable a table"),
    pytest.param({"env": {"A": 1}}, "env.A: must be text, not a number", id="a variable a number"),
    pytest.param({"env": {"A": None}}, "env.A: must be text, not null", id="a variable null"),
    pytest.param({"hooks": {}}, "hooks: has no meaning in a Coding plugin", id="an unknown key"),
    pytest.param({"Id": "x"}, "Id: has no meaning in a Coding plugin", id="a key in capitals"),
    pytest.param(tool(access="all"), "tools.0.access: has no meaning in a Coding plugin", id="access metadata"),
]


@pytest.mark.parametrize(("fields", "fault"), CONTRACT)
def test_a_breach_of_the_contract_is_the_only_fault_and_fails_the_load(fields: dict[str, Any], fault: str) -> None:
    plugin = described(**fields)
    assert faults(plugin) == [fault]
    (host,) = plugin.hosts
    field, _, message = fault.partition(": ")
    assert (host.host, host.loads) == ("coding", False)
    assert host.summary == f"refuses to load it: `{field}` {message}"
    assert json.loads(host.data)["refuses"] == [f"`{field}` {message}"]


@pytest.mark.parametrize(("fields", "fault"), FORMAT)
def test_a_breach_of_the_file_format_is_a_fault_and_no_refusal_of_the_host(fields: dict[str, Any], fault: str) -> None:
    plugin = described(**fields)
    assert faults(plugin) == [fault]
    (host,) = plugin.hosts
    assert json.loads(host.data)["refuses"] == []
    is_startable = fault.partition(":")[0].partition(".")[0] not in ("command", "args", "cwd", "env")
    assert host.loads is (True if is_startable else None)
    assert "refuses" not in host.summary


def test_without_a_way_to_start_the_process_the_hosts_verdict_is_not_known() -> None:
    assert described(command=LEFT_OUT).hosts[0].loads is None
    assert described(command="./main.js", x=1).hosts[0].loads is True
    (broken,) = describe(b"{")
    assert (broken.hosts[0].loads, broken.hosts[0].summary) == (None, "not known: the manifest could not be read")


def test_every_refusal_is_told_the_first_in_the_summary() -> None:
    (host,) = described(id="", version=1, **tool(name="")).hosts
    assert host.summary == "refuses to load it: `id` must not be blank, and 2 more"
    assert [note.split("`")[1] for note in host.notes] == ["id", "version", "tools.0.name"]


ALLOWED = [
    *(
        pytest.param({"id": text}, id=f"id {why}")
        for text, why in (("A b/c", "of any form"), ("ü", "beyond ASCII"), ("x" * 200, "of any length"))
    ),
    pytest.param({"version": "latest"}, id="a version in words"),
    pytest.param({"name": ""}, id="no display name"),
    pytest.param({"args": LEFT_OUT}, id="no arguments"),
    pytest.param({"command": "./bin/go"}, id="a program inside"),
    pytest.param({"command": "go", "cwd": "bin"}, id="a working directory inside"),
    pytest.param({"command": "./go", "cwd": "bin"}, id="a program beside the working directory"),
    pytest.param({"command": "/usr/bin/env"}, id="an absolute program, which is shown"),
    pytest.param({"env": {"A": "b", "T": "${T}"}}, id="variables"),
    pytest.param({"protocolVersion": 1}, id="the protocol's version"),
    pytest.param({"tools": []}, id="no tools"),
    pytest.param(tool(description="d", label="L", guidelines=["g", ""], executionMode=""), id="a whole descriptor"),
    pytest.param(tool(executionMode=None, label=None, guidelines=None), id="null for what may be left out"),
    pytest.param({"name": None, "args": None, "tools": None}, id="null for more that may be left out"),
    pytest.param(tool(guidelines=[None, "g"]), id="a guideline null"),
    pytest.param(tool(executionMode="parallel"), id="mode parallel"),
    pytest.param(tool(executionMode="sequential"), id="mode sequential"),
    pytest.param(tool(inputSchema={"type": "object", "properties": {"n": {"type": "integer"}}}), id="a full schema"),
]


@pytest.mark.parametrize("fields", ALLOWED)
def test_what_is_allowed_is_no_fault(fields: dict[str, Any]) -> None:
    plugin = described(**fields)
    assert faults(plugin) == []
    assert plugin.hosts[0].loads
    assert plugin.read == ("coding-plugin.json",)


def test_identity_is_trimmed() -> None:
    plugin = described(id=" labels\n", version="\t2 ", name="\u3000Labels ", **tool(name=" label "))
    assert (plugin.name, plugin.version, dict(plugin.extra)["name"]) == ("labels", "2", "Labels")
    assert [c.name for c in plugin.components if c.kind is ComponentKind.TOOL] == ["label"]


def test_only_a_reference_alone_is_taken_from_the_environment() -> None:
    plugin = described(env={"ALONE": "${HOME}", "MIXED": "x-${HOME}-y", "TEXT": "plain"})
    (process,) = [c for c in plugin.components if c.kind is ComponentKind.EXECUTABLE]
    assert process.environment == (("ALONE", "HOME"), ("MIXED", None), ("TEXT", None))
    assert dict(process.literals) == {"MIXED": "x-${HOME}-y", "TEXT": "plain"}


def test_control_characters_are_no_spaces() -> None:
    assert described(id="\x1cx\x1f").name == "\x1cx\x1f"


def test_all_faults_are_told_at_once_with_their_lines() -> None:
    (plugin,) = describe(b'{\n "id": "",\n "args": [],\n "tools": [\n  {\n   "name": "a"\n  }\n ],\n "x": 1\n}\n')
    told = {(fault.field, fault.line) for fault in plugin.faults}
    assert {("id", 2), ("x", 9), ("version", 0), ("command", 0)} <= told
    assert "tools.0.inputSchema" in {field for field, _ in told}


def test_the_process_has_its_full_launch_data() -> None:
    plugin = described(args=["./main.js", "--label"], env={"TOKEN": "${LABEL_TOKEN}", "MODE": "a"})
    (process,) = [c for c in plugin.components if c.kind is ComponentKind.EXECUTABLE]
    assert process.command == ("node", "./main.js", "--label")
    assert process.environment == (("MODE", None), ("TOKEN", "LABEL_TOKEN"))
    assert process.literals == (("MODE", "a"),)
    assert (process.entry, process.transport, process.trigger) == ("main.js", "stdio", "start")


def test_tools_keep_all_that_a_model_reads() -> None:
    plugin = described(**tool(description="d", guidelines=["g"]))
    (found,) = [c for c in plugin.components if c.kind is ComponentKind.TOOL]
    assert dict(found.extra) == {"description": '"d"', "guidelines": '["g"]', "inputSchema": '{"type":"object"}'}


def test_texts_of_a_tool_are_kept_as_the_contract_keeps_them() -> None:
    plugin = described(
        **tool(description=" d\u3000", label="\tL\n", guidelines=["", "\u2003", None, " g "], executionMode=None)
    )
    (found,) = [c for c in plugin.components if c.kind is ComponentKind.TOOL]
    kept = {key: json.loads(value) for key, value in found.extra}
    assert kept == {
        "description": "d",
        "executionMode": None,
        "guidelines": [" g "],
        "inputSchema": {"type": "object"},
        "label": "L",
    }


@pytest.mark.parametrize("text", ["\x1c", "\x1f", "\u200b", "\ufeff", "\u180e"], ids=hex_of)
def test_what_go_does_not_trim_is_no_white_space(text: str) -> None:
    assert faults(described(id=text, version=text, command=text)) == []


def test_a_plugin_of_the_scanned_root_without_an_id_is_not_called_by_a_name_that_it_has_not() -> None:
    entry = Entry("coding-plugin.json", EntryKind.FILE, 1, False, "0" * 64)
    (plugin,) = discover(build_listing([entry], {"coding-plugin.json": b'{"id": " ", "version": "1"}'}))
    assert plugin.name == "unnamed"


def test_names_of_tools_are_not_namespaced_so_two_plugins_can_claim_one() -> None:
    first, second = describe({**MANIFEST, **tool()}, {**MANIFEST, "id": "other", **tool()})
    assert first.hosts[0].summary == (
        "loads it, if the process says what the manifest says; `other` has `label` too: whichever registers later "
        "contributes no tool at all, unless it is told to replace"
    )
    assert json.loads(second.hosts[0].data)["shared_tools"] == {"label": ["labels"]}
    assert first.faults == second.faults == ()


def test_a_plugin_that_shares_many_tools_with_many_says_so_once_for_each() -> None:
    tools = [{**TOOL, "name": f"t{number}"} for number in range(7)]
    plugins = describe(*({**MANIFEST, "id": name, "tools": tools} for name in ("a", "b", "c")))
    (host,) = plugins[0].hosts
    assert "; `b` has `t0`, `t1`, `t2`, `t3`, `t4` and 2 more too: " in host.summary
    assert [note[:7] for note in host.notes] == ["`c` has"]
    assert json.loads(host.data)["shared_tools"]["t6"] == ["b", "c"]


def test_thousands_of_plugins_with_one_tool_are_told_of_a_few() -> None:
    plugins = describe(*({**MANIFEST, "id": f"p{number:04}", **tool()} for number in range(2_000)))
    for plugin in (plugins[0], plugins[-1]):
        (names,) = json.loads(plugin.hosts[0].data)["shared_tools"].values()
        assert 0 < len(names) <= MAX_RIVALS


def test_names_of_tools_that_differ_in_case_or_in_signs_are_two() -> None:
    (plugin,) = describe({**MANIFEST, "tools": [{**TOOL, "name": n} for n in ("label", "Label", "la.bel", "la_bel")]})
    assert plugin.faults == ()
    assert not list(look_for_colliding_names(plugin))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"id": "a", "id": "b"}', id="a key twice"),
        pytest.param(b'{"id": "a"} x', id="something after it"),
        pytest.param(b"\xff\xfe{\x00}\x00", id="UTF-16"),
        pytest.param(b"[" * 100_000, id="nested without end"),
    ],
)
def test_a_manifest_that_is_no_table_of_json_is_one_fault(data: bytes) -> None:
    (plugin,) = describe(data)
    assert plugin.name == "p0"
    assert len(plugin.faults) == 1

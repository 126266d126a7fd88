"""What amber itself would do, where that differs from what it documents: one case for each place that files show."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plugseal.model.plugin import Plugin
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


def describe(manifests: dict[str, dict[str, Any]], *others: Entry) -> list[Plugin]:
    """Return the plugins of a tree of (directory, manifest) with an executable `run` in each directory and the root."""
    paths = {"run"} | {f"{root}/run" for root in manifests}
    entries = {path: Entry(path, EntryKind.FILE, 1, True, "0" * 64) for path in paths}
    for root in manifests:
        parts = root.split("/")
        for end in range(1, len(parts) + 1):
            entries["/".join(parts[:end])] = Entry("/".join(parts[:end]), EntryKind.DIRECTORY, 0, False, None)
        entries[f"{root}/manifest.json"] = Entry(f"{root}/manifest.json", EntryKind.FILE, 1, False, "0" * 64)
    entries.update({entry.path: entry for entry in others})
    kept = {f"{root}/manifest.json": json.dumps(manifest).encode() for root, manifest in manifests.items()}
    return list(discover(build_listing(sorted(entries.values()), kept)))


def verdict(fields: dict[str, Any], *others: Entry, root: str = "p") -> tuple[bool | None, dict[str, Any], str]:
    """Return whether amber loads a plugin, what further is known, and the line for people."""
    (plugin,) = describe({root: {**MANIFEST, **fields}}, *others)
    (host,) = plugin.hosts
    assert host.host == "amber"
    return host.loads, json.loads(host.data), host.summary


def verdict_on(manifest: bytes | None) -> tuple[bool | None, dict[str, Any]]:
    """Return amber's verdict on the bytes of a manifest where amber looks, or on a directory without one."""
    folders = [".amber", ".amber/plugins", ".amber/plugins/p"]
    entries = [Entry(folder, EntryKind.DIRECTORY, 0, False, None) for folder in folders]
    entries.append(Entry(".amber/plugins/p/notes.txt", EntryKind.FILE, 1, False, "0" * 64))
    kept = {}
    if manifest is not None:
        entries.append(Entry(".amber/plugins/p/manifest.json", EntryKind.FILE, len(manifest), False, "0" * 64))
        kept = {".amber/plugins/p/manifest.json": manifest}
    (plugin,) = [p for p in discover(build_listing(sorted(entries), kept)) if p.system == "amber"]
    (host,) = plugin.hosts
    return host.loads, json.loads(host.data)


def test_a_sound_plugin_is_off_until_it_is_switched_on() -> None:
    loads, data, summary = verdict({"tools": [{"name": "greet"}]})
    assert loads
    assert data == {
        "id": "hello",
        "state": "disabled",
        "error": "",
        "tools": ["plugin_hello_greet"],
        "accepts_faults": False,
    }
    assert summary == "off until switched on"


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"main": "../run"}, id="main above the plugin"),
        pytest.param({"main": "run\0junk"}, id="main cut by a zero byte"),
        pytest.param({"main": "link"}, id="main a link out of the plugin"),
        pytest.param({"protocol_version": 1.9}, id="protocol 1.9"),
        pytest.param({"protocol_version": True}, id="protocol true"),
        pytest.param({"version": "latest"}, id="version in words"),
        pytest.param({"name": ""}, id="no name"),
        pytest.param({"description": ""}, id="no description"),
        pytest.param({"tools": [{"name": "a"}, {"name": "a"}]}, id="a tool twice"),
        pytest.param({"tools": "none"}, id="tools text"),
        pytest.param({"settings": [1]}, id="settings a list"),
        pytest.param({"completion": {"set": {}}}, id="completion of another namespace"),
    ],
)
def test_amber_accepts_what_it_documents_as_wrong(fields: dict[str, Any]) -> None:
    loads, data, summary = verdict(fields, Entry("p/link", EntryKind.SYMLINK, 0, False, None, "../run"))
    assert loads
    assert data["accepts_faults"]
    assert summary == "accepts it all the same; off until switched on"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("1", id="text"),
        pytest.param(None, id="null"),
        pytest.param([1], id="a list"),
        pytest.param({}, id="a table"),
    ],
)
def test_a_protocol_that_is_no_number_ends_amber_itself(value: object) -> None:
    loads, data, _ = verdict({"protocol_version": value, "id": "NOT EVEN AN ID"})
    assert not loads
    assert data["state"] == "aborts"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"id": "my-plugin"}, "invalid id 'my-plugin' (expected [a-z0-9_]+)", id="a wrong id"),
        pytest.param({"id": 7}, "invalid id '' (expected [a-z0-9_]+)", id="an id that is no text"),
        pytest.param({"version": ""}, "missing version", id="no version"),
        pytest.param({"protocol_version": 99}, "protocol version 99 unsupported (harness speaks 1)", id="protocol 99"),
        pytest.param({"protocol_version": 0.5}, "protocol version 0 unsupported (harness speaks 1)", id="protocol 0.5"),
        pytest.param({"main": "absent"}, "main executable 'absent' missing or not executable", id="main absent"),
        pytest.param({"main": ""}, "main executable '' missing or not executable", id="main empty"),
        pytest.param({"main": "/bin/sh"}, "main executable '/bin/sh' missing or not executable", id="main absolute"),
    ],
)
def test_amber_refuses_with_its_own_words(fields: dict[str, Any], error: str) -> None:
    loads, data, summary = verdict(fields)
    assert not loads
    assert (data["state"], data["error"]) == ("incompatible", error)
    assert summary == f"incompatible: {error}"
    assert data["tools"] == []


@pytest.mark.parametrize(
    ("fields", "others"),
    [
        pytest.param({"main": "../../run"}, (), id="above what was read"),
        pytest.param(
            {"main": "out"}, (Entry("p/out", EntryKind.SYMLINK, 0, False, None, "/bin/true"),), id="an absolute link"
        ),
        pytest.param({"protocol_version": 1e300}, (), id="no integer of amber's"),
    ],
)
def test_what_depends_on_the_machine_is_unknown(fields: dict[str, Any], others: tuple[Entry, ...]) -> None:
    loads, data, _ = verdict(fields, *others)
    assert loads is None
    assert data["state"] == "unknown"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(b"", "manifest.json is not valid JSON", id="empty"),
        pytest.param(b'{"id": ', "manifest.json is not valid JSON", id="cut"),
        pytest.param(b'{"id": "p",}', "manifest.json is not valid JSON", id="a comma too many"),
        pytest.param(b'{"id": "p"} // x', "manifest.json is not valid JSON", id="a comment"),
        pytest.param(b'{"id": "\xff"}', "manifest.json is not valid JSON", id="no UTF-8"),
        pytest.param(b'{"id": NaN}', "manifest.json is not valid JSON", id="no number of JSON"),
        pytest.param(b"[" * 300, "manifest.json is not valid JSON", id="nested, and cut"),
        pytest.param(None, "manifest.json missing or unreadable", id="no file"),
    ],
)
def test_amber_refuses_a_manifest_that_it_cant_read(data: bytes | None, error: str) -> None:
    loads, said = verdict_on(data)
    assert (loads, said["state"], said["error"]) == (False, "incompatible", error)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"id": "p", "id": "q"}', id="a key twice"),
        pytest.param(b'{"id": "\\ud800"}', id="half a character"),
        pytest.param(b'{"id": 1' + b"0" * 5_000 + b"}", id="a number without end"),
        pytest.param(b"[" * 301, id="nested without end"),
        pytest.param(b"[]", id="no table"),
    ],
)
def test_what_amber_makes_of_a_manifest_that_we_do_not_read_is_unknown(data: bytes) -> None:
    loads, said = verdict_on(data)
    assert (loads, said["state"]) == (None, "unknown")


def test_the_directory_is_the_id_whatever_the_manifest_says() -> None:
    _, data, _ = verdict({"tools": [{"name": "greet"}]}, root=".amber/plugins/other")
    assert data["id"] == "other"
    assert data["tools"] == ["plugin_other_greet"]


def test_a_directory_that_begins_with_a_dot_is_ignored() -> None:
    loads, data, _ = verdict({}, root=".amber/plugins/.hidden")
    assert not loads
    assert data["state"] == "ignored"


def test_tools_of_a_table_are_registered_too() -> None:
    _, data, _ = verdict({"tools": {"x": {"name": "greet"}, "y": {"name": 1}, "z": "w"}})
    assert data["tools"] == ["plugin_hello_greet"]


def test_two_plugins_can_register_one_name() -> None:
    first, second = describe(
        {
            "a": {**MANIFEST, "id": "a", "tools": [{"name": "b_c"}]},
            "a_b": {**MANIFEST, "id": "a_b", "tools": [{"name": "c"}]},
        }
    )
    for plugin, other in ((first, "a_b"), (second, "a")):
        (host,) = plugin.hosts
        assert json.loads(host.data)["shared_tools"] == {"plugin_a_b_c": [other]}
        assert f"`plugin_a_b_c` is a tool of `{other}` too" in host.summary
    assert not first.is_broken


def test_switching_off_one_plugin_takes_away_the_tools_of_another() -> None:
    first, second = describe(
        {
            "a": {**MANIFEST, "id": "a", "tools": [{"name": "x"}]},
            "a_b": {**MANIFEST, "id": "a_b", "tools": [{"name": "y"}]},
        }
    )
    assert json.loads(first.hosts[0].data)["switches_off"] == ["a_b"]
    assert "switches_off" not in json.loads(second.hosts[0].data)


def test_verdicts_of_hosts_move_no_receipt() -> None:
    from plugseal.scan.document import build_document

    alone = describe({"a": {**MANIFEST, "id": "a", "tools": [{"name": "b_c"}]}})[0]
    beside = describe(
        {
            "a": {**MANIFEST, "id": "a", "tools": [{"name": "b_c"}]},
            "a_b": {**MANIFEST, "id": "a_b", "tools": [{"name": "c"}]},
        }
    )[0]
    assert alone.hosts != beside.hosts
    assert build_document(alone, (), ()) == build_document(beside, (), ())


def test_two_plugins_that_register_one_name_are_found() -> None:
    from plugseal.scan.detectors.identities import look_for_colliding_names

    first, second = describe(
        {
            "a": {**MANIFEST, "id": "a", "tools": [{"name": "b_c"}, {"name": "free"}]},
            "a_b": {**MANIFEST, "id": "a_b", "tools": [{"name": "c"}]},
        }
    )
    assert [(hit.word, hit.note) for hit in look_for_colliding_names(first)] == [
        ("plugin_a_b_c", "`a_b` has a tool of the same name")
    ]
    assert [hit.word for hit in look_for_colliding_names(second)] == ["plugin_a_b_c"]

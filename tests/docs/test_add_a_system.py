"""The guide's sample system works as the guide says: its code is run here, its fixtures are what it gives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from plugseal.model.plugin import Component, Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.detectors.manifests import look_for_outside_paths
from plugseal.scan.detectors.packages import look_for_unpinned
from plugseal.scan.discover import build_listing, entry_files, manifest_facts
from plugseal.systems.reading.reader import PluginReader

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "add-a-system.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """Return the guide's blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)


def sample() -> dict[str, Any]:
    """Return the names that the guide's code defines."""
    names: dict[str, Any] = {}
    for code in blocks("python"):
        exec(code, names)  # nosec B102  # our own documentation
        names.update(_imports())
    return names


def _imports() -> dict[str, Any]:
    """Return what the second block takes from the modules that the guide names."""
    from plugseal.systems.components import servers
    from plugseal.systems.launching import launch
    from plugseal.systems.reading import reader

    wanted = ("environment", "shell_entry", "Document", "Path", "lookup", "compact")
    return {
        name: getattr(module, name) for module in (launch, reader, servers) for name in wanted if hasattr(module, name)
    }


def listing(*files: str, **manifests: str) -> Any:
    data = {name.replace("_", "."): text.encode() for name, text in manifests.items()}
    entries = [Entry(path, EntryKind.FILE, 1, False, "0" * 64) for path in (*files, *data)]
    return build_listing(sorted(entries), data)


def said(plugin: Plugin) -> dict[str, Any]:
    """Return a plugin in the words of `EXPECT.toml`, as far as the guide uses them."""
    found = {
        "system": plugin.system,
        "name": plugin.name,
        "version": plugin.version,
        "root": plugin.root,
        "manifest": plugin.manifest,
        "read": list(plugin.read),
        "components": [
            " ".join([c.kind.value, c.name, c.file, c.trigger, c.transport, *c.command]) for c in plugin.components
        ],
        "entries": [f"{file} {trigger}" for file, trigger in entry_files(plugin).items()],
        "facts": [
            f"{file}:{fact.span.line} {fact.capability} {fact.object} {fact.trigger}"
            for file, fact in manifest_facts(plugin)
        ],
    }
    return {key: value for key, value in found.items() if value or key == "root"}


def test_the_benign_sample_is_described_as_the_guide_says() -> None:
    hello = '{"name": "hello", "version": "1.0.0", "command": "python3", "args": ["./hello.py"]}'
    (plugin,) = sample()["Acme"]().discover(listing("hello.py", acme_json=hello))
    assert [said(plugin)] == tomllib.loads(blocks("toml")[0])["plugin"]


def test_the_hostile_sample_is_described_and_found_as_the_guide_says() -> None:
    (plugin,) = sample()["Acme"]().discover(listing(acme_json=blocks("json")[0]))
    expected = tomllib.loads(blocks("toml")[1])
    assert [said(plugin)] == expected["plugin"]
    assert expected["finds"] == ["unpinned-server", "outside-path-argument"]
    assert list(look_for_unpinned(plugin))
    assert list(look_for_outside_paths(plugin))


def test_a_broken_manifest_is_a_plugin_with_a_fault() -> None:
    (plugin,) = sample()["Acme"]().discover(listing(acme_json="{"))
    assert (plugin.name, len(plugin.faults), plugin.components) == ("unnamed", 1, ())


def test_a_key_that_nobody_knows_leaves_the_manifest_unread() -> None:
    (plugin,) = sample()["Acme"]().discover(listing(acme_json='{"name": "a", "command": "true", "later": 1}'))
    assert (plugin.read, plugin.faults, dict(plugin.extra)) == ((), (), {"later": "1"})


def test_keys_under_other_names_give_a_full_component() -> None:
    manifest = '{"save": {"program": "node", "arguments": ["./on.js"], "variables": {"A": "${B}"}, "delay": 3}}'
    reader = PluginReader(listing("on.js", acme_json=manifest), "")
    document = reader.json("acme.json")
    component: Component = sample()["_launch"](reader, document, ("save",))
    assert (component.command, component.entry, component.environment) == (("node", "./on.js"), "on.js", (("A", "B"),))
    assert component.extra == (("delay", "3"),)
    assert [part for part, _ in component.places] == ["command.0", "command.1"]
    assert reader.faults == []


def test_every_method_that_the_guide_names_exists() -> None:
    section = GUIDE.partition("### What `PluginReader` offers")[2].partition("### ")[0]
    methods = set(re.findall(r"`([a-z_]+)(?:\(|`)", section.partition("| method | gives |")[2].partition("\n\n")[0]))
    assert {name for name in methods if name not in dir(PluginReader)} <= {"unread", "entry_file", "args"}
    assert {"json", "toml", "yaml", "table", "declared", "text", "texts", "fault_at", "expect_keys"} <= methods

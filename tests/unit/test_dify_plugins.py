"""Plugins of Dify: what is one, what its files say, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Plugin
from plugseal.scan.discover import Keeper, discover

_MANIFEST = """\
version: 0.1.0
type: plugin
name: notes
plugins: {{{plugins}}}
meta: {{runner: {{language: python, entrypoint: main}}}}
"""


def _plugins(folder: Path, **files: str) -> list[Plugin]:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    keeper = Keeper()
    read_tree(folder, keeper)
    return [plugin for plugin in discover(keeper.listing()) if plugin.system == "dify"]


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Pod\n",
        "type: plugin\nname: a\n",
        "type: theme\nmeta: {runner: {entrypoint: main}}\n",
        "- type: plugin\n- runner:\n- entrypoint:\n",
    ],
)
def test_what_is_no_plugin(text: str, tmp_path: Path) -> None:
    assert _plugins(tmp_path, manifest_yaml=text) == []


def test_a_manifest_that_is_no_yaml_is_a_broken_plugin(tmp_path: Path) -> None:
    (plugin,) = _plugins(tmp_path, manifest_yaml="type: plugin\nmeta:\n  runner:\n    entrypoint: [\n")
    assert plugin.faults and plugin.components == ()


def test_models_name_several_sources(tmp_path: Path) -> None:
    (plugin,) = _plugins(
        tmp_path,
        manifest_yaml=_MANIFEST.format(plugins="models: [provider/a.yaml]"),
        main_py="",
        provider__a_yaml="provider: a\nextra: {python: {provider_source: provider/a.py, model_sources: [models/b.py]}}",
        provider__a_py="",
        models__b_py="",
    )
    assert {component.entry for component in plugin.components} == {"main.py", "provider/a.py", "models/b.py"}
    assert plugin.faults == ()


@pytest.mark.parametrize(
    ("plugins", "message"),
    [
        ("tools: [x.yaml]", "names no file of the plugin: x.yaml"),
        ("tools: [../x.yaml]", "names no file of the plugin: ../x.yaml"),
        ("tools: [1]", "names no file of the plugin: 1"),
        ("tools: [manifest.yaml]", ""),
    ],
)
def test_files_that_are_not_there(plugins: str, message: str, tmp_path: Path) -> None:
    (plugin,) = _plugins(tmp_path, manifest_yaml=_MANIFEST.format(plugins=plugins), main_py="")
    assert [fault.message for fault in plugin.faults] == ([message] if message else [])


def test_an_entry_that_is_not_there(tmp_path: Path) -> None:
    (plugin,) = _plugins(tmp_path, manifest_yaml=_MANIFEST.format(plugins=""))
    assert [fault.message for fault in plugin.faults] == ["names no module of the plugin: main"]
    assert plugin.components[0].entry is None

"""A folder that is a plugin for several clients says what another client starts of it besides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.scan.document import build_document
from plugseal.systems.views import with_views
from plugseal.verbs.scan import scan_path


def _plugin(system: str, *components: Component, root: str = "p", covers: tuple[str, ...] | None = None) -> Plugin:
    return Plugin(system=system, name="p", version="", root=root, manifest="m", components=components, covers=covers)


def _server(*command: str, name: str = "docs", kind: ComponentKind = ComponentKind.SERVER) -> Component:
    return Component(kind=kind, name=name, file="m", command=command)


def _views(*plugins: Plugin) -> dict[str, tuple[tuple[str, str], ...]]:
    return {plugin.system: plugin.views for plugin in with_views(plugins)}


def test_a_server_that_one_client_starts_stands_with_the_others() -> None:
    found = _views(_plugin("claude-code"), _plugin("codex", _server("node", "s.js")))
    assert found == {"claude-code": (("codex", "server docs"),), "codex": ()}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("${CLAUDE_PLUGIN_ROOT}/s.js", "./s.js", id="a client's folder against a path"),
        pytest.param("${extensionPath}${/}s.js", "${PLUGIN_ROOT}/s.js", id="two clients' folders"),
        pytest.param("${CLAUDE_PLUGIN_ROOT}/s.js", "$CODEX_PLUGIN_ROOT/s.js", id="without braces"),
    ],
)
def test_a_client_s_own_word_for_the_folder_is_no_difference(first: str, second: str) -> None:
    found = _views(_plugin("claude-code", _server("node", first)), _plugin("codex", _server("node", second)))
    assert set(found.values()) == {()}


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(_server("node", "other.js"), id="another file"),
        pytest.param(_server("deno", "s.js"), id="another program"),
        pytest.param(_server("node", "s.js", kind=ComponentKind.HOOK), id="another kind"),
        pytest.param(
            Component(kind=ComponentKind.SERVER, name="docs", file="m", endpoint="https://a.invalid"), id="an address"
        ),
    ],
)
def test_what_starts_something_else_under_the_same_name_is_a_difference(second: Component) -> None:
    found = _views(_plugin("claude-code", _server("node", "s.js")), _plugin("codex", second))
    assert all(found.values())


def test_prose_settings_and_other_folders_are_not_compared() -> None:
    skill = Component(kind=ComponentKind.SKILL, name="a", file="m")
    elsewhere = _plugin("cursor", _server("node", "s.js"), root="q")
    configuration = _plugin("gemini", _server("node", "s.js"), covers=(".gemini",))
    found = _views(_plugin("claude-code", skill), _plugin("codex"), elsewhere, configuration)
    assert set(found.values()) == {()}


def test_a_scan_tells_it(tmp_path: Path) -> None:
    for folder, more in ((".claude-plugin", {}), (".cursor-plugin", {"mcpServers": {"s": {"command": "true"}}})):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "plugin.json").write_text(json.dumps({"name": "p", **more}), "utf-8")
    notes = [f.note for f in scan_path(tmp_path).findings if f.rule == "client-views-differ"]
    assert notes == ["cursor starts server s"]


def test_no_receipt_holds_it() -> None:
    plain = _plugin("claude-code")
    assert build_document(plain._replace(views=(("codex", "server docs"),)), [], []) == build_document(plain, [], [])

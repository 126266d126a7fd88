"""The user's own folders: which they are, in which order hosts look, what hides what, and that nothing moves home."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main
from plugseal.systems.homes import anchor_in, user_roots
from plugseal.verbs import user
from plugseal.verbs.scan import scan_path
from plugseal.verbs.select import select
from plugseal.verbs.user import home_of_user, scan_user

Plant = Callable[..., None]


def _paths(system: str, environment: dict[str, str], workspace: str = "") -> list[str]:
    return [root.path for root in user_roots("/home/u", environment, workspace) if root.system == system]


def test_amber_looks_in_its_documented_order() -> None:
    assert _paths("amber", {"XDG_CONFIG_HOME": "/x"}, "/ws") == [
        "/x/amber/plugins",
        "/home/u/.config/amber/plugins",
        "/home/u/.local/share/amber/plugins",
        "/ws/.amber/plugins",
        "/usr/local/share/amber/plugins",
        "/usr/share/amber/plugins",
    ]


@pytest.mark.parametrize("value", ["", "relative", "./x", "~/x"])
def test_a_variable_that_is_no_absolute_path_counts_for_nothing(value: str) -> None:
    assert _paths("amber", {"XDG_CONFIG_HOME": value, "XDG_DATA_HOME": "/y"}) == _paths("amber", {})


def test_one_folder_under_two_names_is_looked_at_once() -> None:
    assert _paths("amber", {"XDG_CONFIG_HOME": "/home/u/.config"}) == _paths("amber", {})


def test_the_other_systems_have_one_folder_each() -> None:
    assert _paths("amness", {"XDG_CONFIG_HOME": "/x"}) == ["/home/u/.amness/plugins"]
    assert _paths("codewhale", {"XDG_CONFIG_HOME": "/x"}) == ["/home/u/.codewhale/plugins"]
    assert _paths("codewhale", {"CODEWHALE_HOME": "/w/"}) == ["/w/plugins"]
    assert _paths("agent-plugins", {}) == _paths("coding", {}) == []


def test_the_home_is_that_of_the_passwd_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    before = home_of_user()
    monkeypatch.setenv("HOME", "/somewhere/else")
    assert home_of_user() == before
    assert before


@pytest.mark.parametrize(
    ("path", "anchor"),
    [
        pytest.param("/p/.amness/plugins", ".amness/plugins", id="a project's"),
        pytest.param("/p/.amness/plugins/sub", ".amness/plugins/sub", id="below it"),
        pytest.param("/h/.config/amber/plugins/hello", ".amber/plugins/hello", id="the user's, in one spelling"),
        pytest.param("/usr/share/amber/plugins", ".amber/plugins", id="the system's"),
        pytest.param("/h/.codewhale/plugins", ".codewhale/plugins", id="another system's"),
        pytest.param("/p/amness/plugins", "", id="without the dot"),
        pytest.param("/p/x.amness/plugins", "", id="another name"),
        pytest.param("/p/.amness/pluginsx", "", id="a longer name"),
        pytest.param("/p", "", id="none"),
    ],
)
def test_a_known_folder_is_known_by_its_place(path: str, anchor: str) -> None:
    assert anchor_in(path) == anchor


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home of the user, with a workspace `ws` in it that is the current folder."""
    (tmp_path / "home" / "ws").mkdir(parents=True)
    monkeypatch.setattr(user, "home_of_user", lambda: str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("CODEWHALE_HOME", raising=False)
    monkeypatch.chdir(tmp_path / "home" / "ws")
    return tmp_path / "home"


def _amber(folder: Path, **fields: Any) -> None:
    folder.mkdir(parents=True)
    (folder / "run").write_text("#!/usr/bin/env python3\n")
    (folder / "run").chmod(0o755)
    manifest = {
        "id": folder.name,
        "name": "N",
        "version": "1.0.0",
        "protocol_version": 1,
        "description": "d",
        "main": "run",
    }
    (folder / "manifest.json").write_text(json.dumps({**manifest, **fields}))


def _amness(folder: Path, file: str, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(f'export default {{ name: "{name}" }};')


def test_plugins_of_every_folder_are_found(home: Path) -> None:
    _amber(home / ".config/amber/plugins/one")
    _amber(home / ".local/share/amber/plugins/two")
    _amness(home / ".amness/plugins", "guard.ts", "guard")
    scan = scan_user(home / "ws")
    found = [(root.system, root.scope, p.plugin.name) for root, inventory in scan.roots for p in inventory.plugins]
    assert found == [("amber", "user", "one"), ("amber", "user", "two"), ("amness", "user", "guard")]
    assert not scan.shadowed


def test_of_two_directories_of_amber_the_first_wins(home: Path) -> None:
    _amber(home / ".config/amber/plugins/one")
    _amber(home / "ws/.amber/plugins/one", version="2.0.0")
    _amber(home / "ws/.amber/plugins/other")
    (row,) = scan_user(home / "ws").shadowed
    assert (row.system, row.name, row.certain) == ("amber", "one", True)
    assert row.path.endswith("/ws/.amber/plugins/one")
    assert row.by.endswith("/.config/amber/plugins/one")


def test_amber_goes_by_the_directory_and_not_by_the_id(home: Path) -> None:
    _amber(home / ".config/amber/plugins/one", id="same")
    _amber(home / ".local/share/amber/plugins/two", id="same")
    assert not scan_user().shadowed


def test_a_variable_of_amber_comes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "x"))
    _amber(home / "x/amber/plugins/one")
    _amber(home / ".config/amber/plugins/one")
    (row,) = scan_user().shadowed
    assert row.by.endswith("/x/amber/plugins/one")


def test_tools_that_two_folders_register_under_one_name_are_a_conflict(home: Path) -> None:
    _amber(home / ".config/amber/plugins/a", tools=[{"name": "b_c"}])
    _amber(home / ".local/share/amber/plugins/a_b", tools=[{"name": "c"}])
    (text,) = scan_user().conflicts
    assert text.startswith("amber: plugin_a_b_c is a tool of ")


def test_of_two_names_in_amness_one_is_skipped(home: Path) -> None:
    _amness(home / ".amness/plugins", "guard.ts", "guard")
    _amness(home / "ws/.amness/plugins", "mine.ts", "guard")
    (row,) = scan_user(home / "ws").shadowed
    assert (row.name, row.certain) == ("guard", False)


def test_ids_bind_scope_and_place(home: Path) -> None:
    _amber(home / ".config/amber/plugins/one")
    _amber(home / ".local/share/amber/plugins/one")
    ids = [report.id for _, inventory in scan_user().roots for report in inventory.plugins]
    inside = [report.id for report in scan_path(home / ".config/amber/plugins").plugins]
    assert len({*ids, *inside}) == 3
    assert all(one.startswith("amber:one@") for one in [*ids, *inside])


def test_an_id_of_the_users_own_folder_is_understood_anywhere(home: Path) -> None:
    _amber(home / ".config/amber/plugins/one")
    ((_, inventory),) = scan_user().roots
    found = select(inventory.plugins[0].id)
    assert found.path == home / ".config/amber/plugins/one"
    assert main(["validate", inventory.plugins[0].id]) == 0


def test_names_are_not_looked_for_there(home: Path) -> None:
    _amber(home / ".config/amber/plugins/one")
    assert main(["validate", "one"]) == 2


def test_the_commands_end_as_the_worst_folder(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "--user"]) == 3
    assert main(["validate", "--user"]) == 3
    _amber(home / ".config/amber/plugins/one")
    assert main(["scan", "--user"]) == 0
    assert main(["validate", "--user"]) == 0
    _amber(home / ".local/share/amber/plugins/bad", main="../run")
    assert main(["validate", "--user"]) == 1
    assert main(["scan", "--user"]) == 4
    assert main(["scan", "--user", "--exit-zero"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("2 folders, 2 plugins, ")


def test_everything_is_in_the_json(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _amber(home / ".config/amber/plugins/one")
    _amber(home / ".local/share/amber/plugins/one")
    main(["scan", "--user", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["format"] == "plugseal.user/1"
    assert [entry["scan"]["plugins"][0]["name"] for entry in document["roots"]] == ["one", "one"]
    assert [row["by"] for row in document["shadowed"]] == [str(home / ".config/amber/plugins/one")]
    assert {row["system"] for row in document["missing"]} == {"amber", "amness", "codewhale"}


def test_a_linked_folder_is_named_by_where_it_leads(home: Path) -> None:
    _amness(home / "dotfiles", "guard.ts", "guard")
    (home / ".amness").mkdir()
    (home / ".amness/plugins").symlink_to(home / "dotfiles")
    ((root, inventory),) = scan_user().roots
    assert root.path == os.path.realpath(home / "dotfiles")
    assert [report.plugin.name for report in inventory.plugins] == ["guard"]


def test_a_folder_of_plugins_scanned_by_itself_is_still_that_folder(home: Path) -> None:
    _amness(home / "ws/.amness/plugins", "guard.ts", "guard")
    for path in ("ws/.amness/plugins", "ws/.amness/plugins/guard.ts"):
        (report,) = scan_path(home / path).plugins
        assert (report.plugin.system, report.plugin.name, report.plugin.root) == ("amness", "guard", "guard.ts")

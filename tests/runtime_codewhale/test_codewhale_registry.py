"""The registry of a start: where bundles are looked for, which of a name wins, what keeps each from contributing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import NothingToJudgeError, RefusedTransitionError
from plugseal.runtime.codewhale import when
from plugseal.verbs import trust as verbs
from plugseal.verbs.codewhale.bundles import enable_bundle, find_bundle, list_bundles, look_at_bundle
from tests import codewhale_world as worlds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return worlds.World(tmp_path / "world", monkeypatch)


def labels(world: Any) -> list[tuple[str, str, str]]:
    """Return (name, scope, state) of every bundle."""
    return [(one.bundle.name, one.bundle.scope, one.label) for one in list_bundles(world.start()).bundles]


def test_new_bundles_of_both_roots_are_disabled(world: Any) -> None:
    world.bundle("near")
    world.bundle("own", scope="user")
    assert labels(world) == [("near", "workspace", "disabled"), ("own", "user", "disabled")]
    assert not world.store.home.exists()


def test_the_users_bundle_comes_first_trusted_or_not(world: Any) -> None:
    world.bundle("same", scope="user")
    world.bundle("same")
    assert labels(world) == [("same", "user", "disabled"), ("same", "workspace", "shadowed")]
    entry = find_bundle("same", world.start().registry)
    assert entry.bundle.scope == "user"
    shadowed = [one for one in list_bundles(world.start()).bundles if one.label == "shadowed"]
    assert [found.code for found in shadowed[0].bundle.diagnostics] == ["name-conflict"]


def test_what_was_trusted_before_it_was_shadowed_contributes_nothing(world: Any) -> None:
    world.bundle("same")
    world.trust("same")
    assert [skill.name for skill in world.skills().listed()] == ["same:hello"]
    world.bundle("same", scope="user", files={"skills/hello/SKILL.md": worlds.SKILL + "mine\n"})
    assert world.skills().listed() == ()
    with world.pool() as pool:
        assert pool.servers() == ()


def test_other_applications_folders_are_not_looked_into(world: Any) -> None:
    for folder in (".claude/plugins", ".cursor/plugins", "plugins", ".codewhale/plugins/deep/er"):
        path = world.workspace / folder / "other"
        path.mkdir(parents=True)
        (path / "plugin.toml").write_text(worlds.HEAD.format(name="other"))
    assert labels(world) == []


@pytest.mark.parametrize("linked", [".codewhale", ".codewhale/plugins"])
def test_a_linked_root_loads_nothing(linked: str, world: Any, tmp_path: Path) -> None:
    world.bundle("hello")
    real = tmp_path / "elsewhere"
    (world.workspace / linked).rename(real)
    (world.workspace / linked).symlink_to(real)
    listed = list_bundles(world.start())
    assert listed.bundles == ()
    assert [found.code for found in listed.diagnostics] == ["root-symlink"]


def test_a_file_in_the_place_of_a_root_loads_nothing(world: Any) -> None:
    (world.workspace / ".codewhale").write_text("")
    assert [found.code for found in list_bundles(world.start()).diagnostics] == ["root-not-directory"]


def test_a_linked_bundle_is_said_and_loads_nothing(world: Any, tmp_path: Path) -> None:
    world.bundle("hello").rename(tmp_path / "real")
    (world.home() / "hello").symlink_to(tmp_path / "real")
    (one,) = list_bundles(world.start()).bundles
    assert (one.label, one.bundle.diagnostics[-1].code) == ("invalid", "bundle-symlink")


def test_a_workspace_that_is_the_home_is_looked_into_once(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEWHALE_HOME", str(world.workspace / ".codewhale"))
    world.bundle("hello")
    assert labels(world) == [("hello", "user", "disabled")]


def test_a_workspace_that_is_none_is_an_error(world: Any) -> None:
    world.workspace.rmdir()
    with pytest.raises(NothingToJudgeError, match="no such workspace"):
        world.start()


def test_the_states_of_a_bundle_on_its_way(world: Any) -> None:
    path = world.bundle()
    found = [world.label()]
    record = world.trust(enabled=False)
    found.append(world.label())
    world.trust()
    found.append(world.label())
    (path / "late.txt").write_text("late")
    found.append(world.label())
    (path / "late.txt").unlink()
    verbs.revoke(record, world.store)
    found.append(world.label())
    assert found == ["disabled", "disabled", "active", "content-changed", "enabled-untrusted"]


def test_a_damaged_copy_is_unstaged(world: Any) -> None:
    world.bundle()
    world.trust()
    os.chmod(world.stage() / "server.py", 0o600)
    (world.stage() / "server.py").write_text("other")
    assert world.label() == "unstaged"


def test_a_record_that_can_not_be_believed_disables_everything_and_is_left_alone(world: Any) -> None:
    world.bundle()
    world.trust()
    (file,) = (path for path in world.store.folder.iterdir() if path.suffix == ".json")
    file.write_text("{ malformed")
    assert world.label() == "state-invalid"
    assert world.skills().listed() == ()
    assert file.read_text() == "{ malformed"


@pytest.mark.parametrize(
    ("surface", "name"),
    [
        pytest.param('[commands]\npath = "skills"\n', "commands", id="commands"),
        pytest.param('[agents]\npath = "skills"\n', "agents", id="agents"),
        pytest.param('[hooks]\npath = "skills"\n', "hooks", id="hooks"),
        pytest.param('[lsp]\npath = "skills"\n', "lsp", id="a language server"),
        pytest.param('[native]\npath = "skills"\n', "native", id="native"),
        pytest.param('[capabilities]\nfilesystem_roots = ["w"]\n', "filesystem-roots", id="roots"),
        pytest.param("[capabilities]\nlifecycle_mutation = true\n", "lifecycle-mutation", id="mutation"),
    ],
)
def test_a_surface_that_is_not_started_yet_keeps_the_whole_bundle_back(surface: str, name: str, world: Any) -> None:
    world.bundle(more=f"[skills]\n{surface}")
    start = world.start()
    entry = find_bundle("hello", start.registry)
    assert (entry.label, entry.bundle.inactive) == ("unsupported", (name,))
    with pytest.raises(RefusedTransitionError, match="isn't started yet"):
        enable_bundle(entry, look_at_bundle(entry.bundle), start)


def test_conditions_that_do_not_hold_keep_a_bundle_back_and_are_no_trust(world: Any) -> None:
    world.bundle(more='[skills]\n[when]\nos = ["windows"]\n')
    start = world.start()
    entry = find_bundle("hello", start.registry)
    found = look_at_bundle(entry.bundle)
    verbs.trust(found, found.report.token or "", world.store)
    with pytest.raises(RefusedTransitionError, match="it is not for linux"):
        enable_bundle(entry, found, start)
    verbs.enable(found, world.store)
    assert world.label() == "inapplicable"
    world.bundle("other", more='[skills]\n[when]\nos = ["linux"]\nbinaries = ["sh"]\n')
    assert world.label("other") == "disabled"


@pytest.mark.parametrize(
    ("said", "unmet"),
    [
        ({}, ""),
        ({"os": ["LINUX"]}, ""),
        ({"os": ["macos", "windows"]}, "it is not for linux"),
        ({"binaries": ["sh"]}, ""),
        ({"binaries": ["sh", "no-such-program"]}, "it needs `no-such-program`"),
        ({"binaries": ["../sh"]}, "it needs `../sh`"),
        ([], "its conditions can't be read"),
        ({"os": 3}, "its conditions can't be read"),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict | list) else "",
)
def test_a_condition_names_what_it_lacks(said: object, unmet: str) -> None:
    assert when.unmet_condition({"when": json.dumps(said)}, {"PATH": ".:bin:/bin:/usr/bin"}) == unmet


def test_a_program_of_the_current_folder_meets_no_condition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "tool").touch()
    monkeypatch.chdir(tmp_path / "in")
    needs = {"when": '{"binaries": ["tool"]}'}
    assert when.unmet_condition(needs, {"PATH": ".:../in:"}) == "it needs `tool`"
    assert when.unmet_condition(needs, {"PATH": f"{tmp_path}/in"}) == ""


def test_an_overrides_file_of_older_versions_is_named_and_trusts_nothing(world: Any) -> None:
    world.bundle()
    legacy = world.home() / "overrides.json"
    legacy.write_text(json.dumps({"hello": {"enabled": True, "trusted": True}}))
    listed = list_bundles(world.start())
    assert [one.label for one in listed.bundles] == ["disabled"]
    assert [Path(path).name for path in listed.legacy] == ["overrides.json"]
    world.trust()
    legacy.write_text(json.dumps({"hello": {"enabled": False}}))
    assert world.label() == "active"


def test_a_registry_is_fixed_once_it_is_built(world: Any) -> None:
    world.bundle()
    world.trust()
    start = world.start()
    world.bundle("late")
    world.trust("late")
    assert [entry.bundle.name for entry in start.registry.active()] == ["hello"]
    with pytest.raises(AttributeError):
        start.registry.entries = ()
    with pytest.raises(AttributeError):
        start.registry.entries[0].label = "active"


def test_two_workspaces_know_nothing_of_each_other(world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world.bundle()
    world.trust()
    other = worlds.World(tmp_path / "other", monkeypatch)
    monkeypatch.setenv("PLUGSEAL_HOME", str(world.root / "state"))
    other.bundle("hello")
    assert other.label() == "disabled"
    assert other.skills().listed() == ()

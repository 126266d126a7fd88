"""Installing from an archive and taking away again: validated, whole or not at all, left off, never over anything."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from plugseal.errors import IntakeError, PlugsealError, RefusedTransitionError, TreeRefusedError
from plugseal.runtime.amber.settings import change_overrides, read_overrides
from plugseal.verbs.amber.find import Found, find_amber
from plugseal.verbs.amber.install import _put, install, uninstall
from plugseal.verbs.amber.plugins import inform, list_amber, switch_on


@pytest.fixture
def config(world: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's folder of plugins, in a world of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(world.root / "config"))
    monkeypatch.setattr("plugseal.verbs.user.home_of_user", lambda: str(world.root / "home"))
    folder: Path = world.root / "config" / "amber" / "plugins"
    return folder


def pack(path: Path, manifest: object, *, top: str = "", **members: Any) -> Path:
    """Write an archive with a manifest, a program, and more members."""
    data = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    with tarfile.open(path, "w:gz") as archive:
        if manifest is not None:
            _add(archive, f"{top}manifest.json", data)
        _add(archive, f"{top}run.py", b"#!/usr/bin/env python3\n", mode=0o755)
        for name, more in members.items():
            more(archive, name)
    return path


def _add(archive: tarfile.TarFile, name: str, data: bytes, mode: int = 0o644, **fields: Any) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), mode
    for field, value in fields.items():
        setattr(info, field, value)
    archive.addfile(info, io.BytesIO(data))


def _install(world: Any, source: Path | str) -> Any:
    return install(str(source), world.store, workspace=world.workspace)


@pytest.mark.parametrize("top", ["", "./", "fake/", "release-1.0/"], ids=["flat", "dot", "by ID", "by another name"])
def test_an_archive_is_validated_staged_and_left_off(
    top: str, world: Any, amber: ModuleType, config: Path, tmp_path: Path
) -> None:
    done = _install(world, pack(tmp_path / "x.tar.gz", amber.manifest(), top=top))
    assert (done.id, done.version, done.files, done.path) == ("fake", "1.0.0", 2, str(config / "fake"))
    assert os.access(config / "fake" / "run.py", os.X_OK)
    assert not os.access(config / "fake" / "manifest.json", os.X_OK) or os.geteuid() == 0
    assert sorted(path.name for path in config.iterdir()) == ["fake"]
    found = find_amber("fake", world.store, workspace=world.workspace)
    assert inform(found, world.store).state == "off: not trusted"
    with pytest.raises(RefusedTransitionError) as refused:
        switch_on(found, world.store, workspace=world.workspace)
    assert f"plugseal review {config / 'fake'}" in str(refused.value.hint)
    assert [one.state for one in list_amber(world.store, world.workspace)] == ["off: not trusted"]


def _link(archive: tarfile.TarFile, name: str) -> None:
    _add(archive, name, b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")


def _hard_link(archive: tarfile.TarFile, name: str) -> None:
    _add(archive, name, b"", type=tarfile.LNKTYPE, linkname="run.py")


def _device(archive: tarfile.TarFile, name: str) -> None:
    _add(archive, name, b"", type=tarfile.FIFOTYPE)


def _named(other: str) -> Callable[[tarfile.TarFile, str], None]:
    return lambda archive, name: _add(archive, other, b"x")


REFUSED: dict[str, dict[str, Any]] = {
    "a link": {"link": _link},
    "a hard link": {"link": _hard_link},
    "a pipe": {"pipe": _device},
    "a member above": {"x": _named("../x")},
    "an absolute member": {"x": _named("/tmp/x")},
    "a member twice": {"x": _named("run.py")},
    "names that differ in case": {"x": _named("RUN.py")},
    "a git folder": {"x": _named(".git/config")},
    "a git folder further in": {"x": _named("a/.git/hooks/x")},
    "a set-id program": {"x": lambda archive, name: _add(archive, name, b"x", mode=0o4755)},
}


@pytest.mark.parametrize("members", REFUSED.values(), ids=REFUSED)
def test_an_irregular_member_refuses_the_whole_archive(
    members: dict[str, Any], world: Any, amber: ModuleType, config: Path, tmp_path: Path
) -> None:
    with pytest.raises(TreeRefusedError, match="can't be installed"):
        _install(world, pack(tmp_path / "x.tar.gz", amber.manifest(), **members))
    assert not config.exists()


BROKEN: dict[str, tuple[Any, str]] = {
    "no manifest": (None, "holds no `manifest.json`"),
    "no JSON": (b"{", "can't be read"),
    "a list": ([], "its `id` is none"),
    "no ID": ({"id": None}, "its `id` is none"),
    "an ID that leads out": ({"id": "../x"}, "its `id` is none"),
    "an ID with a line end": ({"id": "a\n"}, "its `id` is none"),
    "another protocol": ({"protocol_version": 99}, "breaks amber's documented rules"),
    "a protocol that is text": ({"protocol_version": "1"}, "breaks amber's documented rules"),
    "a main that leads out": ({"main": "../x"}, "breaks amber's documented rules"),
    "a main that is not there": ({"main": "other"}, "breaks amber's documented rules"),
    "a main that is not executable": ({"main": "manifest.json"}, "breaks amber's documented rules"),
    "no version": ({"version": None}, "breaks amber's documented rules"),
}


@pytest.mark.parametrize(("fields", "why"), BROKEN.values(), ids=BROKEN)
def test_a_manifest_that_breaks_a_rule_refuses_and_leaves_nothing(
    fields: Any, why: str, world: Any, amber: ModuleType, config: Path, tmp_path: Path
) -> None:
    manifest = amber.manifest(**fields) if isinstance(fields, dict) else fields
    with pytest.raises(TreeRefusedError, match=why):
        _install(world, pack(tmp_path / "x.tar.gz", manifest))
    assert list(config.iterdir()) == [] if config.exists() else True


SOURCES: dict[str, tuple[str, str]] = {
    "http": ("http://example.invalid/x.tar.gz", "`http` is not https"),
    "ftp": ("ftp://example.invalid/x.tar.gz", "`ftp` is not https"),
    "file": ("file:///x.tar.gz", "`file` is not https"),
    "a zip": ("x.zip", "not a tar.gz archive"),
    "what is not there": ("gone.tar.gz", "no such file|cannot|can.t|missing"),
}


@pytest.mark.parametrize(("source", "why"), SOURCES.values(), ids=SOURCES)
def test_other_sources_are_refused(source: str, why: str, world: Any, config: Path) -> None:
    with pytest.raises(IntakeError, match=why):
        _install(world, source)


def test_an_account_without_a_home_has_no_place_to_install_to(
    world: Any, amber: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plugseal.verbs.user.home_of_user", lambda: "")
    with pytest.raises(IntakeError, match="has no home"):
        _install(world, pack(tmp_path / "x.tar.gz", amber.manifest()))


def test_a_bomb_is_refused(world: Any, config: Path, tmp_path: Path) -> None:
    (tmp_path / "x.tar.gz").write_bytes(gzip.compress(b"\0" * 40_000_000))
    with pytest.raises(PlugsealError):
        _install(world, tmp_path / "x.tar.gz")


def test_what_lies_there_is_not_replaced_unasked(world: Any, amber: ModuleType, config: Path, tmp_path: Path) -> None:
    archive = pack(tmp_path / "x.tar.gz", amber.manifest())
    _install(world, archive)
    with pytest.raises(RefusedTransitionError, match="installed already"):
        _install(world, archive)
    uninstall(find_amber("fake", world.store, workspace=world.workspace), world.store, workspace=world.workspace)
    (config / "fake").symlink_to(tmp_path)
    with pytest.raises(RefusedTransitionError, match="installed already"):
        _install(world, archive)


def test_a_replacement_is_off_and_keeps_the_settings(
    world: Any, amber: ModuleType, config: Path, tmp_path: Path
) -> None:
    _install(world, pack(tmp_path / "x.tar.gz", amber.manifest()))
    world.trust(config / "fake")
    change_overrides(world.store, world.subject(), lambda before: {**before, "greeting": "Hi"})
    newer = pack(tmp_path / "y.tar.gz", amber.manifest(version="2.0.0"))
    done = install(str(newer), world.store, workspace=world.workspace, replace=True)
    assert (done.version, done.had_trust) == ("2.0.0", True)
    assert sorted(path.name for path in config.iterdir()) == ["fake"]
    info = inform(find_amber("fake", world.store, workspace=world.workspace), world.store)
    assert (info.version, info.state) == ("2.0.0", "off: not trusted")
    assert read_overrides(world.store, world.subject()) == {"greeting": "Hi"}


def test_a_replacement_that_is_refused_leaves_what_is_there(
    world: Any, amber: ModuleType, config: Path, tmp_path: Path
) -> None:
    _install(world, pack(tmp_path / "x.tar.gz", amber.manifest()))
    world.trust(config / "fake")
    broken = pack(tmp_path / "y.tar.gz", amber.manifest(main="gone"))
    with pytest.raises(TreeRefusedError):
        install(str(broken), world.store, workspace=world.workspace, replace=True)
    assert world.store.read(world.subject()).standing.enabled
    assert inform(find_amber("fake", world.store, workspace=world.workspace), world.store).state == "on"


def test_a_replacement_that_fails_halfway_puts_back_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "file").write_text("old")
    with pytest.raises(OSError, match="gone"):
        _put(tmp_path / "gone", tmp_path / "old", aside=tmp_path / "aside")
    assert (tmp_path / "old" / "file").read_text() == "old"


def test_a_link_is_never_replaced(world: Any, amber: ModuleType, config: Path, tmp_path: Path) -> None:
    config.mkdir(parents=True)
    (config / "fake").symlink_to(tmp_path)
    with pytest.raises(RefusedTransitionError, match="installed already"):
        install(
            str(pack(tmp_path / "x.tar.gz", amber.manifest())), world.store, workspace=world.workspace, replace=True
        )


@pytest.mark.parametrize("state", ['{"fake": {"enabled": true}}', "{", "[]", '{"fake": 1}'])
def test_what_amber_itself_would_switch_on_at_once_is_not_installed(
    state: str, world: Any, amber: ModuleType, config: Path, tmp_path: Path
) -> None:
    config.mkdir(parents=True)
    (config / "state.json").write_text(state)
    with pytest.raises(RefusedTransitionError, match="would switch `fake` on at once"):
        _install(world, pack(tmp_path / "x.tar.gz", amber.manifest()))
    (config / "state.json").write_text('{"fake": {"enabled": false}, "other": {"enabled": true}}')
    _install(world, pack(tmp_path / "y.tar.gz", amber.manifest()))
    found = find_amber("fake", world.store, workspace=world.workspace)
    assert inform(found, world.store, workspace=world.workspace).around == ""
    (config / "state.json").write_text(state)
    assert "amber itself" in inform(found, world.store, workspace=world.workspace).around


def test_uninstalling_takes_trust_permission_and_settings_and_a_new_install_has_none(
    world: Any, amber: ModuleType, config: Path, tmp_path: Path
) -> None:
    archive = pack(tmp_path / "x.tar.gz", amber.manifest())
    _install(world, archive)
    world.trust(config / "fake")
    change_overrides(world.store, world.subject(), lambda before: {**before, "greeting": "Hi"})
    done = uninstall(find_amber("fake", world.store, workspace=world.workspace), world.store, workspace=world.workspace)
    assert (done.had_trust, list(config.iterdir())) == (True, [])
    standing = world.store.read(world.subject()).standing
    assert (standing.trust, standing.enabled) == (None, False)
    assert read_overrides(world.store, world.subject()) == {}
    _install(world, archive)
    found = find_amber("fake", world.store, workspace=world.workspace)
    assert inform(found, world.store).state == "off: not trusted"


def test_a_plugin_is_uninstalled_by_any_name_of_its_place(
    world: Any, amber: ModuleType, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in ("fake", ".", f"{config}/../plugins/fake"):
        path = amber.write_plugin(config / "fake", amber.manifest(), amber.script())
        monkeypatch.chdir(path)
        found = find_amber(word, world.store, workspace=world.workspace)
        uninstall(found, world.store, workspace=world.workspace)
        assert not path.exists(), word


def test_trust_that_was_left_by_a_folder_removed_by_hand_does_not_switch_on_what_is_installed(
    world: Any, amber: ModuleType, config: Path, tmp_path: Path
) -> None:
    archive = pack(tmp_path / "x.tar.gz", amber.manifest())
    _install(world, archive)
    world.trust(config / "fake")
    (config / "fake").rename(tmp_path / "aside")
    assert _install(world, archive).had_trust
    standing = world.store.read(world.subject()).standing
    assert (standing.trust, standing.enabled) == (None, False)


@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("workspace/.amber/plugins", "not in your own folder"),
        ("home/.local/share/amber/plugins", "system-shipped"),
        ("elsewhere", "not in your own folder"),
    ],
)
def test_what_is_shipped_or_lies_elsewhere_can_not_be_uninstalled(
    place: str, what: str, world: Any, amber: ModuleType, config: Path
) -> None:
    path = amber.write_plugin(world.root / place / "fake", amber.manifest(), amber.script())
    with pytest.raises(RefusedTransitionError, match=what):
        uninstall(Found(path, None), world.store, workspace=world.workspace)
    assert path.exists()


def test_a_system_shipped_plugin_can_not_be_uninstalled(world: Any, config: Path) -> None:
    with pytest.raises(RefusedTransitionError, match="system-shipped"):
        uninstall(Found(Path("/usr/share/amber/plugins/sysinfo"), None), world.store, workspace=world.workspace)


def test_a_link_in_the_users_folder_is_not_followed(world: Any, amber: ModuleType, config: Path) -> None:
    path = amber.write_plugin(world.root / "mine", amber.manifest(), amber.script())
    config.mkdir(parents=True)
    (config / "fake").symlink_to(path)
    with pytest.raises(RefusedTransitionError):
        uninstall(Found(config / "fake", None), world.store, workspace=world.workspace)
    assert path.exists()


def test_the_first_folder_wins_and_the_others_are_hidden(world: Any, amber: ModuleType, config: Path) -> None:
    for place in (world.workspace / ".amber" / "plugins", config, world.root / "home/.config/amber/plugins"):
        amber.write_plugin(place / "fake", amber.manifest(), amber.script())
    amber.write_plugin(config / "other", amber.manifest("other", version="latest"), amber.script())
    listed = [(one.id, one.origin, one.state) for one in list_amber(world.store, world.workspace)]
    assert listed[0] == ("fake", "user", "off: not trusted")
    assert listed[1][2].startswith("incompatible: ")
    assert listed[2:] == [("fake", "user", "hidden"), ("fake", "workspace", "hidden")]
    assert find_amber("fake", world.store, workspace=world.workspace).path == config / "fake"

"""The file of a configuration as `wrap` meets it: other names, other owners, other writers, other shapes."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import IntakeError, StateError
from plugseal.render.text import plain
from plugseal.render.wrap import render_wrapped
from plugseal.verbs.wrap import unwrap, wrap
from tests import gated

SERVER = '"command": "python3", "args": ["ROOT/server.py", "--flag"]'
CURSOR = '{"mcpServers": {"docs": {' + SERVER + '}, "web": {"url": "https://x.invalid"}}}'


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    return gated.World(tmp_path / "world").trust()


def _config(world: Any, tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / "client" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(text.replace("ROOT", str(world.source)).encode())
    return path


def test_a_configuration_with_another_name_is_left_and_said(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, "mcp.json", CURSOR)
    before = path.read_bytes()
    os.link(path, tmp_path / "other")
    with pytest.raises(IntakeError, match="another name"):
        wrap(path, world.store)
    assert path.read_bytes() == (tmp_path / "other").read_bytes() == before
    with pytest.raises(StateError, match="never wrapped"):
        unwrap(path, world.store)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write what is closed to writing")
def test_a_configuration_that_is_closed_to_writing_is_left(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, "mcp.json", CURSOR)
    path.chmod(0o444)
    before = path.read_bytes()
    with pytest.raises(IntakeError, match="closed to writing"):
        wrap(path, world.store)
    assert path.read_bytes() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_configuration_stays_its_owner_s(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, "mcp.json", CURSOR)
    os.chown(path, 65534, 65533)
    path.chmod(0o600)
    for change in (wrap, unwrap):
        change(path, world.store)
        found = path.stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (65534, 65533, 0o600)


@pytest.mark.parametrize("change", [wrap, unwrap])
def test_what_a_client_writes_meanwhile_is_not_lost(
    change: Any, world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _config(world, tmp_path, "mcp.json", CURSOR)
    if change is unwrap:
        wrap(path, world.store)
    real = os.fsync

    def slow(descriptor: int) -> None:
        real(descriptor)
        if os.readlink(f"/proc/self/fd/{descriptor}").startswith(str(path.parent)):
            path.write_text('{"theirs": 1}')

    monkeypatch.setattr(os, "fsync", slow)
    with pytest.raises(IntakeError, match="changed it meanwhile"):
        change(path, world.store)
    assert path.read_text() == '{"theirs": 1}'
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_what_could_not_be_written_needs_not_be_put_back(
    world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = _config(world, tmp_path, "mcp.json", CURSOR)
    before = path.read_bytes()
    with monkeypatch.context() as disk:
        disk.setattr(Path, "replace", full)
        with pytest.raises(IntakeError, match="no space left"):
            wrap(path, world.store)
    unwrap(path, world.store)
    assert path.read_bytes() == before
    assert wrap(path, world.store).wrapped


def test_servers_in_a_list_go_around_the_gate(world: Any, tmp_path: Path) -> None:
    text = '{"mcpServers": [{"name": "docs", ' + SERVER + '}, {"command": "x"}, {"url": "https://a.invalid"}]}'
    path = _config(world, tmp_path, "config.json", text)
    before = path.read_bytes()
    done = wrap(path, world.store)
    assert [name for name, _ in done.around] == ["docs", "1"]
    assert path.read_bytes() == before


def test_a_file_in_which_no_server_is_known_says_so(world: Any, tmp_path: Path) -> None:
    path = _config(world, tmp_path, "settings.json", '{"some.mcpServers": {"x": {"command": "x"}}}')
    done = wrap(path, world.store, check=True)
    rows = render_wrapped(done.path, wrapped=[], gated=[], around=done.around, before=done.before, after=done.after)
    text = "\n".join(map(plain, rows))
    assert "no server  under a key by which a client that is known names its own" in text

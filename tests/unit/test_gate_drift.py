"""What a refusal says of a source that is not what was trusted: which files, and only a few of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError
from tests import gated


@pytest.fixture
def world(tmp_path: Path) -> gated.World:
    return gated.World(tmp_path / "world", lib__a_dot_py="A = 1\n", lib__b_dot_py="B = 1\n").trust()


def _details(world: gated.World) -> tuple[str, ...]:
    with pytest.raises(RefusedError, match="content-drifted") as refused:
        world.grant()
    assert refused.value.details[0].startswith("trusted: ")
    return tuple(refused.value.details[1:])


def _link(source: Path) -> None:
    os.symlink("server.py", source / "link.py")


CHANGES: dict[str, tuple[Callable[[Path], Any], tuple[str, ...]]] = {
    "a changed byte": (lambda at: (at / "server.py").write_text("x = 1\n"), ("changed: server.py",)),
    "a new file": (lambda at: (at / "lib" / "c.py").write_text(""), ("added: lib/c.py",)),
    "a new link": (_link, ("added: link.py",)),
    "a file that is gone": (lambda at: (at / "lib" / "b.py").unlink(), ("removed: lib/b.py",)),
    "a mode": (lambda at: (at / "lib" / "a.py").chmod(0o755), ("changed: lib/a.py (may now be executed)",)),
    "a renamed file": (
        lambda at: (at / "lib" / "a.py").rename(at / "lib" / "z.py"),
        ("removed: lib/a.py", "added: lib/z.py"),
    ),
    "many new ones": (
        lambda at: [(at / f"n{number:02d}").write_text("") for number in range(30)],
        ("added: n00", "added: n01", "added: n02", "added: n03", "added: n04", "and 25 more"),
    ),
}


@pytest.mark.parametrize(("change", "told"), CHANGES.values(), ids=CHANGES)
def test_a_refusal_names_what_drifted(change: Callable[[Path], Any], told: tuple[str, ...], world: gated.World) -> None:
    change(world.source)
    assert _details(world) == told


def test_what_can_not_be_read_again_is_not_named(world: gated.World, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.source / "server.py").write_text("x = 1\n")

    def fails(*_: object) -> None:
        from plugseal.errors import IntakeError

        raise IntakeError("it is gone")

    monkeypatch.setattr("plugseal.runtime.drifted.read_source", fails)
    assert _details(world) == ()

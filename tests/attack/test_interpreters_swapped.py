"""What the kernel starts for a script is as outside as the script: swapped since trust, it starts nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.plan import Places, Plan, build_plan
from plugseal.trust.programs import HEAD_BYTES, shebang_names
from tests import gated

_PLACES = Places("/h", "/t", "/p", "/d")
NAMES = {
    "an interpreter": (b"#!/bin/sh\n", ("/bin/sh",)),
    "with an argument": (b"#! \t/bin/sh -e \t\nx", ("/bin/sh",)),
    "what env looks for": (b"#!/usr/bin/env python3\n", ("/usr/bin/env", "python3")),
    "two words for env, which it takes for one": (b"#!/usr/bin/env python3 -u\n", ("/usr/bin/env", "python3 -u")),
    "words for env": (b"#!/usr/bin/env -S python3 -u\n", ("/usr/bin/env", "python3")),
    "words for env, without a blank": (b"#!/usr/bin/env -Spython3 -u\n", ("/usr/bin/env", "python3")),
    "words for env, in words": (b"#!/usr/bin/env --split-string=uv run\n", ("/usr/bin/env", "uv")),
    "a variable before it": (b"#!/usr/bin/env -S A=1 B_2=x node --flag\n", ("/usr/bin/env", "node")),
    "a search path before it": (b"#!/usr/bin/env -S PATH=/x node\n", ("/usr/bin/env", "-S PATH=/x node")),
    "a library before it": (b"#!/usr/bin/env -S LD_PRELOAD=/x node\n", ("/usr/bin/env", "-S LD_PRELOAD=/x node")),
    "an option of env": (b"#!/usr/bin/env -i node\n", ("/usr/bin/env", "-i node")),
    "an option between the words": (b"#!/usr/bin/env -S -u PATH node\n", ("/usr/bin/env", "-S -u PATH node")),
    "a quoted word": (b'#!/usr/bin/env -S "a" node\n', ("/usr/bin/env", '-S "a" node')),
    "a variable's value": (b"#!/usr/bin/env -S ${A} node\n", ("/usr/bin/env", "-S ${A} node")),
    "nothing but variables": (b"#!/usr/bin/env -S A=1\n", ("/usr/bin/env", "-S A=1")),
    "a blank that is none to the kernel": ("#!/opt/a\u00a0b/sh\n".encode(), ("/opt/a\u00a0b/sh",)),
    "a carriage return": (b"#!/bin/sh\r\n", ("/bin/sh\r",)),
    "a NUL": (b"#!/bin/sh\0 x\n", ("/bin/sh",)),
    "nothing": (b"#! \t\n", ()),
    "no script": (b"\x7fELF", ()),
    "a line longer than the kernel's": (b"#!/usr/bin/env " + b"x" * 300 + b"\n", ("/usr/bin/env", "x" * 240)),
}


@pytest.mark.parametrize(("head", "names"), NAMES.values(), ids=list(NAMES))
def test_a_first_line_names_what_the_kernel_starts(head: bytes, names: tuple[str, ...]) -> None:
    assert shebang_names(head[:HEAD_BYTES]) == names


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.chdir("/usr")
    return folder


def _script(path: Path, first: str) -> None:
    path.write_text(f"{first}\n")
    path.chmod(0o755)


def _world(tmp_path: Path, command: str, first: str = "") -> gated.World:
    world = gated.World(tmp_path / "w" / "w", {"main": {"type": "stdio", "command": command, "args": []}})
    if first:
        _script(world.source / "run.py", first)
    return world.trust()


def _plan(world: gated.World) -> Plan:
    return build_plan(world.grant(), dict(os.environ), _PLACES)


def _reason(world: gated.World) -> str:
    with pytest.raises(RefusedError) as found:
        _plan(world)
    return found.value.reason


def test_the_interpreter_of_a_program_outside_is_the_one_of_the_trust(tools: Path, tmp_path: Path) -> None:
    _script(tools / "tool", "#!/usr/bin/env mine")
    shutil.copy("/bin/true", tools / "mine")
    world = _world(tmp_path, "tool")
    assert _plan(world).program == str(tools / "tool")

    shutil.copy("/bin/false", tools / "mine")

    assert _reason(world) == "program-changed"


def test_an_interpreter_that_is_a_script_itself_is_followed(tools: Path, tmp_path: Path) -> None:
    _script(tools / "tool", f"#!{tools}/first")
    _script(tools / "first", f"#!{tools}/second -x")
    shutil.copy("/bin/true", tools / "second")
    world = _world(tmp_path, "tool")
    assert _plan(world)

    shutil.copy("/bin/false", tools / "second")

    assert _reason(world) == "program-changed"


def test_scripts_that_interpret_each_other_end(tools: Path, tmp_path: Path) -> None:
    _script(tools / "tool", f"#!{tools}/other")
    _script(tools / "other", f"#!{tools}/tool")
    assert _reason(_world(tmp_path, "tool")) == "program-missing"


@pytest.mark.parametrize("command", ["tool", "./run.py"])
def test_a_name_that_leads_to_another_interpreter_by_now_starts_nothing(
    command: str, tools: Path, tmp_path: Path
) -> None:
    (tools / "link").symlink_to("/bin/true")
    _script(tools / "tool", f"#!{tools}/link")
    world = _world(tmp_path, command, f"#!{tools}/link")
    assert _plan(world)

    (tools / "link").unlink()
    (tools / "link").symlink_to("/bin/false")

    assert _reason(world) == "program-changed"


@pytest.mark.parametrize("words", ["PATH=/tmp/x sh", "LD_PRELOAD=/tmp/x.so sh", "-u PATH sh", '"sh"'])
def test_what_env_would_start_is_known_or_nothing_starts(words: str, tools: Path, tmp_path: Path) -> None:
    assert _reason(_world(tmp_path, "./run.py", f"#!/usr/bin/env -S {words}")) == "program-missing"
    assert _plan(_world(tmp_path / "2", "./run.py", "#!/usr/bin/env -S A=1 sh"))


def test_the_programs_of_the_trust_are_found_before_what_stands_beside_the_one_that_starts(
    tools: Path, tmp_path: Path
) -> None:
    shutil.copy("/bin/true", tools / "tool")
    first, second = _plan(_world(tmp_path, "tool")).environment["PATH"].split(":")[:2]
    assert (first, second) == (_PLACES.programs, str(tools))

"""The pages of Coding's plugins: the code of the guide runs, what the reference promises is what the code has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plugseal.runtime.coding import arguments, calls, checks, execution, inflight, load, wire
from plugseal.runtime.coding.execution import Patience
from plugseal.runtime.limits import MIB, Limits
from tests.coding_plugins import World

ROOT = Path(__file__).parents[2]

STDIO = (ROOT / "docs/reference/coding-stdio.md").read_text("utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_the_snippet_of_the_guide_calls_two_tools_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    world = World(tmp_path / "world")
    source = world.root / "workbench"
    shutil.copytree(ROOT / "fixtures/coding/workbench", source)
    plugin = world.trust(source)
    snippet = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/coding.md").read_text("utf-8"), re.DOTALL)[0]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_text("1\n2\n")
    ran = subprocess.run(
        [sys.executable, "-I", "-c", f"PLUGIN, FOLDER = {plugin!r}, {str(tmp_path / 'folder')!r}\n{snippet}"],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(world.store.home)},
        cwd="/usr",
        timeout=60,
    )
    assert ran.stdout == "{'a': 2} success\n", ran.stderr
    assert world.runs() == ["started", "ended"]


def test_the_supervisor_of_the_guide_is_held_to_the_contract() -> None:
    snippet = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/coding.md").read_text("utf-8"), re.DOTALL)[1]
    ran = subprocess.run([sys.executable, "-I", "-c", snippet], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "3\narguments_invalid\n", ran.stderr


def test_the_page_of_the_transport_names_every_code_and_every_keyword() -> None:
    codes = {
        value
        for module in (calls, checks, execution, load)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str) and "_" in value
    }
    assert len(codes) >= 9
    assert [code for code in sorted(codes) if f"`{code}`" not in STDIO] == []
    for name in set(arguments._KEYWORDS) - {
        key for key in arguments._KEYWORDS if key.startswith(("min", "max", "excl"))
    }:
        assert f"`{name}`" in STDIO, name


def test_the_page_of_the_transport_names_the_limits() -> None:
    patience = Patience()
    assert f"| a line in either direction | {Limits().line_bytes // MIB} MiB;" in STDIO
    assert f"| `initialize`, `listTools` | {patience.start:.0f} seconds each |" in STDIO
    assert f"| a call without a sign | {patience.silence:.0f} seconds" in STDIO
    assert f"| from `cancel` to the end | {patience.cancel:.0f} seconds |" in STDIO
    assert f"{wire.MAX_TOOLS:,}; {wire.MAX_CONTENTS:,}" in STDIO
    assert f"more than {inflight._MAX_DROPPED:,} end the process" in STDIO

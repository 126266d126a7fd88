"""What runs of a plugin of Amness is what was reviewed, by the program of the trust, as long as it is permitted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.reaper import descendants
from tests import amness_world as amness

_HANG_SECONDS = 60


pytestmark = amness.needs_node


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir("/usr")
    monkeypatch.setattr("plugseal.verbs.amness.find.home_of_user", lambda: str(tmp_path / "home"))
    return amness.World(tmp_path)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param('await import("/etc/hostname.mjs");', "", id="an absolute path that is not there"),
        pytest.param('await import("file://" + process.env.HOME + "/../x.mjs");', "", id="beside the home"),
        pytest.param('await import("{outside}");', "lies outside the reviewed plugin", id="a file beside the copy"),
        pytest.param('await import("../outside.mjs");', "", id="a folder above"),
        pytest.param(
            'const { createRequire } = await import("node:module"); createRequire(import.meta.url)("{script}");',
            "lies outside the reviewed plugin",
            id="by require",
        ),
        pytest.param('await import("left-pad");', "", id="a package"),
    ],
)
def test_nothing_outside_the_reviewed_folder_is_imported(world: Any, tmp_path: Path, line: str, why: str) -> None:
    outside, marker = tmp_path / "outside.mjs", tmp_path / "marker"
    outside.write_text(f'import {{ writeFileSync }} from "node:fs"; writeFileSync("{marker}", "ran");')
    script = tmp_path / "script.cjs"
    script.write_text(f'require("node:fs").writeFileSync("{marker}", "ran");')
    line = line.replace("{outside}", str(outside)).replace("{script}", str(script))
    text = f'export default {{ name: "p", route: async () => {{ {line} return "ran"; }} }};'
    world.write("p.js", text)
    if "../" in text:
        world.trust_folder("p")
    else:
        world.trust("p.js")
    with world.host() as host:
        made = host.route({})
        assert made.value is None
        assert why in made.warnings[0]
    assert not marker.exists()


def test_a_state_folder_behind_a_link_is_as_good_as_any(world: Any, tmp_path: Path) -> None:
    from plugseal.trust.store import Store

    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    world.store = Store(tmp_path / "linked" / "state")
    world.write("lib/lib.js", "export const word = 'fine';")
    world.write(
        "p.ts", 'import { word } from "./lib/lib.js"; export default { name: "p", status: (): string => word };'
    )
    world.trust_folder("p")
    with world.host() as host:
        assert host.status() == ["p: fine"]


def test_an_edited_byte_of_what_was_made_of_the_copy_is_refused(world: Any) -> None:
    plugin = world.trust("p.ts", 'export default { name: "p", status: (): string => "fine" };')
    (record,) = world.store.records()
    derived = Path(world.store.home) / "derived" / record.standing.trust.derived / "p.ts"
    derived.chmod(0o600)
    derived.write_text('export default { name: "p", status: () => "evil" };')
    derived.chmod(0o400)
    with world.host(load=False) as host:
        (skipped,) = world.load(host)
        assert "stage-damaged" in skipped.reason
    assert world.events(plugin) == ["refused"]


def test_another_node_than_the_one_at_trust_is_refused(
    world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir(mode=0o755)
    node = programs / "node"
    node.write_text(f'#!/bin/sh\nexec {shutil.which("node")} "$@"\n')
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    plugin = world.trust("p.js", 'export default { name: "p", status: () => "fine" };')
    with world.host() as host:
        assert host.status() == ["p: fine"]
        node.write_text(node.read_text() + "# another\n")
        (skipped,) = world.load(host)
        assert "program-changed" in skipped.reason
        node.unlink()
        (skipped,) = world.load(host)
        assert "program-missing" in skipped.reason
    assert world.events(plugin)[-1] == "refused"


def test_a_removed_or_replaced_derived_folder_is_refused(world: Any) -> None:
    world.trust("p.ts", 'export default { name: "p", status: (): string => "fine" };')
    (record,) = world.store.records()
    derived = Path(world.store.home) / "derived" / record.standing.trust.derived
    derived.rename(derived.with_name("aside"))
    derived.symlink_to(derived.with_name("aside"))
    with world.host(load=False) as host:
        (skipped,) = world.load(host)
        assert "stage-damaged" in skipped.reason


def test_packages_above_what_was_made_of_the_copy_are_refused(world: Any) -> None:
    world.trust("p.ts", 'export default { name: "p", status: (): string => "fine" };')
    (Path(world.store.home) / "derived" / "node_modules").mkdir()
    with world.host(load=False) as host:
        (skipped,) = world.load(host)
        assert "stage-damaged" in skipped.reason


def test_a_revocation_in_flight_is_an_error_and_leaves_no_descendant(world: Any) -> None:
    text = """\
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
export default {
  name: "p",
  tools: [{ name: "wait", run: async () => {
    spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).unref();
    writeFileSync("waiting", "");
    await new Promise(() => setInterval(() => {}, 1000));
  } }],
};
"""
    plugin = world.trust("p.js", text)
    mark = world.workspace / "waiting"
    code = f"""
import sys, time
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import amness_world
from plugseal.trust.store import Store
world = amness_world.World.__new__(amness_world.World)
world.store = Store(Path({str(world.store.home)!r}))
for _ in range(600):
    if Path({str(mark)!r}).exists():
        break
    time.sleep(0.05)
world.revoke({plugin!r})
"""
    revoker = subprocess.Popen([sys.executable, "-c", code], cwd="/usr")
    with world.host() as host:
        began = time.monotonic()
        with pytest.raises(RefusedError) as refused:
            host.call_tool("wait", {})
        assert refused.value.reason == "revoked-meanwhile"
        assert time.monotonic() - began < _HANG_SECONDS
        assert host.plugins == ()
        assert [pid for pid in descendants(os.getpid()) if pid != revoker.pid] == []
    assert revoker.wait(_HANG_SECONDS) == 0
    assert world.events(plugin) == ["started", "stopped"]


def test_a_plugin_whose_permission_goes_while_nothing_is_asked_is_ended(world: Any) -> None:
    first = world.trust("a.js", 'export default { name: "a", status: () => "a" };')
    world.trust("b.js", 'export default { name: "b", status: () => "b" };')
    with world.host() as host:
        assert host.status() == ["a: a", "b: b"]
        world.revoke(first)
        until = time.monotonic() + _HANG_SECONDS
        ended: list[Any] = []
        while not ended and time.monotonic() < until:
            ended = host.loader.look()
        assert [(one.name, "revoked-meanwhile" in why) for one, why in ended] == [("a", True)]
        assert host.status() == ["b: b"]


def test_the_files_of_a_case_stay_in_its_workspace(world: Any, tmp_path: Path) -> None:
    text = """\
export default {
  name: "p",
  cases: [
    { name: "up", files: { "../../../../escaped": "x" }, check: () => "no" },
    { name: "absolute", files: { "ESCAPED": "x" }, check: () => "no" },
  ],
};
""".replace("ESCAPED", str(tmp_path / "escaped"))
    world.write("p.js", text)
    world.trust_folder("p")
    from plugseal.runtime.amness.selftest import run_selftest

    with world.host() as host:
        assert [(one.outcome, "leads out" in one.why) for one in run_selftest(host.plugins)] == [("unsound", True)] * 2
    assert not (tmp_path / "escaped").exists()

"""Packages above the staged copy: who may load them is refused, and what is known not to look there starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.ancestors import looks_above
from plugseal.runtime.approved import Approved
from tests import gated

PROGRAMS = (("python3", "/usr/bin/python3.11", "d"), ("node", "/usr/bin/node", "d"), ("python", "/opt/evil/node", "d"))


def _component(*command: str, shell: bool = False, entry: str | None = None) -> Approved:
    return Approved(
        "server", "main", "stdio", command, shell, None, (), (), None, (), entry, "start", ()
    )  # the rest is empty


@pytest.mark.parametrize(
    ("component", "capabilities", "looks"),
    [
        pytest.param(_component("python3", "server.py"), set(), False, id="Python"),
        pytest.param(_component("python3", "-m", "server"), {("net.outbound", None)}, False, id="Python that talks"),
        pytest.param(
            _component("python3", "s.py"), {("process.exec", "python3")}, False, id="Python that starts Python"
        ),
        pytest.param(_component("python3", "s.py"), {("process.exec", "node")}, True, id="Python that starts Node"),
        pytest.param(_component("python3", "s.py"), {("process.exec", None)}, True, id="Python that starts what"),
        pytest.param(_component("python3", "s.py"), {("process.shell", "ls")}, True, id="Python with a shell"),
        pytest.param(_component("node", "s.js"), set(), True, id="Node"),
        pytest.param(_component("bun", "s.ts"), set(), True, id="what is not known"),
        pytest.param(_component("python", "s.js"), set(), True, id="Node that is called Python"),
        pytest.param(_component("python3.9", "s.py"), set(), True, id="a Python that was not there at trust"),
        pytest.param(_component("env", "python3", "s.py"), set(), True, id="another program before it"),
        pytest.param(_component("python3 s.py", shell=True), set(), True, id="a line for a shell"),
        pytest.param(_component(entry="run.sh"), set(), True, id="a file of the plugin"),
        pytest.param(_component(), set(), False, id="nothing that starts"),
    ],
)
def test_who_may_load_from_above_the_copy_is_told(
    component: Approved, capabilities: set[tuple[str, str | None]], looks: bool
) -> None:
    assert looks_above(component, PROGRAMS, capabilities) is looks


def test_packages_above_the_state_folder_stop_what_may_load_them_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    servers = {
        "main": gated.DEFAULT["main"],
        "other": {"type": "stdio", "command": "sh", "args": ["${PLUGIN_ROOT}/server.py"]},
    }
    world = gated.World(tmp_path / "world", servers).trust()
    assert world.grant("server:other")
    (tmp_path / "node_modules").mkdir()
    assert world.grant("server:main").component.name == "main"
    with pytest.raises(RefusedError) as refused:
        world.grant("server:other")
    assert refused.value.reason == "unbound-code"
    assert str(tmp_path / "node_modules") in str(refused.value.place)
    with pytest.raises(RefusedError):
        world.gate.admit(world.id)

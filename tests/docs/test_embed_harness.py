"""The harness of the guide, as it stands there, runs one plugin of each of the five systems, each on real files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from plugseal.trust.store import Store
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import enable, revoke, trust
from tests.materialise import materialise

ROOT = Path(__file__).parents[2]

PAGE = (ROOT / "docs/guide/embed.md").read_text("utf-8")
HARNESS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[-1]
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs Node"),
]


class Placed(NamedTuple):
    """Where a plugin lies in the workspace, and which of its files does the work."""

    fixture: str
    folder: str
    plugin: str
    file: str


PLACED = {
    "amber": Placed("amber/workdesk", ".amber/plugins/workdesk", "", "workdesk.py"),
    "coding": Placed("coding/workbench", "plugins/bench", "", "workbench.py"),
    "codewhale": Placed("codewhale/desk", "", ".codewhale/plugins/notes", "server/desk.py"),
    "agent-plugins": Placed("agent-plugins/workbench", "plugins/notes", "", "server.py"),
    "amness": Placed("amness/changelog", "", ".amness/plugins/changelog.ts", ""),
}


class World:
    """A workspace with a plugin of each system, trusted and enabled."""

    def __init__(self, root: Path) -> None:
        self.workspace = root / "workspace"
        self.store = Store(root / "state")
        self.sources: dict[str, Path] = {}
        self.ids: dict[str, str] = {}
        for system, placed in PLACED.items():
            materialise(ROOT / "fixtures" / placed.fixture, self.workspace / placed.folder)
            source = self.workspace / placed.folder / placed.plugin
            found = look(Selection(source), system=system)
            assert found.report.token is not None
            trust(found, found.report.token, self.store)
            enable(found, self.store)
            self.sources[system] = source / placed.file if placed.file else source
            self.ids[system] = found.id
        (self.workspace / "CHANGELOG.md").write_text("## Unreleased\n")
        (self.workspace / "notes").mkdir()

    def calls(self) -> list[list[Any]]:
        """Return one call for each system."""
        notes = str(self.workspace / "notes")
        return [
            ["amber", "workdesk", "write", {"path": "notes/amber", "content": "by amber"}],
            ["coding", self.ids["coding"], "write_note", {"folder": notes, "name": "coding", "text": "by coding"}],
            ["codewhale", "plugin-5-notes-desk", "save", {"folder": notes, "name": "codewhale", "text": "by it"}],
            ["agent-plugins", self.ids["agent-plugins"], "write_note", {"text": "by agent-plugins"}],
            ["amness", "changelog", "changelog_add", {"line": "by amness"}],
        ]

    def run(self) -> list[str]:
        """Return what the harness answers to each call."""
        ran = subprocess.run(
            [sys.executable, "-I", "-c", HARNESS, str(self.workspace)],
            input="".join(json.dumps(call) + "\n" for call in self.calls()),
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", "PLUGSEAL_HOME": str(self.store.home)},
            cwd="/usr",
            timeout=120,
        )
        answers = [json.loads(line)[1] for line in ran.stdout.splitlines()]
        assert len(answers) == len(PLACED), ran.stderr
        return answers


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir("/usr")
    return World(tmp_path)


def test_the_harness_of_the_guide_has_sixty_lines() -> None:
    assert len([line for line in HARNESS.splitlines() if line.strip()]) <= 60


def test_the_harness_runs_one_plugin_of_each_system_on_files(world: World) -> None:
    answers = world.run()
    assert [answer for answer in answers if "refused" in answer or "ERROR" in answer] == []
    notes = world.workspace / "notes"
    assert sorted(path.name.partition(".")[0] for path in notes.iterdir()) == ["amber", "codewhale", "coding"]
    assert "- by amness" in (world.workspace / "CHANGELOG.md").read_text()
    (kept,) = (world.store.home / "data").glob("*/note")
    assert kept.read_text() == "by agent-plugins\n"


def test_an_edited_byte_refuses_each_and_the_restored_one_runs(world: World) -> None:
    before = {source: source.read_bytes() for source in world.sources.values()}
    for source, data in before.items():
        source.write_bytes(data + b"\n")
    assert [bool(re.search(r"refused|ERROR", answer)) for answer in world.run()] == [True] * 5
    assert list((world.workspace / "notes").iterdir()) == []
    for source, data in before.items():
        source.write_bytes(data)
    assert [answer for answer in world.run() if "refused" in answer or "ERROR" in answer] == []


def test_a_revoked_plugin_is_refused_whichever_host_asks(world: World) -> None:
    for record in list(world.store.records()):
        revoke(record, world.store)  # type: ignore[arg-type]  # none is broken
    assert [bool(re.search(r"refused|ERROR", answer)) for answer in world.run()] == [True] * 5
    assert list((world.workspace / "notes").iterdir()) == []

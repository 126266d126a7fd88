"""A world for tests of Amness's runtime: a project with plugins, trusted and enabled by the verbs, and a host."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from plugseal.model.identity import subject_id
from plugseal.model.look import Look
from plugseal.model.policy import GatePolicy
from plugseal.runtime.amness.host import Host
from plugseal.runtime.amness.loading import Loader, Skipped
from plugseal.runtime.limits import Limits
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.amness.find import find_amness, project_commands
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import enable, revoke, trust

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


class Chat:
    """Remember what was said and asked."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.asked: list[tuple[str, str]] = []

    def say(self, plugin: str, text: str) -> None:
        """Remember."""
        self.said.append((plugin, text))

    def ask(self, plugin: str, text: str) -> object:
        """Remember, and answer."""
        self.asked.append((plugin, text))
        return "done"


class World:
    """One project, its plugins and its state."""

    def __init__(self, root: Path) -> None:
        self.workspace = root / "project"
        self.folder = self.workspace / ".amness" / "plugins"
        self.folder.mkdir(parents=True)
        self.store = Store(root / "state")
        self.chat = Chat()
        self.told: list[str] = []

    def write(self, name: str, text: str) -> Path:
        """Write a file of the project's folder of plugins."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def trust(self, name: str, text: str | None = None, *, enabled: bool = True) -> str:
        """Trust a plugin file as it is now, and return its ID."""
        path = self.folder / name if text is None else self.write(name, text)
        found = look(Selection(path), system="amness")
        return self._trust(found, enabled=enabled)

    def trust_folder(self, name: str) -> str:
        """Trust the plugin of a name whose unit is the whole folder, and return its ID."""
        return self._trust(look(Selection(self.folder, "amness", name)), enabled=True)

    def _trust(self, found: Look, *, enabled: bool) -> str:
        assert found.report.token is not None
        trust(found, found.report.token, self.store)
        if enabled:
            enable(found, self.store)
        return found.id

    def revoke(self, plugin: str) -> None:
        """Take the trust in a plugin."""
        record = next(one for one in self.store.records() if subject_id(one.subject) == plugin)  # type: ignore[union-attr]  # sound
        revoke(record, self.store)  # type: ignore[arg-type]  # sound

    def load(self, host: Host, **words: Any) -> list[Skipped]:
        """Load everything anew, and return what was skipped."""
        host.loader.close()
        found = find_amness(self.workspace, self.store, trust_project=True, **words)
        skipped, warnings = host.loader.load(found.candidates)
        self.told += warnings
        return [*found.skipped, *skipped]

    @contextmanager
    def host(self, *, load: bool = True, limits: Limits | None = None) -> Iterator[Host]:
        """Yield a host, with its plugins loaded."""
        supervisor = Supervisor(self.store, name=subject_id, by=current_actor(), policy=GatePolicy())
        loader = Loader(supervisor, cwd=self.workspace, tell=self.told.append, limits=limits or Limits())
        commands = project_commands(self.workspace)
        with Host(loader, cwd=self.workspace, chat=self.chat, project_commands=commands) as host:
            if load:
                skipped = self.load(host)
                assert skipped == [], skipped
            yield host

    def events(self, plugin: str) -> list[str]:
        """Return the events of a plugin's runs."""
        record = next(one for one in self.store.records() if subject_id(one.subject) == plugin)  # type: ignore[union-attr]  # sound
        return [str(entry["event"]) for entry in self.store.runs(record.subject).trail.tail]  # type: ignore[union-attr]  # sound


def plugin(body: str, *, name: str = "p", before: str = "") -> str:
    """Return the text of a plugin with these contributions."""
    return f'{before}\nexport default {{\n  name: "{name}",\n{body}\n}};\n'


Answers = Callable[[str, dict[str, Any]], Any]

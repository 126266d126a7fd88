"""An agent of lingtai with its packages, its state folder, and the ceremony by the verbs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from plugseal.model.lingtai import Refreshed
from plugseal.trust.store import Store
from plugseal.verbs.lingtai.agent import read_info, read_section, refresh
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.trust import enable, trust

PLUGIN_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
MCP_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
SKILL = "---\nname: {name}\ndescription: A skill.\n---\n"

SERVER = (Path(__file__).parents[1] / "fixtures/agent-plugins/workbench/server.py").read_text("utf-8")
"""Its tools read, write, hang, die, or show what it was given, by the beginning of their names."""


def stdio(command: str, *words: str, **more: object) -> dict[str, object]:
    """Return a server of `mcp.json`."""
    return {"type": "stdio", "command": command, "args": list(words), **more}


def tools(*names: str) -> dict[str, object]:
    """Return a server that offers tools of these names."""
    return stdio("python3", "${PLUGIN_ROOT}/server.py", ",".join(names))


class Agent:
    """One agent below a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "agent"
        self.folder.mkdir(parents=True)
        self.store = Store(root / "state")
        self.init: dict[str, Any] = {"manifest": {"plugins": []}}

    def plugin(self, name: str, servers: object = None, *, below: str = "plugins", **manifest: object) -> Path:
        """Write a package and return its folder."""
        folder = self.root / below / name
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "plugin.json", {"$schema": PLUGIN_SCHEMA, "name": name, **manifest})
        if servers is not None:
            write_json(folder / "mcp.json", {"$schema": MCP_SCHEMA, "mcpServers": servers})
            (folder / "server.py").write_text(SERVER)
        return folder

    def skill(self, plugin: Path, label: str) -> Path:
        """Write a skill of a package."""
        folder = plugin / "skills" / label
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=folder.name))
        return folder

    def declare(self, *paths: object) -> Agent:
        """Declare packages, those and no others."""
        self.init["manifest"]["plugins"] = [str(path) if isinstance(path, Path) else path for path in paths]
        return self.write_init()

    def activate(self, **entries: object) -> Agent:
        """Activate servers, those and no others."""
        self.init["mcp"] = entries
        return self.write_init()

    def activate_all(self) -> Agent:
        """Activate every registered server as its record says."""
        rows = [row for row in self.records() if row["source"].startswith("plugin:")]
        keys = ("command", "args", "cwd", "env", "url", "headers")
        return self.activate(
            **{row["name"]: {"type": row["transport"], **{k: row[k] for k in keys if k in row}} for row in rows}
        )

    def write_init(self) -> Agent:
        """Write the configuration."""
        write_json(self.folder / "init.json", self.init)
        return self

    def refresh(self, **how: bool) -> Refreshed:
        """Register."""
        return refresh(self.folder, self.store, **how)

    def info(self) -> dict[str, Any]:
        """Ask what is there."""
        return read_info(self.folder, self.store)

    def section(self) -> str:
        """Return the section of the prompt."""
        return read_section(self.folder, self.store)

    @property
    def registry(self) -> Path:
        """Return the registry's path."""
        return self.folder / "mcp_registry.jsonl"

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the registry."""
        if not self.registry.exists():
            return []
        return [json.loads(line) for line in self.registry.read_text().split("\n") if line]

    def trust(self, folder: Path, *, enabled: bool = True) -> str:
        """Trust a package as it is now, and return its ID."""
        found = look(Selection(folder), system="agent-plugins")
        assert found.report.token is not None
        trust(found, found.report.token, self.store)
        if enabled:
            enable(found, self.store)
        return found.id

    def ready(self, *folders: Path) -> Agent:
        """Declare, register, activate, trust and enable packages."""
        self.declare(*folders).refresh()
        self.activate_all()
        for folder in folders:
            self.trust(folder)
        return self


def write_json(path: Path, value: object) -> None:
    """Write a document."""
    path.write_text(json.dumps(value), "utf-8")

"""Qwen Code: extensions (`qwen-extension.json`), and the `.qwen` of a working folder.

It is Gemini's command line under another name: extensions differ in few keys, settings in more.

See: https://qwenlm.github.io/qwen-code-docs/en/users/extension/introduction
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, Plugin
from plugseal.systems.clients.settled import documents_at, model_addresses
from plugseal.systems.clients.tables import QWEN as ROLES
from plugseal.systems.components.folders import FolderClient, Layout, Settings
from plugseal.systems.gemini.extension import QWEN, describe_extension
from plugseal.systems.gemini.parts import commands_at
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing

_LAYOUT: Final = Layout(
    folder=".qwen",
    instructions=("rules", "output-styles"),
    commands=("commands",),
    agents=("agents",),
    settings=(Settings(".qwen/settings.json", ROLES, servers="mcpServers", hooks="hooks"),),
    gate="folder trust, which is off by default",
)


class Qwen:
    """Extensions and configuration of Qwen Code."""

    name = "qwen"

    def __init__(self) -> None:
        """Take the layout of the folder."""
        self._folders = FolderClient(self.name, _LAYOUT, _more)

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, context files, commands, agents and skills, and what stands in `.qwen`."""
        *folders, name = path.split("/")
        if name in (QWEN.manifest, QWEN.context, "SKILL.md", "hooks.json"):
            return True
        is_part = name.endswith((".md", ".toml")) and not {"commands", "agents"}.isdisjoint(folders)
        return is_part or self._folders.keeps(path)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every extension and configuration."""
        for root in folders_with(listing, QWEN.manifest):
            yield describe_extension(PluginReader(listing, root), QWEN)
        yield from self._folders.discover(listing)


def _more(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Yield the models at addresses of their own, and commands of the older kind."""
    yield from commands_at(reader, f"{folder}/commands")
    for document in documents_at(reader, (f"{folder}/settings.json",)):
        for name in reader.table(document, ("modelProviders",)):
            yield from model_addresses(document, ("modelProviders", name), "baseUrl")

"""Gemini CLI: extensions (`gemini-extension.json`), and the `.gemini` of a working folder, each a unit of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.plugin import SKILL_FILE, Plugin
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing

_MANIFEST: Final = "gemini-extension.json"
_FOLDER: Final = ".gemini"
_READ: Final = frozenset({"settings.json", "config.yaml", ".env", "commands", "agents", "policies", "system.md"})
"""What Gemini reads in `.gemini` besides skills, which are units of their own."""


class Gemini:
    """Extensions and configuration of the Gemini CLI."""

    name = "gemini"

    def keeps(self, path: str) -> bool:
        """Keep manifests, hooks, context files, commands, policies, agents, skills, and the settings of folders."""
        *folders, name = path.split("/")
        if name in (_MANIFEST, SKILL_FILE):
            return True
        if name.endswith(".toml"):
            return "commands" in folders or "policies" in folders
        if name.endswith(".md"):
            return "agents" in folders or len(folders) < 2 or (name.isupper() or "gemini" in name.lower())
        if folders[-1:] == [_FOLDER]:
            return name in _READ
        return name == "hooks.json" and folders[-1:] == ["hooks"]

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every extension and configuration."""
        for root in folders_with(listing, _MANIFEST):
            from plugseal.systems.gemini.extension import describe_extension

            yield describe_extension(PluginReader(listing, root))
        for root in folders_with(listing, _FOLDER):
            reader = PluginReader(listing, root)
            if reader.is_directory(_FOLDER) and not _READ.isdisjoint(reader.names(_FOLDER)):
                from plugseal.systems.gemini.settings import describe_settings

                yield describe_settings(reader)

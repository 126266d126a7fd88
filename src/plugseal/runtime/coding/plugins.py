"""The plugins of a host: started, loaded, with their tools in one registry, and ended."""

from __future__ import annotations

from typing import Final

from plugseal.errors import PlugsealError, SupervisorError, UsageError
from plugseal.runtime.coding.load import Definition
from plugseal.runtime.coding.opened import Opened, Starter
from plugseal.runtime.coding.registry import Registry
from plugseal.shown import shown

SYSTEM: Final = "coding"


class Plugins:
    """All plugins of one host, by their IDs."""

    def __init__(self, starter: Starter) -> None:
        """Begin without plugins.

        Args:
            starter: starts them.
        """
        self.tools = Registry()
        self._starter = starter
        self._opened: dict[str, Opened] = {}

    def __getitem__(self, plugin: str) -> Opened:
        """Return a plugin that was started."""
        return self._opened[plugin]

    @property
    def is_loading(self) -> bool:
        """Say whether one that was started is being loaded."""
        return any(opened.is_loading for opened in self._opened.values())

    def start(self, plugin: str) -> PlugsealError | None:
        """Start a plugin, which `step` loads; return why it can't be."""
        if not plugin.startswith(f"{SYSTEM}:") or plugin in self._opened:
            what = "is open already" if plugin in self._opened else "is no ID of a plugin of Coding's"
            return UsageError(f"`{shown(plugin)}` {what}", hint="see the IDs with `plugseal coding list`")
        try:
            self._opened[plugin] = Opened(plugin, self._starter)
        except PlugsealError as error:
            return error
        return None

    def register(self, plugin: str, *, replace: bool) -> PlugsealError | None:
        """Register the tools of a plugin that was loaded; one of which that fails is ended, and why is returned."""
        try:
            self.tools.register(plugin, self.definition_of(plugin).tools, replace=replace)
        except PlugsealError as error:
            self.drop(plugin)
            return error
        return None

    def definition_of(self, plugin: str) -> Definition:
        """Return what a plugin told when it was loaded.

        Raises:
            PlugsealError: why it could not be.
        """
        opened = self._opened[plugin]
        if opened.definition is None:
            raise opened.failure or SupervisorError("the plugin was closed")
        return opened.definition

    def drop(self, plugin: str) -> None:
        """End a plugin and forget it."""
        opened = self._opened.pop(plugin, None)
        if opened is not None:
            opened.close()

    def step(self) -> None:
        """Let all go on."""
        for opened in tuple(self._opened.values()):
            opened.step()

    def descriptors(self) -> tuple[list[int], list[int]]:
        """Return what to wait for before the next step: descriptors to read from, and to write to."""
        pairs = [opened.connection.descriptors() for opened in self._opened.values()]
        return [one for reading, _ in pairs for one in reading], [one for _, writing in pairs for one in writing]

    def close(self) -> None:
        """End all, politely."""
        for opened in self._opened.values():
            opened.close()

"""The tools of all loaded plugins by their names, which no namespace keeps apart.

A name that another plugin holds is refused unless it shall be replaced; a registration that fails changes nothing. A
replaced tool's place in the order goes to the one that replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plugseal.errors import SupervisorError
from plugseal.records import NamedTuple
from plugseal.runtime.coding.load import Tool
from plugseal.shown import shown


class Held(NamedTuple):
    """A tool and whose it is."""

    plugin: str
    """ID of the plugin."""
    tool: Tool


class Registry(Mapping[str, Held]):
    """All tools by name, in the order in which they were registered."""

    def __init__(self) -> None:
        """Begin without tools."""
        self._tools: dict[str, Held] = {}

    def register(self, plugin: str, tools: tuple[Tool, ...], *, replace: bool = False) -> None:
        """Register all tools of a plugin, or none.

        Args:
            plugin: its ID.
            tools: of the plugin.
            replace: whether names that others hold are taken from them.

        Raises:
            SupervisorError: another plugin holds a name.
        """
        taken = [tool.name for tool in tools if tool.name in self._tools]
        if taken and not replace:
            holder = self._tools[taken[0]].plugin
            raise SupervisorError(
                f"tool `{shown(taken[0])}` of {plugin} is held by {holder}: none of its tools is registered",
                details=[f"{shown(name)}  {self._tools[name].plugin}" for name in taken[1:20]],
                hint=f"offer one of the two alone, or disable one: `plugseal disable {plugin}`",
            )
        self._tools.update({tool.name: Held(plugin, tool) for tool in tools})

    def __getitem__(self, name: str) -> Held:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

"""What the commands of Coding's plugins say: plugins with their tools, and one plugin that was loaded. Pure data."""

from __future__ import annotations

from plugseal.records import NamedTuple


class CodingTool(NamedTuple):
    """One tool; its texts are hostile."""

    name: str
    mode: str
    """`parallel`, `sequential`, or empty where it says nothing."""
    description: str
    why_not: str = ""
    """Why it may not be called, empty where it may be."""


class CodingPlugin(NamedTuple):
    """One plugin; its texts are hostile."""

    id: str
    name: str
    version: str
    state: str
    """`enabled`, `trusted` or `not trusted`; of one that was loaded `loaded`."""
    tools: tuple[CodingTool, ...]
    declares: bool
    """Whether its manifest names its tools; else only its process tells them."""

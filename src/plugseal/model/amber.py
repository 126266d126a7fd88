"""What the commands of amber's plugins say: one plugin with its tools and settings, and the list of them. Pure data."""

from __future__ import annotations

from plugseal.records import NamedTuple


class AmberSetting(NamedTuple):
    """One setting of a plugin."""

    key: str
    value: str
    """As JSON."""
    default: str
    """As JSON; equal to the value where it is not overridden."""
    kind: str
    """`text`, `number`, or `true or false`."""


class AmberTool(NamedTuple):
    """One tool of a plugin."""

    name: str
    """As registered, or as declared where it is not."""
    takes: str
    """Its arguments in a few words."""
    why_not: str = ""
    """Why it is not registered, empty where it is."""


class AmberInfo(NamedTuple):
    """One plugin; all texts but `state` are hostile."""

    id: str
    title: str
    version: str
    path: str
    author: str
    url: str
    license: str
    description: str
    state: str
    """`on`, `off`, `off: not trusted`, `off: changed since it was trusted`, `incompatible: …`."""
    tools: tuple[AmberTool, ...]
    settings: tuple[AmberSetting, ...]
    around: str = ""
    """How amber itself starts it around the gate, empty where it does not."""
    next: str = ""
    """What to type, empty for nothing."""


class AmberListed(NamedTuple):
    """One plugin that amber finds."""

    id: str
    version: str
    path: str
    origin: str
    """`user`, `workspace` or `system`."""
    state: str
    """As in `AmberInfo`, or `hidden` where another of its ID is found first."""


class AmberInstalled(NamedTuple):
    """What was put where amber looks, or taken from there."""

    id: str
    version: str
    path: str
    files: int
    had_trust: bool = False
    """Whether trust in what lay there was taken."""

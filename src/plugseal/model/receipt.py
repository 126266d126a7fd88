"""Receipts of one path, as `hash` shows them."""

from __future__ import annotations

from plugseal.model.inventory import PluginReport
from plugseal.records import NamedTuple


class HostToken(NamedTuple):
    """A token in the words of one host, which may bind less than ours."""

    stream: str
    """The name of its hash, e.g. `v1`."""
    versions: str
    """The host's versions that ask for it, first and last."""
    token: str


class HostReceipt(NamedTuple):
    """What one host itself would call a plugin and its state."""

    plugin: str
    """The plugin's ID, ours."""
    host: str
    """`codewhale`."""
    id: str | None
    """The host's own ID of the plugin; None where the plugin stands nowhere that the host looks."""
    tokens: tuple[HostToken, ...]
    """Empty where the host would refuse the plugin or its hash can't be told."""


class TreeReceipts(NamedTuple):
    """What is known of one path: its content always, what it can do for each plugin that is exactly there."""

    path: str
    """As the user gave it; hostile text."""
    content: str
    """The content receipt: SHA-256 of the tree manifest, in hex."""
    h1: str
    """Go's directory hash of the same files, with its `h1:`."""
    files: int
    bytes: int
    left_out: tuple[str, ...]
    """What is outside the receipt by rule."""
    plugins: tuple[PluginReport, ...]
    """Plugins whose root is exactly this path."""
    hosts: tuple[HostReceipt, ...] = ()
    """What hosts with receipts of their own say of these plugins."""

"""Receipts of one path, as `hash` shows them."""

from __future__ import annotations

from dataclasses import dataclass

from plugseal.model.inventory import PluginReport


@dataclass(frozen=True, slots=True)
class TreeReceipts:
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

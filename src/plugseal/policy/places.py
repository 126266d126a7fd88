"""Where the policies of the gate stand: in one place of the machine, and under one name in the state folder."""

from __future__ import annotations

from typing import Final

SYSTEM: Final = "/etc/plugseal/policy.toml"
"""The machine's, which root alone can write."""
PINNED: Final = "policy.toml"
"""The one that the user pinned, below the state folder."""

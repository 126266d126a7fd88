"""The values that data documents hold."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import TypeAlias, Union

Json: TypeAlias = Union[bool, int, float, str, "list[Json]", "dict[str, Json]", None]
"""What JSON and YAML give: no date, no other key than text, no infinity, no lone surrogate."""

Toml: TypeAlias = Union[bool, int, float, str, datetime, date, time, "list[Toml]", "dict[str, Toml]"]
"""What TOML gives: dates stay dates, since a host would not take them for text."""

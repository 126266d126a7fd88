"""The values that data documents hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, Union

if TYPE_CHECKING:
    from datetime import date, datetime, time  # takes as long as a small table, and few documents hold a date

Json: TypeAlias = Union[bool, int, float, str, "list[Json]", "dict[str, Json]", None]
"""What JSON and YAML give: no date, no other key than text, no infinity, no lone surrogate."""

Toml: TypeAlias = "bool | int | float | str | datetime | date | time | list[Toml] | dict[str, Toml]"
"""What TOML gives: dates stay dates, since a host would not take them for text."""

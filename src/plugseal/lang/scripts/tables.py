"""The tables of what each language's functions do, loaded at first use."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from plugseal.lang.powershell.tables import Act, parse_act
from plugseal.lang.recorded import read_table

_FOLDER: Final = Path(__file__).parent / "tables"


@cache
def calls_of(language: str) -> dict[str, tuple[Act, ...]]:
    """Return what a language's functions do, by their names with dots."""
    found: dict[str, tuple[Act, ...]] = {}
    for group in read_table(_FOLDER, f"{language.lower()}.toml")["call"]:
        acts = tuple(parse_act(text) for text in group["acts"])
        for name in group["names"].split():
            found[name] = (*found.get(name, ()), *acts)
    return found

"""What the interfaces of Python's modules can do: the data of `tables/*.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plugseal.lang.judging.tables import Tables
from plugseal.lang.python.collecting.names import COMMON_METHODS

_FOLDER: Final = Path(__file__).parent / "tables"


class PythonTables(Tables):
    """The tables of Python."""

    always = ("_same", "_methods", "builtins")
    common_methods = COMMON_METHODS

    def __init__(self, folder: Path = _FOLDER) -> None:
        super().__init__(folder)


_shared: PythonTables | None = None


def shared_tables() -> PythonTables:
    """Return the tables that come with plugseal, made at the first call."""
    global _shared
    if _shared is None:
        _shared = PythonTables()
    return _shared

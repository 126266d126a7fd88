"""How much the tables know: by language, how many modules or programs, and how many names with what they can do.

For the page of capabilities alone; no scan counts anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from plugseal.encode.toml import parse_known_toml
from plugseal.records import NamedTuple

_HERE: Final = Path(__file__).parent


class Known(NamedTuple):
    """What the tables of one language hold."""

    language: str
    groups: str
    """How many modules, programs or types, in words; empty where names stand alone."""
    names: int
    """Functions, classes, methods, commands or options of which a row says what they can do, each once."""


def count_known() -> tuple[Known, ...]:
    """Return what the tables know, by language."""
    return (
        _modules("Python", _HERE / "python" / "tables"),
        _modules("JavaScript and TypeScript", _HERE / "ecmascript" / "tables"),
        _programs(),
        _powershell(),
        *(_script(name) for name in ("Ruby", "Perl", "PHP", "Lua")),
    )


def _tables(folder: Path) -> Iterator[dict[str, Any]]:  # Any: TOML, counted here
    for path in sorted(folder.glob("*.toml")):
        yield parse_known_toml(path.read_bytes())


def _modules(language: str, folder: Path) -> Known:
    tables = [table for table in _tables(folder) if "module" in table or "api" in table]
    names = {
        (table.get("module"), name) for table in tables for group in table.get("api", ()) for name in group["names"]
    }
    modules = {table["module"] for table in tables if "module" in table}
    return Known(language, f"{len(modules):,} modules", len(names))


def _programs() -> Known:
    rows: list[dict[str, Any]] = []  # Any: as above
    for table in _tables(_HERE / "programs" / "tables"):
        for part in ("act", "wrap", "line", "code"):
            rows.extend(table.get(part, ()))
    programs = {name for row in rows for name in _split(row["programs"])}
    acts = sum(len(_split(row["programs"])) for row in rows)
    return Known("shell, batch and every started program", f"{len(programs):,} programs", acts)


def _powershell() -> Known:
    cmdlets: set[str] = set()
    members: set[tuple[str, str]] = set()
    types: set[str] = set()
    for table in _tables(_HERE / "powershell" / "tables"):
        cmdlets.update(name.lower() for row in table.get("cmdlet", ()) for name in _split(row["names"]))
        for row in table.get("member", ()):
            for kind in _split(row["type"]):
                types.add(kind)
                members.update((kind, name) for name in _split(row["names"]))
    return Known("PowerShell", f"{len(cmdlets):,} cmdlets, {len(types):,} types of .NET", len(cmdlets) + len(members))


def _script(language: str) -> Known:
    table = parse_known_toml((_HERE / "scripts" / "tables" / f"{language.lower()}.toml").read_bytes())
    rows: list[dict[str, Any]] = table["call"]  # type: ignore[assignment]  # our own table
    return Known(language, "", len({name for row in rows for name in _split(row["names"])}))


def _split(words: str | list[str]) -> list[str]:
    return words.split() if isinstance(words, str) else words

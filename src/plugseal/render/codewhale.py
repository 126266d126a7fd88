"""Codewhale's bundles, skills, servers and older tools, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import plugseal
from plugseal.model.codewhale import (
    Bundle,
    Diagnostic,
    InspectedSkill,
    LegacyTools,
    ListedBundle,
    ListedBundles,
    ListedServer,
    ListedSkill,
)
from plugseal.render.json import Json, encode
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line, render_table
from plugseal.shown import shown, shown_path

FORMAT: Final = "plugseal.codewhale/1"
_STYLES: Final = {"active": "good", "disabled": "", "shadowed": "dim"}
_WORDS: Final = {
    "skills": "skills",
    "mcp_servers": "mcp",
    "stdio_mcp_servers": "stdio",
    "remote_mcp_servers": "remote",
}


def render_bundles(listed: ListedBundles, *, width: int) -> Iterator[Line]:
    """Yield a row for each bundle with what keeps it from contributing, then how many there are."""
    rows = [
        (
            Piece(shown(f"{one.bundle.name} {one.bundle.version}".strip(), limit=80), "literal"),
            Piece(one.bundle.scope),
            Piece(one.label, _STYLES.get(one.label, "medium")),
            Piece(_counts(one.bundle)),
        )
        for one in listed.bundles
    ]
    yield from render_table(rows, width=width)
    for one in listed.bundles:
        if one.why:
            yield line(GAP, Piece(shown(one.bundle.name, limit=80), "literal"), f": {shown(one.why)}")
    yield from _diagnostics(listed.diagnostics)
    for path in listed.legacy:
        yield line(GAP, Piece(shown_path(path), "path"), ": of an older version, never taken for trust")
    if listed.bundles:
        yield BLANK
    states = Counter(one.label for one in listed.bundles)
    told = ", ".join(f"{number:,} {label}" for label, number in states.items())
    yield line(count(len(listed.bundles), "bundle"), f": {told}" if told else "")


def render_bundles_json(listed: ListedBundles, *, reloaded: Sequence[str] | None = None) -> Iterator[str]:
    """Yield the document, ended by a newline.

    Args:
        listed: the bundles.
        reloaded: names of those whose older permissions were ended, where that was asked for.
    """
    document: dict[str, Json] = {
        "format": FORMAT,
        "plugseal": plugseal.__version__,
        "bundles": [_bundle_json(one) for one in listed.bundles],
        "diagnostics": _diagnostics_json(listed.diagnostics),
        "legacy": list(listed.legacy),
    }
    yield from encode(document if reloaded is None else {**document, "reloaded": list(reloaded)})


def render_reloaded(listed: ListedBundles, reloaded: Sequence[str], *, width: int) -> Iterator[Line]:
    """Yield the bundles as they are now, and those whose older permissions were ended."""
    yield from render_bundles(listed, width=width)
    names = ", ".join(shown(name) for name in reloaded)
    yield line("reloaded: ", f"what was permitted is ended of {names}" if names else "nothing changed on disk")


def render_validated(listed: ListedBundle) -> Iterator[Line]:
    """Yield everything that is said of one bundle, and whether it could be enabled."""
    bundle = listed.bundle
    yield line(Piece(shown(f"{bundle.name} {bundle.version}".strip()), "title"), f"  {bundle.scope}, {listed.label}")
    yield line(f"{GAP}components  {_counts(bundle)}")
    if bundle.host_id:
        yield line(f"{GAP}codewhale   ", Piece(shown(bundle.host_id), "literal"))
    yield from _diagnostics(bundle.diagnostics)
    if bundle.is_valid and not bundle.inactive:
        yield line(Piece("valid", "good"))
    else:
        why = f"declares what isn't started yet: {', '.join(bundle.inactive)}" if bundle.is_valid else "refused"
        yield line(Piece("can't be enabled", "high"), f": {why}")


def render_validated_json(listed: ListedBundle) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    document: dict[str, Json] = {"format": FORMAT, "plugseal": plugseal.__version__, "bundle": _bundle_json(listed)}
    yield from encode(document)


def render_ending(listed: ListedBundle, skills: Iterable[str], servers: Iterable[str]) -> Iterator[Line]:
    """Yield what of a bundle a review does not say: its state here and the names that it would be exposed under."""
    yield line(Piece("In Codewhale", "title"))
    yield line(f"{GAP}state    ", listed.label, f": {shown(listed.why)}" if listed.why else "")
    for name in skills:
        yield line(f"{GAP}skill    ", Piece(shown(name), "literal"))
    for name in servers:
        yield line(f"{GAP}server   ", Piece(shown(name), "literal"))
    yield from _diagnostics(listed.bundle.diagnostics)


def render_skills(skills: Sequence[ListedSkill], *, width: int) -> Iterator[Line]:
    """Yield a row for each skill, then how many there are."""
    yield from render_table(
        [(Piece(shown(s.name), "literal"), Piece(shown(s.description))) for s in skills], width=width
    )
    if skills:
        yield BLANK
    yield line(count(len(skills), "skill"))


def render_skills_json(skills: Sequence[ListedSkill]) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    yield from encode(
        {"format": FORMAT, "plugseal": plugseal.__version__, "skills": [dict(skill._asdict()) for skill in skills]}
    )


def render_inspected(skill: InspectedSkill) -> Iterator[Line]:
    """Yield which reviewed bundle a skill is of."""
    yield line(Piece(shown(skill.name), "title"))
    rows = (
        ("says", shown(skill.description)),
        ("bundle", shown(f"{skill.bundle} {skill.version}".strip())),
        ("scope", skill.scope),
        ("id", shown(skill.plugin)),
        ("reviewed", skill.reviewed_at),
        ("generation", f"{skill.generation:,}"),
        ("content", skill.content),
        ("capability", skill.capability),
        ("text", f"{skill.characters:,} characters, {skill.digest}"),
    )
    for name, value in rows:
        if value:
            yield line(f"{GAP}{name:<11} {value}")


def render_inspected_json(skill: InspectedSkill) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    yield from encode({"format": FORMAT, "plugseal": plugseal.__version__, "skill": dict(skill._asdict())})


def render_servers(servers: Sequence[ListedServer], *, width: int) -> Iterator[Line]:
    """Yield a row for each server, then how many there are."""
    rows = [(Piece(shown(s.id), "literal"), Piece(s.transport), Piece(shown(s.origin))) for s in servers]
    yield from render_table(rows, width=width)
    if servers:
        yield BLANK
    yield line(count(len(servers), "server"))


def render_servers_json(servers: Sequence[ListedServer]) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    yield from encode(
        {"format": FORMAT, "plugseal": plugseal.__version__, "servers": [dict(one._asdict()) for one in servers]}
    )


def render_tools(found: LegacyTools, *, width: int) -> Iterator[Line]:
    """Yield a row for each script of the older system, then what it is."""
    rows = [
        (
            Piece(shown(tool.name, limit=80), "literal"),
            Piece(shown_path(tool.file), "path"),
            Piece(shown(tool.description)),
        )
        for tool in found.tools
    ]
    yield from render_table(rows, width=width)
    if found.why:
        yield line(GAP, "can't be told: ", shown(found.why))
    if rows or found.why:
        yield BLANK
    place = (" in ", Piece(shown_path(found.folder), "path")) if found.folder else ()
    yield line(count(len(rows), "script"), *place, ", of the older system: no bundle, and trusted by nothing here")


def render_tools_json(found: LegacyTools) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    document: dict[str, Json] = {
        "format": FORMAT,
        "plugseal": plugseal.__version__,
        "folder": found.folder,
        "tools": [dict(tool._asdict()) for tool in found.tools],
        "why": found.why,
    }
    yield from encode(document)


def _counts(bundle: Bundle) -> str:
    counts = dict(bundle.counts)
    below = " ".join(f"{_WORDS[kind]}={counts.get(kind, 0)}" for kind in ("stdio_mcp_servers", "remote_mcp_servers"))
    return f"skills={counts.get('skills', 0)} mcp={counts.get('mcp_servers', 0)} ({below})"


def _diagnostics(found: Iterable[Diagnostic]) -> Iterator[Line]:
    for one in found:
        style = "high" if one.severity == "error" else "medium"
        place = (" ", Piece(shown_path(one.path), "path")) if one.path else ()
        yield line(GAP, Piece(f"{one.severity}[{one.code}]", style), f": {shown(one.message)}", *place)


def _diagnostics_json(found: Iterable[Diagnostic]) -> list[Json]:
    return [dict(one._asdict()) for one in found]


def _bundle_json(listed: ListedBundle) -> dict[str, Json]:
    bundle = listed.bundle
    return {
        "name": bundle.name,
        "version": bundle.version,
        "scope": bundle.scope,
        "id": bundle.id,
        "codewhale_id": bundle.host_id or None,
        "path": bundle.root,
        "state": listed.label,
        "why": listed.why,
        "counts": dict(bundle.counts),
        "inactive": list(bundle.inactive),
        "valid": bundle.is_valid,
        "diagnostics": _diagnostics_json(bundle.diagnostics),
    }

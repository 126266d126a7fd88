"""What a registration did, and how far each registered server is from being started, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import plugseal
from plugseal.model.lingtai import Listed, Refreshed, ServerRow
from plugseal.render.json import Json, encode
from plugseal.render.next import pasteable
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line, render_table
from plugseal.shown import shown, shown_path

LIST_FORMAT: Final = "plugseal.lingtai-list/1"
REFRESH_FORMAT: Final = "plugseal.lingtai-refresh/1"
_STYLES: Final = {"ready": "good", "activated": "medium", "registered": ""}
_COMMANDS: Final = {
    "refresh": "plugseal lingtai refresh {agent}",
    "review": "plugseal review {source}",
    "enable": "plugseal enable {source}",
    "serve": "plugseal lingtai serve {agent}",
}


def render_refreshed(done: Refreshed) -> Iterator[Line]:
    """Yield each registered plugin with what was skipped, then what happened to the registry."""
    for row in done.registered:
        yield line(Piece(f"{shown(row['name'])} {shown(row['version'])}".rstrip(), "title"), f"{GAP}registered")
        yield line(f"{GAP}source   ", Piece(shown_path(row["source"]), "path"))
        if row["skills"]:
            yield line(f"{GAP}skills   ", shown(", ".join(row["skills"])))
        if row["mcp_registered"]:
            yield line(f"{GAP}servers  ", shown(", ".join(row["mcp_registered"])))
        for skip in row["skipped"]:
            yield line(f"{GAP}skipped  ", Piece(shown(skip["component"]), "literal"), f": {shown(skip['reason'])}")
    for problem in _further(done):
        yield line(Piece(shown_path(problem["path"]), "path"), f": {shown(problem['error'])}")
    if done.registered or done.problems:
        yield BLANK
    verb = "would be " if done.is_check else ""
    told = [
        f"{count(len(names), 'record')} {verb}{what}: {shown(', '.join(names))}"
        for names, what in ((done.appended, "appended"), (done.pruned, "pruned"))
        if names
    ]
    summary = "; ".join(told) or "the registry is as it was"
    yield line(f"{count(len(done.registered), 'plugin')} registered; {summary}")


def render_refreshed_json(done: Refreshed) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    document: dict[str, Json] = {
        "format": REFRESH_FORMAT,
        "plugseal": plugseal.__version__,
        "agent": done.agent,
        "registered": [dict(row) for row in done.registered],
        "mcp_appended": list(done.appended),
        "mcp_pruned": list(done.pruned),
        "problems": [dict(problem) for problem in done.problems],
        "changed": done.is_changed,
        "written": done.is_changed and not done.is_check,
    }
    yield _document(document)


def render_listed(listed: Listed, *, agent: str, width: int) -> Iterator[Line]:
    """Yield a row for each plugin and each server, then what to type next."""
    yield line(Piece("Plugins", "title"))
    plugins = [
        (
            Piece(shown(f"{row.name} {row.version}".strip()), "literal"),
            Piece(row.mount),
            Piece(f"{count(row.skills, 'skill')}, {count(row.servers, 'server')}"),
        )
        for row in listed.plugins
    ]
    yield from render_table(plugins, width=width)
    if listed.servers:
        yield BLANK
        yield line(Piece("Servers", "title"))
        yield from render_table([_server(row) for row in listed.servers], width=width)
    yield BLANK
    mounts = Counter(row.mount for row in listed.plugins)
    states = Counter(row.state for row in listed.servers)
    told = [f"{count(len(listed.plugins), 'plugin')}: {_numbers(mounts)}"]
    told += [f"{count(len(listed.servers), 'server')}: {_numbers(states)}"] if listed.servers else []
    yield line("; ".join(told))
    command = _next(listed.servers, agent)
    if command:
        yield line("next: ", Piece(f"`{command}`", "command"))


def render_listed_json(listed: Listed) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    plugins: list[Json] = [dict(row._asdict()) for row in listed.plugins]
    servers: list[Json] = [
        {**row._asdict(), "why": row.why or None, "step": row.step or None} for row in listed.servers
    ]
    document: dict[str, Json] = {"format": LIST_FORMAT, "plugseal": plugseal.__version__}
    yield _document({**document, "plugins": plugins, "servers": servers})


def _server(row: ServerRow) -> tuple[Piece, ...]:
    state = Piece(row.state, _STYLES.get(row.state, ""))
    return Piece(shown(row.server), "literal"), Piece(shown(row.plugin)), state, Piece(shown(row.why))


def _numbers(counted: Counter[str]) -> str:
    return ", ".join(f"{number:,} {word}" for word, number in counted.items())


def _further(done: Refreshed) -> Iterator[dict[str, str]]:
    """Yield the problems that stand under no plugin's own heading."""
    told = {skip["reason"] for row in done.registered for skip in row["skipped"]}
    yield from (dict(problem) for problem in done.problems if problem["error"] not in told)


def _next(rows: Sequence[ServerRow], agent: str) -> str:
    for row in sorted(rows, key=lambda row: row.step == "serve"):
        template = _COMMANDS.get(row.step)
        words = {"agent": pasteable(agent), "source": pasteable(row.source)}
        if template is not None and all(words.values()):
            return template.format(**words)
    return ""


def _document(document: dict[str, Json]) -> str:
    return "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"

"""amber's plugins as lines: the list, one plugin, its settings, what was switched or installed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plugseal.model.amber import AmberInfo, AmberInstalled, AmberListed, AmberSetting, AmberTool
from plugseal.render.json import Json, encode
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line, render_table
from plugseal.shown import shown, shown_path

LIST_FORMAT: Final = "plugseal.amber-list/1"
INFO_FORMAT: Final = "plugseal.amber-info/1"
SETTINGS_FORMAT: Final = "plugseal.amber-settings/1"
_LABEL: Final = 9
_MAX_TEXT: Final = 1000


def render_amber_list(listed: Sequence[AmberListed], *, width: int) -> Iterator[Line]:
    """Yield a row for each plugin that amber finds, and the count."""
    rows = [
        (
            Piece(shown(f"{one.id} {one.version}".strip(), limit=60), "literal"),
            Piece(one.origin),
            Piece(shown(one.state), _style(one.state)),
            Piece(shown_path(one.path), "path"),
        )
        for one in listed
    ]
    yield from render_table(rows, width=width)
    yield BLANK
    on = sum(one.state == "on" for one in listed)
    yield line(count(len(listed), "plugin"), f": {on:,} on")


def render_amber_info(info: AmberInfo) -> Iterator[Line]:
    """Yield everything about one plugin, then what to type next."""
    yield line(Piece(shown(f"{info.title} {info.version}".strip()), "title"))
    yield BLANK
    yield _row("id", Piece(shown(info.id), "literal"))
    yield _row("place", Piece(shown_path(info.path), "path"))
    for label, text in (("author", info.author), ("url", info.url), ("license", info.license)):
        if text:
            yield _row(label, Piece(shown(text)))
    yield _row("says", Piece(shown(info.description, limit=_MAX_TEXT)))
    yield _row("state", Piece(shown(info.state), _style(info.state)))
    if info.around:
        yield _row("around", Piece(info.around, "high"))
    yield from render_amber_tools(info.tools)
    if info.settings:
        yield BLANK
        yield line(Piece("Settings", "title"))
        yield from render_amber_settings(info.settings)
    if info.next:
        yield line("next: ", Piece(f"`{shown(info.next, limit=_MAX_TEXT)}`", "command"))


def render_amber_tools(tools: Sequence[AmberTool]) -> Iterator[Line]:
    """Yield the tools of a plugin, those that are not registered with the reason."""
    if not tools:
        return
    yield BLANK
    yield line(Piece("Tools", "title"))
    for tool in tools:
        takes = f"  {shown(tool.takes, limit=_MAX_TEXT)}" if tool.takes else ""
        why = f"  not registered: {tool.why_not}" if tool.why_not else ""
        yield line(GAP, Piece(shown(tool.name), "literal"), takes, Piece(why, "medium") if why else "")


def render_amber_settings(settings: Sequence[AmberSetting]) -> Iterator[Line]:
    """Yield the settings of a plugin, and which are the user's own."""
    for one in settings:
        own = "" if one.value == one.default else f"{GAP}default {shown(one.default)}"
        yield line(GAP, Piece(shown(one.key), "literal"), f" = {shown(one.value)}", Piece(own, "dim") if own else "")


def render_amber_installed(done: AmberInstalled) -> Iterator[Line]:
    """Yield what was installed, and what to type next."""
    yield line(Piece(f"installed {shown(f'{done.id} {done.version}')}", "good"))
    yield line(GAP, f"{count(done.files, 'file')} in ", Piece(shown_path(done.path), "path"))
    if done.had_trust:
        yield line(GAP, "what was trusted at that place before is not trusted any more")
    yield line(GAP, "not trusted and off: nothing runs yet")
    yield line("next: ", Piece(f"`plugseal amber info {shown(done.id)}`", "command"))


def render_amber_uninstalled(done: AmberInstalled) -> Iterator[Line]:
    """Yield what was removed."""
    yield line(Piece(f"uninstalled {shown(done.id)}", "good"))
    yield line(GAP, f"{count(done.files, 'file')} removed from ", Piece(shown_path(done.path), "path"))
    if done.had_trust:
        yield line(GAP, "its trust was taken; the trail stays")


def _row(label: str, piece: Piece) -> Line:
    return line(f"{GAP}{label:<{_LABEL}}", piece)


def _style(state: str) -> str:
    return "good" if state == "on" else "high" if state.startswith("incompatible") else "medium"


def render_amber_list_json(listed: Sequence[AmberListed]) -> str:
    """Return the list as a JSON document, ended by a newline."""
    return _document({"format": LIST_FORMAT, "plugins": [dict(one._asdict()) for one in listed]})


def render_amber_info_json(info: AmberInfo) -> str:
    """Return one plugin as a JSON document, ended by a newline."""
    fields: dict[str, Json] = {
        **info._asdict(),
        "tools": [{**tool._asdict(), "why_not": tool.why_not or None} for tool in info.tools],
        "settings": _settings(info.settings),
        "around": info.around or None,
        "next": info.next or None,
    }
    return _document({"format": INFO_FORMAT, **fields})


def render_amber_settings_json(settings: Iterable[AmberSetting]) -> str:
    """Return settings as a JSON document, ended by a newline."""
    return _document({"format": SETTINGS_FORMAT, "settings": _settings(settings)})


def _settings(settings: Iterable[AmberSetting]) -> list[Json]:
    """Return settings with their values as they are given to the plugin."""
    return [
        {"key": one.key, "value": json.loads(one.value), "default": json.loads(one.default), "kind": one.kind}
        for one in settings
    ]


def _document(fields: dict[str, Json]) -> str:
    return "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in fields.items()) + "\n}\n"

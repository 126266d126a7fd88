"""What the commands of Amness's plugins print."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from plugseal.render.text import Line, Piece, count, line
from plugseal.shown import shown, shown_json

_LIMIT: Final = 400
_MAX_ARGUMENTS: Final = 160
_PARTS: Final = ("hooks", "tools", "commands", "gates", "cases", "variants", "metrics", "graders")


def render_listing(listing: Mapping[str, Any], untold: int) -> Iterator[Line]:
    """Yield what loads and what does not."""
    for plugin in listing["plugins"]:
        yield line(Piece(shown(plugin["name"]), "title"), f"  {shown(plugin['file'])}  {plugin['scope']}")
        parts = [f"{part}: {', '.join(map(shown, plugin[part]))}" for part in _PARTS if plugin[part]]
        parts += [", ".join(plugin["functions"])] if plugin["functions"] else []
        for part in parts:
            yield line(f"  {part}")
        if plugin["description"]:
            yield line(f"  {shown(plugin['description'], limit=_LIMIT)}")
    for one in listing["skipped"]:
        yield line(Piece(shown(one["file"]), "path"), f"  {one['scope']}  not loaded: {_said(one['reason'])}")
        if one["touches"]:
            yield line(f"  {_said(one['touches'])}")
        if one["hint"]:
            yield line("  ", Piece(_said(one["hint"]), "dim"))
    for warning in listing["warnings"]:
        yield line(Piece("warning", "medium"), f": {_said(warning)}")
    loaded, skipped = len(listing["plugins"]), len(listing["skipped"])
    told = f"; {count(untold, 'file')} of the project without `--trust-project`" if untold else ""
    yield line(f"{count(loaded, 'plugin')} loaded, {count(skipped, 'file')} skipped{told}")


def render_listing_json(listing: Mapping[str, Any]) -> Iterator[str]:
    """Yield the same as JSON."""
    yield shown_json(json.dumps(listing, indent=2)) + "\n"


def render_replay(
    traces: int, counts: Mapping[str, int], calls: Sequence[tuple[str, str, Any, str]], warnings: Sequence[str]
) -> Iterator[Line]:
    """Yield what policies say of calls that already happened, in Amness's own words."""
    for warning in dict.fromkeys(warnings):
        yield line(Piece("warning", "medium"), f": {_said(warning)}")
    for action, tool, args, reason in calls:
        given = shown(json.dumps(args, ensure_ascii=False, separators=(",", ":")), limit=_MAX_ARGUMENTS)
        style = "high" if action == "deny" else "medium"
        yield line("  ", Piece(action, style), f"  {shown(tool)} {given}  {_said(reason)}")
    yield line(
        f"{traces} trace file(s): {counts['deny']} denied, {counts['ask']} would ask, "
        f"{counts['allow']} allowed by the policy, {counts['none']} without an opinion"
    )


def render_grades(sessions: Sequence[tuple[str, Sequence[Any]]], warnings: Sequence[str]) -> Iterator[Line]:
    """Yield the scores of sessions."""
    for warning in dict.fromkeys(warnings):
        yield line(Piece("warning", "medium"), f": {_said(warning)}")
    scored = 0
    for file, scores in sessions:
        for score in scores:
            note = f"  {_said(score.note)}" if score.note else ""
            yield line(f"{score.score:.2f}  {shown(score.grader)}  {shown(file)}{note}")
        scored += bool(scores)
    yield line(f"{count(len(sessions), 'session')}, {scored} with a score")


def render_tried(tried: Sequence[Any]) -> Iterator[Line]:
    """Yield what came of the cases of evals."""
    for one in tried:
        why = f"  {_said(one.why)}" if one.why else ""
        style = {"ok": "good", "unsound": "high"}.get(one.outcome, "medium")
        yield line(Piece(one.outcome, style), f"  {shown(one.case)}{why}")
    wrong = sum(one.outcome == "unsound" for one in tried)
    yield line(f"{count(len(tried), 'case')}, {wrong} not sound")


def _said(text: str) -> str:
    return shown(text, limit=_LIMIT)

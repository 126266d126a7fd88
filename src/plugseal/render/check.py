"""What a policy says of a repository, as text: each plugin with its verdict and the policy's lines, then the count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.model.checked import Checked, Objection, Verdict
from plugseal.render.next import pasteable
from plugseal.render.text import BLANK, GAP, Line, Piece, backticked, count, line, pad
from plugseal.shown import display_width, shown, shown_path

MAX_OBJECTIONS: Final = 40
"""Shown of one plugin."""
_STYLES: Final = {"pass": "good", "fail": "high", "open": "medium"}  # nosec B105  # verdicts
_MAX_NAME: Final = 36
_MAX_MESSAGE: Final = 64


def render_check(checked: Checked, *, everything: bool = False) -> Iterator[Line]:
    """Yield the whole text.

    Args:
        checked: the judgement.
        everything: leave nothing out.
    """
    yield line("policy: ", shown(checked.policy, limit=400))
    yield BLANK
    if checked.governance:
        yield line(Piece("The change loosens what it is judged by", "title"))
        for one in checked.governance:
            yield line(Piece("fail", "high"), f"{GAP}", *backticked(shown(one.message)), f"{GAP}", _place(one))
        yield BLANK
    names = [_name(verdict) for verdict in checked.verdicts]
    width = min(max(map(display_width, names), default=0), _MAX_NAME)
    for name, verdict in zip(names, checked.verdicts, strict=True):
        yield from _verdict(name, verdict, width, checked.file, everything=everything)
    if checked.verdicts:
        yield BLANK
    for note in checked.notes:
        yield line("note: ", shown(note, limit=400))
    if checked.hidden is not None:
        dead = checked.hidden.dead
        yield line(
            f"baseline: {count(checked.hidden.number, 'finding')} hidden, {count(len(dead), 'entry', 'entries')} dead"
        )
        yield from (line(f"{GAP}dead: ", shown(one)) for one in (dead if everything else dead[:10]))
    yield count_of_check(checked)
    command = next_of_check(checked)
    if command:
        otherwise = f"except it in {shown_path(checked.file)} with an owner, a reason and an end date"
        if checked.is_own:
            otherwise = "except it in a policy outside of what is judged: `--policy FILE` or `--base REVISION`"
        yield line("next: ", Piece(f"`{command}`", "command"), ", or ", *backticked(otherwise))
    elif checked.governance:
        signed = "`plugseal policy sign . --base REVISION --key KEY`, by people of the old rules and of the new"
        yield line("next: put it back, or have it signed: ", *backticked(signed))
    elif not checked.failed and any(verdict.word == "open" for verdict in checked.verdicts):
        path = pasteable(checked.inventory.root)
        yield from [line("next: ", Piece(f"`plugseal scan {path}`", "command"))] if path else []


def count_of_check(checked: Checked) -> Line:
    """Return the last result line."""
    plugins = [verdict for verdict in checked.verdicts if verdict.id]
    failed = sum(1 for verdict in plugins if verdict.word == "fail")
    number = len(plugins)
    tail = ""
    rest = [verdict for verdict in checked.verdicts if not verdict.id and verdict.word == "fail"]
    if rest:
        tail += f"; {count(sum(len(one.objections) for one in rest), 'objection')} outside plugins"
    if checked.governance:
        tail += f"; {count(len(checked.governance), 'governance change')}"
    left = sum(1 for verdict in checked.verdicts if verdict.word == "open")
    if left:
        tail += f"; {left:,} could not be judged"
    if failed:
        verb = "fails" if failed == 1 else "fail"
        text = f"{failed:,} of {count(number, 'plugin')} {verb} the policy"
    else:
        text = f"{count(number, 'plugin')}, none fails the policy"
    return line(Piece(text, "good" if not checked.failed and not left else ""), tail)


def next_of_check(checked: Checked) -> str | None:
    """Return the command that helps most, None where there is none."""
    failed = next((verdict for verdict in checked.verdicts if verdict.word == "fail" and verdict.id), None)
    if failed is None:
        return None
    path = pasteable(checked.inventory.root, failed.root)
    return f"plugseal review {path}" if path else None


def why_it_passes(verdict: Verdict) -> str:
    """Say in a few words what a verdict without objections rests on; safe to be shown."""
    if verdict.excepted:
        one = verdict.excepted[0]
        more = f" and {len(verdict.excepted) - 1:,} more" if len(verdict.excepted) > 1 else ""
        return f"excepted until {one.until}: {shown(one.reason)}{more}"
    if verdict.is_incomplete:
        return "could not be judged: see what was not read or is broken with `plugseal scan`"
    return "within the policy"


def render_examples(tried: Sequence[tuple[int, str, str, str]]) -> Iterator[Line]:
    """Yield what became of the examples of a policy: (number, what was asked, expected, found)."""
    for number, said, expected, found in tried:
        if expected != found:
            yield line(Piece("fail", "high"), f"{GAP}example {number}: ", shown(said), f": {found}, not {expected}")
    failed = sum(1 for _, _, expected, found in tried if expected != found)
    yield line(
        f"{count(len(tried), 'example')}, {failed:,} failed" if failed else f"{count(len(tried), 'example')} hold"
    )


def _name(verdict: Verdict) -> str:
    return shown(verdict.name, limit=60) or "(no name)"


def _verdict(name: str, verdict: Verdict, width: int, file: str, *, everything: bool) -> Iterator[Line]:
    word = Piece(verdict.word, _STYLES[verdict.word])
    head = line(word, GAP, Piece(name, "literal"), " " * max(0, width - display_width(name)), GAP)
    if not verdict.objections:
        yield (*head, *backticked(why_it_passes(verdict)))
        return
    kept = verdict.objections if everything else verdict.objections[:MAX_OBJECTIONS]
    for number, one in enumerate(kept):
        start = head if number == 0 else line(" " * (4 + len(GAP) + max(width, display_width(name)) + len(GAP)))
        said = (
            pad(shown(one.message, limit=400), _MAX_MESSAGE)
            if _asked(one, file) or one.file
            else shown(one.message, limit=400)
        )
        parts = [*backticked(said)]
        if one.file:
            parts += [Piece(GAP), _place(one)]
        yield (*start, *parts, *(line(GAP, Piece(_asked(one, file), "dim")) if _asked(one, file) else ()))
    if len(kept) < len(verdict.objections):
        yield line(GAP * 4, Piece(f"and {len(verdict.objections) - len(kept):,} more: `--verbose`", "dim"))


def _asked(one: Objection, file: str) -> str:
    return f"{shown_path(file)}:{one.line}" if one.line else ""


def _place(one: Objection) -> Piece:
    return Piece(shown_path(one.file) + (f":{one.at}" if one.at else ""), "path")

"""What a policy says of a repository as one HTML page: the verdicts first, then the report of the scan below them.

The rules of `html` hold: no script, nothing loads, no links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from plugseal.model.checked import Checked, Objection, Verdict
from plugseal.render.check import count_of_check, why_it_passes
from plugseal.render.html import MAX_ROWS, heading, page, scan_sections, table
from plugseal.render.html_build import Node, Text, element, more
from plugseal.render.text import count, plain
from plugseal.shown import shown, shown_path

_CLASSES: Final = {"pass": "good", "fail": "high", "open": "medium"}  # nosec B105  # verdicts
_WORDS: Final = {"fail": "fail", "open": "could not be judged", "pass": "pass"}  # nosec B105  # verdicts


def render_check_html(checked: Checked) -> Iterator[str]:
    """Yield the page in pieces of text in ASCII."""
    yield from page("plugseal check", _sections(checked))


def _sections(checked: Checked) -> Iterator[Node]:
    yield element("h1", None, Text("What the policy says of these plugins"))
    yield element("p", {"class": "soft"}, Text(f"policy: {shown(checked.policy, limit=400)}"))
    yield element("p", {"class": "count"}, Text(plain(count_of_check(checked))))
    yield _tiles(checked)
    if checked.governance:
        yield heading("The change loosens what it is judged by", "Each of these fails, whatever else holds.")
        yield table(("What", "Where"), [(shown(one.message, limit=400), _where(one)) for one in checked.governance])
    yield from _verdicts(checked)
    if checked.notes or checked.hidden is not None:
        yield from _notes(checked)
    yield element("h1", None, Text("What they can do"))
    yield from scan_sections(checked.inventory)


def _tiles(checked: Checked) -> Node:
    words = Counter(verdict.word for verdict in checked.verdicts)
    items = []
    for word, said in _WORDS.items():
        kind = _CLASSES[word] if words[word] else ""
        items.append(element("li", None, element("b", {"class": kind}, Text(f"{words[word]:,}")), Text(said)))
    return element("ul", {"class": "tiles"}, *items)


def _verdicts(checked: Checked) -> Iterator[Node]:
    rows = [row for verdict in sorted(checked.verdicts, key=_worst_first) for row in _rows(verdict, checked.file)]
    if rows:
        yield heading("Verdicts", "Each objection with the line of the policy that it rests on.")
        yield table(("Plugin", "Verdict", "Why", "Where", "Asked in"), rows[:MAX_ROWS])
        yield more(len(rows) - MAX_ROWS, "objection")


def _worst_first(verdict: Verdict) -> tuple[int, str, str]:
    return list(_WORDS).index(verdict.word), verdict.name, verdict.id


def _rows(verdict: Verdict, file: str) -> Iterator[tuple[str, ...]]:
    name = f"{shown(verdict.name, limit=60) or '(no name)'} {shown(verdict.system)}".rstrip()
    word = _WORDS[verdict.word]
    if not verdict.objections:
        yield name, word, why_it_passes(verdict), shown_path(verdict.root) or ".", ""
    for one in verdict.objections:
        asked = f"{shown_path(file)}:{one.line}" if one.line else ""
        yield name, word, shown(one.message, limit=400), _where(one) or shown_path(verdict.root) or ".", asked


def _where(one: Objection) -> str:
    return shown_path(one.file) + (f":{one.at}" if one.file and one.at else "")


def _notes(checked: Checked) -> Iterator[Node]:
    yield heading("Notes")
    rows = [shown(note, limit=400) for note in checked.notes]
    if checked.hidden is not None:
        dead = checked.hidden.dead
        hidden = count(checked.hidden.number, "finding")
        rows.append(f"baseline: {hidden} hidden, {count(len(dead), 'entry', 'entries')} dead")
        rows += [f"dead: {shown(one)}" for one in dead]
    yield element("ul", None, *(element("li", None, Text(row)) for row in rows))

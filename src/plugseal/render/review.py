"""A review as text: all that a person must see, in the order in which they must see it, ending in the exact token.

Pure: from a `Review` to lines. Nothing is left out: what is long is broken between words or cut with a count, and a
plugin's words can neither move the cursor nor stand at the beginning of a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import Final

from plugseal.model.change import WRAPPED
from plugseal.model.look import Look
from plugseal.model.plugin import Component
from plugseal.model.review import Ability, Review, first_places
from plugseal.model.secrets import mask_secrets
from plugseal.model.trust import TrustStatus
from plugseal.render.ceremony import shown_only
from plugseal.render.change import render_change
from plugseal.render.finding import place_of
from plugseal.render.masked import masked_value, masked_words
from plugseal.render.next import look_word
from plugseal.render.runs import render_runs
from plugseal.render.sections import render_broken, render_left_out, render_refused, render_unread
from plugseal.render.text import BLANK, GAP, Line, Piece, count, line, pad
from plugseal.render.way import way_to
from plugseal.shown import display_width, shown, shown_argv, shown_path

MAX_VALUE: Final = 4000
"""Characters of one word of a command: beyond, it is cut with a count."""
MAX_PLACES: Final = 3
_UNDER_FACT: Final = " " * 11
_STATES: Final = {
    TrustStatus.NOT_REVIEWED: "never trusted",
    TrustStatus.CAPABILITIES_CHANGED: "capabilities changed since it was trusted",
    TrustStatus.CONTENT_CHANGED: "content changed since it was trusted",
    TrustStatus.TRUSTED: "trusted as it is",
}


def render_review(review: Review, *, width: int = 100, trust: str = "") -> Iterator[Line]:
    """Yield the whole review.

    Args:
        review: what is to be judged.
        width: columns that tables may use.
        trust: the command that trusts it, without its token; by default `plugseal trust` and the plugin.
    """
    yield line(Piece(f"Review of {shown(review.look.title)}", "title"))
    yield BLANK
    *sections, ending = review_parts(review, width=width, trust=trust).values()
    for section in sections:
        lines = list(section)
        if lines:
            yield from lines
            yield BLANK
    yield from ending


def review_parts(review: Review, *, width: int = 100, trust: str = "") -> dict[str, Iterator[Line]]:
    """Return the parts of a review in the order in which they must be read.

    Args:
        review: what is to be judged.
        width: columns that tables may use.
        trust: as of `render_review`.
    """
    look = review.look
    return {
        "change": _changed(review),
        "source": _source(review),
        "components": _components(look, width=width),
        "runs": render_runs([look.report], width=width, everything=True),
        "abilities": _abilities(review),
        "findings": _findings(look),
        "unread": _not_read(look),
        "broken": render_broken([look.report], everything=True),
        "refused": render_refused(look.inventory, everything=True),
        "left out": render_left_out(look.inventory.left_out),
        "receipts": _receipts(review),
        "ending": _ending(review, trust),
    }


def _changed(review: Review) -> Iterator[Line]:
    if review.change is not None:
        yield from render_change(review.change, title="Changed since trust")
    if review.change_unknown:
        yield line(Piece("Changed since trust", "title"), f": can't be told: {shown(review.change_unknown)}")


def _source(review: Review) -> Iterator[Line]:
    look = review.look
    plugin, report = look.plugin, look.report
    executable = sum(1 for entry in look.tree.entries if entry.executable)
    more = f", {executable:,} executable" if executable else ""
    yield from _fact("source", f"{shown_path(look.path)} (read, not run)")
    yield from _fact("root", shown_path(look.subject.root))
    yield from _fact("id", shown(look.id))
    yield from _fact("system", f"{shown(plugin.system)}, {shown_path(plugin.manifest)}")
    if plugin.description:
        yield from _fact("says", shown(mask_secrets(plugin.description), limit=MAX_VALUE))
    yield from _fact("files", f"{count(report.files, 'file')}, {count(report.bytes, 'byte')}{more}")
    yield from _fact("state", _state(review))
    if look.links:
        what = "copied as plain files and folders" if report.content_receipt else "not followed"
        yield from _fact("links", f"{count(len(look.links), 'link')}, {what}")
        for path, target in look.links:
            yield line(_UNDER_FACT, Piece(shown_path(path), "path"), " -> ", Piece(shown_path(target), "path"))


def _state(review: Review) -> str:
    standing = review.standing
    words = _STATES[review.status]
    if standing is None:
        return words
    if standing.trust is not None:
        only = shown_only(standing.trust.only)
        words += (f" ({only})" if only else "") + f", {standing.trust.at} by {shown(standing.trust.by.user)}"
    elif review.status is TrustStatus.NOT_REVIEWED:
        words = "forgotten" if standing.forgotten else "revoked"
    enabled = "enabled" if standing.enabled else "not enabled"
    return f"{words}; {enabled}, generation {standing.generation:,}"


def _fact(name: str, words: str) -> Iterator[Line]:
    yield line(GAP, pad(name, 8), " ", words)


def _components(look: Look, *, width: int) -> Iterator[Line]:
    components = look.plugin.components
    if not components:
        return
    yield line(Piece("Components", "title"))
    kinds = max(display_width(component.kind.value) for component in components)
    for component in components:
        name = shown(component.name, limit=MAX_VALUE)
        kind = pad(component.kind.value, kinds)
        yield line(GAP, kind, GAP, Piece(name, "literal"), GAP, Piece(_place(component), "path"))
        for words in _launch(component):
            yield from _wrapped(words, indent=kinds + 2 * len(GAP), width=width)


def _place(component: Component) -> str:
    path = shown_path(component.file)
    return f"{path}:{component.span.line}" if component.span.line else path


def _launch(component: Component) -> Iterator[list[str]]:
    """Yield everything that its start is made of, a row of words each."""
    if component.command:
        words = [shown_argv([word], limit=MAX_VALUE) for word in masked_words(component.command)]
        yield ["shell" if component.shell else component.transport or "exec", *words]
    if component.endpoint:
        yield [component.transport or "http", shown_argv([mask_secrets(component.endpoint)], limit=MAX_VALUE)]
    if component.cwd:
        yield ["cwd", shown_argv([component.cwd], limit=MAX_VALUE)]
    for name, source in component.environment:
        if source is not None:
            yield ["env", f"{shown(name)} <- {shown(source)}"]
    for name, value in component.literals:
        yield ["env", f"{shown(name)} =", shown_argv([masked_value(name, value)], limit=MAX_VALUE)]
    for name, value in component.headers:
        yield ["header", f"{shown(name)} <-", shown_argv([masked_value(name, value)], limit=MAX_VALUE)]
    for name, value in component.extra:
        yield [f"{shown(name)}:", shown(mask_secrets(value), limit=MAX_VALUE)]


def _wrapped(words: list[str], *, indent: int, width: int) -> Iterator[Line]:
    """Yield words in rows that break between words alone."""
    current, margin = "", " " * indent
    for word in words:
        longer = f"{current} {word}" if current else word
        if current and display_width(margin + longer) > width:
            yield line(margin, current)
            longer = f"{GAP}{word}"
        current = longer
    yield line(margin, current)


def _abilities(review: Review) -> Iterator[Line]:
    if not review.abilities:
        yield line(Piece("Can do", "title"), ": nothing was found")
        return
    yield line(Piece("Can do", "title"))
    names = max(len(ability.capability) for ability in review.abilities)
    for ability in review.abilities:
        yield line(
            GAP,
            pad(ability.capability, names),
            GAP,
            Piece("?" if ability.object is None else shown(mask_secrets(ability.object), limit=MAX_VALUE), "literal"),
        )
        yield line(" " * (names + 2 * len(GAP)), _evidence(ability))
        if ability.reached is not None:
            yield line(" " * (names + 2 * len(GAP)), way_to(*ability.reached))


def _evidence(ability: Ability) -> str:
    parts = [", ".join(map(shown, ability.triggers))]
    places = first_places(ability.places, MAX_PLACES)
    if places:
        where = ", ".join(f"{shown_path(file)}:{at}" if at else shown_path(file) for file, at in places)
        more = len(ability.places) - len(places)
        parts.append(where + (f" and {more:,} more" if more else ""))
    if ability.declared is not None:
        parts.append("declared" if ability.declared else "not declared")
    return "; ".join(parts)


def _findings(look: Look) -> Iterator[Line]:
    found = sorted(look.findings, key=lambda finding: -finding.severity.rank)
    if not found:
        yield line(Piece("Findings", "title"), f": none by {count(look.inventory.rules, 'rule')}")
        return
    yield line(Piece("Findings", "title"))
    rules = max(len(shown(finding.rule)) for finding in found)
    for finding in found:
        severity = finding.severity.value
        place = Piece(place_of(finding.file, finding.span), "path")
        yield line(GAP, Piece(pad(severity, 6), severity), GAP, pad(shown(finding.rule), rules), GAP, place)


def _not_read(look: Look) -> Iterator[Line]:
    if not look.report.unread:
        yield line(Piece("Not read", "title"), ": nothing")
        return
    yield from render_unread(look.report.unread, everything=True)


def _receipts(review: Review) -> Iterator[Line]:
    look = review.look
    report = look.report
    yield line(Piece("Receipts", "title"))
    content = report.content_receipt or "none: links, names that collide or the like prevent it"
    yield line(GAP, "content     ", Piece(content, "literal" if report.content_receipt else "high"))
    yield line(GAP, "capability  ", Piece(report.capability_receipt, "literal"))
    yield line(GAP, "rules       ", f"{look.inventory.rules:,} rules, {look.inventory.rules_digest[:8]}")
    rests = f"{len(report.unread):,} not read, {look.unknown:,} with an object that is not known"
    yield line(GAP, "rests on    ", rests)
    for host in review.hosts:
        if host.id:
            yield line(GAP, f"{host.host} id  ", Piece(shown(host.id), "literal"))
        for token in host.tokens:
            yield line(GAP, f"{host.host} {token.stream} ({token.versions})  ", Piece(token.token, "literal"))


def _ending(review: Review, trust: str) -> Iterator[Line]:
    look = review.look
    yield line("What is trusted runs with your own rights. Trust is not a sandbox.")
    token = look.report.token
    if review.change is not None and review.change.comes_to == WRAPPED:
        yield line("It is what was trusted, but for what `wrap` wrote into it: nothing is to be done.")
        yield line("To review and trust it anew, put the client's configuration back first: `plugseal unwrap FILE`")
        return
    if token is None:
        why = "was not understood in full" if look.plugin.is_broken else "can have no receipt"
        yield line(Piece(f"It can't be trusted: it {why}.", "high"))
        return
    if look.only:
        names = ", ".join(shown(name) for name in look.only)
        yield line(
            "Only these components are meant, and nothing else of it will be permitted: ", Piece(names, "literal")
        )
    yield line("To trust exactly this content and exactly these capabilities:")
    yield BLANK
    command = trust or f"plugseal trust {look_word(look)}"
    only = f" --only {quote(','.join(look.only))}" if look.only else ""
    yield line(Piece(f"{command} {token}{only}", "command"))

"""Steps that tell only together what a program is for, in whatever language it is written: they rest on facts alone.

What is fetched or decoded is run, what is written beside a connection is started, the environment is part of a request,
a shell stands behind a bare connection. They ask for no name of any library.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.lang.facts import FileFacts, Interest
from plugseal.model.capability import SURE, Fact
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.detectors.facts import channels_of, first_places
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.notes import span_text
from plugseal.scan.matching.values import is_within, searches

_HANDED_ON: Final = lazy(r"\.then\s*\([^;]{0,400}\.then\s*\(\s*$")
"""What stands between a request and the name of what is called with its text."""
_RAW: Final = lazy(
    r"TCPSocket|UNIXSocket|fsockopen|stream_socket_client|socket_connect|IO::Socket|\bconnect\s*\(|socket\.tcp|\btcp\s*\("
)
"""Connections that carry no protocol of their own."""
_MAX_LINES: Final = 16
_SHELL: Final = lazy(r"(?i)(?:^|[/\\])(?:ba|z|da|k)?sh$|(?:^|[/\\])(?:cmd|powershell|pwsh)(?:\.exe)?$")
_RUN_BY_NAME: Final = lazy(r"[/\\]")
_PERSONAL: Final = lazy(
    r"^(?:~|/(?:home|Users)/[^/]{1,64}|[A-Za-z]:\\Users\\[^\\]{1,64})(?:[/\\](?:Documents|Desktop|Downloads|Pictures|Photos|Music|Movies|OneDrive))?[/\\]?\*?$"
)
"""All of somebody's home, or of a folder in which people keep what is theirs."""
_ASKS_ABOUT: Final = lazy(
    r"(?i)^(?:[\w.]{1,60}[.:>])?(?:exists(?:sync)?|access(?:sync)?|l?stat(?:sync)?|(?:is_?)(?:dir|file|directory)\??|exist\?)\s*\("
)
"""How a call begins that only asks whether something is there."""
_LOOKS_UP: Final = lazy(
    r"(?i)^(?:sudo\s+)?(?:nslookup|dig|host|drill|Resolve-DnsName)\s"
    r"|^[^\n]{0,60}?(?:gethostbyname|getaddrinfo|dns[\w\"')]{0,12}\.(?:lookup|resolve)\w{0,12})\s*\("
)
_OURSELVES: Final = lazy(r"^(?:localhost|127\.[0-9.]+|\[?::1\]?)(?::[0-9*]+)?$")
_ASKS_NOBODY: Final = lazy(
    r"--(?:dangerously-(?:skip-permissions|bypass-approvals-and-sandbox|allow-all)|allow-all-tools|trust-all-tools"
    r"|skip-permissions-unsafe)"
)


def _of(facts: FileFacts, *capabilities: str) -> list[Fact]:
    """Return what a file itself surely does of some capabilities."""
    wanted, done = frozenset(capabilities), channels_of(facts)
    return [f for f in facts.facts if f.capability in wanted and f.resolution in SURE and f.channel in done]


class _Spans:
    """Places, asked for those within another one."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts = sorted(facts, key=lambda fact: fact.span)
        self._starts = [fact.span[:2] for fact in self._facts]

    def first_within(self, outer: Span) -> Fact | None:
        """Return the first fact whose place lies in a span and is not all of it."""
        for at in range(bisect_left(self._starts, outer[:2]), len(self._facts)):
            span = self._facts[at].span
            if span[:2] > outer[2:]:
                return None
            if span != outer and is_within(span, outer):
                return self._facts[at]
        return None


def _look_for_fetched_run(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield code that comes from a connection within one expression, or is handed on by it."""
    done = channels_of(facts)
    sends = _of(facts, "net.outbound")
    fetched = {fact.span for fact in _of(facts, "code.fetched")}
    spans = _Spans(sends)
    by_line: dict[int, Fact] = {}
    for fact in sends:
        by_line.setdefault(fact.span.line, fact)
    for fact in facts.facts:
        if fact.capability != "code.dynamic" or fact.channel not in done:
            continue
        found = spans.first_within(fact.span)
        before = by_line.get(fact.span.line)
        if found is None and before is not None and before.span < fact.span:
            text = "".join(lines(fact.span.line)[:1])[before.span.column - 1 : fact.span.column - 1]
            found = before if searches(_HANDED_ON, text) else None
        if found is not None or fact.span in fetched:
            whence = found.object if found is not None else None
            yield Hit(fact.span, f"it comes from {whence}" if whence else "it comes from a connection", whence)


def _look_for_dropped_run(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield the start of a file that the same program wrote, where it also connects to somewhere."""
    sends = _of(facts, "net.outbound")
    if not sends:
        return
    written = {fact.object for fact in _of(facts, "fs.write") if fact.object is not None and "*" not in fact.object}
    where = next((fact.object for fact in sends if fact.object), None)
    seen: set[str] = set()
    for fact in facts.facts:
        path = fact.object
        starts = fact.capability in ("process.exec", "process.shell") and fact.resolution in SURE
        if starts and path in written and path not in seen and path is not None and searches(_RUN_BY_NAME, path):
            seen.add(path)
            note = f"`{path}` is written here" + (f", with a connection to {where}" if where else "")
            yield Hit(fact.span, note, path)


def _look_for_environment_in_request(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield requests that hold the whole environment in their own words, or are piped all of it."""
    bulk = _of(facts, "env.bulk")
    spans = _Spans(bulk)
    starts = {fact.span.line: fact for fact in bulk}
    for fact in _of(facts, "net.outbound"):
        before = starts.get(fact.span.line)
        is_piped = before is not None and before.span < fact.span and _is_piped(before, fact, lines)
        if is_piped or spans.first_within(fact.span) is not None:
            yield Hit(fact.span, "the whole environment is sent", fact.object)


def _is_piped(before: Fact, fact: Fact, lines: Lines) -> bool:
    between = "".join(lines(fact.span.line)[:1])[before.span.column - 1 : fact.span.column - 1]
    return "|" in between and ";" not in between


def _look_for_personal_files(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield the reading of all that a person keeps in a folder, where the same file connects to somewhere."""
    sends = [fact for fact in _of(facts, "net.outbound") if not searches(_OURSELVES, fact.object or "")]
    where = next((fact.object for fact in sends if fact.object), None)
    for path, span in first_places(facts, "fs.read") if sends else ():
        if searches(_PERSONAL, path) and not searches(_ASKS_ABOUT, span_text(span, lines(span.line))):
            yield Hit(span, f"the file also sends to {where}" if where else "the file also sends out", path)


def _look_for_secret_in_name(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield the look-up of a name that holds a variable or a secret: the server of that name reads it."""
    spans = _Spans(_of(facts, "env.read", "env.bulk", "credentials.read"))
    for fact in _of(facts, "net.outbound"):
        held = spans.first_within(fact.span)
        if held is not None and searches(_LOOKS_UP, span_text(fact.span, lines(fact.span.line))):
            yield Hit(fact.span, f"`{held.object}` stands in it" if held.object else "", held.object)


def _look_for_shell_on_connection(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield shells, and lines that nobody knows, in a program that has a connection without a protocol."""
    sends = [fact for fact in _of(facts, "net.outbound") if searches(_RAW, span_text(fact.span, lines(fact.span.line)))]
    if not sends:
        return
    for fact in _of(facts, "process.shell", "process.exec"):
        is_open = fact.capability == "process.shell" and fact.object is None
        if is_open or searches(_SHELL, fact.object or ""):
            yield Hit(fact.span, f"connected to {sends[0].object}" if sends[0].object else "", sends[0].object)
            return


def _look_for_decoded_run(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield code that is decoded where it is run."""
    decoded = {fact.span for fact in _of(facts, "code.obfuscated")}
    for fact in _of(facts, "code.dynamic"):
        if fact.span in decoded:
            yield Hit(fact.span, "")


def _look_for_agent_options(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield options by which an agent asks nobody, as items of a list in a program that starts others."""
    done = channels_of(facts)
    starts = [f.span for f in facts.facts if f.capability in ("process.exec", "process.shell") and f.channel in done]
    if not starts:
        return
    # What stands in the call itself has a rule of its own.
    calls = {line for span in starts for line in range(span.line, min(span.end_line, span.line + _MAX_LINES) + 1)}
    seen: set[str] = set()
    for event in facts.events:
        if event.kind != "string" or event.name in seen or event.span.line in calls:
            continue
        if _ASKS_NOBODY.fullmatch(event.name):
            text = "".join(lines(event.span.line)[:1])
            before, after = text[: event.span.column - 1].rstrip(), text[event.span.end_column - 1 :].lstrip()
            if event.span.end_line == event.span.line and before.endswith(("[", ",")) and after.startswith((",", "]")):
                seen.add(event.name)
                yield Hit(event.span, "", event.name)


PERSONAL_FILES: Final = CodeDetector(_look_for_personal_files)
SECRET_IN_NAME: Final = CodeDetector(_look_for_secret_in_name)
FETCHED_RUN: Final = CodeDetector(_look_for_fetched_run)
DROPPED_RUN: Final = CodeDetector(_look_for_dropped_run)
ENVIRONMENT_IN_REQUEST: Final = CodeDetector(_look_for_environment_in_request)
SHELL_ON_CONNECTION: Final = CodeDetector(_look_for_shell_on_connection)
DECODED_RUN: Final = CodeDetector(_look_for_decoded_run)
AGENT_OPTIONS: Final = CodeDetector(_look_for_agent_options, Interest(strings=_ASKS_NOBODY))

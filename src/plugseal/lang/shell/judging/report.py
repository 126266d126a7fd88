"""What one script yields while it is judged: facts, events for the rules, texts of other languages.

Facts know the function they stand in until the end: when it is clear which functions run, that becomes their trigger.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import UNKNOWN, Event, Nested, Value
from plugseal.lang.folded import HOLE
from plugseal.lang.judging.hosts import host_meanings
from plugseal.lang.judging.objects import MAX_OBJECT, cut_object
from plugseal.lang.judging.paths import climbs_out, is_outside, path_meanings, paths_outside
from plugseal.lang.shell.parsing.names import CALLED, NO_HISTORY, PROMPTS
from plugseal.lang.shell.words.marks import OWN, ROOT, SPLIT
from plugseal.model.capability import Fact
from plugseal.model.location import Span
from plugseal.model.variables import is_followed, loading
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.judging.outcome import Outcome

_new: Final = tuple.__new__
_PLACE: Final = itemgetter(2)
_TRIGGERS: Final = ("start", "unknown")
UNKNOWN_PART: Final = "\ufffd"
"""Stands in an event's texts for what is not known."""
_STANDARD_PROGRAMS: Final = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/")
_HISTORY: Final = lazy(r"(?:^|/)\.(?:bash|zsh|sh|python|mysql|psql|node_repl)_?history$|(?:^|/)\.?fish_history$")
_SHELL_LOADS: Final = "/etc/ld.so.preload"
_LINES: Final = frozenset(
    "PROMPT_COMMAND GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_EDITOR GIT_PAGER LESSOPEN LESSCLOSE".split()
)
"""Variables whose value is a line for a shell."""
_SOCKET: Final = lazy(r"/dev/(?:tcp|udp)/([^/]*)(?:/(.*))?")
_OURS: Final = lazy(f"[{HOLE}{SPLIT}{OWN}{ROOT}]")
"""Our marks, which nobody outside of this reader knows."""
_NO_FILES: Final = frozenset(
    "/dev/null /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/zero /dev/full /dev/random /dev/urandom - 0 1 2".split()
)


class Report:
    """The facts, events and nested texts of one script, as they come."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.depth = 0
        """How many folders below the place of its start the script is, where it stands now."""
        self.found: set[tuple[Span, str, str | None, str, str]] = set()
        """(place, capability, object, resolution, function)."""
        self._outcomes: list[tuple[Span, str, Outcome]] = []
        """(place, function, what was added of it)."""
        self.events: list[tuple[str, str, Span, tuple[Value, ...], str, str]] = []
        """(kind, name, place, arguments, resolution, function)."""
        self.nested: list[tuple[Nested, str]] = []
        """With the function that they stand in."""

    def add(self, span: Span, capability: str, found: str | None, resolution: str, function: str) -> None:
        """Add one fact."""
        if found is not None and _OURS.search(found):
            found = _OURS.sub("*", self.plain(found))
        self.found.add((span, capability, found, resolution, function))

    def event(self, kind: str, name: str, span: Span, words: Sequence[str], resolution: str, function: str) -> None:
        """Add something that rules may match."""
        values: tuple[Value, ...] = tuple(words)
        if words and _OURS.search("\n".join(words)):
            values = tuple(UNKNOWN if word == HOLE else self.plain(word).replace(HOLE, UNKNOWN_PART) for word in words)
        self.events.append((kind, self.plain(name), span, values, resolution, function))

    def add_all(self, span: Span, function: str, outcome: Outcome) -> None:
        """Add all that a command means by its words alone."""
        self._outcomes.append((span, function, outcome))
        for kind, name, words, resolution in outcome.events:
            self.events.append((kind, name, span, words, resolution, function))
        for nested in outcome.nested:
            self.nested.append((nested._replace(span=span), function))

    def agree(self, since: int) -> None:
        """Take what every one of the latest outcomes says for sure: they are what one command may mean.

        Args:
            since: how many there were before.
        """
        latest = self._outcomes[since:]
        said = [{(capability, found) for capability, found, _ in outcome.facts} for _, _, outcome in latest]
        common = set.intersection(*said) if said else set()
        for at, (span, function, outcome) in enumerate(latest, start=since):
            facts = tuple(
                (capability, found, "resolved" if how == "possible" and (capability, found) in common else how)
                for capability, found, how in outcome.facts
            )
            self._outcomes[at] = (span, function, outcome._replace(facts=facts))

    @property
    def outcomes(self) -> int:
        """How many outcomes have been told."""
        return len(self._outcomes)

    def plain(self, text: str) -> str:
        """Return a word as a reader of the script would name it, without our marks."""
        if OWN in text:
            text = self.own(text)
        if ROOT in text:
            text = text.replace(ROOT + "/", "").replace(ROOT, ".")
        return text.replace(SPLIT, " ") if SPLIT in text else text

    def own(self, text: str) -> str:
        """Return a path beside the script, below the scanned root; with `..` in front where it leads out."""
        head, _, rest = text.partition(OWN)
        if head:
            return text.replace(OWN, ".")
        rest = rest.replace(OWN, ".").lstrip("/")
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.path), rest)) or "."

    def add_path(self, span: Span, capability: str, text: str, resolution: str, function: str) -> None:
        """Add what is done to a path, and what that means."""
        socket = _SOCKET.match(text)
        if socket:
            self.add_host(span, "net.outbound", _address(socket), resolution, function)
            return
        if text in _NO_FILES or (text.startswith("/dev/fd/")):
            return
        path = self.plain(text)
        if text[:1] in (OWN, ROOT):
            found = cut_object("path", path)
            self.add(span, capability, found, resolution, function)
            if climbs_out(path):
                self.add(span, "path.outside", found, resolution, function)
            return
        found = cut_object("path", path)
        self.add(span, capability, found, resolution, function)
        if found is not None:
            self._add_meaning(span, capability, path.replace(HOLE, "*"), found, (resolution, function))

    def _add_meaning(self, span: Span, capability: str, path: str, found: str, rest: tuple[str, str]) -> None:
        for more in _meanings(capability, path, self.depth):
            self.add(span, more, None if more == "env.bulk" else found, *rest)

    def add_host(self, span: Span, capability: str, text: str | None, resolution: str, function: str) -> None:
        """Add a connection to what a word names."""
        plain = None if text is None else self.plain(text).replace("\\", "")
        host = cut_object("host", plain) if plain is not None else None
        if host is not None and "/" in host and not host.startswith("["):
            host = host.partition("/")[0] or None
        self.add(span, capability, host, resolution, function)
        if host is None:
            return
        for more in host_meanings(host):
            self.add(span, more, host, resolution, function)

    def add_program(self, span: Span, word: str, resolution: str, function: str) -> None:
        """Add the start of a program."""
        name = self.plain(word)
        if HOLE in name:
            tail = name.rpartition("/")[2]
            self.add(span, "process.exec", None if HOLE in tail else tail, "possible", function)
            return
        if len(name) > MAX_OBJECT:
            name = name[: MAX_OBJECT - 1] + "…"
        self.add(span, "process.exec", name, resolution, function)
        if (leads_out(name, self.depth) and not name.startswith(_STANDARD_PROGRAMS)) or (
            word[:1] in (OWN, ROOT) and climbs_out(name)
        ):
            self.add(span, "path.outside", name, resolution, function)

    def add_script(self, span: Span, word: str, resolution: str, function: str) -> None:
        """Add where the file lies that an interpreter is told to run, if that is outside."""
        path = self.plain(word)
        is_outside_own = word[:1] in (OWN, ROOT) and climbs_out(path)
        if is_outside_own or (leads_out(path, self.depth) and not path.startswith(_STANDARD_PROGRAMS)):
            self.add(span, "path.outside", cut_object("path", path), resolution, function)

    def add_variable(self, span: Span, name: str, value: str, resolution: str, function: str) -> None:
        """Add the setting of a variable of the environment, and what that means."""
        self.add(span, "env.write", name, "direct", function)  # that it is set is sure, whatever it holds
        loads = loading(name, value)
        if loads is not None and name not in PROMPTS:
            self.add(span, loads.capability, name, "possible", function)
        if name in _LINES:
            if value.strip(HOLE + " "):
                line = self.plain(value.lstrip("|")).replace(HOLE, "${_}")
                self.add_nested(Nested("shell", line, span, (), "unknown", name), function)
        elif name in PROMPTS and ("$(" in value or "`" in value):
            self.add(span, "code.dynamic", name, resolution, function)
            quoted = self.plain(value).replace(HOLE, "_").replace('"', "")
            self.add_nested(Nested("shell", f': "{quoted}"', span, (), "unknown", name), function)
        elif name in CALLED and " " in value.strip():
            line = self.plain(value).replace(HOLE, "${_}")
            self.add_nested(Nested("shell", line, span, (), "unknown", name), function)
        elif name in NO_HISTORY and value in ("", "/dev/null", "0"):
            self.add(span, "code.obfuscated", name, resolution, function)
        if is_followed(name):
            for path in paths_outside(_OURS.sub(HOLE, value)):
                self.add(span, "path.outside", cut_object("path", path), resolution, function)

    def add_nested(self, nested: Nested, function: str) -> None:
        """Add a text that its own reader reads."""
        self.nested.append((nested, function))

    def facts(self, running: set[str]) -> tuple[Fact, ...]:
        """Return the facts, sorted.

        Args:
            running: the functions that run when the script does.
        """
        # As `fact_order` sorts them, with "start" before "unknown".
        keys = [
            (span, capability, found is not None, found or "", resolution, function not in running)
            for span, capability, found, resolution, function in self.found
        ]
        keys += [
            (span, capability, found is not None, found or "", resolution, function not in running)
            for span, function, outcome in self._outcomes
            for capability, found, resolution in outcome.facts
        ]
        return tuple(
            [
                _new(Fact, (span, capability, found if is_known else None, resolution, "shell", _TRIGGERS[is_late]))
                for span, capability, is_known, found, resolution, is_late in sorted(set(keys))
            ]
        )

    def event_list(self, running: set[str]) -> tuple[Event, ...]:
        """Return the events, sorted by place."""
        self.events.sort(key=_PLACE)
        return tuple(
            [
                _new(Event, (kind, name, span, words, (), resolution, _TRIGGERS[function not in running]))
                for kind, name, span, words, resolution, function in self.events
            ]
        )

    def nested_list(self, running: set[str]) -> tuple[Nested, ...]:
        """Return the nested texts, each once, by place."""
        found = {
            nested._replace(trigger="start" if function in running else "unknown") for nested, function in self.nested
        }
        return tuple(sorted(found, key=lambda nested: (nested.span, nested.language, nested.text, *nested[3:])))


def _address(socket: re.Match[str]) -> str | None:
    host, port = socket[1], socket[2] or ""
    if not host or HOLE in host:
        return None
    return f"{host}:{port}" if port.isdigit() else host


def leads_out(path: str, depth: int) -> bool:
    """Say whether a path leads out of the plugin and the workspace, read from some folders below the first."""
    if not is_outside(path):
        return False
    return not depth or climbs_out(path, depth) or is_outside(path.replace("..", "."))


@lru_cache(maxsize=1024)
def _meanings(capability: str, path: str, depth: int) -> tuple[str, ...]:
    """Return what else it is that something is done to a path."""
    found = ["path.outside"] if leads_out(path, depth) else []
    found += path_meanings(capability, path)
    if capability in ("fs.write", "fs.delete") and _HISTORY.search(path):
        found.append("code.obfuscated")
    if capability == "fs.write" and path == _SHELL_LOADS:
        found.append("code.native")
    if capability == "fs.write" and "/etc/sudoers" in path:
        found.append("privilege")
    return tuple(found)

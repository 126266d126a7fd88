"""What one file yields while it is judged by its language's tables: facts, events, and what waits for the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from plugseal.lang.facts import UNKNOWN, Event, Interest, Nested, Value
from plugseal.lang.folded import HOLE
from plugseal.lang.judging.argument_lists import acts_of, code_of, known_words, line_of, shell_line, word_list
from plugseal.lang.judging.hosts import host_meanings
from plugseal.lang.judging.objects import cut_object, is_remote, is_socket_file, share_of
from plugseal.lang.judging.paths import is_outside, is_secret, path_meanings, paths_outside
from plugseal.lang.judging.table_rule import Rule
from plugseal.model.capability import Fact
from plugseal.model.location import Span
from plugseal.model.variables import is_followed, loading
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.programs import Act

_STANDARD_PROGRAMS: Final = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/")
_ALL: Final = "0.0.0.0"  # noqa: S104  # nosec B104  # said, not listened on
UNKNOWN_PART: Final = "\ufffd"
"""Stands in an event's texts for what is not known."""
_BESIDE: Final = lazy(r"(?:\./|\.\./(?!\.\./))[^\x00]+$")
_FILE: Final = lazy(r"(?:\.{0,2}/|~/|file:|[A-Za-z]:[\\/])(?!/)|file://")


class Report:
    """The facts and events of one file, as they come."""

    __slots__ = ("channel", "events", "facts", "interest", "nested", "pending")

    def __init__(self, interest: Interest) -> None:
        self.interest = interest
        self.channel = "code"
        self.facts: set[Fact] = set()
        self.events: list[Event] = []
        self.pending: list[Event] = []
        self.nested: set[Nested] | None = None
        """Lines and code for other readers; None where there is nobody to read them."""

    def add(self, span: Span, capability: str, found: str | None, resolution: str, trigger: str) -> None:
        """Add one fact."""
        self.facts.add(Fact(span, capability, found, resolution, self.channel, trigger))

    def add_ruled(self, span: Span, rule: Rule, capability: str, value: Value, resolution: str, trigger: str) -> bool:
        """Add the facts that a rule gives for one value of its object, those that the value itself adds included.

        Returns:
            Whether the value turns the capability into another one: the address of a local file is read, a path on
            another machine is connected to. Any other value that the object may have keeps the rule's own.
        """
        kind, is_turned = rule.kind, False
        if kind == "sql":
            self._add_sql(span, value, resolution, trigger)
            return False
        is_folder = kind == "folder"  # one that modules are looked for in, from wherever the program was started
        if is_folder:
            kind = "path"
        if kind == "prefix":
            kind, value = "path", value + HOLE if isinstance(value, str) else value
        if kind == "host" and is_script_address(value):
            # A page is not left for it: its own script runs.
            self.add(span, "code.dynamic", None, resolution, trigger)
            return True
        if kind == "host" and capability == "net.outbound" and (path := _local_file(value)) is not None:
            # What opens addresses opens files as well: `urlopen("file:///etc/passwd")`.
            kind, capability, value, is_turned = "path", "fs.read", path, True
        elif kind == "host" and capability == "net.listen":
            value = _everywhere(value)
        elif kind == "path" and capability.startswith("fs.") and isinstance(value, str) and is_remote(value):
            self.add(span, "net.outbound", cut_object("host", value), resolution, trigger)
            return True
        if capability == "path.outside":
            self._add_outside(span, value, resolution, trigger)
        elif is_folder or not _says_nothing(rule, kind, capability, value):
            if kind == "address" and is_socket_file(value):
                resolution = "possible"
            found = rule.literal if rule.literal is not None else cut_object(kind, value)
            self.add(span, capability, found, resolution, trigger)
            if rule.looks and isinstance(value, str):
                self._add_looked_at(span, value.replace(HOLE, "*"), found, resolution, trigger)
            else:
                self._add_meanings(span, kind, capability, value, found, resolution, trigger)
        return is_turned

    def _add_looked_at(self, span: Span, path: str, found: str | None, resolution: str, trigger: str) -> None:
        """Add what it means that a file is only asked for; who asks for a secret may read it by and by."""
        self._add_path(span, "", path, found, resolution, trigger)
        if is_secret(path):
            self.add(span, "credentials.read", found, "possible", trigger)

    def _add_outside(self, span: Span, value: Value, resolution: str, trigger: str) -> None:
        """Add that another program opens a path, where that leads out."""
        path = value.removeprefix("file://") if isinstance(value, str) else ""
        if is_outside(path.replace(HOLE, "*")):
            self.add(span, "path.outside", cut_object("path", path), resolution, trigger)

    def _add_meanings(
        self, span: Span, kind: str, capability: str, value: Value, found: str | None, resolution: str, trigger: str
    ) -> None:
        """Add what the object of a fact means by itself."""
        if kind == "path" and isinstance(value, str):
            self._add_path(span, capability, value.replace(HOLE, "*"), found, resolution, trigger)
        elif kind in ("host", "address") and found is not None:
            self._add_host(span, found, resolution, trigger)
        elif kind == "program":
            self._add_program(span, capability, value, found, resolution, trigger)

    def add_variable(self, span: Span, name: str, value: Value, resolution: str, trigger: str) -> None:
        """Add what setting one environment variable means."""
        self.add(span, "env.write", name, resolution, trigger)
        self.add_loaded(span, name, value, resolution, trigger)

    def add_given_variable(self, span: Span, name: str, value: Value, trigger: str) -> None:
        """Add what it means that one program is started with a variable: nothing where it loads no code."""
        loads = loading(name, value if isinstance(value, str) else HOLE)
        if loads is not None:
            self.add(span, "env.write", name, "resolved" if loads.is_sure else "possible", trigger)
            self.add_loaded(span, name, value, "resolved", trigger)

    def add_loaded(self, span: Span, name: str, value: Value, resolution: str, trigger: str) -> None:
        """Add what programs load because of a variable, and where outside they look for it."""
        text = value if isinstance(value, str) else HOLE
        loads = loading(name, text)
        if loads is not None:
            self.add(span, loads.capability, name, "possible", trigger)
        if is_followed(name):
            for path in paths_outside(text):
                self.add(span, "path.outside", cut_object("path", path), resolution, trigger)

    def _add_sql(self, span: Span, value: Value, resolution: str, trigger: str) -> None:
        """Add what statements do outside of their database."""
        if not isinstance(value, str):
            return
        from plugseal.lang.sql.acts import acts_of_sql  # few programs talk to a database

        for act in acts_of_sql(value):
            kind = "program" if act.kind == "line" else act.kind
            found = None if act.named is None or HOLE in act.named else cut_object(kind, act.named)
            self.add(span, act.capability, found, resolution, trigger)
            if act.kind == "path" and act.named is not None:
                self._add_path(span, act.capability, act.named.replace(HOLE, "*"), found, resolution, trigger)
            elif act.kind == "line" and act.named and self.nested is not None:
                line = act.named.replace(HOLE, "${_}")
                self.nested.add(Nested("shell", line, span, (), trigger, "SQL"))

    def _add_host(self, span: Span, host: str, resolution: str, trigger: str) -> None:
        for more in host_meanings(host):
            self.add(span, more, host, resolution, trigger)

    def _add_path(
        self, span: Span, capability: str, path: str, found: str | None, resolution: str, trigger: str
    ) -> None:
        if is_outside(path):
            self.add(span, "path.outside", found, resolution, trigger)
        if (share := share_of(path)) is not None:
            self.add(span, "net.outbound", share, "possible", trigger)  # where the system is Windows
        for more in path_meanings(capability, path):
            self.add(span, more, None if more == "env.bulk" else found, resolution, trigger)

    def _add_program(
        self, span: Span, capability: str, value: Value, found: str | None, resolution: str, trigger: str
    ) -> None:
        if found is not None and is_outside(found) and not found.startswith(_STANDARD_PROGRAMS):
            self.add(span, "path.outside", found, resolution, trigger)
        if capability == "process.exec" and (line := shell_line(value)) is not None:
            self.add(span, "process.shell", cut_object("program", line), resolution, trigger)
        if self.nested is not None:
            self.nested.update(
                Nested(language, text, span, (), trigger, how) for language, text, how in code_of(capability, value)
            )
        words = known_words(value) if capability == "process.exec" else []
        if len(words) > 1:
            given = tuple(UNKNOWN if word == HOLE else word.replace(HOLE, UNKNOWN_PART) for word in words[1:])
            name = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
            self.events.append(Event("command", name, span, given, (), resolution, trigger))
        if found is not None:
            acts = acts_of(capability, value, enters_lines=self.nested is None)
            channel, self.channel = self.channel, "nested"
            self._add_acts(span, acts, resolution, trigger)
            self._add_wrapped(span, capability, value, resolution, trigger)
            self.channel = channel

    def _add_wrapped(self, span: Span, capability: str, value: Value, resolution: str, trigger: str) -> None:
        """Add the programs that the started one starts by its words: `sudo`'s, `env`'s, `python -m`'s."""
        if line_of(capability, value) is not None:
            return
        from plugseal.lang.programs import started

        for one in started(known_words(value))[0][1:]:
            if one.name:
                how = "possible" if resolution == "possible" or one.is_elsewhere else "resolved"
                self.add(span, "process.exec", cut_object("program", one.words[0]), how, trigger)

    def _add_acts(self, span: Span, acts: list[Act], resolution: str, trigger: str) -> None:
        """Add what the started program does by its words; it was read, so it is at best resolved."""
        for act in acts:
            how = "possible" if resolution == "possible" or not act.is_sure else "resolved"
            found = cut_object(act.kind or "text", act.named)
            self.add(span, act.capability, found, how, trigger)
            if act.capability == "env.write" and found is not None:
                self.add_loaded(span, found, UNKNOWN, how, trigger)
            elif act.kind == "path" and act.named is not None:
                self._add_path(span, act.capability, act.named.replace(HOLE, "*"), found, how, trigger)
            elif act.kind == "host" and found is not None:
                self._add_host(span, found, how, trigger)


def _says_nothing(rule: Rule, kind: str, capability: str, value: Value) -> bool:
    """Say whether a value leaves nothing of a rule: a file of the tree under its own name, a file where hosts count."""
    if not isinstance(value, str):
        return False
    if capability == "code.import" and _BESIDE.match(value) is not None:
        return True  # It is loaded as by `import "./x"`.
    return kind == "host" and rule.possible and _FILE.match(value) is not None


def is_script_address(value: Value) -> bool:
    """Say whether an address is code that a page runs: `javascript:alert(1)`."""
    return isinstance(value, str) and value.lstrip()[:11].lower() == "javascript:"


def _local_file(value: Value) -> str | None:
    """Return the path of an address that is a file of this machine."""
    if not isinstance(value, str) or value[:8].lower() != "file:///":
        return None
    return unquote(value[7:].partition("?")[0].partition("#")[0])


def _everywhere(value: Value) -> Value:
    """Return an address to listen on; an empty one is every one of the machine."""
    if value == "":
        return _ALL
    words = word_list(value)
    return (_ALL, *words[1:]) if len(words) > 1 and words[0] == "" else value

"""What one file yields while it is judged: facts, events, and what waits for the linker."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from plugseal.lang.facts import Event, Interest, Nested, Ref, Unknown, Value
from plugseal.lang.python.judging.objects import EXECUTABLES, cut_object, is_remote, is_socket_file, share_of
from plugseal.lang.python.parsing.parse import parse_source
from plugseal.lang.python.resolving.paths import (
    is_autostart,
    is_device,
    is_environment,
    is_identity,
    is_outside,
    is_secret,
)
from plugseal.lang.python.resolving.values import HOLE
from plugseal.lang.python.table_rule import Rule
from plugseal.model.capability import Fact
from plugseal.model.location import Span
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.programs import Act

_STANDARD_PROGRAMS: Final = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/")
_SHELLS: Final = frozenset("sh bash zsh dash ksh ash fish cmd cmd.exe powershell powershell.exe pwsh pwsh.exe".split())
_SHELL_SWITCHES: Final = frozenset("-c /c /k -command -encodedcommand -enc -e -lc -ic -ec".split())
_OF_WINDOWS: Final = frozenset(
    "reg schtasks wmic netsh sc taskkill bcdedit icacls attrib takeown rundll32 regsvr32 certutil bitsadmin mshta"
    " cscript wscript msiexec del erase rd copy xcopy robocopy move ren cmd vssadmin wevtutil".split()
)
"""Programs that only Windows has: a line that begins with one, and has its backslashes, is read by `cmd`."""
_NUMBER: Final = lazy(r"(?:0[xX][0-9a-fA-F]+|\d{5,})(?::\d+)?")
"""An address as one number."""
_LOADING: Final = frozenset(("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "LD_LIBRARY_PATH"))
"""Variables that make other programs load code."""
_READ_HERE: Final = frozenset(("python", "awk", "sed", "SQL"))
"""Languages of code for others that is not handed on."""
_ALL: Final = "0.0.0.0"  # noqa: S104  # nosec B104  # said, not listened on
_WRITES: Final = frozenset(("fs.write", "fs.meta"))
_BESIDE: Final = lazy(r"(?:\./|\.\./(?!\.\./))[^\x00]+$")
_FILE: Final = lazy(r"(?:\.{0,2}/|~/|file:|[A-Za-z]:[\\/])(?!/)|file://")
_METADATA: Final = frozenset(
    "169.254.169.254 169.254.170.2 169.254.170.23 metadata.google.internal 100.100.100.200 [fd00:ec2::254]".split()
)
"""Where a machine in a cloud asks for its own credentials."""


class Report:
    """The facts and events of one file, as they come."""

    __slots__ = ("channel", "events", "facts", "interest", "nested", "other_inside", "parse", "pending")

    def __init__(self, interest: Interest, parse: Callable[[str], ast.Module | str] = parse_source) -> None:
        self.interest = interest
        self.parse = parse
        """How code inside strings is parsed."""
        self.other_inside = False
        """Whether code inside a string was refused that another Python may accept."""
        self.channel = "code"
        self.facts: set[Fact] = set()
        self.events: list[Event] = []
        self.pending: list[Event] = []
        self.nested: set[Nested] | None = None
        """Lines and code for other readers; None where there is nobody to read them."""

    def add(self, span: Span, capability: str, found: str | None, resolution: str, trigger: str) -> None:
        """Add one fact."""
        self.facts.add(Fact(span, capability, found, resolution, self.channel, trigger))

    def add_ruled(self, span: Span, rule: Rule, capability: str, value: Value, resolution: str, trigger: str) -> None:
        """Add the facts that a rule gives for one value of its object, those that the value itself adds included."""
        if rule.kind == "prefix":
            rule, value = rule._replace(kind="path"), value + HOLE if isinstance(value, str) else value
        if rule.kind == "host" and capability == "net.outbound" and (path := _local_file(value)) is not None:
            # What opens addresses opens files as well: `urlopen("file:///etc/passwd")`.
            capability, value, rule = "fs.read", path, rule._replace(kind="path")
        elif capability == "net.listen" and rule.kind == "host":
            value = _everywhere(value)
        found = rule.literal if rule.literal is not None else cut_object(rule.kind, value)
        if rule.kind == "path" and isinstance(value, str) and capability.startswith("fs.") and is_remote(value):
            self.add(span, "net.outbound", cut_object("host", value), resolution, trigger)
            return
        if rule.kind == "sql":
            self._add_sql(span, value, resolution, trigger)
            return
        if capability == "path.outside":
            # Said of what other programs open: only where the path leads out.
            path = value.removeprefix("file://") if isinstance(value, str) else ""
            if is_outside(path.replace(HOLE, "*")):
                self.add(span, capability, cut_object("path", path), resolution, trigger)
            return
        if capability == "code.import" and isinstance(value, str) and _BESIDE.match(value):
            # A file of the tree under its own name is loaded as by `import "./x"`.
            return
        if rule.kind == "address" and is_socket_file(value):
            resolution = "possible"
        if rule.kind == "host" and rule.possible and isinstance(value, str) and _FILE.match(value):
            return  # What may be an address or a file is a file.
        self.add(span, capability, found, resolution, trigger)
        if rule.kind == "path" and isinstance(value, str):
            self._add_path(span, capability, value.replace(HOLE, "*"), found, resolution, trigger)
        elif capability == "env.write" and found in _LOADING:
            self.add(span, "code.native", found, "possible", trigger)
        elif rule.kind in ("host", "address") and found is not None:
            self._add_host(span, found, resolution, trigger)
        elif rule.kind == "program":
            self._add_program(span, capability, value, found, resolution, trigger)

    def add_variable(self, span: Span, name: str, value: Value, resolution: str, trigger: str) -> None:
        """Add what setting one environment variable means."""
        self.add(span, "env.write", name, resolution, trigger)
        if name in _LOADING:
            self.add(span, "code.native", name, "possible", trigger)
            if isinstance(value, str) and is_outside(value):
                self.add(span, "path.outside", cut_object("path", value), resolution, trigger)

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
        if _NUMBER.fullmatch(host):
            self.add(span, "code.obfuscated", host, resolution, trigger)
        if host.removesuffix(":80") in _METADATA:
            self.add(span, "credentials.read", host, resolution, trigger)

    def _add_path(
        self, span: Span, capability: str, path: str, found: str | None, resolution: str, trigger: str
    ) -> None:
        if is_outside(path):
            self.add(span, "path.outside", found, resolution, trigger)
        if (share := share_of(path)) is not None:
            self.add(span, "net.outbound", share, "possible", trigger)  # where the system is Windows
        if capability == "fs.read" and is_secret(path):
            self.add(span, "credentials.read", found, resolution, trigger)
        if capability == "fs.read" and is_device(path):
            self.add(span, "device.capture", found, resolution, trigger)
        if capability == "fs.read" and is_environment(path):
            self.add(span, "env.bulk", None, resolution, trigger)
        if capability == "fs.read" and is_identity(path):
            self.add(span, "system.info", found, resolution, trigger)
        if capability in _WRITES and is_autostart(path):
            self.add(span, "persistence", found, resolution, trigger)

    def _add_program(
        self, span: Span, capability: str, value: Value, found: str | None, resolution: str, trigger: str
    ) -> None:
        if found is not None and is_outside(found) and not found.startswith(_STANDARD_PROGRAMS):
            self.add(span, "path.outside", found, resolution, trigger)
        if capability == "process.exec" and (line := shell_line(value)) is not None:
            self.add(span, "process.shell", cut_object("program", line), resolution, trigger)
        if self.nested is not None:
            self.nested.update(
                Nested(language, text, span, (), trigger, how) for language, text, how in _code(capability, value)
            )
        if found is not None:
            acts = _acts(capability, value, enters_lines=self.nested is None)
            channel, self.channel = self.channel, "nested"
            self._add_acts(span, acts, resolution, trigger)
            self._add_wrapped(span, capability, value, resolution, trigger)
            self.channel = channel

    def _add_wrapped(self, span: Span, capability: str, value: Value, resolution: str, trigger: str) -> None:
        """Add the programs that the started one starts by its words: `sudo`'s, `env`'s, `python -m`'s."""
        if _line(capability, value) is not None:
            return
        from plugseal.lang.programs import started

        for one in started(_known_words(value))[0][1:]:
            if one.name:
                how = "possible" if resolution == "possible" or one.is_elsewhere else "resolved"
                self.add(span, "process.exec", cut_object("program", one.words[0]), how, trigger)

    def _add_acts(self, span: Span, acts: list[Act], resolution: str, trigger: str) -> None:
        """Add what the started program does by its words; it was read, so it is at best resolved."""
        for act in acts:
            how = "possible" if resolution == "possible" or not act.is_sure else "resolved"
            found = cut_object(act.kind or "text", act.named)
            self.add(span, act.capability, found, how, trigger)
            if act.kind == "path" and act.named is not None:
                self._add_path(span, act.capability, act.named.replace(HOLE, "*"), found, how, trigger)
            elif act.kind == "host" and found is not None:
                self._add_host(span, found, how, trigger)


def is_turned(rule: Rule, capability: str, value: Value) -> bool:
    """Say whether a value makes another capability of a rule's: a file's address, or another machine's share."""
    if rule.kind == "host" and capability == "net.outbound":
        return _local_file(value) is not None
    return rule.kind == "path" and capability.startswith("fs.") and isinstance(value, str) and is_remote(value)


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


def _acts(capability: str, value: Value, *, enters_lines: bool) -> list[Act]:
    from plugseal.lang.programs import acts_of_line, acts_of_words

    line = _line(capability, value)
    if line is not None:
        return (acts_of_line(line) or []) if enters_lines else []
    if isinstance(value, str):
        return acts_of_words([value, HOLE])
    return acts_of_words(_known_words(value), enters_lines=enters_lines)


def _code(capability: str, value: Value) -> list[tuple[str, str, str]]:
    """Return (language, text, what runs it) of the lines and the code that a call gives to others.

    Code of Python is read by this reader itself, where its names can mean what they mean around it.
    """
    from plugseal.lang.programs import code_of_words

    line = _line(capability, value)
    if line is not None:
        if not line.replace(HOLE, "").strip():
            return []
        first = line.split(None, 1)[0].lower().removesuffix(".exe")
        if "\\" in line and first in _OF_WINDOWS:
            return [("batch", line.replace(HOLE, "%_%"), "a shell")]
        return [("shell", line.replace(HOLE, "${_}"), "a shell")]
    if isinstance(value, str):
        return []
    codes = [code for code in code_of_words(_known_words(value)) if not code.is_elsewhere]
    return [
        (code.language, code.text.replace(HOLE, "${_}" if code.language == "shell" else "_"), code.program)
        for code in codes
        if code.language not in _READ_HERE and code.text.replace(HOLE, "").strip()
    ]


def _line(capability: str, value: Value) -> str | None:
    """Return the line that a call gives to a shell, None where it gives words."""
    words = word_list(value)
    if capability != "process.shell" and not (isinstance(value, str) and " " in value):
        return None
    line = words[0] if words else value
    return line if isinstance(line, str) else None


def _known_words(value: Value) -> list[str]:
    words = word_list(value)
    named = [EXECUTABLES.get(word.name, word) if isinstance(word, Ref) else word for word in words]
    return [word if isinstance(word, str) else HOLE for word in named]


def shell_line(value: Value) -> Value | None:
    """Return the line that an argument list gives to a shell (`["sh", "-c", line]`), or None where it starts none."""
    words = word_list(value)
    if len(words) < 2 or not isinstance(words[0], str):
        return None
    if words[0].replace("\\", "/").rpartition("/")[2].lower() not in _SHELLS:
        return None
    for at, word in enumerate(words[1:-1], 1):
        if isinstance(word, str) and word.lower() in _SHELL_SWITCHES:
            return words[at + 1]
    return None


def word_list(value: Value) -> tuple[Value, ...]:
    """Return the items of an argument list; empty for everything else."""
    return value if isinstance(value, tuple) and not isinstance(value, (Ref, Unknown)) else ()


def python_code(value: Value) -> str | None:
    """Return the code of `["python", "-c", code]`, if it is that."""
    words = word_list(value)
    if len(words) < 3:
        return None
    first = words[0]
    name = EXECUTABLES.get(first.name, first) if isinstance(first, Ref) else first
    if not isinstance(name, str) or not name.replace("\\", "/").rpartition("/")[2].lower().startswith(
        ("python", "pypy")
    ):
        return None
    for at, word in enumerate(words[1:-1], 1):
        code = words[at + 1]
        if word == "-c" and isinstance(code, str):
            return code
    return None

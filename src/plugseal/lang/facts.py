"""What every language reader yields: facts for the inventory, events for the rules, names for the linker.

Everything here is made of tuples and primitives, so that it crosses a worker's pipe and a cache as plain JSON.
"""

from __future__ import annotations

import re
from typing import Protocol, TypeAlias, Union

from plugseal.model.capability import Fact
from plugseal.model.location import Span
from plugseal.records import NamedTuple


class Ref(NamedTuple):
    """A value that is not a literal but whose origin has a name, e.g. `base64.b64decode()` or `os.environ`."""

    name: str


class Unknown(NamedTuple):
    """A value that could not be resolved."""


UNKNOWN = Unknown()

Value: TypeAlias = Union[str, int, float, bool, Ref, Unknown, "tuple[Value, ...]", None]
"""A folded argument: a literal, a sequence of values, a named origin, or unknown. Bytes appear as latin-1 text."""


class Event(NamedTuple):
    """Something that rules can match: a resolved call, a reference, an import, a string."""

    kind: str
    """`call attribute import string` (code), `command pipe redirect` (shell), `text` (prose), `path command argument
    host env` (manifest)."""
    name: str
    """The resolved qualified name (`subprocess.run`, `requests.Session().get`), the module, or the text itself."""
    span: Span
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    resolution: str
    trigger: str


class EntryPoint(NamedTuple):
    """Where a host or the interpreter enters a file."""

    name: str
    """The function's qualified name within the file, or `<module>`."""
    trigger: str
    line: int


class Anchor(NamedTuple):
    """From here on a nested text and its file run side by side, one code point for one, until the next anchor."""

    offset: int
    """Code points into the nested text."""
    line: int
    column: int
    """1-based place in the file."""


READS = "."
"""Under it a script of a shell exports the files that it reads into itself, `*` for one whose name can't be told."""
MAIN_FUNCTION = "<main>"
"""The name of what runs only where a file is started: its main block."""


class Function(NamedTuple):
    """A function of a file, by the lines that are its own unless a function inside it takes them."""

    name: str
    """Qualified within the file: `deploy`, `Server.run`."""
    line: int
    end_line: int


class LocalCall(NamedTuple):
    """A call or a mention of a function of the same file."""

    line: int
    name: str
    """As `Function.name`."""


class Nested(NamedTuple):
    """A text of another language (or the same) inside a file, that something runs or that its own reader must read."""

    language: str
    """As `lang.registry` names the reader."""
    text: str
    """Decoded and folded: what would be run; lone surrogates are possible."""
    span: Span
    """Where it stands in the file: the place of everything in it that no anchor covers."""
    anchors: tuple[Anchor, ...] = ()
    """Sorted by offset; empty where the text was folded or decoded, so that no place in it is exact."""
    trigger: str = "unknown"
    """As `Fact.trigger`: what is in it runs no earlier than this."""
    how: str = ""
    """What runs it, in a few words for a reader: `subprocess.run`, `fence`, `here-document`, `base64`."""


class FileFacts(NamedTuple):
    """All that a reader says of one file."""

    language: str
    status: str
    """`read`, `partial` (facts are right but some may be missing; `reason` says why) or `unread`."""
    reason: str = ""
    facts: tuple[Fact, ...] = ()
    """Sorted, unique."""
    events: tuple[Event, ...] = ()
    """Sorted by span."""
    pending: tuple[Event, ...] = ()
    """Calls and references into other modules of the same tree: names begin with the module as imported, relative
    ones with their dots (`..util.go`), waiting for the linker."""
    exports: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Module-level names with the qualified names that each may hold, sorted: what the linker substitutes."""
    imports: tuple[str, ...] = ()
    """Modules imported, sorted, relative ones with their dots."""
    entries: tuple[EntryPoint, ...] = ()
    nested: tuple[Nested, ...] = ()
    """Texts that run as code of their own; their facts are read from them and are not among `facts`."""
    functions: tuple[Function, ...] = ()
    """Sorted by line, outer ones first."""
    calls: tuple[LocalCall, ...] = ()
    """Sorted, unique: which lines lead to which functions of the file; `pending` says which lead to other files."""


PARTIAL_STATUS = "partial"
UNREAD_STATUS = "unread"


def unread(language: str, reason: str) -> FileFacts:
    """Return the facts of a file that no reader understood."""
    return FileFacts(language, UNREAD_STATUS, reason)


class Interest(NamedTuple):
    """What the loaded rules want to see as events, so that readers need not report everything."""

    calls: frozenset[str] = frozenset()
    """Exact qualified names."""
    call_prefixes: tuple[str, ...] = ()
    """Dotted prefixes with their final dot, from `name.*` in a rule."""
    imports: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    strings: re.Pattern[str] | None = None
    """Matches inside a string literal that some rule cares about."""


class Context(NamedTuple):
    """What a reader may know besides the bytes."""

    path: str
    """Path below the scanned root; hostile text."""
    interest: Interest
    local_modules: frozenset[str] = frozenset()
    """Top-level module names that exist as files or packages somewhere in the tree."""


class Reader(Protocol):
    """One language."""

    language: str

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        ...

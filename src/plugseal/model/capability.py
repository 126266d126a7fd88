"""The closed list of capabilities, and facts about them.

A fact says what a plugin *can do*; it accuses nobody. Alarms are findings (`model/finding.py`).
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from plugseal.model.location import Span
from plugseal.records import NamedTuple


class Capability(str, Enum):
    """What a plugin can do; the value is the name that users read."""

    PROCESS_EXEC = "process.exec"
    PROCESS_SHELL = "process.shell"
    NET_OUTBOUND = "net.outbound"
    NET_LISTEN = "net.listen"
    FS_READ = "fs.read"
    FS_WRITE = "fs.write"
    FS_DELETE = "fs.delete"
    FS_META = "fs.meta"
    PATH_OUTSIDE = "path.outside"
    ENV_READ = "env.read"
    ENV_BULK = "env.bulk"
    ENV_WRITE = "env.write"
    CODE_DYNAMIC = "code.dynamic"
    CODE_IMPORT = "code.import"
    CODE_REFLECTIVE = "code.reflective"
    CODE_OBFUSCATED = "code.obfuscated"
    CODE_DESERIALIZE = "code.deserialize"
    CODE_NATIVE = "code.native"
    CODE_FETCHED = "code.fetched"
    CODE_UNBOUND = "code.unbound"
    CREDENTIALS_READ = "credentials.read"
    PERSISTENCE = "persistence"
    PRIVILEGE = "privilege"
    SYSTEM_INFO = "system.info"
    DEVICE_CAPTURE = "device.capture"
    AUTORUN = "autorun"
    INSTR_EXEC = "instr.exec"
    GRANT = "grant"
    UNREAD = "unread"

    @property
    def meaning(self) -> str:
        """Say in a few words what it is."""
        return _MEANINGS[self.value]


_MEANINGS: dict[str, str] = {
    "process.exec": "starts a program with an argument list",
    "process.shell": "gives a line to a shell",
    "net.outbound": "opens a connection or sends data off the machine",
    "net.listen": "accepts connections",
    "fs.read": "reads or lists files",
    "fs.write": "creates, changes or moves files",
    "fs.delete": "removes files or trees",
    "fs.meta": "changes mode, owner or links of files",
    "path.outside": "names a path outside the plugin and the workspace",
    "env.read": "reads an environment variable",
    "env.bulk": "reads the whole environment",
    "env.write": "changes the environment",
    "code.dynamic": "runs code made at run time",
    "code.import": "loads a module whose name is computed or remote",
    "code.reflective": "reaches into a sensitive module by a name that could not be resolved",
    "code.obfuscated": "hides what it does",
    "code.deserialize": "decodes data that can run code",
    "code.native": "loads native code or byte code",
    "code.fetched": "fetches code at start and runs it",
    "code.unbound": "loads modules from outside the plugin",
    "credentials.read": "reads a place where secrets live",
    "persistence": "arranges to run again later",
    "privilege": "raises or changes privileges",
    "system.info": "identifies the machine or its user",
    "device.capture": "reads clipboard, screen, keyboard, camera or microphone",
    "autorun": "runs unasked",
    "instr.exec": "tells the agent or the user to run something",
    "grant": "gives itself permissions",
    "unread": "no reader understood it",
}


class Resolution(str, Enum):
    """How surely the fact was established."""

    DIRECT = "direct"
    RESOLVED = "resolved"
    POSSIBLE = "possible"


class Channel(str, Enum):
    """Where the fact was seen."""

    CODE = "code"
    MANIFEST = "manifest"
    SHELL = "shell"
    PROSE = "prose"
    BINARY = "binary"
    NESTED = "nested"
    IMPORT = "import"


class Fact(NamedTuple):
    """One capability with its evidence, in one file.

    A tuple of plain strings, not a dataclass of enums: large trees hold hundreds of thousands, and building and
    hashing them is most of the scanner's own time. `capability`, `resolution` and `channel` hold values of the
    enums above (a test checks it); `trigger` is `import start tool hook:<event> install open command prose unknown`.
    """

    span: Span
    capability: str
    object: str | None
    """Host, path, program, variable or package; None where it is not known (shown as `?`)."""
    resolution: str
    channel: str
    trigger: str


SURE: Final = frozenset(("direct", "resolved"))
"""Resolutions of facts that are certain."""


def fact_order(fact: Fact) -> tuple[object, ...]:
    """Return the key by which facts are sorted everywhere: place, capability, object with unknown ones first."""
    return (*fact.span, fact.capability, fact.object is not None, fact.object or "", *fact[3:])

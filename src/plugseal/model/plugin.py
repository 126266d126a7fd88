"""Plugins as their systems describe them, before and after the scan."""

from __future__ import annotations

from enum import Enum
from typing import Final

from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.verdict import Conformance, HostVerdict
from plugseal.records import NamedTuple

SKILL_FILE: Final = "SKILL.md"
"""What a skill is: this file in a folder of its own."""


class ComponentKind(str, Enum):
    """What a plugin contributes."""

    SKILL = "skill"
    SERVER = "server"
    HOOK = "hook"
    COMMAND = "command"
    TOOL = "tool"
    MODULE = "module"
    EXECUTABLE = "executable"
    AGENT = "agent"
    LANGUAGE_SERVER = "language-server"
    MONITOR = "monitor"
    SETTING = "setting"
    """A setting that makes the host run something, or grants or redirects something."""
    SCRIPT = "script"
    """Something that a tool runs at install, open, build or collect time."""
    SOURCE = "source"
    """Something that the host fetches: a marketplace entry, a dependency."""
    INSTRUCTIONS = "instructions"
    """Prose that the host puts before the model unasked: rules, memory, context files."""


class Pinning(str, Enum):
    """How surely a package is the same code tomorrow."""

    EXACT = "exact"
    """One version, a digest or a commit."""
    VERSIONED = "versioned"
    """Named, but not bound: a range, a part of a version, a tag or a branch."""
    FLOATING = "floating"
    """No version, or a name for whatever is newest."""
    URL = "url"
    """An address; what is there may change unless a digest or commit stands beside it."""


PINNING_WORDS: Final = {
    Pinning.EXACT.value: "pinned exactly",
    Pinning.VERSIONED.value: "pinned loosely",
    Pinning.FLOATING.value: "not pinned",
    Pinning.URL.value: "an address, not pinned",
}
"""What a reader is told for each value of `Pinning`."""


class Package(NamedTuple):
    """Code that a command fetches and runs: no receipt of the plugin covers it."""

    name: str | None
    """As written, with its version; None where it is not said."""
    source: str
    """Where it comes from: `npm`, `pypi`, `image`, `go`, `url`, …; empty where that is not known."""
    pinning: str
    """A value of `Pinning`."""
    digest: str = ""
    """The digest or commit that binds it, empty where none does."""


class Component(NamedTuple):
    """One thing that a plugin contributes, with its full launch data.

    All text in it is hostile: show it by `shown()`.
    """

    kind: ComponentKind
    name: str
    file: str
    """Where it is declared, relative to the plugin's root."""
    span: Span = WHOLE_FILE
    transport: str = ""
    """`stdio`, `http`, `sse`, `in-process`, `exec`, or empty where nothing starts."""
    command: tuple[str, ...] = ()
    """The exact argument vector, or one element for a shell line (then `shell` is true)."""
    shell: bool = False
    cwd: str | None = None
    environment: tuple[tuple[str, str | None], ...] = ()
    """Sorted (destination, source variable); source None for a literal, whose value stands in `literals`."""
    literals: tuple[tuple[str, str], ...] = ()
    """Sorted (destination, value) of literal environment entries."""
    endpoint: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    """Sorted (header, source or literal as written)."""
    trigger: str = "unknown"
    """As `Fact.trigger`."""
    gate: str = ""
    """What the host asks for before it runs, in a few words (`folder trust`, `approval per server`, `none`); empty
    where that is not known. Never part of a receipt."""
    entry: str | None = None
    """The file that this runs first, relative to the plugin's root, where it is known; one that lies outside the plugin
    but inside the scanned tree begins with `../`."""
    extra: tuple[tuple[str, str], ...] = ()
    """Sorted further launch data by name: timeouts, tool filters, schemas (as canonical JSON)."""
    places: tuple[tuple[str, Span], ...] = ()
    """Where its parts stand, as far as is known: `command.0` for each word, `env.NAME`, `header.NAME`, `endpoint`,
    `cwd`, `autorun`, `extra.NAME`. Evidence alone: never part of a receipt."""
    packages: tuple[Package, ...] = ()
    """What its command fetches and runs, in its order: follows from the command, so it is no part of a receipt."""


class Fault(NamedTuple):
    """Something wrong in a manifest."""

    file: str
    """Relative to the plugin's root."""
    message: str
    """Hostile text inside: show it by `shown()`."""
    line: int = 0
    field: str = ""
    """The field as a dotted path, e.g. `mcpServers.docs.command`."""
    is_narrow: bool = False
    """Say that it concerns one component alone, whose file is unread for it: the rest of the plugin was understood."""


class Plugin(NamedTuple):
    """One reviewable unit as its system describes it; nothing in it was run."""

    system: str
    """`amber`, `coding`, `codewhale`, `agent-plugins`, `amness`, `mcp-config`, …"""
    name: str
    version: str
    """Empty where the format has none."""
    root: str
    """Path below the scanned root, `""` for the root itself; a file's path for single-file plugins."""
    manifest: str
    """The file that made it a plugin, relative to `root` (equal to the file's name for single-file plugins)."""
    components: tuple[Component, ...] = ()
    permissions: tuple[str, ...] = ()
    """Declared permissions, sorted, as `capability object` or the system's own words."""
    faults: tuple[Fault, ...] = ()
    read: tuple[str, ...] = ()
    """Manifests, relative to `root`, of which the system understood every part that can make a host run something;
    the others stay `unread`. A module's own file is a language's to read and never stands here."""
    unknown: tuple[tuple[str, str], ...] = ()
    """Sorted (manifest, key) of keys whose meaning is not known: such a manifest is not in `read`."""
    description: str = ""
    extra: tuple[tuple[str, str], ...] = ()
    """Sorted further facts by name, system specific."""

    conforms: Conformance | None = None
    """The verdict of the format's own specification, where the system gives one."""
    hosts: tuple[HostVerdict, ...] = ()
    """What single hosts would do, by name."""
    single_file: bool = False
    """Say that the plugin is the one file at `root`, not a folder."""
    covers: tuple[str, ...] | None = None
    """Sorted files and folders, relative to `root`, that belong to it, where it is not all that lies below `root`: the
    unit of a client's own configuration in a working folder (`.claude`, `.mcp.json`, the scripts that they start)."""

    unbound: bool = False
    """Say that what it covers may not be all that it loads: names were too many to follow, or a file that it starts is
    no program in which names are looked for. Its capabilities say so, so no receipt needs to."""

    views: tuple[tuple[str, str], ...] = ()
    """Sorted (system, component) of what another client starts of the same folder and this one does not. No part of a
    receipt: it follows from the other's manifest."""

    def path_of(self, file: str) -> str:
        """Return a file's path below the scanned root from its path below this plugin's root, or beside it (`../x`)."""
        if self.single_file or not file:
            return self.root
        root = self.root
        while file.startswith("../") and root:
            root, file = root.rpartition("/")[0], file[3:]
        return f"{root}/{file}" if root else file

    def holds(self, file: str) -> bool:
        """Say whether a file that lies below this plugin's root belongs to it.

        Args:
            file: relative to the plugin's root.
        """
        if self.covers is None:
            return True
        return any(file == cover or file.startswith(f"{cover}/") for cover in self.covers)

    @property
    def is_broken(self) -> bool:
        """Say whether any of its manifests could not be understood; a fault of one component alone does not count."""
        return any(not fault.is_narrow for fault in self.faults)

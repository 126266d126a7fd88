"""What a skill has OpenClaw install before it is used: `metadata.openclaw.install` in its front matter.

A package manager runs for each entry, or a file is downloaded and unpacked; the user starts it from the list of skills.
Earlier names of the host count the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.reading.reader import Document, Path, PluginReader, extras, kind_of, lookup

HOSTS: Final = ("openclaw", "clawdbot", "moltbot", "clawdis")
_GATE: Final = "the user installs it from the list of skills"
_PROGRAMS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "brew": ("formula", ("brew", "install")),
    "node": ("package", ("npm", "install", "-g")),
    "npm": ("package", ("npm", "install", "-g")),
    "go": ("module", ("go", "install")),
    "uv": ("package", ("uv", "tool", "install")),
    "pip": ("package", ("pip", "install")),
    "apt": ("package", ("apt-get", "install")),
    "cargo": ("package", ("cargo", "install")),
}
"""By the kind of an entry: the key that names what is installed, and the command that does it."""


def skill_installers(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what a skill has its host install."""
    for host in HOSTS:
        path = ("metadata", host, "install")
        listed = lookup(document.value, path)
        for at, entry in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(entry, dict):
                yield _installer(document, (*path, at), entry, at)
            else:
                reader.fault_at(document, (*path, at), f"must be a table, not {kind_of(entry)}")


def _installer(document: Document, path: Path, entry: Mapping[str, object], number: int) -> Component:
    key, words = _PROGRAMS.get(str(entry.get("kind")), ("", ()))
    what, url = entry.get(key), entry.get("url")
    return Component(
        kind=ComponentKind.SCRIPT if words else ComponentKind.SOURCE,
        name=f"install {entry.get('id', number)}",
        file=document.file,
        span=document.locate(path),
        transport="exec" if words and isinstance(what, str) else "",
        command=(*words, what) if words and isinstance(what, str) else (),
        endpoint=url if isinstance(url, str) else None,
        trigger="install",
        gate=_GATE,
        extra=extras(entry, frozenset()),
    )

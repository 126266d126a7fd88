"""Read a list of requirements: which files, places and registries `pip install -r` takes it from.

A requirement of the usual registry says nothing; what comes from elsewhere is fetched and built at install. pip joins
continued lines first, then drops comments, and takes options on lines of their own.

See: https://pip.pypa.io/en/stable/reference/requirements-file-format/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.sources import add_file, add_registry, add_source, host_of, source_address
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

LANGUAGE: Final = "requirements"
_COMMENT: Final = lazy(r"(?:^|\s)#.*")
_OPTION: Final = lazy(r"(--[a-z][a-z-]*|-[a-zA-Z])(?:\s*=\s*|\s+|(?<=-[a-zA-Z])(?=\S)|$)(.*)")
_DIRECT: Final = lazy(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\]\s*)?@\s*(\S+)")
_EGG: Final = lazy(r"[#&]egg=([\w.-]+)")
_VERSION_CONTROL: Final = lazy(r"(?:git|hg|svn|bzr)\+\S+|git@\S+", re.I)
_PLACE: Final = lazy(r"(?:\.{1,2}[/\\]|[/~\\]|[A-Za-z]:[\\/]|file:)")
_INCLUDES: Final = frozenset(("-r", "--requirement", "-c", "--constraint"))
_EDITABLES: Final = frozenset(("-e", "--editable"))
_INDEXES: Final = frozenset(("-i", "--index-url", "--pypi-url", "--extra-index-url", "--default-index", "--index"))
_LINKS: Final = frozenset(("-f", "--find-links"))
_BUILDS: Final = lazy(r"--(?:global-option|install-option|build-option|config-settings?)[=\s]+(\S+)")
_MAX_LINES: Final = 100_000


class _Line(NamedTuple):
    text: str
    span: Span


def read_requirements(text: str, path: str) -> Found:
    """Return what a list of requirements says.

    Args:
        text: with LF line ends.
        path: of the file, below the scanned root.
    """
    found = Found(LANGUAGE)
    folders = path.count("/")
    for line in _lines(text, found):
        take_requirement(line.text, line.span, found, folders)
    return found


def take_requirement(text: str, span: Span, found: Found, folders: int) -> None:
    """Take one line, without its comment.

    Args:
        text: of the line.
        span: where it stands.
        found: takes the facts.
        folders: how many folders below the scanned root its file lies.
    """
    option = _OPTION.match(text)
    if option is not None:
        _take_option(option[1], option[2].strip().strip("\"'"), span, found, folders)
        return
    build = _BUILDS.search(text)
    if build is not None:
        found.fact(span, "autorun", build[1].strip("\"'")[:256], "install")
        text = text[: build.start()].rstrip()
    direct = _DIRECT.match(text)
    name, place = (direct[1], direct[2]) if direct is not None else ("", text.split()[0] if text.split() else "")
    _take_place(place, name, span, found, folders)


def _take_option(name: str, value: str, span: Span, found: Found, folders: int) -> None:
    if name in _INCLUDES:
        _include(value, span, found, folders)
    elif name in _EDITABLES:
        _take_place(value, "", span, found, folders)
    elif name in _INDEXES or (name in _LINKS and "://" in value and not value.startswith("file:")):
        add_registry(found, span, value)
    elif name in _LINKS and add_file(found, span, value, folders=folders):
        found.fact(span, "autorun", value[:256], "install")
    elif name == "--trusted-host":
        found.fact(span, "net.outbound", value.partition(":")[0].lower() or None, "install")
    elif name == "--no-binary":
        # What is only there as source is built: its own code runs.
        found.fact(span, "autorun", value[:256] or None, "install", sure=False)


def _include(value: str, span: Span, found: Found, folders: int) -> None:
    """Take another list: one that stands elsewhere brings what nobody reviewed."""
    if host_of(value) is not None and not value.startswith("file:"):
        add_source(found, span, value)
    elif add_file(found, span, value, folders=folders):
        found.fact(span, "autorun", value[:256], "install")


def _take_place(place: str, name: str, span: Span, found: Found, folders: int) -> None:
    egg = _EGG.search(place)
    name = name or (egg[1] if egg is not None else "")
    if place.startswith("file:") or (_PLACE.match(place) and "://" not in place):
        if add_file(found, span, place, folders=folders):
            found.fact(span, "autorun", place[:256], "install")
        return
    if _VERSION_CONTROL.match(place) or "://" in place:
        address = place if "://" in place else source_address(place)
        add_source(found, span, address or place, name=name)


def _lines(text: str, found: Found) -> Iterator[_Line]:
    lines = text.split("\n")
    if len(lines) > _MAX_LINES:
        found.lack("has more lines than are read")
        lines = lines[:_MAX_LINES]
    at = 0
    while at < len(lines):
        start, parts = at, [lines[at]]
        while parts[-1].endswith("\\") and not parts[-1].lstrip().startswith("#") and at + 1 < len(lines):
            parts[-1] = parts[-1][:-1]
            at += 1
            parts.append(lines[at])
        at += 1
        joined = _COMMENT.sub("", "".join(parts)).strip()
        if joined:
            column = len(lines[start]) - len(lines[start].lstrip()) + 1
            yield _Line(joined, Span(start + 1, column, at, len(lines[at - 1].rstrip()) + 1))

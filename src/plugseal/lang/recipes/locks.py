"""Read lock files for where they take packages from: another registry, an archive, a repository, another package.

A lock decides what an install fetches, whatever the manifest says. What comes from the usual registries under its own
name says nothing. A registry is told once, at its first package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from plugseal.errors import DataError
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.sources import add_source, host_of, is_usual, names_agree
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

LANGUAGE: Final = "lock file"
_PLACES: Final = frozenset(("resolved", "tarball", "url", "registry", "git", "hg", "repo", "source", "version", "path"))
_FOR_PEOPLE: Final = frozenset(
    "funding homepage support bugs author authors contributors repository notification-url license description".split()
)
_VERSION_CONTROL: Final = lazy(r"(?:git|hg|svn|bzr)(?:\+[a-z]+)?[:@+]|ssh:|git@|\S+\.git(?:[#?][\s\S]*)?\Z")
_CRATES: Final = ("registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io")
_OF_COMPOSER: Final = frozenset("api.github.com github.com codeload.github.com gitlab.com bitbucket.org".split())
_ARCHIVE: Final = lazy(r"https?://[^/]+/(?:npm/)?((?:@[^/]+/)?[^/@]+)/-/")
"""The package that an archive of npm's registry holds."""
_YARN_PLACE: Final = lazy(r"[ \t]+resolved[ \t]+\"([^\"]+)\"|[ \t]+resolution:[ \t]+\"?[^\"\s]+?@([a-z+]+:[^\"\s]+)\"?")
_YARN_HEAD: Final = lazy(r"\"?((?:@[^/\s\"]+/)?[^@\s\"]+)@([^\s,\":]*:?[^\s,\"]*)")
_GEM_PLACE: Final = lazy(r"[ ]+remote:[ ]+(\S+)")
_MAX_NODES: Final = 2_000_000


class _Place(NamedTuple):
    address: str
    line: int
    asked: str = ""
    """The package that is asked for, where the address is that of an archive of npm's registry."""


def read_lock(text: str, path: str) -> Found:
    """Return what a lock file takes from elsewhere.

    Args:
        text: with LF line ends.
        path: of the file; its name says what tool it is for.
    """
    found = Found(LANGUAGE)
    name = path.rpartition("/")[2].lower()
    seen: set[str] = set()
    try:
        for place in _READERS.get(name, _toml)(text):
            _take(place, found, seen, is_composer=name == "composer.lock")
    except DataError as error:
        found.lack(f"not valid: {error.message}" + (f" (line {error.line})" if error.line else ""))
    return found


def _take(place: _Place, found: Found, seen: set[str], *, is_composer: bool) -> None:
    address = place.address
    span = Span(place.line, 1, place.line, 1)
    archive = _ARCHIVE.match(address)
    if archive is not None and place.asked and not names_agree(place.asked, archive[1].replace("%2f", "/")):
        found.fact(span, "code.obfuscated", place.asked[:256], "install")
    if is_usual(address) or address.startswith(_CRATES):
        return
    if is_composer and host_of(address) in _OF_COMPOSER:
        return
    is_repository = _VERSION_CONTROL.match(address) is not None
    key = address if is_repository else str(host_of(address))
    if key in seen:
        return
    seen.add(key)
    add_source(found, span, address)


def _json(text: str) -> Iterator[_Place]:
    from plugseal.encode.json import parse_json

    yield from _values(parse_json(text.encode(), comments=True), text)


def _toml(text: str) -> Iterator[_Place]:
    from plugseal.encode.toml import parse_toml

    yield from _values(parse_toml(text.encode()), text)


def _yaml(text: str) -> Iterator[_Place]:
    from plugseal.encode.yaml import parse_yaml

    yield from _values(parse_yaml(text.encode()), text)


def _values(document: object, text: str) -> Iterator[_Place]:
    """Yield the places that a document's tables name, in their order."""
    waiting: list[tuple[str, object]] = [("", document)]
    lines = _Lines(text)
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        key, value = waiting.pop()
        if isinstance(value, list):
            waiting.extend((key, item) for item in reversed(value))
        elif isinstance(value, dict):
            asked = "" if "name" in value else key.rpartition("node_modules/")[2]
            for name, one in value.items():
                if isinstance(one, str) and name in _PLACES and _is_address(one):
                    yield _Place(one, lines.of(one), asked if name == "resolved" else "")
            waiting.extend(
                (str(name), one)
                for name, one in reversed(value.items())
                if isinstance(one, (dict, list)) and name not in _FOR_PEOPLE
            )


def _is_address(text: str) -> bool:
    return "://" in text or text.startswith("git@")


class _Lines:
    """The lines on which values stand, asked for in about their order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def of(self, value: str) -> int:
        """Return the line of a value; the first where it is spelled otherwise."""
        at = self._text.find(value, self._at)
        if at < 0 and "/" in value:
            at = self._text.find(value.replace("/", "\\/"), self._at)
        if at < 0:
            at = self._text.find(value)
            return self._text.count("\n", 0, at) + 1 if at >= 0 else 1
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line


def _yarn(text: str) -> Iterator[_Place]:
    asked = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line[0].isspace():
            head = _YARN_HEAD.match(line)
            asked = "" if head is None or head[2].startswith("npm:") else head[1]
            continue
        place = _YARN_PLACE.match(line)
        if place is not None:
            address = place[1] or place[2]
            if _is_address(address):
                yield _Place(address, number, asked)


def _gems(text: str) -> Iterator[_Place]:
    for number, line in enumerate(text.split("\n"), 1):
        place = _GEM_PLACE.match(line)
        if place is not None and _is_address(place[1]):
            yield _Place(place[1], number)


_READERS: Final[dict[str, Callable[[str], Iterator[_Place]]]] = {
    "package-lock.json": _json,
    "npm-shrinkwrap.json": _json,
    "bun.lock": _json,
    "composer.lock": _json,
    "pipfile.lock": _json,
    "deno.lock": _json,
    "pnpm-lock.yaml": _yaml,
    "yarn.lock": _yarn,
    "gemfile.lock": _gems,
}

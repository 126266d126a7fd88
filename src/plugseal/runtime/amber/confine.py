"""Keep path arguments of calls inside the workspace, before a plugin sees them.

amber documents that all path arguments pass through confinement; nothing in a manifest says which those are. So:

- an argument is a path if its schema says so (`format`), or its name does (`path`, `outputFile`, `src_dir`, …): it is
  resolved against the workspace, links included, and the plugin gets the absolute path;
- any other text that by itself can only be a path which leads away (`/…`, `~/…`, `../…`) is looked at too, unless its
  name says that it is a text (`content`, `query`, …) or it has several lines, and a `file:` URL always; what lies in
  the workspace stays as it is;
- lists and objects are gone through, the keys of objects too.

What leads out is refused, never bent. A link that is swapped after the look is not seen: only a sandbox closes that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from plugseal.patterns import lazy

_PATH_WORDS: Final = frozenset(
    """
    path paths file files filename filenames filepath filepaths pathname dir dirs directory directories folder folders
    dirname cwd workdir basedir
    """.split()
)
_TEXT_WORDS: Final = frozenset(
    """
    text texts content contents body code source html css javascript js script expression sql markdown md prompt message
    comment comments description note notes title summary query queries pattern regex search data stdin value url urls
    uri command cmd diff patch selector xpath endpoint route separator delimiter prefix suffix template
    """.split()
)
_ELSEWHERE: Final = frozenset("url uri http https api json xml svg html css class module object".split())
"""Words before which `path` is a place in something other than files."""
_MEASURES: Final = frozenset("size count type kind mode limit length".split())
_PATH_FORMATS: Final = frozenset("path file file-path filepath directory dir folder directory-path".split())
_WORD: Final = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LEADS_AWAY: Final = lazy(r"\A(?:/|~[^/\s]*/|~\Z|\.\.(?:[/\\]|\Z)|file:)", re.IGNORECASE)
_CLIMBS: Final = lazy(r"(?:\A|[/\\])\.\.(?:[/\\]|\Z)")
_FILE_URL: Final = lazy(r"\Afile:(?://(?:localhost)?(?=/))?", re.IGNORECASE)
_SLASHES: Final = lazy(r"\A/+")
_MAX_DEPTH: Final = 64


class OutsideError(Exception):
    """Say which argument leads out of the workspace; never leaves the runtime."""


def confine(
    arguments: Mapping[str, Any], schema: Mapping[str, Any], workspace: str, *, closed: str = ""
) -> dict[str, Any]:
    """Return the arguments of a call with every path inside the workspace, absolute where it is known to be one.

    Args:
        arguments: as the model gave them.
        schema: JSON Schema of the arguments.
        workspace: the canonical path of the workspace.
        closed: the canonical path of a folder that counts as outside wherever it lies; empty for none.

    Raises:
        OutsideError: one leads out of the workspace, or can't be told.
    """
    found = _confined(dict(arguments), schema, "", _Place("", workspace, closed, 0))
    if not isinstance(found, dict):
        raise AssertionError("an object became another value")
    return found


class _Place:
    """Where a value stands among the arguments."""

    def __init__(self, name: str, workspace: str, closed: str, depth: int) -> None:
        self.name = name
        self._workspace = workspace
        self._closed = closed
        self._depth = depth

    def below(self, key: str) -> _Place:
        if self._depth >= _MAX_DEPTH:
            raise OutsideError(f"`{self.name}` nests deeper than {_MAX_DEPTH}")
        name = f"{self.name}.{key}" if self.name else key
        return _Place(name, self._workspace, self._closed, self._depth + 1)

    def resolve(self, path: str, name: str = "") -> str:
        """Return the absolute path that a text here means, if it lies in the workspace."""
        name = name or self.name
        real = resolve_inside(path, self._workspace, name)
        if self._closed and (real == self._closed or real.startswith(f"{self._closed}/")):
            raise OutsideError(f"`{name}` leads into plugseal's own state")
        return real


def _confined(value: Any, schema: object, word: str, place: _Place) -> Any:  # Any: JSON
    """Return a value with its paths confined; `word` is the key under which it or its list stands."""
    table = schema if isinstance(schema, dict) else {}
    if isinstance(value, str):
        return _text(value, table, word, place)
    if isinstance(value, list):
        items = table.get("items")
        return [_confined(item, items, word, place.below(str(index))) for index, item in enumerate(value)]
    if isinstance(value, dict):
        known = table.get("properties")
        properties = known if isinstance(known, dict) else {}
        return {
            _key(key, word, place): _confined(item, properties.get(key), _told(key, word), place.below(key))
            for key, item in value.items()
        }
    return value


def _told(key: str, above: str) -> str:
    """Return the word that tells what a value is: its own key, or that above it where its own says nothing."""
    return key if _says_path(key) or _says_text(key) or not _says_path(above) else above


def _text(value: str, schema: Mapping[str, Any], word: str, place: _Place) -> str:
    form = schema.get("format")
    if _says_path(word) or (isinstance(form, str) and form.lower() in _PATH_FORMATS):
        return place.resolve(value)
    if _FILE_URL.search(value) or (not _says_text(word) and _is_away(value)):
        place.resolve(value)
    return value


def _key(key: str, word: str, place: _Place) -> str:
    """Return a key of an object; of one that holds files by their paths they are what leads somewhere."""
    if _is_away(key) or (_says_path(word) and _CLIMBS.search(key)):
        place.resolve(key, f"a key of {place.name}" if place.name else "a key")
    return key


def _is_away(value: str) -> bool:
    """Say whether a text can only be a path, and one that does not begin in the workspace."""
    if "\n" in value or not value:
        return False
    if _LEADS_AWAY.search(value):
        return True
    return not any(character.isspace() for character in value) and _CLIMBS.search(value) is not None


def _says_path(name: str) -> bool:
    words = _words(name)
    named = bool(words) and (words[-1] in _PATH_WORDS or words[0] in ("path", "paths"))
    return named and words[-1] not in _MEASURES and _ELSEWHERE.isdisjoint(words)


def _says_text(name: str) -> bool:
    words = _words(name)
    return bool(words) and (words[-1] in _TEXT_WORDS or not _ELSEWHERE.isdisjoint(words))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def resolve_inside(value: str, workspace: str, name: str) -> str:
    """Return the absolute path that a text means, its links followed, if it lies in the workspace.

    Args:
        value: absolute, or relative to the workspace.
        workspace: its canonical path.
        name: of the argument, for the message.

    Raises:
        OutsideError: it lies outside, or means different places to different programs.
    """
    path = unquote(_FILE_URL.sub("", value)) if _FILE_URL.search(value) else value
    path = _SLASHES.sub("/", path)
    if not path:
        raise OutsideError(f"`{name}` is an empty path")
    if "\0" in path:
        raise OutsideError(f"`{name}` holds a zero byte")
    if path.startswith("~"):
        raise OutsideError(f"`{name}` begins with `~`: write `./~` for a file that is called so")
    if "\\" in path and _CLIMBS.search(path):
        raise OutsideError(f"`{name}` leads out of the workspace where a backslash separates folders")
    try:
        real = os.path.realpath(os.path.join(workspace, path))  # noqa: PTH118  # as text, links followed
        os.fsencode(real)
    except (OSError, ValueError) as error:
        raise OutsideError(f"`{name}` is no path that this system knows") from error
    if real != workspace and not real.startswith(f"{workspace.rstrip('/')}/"):
        raise OutsideError(f"`{name}` leads out of the workspace")
    return real

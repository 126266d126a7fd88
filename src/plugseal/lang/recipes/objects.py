"""Read objects of Kubernetes: what their containers start, fetch and may reach, and scripts that they carry.

What runs in a container is told as what a Dockerfile runs is; what a container may reach of its host is a grant, as in
a file of Compose. Workflows and tasks of Argo and Tekton hold containers like any other object.

See: https://kubernetes.io/docs/reference/kubernetes-api/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.encode.places import Places
from plugseal.encode.values import Json
from plugseal.errors import DataError
from plugseal.lang.facts import Nested
from plugseal.lang.recipes.found import Found, shell_of
from plugseal.model.location import Span
from plugseal.patterns import lazy

OBJECTS: Final = "Kubernetes"
_ENDS: Final = lazy(r"(?m)^---(?=[ \t\r\n]|\Z)[^\n]*")
_FIRST_LINE: Final = lazy(r"#![ \t]*(\S+)(?:[ \t]+(\S+))?")
_HOLES: Final = lazy(r"[$<{]")
"""What stands in an image's name that is still to be filled in."""
_SWITCHES: Final = ("privileged", "hostPID", "hostNetwork", "hostIPC")
_CARRIED: Final = {"ConfigMap": "data", "Secret": "stringData"}  # nosec B105  # the name of a key
"""Kinds whose values are files, with the key under which they are plain text."""
_PROGRAMS: Final = frozenset(
    {"shell", "python", "javascript", "typescript", "PowerShell", "Ruby", "Perl", "PHP", "Lua"}
)
_MAX_DOCUMENTS: Final = 1_000
_MAX_SHOWN: Final = 200
_Path = tuple[str | int, ...]


class _Object:
    """One document, with where it stands in the file."""

    def __init__(self, text: str, before: int) -> None:
        self.text = text
        self.before = before
        self._places: Places | None = None

    def span(self, path: _Path) -> Span:
        """Return where a value stands; the places are looked for once something is told."""
        if self._places is None:
            from plugseal.encode.yaml import index_yaml

            self._places = index_yaml(self.text.encode(), merges=True)
        found = self._places.value(path) or self._places.nearest(path)
        return found._replace(line=found.line + self.before, end_line=found.end_line + self.before)


def read_objects(text: str, _path: str) -> Found:
    """Return what the objects of a file run, fetch and reach.

    Args:
        text: with LF line ends; one document or several.
    """
    from plugseal.encode.yaml import parse_yaml

    found = Found(OBJECTS)
    for count, (document, before) in enumerate(_documents(text)):
        if count >= _MAX_DOCUMENTS:
            found.lack(f"holds more than {_MAX_DOCUMENTS:,} objects: not all were read")
            break
        try:
            value = parse_yaml(document.encode(), merges=True)
        except DataError as error:
            found.lack(f"not valid YAML: {error.message} (line {(error.line or 1) + before})")
            continue
        if isinstance(value, dict) and isinstance(value.get("kind"), str):
            _object(_Object(document, before), value, found)
    return found


def _documents(text: str) -> Iterator[tuple[str, int]]:
    """Yield each document of a file that is not empty, with the number of lines before it."""
    at = before = 0
    for mark in [*_ENDS.finditer(text), None]:
        document = text[at : mark.start() if mark is not None else len(text)]
        if document.strip():
            yield document, before
        if mark is not None:
            before += text.count("\n", at, mark.end())
            at = mark.end()


def _object(one: _Object, value: dict[str, Json], found: Found) -> None:
    key = _CARRIED.get(str(value["kind"]))
    if key is not None:
        table = value.get(key)
        for name, content in table.items() if isinstance(table, dict) else ():
            _carried(one, (key, name), name, content, found)
        return
    waiting: list[tuple[_Path, Json]] = [((), value)]
    for path, inner in waiting:  # The parser bounds how deep and how large a document is.
        if isinstance(inner, dict):
            _table(one, path, inner, found)
        if isinstance(inner, (dict, list)):
            items = inner.items() if isinstance(inner, dict) else enumerate(inner)
            waiting.extend(((*path, key), item) for key, item in items if isinstance(item, (dict, list)))


def _table(one: _Object, path: _Path, table: dict[str, Json], found: Found) -> None:
    """Take what a table says, if it is a container, a probe, a volume of the host or a context of security."""
    image = table.get("image")
    if isinstance(image, str) and image:
        _container(one, path, table, found)
    if path[-1:] == ("exec",) or ("image" not in table and path[-1:] == ("container",)):
        _words(one, (*path, "command"), table.get("command"), found)
    for key in _SWITCHES:
        if table.get(key) is True:
            found.fact(one.span((*path, key)), "grant", f"{key} = true", "start")
    volume = table.get("hostPath")
    place = volume.get("path") if isinstance(volume, dict) else None
    if isinstance(place, str):
        found.fact(one.span((*path, "hostPath")), "grant", f"volume {place}"[:_MAX_SHOWN], "start")


def _container(one: _Object, path: _Path, table: dict[str, Json], found: Found) -> None:
    """Take a container: its image, what it starts, and a script that it is given."""
    image = str(table["image"])
    named = None if _HOLES.search(image) else image[:_MAX_SHOWN]
    found.fact(one.span((*path, "image")), "code.fetched", named, "start")
    command, arguments = _texts(table.get("command")), _texts(table.get("args"))
    for key in ("script", "source"):
        script = table.get(key)
        if isinstance(script, str) and script.strip():
            _script(one, (*path, key), script, command[0] if command else "sh", found)
    if command:
        _words(one, (*path, "command"), [*command, *arguments], found)
    elif arguments and shell_of(arguments[0]):
        _words(one, (*path, "args"), list(arguments), found)


def _texts(value: Json) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


def _words(one: _Object, path: _Path, value: object, found: Found) -> None:
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    if words:
        found.run_words(words, one.span(path), "start", "container")


def _carried(one: _Object, path: _Path, name: str, content: Json, found: Found) -> None:
    """Take a file that an object carries, where its name or its first line says that it is a program."""
    from plugseal.lang.classify import language_of
    from plugseal.lang.textkinds import READABLE

    if not isinstance(content, str) or not content.strip():
        return
    language = language_of(name, content.encode("utf-8", "replace"))
    if language in READABLE and language in _PROGRAMS:
        found.nest(Nested(language, content, one.span(path), (), "command", "file of an object"))


def _script(one: _Object, path: _Path, script: str, program: str, found: Found) -> None:
    head = _FIRST_LINE.match(script)
    language = shell_of((head[2] if head[1].endswith("/env") and head[2] else head[1]) if head else program)
    found.nest(Nested(language or "script", script, one.span(path), (), "start", "script of a container"))

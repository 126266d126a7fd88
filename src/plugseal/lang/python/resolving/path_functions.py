"""Functions on paths as text, and the environment's known folders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from plugseal.lang.folded import HOLE, Text
from plugseal.lang.python.resolving.arguments import Given
from plugseal.lang.python.resolving.members import home_of
from plugseal.lang.python.resolving.paths import joined_paths
from plugseal.lang.python.resolving.values import AnyValue, Made, Values, unique

Function = Callable[[Given], Values | None]


def _join(given: Given) -> Values | None:
    parts: list[list[Text]] = given.every_path()
    if given.arguments.rest:
        parts.append([Text(HOLE, False)])
    return unique([joined for joined in joined_paths(parts) if joined.value != HOLE])


def _same_path(given: Given) -> Values | None:
    return unique([text for text in given.paths(0) if text.value != HOLE])


def _folder(given: Given) -> Values | None:
    found: list[AnyValue] = []
    for text in given.paths(0):
        head, slash, name = text.value.rpartition("/") if isinstance(text.value, str) else ("", "", "")
        if slash and HOLE not in name:
            found.append(Text(head, text.whole))
    return unique(found) or None


def _expanded(given: Given) -> Values | None:
    texts = [text for text in given.paths(0) if text.value != HOLE and isinstance(text.value, str)]
    homes = [(str(text.value).replace("$HOME", "~", 1).replace("${HOME}", "~", 1), text.whole) for text in texts]
    return unique([Text(home, is_whole) for home, is_whole in homes]) or None


def _environment(given: Given) -> Values | None:
    name = given.plain(0, "key")
    home = home_of(name) if isinstance(name, str) else None
    origin = given.receiver.name if given.receiver is not None else "os.getenv"
    if home is None:
        return given.values(1, "default") or None
    return (Made(f"{origin}()", given.arguments, home),)


def _temporary(name: str) -> Function:
    """Return what makes a folder below the system's temporary one, unless it is told where."""

    def make(given: Given) -> Values | None:
        is_told = given.arguments.rest or any(key == "dir" for key, *_ in given.arguments.keywords)
        begins = [one.value for one in given.values(_PREFIX, "prefix") if isinstance(one, Text)]
        leads_out = any("/" in one or "\\" in one for one in begins if isinstance(one, str))
        is_placed = is_told or leads_out or len(given.arguments.positional) > _DIR
        return None if is_placed else (Made(name, given.arguments, Text(f"{_TEMPORARY}/{HOLE}", False)),)

    return make


def _temporary_folder(_given: Given) -> Values | None:
    return (Text(_TEMPORARY),)


_TEMPORARY: Final = "/tmp"  # noqa: S108  # nosec B108  # a text, no file
_PREFIX: Final = 1
"""Where `tempfile` takes by its place what a name begins with."""
_DIR: Final = 2
"""Where it takes the folder."""

PATH_FUNCTIONS: Final[dict[str, Function]] = {
    "os.path.join": _join,
    "os.path.expanduser": _same_path,
    "os.path.expandvars": _expanded,
    "os.path.abspath": _same_path,
    "os.path.normpath": _same_path,
    "os.path.realpath": _same_path,
    "os.path.dirname": _folder,
    "os.fspath": _same_path,
    "tempfile.gettempdir": _temporary_folder,
    "tempfile.mkdtemp": _temporary("builtins.str()"),
    "tempfile.TemporaryDirectory": _temporary("tempfile.TemporaryDirectory()"),
    "os.getenv": _environment,
    "os.environ.get": _environment,
}
"""By canonical name."""

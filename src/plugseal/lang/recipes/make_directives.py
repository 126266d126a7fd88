"""What a makefile does beside its recipes: files taken in and written, code that it loads, exported variables."""

from __future__ import annotations

from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.recipes.arguments import shown
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.sources import add_file
from plugseal.model.location import Span
from plugseal.model.variables import loading
from plugseal.patterns import lazy

_INCLUDE: Final = lazy(r"[ ]*(?:-include|sinclude|include)[ \t]+(.*)")
_LOAD: Final = lazy(r"[ ]*-?load[ \t]+([^\s(]+)")
_EXPORT: Final = lazy(r"[ ]*(?:override[ \t]+)?export[ \t]+([A-Za-z_]\w*)[ \t]*(?:[:?+!]{0,3}=)[ \t]*(.*)")
_WRITE: Final = lazy(r"\$[({]file[ \t]+(>{1,2}|<)[ \t]*([^,)}]+)")
_GUILE: Final = lazy(r"\$[({]guile[ \t]")
_REFERENCE: Final = lazy(r"\$(?:\([^()]*\)|\{[^{}]*\}|.)")


def take_directive(line: str, number: int, path: str, found: Found) -> None:
    """Take what one line says that is no recipe.

    Args:
        line: of the file, with what make would put in left as it is.
        number: of the line.
        path: of the file, below the scanned root.
        found: takes the facts.
    """
    span = Span(number, 1, number, len(line) + 1)
    folders = path.count("/")
    include = _INCLUDE.match(line)
    for word in include[1].partition("#")[0].split() if include is not None else ():
        if "$" not in word:
            add_file(found, span, word, folders=folders)
    load = _LOAD.match(line)
    if load is not None and "=" not in line:
        found.fact(span, "code.native", shown(_plain(load[1])), "import")
    export = _EXPORT.match(line)
    loads = loading(export[1], _plain(export[2])) if export is not None else None
    if export is not None and loads is not None:
        found.fact(span, "env.write", export[1], "import")
        found.fact(span, loads.capability, export[1], "import", sure=False)
    for mark, name in _WRITE.findall(line):
        file = _plain(name.strip())
        capability = "fs.read" if mark == "<" else "fs.write"
        if not add_file(found, span, file.replace(HOLE, "*"), folders=folders, capability=capability):
            found.fact(span, capability, shown(file), "import")
    if _GUILE.search(line):
        found.fact(span, "code.dynamic", None, "import")


def _plain(text: str) -> str:
    return _REFERENCE.sub(HOLE, text)

"""Jupyter notebooks: cells of code with their magics, cells of text, and what stored outputs would run in a page.

IPython's own syntax is taken apart before Python reads a cell: `!command` and `%%bash` are for a shell, `%pip install`
fetches code, other magics are blank lines. See: https://ipython.readthedocs.io/en/stable/interactive/magics.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from plugseal.encode.json import index_json, parse_json
from plugseal.encode.places import Places
from plugseal.errors import DataError
from plugseal.lang.facts import Anchor, Context, FileFacts, Nested, unread
from plugseal.lang.textkinds import READABLE
from plugseal.limits import MAX_DATA_BYTES
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_CELL_MAGICS: Final = {
    **dict.fromkeys("bash sh script system sx !".split(), "shell"),
    **dict.fromkeys("javascript js".split(), "javascript"),
    **dict.fromkeys("html svg".split(), "HTML"),
    **dict.fromkeys("powershell pwsh".split(), "PowerShell"),
    **dict.fromkeys("cmd batch".split(), "batch"),
    "ruby": "Ruby",
    "perl": "Perl",
    "sql": "SQL",
    **dict.fromkeys("python python3 time timeit capture prun pypy".split(), "python"),
}
_KERNELS: Final = {
    "python": "python",
    "ipython": "python",
    "javascript": "javascript",
    "typescript": "typescript",
    "bash": "shell",
    "powershell": "PowerShell",
    "pwsh": "PowerShell",
    "ruby": "Ruby",
    "perl": "Perl",
    "php": "PHP code",
    "lua": "Lua",
    "sql": "SQL",
}
_CELL_MAGIC: Final = lazy(r"\s*%%(!|\w+)(.*)")
_LINE: Final = lazy(r"(?P<indent>\s*)(?:[\w,][\w, ]*=\s*)?(?P<mark>!{1,2}|%)(?P<rest>.*)")
_PACKAGES: Final = lazy(r"\s*(?:pip|conda|mamba|uv)\s+(?:pip\s+)?install\s+(?P<rest>.*)")
_SHELL_MAGIC: Final = lazy(r"(?:sx|system|sc|alias)\s+(?P<rest>.*)")


def languages_of_cells() -> frozenset[str]:
    """Return every language that a kernel or a cell may name."""
    return frozenset((*_CELL_MAGICS.values(), *_KERNELS.values()))


class _Line(NamedTuple):
    text: str
    place: tuple[int, int] | None
    """Line and column in the file, where it stands there as it is."""


class NotebookReader:
    """The reader of notebooks."""

    language = "notebook"

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        if len(data) > MAX_DATA_BYTES:
            return unread(self.language, f"larger than {MAX_DATA_BYTES:,} bytes")
        try:
            document: Any = parse_json(data)  # Any: JSON, taken apart below
            places = index_json(data)
        except DataError as error:
            return unread(self.language, f"not valid JSON: {error.message}")
        if not isinstance(document, dict) or not isinstance(document.get("cells", document.get("worksheets")), list):
            return unread(self.language, "no notebook: it has no list of cells")
        book = _Book(document, places)
        book.look()
        missing = sorted({nested.language for nested in book.nested} - READABLE) or sorted(book.missing)
        status = (
            ("partial", f"holds {missing[0]} inside, for which there is no reader yet") if missing else ("read", "")
        )
        return FileFacts(
            self.language,
            *status,
            facts=tuple(sorted(set(book.facts), key=fact_order)),
            nested=tuple(nested for nested in book.nested if nested.language in READABLE),
        )


class _Book:
    def __init__(self, document: dict[str, Any], places: Places) -> None:
        self._document = document
        self._places = places
        self.facts: list[Fact] = []
        self.nested: list[Nested] = []
        self.missing: set[str] = set()
        self._language = _kernel(document)
        self._span = WHOLE_FILE

    def look(self) -> None:
        """Go through all cells."""
        if "cells" not in self._document:
            self.missing.add("a notebook of an old format")
            return
        for number, cell in enumerate(self._document["cells"]):
            if not isinstance(cell, dict):
                continue
            if cell.get("cell_type") == "code":
                self._span = self._places.nearest(("cells", number, "source"))
                self._code(list(self._lines(cell, number)))
                self._outputs(cell, number)

    def _lines(self, cell: dict[str, Any], number: int) -> Iterator[_Line]:
        source = cell.get("source", cell.get("input", ""))
        parts = source if isinstance(source, list) else [source]
        for index, part in enumerate(parts):
            if not isinstance(part, str):
                continue
            path = ("cells", number, "source", index) if isinstance(source, list) else ("cells", number, "source")
            span = self._places.value(path) or WHOLE_FILE
            for at, text in enumerate(part.rstrip("\n").split("\n")):
                is_plain = at == 0 and span.line and "\\" not in text and '"' not in text and "\t" not in text
                yield _Line(text, (span.line, span.column + 1) if is_plain else None)

    def _code(self, lines: list[_Line]) -> None:
        first = next((at for at, line in enumerate(lines) if line.text.strip()), None)
        if first is None:
            return
        magic = _CELL_MAGIC.match(lines[first].text)
        if magic is None:
            self._mixed(lines, self._language)
            return
        language = _CELL_MAGICS.get(magic[1], "")
        if magic[1] in ("writefile", "file"):
            self._add("fs.write", magic[2].strip().rpartition(" ")[2] or None, lines[first])
        elif language == "python":
            self._mixed(lines[first + 1 :], "python")
        elif language:
            self._nest(language, lines[first + 1 :], f"%%{magic[1]} cell")
        elif magic[1] not in ("markdown", "latex"):
            self.missing.add(f"a cell of `%%{magic[1]}`")

    def _mixed(self, lines: list[_Line], language: str) -> None:
        """Take the lines of a cell apart: those of its language, and those for a shell."""
        if language != "python":
            self._nest(language, lines, "cell")
            return
        code: list[_Line] = []
        for line in lines:
            match = _LINE.match(line.text)
            if match is None or (match["mark"] == "%" and not re.match(r"\w", match["rest"])):
                code.append(line)
                continue
            code.append(_Line(match["indent"] + "pass", None))
            self._magic(match, line)
        self._nest("python", code, "cell")

    def _magic(self, match: re.Match[str], line: _Line) -> None:
        rest = match["rest"]
        packages = _PACKAGES.match(rest)
        if packages is not None:
            names = [word for word in packages["rest"].split() if not word.startswith("-")]
            for name in names or [None]:
                self._add("code.fetched", name, line)
        shell = match["mark"].startswith("!") or _SHELL_MAGIC.match(rest)
        if shell:
            start = match.start("rest") + (shell.start("rest") if isinstance(shell, re.Match) else 0)
            place = (line.place[0], line.place[1] + start) if line.place else None
            self._nest("shell", [_Line(line.text[start:], place)], "! line")
        elif not packages and rest.partition(" ")[0] in ("run", "load", "loadpy", "load_ext"):
            self._add("code.import", rest.partition(" ")[2].strip() or None, line)

    def _outputs(self, cell: dict[str, Any], number: int) -> None:
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            shown = output.get("data") if isinstance(output, dict) else None
            for kind, value in shown.items() if isinstance(shown, dict) else ():
                language = {"text/html": "HTML", "image/svg+xml": "SVG", "application/javascript": "javascript"}.get(
                    kind
                )
                text = "".join(part for part in value if isinstance(part, str)) if isinstance(value, list) else value
                if language and isinstance(text, str) and text.strip():
                    span = self._places.nearest(("cells", number, "outputs"))
                    self.nested.append(Nested(language, text, span, (), "open", "stored output"))

    def _nest(self, language: str, lines: list[_Line], how: str) -> None:
        text = "\n".join(line.text for line in lines) + "\n"
        if not text.strip():
            return
        if not language:
            self.missing.add("a language that the notebook does not name")
            return
        placed = [line.place for line in lines if line.place is not None]
        span = Span(placed[0][0], 1, placed[-1][0], 2) if placed else self._span
        offset, anchors = 0, []
        for line in lines:
            if line.place is not None:
                anchors.append(Anchor(offset, *line.place))
            offset += len(line.text) + 1
        self.nested.append(Nested(language, text, span, tuple(anchors), "unknown", how))

    def _add(self, capability: str, name: str | None, line: _Line) -> None:
        place = line.place
        span = Span(place[0], place[1], place[0], place[1] + len(line.text)) if place else self._span
        self.facts.append(Fact(span, capability, name, "direct", "code", "unknown"))


def _kernel(document: dict[str, Any]) -> str:
    """Return the language of a notebook's cells; Python where it does not say, empty where it says two things.

    The kernel is what runs them; `language_info` is only what the last one said of itself, and anybody may write it.
    """
    metadata = document.get("metadata")
    tables = [metadata.get(key) for key in ("kernelspec", "language_info")] if isinstance(metadata, dict) else []
    infos = [table for table in tables if isinstance(table, dict)]
    names = [info[key] for info in infos for key in ("name", "language") if info.get(key)]
    known = {_KERNELS.get(str(name).lower().rstrip("0123456789. "), "") for name in names} - {""}
    if len(known) == 1:
        return known.pop()
    return "" if names else "python"

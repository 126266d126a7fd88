"""Read settings of tmux, udev and nginx: the lines for a shell, the programs and the Lua that stand in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.lang.judging.objects import cut_object
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.mapped import Mapped
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

TMUX: Final = "tmux settings"
UDEV: Final = "udev rules"
NGINX: Final = "nginx settings"
_WORD: Final = lazy(r"'([^'\n]*)'|\"((?:[^\"\\\n]|\\.)*)\"|(\\;|[;{}])|((?:[^\s'\";{}\\]|\\.)+)")
_INSIDE: Final = lazy(r"#\(([^()\n]{1,2000})\)")
_RUNS: Final = frozenset(
    "run-shell run new-window neww new-session split-window splitw respawn-pane respawnp respawn-window respawnw "
    "display-popup popup pipe-pane pipep copy-pipe copy-pipe-and-cancel copy-pipe-no-clear copy-pipe-end-of-line "
    "default-command status-left status-right lock-command if-shell if".split()
)
_IFS: Final = frozenset(("if-shell", "if"))
_HOLDING: Final = frozenset("set-hook confirm-before confirm command-prompt bind-key bind display-menu menu".split())
"""Commands of tmux whose texts in quotes are commands of tmux again."""
_VALUED: Final = frozenset("-t -c -e -n -x -y -s -F -l".split())
_VALUED_BY: Final = {
    "display-popup": frozenset("-w -h -x -y -d -e -t -T -s -S -b -c".split()),
    "popup": frozenset("-w -h -x -y -d -e -t -T -s -S -b -c".split()),
    "run-shell": frozenset("-d -t -c".split()),
    "run": frozenset("-d -t -c".split()),
}
"""Options that a value stands behind, by command."""
_ENDS: Final = frozenset((";", "\\;", "{", "}"))
_MAX_LINES: Final = 20_000
_MAX_DEPTH: Final = 3
_KEY: Final = lazy(r"\b(RUN|PROGRAM|IMPORT)(?:\{(\w{1,20})\})?[ \t]{0,8}[+:=]?=[ \t]{0,8}e?\"((?:[^\"\\\n]|\\.)*)\"")
_DIRECTIVE: Final = lazy(
    r"\b(?:\w{1,40}_by_lua(?:_(block|file))?|(load_module))[ \t\n]{1,8}(?:\{|'([^']*)'|\"([^\"]*)\"|([^\s;{}'\"]+))"
)
_MAX_BLOCK: Final = 65_536


class _Word(NamedTuple):
    text: str
    column: int
    is_quoted: bool


def read_tmux(text: str, path: str) -> Found:
    """Return what settings of tmux run.

    Args:
        text: with LF line ends.
        path: of the file.
    """
    del path
    found = Found(TMUX)
    for number, line in enumerate(text.split("\n")[:_MAX_LINES], 1):
        if not line.lstrip().startswith("#"):
            _tmux_line(line, number, 1, found, 0)
    return found


def _tmux_line(line: str, number: int, column: int, found: Found, depth: int) -> None:
    for inside in _INSIDE.finditer(line):
        _run(inside[1], number, column + inside.start(1), found)
    words = list(_words(line, column))
    for at, word in enumerate(words):
        if word.is_quoted:
            continue
        if word.text in _RUNS:
            _command(words, at, number, found, depth)
        elif word.text in _HOLDING and depth < _MAX_DEPTH:
            for inner in words[at + 1 :]:
                if inner.is_quoted:
                    _tmux_line(inner.text, number, inner.column, found, depth + 1)
        elif word.text == "default-shell" and at + 1 < len(words):
            span = Span(number, word.column, number, word.column + len(word.text))
            found.fact(span, "process.exec", cut_object("program", words[at + 1].text), "start")
        elif word.text in ("source-file", "source") and at + 1 < len(words):
            _read_file(words[at + 1 :], number, found)
        elif word.text == "@plugin" and at + 1 < len(words):
            span = Span(number, word.column, number, word.column + len(word.text))
            found.fact(span, "code.fetched", words[at + 1].text[:256], "install")


def _read_file(words: list[_Word], number: int, found: Found) -> None:
    """Take the file that a command of tmux reads further commands from."""
    file = next((word for word in words if word.is_quoted or not word.text.startswith("-")), None)
    if file is not None:
        span = Span(number, file.column, number, file.column + len(file.text))
        found.fact(span, "code.import", cut_object("path", file.text), "start", sure=False)


def _command(words: list[_Word], at: int, number: int, found: Found, depth: int) -> None:
    """Take what a command of tmux gives to a shell: its first argument, or all of them."""
    is_status = words[at].text.startswith("status-")
    place = at + 1
    while place < len(words) and not words[place].is_quoted and words[place].text.startswith("-"):
        place += 2 if words[place].text in _VALUED_BY.get(words[at].text, _VALUED) else 1
    if place >= len(words) or words[place].text in _ENDS or is_status:
        return
    if words[place].is_quoted or words[at].text in _IFS:
        _run(words[place].text, number, words[place].column, found)
    else:
        end = next((n for n in range(place, len(words)) if words[n].text in _ENDS), len(words))
        _run(" ".join(word.text for word in words[place:end]), number, words[place].column, found)
    if words[at].text in _IFS and depth < _MAX_DEPTH:
        for branch in words[place + 1 : place + 3]:
            if branch.is_quoted:
                _tmux_line(branch.text, number, branch.column, found, depth + 1)


def _words(line: str, column: int) -> Iterator[_Word]:
    for match in _WORD.finditer(line):
        group = match.lastindex or 4
        text = match[group] if group != 2 else match[2].replace('\\"', '"')
        yield _Word(text, column + match.start(group), group < 3)


def _run(line: str, number: int, column: int, found: Found) -> None:
    text = Mapped()
    text.add(line, number, column)
    found.run(text, "start", TMUX)


def read_udev(text: str, path: str) -> Found:
    """Return what rules of udev run when a device comes; they go on doing so.

    Args:
        text: with LF line ends.
        path: of the file; its name is what persists.
    """
    found = Found(UDEV)
    for number, line in enumerate(text.split("\n")[:_MAX_LINES], 1):
        if line.lstrip().startswith("#"):
            continue
        for match in _KEY.finditer(line):
            if (match[1] == "IMPORT" and match[2] != "program") or match[2] == "builtin":
                continue
            command = Mapped()
            command.add(match[3], number, match.start(3) + 1)
            found.run(command, "start", UDEV)
            found.fact(command.span(), "persistence", path.rpartition("/")[2], "unknown", sure=False)
    return found


def read_nginx(text: str, path: str) -> Found:
    """Return the Lua that nginx runs, and the modules that it loads.

    Args:
        text: with LF line ends.
        path: of the file.
    """
    del path
    found = Found(NGINX)
    for match in _DIRECTIVE.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        if text[text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip().startswith("#"):
            continue
        span = Span(number, 1, number, 2)
        group = next((one for one in (3, 4, 5) if match[one] is not None), 0)
        named = match[group] if group else ""
        if match[2]:
            found.fact(span, "code.native", cut_object("path", named), "start")
        elif match[1] == "file":
            found.fact(span, "code.import", cut_object("path", named), "start")
        elif match[0].endswith("{"):
            _lua(text, match.end(), _end_of_block(text, match.end()), found)
        elif group in (3, 4):
            _lua(text, match.start(group), match.end(group), found)
    return found


def _end_of_block(text: str, start: int) -> int:
    """Return where a block ends whose first brace is open."""
    depth = 1
    for at in range(start, min(len(text), start + _MAX_BLOCK)):
        if text[at] in "{}":
            depth += 1 if text[at] == "{" else -1
            if not depth:
                return at
    return min(len(text), start + _MAX_BLOCK)


def _lua(text: str, start: int, end: int, found: Found) -> None:
    code = Mapped()
    number = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    for at, line in enumerate(text[start:end].split("\n")):
        if at:
            code.end_line()
            column = 1
        code.add(line, number + at, column)
    found.run(code, "start", NGINX, language="Lua")

"""Read units, launchers and time tables: the command lines in them, and that they run again by themselves."""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.mapped import Mapped
from plugseal.model.location import WHOLE_FILE
from plugseal.patterns import lazy

UNIT: Final = "unit or launcher"
TABLE: Final = "time table"
_KEY: Final = lazy(r"[ \t]*([A-Za-z][\w-]*)(?:\[[^\]]*\])?[ \t]*=[ \t]*")
_SECTION: Final = lazy(r"[ \t]*\[([^\]]+)\]")
_RUNS: Final = frozenset(
    "execstart execstartpre execstartpost execstop execstoppost execreload execcondition exec tryexec".split()
)
_MARKS: Final = "@-:+!|"
_FIELD_CODE: Final = lazy(r"%%|%[a-zA-Z]")
_SCHEDULE: Final = lazy(
    r"[ \t]*(?:@(?:reboot|yearly|annually|monthly|weekly|daily|midnight|hourly)|(?:\S+[ \t]+){4}\S+)[ \t]+"
)
_TIME: Final = lazy(r"[ \t]*(?:@\w+|[\d*/,-]+[ \t])")
_VARIABLE: Final = lazy(r"[ \t]*([A-Za-z_]\w*)[ \t]*=")
_PEOPLE: Final = lazy(r"(?:^|/)cron(?:tab$|\.d/)")


def read_unit(text: str, path: str) -> Found:
    """Return what a systemd unit or a desktop entry says.

    Args:
        text: with LF line ends.
        path: of the file; its name is what persists.
    """
    found = Found(UNIT)
    section = ""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        header = _SECTION.match(line)
        if header is not None:
            section = header[1].strip().lower()
            if section in ("install", "timer"):
                found.fact(WHOLE_FILE, "persistence", path.rpartition("/")[2], "unknown", sure=False)
            continue
        key = _KEY.match(line)
        if key is None or line.lstrip().startswith(("#", ";")):
            continue
        name = key[1].lower()
        if name in _RUNS:
            at = _command(lines, at, key.end(), found, "open" if section == "desktop entry" else "start")
        elif name == "environment":
            for variable in re.finditer(r"(?:^|[\s\"'])([A-Za-z_]\w*)=", line[key.end() :]):
                span = Mapped()
                span.add(variable[1], at, key.end() + variable.start(1) + 1)
                found.fact(span.span(), "env.write", variable[1], "start")
        elif name == "x-gnome-autostart-enabled" and line[key.end() :].strip().lower() == "true":
            found.fact(WHOLE_FILE, "persistence", path.rpartition("/")[2], "unknown", sure=False)
    return found


def _command(lines: list[str], at: int, column: int, found: Found, trigger: str) -> int:
    """Take a command and the lines that continue it, and return the number of the next line."""
    text = Mapped()
    line = lines[at - 1]
    column += len(line[column:]) - len(line[column:].lstrip(_MARKS + " \t"))
    while True:
        _fill(text, lines[at - 1], at, column)
        if not lines[at - 1].endswith("\\") or at >= len(lines):
            break
        text.end_line()
        at += 1
        column = 0
    found.run(text, trigger, "unit")
    return at


def _fill(text: Mapped, line: str, number: int, column: int) -> None:
    at = column
    for match in _FIELD_CODE.finditer(line, column):
        text.add(line[at : match.start()], number, at + 1)
        text.put("%" if match[0] == "%%" else '"$1"', number, match.start() + 1)
        at = match.end()
    text.add(line[at:], number, at + 1)


def read_time_table(text: str, path: str) -> Found:
    """Return what a crontab says.

    Args:
        text: with LF line ends.
        path: of the file; those of a system name a user before the command.
    """
    found = Found(TABLE)
    has_user = path.endswith("/etc/crontab") or (_PEOPLE.search(path) is not None and "/etc/" in f"/{path}")
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#") or not line.strip():
            continue
        variable = _VARIABLE.match(line)
        if variable is not None:
            continue
        schedule = _SCHEDULE.match(line)
        if schedule is None or not _TIME.match(line):
            found.lack(f"holds a line that is no entry (line {number})")
            continue
        start = schedule.end()
        if has_user:
            start += len(line[start:]) - len(line[start:].lstrip()) + len(line[start:].split(None, 1)[0])
        command = Mapped()
        command.add(line[start:], number, start + 1)
        found.run(command, "start", "time table")
        found.fact(command.span(), "persistence", "crontab", "unknown", sure=False)
    return found

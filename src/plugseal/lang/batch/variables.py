"""The variables of one batch file: what it sets, and what of it stands where."""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.names import IDENTITY, ORDINARY
from plugseal.lang.shell.words.marks import OWN
from plugseal.patterns import lazy

_USE: Final = lazy(
    r"%%[^%\s:=!&|<>\"]{2,64}%%|%%~?[A-Za-z*]+|%~[a-z$]*[0-9]|%[0-9*]|%([^%\s:=]{1,64})(?::(~[-\d,]+|\*?[^%=]{1,64}=[^%]{0,64}))?%"
    r"|!([^!\s:=]{1,64})(?::(~[-\d,]+|[^!=]{1,64}=[^!]{0,64}))?!"
)
_INNER: Final = lazy(r"\bset\s+\"?([^=\"\s&|!%]{1,64})=", re.IGNORECASE)
_TWICE: Final = lazy(r"%(%[^%\s=]{1,64}(?::[^%]{1,64})?%)%")
_MAX_TEXT: Final = 16_384
_GIVEN: Final = {
    "USERPROFILE": "~",
    "HOMEPATH": "~",
    "SYSTEMROOT": "C:\\Windows",
    "WINDIR": "C:\\Windows",
    "CD": ".",
    "COMSPEC": "cmd.exe",
}
_USERS: Final = f"C:\\Users\\{HOLE}"
_USUAL: Final = {
    "COMSPEC": "C:\\Windows\\system32\\cmd.exe",
    "SYSTEMROOT": "C:\\Windows",
    "WINDIR": "C:\\Windows",
    "SYSTEMDRIVE": "C:",
    "HOMEDRIVE": "C:",
    "PROGRAMFILES": "C:\\Program Files",
    "PROGRAMW6432": "C:\\Program Files",
    "COMMONPROGRAMFILES": "C:\\Program Files\\Common Files",
    "PROGRAMDATA": "C:\\ProgramData",
    "ALLUSERSPROFILE": "C:\\ProgramData",
    "PUBLIC": "C:\\Users\\Public",
    "USERPROFILE": _USERS,
    "LOCALAPPDATA": f"{_USERS}\\AppData\\Local",
    "APPDATA": f"{_USERS}\\AppData\\Roaming",
    "OS": "Windows_NT",
    "PATHEXT": ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC",
}
"""What variables hold on nearly every machine: letters that are cut from one spell the same word everywhere."""
_KEPT: Final = frozenset("TEMP TMP APPDATA LOCALAPPDATA PROGRAMFILES PROGRAMDATA PUBLIC ALLUSERSPROFILE".split())


class Variables:
    """The variables of one file."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.read: list[str] = []
        """Names that the file reads and has not set."""
        self.was_cut = False
        """Whether the last text was put together from parts of variables."""
        self.worked = 0
        """Characters that the last text took to be put together."""
        self._inner: frozenset[str] = frozenset()
        """Names that a line for another `cmd` sets, which has its own: `cmd /v /c "set x=a&&!x!"`."""

    def expand(self, text: str) -> str:
        """Return a text with its variables put in; what is not known is a hole."""
        self.was_cut = False
        self.read = []
        self.worked = 0
        is_called = text[:5].lower() == "call "
        names = _INNER.findall(text) if "!" in text and not is_called else ()
        self._inner = frozenset(name.upper() for name in names)
        # What is called is read once more: `call %%a%%` runs what `a` holds.
        made = _USE.sub(self._one, _TWICE.sub(r"\1", text) if is_called else text)
        return made if max(len(made), self.worked) <= _MAX_TEXT else HOLE

    def _one(self, found: re.Match[str]) -> str:
        made = self._value(found)
        self.worked += len(made)
        return made

    def _value(self, found: re.Match[str]) -> str:
        name = (found[1] or found[3] or "").upper()
        if found[3] and name in self._inner and name not in self.values:
            return found[0]
        if not name and found[0].endswith("%%"):
            return found[0][1:-1]  # another `cmd` reads it as a variable of its own
        if not name:
            return f"{OWN}/" if "dp0" in found[0].lower() else HOLE
        change = found[2] or found[4]
        value = self.values.get(name)
        if value is None:
            if (name not in ORDINARY or name in IDENTITY) and name != "_":  # `%_%` is what another reader did not know.
                self.read.append(found[1] or found[3])
            value = f"%{name}%" if name in _KEPT else _GIVEN.get(name, HOLE)
            self.was_cut = self.was_cut or bool(
                change and change.startswith("~") and (name in _USUAL or name == "PATH")
            )
            return _cut(_USUAL.get(name, HOLE), change) if change else value
        if self.worked > _MAX_TEXT:
            return ""  # The text is too long by now, whatever else is put in.
        if not change:
            return value
        self.was_cut = True
        self.worked += len(value)
        return _changed(value, change)


def _cut(usual: str, change: str) -> str:
    """Return what is cut from a value that is usual; a hole where it depends on who the user is."""
    known = usual.partition(HOLE)[0] if HOLE in usual and not change.startswith("~-") else usual
    if not change.startswith("~"):
        return _changed(usual, change) if HOLE not in usual else HOLE
    made = _changed(known, change) if len(usual) > 1 else ""
    end = _number(change[1:].partition(",")[0]) + _number(change.partition(",")[2] or "-1")
    is_beyond = known != usual and not 0 <= end <= len(known)
    return made if made and HOLE not in made and not is_beyond else HOLE


def _changed(value: str, change: str) -> str:
    if change.startswith("~"):
        first, _, count = change[1:].partition(",")
        start = _number(first)
        begin = start if start >= 0 else max(0, len(value) + start)
        if not count:
            return value[begin:]
        length = _number(count)
        return value[begin : begin + length] if length >= 0 else value[begin:length]
    old, _, new = change.partition("=")
    if old.startswith("*"):
        at = value.lower().find(old[1:].lower())
        return value if at < 0 else new + value[at + len(old) - 1 :]
    return re.sub(re.escape(old), new.replace("\\", r"\\"), value, flags=re.IGNORECASE)


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,5}", text) else 0

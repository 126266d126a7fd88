"""Say what each command of a batch file does: the shell's own by a table, programs by theirs."""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.batch.lines import Piece, cut_redirects, pieces, words_of
from plugseal.lang.batch.loops import taken_from
from plugseal.lang.batch.variables import Variables
from plugseal.lang.facts import Nested
from plugseal.lang.folded import HOLE, filled
from plugseal.lang.powershell.downloads import add_fetched_runs
from plugseal.lang.powershell.launches import decode_command
from plugseal.lang.powershell.names import IDENTITY
from plugseal.lang.powershell.report import WindowsReport
from plugseal.lang.powershell.source import TextSource
from plugseal.lang.programs.memo import tell
from plugseal.lang.programs.start import program_name
from plugseal.lang.programs.words import SMALL_LANGUAGES, small_acts
from plugseal.lang.shell.words.marks import OWN
from plugseal.model.location import Span
from plugseal.model.variables import NAMES
from plugseal.patterns import lazy

_SILENT: Final = frozenset(
    """
    echo echo. rem :: cd chdir pushd popd setlocal endlocal exit goto shift pause cls title color mode prompt vol
    break verify date time path chcp else ) ( doskey graftabl
    """.split()
)
_OWN: Final = {
    "del": ("fs.delete",),
    "erase": ("fs.delete",),
    "rd": ("fs.delete",),
    "rmdir": ("fs.delete",),
    "type": ("fs.read",),
    "dir": ("fs.read",),
    "md": ("fs.write",),
    "mkdir": ("fs.write",),
    "copy": ("fs.read", "fs.write"),
    "move": ("fs.delete", "fs.write"),
    "ren": ("fs.write",),
    "rename": ("fs.write",),
    "mklink": ("fs.meta",),
    "ver": ("system.info",),
}
"""Commands that `cmd` has itself: what is done to the first path, then to the second."""
_REMARK: Final = lazy(r"(?::|rem(?![\w.\\$~-]))", re.IGNORECASE)
_IF: Final = lazy(
    r"if\s+(?=\S)(?:/i\s+(?=\S))?(?:not\s+(?=\S))?"
    r"(?:(?:exist|defined|errorlevel)\s+(?:\"[^\"]*\"|\S+)|(?:\"[^\"]*\"|[^\s=\"]*)\s*"
    r"(?:==|\b(?:equ|neq|lss|leq|gtr|geq)\b)\s*(?:\"[^\"]*\"|\S+))\s*",
    re.IGNORECASE,
)
_FOR: Final = lazy(r"for\s+(?:/[a-z]\s+(?:\"[^\"]*\"\s+)?)?%%?~?\w+\s+in\s*\(([\s\S]*?)\)\s*do\s*", re.IGNORECASE)
_PLAIN_FOR: Final = lazy(r"for\s+%%(\w)\s", re.IGNORECASE)
"""A loop over what stands there, not over numbers, folders or lines."""
_MAX_ITEMS: Final = 16
_SET: Final = lazy(r"set\s+(?:/[ap]\s+)?\"?([^=\"\s][^=\"]*)=([\s\S]*)", re.IGNORECASE)
_START: Final = lazy(r"start\s+(?:\"[^\"]*\"\s+)?(?:/(?:d\s+\S+|\w+)\s+)*(?:\"[^\"\\/.]*\"\s+(?=\S))?", re.IGNORECASE)
_CALL: Final = lazy(r"call\s+(?!:)", re.IGNORECASE)
_LOADING: Final = NAMES | frozenset(
    "PATH PATHEXT PSMODULEPATH COMSPEC DOTNET_STARTUP_HOOKS COR_PROFILER COR_PROFILER_PATH CORECLR_PROFILER"
    " CORECLR_PROFILER_PATH COR_ENABLE_PROFILING CORECLR_ENABLE_PROFILING"
    " COMPLUS_PROFAPI_ATTACH WINDIR SYSTEMROOT".split()
)
"""Variables by which other programs, or other files of theirs, are run."""
_SHELLS: Final = frozenset(("cmd", "powershell", "pwsh", "bash", "sh", "python", "python3", "node", "perl", "ruby"))
_MAX_STEPS: Final = 100_000
_CHARACTERS_PER_STEP: Final = 20
_WORDS_PER_STEP: Final = 4
"""Long commands, and those that variables make long, cost as much as many short ones."""
_MAX_DEPTH: Final = 6


class BatchJudge:
    """The commands of one file."""

    def __init__(self, text: str, path: str) -> None:
        self.source = TextSource(text)
        self.report = WindowsReport(path)
        self.is_cut = False
        self._variables = Variables()
        # What stands there once is paid for: the steps are for what loops and variables make of it.
        self._steps = _MAX_STEPS + len(text) // _CHARACTERS_PER_STEP
        self._before = ""

    def run(self) -> None:
        """Judge every command."""
        for piece in pieces(self.source.text):
            self._judge(piece, piece.text, self.source.span(piece.start, piece.end), 0)
        add_fetched_runs(self.report)

    def _judge(self, piece: Piece, text: str, span: Span, depth: int) -> None:
        """Judge one command; what it holds inside is judged in its place."""
        self._steps -= 1 + len(text) // _CHARACTERS_PER_STEP
        if self._steps < 0 or depth > _MAX_DEPTH:
            self.is_cut = True
            return
        text = text.lstrip("@ \t,;=")
        if _REMARK.match(text):
            return
        condition = _IF.match(text) or re.match(r"else\b\s*", text, re.IGNORECASE)
        if condition is not None:
            self._reads(text[: condition.end()], span)
            self._judge(piece, text[condition.end() :], span, depth + 1)
            return
        loop = _FOR.match(text)
        if loop is not None:
            self._loop(piece, loop, text, span, depth)
            return
        given = _SET.match(text)
        if given is not None:
            self._set(given, span)
            return
        expanded = self._reads(text, span)
        was_cut = self._variables.was_cut
        for inner in pieces(expanded) if "&" in expanded or "|" in expanded or "^" in expanded else (piece,):
            line = inner.text if inner is not piece else expanded
            self._command(line, piece, span, was_cut=was_cut)

    def _reads(self, text: str, span: Span) -> str:
        """Return a text with its variables put in, and say which of them come from outside."""
        expanded = self._variables.expand(text)
        self._steps -= self._variables.worked // _CHARACTERS_PER_STEP
        for name in self._variables.read:
            capability = "system.info" if name.upper() in IDENTITY else "env.read"
            self.report.add(span, capability, name, "direct", "")
        return expanded

    def _loop(self, piece: Piece, loop: re.Match[str], text: str, span: Span, depth: int) -> None:
        command = loop[1].strip()
        body = text[loop.end() :]
        plain = _PLAIN_FOR.match(loop[0])
        items = self._reads(command, span).replace(",", " ").split() if plain is not None else []
        if plain is not None and 0 < len(items) <= _MAX_ITEMS and not any("%" in one or HOLE in one for one in items):
            for one in items:
                self._judge(piece, _put_in(body, plain[1], one.strip('"')), span, depth + 1)
            return
        if "/f" in loop[0].lower() and command[:1] in "'`" and command[1:]:
            for inner in pieces(command.strip("'`")):
                self._judge(inner, inner.text, span, depth + 1)
        for name, value in taken_from(loop[0], command).items():
            body = _put_in(body, name, value)
        self._judge(piece, body, span, depth + 1)

    def _set(self, given: re.Match[str], span: Span) -> None:
        value = self._reads(given[2].strip().removesuffix('"'), span)
        name = given[1].strip().upper()
        is_asked = given[0].lower().startswith(("set /p", "set /a"))
        self._variables.values[name] = HOLE if is_asked else value
        if name in _LOADING:
            self.report.add_variable(span, name, value.replace(";", ":"), "direct", "")

    def _command(self, line: str, piece: Piece, span: Span, *, was_cut: bool) -> None:
        line, redirects = cut_redirects(line)
        feeds = [target for sign, target in redirects if sign == "<"]
        for sign, target in redirects:
            self._path("fs.read" if sign == "<" else "fs.write", target, span)
        line = line.lstrip("@ \t(")
        if line.count("(") != line.count(")"):
            line = line.rstrip(" )")
        line = _CALL.sub("", line, count=1) if line[:5].lower() == "call " else line
        is_opened = re.match(r"start\b", line, re.IGNORECASE) is not None
        if is_opened:
            line = _START.sub("", line, count=1)
        words = words_of(line)
        words = _parted(words) if words and re.search(r"[,;]", words[0]) else words
        self._steps -= len(words) // _WORDS_PER_STEP
        if is_opened and words and "://" in words[0]:
            words = ["start", *words]  # An address is opened by the program that the user has for such.
        if not words or words[0].lower() == "call":
            return
        name = words[0].lower()
        if HOLE in words[0]:
            self.report.add(span, "process.exec", None, "possible", "")
            return
        self._hidden(words[0], piece, span, was_cut=was_cut)
        if name == "set":
            self._listed(words[1:], span)
            return
        if name in _SILENT or name.startswith("echo"):
            if name in ("pushd", "cd", "chdir"):
                self.report.add_shares(span, words[1:], "direct", "")
            self._before = line
            return
        if name in ("assoc", "ftype"):
            self._associated(words[1:], span)
        elif name in _OWN:
            self._own(name, words[1:], span)
        else:
            self._start(words, span, "resolved" if was_cut else "direct")
            if feeds and program_name(words[0]) in _SHELLS:
                self.report.add(span, "code.dynamic", None, "direct", "")
        self._fed(piece, words, span)
        self._before = line

    def _associated(self, words: list[str], span: Span) -> None:
        """Report that what opens files of some kind is another program from now on: `ftype txtfile=a.exe %1`."""
        if any("=" in word for word in words):
            kind = words[0].partition("=")[0]
            self.report.add(span, "persistence", kind if HOLE not in kind else None, "direct", "")

    def _listed(self, words: list[str], span: Span) -> None:
        """Report that `set` lists the variables, all of them or those of one beginning."""
        if words:
            self.report.add(span, "env.read", words[0] if HOLE not in words[0] else None, "direct", "")
        else:
            self.report.add(span, "env.bulk", None, "direct", "")

    def _hidden(self, name: str, piece: Piece, span: Span, *, was_cut: bool) -> None:
        if (piece.has_carets or was_cut) and re.fullmatch(r"[\w.-]+", name):
            self.report.add(span, "code.obfuscated", name, "resolved", "")
            self.report.event("command", "hidden name", span, [name], "resolved", "")

    def _fed(self, piece: Piece, words: list[str], span: Span) -> None:
        """Judge what a pipe brings to an interpreter."""
        name = program_name(words[0])
        if piece.is_fed and name in ("cmd", "powershell", "pwsh") and self._before.lower().startswith("echo "):
            language = "batch" if name == "cmd" else "PowerShell"
            self._nest(language, self._before[5:], span, "pipe")
        elif (
            piece.is_fed and name in ("cmd", "powershell", "pwsh", "python", "node") and "curl" in self._before.lower()
        ):
            self.report.add(span, "code.fetched", None, "direct", "")
            self.report.event("pipe", f"curl | {name}", span, [], "direct", "")

    def _own(self, name: str, words: list[str], span: Span) -> None:
        self.report.event("command", name, span, words, "direct", "")
        paths = [word for word in words if not re.match(r"/\w", word)]
        for at, capability in enumerate(_OWN[name]):
            if at < len(paths):
                self._path(capability, paths[at], span)
            elif at == 0:
                self.report.add(span, capability, None, "direct", "")

    def _path(self, capability: str, path: str, span: Span) -> None:
        if path.strip(HOLE):
            self.report.add_path(span, capability, path, "direct", "")
        else:
            self.report.add(span, capability, None, "direct", "")

    def _start(self, words: list[str], span: Span, how: str) -> None:
        name = program_name(words[0]).removesuffix(".bat")
        if name in ("powershell", "pwsh"):
            self.report.add_program(span, words[0], how, "")
            self.report.event("command", name, span, words[1:], how, "")
            self._powershell(words[1:], span)
            return
        if name == "cmd":
            self._cmd(words, span, how)
            return
        self._program(words, span, how)

    def _cmd(self, words: list[str], span: Span, how: str) -> None:
        self.report.add_program(span, words[0], how, "")
        self.report.event("command", "cmd", span, words[1:], how, "")
        at = next((at for at, word in enumerate(words) if word.lower()[:2] in ("/c", "/k")), None)
        if at is not None:
            line = " ".join([words[at][2:], *words[at + 1 :]]).strip().lstrip(",;= ")
            first = line.split()[0].strip('"') if line.split() else None
            self.report.add(span, "process.shell", first if first and HOLE not in first else None, how, "")
            self._nest("batch", line, span, "cmd")

    def _program(self, words: list[str], span: Span, how: str) -> None:
        found, acts, codes = tell(tuple(words))
        for one, its_acts in zip(found, acts, strict=True):
            self.report.add_program(span, one.words[0], how, "")
            if one.name:
                self.report.event("command", one.name, span, list(one.words[1:]), how, "")
            self.report.add_shares(span, one.words[1:], how, "")
            for act in its_acts:
                sure = how if act.is_sure else "possible"
                if act.kind == "path" and act.named:
                    self.report.add_path(span, act.capability, act.named, sure, "")
                elif act.kind == "host":
                    self.report.add_host(span, act.capability, act.named, sure, "")
                else:
                    named = act.named if act.named and HOLE not in act.named else None
                    self.report.add(span, act.capability, named, sure, "")
        for code in codes:
            if code.language in SMALL_LANGUAGES:
                for line in self.report.add_acts(span, small_acts(code), how, ""):
                    self._nest("shell", line, span, code.program)
                continue
            if code.language != "batch":
                self.report.add(span, "code.dynamic", None, how, "")
            self._nest(code.language, code.text, span, code.program)

    def _powershell(self, words: list[str], span: Span) -> None:
        at = 0
        while at < len(words):
            name = words[at].lower().lstrip("-/")
            is_option = words[at][:1] in "-/"
            if is_option and name and ("encodedcommand".startswith(name) or name == "ec"):
                self.report.add(span, "code.dynamic", None, "resolved", "")
                self.report.add(span, "code.obfuscated", None, "resolved", "")
                text = decode_command(words[at + 1]) if at + 1 < len(words) else None
                if text:
                    self._nest("PowerShell", text, span, "powershell -EncodedCommand")
                return
            if is_option and name and "file".startswith(name):
                if at + 1 < len(words):
                    self._path("fs.read", words[at + 1], span)
                return
            if not is_option or (name and "command".startswith(name)):
                self.report.add(span, "code.dynamic", None, "direct", "")
                self._nest("PowerShell", " ".join(words[at + is_option :]), span, "powershell")
                return
            at += 2 if name[:2] in ("ex", "ep", "wi", "w", "ve", "in", "ou") else 1

    def _nest(self, language: str, text: str, span: Span, how: str) -> None:
        if text.replace(HOLE, "").strip():
            plain = filled(text, language).replace(OWN, ".")
            self.report.add_nested(Nested(language, plain, span, (), "start", how), "")


def _put_in(body: str, name: str, value: str) -> str:
    """Return what a loop runs with one of its variables put in."""
    return re.sub(rf"%%~?[a-zA-Z]*?{re.escape(name)}(?!\w)", value.replace("\\", "\\\\"), body)


def _parted(words: list[str]) -> list[str]:
    """Return the words of a command whose name ends at a comma or a semicolon: `cmd,/c,x`."""
    name, mark, rest = words[0].partition(",") if "," in words[0] else words[0].partition(";")
    rest = rest.lstrip(",;=")
    return [name, *([rest] if rest else []), *words[1:]] if mark and name else words

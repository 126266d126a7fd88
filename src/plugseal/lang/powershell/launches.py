"""What a program does that a script starts: by the tables of programs, and by the code that it is given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.methods import decode64
from plugseal.lang.powershell.values import FETCHED, Block, Item, Many, Table, text_of
from plugseal.lang.programs.memo import tell
from plugseal.lang.programs.start import program_name
from plugseal.lang.programs.words import SMALL_LANGUAGES, small_acts
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugseal.lang.powershell.codes import Codes
    from plugseal.lang.powershell.collect import Use
    from plugseal.lang.powershell.given import Given
    from plugseal.lang.powershell.handed import Handed
    from plugseal.lang.powershell.subject import Subject
    from plugseal.lang.programs import Act

_POWERSHELLS: Final = frozenset(("powershell", "pwsh", "powershell_ise"))
_RUNNERS: Final = frozenset("sh bash zsh dash python python3 node ruby perl php pwsh powershell cmd".split())
_ENCODED: Final = "encodedcommand"
_VALUED: Final = (
    "executionpolicy windowstyle version psconsolefile outputformat inputformat configurationname custompipename "
    "workingdirectory settingsfile ex ep w wd"
).split()
_COLON: Final = lazy(r"-[A-Za-z]+:(?=.)")
"""An option of PowerShell's own with its value."""


class Launches:
    """The programs that one script starts."""

    def __init__(self, subject: Subject, codes: Codes, handed: Handed) -> None:
        self._subject = subject
        self._codes = codes
        self._handed = handed

    def judge(self, text: str, given: Given, use: Use, how: str) -> None:
        """Judge the start of a program by its words."""
        self.start([text, *given.words], use, how, blocks=any(isinstance(i.value, Block) for i in given.positional))
        name = program_name(text)
        fetched = next((i for i in given.positional if i.flags & FETCHED), None) if name in _POWERSHELLS else None
        if fetched is not None:
            span = self._subject.span(use)
            self._subject.report.add(span, "code.fetched", self._subject.host(fetched), "resolved", use.frame.function)
        self._handed.judge_pipe(name, given.words, use)
        if name in _RUNNERS and use.before:
            fed = self._subject.folder.one(use.node._replace(kind="pipeline", parts=use.before), use.frame)
            if fed.flags & FETCHED:
                subject = self._subject
                span = subject.span(use)
                subject.report.add(span, "code.fetched", subject.host(fed), "resolved", use.frame.function)
                subject.report.event("pipe", f"curl | {name}", span, [], "resolved", use.frame.function)

    def start(self, words: Sequence[str], use: Use, how: str, *, blocks: bool = False) -> None:
        """Judge the start of a program.

        Args:
            words: its name and its words.
            use: where it stands.
            how: how sure its name is.
            blocks: whether it is given a script block, which stands in the script itself.
        """
        report, span, function = self._subject.report, self._subject.span(use), use.frame.function
        name = program_name(words[0]).removesuffix(".bat")
        if name in _POWERSHELLS:
            report.add_program(span, words[0], how, function)
            report.event("command", name, span, list(words[1:]), how, function)
            if not blocks:
                self._powershell(list(words[1:]), use)
            return
        if name == "cmd":
            report.add_program(span, words[0], how, function)
            report.event("command", name, span, list(words[1:]), how, function)
            self._cmd(list(words[1:]), use)
            return
        found, acts, codes = tell(tuple(words))
        for one, its_acts in zip(found, acts, strict=True):
            sure = "possible" if one.is_elsewhere else how
            report.add_program(span, one.words[0], sure, function)
            if one.name:
                report.event("command", one.name, span, list(one.words[1:]), sure, function)
            report.add_shares(span, one.words[1:], sure, function)
            for act in its_acts:
                self.add_act(act, use, sure)
        for code in codes:
            if code.language in SMALL_LANGUAGES:
                for line in report.add_acts(span, small_acts(code), how, function):
                    self._codes.put("shell", line, use, code.program)
                continue
            if code.language == "shell":
                report.add(span, "process.shell", _first_word(code.text), how, function)
            if code.language != "batch":
                report.add(span, "code.dynamic", None, how, function)
            self._codes.put(code.language, code.text, use, code.program)

    def add_act(self, act: Act, use: Use, how: str) -> None:
        """Add what the tables of programs say."""
        report, span, function = self._subject.report, self._subject.span(use), use.frame.function
        sure = how if act.is_sure else "possible"
        named = act.named
        if act.kind == "path" and named:
            report.add_path(span, act.capability, named, sure, function)
        elif act.kind == "host":
            report.add_host(span, act.capability, named, sure, function)
        else:
            report.add(span, act.capability, named[:256] if named and HOLE not in named else None, sure, function)

    def start_process(self, given: Given, use: Use) -> None:
        """Judge what `Start-Process` starts by the words that it gives on."""
        named = given.named
        program = next((i for n, i in named.items() if n and "filepath".startswith(n)), None)
        words = next((i for n, i in named.items() if n and ("argumentlist".startswith(n) or n == "args")), None)
        positional = list(given.positional)
        if program is None and positional:
            program = positional.pop(0)
        if words is None and positional:
            words = positional[0]
        if program is None:
            return
        texts = [text_of(program)]
        if words is not None:
            for item in words.value.items if isinstance(words.value, Many) else (words,):
                texts += split_words(text_of(item)) if item.value != HOLE else [HOLE]
        hidden = next((i for n, i in named.items() if n and "windowstyle".startswith(n)), Item(""))
        if text_of(hidden).lower() == "hidden":
            span, function = self._subject.span(use), use.frame.function
            self._subject.report.event("command", "hidden window", span, texts, "direct", function)
        if texts[0].strip(HOLE):
            self.start(["start", *texts] if "://" in texts[0] else texts, use, "direct")

    def start_by_method(self, given: Given, use: Use) -> None:
        """Judge what `Win32_Process` and `PS_ScheduledTask` are asked to create by a cmdlet."""
        words = [text_of(item) for item in (*given.named.values(), *given.positional)]
        classes = [word.lower() for word in words]
        if any(word.endswith("ps_scheduledtask") for word in classes):
            self._subject.report.add(self._subject.span(use), "persistence", None, "direct", use.frame.function)
        if not any(word.endswith("win32_process") for word in classes):
            return
        for name, item in given.named.items():
            if not name or not ("arguments".startswith(name) or "argumentlist".startswith(name)):
                continue
            line = item.value.get("commandline") if isinstance(item.value, Table) else item
            first = line.value.items[:1] if line is not None and isinstance(line.value, Many) else (line,)
            for one in first:
                if one is not None and text_of(one).strip(HOLE):
                    self.start(split_words(text_of(one)), use, "resolved")

    def _powershell(self, words: list[str], use: Use) -> None:
        """Judge what a shell of its own is given."""
        report, span, function = self._subject.report, self._subject.span(use), use.frame.function
        at = 0
        words = [part for word in words for part in (word.split(":", 1) if _COLON.match(word) else [word])]
        while at < len(words):
            word = words[at].lower()
            rest = words[at + 1 :]
            name = word.lstrip("-/")
            at += 1
            if not word.startswith(("-", "/")):
                self._run_line(words[at - 1 :], use)
                return
            if name and (_ENCODED.startswith(name) or name == "ec"):
                report.add(span, "code.dynamic", None, "resolved", function)
                report.add(span, "code.obfuscated", None, "resolved", function)
                text = decode_command(rest[0]) if rest else None
                if text:
                    self._codes.put("PowerShell", text, use, "powershell -EncodedCommand")
                return
            if name and "command".startswith(name):
                self._run_line(rest, use)
                return
            if name and "file".startswith(name):
                if rest:
                    report.add_path(span, "fs.read", rest[0], "direct", function)
                return
            if any(known.startswith(name) for known in _VALUED):
                at += 1

    def _run_line(self, words: list[str], use: Use) -> None:
        text = " ".join(words)
        if text.strip() in ("", "-"):
            return
        report = self._subject.report
        report.add(self._subject.span(use), "code.dynamic", None, "direct", use.frame.function)
        self._codes.put("PowerShell", text, use, "powershell")

    def _cmd(self, words: list[str], use: Use) -> None:
        for at, word in enumerate(words):
            if word.lower()[:2] in ("/c", "/k", "/r"):
                line = " ".join([word[2:], *words[at + 1 :]]).strip()
                report = self._subject.report
                report.add(self._subject.span(use), "process.shell", _first_word(line), "direct", use.frame.function)
                self._codes.put("batch", line, use, "cmd")
                return


def decode_command(text: str) -> str | None:
    """Return the script that an encoded command holds."""
    data = decode64(text.strip("'\""))
    if data is None:
        return None
    return data.encode("latin-1").decode("utf-16-le", "replace").lstrip("\ufeff")


def split_words(text: str) -> list[str]:
    """Return the words of a line as a program of Windows takes them apart."""
    return [found[0].strip('"') for found in re.finditer(r'(?:"[^"]*"|[^\s"])+', text)]


def _first_word(line: str) -> str | None:
    word = line.strip(" \"'@(&").split(None, 1)[0] if line.strip(" \"'@(&") else ""
    word = word.strip("\"'")
    return word if word and HOLE not in word and "%" not in word and "$" not in word else None

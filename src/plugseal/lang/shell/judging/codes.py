"""Code that a command gives to an interpreter by its words: what it means, and the text for its own reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.command_words import first_word
from plugseal.lang.folded import HOLE
from plugseal.lang.nested import ELSEWHERE
from plugseal.lang.programs.words import SMALL_LANGUAGES, small_acts
from plugseal.lang.shell.words.marks import DISGUISED, OWN, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugseal.lang.programs import Act, Code
    from plugseal.lang.shell.judging.feeds import Feeds
    from plugseal.lang.shell.judging.subject import Subject
    from plugseal.lang.shell.judging.texts import Texts
    from plugseal.lang.shell.parsing.scanning import Word
    from plugseal.lang.shell.parsing.script import Command
    from plugseal.model.location import Span


class Codes:
    """The code inside one script's commands."""

    def __init__(self, subject: Subject, texts: Texts, feeds: Feeds) -> None:
        self._subject = subject
        self._texts = texts
        self._feeds = feeds

    def judge(self, code: Code, words: list[Word], command: Command, span: Span) -> None:
        """Say what it means that a command is given this code."""
        report, function = self._subject.report, self._subject.function(command.block)
        word = words[code.at] if 0 <= code.at < len(words) else None
        how = "possible" if code.is_elsewhere or HOLE in code.text else "direct"
        if code.language in SMALL_LANGUAGES:
            self._judge_own(small_acts(code), span, function, how)
            return
        if code.language == "shell":
            report.add(span, "process.shell", self._first_program(code.text), how, function)
        if code.language != "batch" and not (code.language == "shell" and code.at < 0):
            report.add(span, "code.dynamic", None, how, function)
        if word is not None:
            self._feeds.judge_substitutions(word, code.program, command, span)
        if word is not None and word.flags & DISGUISED:
            report.add(span, "code.obfuscated", code.program, "resolved", function)
        place = self._subject.source.between(word.start, word.end) if word is not None else span
        runner = code.program + ELSEWHERE if code.is_elsewhere else code.program
        anchors = self._texts.anchors(word, code.text, code.skip)
        self._texts.put(code.language, code.text, place, (runner, function), anchors)

    def _judge_own(self, acts: Iterable[Act], span: Span, function: str, how: str) -> None:
        report = self._subject.report
        for act in acts:
            if act.kind == "path" and act.named:
                report.add_path(span, act.capability, act.named, how, function)
            elif act.kind == "host":
                report.add_host(span, act.capability, act.named, how, function)
            elif act.kind == "line" and act.named:
                report.add(span, "process.shell", self._first_program(act.named), how, function)
                report.add(span, "code.dynamic", None, how, function)
                self._texts.put("shell", act.named, span, ("system()", function))
            else:
                report.add(span, act.capability, act.named, how, function)

    def _first_program(self, line: str) -> str | None:
        """Return the program that a line begins with, None where it can't be told without a shell."""
        name = first_word(line)
        return name if name and not any(mark in name for mark in (HOLE, OWN, ROOT, "$", "`", "<", ">")) else None

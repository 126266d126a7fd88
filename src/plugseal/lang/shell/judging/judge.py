"""Say what each command of a script does: by its program, its words, what feeds it and where it writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.programs.tables import programs
from plugseal.lang.reached import reached_from_top
from plugseal.lang.shell.judging.builtins import TOLD, Builtins
from plugseal.lang.shell.judging.codes import Codes
from plugseal.lang.shell.judging.feeds import Feeds
from plugseal.lang.shell.judging.folders import Folders
from plugseal.lang.shell.judging.handed_words import adds_words, with_handed
from plugseal.lang.shell.judging.lines_given import line_of, lines_given
from plugseal.lang.shell.judging.outcome import Outcome, Place
from plugseal.lang.shell.judging.outcomes import outcome
from plugseal.lang.shell.judging.report import Report
from plugseal.lang.shell.judging.subject import Subject
from plugseal.lang.shell.judging.taken_out import takes_out_jobs
from plugseal.lang.shell.judging.texts import Texts
from plugseal.lang.shell.judging.written import judge_written
from plugseal.lang.shell.parsing.names import BUILTINS, CALLED, COMPLETIONS, ENVIRONMENT, INTERNAL
from plugseal.lang.shell.parsing.scanning import Word
from plugseal.lang.shell.parsing.script import Command, Script
from plugseal.lang.shell.words.alternatives import MAX_ALTERNATIVES
from plugseal.lang.shell.words.escapes import is_split_name
from plugseal.lang.shell.words.globs import named_by_glob
from plugseal.lang.shell.words.marks import CUT, DISGUISED, OWN, RESOLVED, UNSURE
from plugseal.lang.shell.words.words import Folder
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugseal.lang.programs import Started
    from plugseal.model.location import Span

_OWN_ARGUMENTS: Final = lazy(rb"\$(?:[@*]|\{[@*](?::[1-9])?\})")
_BEGINS: Final = lazy(rb"(?:[;&|{(\n!]|\b(?:then|do|else|if|sudo|eval|command|time|builtin|exec|nohup))\Z")
"""What stands before a command's first word."""
_LONGEST_BEGIN: Final = 8
_SLICED: Final = lazy(rb"\$\{[@*]:([1-9])\}")
_NEAR: Final = 32
_DEEPEST: Final = 4
_SHIFT: Final = lazy(rb"\bshift\b(?:[ \t]+([0-9]{1,2})\b|[ \t]+([\"$]))?")
_LOOP: Final = lazy(rb"\b(?:while|until|for)\b")
_BATS: Final = lazy(rb"^(?:#![^\n]*\bbats\b|@test )", re.MULTILINE)
"""A test for bats: helpers that are loaded bring functions, and `run` runs what it is given."""
_OF_BATS: Final = frozenset("run @test } load bats_load_library bats_require_minimum_version skip".split())
_OWN_SHELL: Final = lazy(r"[\"]?\$\{?(SHELL|BASH)\}?[\"]?")
"""Whatever shell it is: what it is given to run is shell."""
_PRINTED: Final = lazy(r"(?:\$\(|`)\s*(?:printf|echo)\b")
"""A name that a command of the shell prints."""
_NOTHING_INSIDE: Final = lazy(r"[\w.-]*``[\w.-]+\Z")
_NAMED_TIME: Final = "[0-9]{1,2}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat"
_TIME: Final = lazy(r"(?:\*|[0-9]{1,2})(?:[-/,][0-9]{1,2}){0,30}")
"""A minute, hour or day of a crontab's line."""
_SEASON: Final = lazy(rf"(?:\*|{_NAMED_TIME})(?:[-/,](?:{_NAMED_TIME})){{0,30}}", re.I)
"""A month or weekday of it; no other word of three letters, since programs are called so."""
_WHEN: Final = (_TIME, _TIME, _TIME, _SEASON, _SEASON)
_UNTOLD: Final = BUILTINS - TOLD
"""Commands of the shell of which nothing is told."""
_COMPLETES: Final = lazy(rb"^(?:#compdef\b|[ \t]*(?:compdef|complete) )", re.MULTILINE)
"""A script that says how what is typed is completed."""
_SHADOWED: Final = frozenset(
    """
    ls cat cp mv rm chmod curl wget ssh scp sudo su git python python3 node npm npx pip pip3 docker grep find ps passwd
    """.split()
)
"""Programs that a person types without thinking; a function of that name is run in their place."""


def _forwards(body: bytes) -> int | None:
    """Return where a function runs what it is given: it begins a command with its own arguments. None where nowhere."""
    for found in _OWN_ARGUMENTS.finditer(body):
        at = found.start()
        at -= at > 0 and body[at - 1] in b"\"'"
        while at and body[at - 1] in b" \t":
            at -= 1
        begin = _BEGINS.search(body, max(0, at - _LONGEST_BEGIN), at)
        if begin is not None:
            return begin.start()
        if at == 0:
            return 0
    return None


def _left_out(before: bytes) -> int | None:
    """Return how many arguments a function leaves out before it runs the others.

    Args:
        before: its text up to there.
    """
    loop = _LOOP.search(before)
    shifts = list(_SHIFT.finditer(before))
    if not shifts:
        return 0
    # What is shifted before a loop begins is left out once; in it, nobody knows how often.
    if any(shift[2] or (loop is not None and shift.start() > loop.start()) for shift in shifts):
        return None
    return sum(int(shift[1] or 1) for shift in shifts)


def _is_scheduled(texts: Sequence[str]) -> bool:
    """Say whether words begin with five times and go on with what is no time, so that nothing is peeled off twice."""
    times = zip(_WHEN, texts, strict=False)
    return (
        len(texts) > len(_WHEN)
        and all(pattern.fullmatch(text) for pattern, text in times)
        and _TIME.fullmatch(texts[len(_WHEN)]) is None
    )


class Judge(Subject):
    """The commands of one script."""

    def __init__(self, script: Script, folder: Folder, report: Report) -> None:
        super().__init__(script, folder, report)
        self.texts = Texts(self)
        self.feeds = Feeds(self, self.texts)
        self.codes = Codes(self, self.texts, self.feeds)
        self.builtins = Builtins(self, self.texts, self.feeds)
        self._forwarding: dict[str, int | None] = {}
        """How many arguments a function leaves out before it runs the rest, None where that can't be told."""
        self._lines_given: dict[str, set[int]] = {}
        data = script.source.data
        self._is_bats = (b"bats" in data or b"@test" in data) and _BATS.search(data) is not None
        is_completion = b"comp" in data and _COMPLETES.search(data) is not None
        self._untold = _UNTOLD | COMPLETIONS if is_completion else _UNTOLD
        self.folders = Folders(self)
        self._places = tuple(Place("", is_joined) for is_joined in (False, True))

    def run(self) -> None:
        """Judge every command."""
        self.sources_others = self._is_bats
        for name, node in self.script.functions.items():
            body = self.source.data[node.start_byte : node.end_byte]
            at = _forwards(body)
            if at is not None:
                left_out, sliced = _left_out(body[:at]), _SLICED.search(body, at, at + _NEAR)
                more = int(sliced[1]) - 1 if sliced is not None else 0
                self._forwarding[name] = left_out + more if left_out is not None else None
        self._lines_given = self.folder.parameters.told = lines_given(self)
        for command in self.script.commands:
            self._judge_command(command)
        judge_written(self, self.feeds)
        self._judge_shadows()

    def running(self) -> set[str]:
        """Return the functions that run when the script does; the empty name is its top."""
        return reached_from_top(self.calls)

    def _judge_command(self, command: Command) -> None:
        first = command.first
        if first:
            if first in self.script.functions:
                self.call(command.block, first)
                if first not in self._forwarding and first not in self._lines_given:
                    return
            elif first in self._untold:
                return
        span = self.source.between(command.start, command.end)
        if first:
            plain = self.folder.plain(command)
            if plain is not None:
                self._judge_texts(plain, (), command, span)
                return
        else:
            self._judge_assignments(command, span)
        lists, told = self.lists_of(command), self.report.outcomes
        for words in lists:
            while words and words[0].text == "" and words[0].flags & RESOLVED:
                words = words[1:]
            if words:
                self.judge(words, command, span)
        if 1 < len(lists) < MAX_ALTERNATIVES and self.report.outcomes == told + len(lists):
            self.report.agree(told)

    def _judge_assignments(self, command: Command, span: Span) -> None:
        """Judge the assignments before a command's name."""
        function = self.function(command.block)
        for node in command.assignments:
            name = node.child_by_field_name("name")
            value = node.child_by_field_name("value")
            if name is None:
                continue
            text = self.folder.fold(value, command.block)[0][0] if value is not None else ""
            variable = self.source.of(name)
            if variable in INTERNAL and variable not in ENVIRONMENT and (variable not in CALLED or " " not in text):
                continue
            self.report.add_variable(span, variable, text, "direct", function)
            self.report.event("command", "env", span, [f"{variable}={text}"], "direct", function)

    def judge(self, words: list[Word], command: Command, span: Span, depth: int = 0) -> None:
        """Judge one list of words.

        Args:
            words: the first is the program; never empty.
            command: where they stand.
            span: of the command.
            depth: how many functions have passed them on.
        """
        words = self._named(words, command, span)
        if not words:
            return
        texts = tuple([word.text for word in words])
        flags = tuple([word.flags for word in words])
        self._judge_texts(texts, flags if any(flags) else (), command, span, words=words, depth=depth)

    def _judge_texts(
        self,
        texts: tuple[str, ...],
        flags: tuple[int, ...],
        command: Command,
        span: Span,
        *,
        words: list[Word] | None = None,
        depth: int = 0,
    ) -> None:
        """Judge one list of words.

        Args:
            texts: the words, the first is the program; never empty.
            flags: of each word; empty where none has any.
            command: where they stand.
            span: of the command.
            words: the words with their places, where these have been asked for already.
            depth: how many functions have passed them on.
        """
        name = texts[0]
        if name in self.script.functions and "/" not in name:
            self._call(name, words or self.lists_of(command)[0], command, span, depth)
            return
        if _is_scheduled(texts):
            # A line of a crontab, as texts show it: what it runs stands behind the times.
            self.judge((words or self.lists_of(command)[0])[len(_WHEN) :], command, span, depth)
            return
        if self._is_bats and name in _OF_BATS:
            words = words or self.lists_of(command)[0]
            rest = words[2:] if len(texts) > 1 and texts[1].startswith(("-", "!")) else words[1:]
            if rest and name == "run":
                self.judge(rest, command, span, depth)
            return
        found = self._outcome(texts, flags, command)
        for one in found.builtins:
            words = words or self.lists_of(command)[0]
            self.builtins.judge(one.name, words[one.at : one.at + len(one.words)], command, span)
        self.report.add_all(span, self.script.blocks[command.block].function, found)
        if found.told.codes or found.is_fed:
            words = words or self.lists_of(command)[0]
            for code in found.told.codes:
                self.codes.judge(code, words, command, span)
            self.feeds.judge(found.told, words, command, span)
        elif self.feeds.is_piped(command):
            self.feeds.judge_pipe(found.told.started, command, span)
        if depth < _DEEPEST and adds_words(found.told.started) and self.feeds.is_piped(command):
            self._hand_on(found.told.started, words or self.lists_of(command)[0], command, span, depth)
        if found.is_fetcher or self.fetched:
            self.feeds.judge_files(found.told.started, found.told.acts, command, span)

    def _outcome(self, texts: tuple[str, ...], flags: tuple[int, ...], command: Command) -> Outcome:
        """Return what words mean where they stand; a list of jobs that only gets shorter is as one that is removed."""
        name = texts[0]
        if len(texts) > 1 and self.feeds.is_piped(command) and takes_out_jobs(name, self.feeds.feeding_texts(command)):
            texts = (name, "-r")
        return outcome(texts, flags[: len(texts)], self._place(texts, command))

    def _hand_on(self, started: Sequence[Started], words: list[Word], command: Command, span: Span, depth: int) -> None:
        fed = self.feeds.fed(command)
        for handed in with_handed(started, words, (fed and fed.text) or ""):
            self.judge(handed, command, span, depth + 1)

    def _place(self, texts: tuple[str, ...], command: Command) -> Place:
        """Return what of a command's place its words may depend on."""
        place, whole = self._places[self.sources_others], "".join(texts)
        if OWN in whole:
            place = place._replace(path=self.report.path)
        if ".." in whole:
            self.report.depth = self.folders.depth(command.start)
            place = place._replace(depth=self.report.depth)
        return place

    def _named(self, words: list[Word], command: Command, span: Span) -> list[Word]:
        """Return the words with a name that is known as far as it can be; nothing where it can't."""
        first, function = words[0], self.function(command.block)
        text = first.text
        if not first.flags and first.end - first.start == len(text) and text.isalnum():
            return words
        raw = self.source.text(first.start, first.end)
        if text.endswith("}") and "," in text and self.source.data[first.start - 1 : first.start] == b"{":
            # `{curl,-s,host}`: the shell makes words of it, the grammar a group that begins with one.
            return [first._replace(text=part, flags=first.flags | DISGUISED) for part in text[:-1].split(",")]
        if _NOTHING_INSIDE.match(text) or (text[:1] == "=" and text != "=cut" and text[1:] in programs().rules):
            # Nothing is printed there; and to zsh `=curl` is the path of `curl`.
            text = text.replace("``", "").removeprefix("=")
            self.report.add(span, "code.obfuscated", text, "resolved", function)
            return [first._replace(text=text, flags=first.flags | DISGUISED), *words[1:]]
        if HOLE in text:
            if (own := _OWN_SHELL.fullmatch(raw)) is not None:
                return [
                    first._replace(text=own[1].lower().replace("shell", "sh"), flags=first.flags | UNSURE),
                    *words[1:],
                ]
            guess = text.replace(HOLE, "")
            if guess and "/" not in text and (guess in programs().rules or guess in BUILTINS):
                self.report.add(span, "code.obfuscated", guess, "possible", function)
                return [first._replace(text=guess, flags=first.flags | UNSURE), *words[1:]]
            if guess.strip("./~") == "":
                self.report.add(span, "code.dynamic", None, "possible", function)
                self.report.add(span, "process.exec", None, "possible", function)
                return []
            return words
        if any(mark in text for mark in "?*[") and len(text) > 1 and text not in BUILTINS:
            known = named_by_glob(text)
            if known:
                self.report.add(span, "code.obfuscated", known, "possible", function)
                return [first._replace(text=known, flags=first.flags | UNSURE), *words[1:]]
        is_cut = (first.flags & CUT and text.isalnum() and "$" in raw) or (first.flags & CUT and "`" in raw)
        if (is_cut or is_split_name(raw) or _PRINTED.search(raw)) and text.replace("-", "").replace("_", "").isalnum():
            self.report.add(span, "code.obfuscated", text, "resolved", function)
        return words

    def _call(self, name: str, words: list[Word], command: Command, span: Span, depth: int) -> None:
        """Judge the call of a function, which may run what it is given."""
        self.call(command.block, name)
        for argument in sorted(self._lines_given.get(name, ())):
            for line in line_of(argument, [word.text for word in words[1:]]):
                first = line.split(None, 1)[0]
                if first in self.script.functions:
                    self.call(command.block, first)
                else:
                    self.texts.put("shell", line, span, (name, self.function(command.block)))
        if name not in self._forwarding or depth >= _DEEPEST:
            return
        left_out = self._forwarding[name]
        rest = words[1 + (left_out or 0) :]
        if left_out is None:
            while rest and rest[0].text.startswith("-"):
                rest = rest[1:]
            rest = rest and [rest[0]._replace(flags=rest[0].flags | UNSURE), *rest[1:]]
        if rest:
            self.judge(rest, command, span, depth + 1)

    def _judge_shadows(self) -> None:
        """Judge functions that take the place of a program."""
        for name, node in self.script.functions.items():
            if name not in _SHADOWED:
                continue
            text = self.source.of(node)
            if not re.search(
                rf"\b(?:command|builtin|env|exec|sudo)\s+(?:-\w+\s+){{0,16}}{name}\b|/{name}\b|\\{name}\b", text
            ):
                first = node.child_by_field_name("name") or node
                inside = self.calls.get("", set())
                self.report.add(
                    self.source.span(first), "code.obfuscated", name, "possible", "" if name in inside else name
                )

"""What is fed to interpreters: pipes, here-documents, files and substitutions whose text is run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.interpreters import FETCHERS, LINE_READERS, RUNS, language_of
from plugseal.lang.judging.objects import cut_object
from plugseal.lang.nested import ELSEWHERE
from plugseal.lang.programs.memo import Told, tell
from plugseal.lang.programs.options import plain_words
from plugseal.lang.shell.judging.fed_lines import ESCAPES, fed_lines
from plugseal.lang.shell.words.decoders import is_decoder
from plugseal.lang.shell.words.marks import DISGUISED, OWN, UNSURE
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugseal.lang.facts import Anchor
    from plugseal.lang.programs import Act, Started
    from plugseal.lang.shell.judging.subject import Subject
    from plugseal.lang.shell.judging.texts import Texts
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.parsing.scanning import Word
    from plugseal.lang.shell.parsing.script import Command
    from plugseal.model.location import Span

_VALUES: Final = frozenset("-o -O +o +O --rcfile --init-file -W -X -r --require --import -I -i -F -C -d -m -S".split())
_ENDING: Final = frozenset(
    "-c -e -m -r -E -p --eval --print --command -n -ne -pe -pi --version -v -V --help -h".split()
)
"""Options after which an interpreter doesn't run what it is fed, or reads it as data."""
_OF_PATTERNS: Final = frozenset(("awk", "sed", "Makefile"))
"""Languages whose interpreters are given their program, or what to make, where others are given a file."""
_MAX_OPENERS: Final = 64
_MAX_CALLED: Final = 8
_FIRST_WORD: Final = lazy(r"[A-Za-z0-9_.-]+")


class Fed(NamedTuple):
    """What an interpreter reads as its code."""

    text: str | None
    flags: int
    programs: tuple[str, ...]
    """What prints it."""
    anchors: tuple[Anchor, ...]
    span: Span
    how: str


def _plain_path(path: str) -> str:
    return path.removeprefix("./")


class Feeds:
    """The feeds of one script."""

    def __init__(self, subject: Subject, texts: Texts) -> None:
        self._subject = subject
        self._texts = texts
        self._openers: list[Command] | None = None
        """The commands that open descriptors for those behind them."""
        self._pipes: dict[int, tuple[tuple[Node, ...], int]] = {}
        for node, elements in subject.script.pipelines:
            for at, element in enumerate(elements):
                self._pipes[element.id] = (elements, at)
                body = element.named_children[0] if element.type == "redirected_statement" else None
                if body is not None and body.type == "command":
                    self._pipes[body.id] = (elements, at)
            self._pipes.setdefault(node.id, (elements, 0))

    def is_piped(self, command: Command) -> bool:
        """Say whether a command is part of a pipe."""
        return bool(self._pipes) and command.node.id in self._pipes

    def feeding_texts(self, command: Command) -> list[tuple[str, ...]]:
        """Return the words of the commands before one in its pipe."""
        return [self._subject.texts_of(one) for one in self._feeding(command)]

    def judge_pipe(self, found: Sequence[Started], command: Command, span: Span) -> None:
        """Report the pipe that a command ends, where it runs nothing of what it reads."""
        if found[-1].name:
            self._judge_pipe_event(found[-1], "", command, span)

    def _judge_lines(self, last: Started, command: Command, span: Span) -> None:
        """Judge the lines that a command hands on to a shell, later or on another machine."""
        fed = self.fed(command)
        if fed is not None:
            where = last.name + ELSEWHERE if last.name == "ssh" else last.name
            self._run(fed._replace(how=where), last.name, "shell", command, span)

    def _judge_escapes(self, program: str, command: Command, span: Span) -> None:
        """Judge the lines for a shell in what a program is fed that is none."""
        fed = self.fed(command)
        for line in fed_lines(program, fed.text) if fed is not None and fed.text is not None else ():
            function = self._subject.function(command.block)
            self._subject.report.add(span, "process.shell", None, "direct", function)
            self._texts.put("shell", line, fed.span if fed is not None else span, (program, function))

    def judge(self, told: Told, words: list[Word], command: Command, span: Span) -> None:
        """Say what a command runs that it is fed."""
        found, _, codes = told
        last = found[-1]
        language = language_of(last.name)
        if not language and last.name not in RUNS:
            self.judge_pipe(found, command, span)
            if last.name in LINE_READERS and not codes and not any(HOLE in word for word in last.words):
                self._judge_lines(last, command, span)
            if last.name in ESCAPES:
                self._judge_escapes(last.name, command, span)
            return
        self._judge_pipe_event(last, language, command, span)
        self._judge_operands(last, words, command, span)
        if language and last.name not in RUNS and self._reads_input(last):
            fed = self.fed(command)
            if fed is not None:
                self._run(fed, last.name, language, command, span)

    def judge_files(
        self, found: Sequence[Started], acts: Sequence[Sequence[Act]], command: Command, span: Span
    ) -> None:
        """Remember which files were downloaded, and say where one of them is run."""
        subject, name = self._subject, found[-1].name
        is_fetcher = name in FETCHERS
        hosts = [act for some in acts for act in some if act.capability == "net.outbound"] if is_fetcher else []
        if hosts:
            host = cut_object("host", subject.report.plain(hosts[0].named)) if hosts[0].named else None
            written = [act.named for some in acts for act in some if act.capability == "fs.write" and act.named]
            for redirect in command.redirects:
                target = redirect.child_by_field_name("destination")
                if redirect.type == "file_redirect" and target is not None and ">" in subject.operator(redirect):
                    written.append(subject.folder.fold(target, command.block)[0][0])
            subject.fetched.update((_plain_path(path), host) for path in written if path.strip(HOLE + "/-"))
            return
        if not subject.fetched:
            return
        last = found[-1]
        run = self._file_run(last)
        if run is None or _plain_path(run) not in subject.fetched:
            return
        function = subject.function(command.block)
        runner = "exec" if run == last.words[0] else last.name
        subject.report.add(span, "code.fetched", subject.fetched[_plain_path(run)], "resolved", function)
        subject.report.event("pipe", f"curl | {runner}", span, [], "resolved", function)

    def _file_run(self, one: Started) -> str | None:
        """Return the file whose text a program runs: its first operand, or the program itself."""
        if not language_of(one.name) and one.name not in RUNS:
            return one.words[0]
        if any(word in _ENDING for word in one.words[1:]):
            return None
        plain = plain_words(one.words[1:], _VALUES)
        return plain[0][1] if plain else None

    def judge_input(self, command: Command, runner: str, span: Span) -> None:
        """Judge what a command runs that reads its input as lines of a shell."""
        fed = self.fed(command)
        if fed is not None:
            self._run(fed, runner, "shell", command, span)

    def judge_substitutions(self, word: Word, runner: str, command: Command, span: Span) -> None:
        """Say what it means that the output of commands inside a word is run: `eval "$(curl …)"`."""
        inner = self._subject.script.within(word.start, word.end)
        names = [name for one in inner for name in self._subject.names_of(one)]
        if names:
            self._mean(tuple(names), runner, command, span)

    def fed_word(self, word: Word, runner: str, language: str, command: Command, span: Span) -> bool:
        """Judge a process substitution that is run; say whether it was one."""
        script = self._subject.script
        if script.source.data[word.start : word.start + 2] != b"<(":
            return False
        node = script.root.named_descendant_for_byte_range(word.start, word.end)
        if node is None or node.type != "process_substitution":
            return False
        self._run(self._substituted(node, command)._replace(span=span), runner, language, command, span)
        return True

    def _substituted(self, node: Node, command: Command) -> Fed:
        """Return what a process substitution prints."""
        inner = [child for child in node.named_children if child.type != "comment"]
        text, flags = self._subject.folder.evaluate(inner[0], command.block) if len(inner) == 1 else (None, 0)
        return Fed(text, flags, self._programs(node), (), self._subject.source.span(node), "process substitution")

    def _judge_pipe_event(self, last: Started, language: str, command: Command, span: Span) -> None:
        """Report a pipe once, at its last command; one that has code of its own reads the pipe as data."""
        elements, at = self._pipes.get(command.node.id, ((), 0))
        if not elements or at != len(elements) - 1 or at == 0:
            return
        names = [self._names_of(element) for element in elements[:-1]]
        own = " with code" if language and not self._reads_input(last) else ""
        name = " | ".join([*(one or "?" for one in names), last.name + own])
        function = self._subject.function(command.block)
        self._subject.report.event("pipe", name, self._piped(command, span), [], "direct", function)

    def _piped(self, command: Command, span: Span) -> Span:
        """Return the place of the whole pipe that a command ends, so that all that is said of it is said of one place.

        Args:
            command: the command.
            span: its own place, which is returned where it ends none.
        """
        elements, at = self._pipes.get(command.node.id, ((), 0))
        if at == 0 or at != len(elements) - 1:
            return span
        return self._subject.source.span(elements[0])._replace(end_line=span.end_line, end_column=span.end_column)

    def _names_of(self, node: Node) -> str:
        for one in self._subject.script.within(node.start_byte, node.end_byte):
            names = self._subject.names_of(one)
            if names:
                return names[-1]
        found = _FIRST_WORD.match(self._subject.source.of(node))
        return found[0] if found else ""

    def _reads_input(self, one: Started) -> bool:
        """Say whether an interpreter takes its code from what it is fed."""
        rest = one.words[1:]
        if any(
            word in _ENDING or (word.startswith("-") and word[1:].isalpha() and word.endswith("c")) for word in rest
        ):
            return False
        plain = [word for _, word in plain_words(rest, _VALUES)]
        return not plain or plain[0] in ("-", "/dev/stdin", "/dev/fd/0") or "-s" in rest

    def _judge_operands(self, one: Started, words: list[Word], command: Command, span: Span) -> None:
        """Judge the file that an interpreter is told to run: a substitution, or the script itself."""
        if one.name in RUNS:
            return
        language = language_of(one.name)
        if not language:
            return
        for word in words[one.at + 1 : one.at + len(one.words)]:
            if self.fed_word(word, one.name, language, command, span):
                return
            if word.text.startswith("-") or HOLE in word.text:
                continue
            opened = self._opened(word.text.rpartition("/fd/")[2], command) if "/fd/" in word.text else None
            if opened is not None:
                self._run(opened, one.name, language, command, span)
                return
            if language not in _OF_PATTERNS and self._file_run(one) == word.text:
                how = "possible" if word.flags & UNSURE else "direct"
                self._subject.report.add_script(span, word.text, how, self._subject.function(command.block))
            if language != "shell" and word.text == f"{OWN}/{self._subject.folder.own_name}":
                source = self._subject.source
                function = self._subject.function(command.block)
                self._subject.report.add(span, "code.dynamic", None, "resolved", function)
                text = source.data.decode("utf-8", "replace")
                self._texts.put(language, text, span, ("the file itself", function), source.anchors(0, text))
            return

    def fed(self, command: Command) -> Fed | None:
        """Return what a command reads from its input, None where nobody feeds it."""
        subject = self._subject
        for redirect in command.redirects:
            if redirect.type == "heredoc_redirect":
                text = subject.folder.heredoc(redirect, command.block)
                body = next((child for child in redirect.named_children if child.type == "heredoc_body"), None)
                place = subject.source.span(body if body is not None else redirect)
                is_exact = body is not None and text == subject.source.of(body)
                anchors = subject.source.anchors(body.start_byte, text or "") if is_exact and body is not None else ()
                return Fed(text, 0, self._programs(redirect), anchors, place, "here-document")
            if redirect.type == "herestring_redirect" or subject.is_herestring(redirect):
                word = redirect.named_children[-1]
                text, flags = subject.folder.fold(word, command.block)[0]
                return Fed(text, flags, self._programs(word), (), subject.source.span(word), "here-string")
            if redirect.type == "file_redirect" and subject.operator(redirect) == "<&":
                opened = self._opened(subject.operand(redirect), command)
                if opened is not None:
                    return opened
            if redirect.type == "file_redirect" and subject.operator(redirect) == "<":
                target = redirect.child_by_field_name("destination")
                if target is not None and target.type == "process_substitution":
                    return self._substituted(target, command)
                return Fed(None, 0, (), (), subject.source.span(redirect), "a file")
        elements, at = self._pipes.get(command.node.id, ((), 0))
        return self._piped_in(elements[:at], command) if at else self._written_to(command)

    def _opened(self, number: str, command: Command) -> Fed | None:
        """Return what a descriptor reads that `exec` has opened: `exec 3<file`; None where nothing tells."""
        subject, found = self._subject, None
        if not number.isdigit():
            return None
        if self._openers is None:
            self._openers = [one for one in subject.script.commands if one.first == "exec"][:_MAX_OPENERS]
        for one in [*(one for one in self._openers if one.start < command.start), command]:
            for redirect in one.redirects:
                if not subject.source.of(redirect).startswith((f"{number}<", f"{number} <")):
                    continue
                text, flags = None, 0
                if subject.is_herestring(redirect):
                    text, flags = subject.folder.fold(redirect.named_children[-1], one.block)[0]
                found = Fed(text, flags, self._programs(redirect), (), subject.source.span(redirect), "a descriptor")
        return found

    def _piped_in(self, elements: Sequence[Node], command: Command) -> Fed:
        """Return what the commands before one in a pipe hand on."""
        text, flags = None, 0
        for element in elements:
            text, more = self._subject.folder.evaluate(element, command.block, text)
            flags |= more
        names = tuple(name for element in elements for name in self._programs(element))
        return Fed(text, flags, names, (), self._subject.source.span(elements[0]), "pipe")

    def _written_to(self, command: Command) -> Fed | None:
        """Return what a command is given that others write to: `tee >(sh)`, `curl host > >(sh)`."""
        node = command.owner.parent
        while node is not None and node.type in ("pipeline", "redirected_statement"):
            node = node.parent
        source = self._subject.source
        if node is None or node.type != "process_substitution" or not source.data.startswith(b">(", node.start_byte):
            return None
        writer = node.parent
        elements, at = self._pipes.get(writer.id, ((), 0)) if writer is not None else ((), 0)
        if at:
            return self._piped_in(elements[:at], command)._replace(how="process substitution")
        around = writer.parent if writer is not None and writer.type == "file_redirect" else None
        programs = self._programs(around) if around is not None else ()
        return Fed(None, 0, programs, (), source.span(node), "process substitution")

    def _programs(self, node: Node) -> tuple[str, ...]:
        commands = self._subject.script.within(node.start_byte, node.end_byte)
        return tuple(name for one in self._with_called(commands) for name in self._subject.names_of(one))

    def _with_called(self, commands: list[Command]) -> list[Command]:
        """Return commands with those of the functions that they call."""
        script = self._subject.script
        bodies = [script.functions[one.first] for one in commands if one.first in script.functions][:_MAX_CALLED]
        inner = [one for body in bodies for one in script.within(body.start_byte, body.end_byte)]
        return [*commands, *inner]

    def _run(self, fed: Fed, runner: str, language: str, command: Command, span: Span) -> None:
        """Say what it means that an interpreter runs what it is fed."""
        report, function = self._subject.report, self._subject.function(command.block)
        if language == "shell":
            report.add(span, "process.shell", runner, "direct", function)
        report.add(span, "code.dynamic", None, "direct", function)
        self._mean(fed.programs, runner, command, span)
        if fed.flags & DISGUISED and not any(self._decodes(command)):
            report.add(span, "code.obfuscated", runner, "resolved", function)
        if fed.text is not None:
            self._texts.put(language, fed.text, fed.span, (fed.how, function), fed.anchors)

    def _mean(self, names: tuple[str, ...], runner: str, command: Command, span: Span) -> None:
        """Say what it means that the output of some programs is run."""
        report, function = self._subject.report, self._subject.function(command.block)
        fetching = [name for name in names if name in FETCHERS]
        if fetching:
            report.add(span, "code.fetched", self._host(command), "direct", function)
            report.event("pipe", f"{fetching[0]} | {runner}", self._piped(command, span), [], "direct", function)
        if any(self._decodes(command)):
            report.add(span, "code.obfuscated", runner, "direct", function)
            report.event("pipe", f"decoder | {runner}", self._piped(command, span), [], "direct", function)

    def _feeding(self, command: Command) -> list[Command]:
        """Return the commands whose output a command runs."""
        elements, at = self._pipes.get(command.node.id, ((), 0))
        nodes = [*elements[:at], command.owner]
        within = self._subject.script.within
        found = [one for node in nodes for one in within(node.start_byte, node.end_byte) if one is not command]
        return [one for one in self._with_called(found) if one is not command]

    def _host(self, command: Command) -> str | None:
        """Return the host that a feed comes from."""
        for one in self._feeding(command):
            lists = self._subject.lists_of(one)
            for acts in tell(tuple(word.text for word in lists[0])).acts:
                for act in acts:
                    if act.capability == "net.outbound" and act.named:
                        return cut_object("host", self._subject.report.plain(act.named))
        return None

    def _decodes(self, command: Command) -> list[bool]:
        found = []
        for one in self._feeding(command):
            lists = self._subject.lists_of(one)
            found.append(is_decoder([word.text for word in lists[0]]))
        return found

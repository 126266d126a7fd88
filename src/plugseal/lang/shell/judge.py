"""Say what each command of a script does: by its program, its words, what feeds it and where it writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.command_words import HOLE
from plugseal.lang.programs.tables import programs
from plugseal.lang.programs.told import tell
from plugseal.lang.reached import reached_from_top
from plugseal.lang.shell.builtins import Builtins
from plugseal.lang.shell.codes import Codes
from plugseal.lang.shell.escapes import is_split_name
from plugseal.lang.shell.feeds import Feeds
from plugseal.lang.shell.globs import named_by_glob
from plugseal.lang.shell.marks import CUT, DISGUISED, RESOLVED, UNSURE
from plugseal.lang.shell.names import BUILTINS, ENVIRONMENT, INTERNAL, QUIET
from plugseal.lang.shell.report import Report
from plugseal.lang.shell.scanning import Word
from plugseal.lang.shell.script import Command, Script
from plugseal.lang.shell.words import Folder
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.programs import Act, Started
    from plugseal.lang.shell.parse import Node
    from plugseal.model.location import Span

_MAX_LISTS: Final = 6
_ASSIGNED_WORD: Final = lazy(r"([A-Za-z_]\w*)\+?=([\s\S]*)\Z")
_FORWARDS: Final = lazy(
    rb"""(?:^|[;&|{(\n]|\bthen|\bdo|\belse|\bif|\bsudo|\beval|!)[ \t]*["']?\$(?:@|\*|\{@\}|\{\*\})"""
)
"""A function that runs what it is given begins a command with its own arguments."""
_SHIFT: Final = lazy(rb"\bshift\b(?:[ \t]+([0-9]{1,2})\b|[ \t]+([\"$]))?")
_LOOP: Final = lazy(rb"\b(?:while|until|for)\b")
_BATS: Final = lazy(rb"^(?:#![^\n]*\bbats\b|@test )", re.MULTILINE)
"""A test for bats: helpers that are loaded bring functions, and `run` runs what it is given."""
_OF_BATS: Final = frozenset("run @test } load bats_load_library bats_require_minimum_version skip".split())
_PRINTED: Final = lazy(r"(?:\$\(|`)\s*(?:printf|echo)\b")
"""A name that a command of the shell prints."""
_FIRST: Final = lazy(rb"[A-Za-z0-9_:.+-]+(?=\s|\Z)")
_SHADOWED: Final = frozenset(
    """
    ls cat cp mv rm chmod curl wget ssh scp sudo su git python python3 node npm npx pip pip3 docker grep find ps passwd
    """.split()
)
"""Programs that a person types without thinking; a function of that name is run in their place."""
_KEEPS_RUNNING: Final = frozenset(("nohup", "setsid", "disown", "daemonize"))
_ENVIRONMENT_WRAPPERS: Final = frozenset(("env", "sudo", "doas"))


def is_program(name: str) -> bool:
    """Say whether a name is a well-known program's."""
    known = programs()
    return name in known.rules or name in QUIET or name in known.wraps or name in known.takings


def _left_out(before: bytes) -> int | None:
    """Return how many arguments a function leaves out before it runs the others.

    Args:
        before: its text up to there.
    """
    shifts = list(_SHIFT.finditer(before))
    if not shifts:
        return 0
    if _LOOP.search(before) is not None or any(shift[2] for shift in shifts):
        return None
    return sum(int(shift[1] or 1) for shift in shifts)


class Judge:
    """The commands of one script."""

    def __init__(self, script: Script, folder: Folder, report: Report) -> None:
        self.script = script
        self.source = script.source
        self.folder = folder
        self.report = report
        self.calls: dict[str, set[str]] = {"": set()}
        """Functions by the functions that call them; the script's own top under the empty name."""
        self._lists: dict[int, list[list[Word]]] = {}
        self._names: dict[int, tuple[str, ...]] = {}
        self.sources_others = False
        """Whether another file is read into this one."""
        self.fetched: dict[str, str | None] = {}
        """Files that were downloaded, with the host."""
        self.codes = Codes(self)
        self.feeds = Feeds(self)
        self.builtins = Builtins(self)
        self._forwarding: dict[str, int | None] = {}
        """How many arguments a function leaves out before it runs the rest, None where that can't be told."""
        self._is_bats = _BATS.search(script.source.data) is not None

    def run(self) -> None:
        """Judge every command."""
        self.sources_others = self._is_bats
        for name, node in self.script.functions.items():
            body = self.source.data[node.start_byte : node.end_byte]
            found = _FORWARDS.search(body) if b"@" in body or b"*" in body else None
            if found is not None:
                self._forwarding[name] = _left_out(body[: found.start()])
        for command in self.script.commands:
            self._judge_command(command)
        self._judge_shadows()

    def function(self, block: int) -> str:
        """Return the function that a block belongs to, empty for none."""
        return self.script.blocks[block].function

    def lists_of(self, command: Command) -> list[list[Word]]:
        """Return the words of a command: few alternatives, each a list."""
        found = self._lists.get(command.start)
        if found is None:
            found = self._lists[command.start] = self.folder.lists(command)
        return found

    def names_of(self, command: Command) -> tuple[str, ...]:
        """Return the programs of a command, outermost first."""
        found = self._names.get(command.start)
        if found is None:
            texts = [word.text for word in self.lists_of(command)[0]]
            found = self._names[command.start] = tuple(one.name for one in tell(tuple(texts)).started)
        return found

    def running(self) -> set[str]:
        """Return the functions that run when the script does; the empty name is its top."""
        return reached_from_top(self.calls)

    def operator(self, redirect: Node) -> str:
        """Return the sign of a redirection, without the number before it."""
        target = redirect.child_by_field_name("destination")
        end = target.start_byte if target is not None else redirect.end_byte
        return self.source.text(redirect.start_byte, end).strip().lstrip("0123456789").strip()

    def is_herestring(self, redirect: Node) -> bool:
        """Say whether a redirection is the end of `<<<`, which the grammar takes apart behind another one."""
        return self.source.data[max(0, redirect.start_byte - 2) : redirect.start_byte] == b"<<"

    def call(self, block: int, name: str) -> None:
        """Note that a function is called."""
        self.calls.setdefault(self.function(block), set()).add(name)

    def _judge_command(self, command: Command) -> None:
        found = _FIRST.match(self.source.data, command.start, command.end)
        if found is not None:
            name = found[0].decode("ascii")
            if name in self.script.functions:
                self.call(command.block, name)
                if name not in self._forwarding:
                    return
            elif name in BUILTINS and name not in self.builtins.told:
                return
        span = self.source.between(command.start, command.end)
        if found is None:
            self._judge_assignments(command, span)
        for words in self.lists_of(command):
            while words and words[0].text == "" and words[0].flags & RESOLVED:
                words = words[1:]
            if words:
                self.judge(words, command, span)

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
            if variable in INTERNAL and variable not in ENVIRONMENT:
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
        function = self.function(command.block)
        texts = [word.text for word in words]
        if texts[0] in self.script.functions and "/" not in texts[0]:
            self._call(texts[0], words, command, span, depth)
            return
        if self._is_bats and texts[0] in _OF_BATS:
            rest = words[2:] if len(texts) > 1 and texts[1].startswith(("-", "!")) else words[1:]
            if rest and texts[0] == "run":
                self.judge(rest, command, span, depth)
            return
        found, acts, codes = tell(tuple(texts))
        for one, its_acts in zip(found, acts, strict=True):
            self._judge_started(one, its_acts, words, (command, span))
        for code in codes:
            self.codes.judge(code, words, command, span)
        self.feeds.judge(found, words, command, span)
        self.feeds.judge_files(found, acts, command, span)
        for word in words:
            if word.flags & DISGUISED:
                self.report.add(span, "code.obfuscated", found[-1].name or None, "resolved", function)
                break
        if len(found) > 1 and any(one.name in _KEEPS_RUNNING for one in found[:-1]):
            self.report.add(span, "persistence", None, "possible", function)

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
        if HOLE in text:
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
        if name not in self._forwarding or depth >= 4:
            return
        left_out = self._forwarding[name]
        rest = words[1 + (left_out or 0) :]
        if left_out is None:
            while rest and rest[0].text.startswith("-"):
                rest = rest[1:]
            rest = rest and [rest[0]._replace(flags=rest[0].flags | UNSURE), *rest[1:]]
        if rest:
            self.judge(rest, command, span, depth + 1)

    def _judge_started(
        self, one: Started, acts: tuple[Act, ...], words: list[Word], place: tuple[Command, Span]
    ) -> None:
        command, span = place
        function = self.function(command.block)
        mine = words[one.at : one.at + len(one.words)]
        if not mine:
            return
        how = self._resolution(mine[0], is_sure=not one.is_elsewhere)
        is_own_name = "/" not in one.words[0]
        computed = mine[0].flags & (RESOLVED | DISGUISED) and one.at == 0
        if is_own_name and one.name in BUILTINS:
            self.builtins.judge(one.name, mine, command, span)
            if computed and one.name not in ("command", "builtin", "exec", "time"):
                self.report.add_program(span, one.words[0], how, function)
            self.report.event("command", one.name, span, one.words[1:], how, function)
            return
        if self.sources_others and how == "direct" and is_own_name and not is_program(one.name):
            how = "possible"  # It may be a function of the file that was read into this one.
        self.report.add_program(span, one.words[0], how, function)
        if not one.name:
            return
        self.report.event("command", one.name, span, one.words[1:], how, function)
        for act in acts:
            self._add_act(act, mine, span, (function, one.is_elsewhere))
        if one.name in _ENVIRONMENT_WRAPPERS:
            self._judge_settings(mine, span, function)

    def _judge_settings(self, words: list[Word], span: Span, function: str) -> None:
        """Judge the variables that `env` and its like set."""
        for word in words[1:]:
            found = _ASSIGNED_WORD.match(word.text)
            if found:
                self.report.add_variable(span, found[1], found[2], self._resolution(word), function)
            elif not word.text.startswith("-"):
                return

    def _add_act(self, act: Act, words: list[Word], span: Span, place: tuple[str, bool]) -> None:
        function, is_elsewhere = place
        flags = words[0].flags
        if act.named:
            for word in words[1:]:
                if word.flags and act.named in word.text:
                    flags |= word.flags
        how = self._how(flags, is_sure=act.is_sure and not is_elsewhere)
        if act.kind == "path" and act.named is not None:
            self.report.add_path(span, act.capability, act.named, how, function)
        elif act.kind == "host":
            self.report.add_host(span, act.capability, act.named, how, function)
        else:
            named = act.named if act.named and HOLE not in act.named else None
            self.report.add(span, act.capability, self.report.plain(named)[:256] if named else None, how, function)

    def _resolution(self, word: Word, *, is_sure: bool = True) -> str:
        return self._how(word.flags, is_sure=is_sure)

    @staticmethod
    def _how(flags: int, *, is_sure: bool = True) -> str:
        if not is_sure or flags & UNSURE:
            return "possible"
        return "resolved" if flags & (RESOLVED | DISGUISED | CUT) else "direct"

    def _judge_shadows(self) -> None:
        """Judge functions that take the place of a program."""
        for name, node in self.script.functions.items():
            if name not in _SHADOWED:
                continue
            text = self.source.of(node)
            if not re.search(rf"\b(?:command|builtin|env|exec|sudo)\s+(?:-\w+\s+){{0,16}}{name}\b|/{name}\b|\\{name}\b", text):
                first = node.child_by_field_name("name") or node
                inside = self.calls.get("", set())
                self.report.add(
                    self.source.span(first), "code.obfuscated", name, "possible", "" if name in inside else name
                )

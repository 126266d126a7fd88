"""What the shell's own commands do: `eval`, `source`, `exec`, `trap`, `alias`, `read`, `history` and the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.judging.paths import is_outside
from plugseal.lang.shell.judging.report import leads_out
from plugseal.lang.shell.parsing.names import NO_HISTORY, is_history_alone
from plugseal.lang.shell.words.marks import OWN, ROOT
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.judging.feeds import Feeds
    from plugseal.lang.shell.judging.subject import Subject
    from plugseal.lang.shell.judging.texts import Texts
    from plugseal.lang.shell.parsing.scanning import Word
    from plugseal.lang.shell.parsing.script import Command
    from plugseal.model.location import Span

_INDEXED: Final = lazy(r"(?<!\w)\w+\[[^\]]{0,1000}(?:\$\(([^)]*)\)?|`([^`]*)`?)")
_TESTS: Final = frozenset(("test", "[", "declare", "typeset", "local", "read", "printf", "unset", "let", "export"))
_COMPUTED: Final = frozenset(("-v", "-n", "-i", "-eq", "-ne", "-lt", "-gt", "-le", "-ge", "read", "unset", "let"))
"""What makes one of them take a word for a name, or compute it."""
_TEMPORARY: Final = ("/tmp/", "/var/tmp/", "/dev/shm/", "/dev/stdin", "/dev/fd/", "/proc/self/fd")  # noqa: S108  # nosec B108  # texts
_READS: Final = frozenset(("-e", "-f", "-r", "-s", "-d", "-x", "-L", "-h"))


TOLD: Final = _TESTS | frozenset(
    """
    eval source . trap alias set unset history fc enable ztcp disown hash compgen cd pushd readonly command builtin
    exec time zmodload mapfile readarray coproc complete bind noglob
    """.split()
)


def is_idle(name: str, words: Sequence[str]) -> bool:
    """Say whether one of the shell's own commands does nothing, by its words, that is told of it.

    Args:
        name: its name.
        words: it and its words.
    """
    if name in _TESTS and any(word in _COMPUTED for word in words) and any(map(_INDEXED.search, words[1:])):
        return False
    if name not in _HANDLERS:
        return True
    if name == "set":
        return len(words) > 1 and words[2:3] != ("history",) and words[2:3] != ("nolog",)
    if name == "cd":
        return all(word[:1] == "-" or not is_outside(word) for word in words[1:])
    return False


class Builtins:
    """The shell's own commands in one script."""

    def __init__(self, subject: Subject, texts: Texts, feeds: Feeds) -> None:
        self._subject = subject
        self._texts = texts
        self._feeds = feeds
        self._report = subject.report

    def judge(self, name: str, words: list[Word], command: Command, span: Span) -> None:
        """Judge one of them."""
        handler = _HANDLERS.get(name)
        if handler is not None:
            handler(self, words, command, span)
        if name in _TESTS and any(word.text in _COMPUTED for word in words):
            for word in words[1:]:
                self.judge_index(word.text, command.block, span)

    def judge_index(self, text: str, block: int, span: Span) -> None:
        """Judge a name whose array index holds a command: the shell runs it when it computes the index."""
        found = _INDEXED.search(text)
        if found is None:
            return
        function = self._subject.function(block)
        self._report.add(span, "code.dynamic", None, "resolved", function)
        self._report.add(span, "code.obfuscated", None, "resolved", function)
        self._texts.put("shell", found[1] or found[2] or "", span, ("array index", function))

    def _complete(self, words: list[Word], command: Command, span: Span) -> None:
        """Judge the line that a shell runs when somebody asks it to complete a word: `complete -C 'line' name`."""
        for word, following in pairwise(words[1:]):
            if word.text == "-C" and " " in following.text:
                self._texts.put("shell", following.text, span, ("complete", self._subject.function(command.block)))

    def _bind(self, words: list[Word], command: Command, span: Span) -> None:
        """Judge the line that a key is bound to: `bind -x '"a":line'`."""
        for word, following in pairwise(words[1:]):
            line = following.text.partition(":")[2].strip(" 	\"'") if word.text == "-x" else ""
            if line:
                self._texts.put("shell", line, span, ("bind", self._subject.function(command.block)))

    def _eval(self, words: list[Word], command: Command, span: Span) -> None:
        function = self._subject.function(command.block)
        if len(words) < 2:
            return
        self._report.add(span, "code.dynamic", None, "direct", function)
        for word in words[1:]:
            self._feeds.judge_substitutions(word, "eval", command, span)
        only = words[1] if len(words) == 2 else None
        text = " ".join(word.text for word in words[1:])
        place = self._subject.source.between(only.start, only.end) if only is not None else span
        anchors = self._texts.anchors(only, text)
        self._texts.put_own(text, place, ("eval", function), anchors, (command.start, command.block))

    def _source(self, words: list[Word], command: Command, span: Span) -> None:
        function = self._subject.function(command.block)
        if len(words) < 2:
            return
        target = words[1]
        self._subject.sources_others = True
        if self._feeds.fed_word(target, "source", "shell", command, span):
            return
        path = target.text
        if HOLE in path or path.startswith(_TEMPORARY) or path == "-":
            known = HOLE in path and path.strip(HOLE + "/") and not path.startswith(_TEMPORARY)
            how = "possible" if known else "direct"
            self._report.add(span, "code.dynamic", None, how, function)
            if path.startswith(("/dev/stdin", "/dev/fd/0", "-")):
                self._feeds.judge_input(command, "source", span)
        if not path.startswith(("/dev/", "-")):
            shown = self._report.plain(path)
            found = None if HOLE in shown else shown[:256]
            how = (
                "direct" if found is not None and not target.flags else "resolved" if found is not None else "possible"
            )
            self._report.add(span, "code.import", found, how, function)
            if HOLE not in path[:1]:
                self._report.add_path(span, "fs.read", path, how, function)

    def _trap(self, words: list[Word], command: Command, span: Span) -> None:
        plain = [word for word in words[1:] if not word.text.startswith("-") or len(word.text) > 3]
        if len(plain) < 2 or not plain[0].text.strip():
            return
        text, function = plain[0].text, self._subject.function(command.block)
        first = text.split()[0] if text.split() else ""
        if first in self._subject.script.functions:
            self._subject.call(command.block, first)
        if text in self._subject.script.functions:
            return
        self._report.add(span, "code.dynamic", None, "direct", function)
        place = self._subject.source.between(plain[0].start, plain[0].end)
        anchors = self._texts.anchors(plain[0], text)
        seen = (len(self._subject.source.data), command.block)  # whatever is set until then
        self._texts.put_own(text, place, ("trap", function), anchors, seen)

    def _alias(self, words: list[Word], command: Command, _span: Span) -> None:
        for word in words[1:]:
            _, equals, text = word.text.partition("=")
            if not equals or not text:
                continue
            function = self._subject.function(command.block)
            place = self._subject.source.between(word.start, word.end)
            self._texts.put("shell", text, place, ("alias", function))

    def _set(self, words: list[Word], command: Command, span: Span) -> None:
        texts = [word.text for word in words[1:]]
        function = self._subject.function(command.block)
        if not texts:
            self._report.add(span, "env.bulk", None, "direct", function)
        elif texts[:2] == ["+o", "history"] or texts[:2] == ["-o", "nolog"]:
            self._report.add(span, "code.obfuscated", "history", "direct", function)

    def _unset(self, words: list[Word], command: Command, span: Span) -> None:
        if not is_history_alone(word.text for word in words[1:]):
            return
        function = self._subject.function(command.block)
        for word in words[1:]:
            if word.text in NO_HISTORY:
                self._report.add(span, "code.obfuscated", word.text, "direct", function)
                self._report.event("command", "unset", span, [word.text], "direct", function)

    def _history(self, words: list[Word], command: Command, span: Span) -> None:
        if any(re.fullmatch(r"-(?=\w*[cdp])\w*", word.text) for word in words[1:]):
            self._report.add(span, "code.obfuscated", "history", "direct", self._subject.function(command.block))

    def _enable(self, words: list[Word], command: Command, span: Span) -> None:
        texts = [word.text for word in words]
        if "-f" in texts[:-1]:
            function = self._subject.function(command.block)
            path = texts[texts.index("-f") + 1]
            self._report.add(span, "code.native", None if HOLE in path else path[:256], "direct", function)
            self._report.add_path(span, "fs.read", path, "direct", function)

    def _zmodload(self, words: list[Word], command: Command, span: Span) -> None:
        texts = [word.text for word in words[1:]]
        if not any(text.startswith("-") and set(text) & set("uedLFAb") for text in texts):
            for name in texts:
                if not name.startswith("-"):
                    found = None if HOLE in name else name[:256]
                    self._report.add(span, "code.native", found, "direct", self._subject.function(command.block))

    def _ztcp(self, words: list[Word], command: Command, span: Span) -> None:
        function = self._subject.function(command.block)
        plain = [word.text for word in words[1:] if not word.text.startswith("-")]
        if any(word.text == "-l" for word in words):
            self._report.add(span, "net.listen", None, "direct", function)
        elif plain:
            port = f":{plain[1]}" if len(plain) > 1 and plain[1].isdigit() else ""
            self._report.add_host(span, "net.outbound", plain[0] + port, "direct", function)

    def _disown(self, _words: list[Word], command: Command, span: Span) -> None:
        self._report.add(span, "persistence", None, "possible", self._subject.function(command.block))

    def _hash(self, words: list[Word], command: Command, span: Span) -> None:
        texts = [word.text for word in words]
        if "-p" in texts[:-2]:
            name = texts[texts.index("-p") + 2 :][:1]
            self._report.add(
                span, "code.obfuscated", name[0] if name else None, "possible", self._subject.function(command.block)
            )

    def _compgen(self, words: list[Word], command: Command, span: Span) -> None:
        if any(word.text in ("-v", "-e", "-A") for word in words[1:2]):
            self._report.add(span, "env.bulk", None, "direct", self._subject.function(command.block))
        self._complete(words, command, span)

    def _mapfile(self, words: list[Word], command: Command, span: Span) -> None:
        for word, line in pairwise(words[1:]):
            if word.text == "-C":
                function = self._subject.function(command.block)
                self._report.add(span, "code.dynamic", None, "direct", function)
                self._texts.put("shell", line.text, span, ("mapfile -C", function))

    def _cd(self, words: list[Word], command: Command, span: Span) -> None:
        plain = [word for word in words[1:] if not word.text.startswith("-")]
        if plain and plain[0].text[:1] not in (OWN, ROOT, HOLE) and leads_out(plain[0].text, self._report.depth):
            path = self._report.plain(plain[0].text).replace(HOLE, "*")
            how = "direct" if not plain[0].flags else "resolved"
            self._report.add(span, "path.outside", path[:256], how, self._subject.function(command.block))

    def _dump(self, words: list[Word], command: Command, span: Span) -> None:
        names = [word for word in words[1:] if not word.text.startswith("-")]
        if not names and all(re.fullmatch(r"-[pxr]+", word.text) for word in words[1:]):
            self._report.add(span, "env.bulk", None, "direct", self._subject.function(command.block))


_HANDLERS: Final[Mapping[str, Callable[[Builtins, list[Word], Command, Span], None]]] = {
    "eval": Builtins._eval,
    "source": Builtins._source,
    ".": Builtins._source,
    "trap": Builtins._trap,
    "alias": Builtins._alias,
    "set": Builtins._set,
    "unset": Builtins._unset,
    "history": Builtins._history,
    "fc": Builtins._history,
    "enable": Builtins._enable,
    "zmodload": Builtins._zmodload,
    "ztcp": Builtins._ztcp,
    "disown": Builtins._disown,
    "hash": Builtins._hash,
    "compgen": Builtins._compgen,
    "complete": Builtins._complete,
    "bind": Builtins._bind,
    "mapfile": Builtins._mapfile,
    "readarray": Builtins._mapfile,
    "cd": Builtins._cd,
    "pushd": Builtins._cd,
    "export": Builtins._dump,
    "declare": Builtins._dump,
    "typeset": Builtins._dump,
    "readonly": Builtins._dump,
}

"""What AppleScript does outside of itself: lines for a shell, applications, files, addresses, the clipboard.

A statement is told by its words: `do shell script`, `tell application`, `open location`. Variables are followed where
they are set to a text. What an application does with the objects of its own dictionary is that application's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.lang.applescript.tokens import Token, statements
from plugseal.lang.applescript.values import evaluate, value_at
from plugseal.lang.folded import HOLE
from plugseal.lang.placed_acts import Act

_SENDERS: Final = frozenset(("mail", "messages", "microsoft outlook"))
"""Applications whose `send` leaves the machine."""
_RECORDED: Final = frozenset(("audio", "movie", "screen"))
_KINDS: Final = frozenset(("file", "alias", "folder", "item"))
_STARTING: Final = frozenset(("tell", "activate", "launch", "run", "open", "reopen", "using", "to"))
_OF_FRAMEWORKS: Final = {
    "nstask": ("process.exec", "NSTask"),
    "nspasteboard": ("device.capture", None),
    "nsurlsession": ("net.outbound", None),
    "nsurlconnection": ("net.outbound", None),
    "nsurlrequest": ("net.outbound", None),
    "nsmutableurlrequest": ("net.outbound", None),
    "datawithcontentsofurl_": ("net.outbound", None),
    "stringwithcontentsofurl_": ("net.outbound", None),
    "nsapplescript": ("code.dynamic", None),
    "osascript": ("code.dynamic", None),
    "osalanguage": ("code.dynamic", None),
    "cgwindowlistcreateimage": ("device.capture", None),
    "avcapturesession": ("device.capture", None),
}
"""Names of frameworks' classes and functions: `current application's NSTask`."""
_MAX_DEPTH: Final = 3
_MAX_SCRIPTS: Final = 16
"""Texts that one script may run as scripts."""


def acts_of_applescript(script: str) -> Iterator[Act]:
    """Yield what a script does; a line that it gives to a shell has the kind `line`."""
    for _, act in placed_acts_of_applescript(script):
        yield act


def placed_acts_of_applescript(script: str, depth: int = 0) -> Iterator[tuple[int, Act]]:
    """Yield (offset in the script, what is done there)."""
    told = _Told(depth)
    for statement in statements(script):
        told.note(statement)
        for at, token in enumerate(statement):
            if token.kind == "word":
                for act in told.acts(statement, at):
                    yield token.offset, act


class _Told:
    """What the statements so far have said."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._scripts = 0
        self._variables: dict[str, str] = {}
        self._application = ""
        """The one that was told to last."""

    def note(self, statement: Sequence[Token]) -> None:
        """Keep what a statement sets: `set x to "…"`, `property x : "…"`."""
        first, name = _word(statement, 0), _word(statement, 1)
        sign = statement[2].text if len(statement) > 2 else ""
        if name and ((first == "set" and sign == "to") or (first == "property" and sign == ":")):
            text = value_at(statement, 3, self._variables)
            # Set twice, it may be either: neither is told.
            self._variables[name] = text if self._variables.get(name, text) == text else HOLE

    def acts(self, statement: Sequence[Token], at: int) -> Iterator[Act]:
        """Yield what is done by a word."""
        word, then, third = (_word(statement, at + more) for more in range(3))
        if word == "do" and (then, third) == ("shell", "script"):
            yield from self._line(statement, at + 3)
        elif (word == "do" and then == "script") or (word == "write" and then == "text"):
            yield from self._line(statement, at + 2)
        elif (word == "do" and then == "javascript") or (word == "execute" and then == "javascript"):
            yield Act("code.dynamic", "", None)
        elif word in ("run", "load") and then == "script":
            yield from self._script(statement, at + 2, word)
        elif word in ("application", "app") and at + 1 < len(statement) and statement[at + 1].kind == "text":
            yield from self._started(statement, at)
        else:
            yield from self._records(statement, at, (word, then, third))
            yield from self._files(statement, at, (word, then, third))

    def _line(self, statement: Sequence[Token], at: int) -> Iterator[Act]:
        """Yield what it means that a shell is given a line."""
        line = value_at(statement, at, self._variables)
        yield Act("process.shell", "line", line if line.replace(HOLE, "").strip() else None)
        words = [token.text for token in statement]
        if "administrator" in words and "privileges" in words:
            yield Act("privilege", "", None)

    def _script(self, statement: Sequence[Token], at: int, verb: str) -> Iterator[Act]:
        """Yield what another script does that is run or loaded, a text or a file."""
        text = value_at(statement, at, self._variables)
        if _word(statement, at) in ("file", "alias", "posix") or verb == "load":
            yield Act("code.dynamic" if verb == "run" else "code.import", "path", text if HOLE not in text else None)
            return
        yield Act("code.dynamic", "", None)
        self._scripts += 1
        if HOLE not in text and self._depth < _MAX_DEPTH and self._scripts <= _MAX_SCRIPTS:
            for _, act in placed_acts_of_applescript(text, self._depth + 1):
                yield act

    def _started(self, statement: Sequence[Token], at: int) -> Iterator[Act]:
        """Yield the application that is started to be told something."""
        name = statement[at + 1].text
        before = _word(statement, at - 1)
        self._application = name.lower() if before == "tell" else self._application
        if before in _STARTING:
            yield Act("process.exec", "text", name)

    def _records(self, statement: Sequence[Token], at: int, words: tuple[str, str, str]) -> Iterator[Act]:
        """Yield what is read of the machine and of who sits before it, and what is sent."""
        word, then, third = words
        before = _word(statement, at - 1)
        if word == "clipboard" and _word(statement, at - 2 if before == "the" else at - 1) != "set":
            yield Act("device.capture", "", None)
        elif word == "system" and then == "info":
            yield Act("system.info", "", None)
        elif word == "system" and then == "attribute":
            variable = statement[at + 2] if at + 2 < len(statement) else None
            if variable is not None and variable.kind == "text":
                yield Act("env.read", "text", variable.text)
            else:
                yield Act("env.bulk", "", None)
        elif word == "hidden" and then == "answer" and before != "without" and third != "false":
            yield Act("credentials.read", "", None, is_sure=False)
        elif word == "new" and then in _RECORDED and third == "recording":
            yield Act("device.capture", "", None)
        elif word == "keychain" and then == "scripting":
            yield Act("credentials.read", "text", "keychain")
        elif (word, then) in (("open", "location"), ("mount", "volume")):
            address = value_at(statement, at + 2, self._variables)
            yield Act("net.outbound", "host", address if "://" in address else None)
        elif word == "send" and self._application in _SENDERS and before in ("", "to"):
            yield Act("net.outbound", "", None)
        elif word == "login" and then in ("item", "items") and _has(statement, "make"):
            yield Act("persistence", "", None)
        elif word == "use" and then == "framework" and at + 2 < len(statement):
            yield Act("code.native", "text", statement[at + 2].text)
        elif word in _OF_FRAMEWORKS:
            capability, named = _OF_FRAMEWORKS[word]
            yield Act(capability, "text", named)

    def _files(self, statement: Sequence[Token], at: int, words: tuple[str, str, str]) -> Iterator[Act]:
        """Yield what is done to a file that is named by its path."""
        word, then, third = words
        if word == "open" and (then, third) == ("for", "access"):
            yield from self._file(statement, at + 3, "fs.write" if _has(statement, "permission") else "fs.read")
        elif word == "posix" and then == "file" and not (_has(statement, "access") or _has(statement, "script")):
            for capability in self._done(statement):
                yield from self._file(statement, at + 2, capability)
        elif word in _KINDS and at + 1 < len(statement) and _word(statement, at - 1) != "posix":
            path, _ = evaluate(statement, at + 1, self._variables)
            if HOLE not in path and (":" in path or "/" in path) and not _has(statement, "script"):
                for capability in self._done(statement):
                    yield from self._file(statement, at + 1, capability)

    def _done(self, statement: Sequence[Token]) -> tuple[str, ...]:
        """Return what a statement does to files, by its verb."""
        if _has(statement, "delete"):
            return ("fs.delete",)
        if _has(statement, "duplicate") or _has(statement, "move"):
            return ("fs.read", "fs.write")
        return ("fs.write",) if _has(statement, "make") else ("fs.read",)

    def _file(self, statement: Sequence[Token], at: int, capability: str) -> Iterator[Act]:
        path = value_at(statement, at, self._variables)
        if path.startswith("Macintosh HD:"):
            path = path.removeprefix("Macintosh HD").replace(":", "/")
        yield Act(capability, "path", path if HOLE not in path else None)


def _word(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) and tokens[at].kind == "word" else ""


def _has(statement: Sequence[Token], word: str) -> bool:
    return any(token.kind == "word" and token.text == word for token in statement)

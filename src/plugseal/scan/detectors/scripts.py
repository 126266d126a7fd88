"""What tables over one command of a shell script can't say: commands that belong together, names in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import FileFacts, Unknown
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.matching.hit import Hit, Lines

_SOCKET: Final = lazy(r"(?:&>>?|>&|<>|>>?|<|<&) ?/dev/(?:tcp|udp)/")
_SHELLS: Final = frozenset("sh bash zsh dash ksh ash fish csh tcsh".split())
_WRITES: Final = frozenset({"fs.write", "fs.delete"})
_RUNS: Final = frozenset({"process.exec", "process.shell", "code.dynamic"})


def _socket_shells(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield redirections to a connection on the line of a shell that takes its commands from it."""
    shells = {
        event.span.line
        for event in facts.events
        if event.kind == "command" and _is_open_shell(event.name, event.arguments)
    }
    for event in facts.events:
        if event.kind == "redirect" and _SOCKET.match(event.name) and event.span.line in shells:
            yield Hit(event.span, "a shell's streams are a connection")


def _is_open_shell(name: str, arguments: tuple[object, ...]) -> bool:
    """Say whether a shell is started without a script: it then takes commands from whoever is at the other end."""
    words = [word for word in arguments if isinstance(word, str)]
    if name == "exec":
        return bool(words) and words[0].rpartition("/")[2] in _SHELLS
    return name in _SHELLS and all(word.startswith("-") and "c" not in word for word in words)


def _hidden_commands(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield commands whose name or text was hidden, where it is known what runs."""
    runs = {fact.span for fact in facts.facts if fact.capability in _RUNS}
    written = {(fact.span, fact.object) for fact in facts.facts if fact.capability in _WRITES}
    seen = set()
    for fact in facts.facts:
        is_known = fact.capability == "code.obfuscated" and fact.object is not None and fact.resolution != "possible"
        if not is_known or (fact.span, fact.object) in written:
            continue  # A record of what was typed, which the command writes: it hides nothing of its own name.
        if fact.channel in ("shell", "nested") and fact.span in runs and fact.span not in seen:
            seen.add(fact.span)
            yield Hit(fact.span, f"it runs `{fact.object}`", fact.object)


def _remote_lines(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield streams of connections in a script that runs lines of PowerShell which it does not know."""
    commands = [event for event in facts.events if event.kind == "command"]
    if any(
        event.name in _RUNS_LINES and any(isinstance(word, Unknown) for word in event.arguments) for event in commands
    ):
        yield from (Hit(event.span, "what arrives is run") for event in commands if event.name in _STREAMS)


_RUNS_LINES: Final = frozenset({"invoke-expression", "scriptblock.create", "powershell.addscript"})
_STREAMS: Final = frozenset({"net.sockets.tcpclient.getstream", "net.sockets.networkstream.new"})

REMOTE_LINES: Final = CodeDetector(_remote_lines)
SOCKET_SHELL: Final = CodeDetector(_socket_shells)
HIDDEN_COMMAND: Final = CodeDetector(_hidden_commands)

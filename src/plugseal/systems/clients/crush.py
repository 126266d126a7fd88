"""Crush: `crush.json`, and the shell scripts `crushrc` that say the same by commands of their own.

Values of the JSON are expanded as a shell would: what stands in `$(…)` is run when the settings are loaded. A script is
shell in full, read by the reader of that language; what its commands of Crush's own declare is described here, as far
as their words stand there.

See: https://github.com/charmbracelet/crush/blob/main/docs/config/README.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from plugseal.limits import MAX_ARGUMENTS, MAX_DECLARED
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.clients.settled import documents_at
from plugseal.systems.clients.tables import CRUSH
from plugseal.systems.components.folders import FolderClient, Layout, Settings
from plugseal.systems.components.settings import GRANT
from plugseal.systems.launching.launch import entry_file, exact_variable, shell_commands, shell_entry, variables
from plugseal.systems.reading.reader import Document, PluginReader, compact, dotted
from plugseal.systems.reading.texts import READS, texts_in
from plugseal.systems.system import System

_FILES: Final = ("crush.json", ".crush.json")
_SCRIPTS: Final = ("crushrc", ".crushrc")
_OPENING: Final = "$("
_PAIRED: Final = frozenset({"env", "header", "extra-header"})
"""Options that take a name and a value."""
_CONTEXT: Final = ("context-path", "global-context-path")


def crush() -> System:
    """Return the system of `crush.json`, `.crush.json` and of Crush's scripts."""
    layout = Layout(
        folder=".crush",
        commands=("commands",),
        settings=tuple(Settings(file, CRUSH, servers="mcp", hooks="hooks") for file in _FILES),
        scripts=_SCRIPTS,
        gate="none",
    )
    return FolderClient("crush", layout, _more)


def _more(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Yield language servers with their arguments, what a shell puts into values, and what scripts declare."""
    del folder
    for document in documents_at(reader, _FILES):
        for name, spec in reader.table(document, ("lsp",)).items():
            program = spec.get("command") if isinstance(spec, dict) else None
            if isinstance(spec, dict) and spec.get("args") and isinstance(program, str):
                yield Component(
                    kind=ComponentKind.LANGUAGE_SERVER,
                    name=name,
                    file=document.file,
                    span=document.locate(("lsp", name, "args")),
                    transport="exec",
                    command=(program, *reader.texts(document, ("lsp", name, "args"))),
                    trigger="open",
                )
        yield from _substituted(reader, document)
    for file in _SCRIPTS:
        if reader.is_file(file):
            yield from _script(reader, file)


def _substituted(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Yield the lines that Crush has a shell run to put their output into a value."""
    seen = 0
    for path, text in texts_in(document.value):
        if path[:1] == ("hooks",) or _OPENING not in text:
            continue
        seen += 1
        if seen > MAX_DECLARED:
            reader.fault_at(document, path, f"declares more than {MAX_DECLARED:,}: not all were read")
            return
        line = text[text.find(_OPENING) + len(_OPENING) : text.rfind(")") if ")" in text else len(text)]
        yield _line(reader, line, document.file, document.locate_value(path), ComponentKind.SETTING, dotted(path))


def _line(reader: PluginReader, line: str, file: str, span: Span, kind: ComponentKind, name: str) -> Component:
    return Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
        kind=kind,
        name=name,
        file=file,
        span=span,
        transport="exec",
        command=(line,),
        shell=True,
        trigger=f"hook:{name.partition('.')[0]}" if kind is ComponentKind.HOOK else "start",
        entry=shell_entry(line, reader.is_launchable),
        places=(("command.0", span),),
    )


def _script(reader: PluginReader, file: str) -> Iterator[Component]:
    """Yield what the commands of a script declare, each at its line."""
    data = reader.data(file)
    if data is None:
        return
    seen = 0
    for number, line in _lines(data.decode("utf-8", "replace")):
        if line.split(maxsplit=1)[:1] not in _DECLARING:
            continue
        seen += 1
        if seen > MAX_DECLARED:
            reader.fault(file, f"declares more than {MAX_DECLARED:,}: not all were read")
            return
        for words in shell_commands(line):
            yield from _declared(reader, words[:MAX_ARGUMENTS], file, Span(number, 1, number, 1))


_DECLARING: Final = (["hook"], ["mcp"], ["lsp"], ["permissions"], ["provider"], ["option"])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a script with their numbers, those that go on behind a backslash put together."""
    held, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        first = first or number
        held += line
        if held.endswith("\\"):
            held = held[:-1] + " "
            continue
        yield first, held
        held, first = "", 0


def _declared(reader: PluginReader, words: Sequence[str], file: str, span: Span) -> Iterator[Component]:
    """Describe one command of Crush's own."""
    what, how, *rest = (*words, "", "")[: max(len(words), 2)]
    common = Component(kind=ComponentKind.SETTING, name=f"{what} {how}", file=file, span=span, trigger="start")
    if (what, how) == ("permissions", "allow") and rest:
        granted = [f"permissions.allowed_tools = {tool}" for tool in rest]
        yield common._replace(extra=((GRANT, compact(granted)),), places=((f"extra.{GRANT}", span),))
    elif what == "option" and how in _CONTEXT and rest:
        yield common._replace(extra=((READS, compact(rest[:1])),))
    elif how == "add" and rest:
        options = _options(rest[1:])
        command = (*options.get("command", ())[-1:], *options.get("args", ()))
        if what == "hook" and command:
            yield _line(reader, command[0], file, span, ComponentKind.HOOK, f"{rest[0]}.{span.line}")
        elif what in ("mcp", "lsp"):
            kind = ComponentKind.SERVER if what == "mcp" else ComponentKind.LANGUAGE_SERVER
            trigger = "start" if what == "mcp" else "open"
            yield _server(reader, common._replace(kind=kind, trigger=trigger, name=rest[0]), command, options)
        elif what == "provider" and "base-url" in options:
            name = f"providers.{rest[0]}.base_url"
            yield common._replace(name=name, transport="http", endpoint=options["base-url"][-1])


def _server(
    reader: PluginReader, common: Component, command: tuple[str, ...], options: Mapping[str, Sequence[str]]
) -> Component:
    """Return a server with what its options say."""
    url = (*options.get("url", ()), "")[0]
    pairs = [pair.partition("=") for pair in options.get("env", ())]
    return common._replace(
        transport="stdio" if command else "http" if url else "",
        command=command,
        endpoint=url or None,
        environment=tuple(sorted((name, (*variables(value), None)[0]) for name, _, value in pairs)),
        literals=tuple(sorted((name, value) for name, _, value in pairs if exact_variable(value) is None)),
        headers=tuple(
            sorted((name, value) for name, _, value in (h.partition("=") for h in options.get("header", ())))
        ),
        entry=entry_file(command, None, reader.is_launchable) if command else None,
    )


def _options(words: Sequence[str]) -> dict[str, list[str]]:
    """Return options with their values; a name and a value that belong together stand as `name=value`."""
    found: dict[str, list[str]] = {}
    at = 0
    while at < len(words):
        name, equals, value = words[at].removeprefix("--").partition("=")
        at += 1
        if not words[at - 1].startswith("--"):
            continue
        if not equals:
            taken = list(words[at : at + (2 if name in _PAIRED else 1)])
            at += len(taken)
            value = "=".join(taken)
        found.setdefault(name, []).append(value)
    return found

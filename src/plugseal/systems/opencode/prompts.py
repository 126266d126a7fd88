"""Commands of OpenCode: prompts in which `` !`line` `` is given to a shell before the model sees the text.

No permission is asked for it. Prompts stand in files of `.opencode/command`, and in the configuration as `template`.

See: https://opencode.ai/docs/commands
"""

from __future__ import annotations

from collections.abc import Iterator

from plugseal.limits import MAX_DECLARED
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.launching.launch import shell_entry
from plugseal.systems.reading.prose_commands import inline_lines
from plugseal.systems.reading.reader import Document, Path, PluginReader, lookup


def prompt_lines(reader: PluginReader, component: Component) -> Iterator[Component]:
    """Yield the lines in the text of a command's file."""
    commands = reader.prose_commands(component.file)
    if len(commands) > MAX_DECLARED:
        reader.fault(component.file, f"holds more than {MAX_DECLARED:,} commands: not all were read")
    for number, command in enumerate(commands[:MAX_DECLARED]):
        yield _line(reader, command.text, f"{component.name}.!{number}", component.file, command.span)


def template_lines(reader: PluginReader, document: Document, path: Path, name: str) -> Iterator[Component]:
    """Yield the lines in a template of the configuration."""
    template = lookup(document.value, path)
    if isinstance(template, str):
        span = document.locate_value(path)
        for number, line in zip(range(MAX_DECLARED), inline_lines(template), strict=False):
            yield _line(reader, line, f"{name}.!{number}", document.file, span)


def _line(reader: PluginReader, line: str, name: str, file: str, span: Span) -> Component:
    return Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
        kind=ComponentKind.COMMAND,
        name=name,
        file=file,
        span=span,
        transport="exec",
        command=(line,),
        shell=True,
        trigger="command",
        entry=shell_entry(line, reader.is_launchable),
        places=(("command.0", span),),
    )

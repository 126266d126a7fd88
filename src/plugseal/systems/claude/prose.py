"""Skills, commands and agents of Claude Code: prose, with commands that run before the model sees a word of it.

Of an agent that a plugin brings, Claude Code ignores hooks, servers and permission mode; of one in a working folder it
obeys them. What is ignored stays in the component's description under `ignored.`, so that a receipt covers it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import SKILL_FILE, Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.claude.surfaces import PERMISSION, PREAPPROVED
from plugseal.systems.components.prose import prose_components
from plugseal.systems.launching.launch import shell_commands, shell_entry
from plugseal.systems.reading.reader import PluginReader

_RUNS: Final = frozenset({ComponentKind.SKILL, ComponentKind.COMMAND})
_IGNORED: Final = frozenset({"hooks", "mcpServers", "permissionMode"})
"""Keys of an agent that count only outside of plugins."""
_BASH: Final = lazy(r"\bBash(?:\(([^)\"]{0,500})\)|(?!\())")
"""A grant of the shell: nothing behind it for any command, else what commands may begin with."""
_NO_FIELDS: Final = frozenset({"allowed-tools"})
"""Keys that are no fields of an agent anywhere: they grant nothing."""


def with_commands(reader: PluginReader, components: Iterable[Component]) -> Iterator[Component]:
    """Yield skills and commands, each followed by the shell lines that stand in its text."""
    for component in components:
        yield component
        if component.kind in _RUNS and component.file and not component.command:
            yield from _commands(reader, component)


def skills_in(reader: PluginReader, directories: Iterable[str]) -> Iterator[Component]:
    """Describe the skills of directories: folders with `SKILL.md` right below, or the directory itself."""
    seen: set[str] = set()
    for directory in dict.fromkeys(directories):
        for file in _skill_files(reader, directory):
            if file not in seen:
                seen.add(file)
                folder = file.split("/")[-2] if "/" in file else reader.root.rpartition("/")[2]
                yield from prose_components(reader, file, ComponentKind.SKILL, name=folder)


def agents_of(components: Iterable[Component], *, in_plugin: bool) -> Iterator[Component]:
    """Yield agents with what Claude Code ignores of them set apart; of a plugin's also without their hooks and servers.

    Args:
        components: the agents, and what their front matter declares.
        in_plugin: whether a plugin brings them.
    """
    ignored = _NO_FIELDS | (_IGNORED if in_plugin else frozenset())
    for component in components:
        if component.kind is ComponentKind.AGENT:
            yield component._replace(extra=tuple(sorted(_renamed(component.extra, ignored))))
        elif not in_plugin:
            yield component


def _renamed(extra: Iterable[tuple[str, str]], ignored: frozenset[str]) -> Iterator[tuple[str, str]]:
    for key, value in extra:
        name = key.removeprefix("front.")
        yield (f"ignored.{name}" if key.startswith("front.") and name in ignored else key), value


def _skill_files(reader: PluginReader, directory: str) -> Iterator[str]:
    prefix = f"{directory}/" if directory else ""
    if reader.exists(prefix + SKILL_FILE):
        yield prefix + SKILL_FILE
        return
    for name in reader.names(directory):
        if reader.real(prefix + name) is None:
            reader.fault(prefix + name, "is a link that leads out of the plugin or nowhere; not read")
        elif reader.exists(f"{prefix}{name}/{SKILL_FILE}"):
            yield f"{prefix}{name}/{SKILL_FILE}"


def _commands(reader: PluginReader, component: Component) -> Iterator[Component]:
    extra = dict(component.extra)
    shell = _text(extra.get("front.shell"))
    granted = extra.get("front.allowed-tools", "")
    commands = reader.prose_commands(component.file)
    if len(commands) > MAX_DECLARED:
        reader.fault(component.file, f"holds more than {MAX_DECLARED:,} commands: not all were read")
    for number, command in enumerate(commands[:MAX_DECLARED]):
        folder = component.file.rpartition("/")[0]
        line = command.text
        yield Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
            kind=ComponentKind.COMMAND,
            name=f"{component.name}.!{number}",
            file=component.file,
            span=command.span,
            transport="exec",
            command=(line,),
            shell=True,
            trigger=component.trigger,
            gate=PREAPPROVED if _is_granted(line, granted) else PERMISSION,
            entry=shell_entry(_here(line, folder), reader.is_launchable),
            extra=(("shell", json.dumps(shell)),) if shell else (),
            places=(("command.0", command.span),),
        )


def _is_granted(line: str, granted: str) -> bool:
    """Say whether a text's own grants cover every command of a line.

    Args:
        line: for a shell.
        granted: `allowed-tools` as JSON.
    """
    rules = _BASH.findall(granted)
    if any(rule in ("", "*", ":*") for rule in rules):
        return True
    starts = tuple(rule.removesuffix(":*").removesuffix("*").rstrip() for rule in rules)
    commands = [" ".join(words) for words in shell_commands(line)]
    return bool(commands) and all(any(_begins(command, start) for start in starts) for command in commands)


def _begins(command: str, start: str) -> bool:
    return bool(start) and (command == start or command.startswith(f"{start} "))


def _here(line: str, folder: str) -> str:
    """Return a line with the skill's own folder in place of the variable that stands for it."""
    return line.replace(
        "${CLAUDE_SKILL_DIR}", f"${{CLAUDE_PLUGIN_ROOT}}/{folder}" if folder else "${CLAUDE_PLUGIN_ROOT}"
    )


def _text(value: str | None) -> str:
    found = json.loads(value) if value else ""
    return found if isinstance(found, str) else ""

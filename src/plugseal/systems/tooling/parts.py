"""What the readers of tools' files share: a line for a shell, a file that is run, and texts in sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.components.lines import entry_below
from plugseal.systems.reading.reader import PluginReader

_SECTION: Final = lazy(r"\[([^\]\r\n]+)\]\s*(?:[#;].*)?")
_PAIR: Final = lazy(r"([^\s=:#;\[][^=:]*)[=:]\s*(.*)")
_EQUALITY: Final = lazy(r"([^\s=#;\[][^=]*)=\s*(.*)")
_MAX_LINES: Final = 100_000
Reader = Callable[[PluginReader, str], Iterator[Component]]
"""Describes one file, relative to the reader's root."""


class Entry(NamedTuple):
    """One `key = value` of a text in sections."""

    section: str
    key: str
    value: str
    """With its continued lines, one for each line."""
    line: int


def shell_script(
    reader: PluginReader, file: str, line: str, *, name: str, trigger: str, gate: str, number: int, base: str = ""
) -> Component:
    """Return a line that a tool gives to a shell.

    Args:
        reader: knows which files are there.
        file: where it stands, relative to the root.
        line: the text for the shell.
        name: as people call it.
        trigger: when it runs.
        gate: what is asked first.
        number: the line of the file on which it stands, 1-based.
        base: the folder below the root in which it runs.
    """
    return Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
        kind=ComponentKind.SCRIPT,
        name=name,
        file=file,
        span=Span(number, 1, number, 1),
        transport="exec",
        command=(line,),
        shell=True,
        cwd=base or None,
        trigger=trigger,
        gate=gate,
        entry=entry_below(reader, line, base),
    )


def run_file(file: str, *, name: str, trigger: str, gate: str, transport: str = "exec") -> Component:
    """Return a file that a tool runs or imports by itself."""
    return Component(
        kind=ComponentKind.SCRIPT,
        name=name,
        file=file,
        span=Span(1, 1, 1, 1),
        transport=transport,
        trigger=trigger,
        gate=gate,
        entry=file,
    )


def registry_setting(component: Component, address: str) -> Component:
    """Return a setting by which packages come from another registry: what they run at install comes from there too.

    Args:
        component: the setting, with everything else.
        address: of the registry, as written.
    """
    from plugseal.lang.recipes.sources import is_usual  # few settings name a registry

    if is_usual(address):
        return component._replace(transport="http", endpoint=address)
    places = dict(component.places)
    at = places.get("endpoint", component.span)
    return component._replace(
        transport="http",
        endpoint=address,
        places=tuple({**places, "autorun": at, "endpoint": at}.items()),
    )


def folder_of_file(file: str) -> str:
    """Return the folder of a file, relative to the same root; empty for the root."""
    return file.rpartition("/")[0]


def text_of(reader: PluginReader, file: str) -> str:
    """Return a kept file's text, empty with a fault where it can't be read."""
    data = reader.data(file)
    return "" if data is None else data.decode("utf-8-sig", "replace")


def entries_in(text: str, *, colons: bool = True) -> Iterator[Entry]:
    """Yield what a text in sections says; continued lines are those that begin with white space.

    Args:
        text: of the file.
        colons: whether a colon stands for an equals sign, as in Python's tools and not in npm's.
    """
    form = _PAIR if colons else _EQUALITY
    section, key, value, at = "", "", [""], 0
    for number, line in enumerate(text.splitlines()[:_MAX_LINES], start=1):
        if line[:1] in (" ", "\t") and key:
            if not line.lstrip().startswith(("#", ";")):
                value.append(line.strip())
            continue
        if key:
            yield Entry(section, key, "\n".join(value).strip(), at)
            key = ""
        found = _SECTION.fullmatch(line.strip())
        if found is not None:
            section = found[1].strip()
            continue
        pair = form.fullmatch(line.rstrip())
        if pair is not None:
            key, value, at = pair[1].rstrip(), [pair[2].strip()], number
    if key:
        yield Entry(section, key, "\n".join(value).strip(), at)

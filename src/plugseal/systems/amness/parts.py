"""The parts of an Amness plugin as components: what each is called, and at which moment the host calls it.

Functions run in the host's own process, so a component says where and when; what its code can do is said by the file.
Checks and set-ups of eval cases that are texts are lines for a shell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.lang.ecmascript.exporting.static import Kind, Static
from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind
from plugseal.records import NamedTuple
from plugseal.systems.reading.reader import compact

MAPS: Final = ("hooks", "variants", "metrics", "graders")
LISTS: Final = ("tools", "commands", "gates", "cases")
SINGLES: Final = ("system", "policy", "context", "memory", "route", "status")
_SHELL_LINES: Final = ("check", "verify", "setup")
_ASKS: Final = {"commands": ("ask", "run", "say"), "gates": ("run",)}
"""What functions of a field may ask their host for."""
_FUNCTION_OF: Final = {"commands": "run", "gates": "check"}
RUNS_ANY_LINE: Final = "runs_any_line"
"""Set where a line that is given to a shell can't be told."""
_NOT_SHOWN: Final = ("(function)", "(computed)")
_WORDS: Final = {"variants": "variant", "metrics": "metric", "graders": "grader", "gates": "gate", "cases": "case"}


class Part(NamedTuple):
    """One part of an export."""

    field: str
    name: str
    """Its key or its `name`; empty for what has none, or whose name can't be told."""
    value: Static


def build_components(file: str, parts: Iterable[Part]) -> tuple[Component, ...]:
    """Return the components of the parts, no more than a manifest may declare."""
    found: list[Component] = []
    for part in parts:
        found += _components(file, part)
        if len(found) > MAX_DECLARED:
            break
    return tuple(found[:MAX_DECLARED])


def plain(value: Static) -> object:
    """Return a value as data, with words in place of what has none."""
    if value.kind is Kind.OBJECT:
        return {key: plain(field) for key, field in value.fields}
    if value.kind is Kind.LIST:
        return [plain(item) for item in value.items]
    if value.kind is Kind.BOOLEAN:
        return value.text == "true"
    if value.kind in (Kind.TEXT, Kind.NUMBER):
        return value.text
    return {Kind.FUNCTION: "(function)", Kind.UNKNOWN: "(computed)"}.get(value.kind)


def _components(file: str, part: Part) -> Iterator[Component]:
    kind, name, trigger = _moment(part)
    yield Component(
        kind=kind,
        name=name,
        file=file,
        span=part.value.span,
        transport="in-process",
        trigger=trigger,
        extra=tuple(sorted([("contributes", _path(part)), *_extra(part), *_asked(part)])),
    )
    yield from _lines(file, part)
    for key in _SHELL_LINES if part.field == "cases" else ():
        line = part.value.get(key)
        if line is not None and line.kind is Kind.TEXT:
            yield Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
                kind=ComponentKind.COMMAND,
                name=f"{name}.{key}",
                file=file,
                span=line.span,
                transport="exec",
                command=(line.text,),
                shell=True,
                trigger="command",
                extra=(("contributes", _path(part)),),
            )


def _asks(part: Part) -> list[tuple[str, str | None]]:
    """Return what the function of a command or a gate asks its host for, with the line that it gives to a shell.

    A function that can't be told, or that hands its host on to other code, may ask for everything.
    """
    allowed = _ASKS.get(part.field)
    if allowed is None:
        return []
    function = part.value.get(_FUNCTION_OF[part.field])
    told = function is not None and function.kind is Kind.FUNCTION
    asks = function.asks if function is not None and told else (("*", None),)
    everything = [(member, None) for member in allowed] if ("*", None) in asks else []
    return sorted({*everything, *(one for one in asks if one[0] in allowed)}, key=_by_name)


def _asked(part: Part) -> Iterator[tuple[str, str]]:
    asks = _asks(part)
    if asks:
        yield "asks", compact(sorted({member for member, _ in asks}))
    if ("run", None) in asks:
        yield RUNS_ANY_LINE, compact(True)


def _lines(file: str, part: Part) -> Iterator[Component]:
    """Yield a component for each line that is known to be given to a shell."""
    _, name, trigger = _moment(part)
    lines = [line for member, line in _asks(part) if member == "run" and line is not None]
    for number, line in enumerate(lines, 1):
        yield Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
            kind=ComponentKind.COMMAND,
            name=f"{name}.run.{number}",
            file=file,
            span=part.value.span,
            transport="exec",
            command=(line,),
            shell=True,
            trigger=trigger,
            extra=(("contributes", _path(part)),),
        )


def _by_name(ask: tuple[str, str | None]) -> tuple[str, str]:
    return ask[0], ask[1] or ""


def _moment(part: Part) -> tuple[ComponentKind, str, str]:
    """Return kind, shown name and trigger."""
    name = part.name or "?"
    if part.field == "hooks":
        return ComponentKind.HOOK, name, f"hook:{name}"
    if part.field == "tools":
        return ComponentKind.TOOL, name, "tool"
    if part.field == "commands":
        return ComponentKind.COMMAND, f"/{name}", "command"
    if part.field == "gates":
        return ComponentKind.HOOK, f"gate {name}", "hook:Stop"
    if part.field in SINGLES:
        return ComponentKind.HOOK, part.field, f"hook:{part.field}"
    return ComponentKind.COMMAND, f"{_WORDS[part.field]} {name}", "command"


def _path(part: Part) -> str:
    return f"{part.field}.{part.name}" if part.name else part.field


def _extra(part: Part) -> Iterator[tuple[str, str]]:
    """Yield what stands in a part beside its functions, and what a policy may wave through."""
    values = {key: plain(field) for key, field in part.value.fields if key != "name"}
    yield from ((key, compact(value)) for key, value in values.items() if value not in _NOT_SHOWN)
    if part.field == "policy" and (part.value.kind is not Kind.FUNCTION or "allow" in part.value.strings):
        yield "policy.allow", compact(["policy allow"])

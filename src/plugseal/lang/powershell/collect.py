"""Gather what stands in a script: assignments, functions, aliases, commands and calls, each with where it runs."""

from __future__ import annotations

from typing import Final

from plugseal.lang.powershell.tree import Node
from plugseal.records import NamedTuple

_CONDITIONAL: Final = frozenset("if elseif else while until switch for try catch finally trap do".split())
MAX_NODES: Final = 400_000
_MAX_BEFORE: Final = 16
"""Parts of a pipeline that are looked at for what they bring."""
_FOR_EACH: Final = frozenset(("foreach-object", "foreach", "%", "where-object", "where", "?"))
"""Cmdlets whose block is run for each thing that comes through the pipe."""
_FIXED: Final = frozenset(("null", "true", "false"))
"""What is thrown away, or an error, where it is assigned: `$null = ...` gives `2>$null` no name."""


class Frame(NamedTuple):
    """Where code runs."""

    function: str
    """Empty for the script's own top."""
    block: int
    """The innermost part that may not run."""


class Assigned(NamedTuple):
    """One value that a variable is given."""

    at: int
    node: Node | None
    frame: Frame
    how: str
    """`=`, `+=`, `each` (an element), `piped` (the same, within its block), `default`, `reverse`, `argument`."""
    inside: str | None = None
    """The function that sees it, where that is another than the one that makes its value."""

    @property
    def function(self) -> str:
        """Return the function that sees it."""
        return self.frame.function if self.inside is None else self.inside


class Use(NamedTuple):
    """A command, call or reference."""

    node: Node
    frame: Frame
    before: tuple[Node, ...] = ()
    """What stands before it in its pipeline."""


class Script(NamedTuple):
    """A script, gathered."""

    root: Node
    assigned: dict[str, list[Assigned]]
    functions: dict[str, Node]
    uses: list[Use]
    parents: list[int]
    """Of each block."""
    is_cut: bool


def collect(root: Node) -> Script:
    """Return what stands in a script."""
    script = Script(root, {}, {}, [], [-1], False)
    waiting: list[tuple[Node, Frame, tuple[Node, ...]]] = [(root, Frame("", 0), ())]
    count = 0
    while waiting:
        node, frame, before = waiting.pop()
        count += 1
        if count > MAX_NODES:
            return script._replace(is_cut=True)
        below = _enter(node, frame, before, script)
        waiting.extend(reversed(below))
    return script


def _enter(
    node: Node, frame: Frame, before: tuple[Node, ...], script: Script
) -> list[tuple[Node, Frame, tuple[Node, ...]]]:
    """Note a node, and return those below it with where they run."""
    kind = node.kind
    if kind == "function":
        script.functions[node.text] = node
        inner = Frame(node.text, _new(script, frame.block))
        return [(part, inner, ()) for part in node.parts]
    if kind == "pipeline":
        return [(part, frame, node.parts[max(0, at - _MAX_BEFORE) : at]) for at, part in enumerate(node.parts)]
    if kind == "flow" and node.text in _CONDITIONAL:
        inner = frame._replace(block=_new(script, frame.block))
        return [(part, inner, ()) for part in node.parts]
    if kind == "chain":
        rest = frame._replace(block=_new(script, frame.block))
        return [(part, rest if at else frame, ()) for at, part in enumerate(node.parts)]
    if kind == "parameter":
        default = node.parts[0] if node.parts else None
        _assign(script, node.text, Assigned(node.start, default, frame, "default"))
    elif kind == "foreach" and node.parts[0].kind == "variable":
        inner = frame._replace(block=_new(script, frame.block))
        _assign(script, node.parts[0].text, Assigned(node.start, node.parts[1], frame, "each"))
        return [(part, inner, ()) for part in node.parts[1:]]
    elif kind == "assign":
        return _enter_assignment(node, frame, script)
    elif kind in ("command", "call", "staticcall", "member", "static", "variable", "cast"):
        script.uses.append(Use(node, frame, before))
        if before and kind == "command" and node.parts and node.parts[0].text.lower() in _FOR_EACH:
            return _enter_each(node, frame, before, script)
        if kind == "staticcall" and _is_reversal(node):
            _assign(script, node.parts[2].text, Assigned(node.end, node.parts[2], frame, "reverse"))
    return [(part, frame, ()) for part in node.parts]


def _enter_each(
    node: Node, frame: Frame, before: tuple[Node, ...], script: Script
) -> list[tuple[Node, Frame, tuple[Node, ...]]]:
    """Enter the blocks of `… | ForEach-Object { … }`, in which `$_` is one of what came through the pipe."""
    piped = Node("pipeline", before[0].start, before[-1].end, "", before)
    below: list[tuple[Node, Frame, tuple[Node, ...]]] = []
    for part in node.parts:
        inner = frame
        if part.kind == "block":
            inner = frame._replace(block=_new(script, frame.block))
            _assign(script, "_", Assigned(part.start, piped, inner, "piped"))
        below.append((part, inner, ()))
    return below


def _enter_assignment(node: Node, frame: Frame, script: Script) -> list[tuple[Node, Frame, tuple[Node, ...]]]:
    target, value = node.parts
    while target.kind == "cast":
        target = target.parts[0]
    targets = target.parts if target.kind == "list" else (target,)
    for number, one in enumerate(targets):
        if one.kind == "variable":
            whole = value if len(targets) == 1 else Node("index", one.end, value.end, "", (value, _number(number)))
            _assign(script, one.text, Assigned(node.end, whole, frame, node.text))
    script.uses.append(Use(node, frame))
    below: list[tuple[Node, Frame, tuple[Node, ...]]] = [(value, frame, ())]
    if target.kind != "variable":
        below[:0] = [(part, frame, ()) for one in targets for part in one.parts]
    return below


def _number(number: int) -> Node:
    return Node("number", 0, 0, str(number))


def _is_reversal(node: Node) -> bool:
    kind, name, *given = node.parts
    return (
        kind.text.endswith("array") and name.text.lower() == "reverse" and bool(given) and given[0].kind == "variable"
    )


def _assign(script: Script, name: str, assigned: Assigned) -> None:
    variable = plain_variable(name)
    if variable not in _FIXED:
        script.assigned.setdefault(variable, []).append(assigned)


def plain_variable(name: str) -> str:
    """Return a variable's name without its scope."""
    scope, colon, rest = name.partition(":")
    return rest if colon and scope in ("global", "script", "local", "private", "using", "variable") else name


def _new(script: Script, parent: int) -> int:
    script.parents.append(parent)
    return len(script.parents) - 1

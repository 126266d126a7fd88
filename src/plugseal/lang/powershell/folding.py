"""What the expressions of one script may be worth, in bounded work."""

from __future__ import annotations

from typing import Final

from plugseal.lang.folded import HOLE
from plugseal.lang.judging.telling import most_telling
from plugseal.lang.powershell.collect import Assigned, Frame, Script, plain_variable
from plugseal.lang.powershell.members import Members
from plugseal.lang.powershell.operators import binary, cast, element, join
from plugseal.lang.powershell.tables import type_name
from plugseal.lang.powershell.tree import Node
from plugseal.lang.powershell.values import (
    ENVIRONMENT,
    FETCHED,
    MAX_ALTERNATIVES,
    MAX_LIST,
    RESOLVED,
    UNKNOWN,
    UNSURE,
    Block,
    Item,
    Made,
    Many,
    Table,
    TypeName,
    Value,
    cut,
    flags_of,
    host_of,
    items_of,
    parse_number,
    text_of,
)
from plugseal.lang.shell.words.marks import OWN

_FUEL: Final = 200_000
MAX_DEPTH: Final = 40
_GIVEN: Final[dict[str, Value]] = {
    "home": "~",
    "profile": "~\\Documents\\WindowsPowerShell\\Microsoft.PowerShell_profile.ps1",
    "env:userprofile": "~",
    "env:home": "~",
    "env:appdata": "%APPDATA%",
    "env:localappdata": "%LOCALAPPDATA%",
    "env:temp": "%TEMP%",
    "env:tmp": "%TEMP%",
    "env:systemroot": "C:\\Windows",
    "env:windir": "C:\\Windows",
    "env:systemdrive": "C:",
    "env:programdata": "C:\\ProgramData",
    "env:programfiles": "C:\\Program Files",
    "env:public": "C:\\Users\\Public",
    "env:comspec": "C:\\Windows\\System32\\cmd.exe",
    "pwd": ".",  # nosec B105  # the current folder
    "pshome": "C:\\Windows\\System32\\WindowsPowerShell\\v1.0",
    "psscriptroot": OWN,
    "shellid": "Microsoft.PowerShell",
    "verbosepreference": "SilentlyContinue",
    "true": True,
    "false": False,
    "null": None,
    "ofs": " ",
    "executioncontext": Made("executioncontext"),
}


class Folder(Members):
    """The values of one script."""

    def __init__(self, script: Script, own_name: str) -> None:
        self.script = script
        self.fuel = _FUEL
        self.aliases = {}
        self.given = [dict[str, Item]()]
        """What `$_` and parameters hold while a block is followed; the innermost last."""
        self._own_name = own_name
        self._known: dict[tuple[str, int, int], list[Item]] = {}
        self._busy: set[tuple[str, int]] = set()

    def one(self, node: Node, frame: Frame) -> Item:
        """Return the likeliest value of an expression."""
        return self.fold(node, frame)[0]

    def fold(self, node: Node, frame: Frame, depth: int = 0) -> list[Item]:
        """Return the values that an expression may have, at least one."""
        self.fuel -= 1
        if depth > MAX_DEPTH or self.fuel < 0:
            return [UNKNOWN]
        kind = node.kind
        if kind == "text":
            return [Item(node.text)]
        if kind == "variable":
            return self._variable(node, frame, depth)
        if kind == "binary":
            return self._binary(node, frame, depth)
        if kind == "join":
            return self._joined(node, frame, depth)
        found = self._single(node, frame, depth + 1)
        return self.paid(found) or [UNKNOWN]

    def _single(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        kind = node.kind
        if kind == "number":
            number = parse_number(node.text)
            return [UNKNOWN if number is None else Item(number)]
        if kind == "type":
            return [Item(TypeName(type_name(node.text)))]
        if kind == "block":
            return [Item(Block(node))]
        if kind in ("group", "sub", "array"):
            return self._bracket(node, frame, depth)
        if kind == "list":
            items = tuple(self.fold(part, frame, depth)[0] for part in node.parts[:MAX_LIST])
            return [Item(Many(items), flags_of(*items), host_of(*items))]
        if kind == "table":
            return [self._table(node, frame, depth)]
        if kind == "cast":
            name = type_name(node.text) + ("[]" if node.text.endswith("[]") else "")
            return [cast(name, item) for item in self.fold(node.parts[0], frame, depth)]
        if kind == "unary":
            return [self._unary(node.text, item) for item in self.fold(node.parts[0], frame, depth)]
        if kind == "index":
            target, index = self.fold(node.parts[0], frame, depth), self.fold(node.parts[1], frame, depth)[0]
            return [self._indexed(one, index) for one in self.paid(target)]
        if kind == "pipeline":
            return self.pipeline(node, frame, depth)
        if kind == "chain":
            return self.fold(node.parts[-1], frame, depth)
        if kind == "flow":
            return self._flow(node, frame, depth)
        if kind in ("call", "staticcall", "member", "static"):
            return self.member(node, frame, depth)
        if kind == "command":
            return self.command(node, frame, depth)
        return [self.fold(node.parts[1], frame, depth)[0]] if kind == "assign" else [UNKNOWN]

    def _flow(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        """Return what `return x`, or one of the branches of `if`, gives."""
        if node.text == "return" and node.parts:
            return self.fold(node.parts[0], frame, depth)
        found: list[Item] = []
        for part in node.parts:
            if part.kind == "block" and part.parts:
                found += self.fold(part.parts[-1], frame, depth)
            elif part.kind == "flow":
                found += self.fold(part, frame, depth)
        return [item.marked(UNSURE) for item in found[:MAX_ALTERNATIVES]]

    def _bracket(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        if not node.parts:
            return [Item(Many(()))] if node.kind == "array" else [Item(None)]
        if len(node.parts) > 1:
            items = tuple(self.fold(part, frame, depth)[0] for part in node.parts[:64] if part.kind != "assign")
            if len(items) == 1:
                return list(items)
            return [Item(Many(items), flags_of(*items), host_of(*items))]
        found = self.fold(node.parts[0], frame, depth)
        if node.kind != "array":
            return found
        return [
            one if isinstance(one.value, Many) or one == UNKNOWN else one._replace(value=Many((one,))) for one in found
        ]

    def _table(self, node: Node, frame: Frame, depth: int) -> Item:
        pairs = [
            (
                text_of(self.fold(node.parts[at], frame, depth)[0]).lower(),
                self.fold(node.parts[at + 1], frame, depth)[0],
            )
            for at in range(0, min(len(node.parts) - 1, 512), 2)
        ]
        return Item(Table(tuple(pairs)))

    def _indexed(self, target: Item, index: Item) -> Item:
        if isinstance(target.value, Table):
            return target.value.get(text_of(index).lower()) or UNKNOWN
        return element(target, index)

    def _unary(self, sign: str, item: Item) -> Item:
        if sign == "-join":
            return join(item, "")
        if sign.endswith("split"):
            text = text_of(item)
            return Item(Many(tuple(Item(part) for part in text.split()[:MAX_LIST])), item.flags, item.host)
        if sign == "-" and isinstance(item.value, int):
            return Item(-item.value)
        if sign == ",":
            return Item(Many((item,)), item.flags, item.host)
        return item if sign in ("+", "++", "--") else Item(HOLE, item.flags, item.host)

    def _binary(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        """Follow a chain of operators to the left without going deeper for each."""
        chain: list[Node] = []
        first = node
        while first.kind == "binary":
            chain.append(first)
            first = first.parts[0]
        found = self.fold(first, frame, depth + 1)
        for one in reversed(chain):
            self.fuel -= 1
            if self.fuel < 0:
                return [UNKNOWN]
            right = self.fold(one.parts[1], frame, depth + 1)
            pairs = [(a, b) for a in self.paid(found) for b in right][:MAX_ALTERNATIVES]
            found = self.paid([binary(one.text, a, b) for a, b in pairs])
        return found

    def _joined(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        found = [Item("")]
        for part in node.parts:
            if part.kind == "text":
                found = [one._replace(value=text_of(one) + part.text) for one in found]
                continue
            values = self.fold(part, frame, depth + 1)
            found = [cut(text_of(one) + text_of(value), one, value) for one in found for value in values]
            found = self.paid(found[:MAX_ALTERNATIVES])
        return found

    def _variable(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        name = plain_variable(node.text)
        if name in self.given[-1]:
            return [self.given[-1][name]]
        if name in self.script.assigned and not (name.startswith("env:") and name in _GIVEN):
            found = self._assigned(name, node.start, frame, depth)
            if found:
                return found
        if name in ("myinvocation", "pscommandpath"):
            return [Item(f"{OWN}/{self._own_name}" if name == "pscommandpath" else Made("myinvocation"))]
        if name in _GIVEN:
            return [Item(_GIVEN[name])]
        return [UNKNOWN]

    def _assigned(self, name: str, at: int, frame: Frame, depth: int) -> list[Item]:
        reaching = self._reaching(self.script.assigned[name], at, frame)
        if not reaching:
            return []
        key = (name, reaching[0].at, reaching[-1].at)
        known = self._known.get(key)
        if known is not None:
            return known
        busy = (name, reaching[-1].at)
        if busy in self._busy:
            return [UNKNOWN]
        self._busy.add(busy)
        found = self._gathered(reaching, depth)
        self._busy.discard(busy)
        if len(self.given) == 1:
            self._known[key] = found
        return found

    def _reaching(self, places: list[Assigned], at: int, frame: Frame) -> list[Assigned]:
        """Return the assignments that a use may see, in the order of the text."""
        self.fuel -= len(places) // 8
        around: set[int] = set()
        number = frame.block
        while number >= 0:
            around.add(number)
            number = self.script.parents[number]
        found: list[Assigned] = []
        for place in places:
            own = place.function == frame.function
            if own and place.at > at:
                continue
            if own and place.how == "=" and place.frame.block in around:
                found = []
            if place.how == "piped":
                if place.frame.block not in around:
                    continue
                found = []
            found.append(place)
        own_places = [place for place in found if place.function == frame.function]
        return (own_places or found)[-64:]

    def _gathered(self, reaching: list[Assigned], depth: int) -> list[Item]:
        found: list[Item] = []
        for place in reaching:
            if place.node is None:
                found.append(UNKNOWN)
                continue
            values = self.fold(place.node, place.frame, depth + 1)
            if place.how == "+=" and found:
                found = self.paid([binary("+", old, new) for old in found for new in values][:MAX_ALTERNATIVES])
                continue
            if place.how == "reverse":
                found = [self._reversed(one) for one in found]
                continue
            if place.how in ("each", "piped"):
                values = [
                    one for value in values for one in (items_of(value) or (Item(HOLE, value.flags, value.host),))
                ]
            if place.how == "default":
                values = [*values, UNKNOWN]
            found += [value for value in values if not (value.value is None or value.value == "")] or values
        known = [one for one in found if one.value != "" and one.value is not None] or found
        # What is known comes first: it is what there is to say.
        unique = sorted(dict.fromkeys(known), key=lambda item: item.value == HOLE)
        flags = RESOLVED | (UNSURE if len(unique) > 1 else 0)
        marked = [item.marked(flags) for item in unique if item.flags & (FETCHED | ENVIRONMENT)]
        marked += [item.marked(flags) for item in unique if not item.flags & (FETCHED | ENVIRONMENT)]
        if len(marked) <= MAX_ALTERNATIVES:
            return marked
        return [*most_telling(marked, MAX_ALTERNATIVES - 1, text_of)[: MAX_ALTERNATIVES - 1], UNKNOWN]

    def _reversed(self, item: Item) -> Item:
        value = item.value
        return item._replace(value=Many(value.items[::-1])) if isinstance(value, Many) else item

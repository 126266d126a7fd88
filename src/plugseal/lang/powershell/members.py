"""What members, calls and commands give, as far as it is plain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fnmatch import fnmatchcase
from itertools import islice, product
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.methods import decoded_bytes, encoded_bytes, read_stream, static_method, text_method
from plugseal.lang.powershell.tables import cmdlets, type_name, types
from plugseal.lang.powershell.values import (
    CLIPBOARD,
    ENVIRONMENT,
    FETCHED,
    MADE,
    MAX_ALTERNATIVES,
    MAX_LIST,
    UNKNOWN,
    Block,
    Item,
    Made,
    Many,
    Method,
    Table,
    TypeName,
    cut,
    flags_of,
    host_of,
    items_of,
    text_of,
)

if TYPE_CHECKING:
    from plugseal.lang.powershell.collect import Frame, Script
    from plugseal.lang.powershell.tree import Node

_SAME: Final = frozenset(
    "out-string write-output select-object where-object sort-object tee-object out-host get-unique".split()
)
_ITSELF: Final = frozenset((("io.memorystream", "toarray"), ("scriptblock", "getscriptblock")))
MAX_PATTERN: Final = 64
_CHARACTERS_PER_FUEL: Final = 32
_ELEMENTS_PER_FUEL: Final = 8
"""A text or a list that something is made of, or that is made, costs by its length."""
_PROFILES: Final = frozenset("currentusercurrenthost currentuserallhosts alluserscurrenthost allusersallhosts".split())
_FETCHING: Final = frozenset(("invoke-webrequest", "invoke-restmethod"))


class Members(ABC):
    """The part of a folder that follows members and commands; `Folder` has the rest."""

    script: Script
    given: list[dict[str, Item]]
    fuel: int

    @abstractmethod
    def fold(self, node: Node, frame: Frame, depth: int = 0) -> list[Item]:
        """Return the values that an expression may have; `Folder` gives the meaning."""

    def paid(self, items: list[Item]) -> list[Item]:
        """Return values, and count what making them, or something of them, takes."""
        for item in items:
            if isinstance(item.value, str):
                self.fuel -= len(item.value) // _CHARACTERS_PER_FUEL
            elif isinstance(item.value, Many):
                self.fuel -= len(item.value.items) // _ELEMENTS_PER_FUEL
        return items

    def name_of(self, node: Node, frame: Frame) -> str:
        """Return the name of a command in small letters, with its alias resolved; empty where it is not known."""
        if not node.parts:
            return ""
        text = text_of(self.fold(node.parts[0], frame)[0])
        return self.canonical(text)

    aliases: dict[str, str]
    """The script's own aliases."""

    def canonical(self, text: str) -> str:
        """Return the name that a command has behind its aliases."""
        name = text.lower()
        known = cmdlets()
        for _ in range(4):
            if name in self.script.functions:
                return name
            following = self.aliases.get(name) or known.aliases.get(name)
            if following is None or following == name:
                break
            name = following
        short = name.rpartition("\\")[2]
        if "\\" in name and short in known.names:
            return short  # `Microsoft.PowerShell.Utility\\Invoke-Expression`
        return name if HOLE not in name else ""

    def member(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        """Return what a member or a call of one gives."""
        is_call = node.kind in ("call", "staticcall")
        targets = self.fold(node.parts[0], frame, depth)
        name = text_of(self.fold(node.parts[1], frame, depth)[0]).lower()
        given = self.paid([self.fold(part, frame, depth)[0] for part in node.parts[2:34]])
        found = []
        for target in self.paid(targets):
            one = self._called(target, name, given, frame, depth) if is_call else self._property(target, name)
            found.append(one if one is not None else self.typed(target, name, given))
        return found

    def _called(self, target: Item, name: str, given: list[Item], frame: Frame, depth: int) -> Item | None:
        value = target.value
        if name == "gettype" and given and not isinstance(value, TypeName):
            return _type_of(given)
        if isinstance(value, TypeName):
            return self._constructed(value.type, name, given)
        if isinstance(value, Method) and name in ("invoke", "invokereturnasis"):
            return self._called(value.target, value.name, given, frame, depth) or self.typed(
                value.target, value.name, given
            )
        if isinstance(value, Block) and name in ("invoke", "invokereturnasis") and value.node.parts:
            return self.fold(value.node.parts[-1], frame, depth + 1)[0]
        if isinstance(value, Made):
            if value.type == "text.encoding" and name == "getstring" and given:
                return decoded_bytes(target, given[0])
            if value.type == "text.encoding" and name == "getbytes" and given:
                return encoded_bytes(target, given[0])
            if value.type == "io.streamreader" and name == "readtoend":
                return target if target.flags & FETCHED else read_stream(target)
            if (value.type, name) in _ITSELF:
                return target
        if name in ("getawaiter", "getresult", "getresponsestream", "readasstringasync", "readtoend", "tostring"):
            return target if target.flags & FETCHED else text_method(target, name, given)
        return text_method(target, name, given)

    def _constructed(self, kind: str, name: str, given: list[Item]) -> Item | None:
        if kind == "type" and name == "gettype":
            return _type_of(given)
        if kind == "type" and name == "gettypefromprogid" and given and HOLE not in text_of(given[0]):
            return Item(TypeName("com:" + text_of(given[0]).lower()), flags_of(*given))
        if kind == "activator" and name == "createinstance" and given and isinstance(given[0].value, TypeName):
            return Item(Made(given[0].value.type, tuple(given[1:])), flags_of(*given))
        if name in ("getmethod", "getproperty", "getfield") and given:
            return Item(Method(Item(TypeName(kind)), text_of(given[0]).lower()))
        found = static_method(kind, name, given)
        if found is not None:
            return found
        return Item(Made(kind, tuple(given)), flags_of(*given), host_of(*given)) if name == "new" else None

    def _property(self, target: Item, name: str) -> Item | None:
        value = target.value
        if isinstance(value, TypeName):
            return self._static_property(value.type, name)
        if isinstance(value, Table):
            return value.get(name)
        if name in _PROFILES:
            return target
        if name == "length" and isinstance(value, str) and HOLE not in value:
            return Item(len(value))
        if name in ("length", "count") and isinstance(value, Many):
            return Item(len(value.items))
        if isinstance(value, Made) and value.type == "executioncontext":
            return Item(Made("management.automation.commandinvocationintrinsics"))
        if isinstance(value, Made) and name in ("result", "baseobject", "psobject"):
            return target
        if target.flags & (FETCHED | ENVIRONMENT | CLIPBOARD):
            return target
        if isinstance(value, (Made, str)) and (
            (self._type(target), name) in types().members or name in types().alone or name == "replace"
        ):
            return Item(Method(target, name), target.flags, target.host)
        return UNKNOWN

    def _static_property(self, kind: str, name: str) -> Item:
        if kind == "text.encoding":
            return Item(Made("text.encoding", (Item(name),)))
        if kind == "io.path" and name in ("directoryseparatorchar", "pathseparator"):
            return Item("/" if name.startswith("dir") else ";")
        if kind == "environment" and name == "newline":
            return Item("\n")
        if kind == "string" and name == "empty":
            return Item("")
        if (kind, name) == ("appdomain", "currentdomain"):
            return Item(Made("appdomain"))
        if kind.startswith("win32.registry") and name in ("currentuser", "localmachine", "users", "classesroot"):
            short = {"currentuser": "HKCU:", "localmachine": "HKLM:", "users": "HKU:", "classesroot": "HKCR:"}
            return Item(Made("win32.registrykey", (Item(short[name]),)))
        return Item(Method(Item(TypeName(kind)), name))

    def _type(self, target: Item) -> str:
        value = target.value
        return value.type if isinstance(value, (Made, TypeName)) else ""

    def typed(self, target: Item, name: str, given: list[Item]) -> Item:
        """Return what the tables say that a member gives."""
        member = types().members.get((self._type(target), name)) or types().alone.get(name)
        flags = target.flags & (FETCHED | ENVIRONMENT)
        if member is None or not member.returns:
            return Item(HOLE, flags, target.host)
        if member.returns == "fetched":
            host = text_of(given[0]) if given else target.host or _first_text(target)
            return Item(HOLE, flags | FETCHED, host or target.host)
        return Item(Made(member.returns, tuple(given)), flags_of(*given), host_of(*given))

    def pipeline(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        """Return what the last part of a pipeline gives."""
        found = self.fold(node.parts[0], frame, depth) if node.parts else [UNKNOWN]
        for part in node.parts[1:]:
            found = [self._piped(part, found[0], frame, depth)]
        return found

    def _piped(self, node: Node, given: Item, frame: Frame, depth: int) -> Item:
        name = self.name_of(node, frame) if node.kind == "command" else ""
        if name == "foreach-object":
            return self._each(node, given, frame, depth)
        if name in _SAME:
            return given
        if name in ("convertfrom-json", "join-string", "select-string") or given.flags & FETCHED:
            return Item(HOLE, given.flags, given.host)
        return self.fold(node, frame, depth)[0] if node.kind == "command" else UNKNOWN

    def _each(self, node: Node, given: Item, frame: Frame, depth: int) -> Item:
        """Follow `… | % { … }`."""
        block = next((part for part in node.parts[1:] if part.kind == "block"), None)
        items = items_of(given)
        if block is None or items is None or len(block.parts) != 1 or len(items) > MAX_LIST:
            return Item(HOLE, given.flags, given.host)
        found = []
        for item in items:
            self.given.append({**self.given[-1], "_": item, "psitem": item})
            found.append(self.fold(block.parts[0], frame, depth + 1)[0])
            self.given.pop()
        return Item(Many(tuple(found)), flags_of(given, *found), host_of(given, *found))

    def command(self, node: Node, frame: Frame, depth: int) -> list[Item]:
        """Return what a command gives."""
        if node.text == "value":
            return self.fold(node.parts[0], frame, depth)
        name = self.name_of(node, frame)
        words = [part for part in node.parts[1:] if part.kind not in ("option", "redirect")]
        given = [self.fold(word, frame, depth)[0] for word in words[:16]]
        if name == "new-object" and given:
            return [self._new_object(node, given)]
        if name in _FETCHING or name in ("curl", "wget", "curl.exe", "wget.exe"):
            return [Item(HOLE, FETCHED, next((text_of(one) for one in given if "://" in text_of(one)), None))]
        if name == "join-path" and given:
            ways = islice(product(*(self.fold(word, frame, depth) for word in words[:16])), MAX_ALTERNATIVES)
            return [cut("/".join(text_of(one).rstrip("/\\") for one in way), *way) for way in ways]
        if name in ("write-output", "resolve-path", "convert-path", "get-item") and given:
            return [given[0]]
        if name == "get-clipboard":
            return [Item(HOLE, CLIPBOARD)]
        if name in ("get-childitem", "get-item") and given and text_of(given[0]).lower().startswith("env:"):
            return [Item(HOLE, ENVIRONMENT)]
        if name in ("get-variable", "gv") and given:
            return [UNKNOWN]
        if name in ("get-command", "get-alias") and given:
            return [self._command_named(given[0])]
        if name in self.script.functions:
            return self._function(self.script.functions[name], given, frame, depth)
        return [UNKNOWN]

    def _command_named(self, given: Item) -> Item:
        """Return the name of a command that a pattern stands for, where it stands for one cmdlet alone."""
        pattern = text_of(given).lower()
        if HOLE in pattern or len(pattern) > MAX_PATTERN or pattern.count("*") > 4:
            return UNKNOWN
        if not any(mark in pattern for mark in "*?["):
            return given
        found = [name for name in cmdlets().names if fnmatchcase(name, pattern)]
        return Item(found[0], given.flags | MADE) if len(found) == 1 else UNKNOWN

    def _new_object(self, node: Node, given: list[Item]) -> Item:
        texts = [part.text for part in node.parts if part.kind == "option"]
        name = text_of(given[0])
        if any("comobject".startswith(text) for text in texts if text):
            return Item(Made("com:" + name.lower()))
        if HOLE in name:
            return UNKNOWN
        inner = given[1:]
        if len(inner) == 1 and isinstance(inner[0].value, Many):
            inner = list(inner[0].value.items)
        return Item(Made(type_name(name), tuple(inner)), flags_of(*inner), host_of(*inner))

    def _function(self, function: Node, given: list[Item], frame: Frame, depth: int) -> list[Item]:
        """Return what a function of the script gives for some arguments."""
        body = next((part for part in function.parts if part.kind == "block"), None)
        if body is None or not body.parts or len(self.given) > 6:
            return [UNKNOWN]
        names = [
            inner.text
            for part in (*function.parts, *body.parts[:2])
            if part.kind == "flow" and part.text == "param"
            for inner in part.parts
        ]
        bound = dict(zip(names, given))  # noqa: B905  # fewer may be given than there are
        bound["args"] = Item(Many(tuple(given)))
        self.given.append(bound)
        found = self.fold(body.parts[-1], frame._replace(function=function.text), depth + 2)
        self.given.pop()
        return found


def _type_of(given: list[Item]) -> Item:
    """Return the type that a text names."""
    text = text_of(given[0]) if given else HOLE
    return UNKNOWN if HOLE in text or not text else Item(TypeName(type_name(text)), flags_of(*given))


def _first_text(target: Item) -> str | None:
    value = target.value
    return text_of(value.given[0]) if isinstance(value, Made) and value.given else None

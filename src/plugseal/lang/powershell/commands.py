"""What a command does: one of the script's functions, a cmdlet by its parameters, or a program by its words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.given import Given
from plugseal.lang.powershell.launches import Launches
from plugseal.lang.powershell.tables import cmdlets, takes_no_value, type_name
from plugseal.lang.powershell.values import (
    FETCHED,
    MADE,
    UNKNOWN,
    Block,
    Item,
    Made,
    Many,
    Table,
    is_sensitive,
    items_of,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.powershell.acts import Acts
    from plugseal.lang.powershell.codes import Codes
    from plugseal.lang.powershell.collect import Use
    from plugseal.lang.powershell.handed import Handed
    from plugseal.lang.powershell.member_calls import MemberCalls
    from plugseal.lang.powershell.subject import Subject
    from plugseal.lang.powershell.tables import Act
    from plugseal.lang.powershell.tree import Node

_SERVICE: Final = frozenset("create start stop config delete query sdset failure description qc".split())


_MAX_WORDS: Final = 2_000


class Commands:
    """The commands of one script."""

    def __init__(self, subject: Subject, codes: Codes, handed: Handed, acts: Acts, members: MemberCalls) -> None:
        self._subject = subject
        self._codes = codes
        self._handed = handed
        self._acts = acts
        self._members = members
        self._launches = Launches(subject, codes, handed)

    def judge(self, use: Use) -> None:
        """Judge one command."""
        node, frame = use.node, use.frame
        self._judge_redirects(use)
        self._handed.judge_redirects(use)
        if node.text == "value" or not node.parts:
            return
        names = self._subject.folder.fold(node.parts[0], frame)
        for first in names:
            self._judge_named(first, use)

    def _judge_named(self, first: Item, use: Use) -> None:
        subject, function, span = self._subject, use.frame.function, self._subject.span(use)
        if isinstance(first.value, Block):
            return
        if isinstance(first.value, Made):
            self._codes.run(first, use)
            return
        text = text_of(first)
        if not text.strip(HOLE):
            capabilities = ("code.dynamic",) if use.node.parts[0].kind == "member" else ("code.dynamic", "process.exec")
            if use.node.text:
                for capability in capabilities:
                    subject.report.add(span, capability, None, "possible", function)
            return
        if text.lower() == "using" and self._is_using(use):
            return
        name = subject.folder.canonical(text)
        if name in self._subject.script.functions:
            subject.calls.setdefault(function, set()).add(name)
            return
        known = cmdlets()
        given = self.given(use, known.names.get(name, ""))
        name = self._rather_program(name, text, given)
        raw = subject.source.text[use.node.parts[0].start : use.node.parts[0].end]
        if self._is_hidden(first, text, raw, name):
            subject.report.add(span, "code.obfuscated", text, "resolved", function)
            subject.report.event("command", "hidden name", span, [text], "resolved", function)
        how = subject.resolution(first)
        if name not in known.names:
            self._launches.judge(text, given, use, how)
            return
        words = [word for word in given.words if isinstance(word, str)]
        subject.report.event("command", name, span, words, how, function)
        for act in known.acts[name]:
            self._judge_act(act, given, use, how)
        self._judge_special(name, given, use)
        self._handed.judge_written(name, given, use)

    def _is_using(self, use: Use) -> bool:
        """Judge what `using` loads, and say whether a command is one."""
        words = [text_of(self._subject.folder.one(part, use.frame)) for part in use.node.parts[1:3]]
        if len(words) < 2 or words[0].lower() not in ("namespace", "module", "assembly"):
            return False
        capability = {"module": "code.import", "assembly": "code.native"}.get(words[0].lower())
        if capability:
            self._subject.report.add(self._subject.span(use), capability, words[1][:256], "direct", use.frame.function)
        return True

    def _is_hidden(self, first: Item, text: str, raw: str, name: str) -> bool:
        """Say whether a name was written so that nobody finds it."""
        if "`" in raw and name in cmdlets().names:
            return True
        if not re.fullmatch(r"[\w.-]+", text):
            return False
        bare = raw.strip("'\"")
        cut = re.search(r"\w['\"]{1,2}\w|\w['\"]{2}", raw.strip("'\"")) is not None
        return (bool(first.flags & MADE) and name in cmdlets().names) or (cut and bare != text)

    def _rather_program(self, name: str, text: str, given: Given) -> str:
        """Return what a name means that is an alias to some versions, and a program to others."""
        lower = text.lower()
        if lower in ("curl", "wget"):
            options = [word for word in given.words if word.startswith("-")]
            known = ("-uri", "-outf", "-useb", "-meth", "-head", "-body", "-cont", "-user", "-infi", "-time")
            if options and not any(word.lower().startswith(known) for word in options):
                return lower
        if lower == "sc" and given.positional and text_of(given.positional[0]).lower() in _SERVICE:
            return lower
        if lower in ("set", "sort", "start") and given.words[:1] and given.words[0].startswith("/"):
            return lower
        return name

    def given(self, use: Use, cmdlet: str) -> Given:
        """Return the words of a command, by parameter and by place."""
        found = Given({}, [], [], {}, {})
        parts = use.node.parts[1:_MAX_WORDS]
        at = 0
        while at < len(parts):
            part = parts[at]
            at += 1
            if part.kind == "redirect":
                continue
            if part.kind == "option":
                raw = self._subject.source.text[part.start : part.end].partition(":")[0]
                value: Node | None = part.parts[0] if part.parts else None
                following = parts[at] if at < len(parts) else None
                if (
                    value is None
                    and cmdlet
                    and not takes_no_value(part.text, cmdlet)
                    and following is not None
                    and following.kind not in ("option", "redirect")
                ):
                    value = following
                    at += 1
                items = self._subject.folder.fold(value, use.frame) if value is not None else [Item(True)]
                item = found.named[part.text] = items[0]
                found.others[part.text] = items[1:]
                texts = self._texts(item) if value is not None else []
                # A program is given an option and its value as they are written, in one word.
                is_one = bool(part.parts) and not cmdlet and len(texts) == 1
                found.words.extend([f"{raw}:{texts[0]}"] if is_one else [raw, *texts])
                if value is not None:
                    found.nodes[part.text] = value
            elif part.kind == "splat":
                self._splat(part, found, use)
            else:
                items = self._subject.folder.fold(part, use.frame)
                found.others[str(len(found.positional))] = items[1:]
                found.nodes[str(len(found.positional))] = part
                found.positional.append(items[0])
                found.words.extend(self._texts(items[0]))
        return found

    def _splat(self, part: Node, found: Given, use: Use) -> None:
        item = self._subject.folder.one(part._replace(kind="variable"), use.frame)
        if isinstance(item.value, Table):
            for key, value in item.value.pairs:
                found.named[key] = value
                found.words.extend((f"-{key}", *self._texts(value)))
        elif isinstance(item.value, Many):
            found.positional.extend(item.value.items)
            found.words.extend(text_of(one) for one in item.value.items)
        else:
            found.words.append(HOLE)

    def _texts(self, item: Item) -> list[str]:
        items = items_of(item) if isinstance(item.value, Many) else None
        return [text_of(one) for one in items[:64]] if items is not None else [text_of(item)]

    def _judge_act(self, act: Act, given: Given, use: Use, how: str) -> None:
        if act.when and not self._holds(act, given):
            return
        if not act.kind:
            self._acts.add(act, (), use, how)
            return
        found = list(self._named(act, given))
        if not found and act.position == 0 and use.before and act.kind in ("path", "host"):
            fed = self._subject.folder.one(use.node._replace(kind="pipeline", parts=use.before), use.frame)
            found = [fed] if isinstance(fed.value, (str, Many)) and act.capability not in ("fs.write",) else []
        flat = [one for item in found for one in (items_of(item) if isinstance(item.value, Many) else None) or (item,)]
        self._acts.add(act, flat[:16], use, how)

    def _holds(self, act: Act, given: Given) -> bool:
        for name, item in given.named.items():
            if act.when.startswith(name) and (not act.value or act.value in text_of(item).lower()):
                return True
        return False

    def _named(self, act: Act, given: Given) -> Iterator[Item]:
        """Yield what an act is done to."""
        is_found = False
        for name, item in given.named.items():
            if any(parameter.startswith(name) for parameter in act.parameters):
                is_found = True
                yield item
                yield from given.others.get(name, ())
        if not is_found and 0 <= act.position < len(given.positional):
            # A parameter that is given by name frees no place of those that come after it.
            yield given.positional[act.position]
            yield from given.others.get(str(act.position), ())

    def _judge_redirects(self, use: Use) -> None:
        for part in use.node.parts:
            if part.kind == "redirect" and part.parts:
                item = self._subject.folder.one(part.parts[0], use.frame)
                text = text_of(item)
                if item.value is None or not text:
                    continue
                span = self._subject.span(use)
                capability = "fs.read" if part.text == "<" else "fs.write"
                how = self._subject.resolution(item)
                if text.strip(HOLE):
                    self._subject.report.add_path(span, capability, text, how, use.frame.function)
                else:
                    self._subject.report.add(span, capability, None, how, use.frame.function)

    def _judge_special(self, name: str, given: Given, use: Use) -> None:
        """Judge what the tables can't say of a cmdlet."""
        subject, span, function = self._subject, self._subject.span(use), use.frame.function
        if name == "invoke-expression":
            self._judge_expression(given, use)
        elif name == "start-process":
            self._launches.start_process(given, use)
        elif name == "new-object":
            self._judge_new(given, use)
        elif name in ("set-alias", "new-alias") and not given.positional and not given.named:
            return
        elif name == "invoke-command":
            for key, item in given.named.items():
                if "scriptblock".startswith(key) and not isinstance(item.value, Block):
                    self._codes.run(item, use)
        elif name in ("invoke-cimmethod", "invoke-wmimethod"):
            self._launches.start_by_method(given, use)
        elif name == "add-type":
            self._judge_add_type(given, use)
        elif name in ("set-itemproperty", "new-itemproperty"):
            self._judge_property(given, use)
        elif name == "invoke-item" and use.before:
            return
        elif name in ("invoke-webrequest", "invoke-restmethod"):
            for item in (*given.named.values(), *given.positional):
                if is_sensitive(item):
                    subject.report.event("command", "environment sent", span, [], "resolved", function)

    def _judge_property(self, given: Given, use: Use) -> None:
        """Judge a value of the registry: key and name together."""
        key = next((i for n, i in given.named.items() if "path".startswith(n) or n == "literalpath"), None)
        name = next((i for n, i in given.named.items() if "name".startswith(n)), None)
        key = key or (given.positional[0] if given.positional else None)
        if key is not None and name is not None and text_of(key).strip(HOLE) and text_of(name).strip(HOLE):
            self._subject.report.add_path(
                self._subject.span(use), "fs.write", f"{text_of(key)}\\{text_of(name)}", "direct", use.frame.function
            )

    def _judge_add_type(self, given: Given, use: Use) -> None:
        subject = self._subject
        options = [key for key in given.named if key]
        is_named = any("assemblyname".startswith(key) for key in options)
        if not is_named:
            path = next((i for n, i in given.named.items() if n and ("path".startswith(n) or n == "literalpath")), None)
            found = text_of(path) if path is not None else None
            subject.report.add(
                subject.span(use),
                "code.native",
                found if found and HOLE not in found else None,
                "direct",
                use.frame.function,
            )
        for item in given.named.values():
            if item.flags & FETCHED:
                subject.report.add(
                    subject.span(use), "code.fetched", subject.host(item), "resolved", use.frame.function
                )

    def _judge_expression(self, given: Given, use: Use) -> None:
        """Judge what is run as code: the words, or what the pipeline brings."""
        folder = self._subject.folder
        nodes = [node for name, node in given.nodes.items() if name == "0" or "command".startswith(name)]
        if not nodes and use.before:
            fed = use.node._replace(kind="pipeline", parts=use.before)
            nodes = [fed._replace(start=use.before[0].start, end=use.before[-1].end)]
        items = [(item, node) for node in nodes for item in folder.fold(node, use.frame)]
        if not items:  # What a table or a list hands over has no place of its own.
            said = [item for name, item in given.named.items() if "command".startswith(name)] or given.positional[:1]
            items = [(item, use.node) for item in said]
        for item, node in items or [(UNKNOWN, use.node)]:
            self._codes.run(item, use, node=node)

    def _judge_new(self, given: Given, use: Use) -> None:
        subject, span, function = self._subject, self._subject.span(use), use.frame.function
        com = next((i for n, i in given.named.items() if n and "comobject".startswith(n)), None)
        if com is not None:
            text = text_of(com)
            subject.report.add(span, "code.native", None if HOLE in text else f"COM {text}", "possible", function)
            self._members.judge(Item(Made("com:" + text.lower())), "new", [], use)
            return
        kind = next((i for n, i in given.named.items() if n and "typename".startswith(n)), None)
        kind = kind or (given.positional[0] if given.positional else None)
        if kind is None:
            return
        if HOLE in text_of(kind):
            subject.report.add(span, "code.reflective", None, "possible", function)
            return
        made = next((i for n, i in given.named.items() if n and "argumentlist".startswith(n)), None)
        inner = list(items_of(made) or ()) if made is not None else given.positional[1:]
        if len(inner) == 1 and isinstance(inner[0].value, Many):
            inner = list(inner[0].value.items)
        self._members.judge(Item(Made(type_name(text_of(kind)), tuple(inner))), "new", inner, use)

"""Say what one script does: every call by the name that it resolves to, and the table of its language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Nested
from plugseal.lang.folded import HOLE
from plugseal.lang.judging.objects import cut_object, share_of
from plugseal.lang.programs.told import tell
from plugseal.lang.programs.words import SMALL_READERS
from plugseal.lang.scripts.gems import extensions_of, is_list_of_packages, said_of_packages
from plugseal.lang.scripts.loading import add_loaded, judge_include
from plugseal.lang.scripts.php import HANDED, INPUT, is_from_outside
from plugseal.lang.scripts.tables import calls_of
from plugseal.lang.scripts.values import STRINGS, Value, Values
from plugseal.lang.scripts.variables import is_whole, judge_item
from plugseal.lang.shell.judging.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.facts import Anchor
    from plugseal.lang.powershell.tables import Act
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.shell.parsing.source import Source
    from plugseal.model.location import Span

_SHELLS: Final = frozenset(("subshell", "command_string", "shell_command_expression"))
_CALLS: Final = frozenset(
    "call method_call_expression member_call_expression scoped_call_expression function_call_expression "
    "ambiguous_function_call_expression function_call func1op_call_expression object_creation_expression".split()
)
_INCLUDES: Final = frozenset(
    "include_expression include_once_expression require_expression require_once_expression".split()
)
_SUBSCRIPTS: Final = frozenset(("element_reference", "hash_element_expression", "subscript_expression"))
_SENSITIVE: Final = frozenset("os io package debug _G _ENV".split())
"""Tables of Lua whose functions do something outside: of a name that can't be told it is said that it is one."""
_PEERS: Final = ("PeerAddr", "PeerHost")
"""How Perl's sockets are told whom they call."""
_MAX_MODE: Final = 8
_MAX_NODES: Final = 400_000


class Engine:
    """The calls of one script."""

    def __init__(self, language: str, source: Source, path: str) -> None:
        self.language = language
        self.source = source
        self.report = Report(path)
        self.values = Values(language, source)
        self._packages = language == "Ruby" and is_list_of_packages(path)
        self.errors: list[int] = []
        self._uses: list[Node] = []
        self.is_cut = False

    def run(self, root: Node) -> None:
        """Gather assignments and uses, then judge every use."""
        waiting = [root]
        count = 0
        while waiting:
            node = waiting.pop()
            count += 1
            if count > _MAX_NODES:
                self.is_cut = True
                break
            self._enter(node)
            if node.child_count:
                waiting.extend(reversed(node.children))
        for node in self._uses:
            self._judge(node)

    def _enter(self, node: Node) -> None:
        kind = node.type
        if kind == "ERROR" or node.is_missing:
            self.errors.append(node.start_point[0] + 1)
        if kind in ("assignment", "assignment_expression"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                self.values.assign(left, right)
                if self._packages:
                    self._tell(node, extensions_of(left, right, self.values))
        elif kind == "assignment_statement" and node.named_child_count == 2:
            names, given = node.named_children
            for name, value in zip(names.named_children, given.named_children):  # noqa: B905  # Lua allows fewer
                self.values.assign(name, value)
        elif kind == "hash" and is_whole(node, self.source):
            self.report.add(self._span(node), "env.bulk", None, "direct", "")
        elif kind == "namespace_use_declaration":
            self.values.note_imports(node)
        elif kind in _CALLS or kind in _SHELLS or kind in _INCLUDES or kind in _SUBSCRIPTS or kind == "eval_expression":
            self._uses.append(node)

    def _judge(self, node: Node) -> None:
        kind = node.type
        if kind in _SHELLS:
            self._shell(self.values.value(node), node, node)
        elif kind in _INCLUDES:
            judge_include(node, self._span(node), self.values, self.report)
        elif kind == "eval_expression":
            inner = node.named_children[0] if node.named_child_count else None
            if inner is not None and inner.type == "filename":
                judge_include(node, self._span(node), self.values, self.report)
            if inner is not None and inner.type != "block":
                self._code(self.values.value(inner), node, inner)
        elif kind in _SUBSCRIPTS:
            self._subscript(node)
        else:
            self._call(node)

    def _span(self, node: Node) -> Span:
        return self.source.span(node)

    def _call(self, node: Node) -> None:
        name = self.values.callee(node)
        given = self.values.arguments(node)
        if not name:
            self._chosen(node)
            return
        if self._packages:
            self._tell(node, said_of_packages(node, name, given, self.values))
        last = name.rpartition(".")[2]
        if last == "?" and name.removesuffix(".?") in _SENSITIVE:
            self.report.add(self._span(node), "code.reflective", name.removesuffix(".?"), "possible", "")
            return
        if self.language == "Ruby" and last in ("send", "public_send", "__send__") and given:
            sent = self.values.value(given[0]).text
            if sent is None or HOLE in sent:
                if name.startswith(("send", "Kernel", "Object", "Process", "IO")):
                    self.report.add(self._span(node), "code.reflective", None, "possible", "")
                return
            head = name.rpartition(".")[0]
            name = sent if head in ("", "Kernel", "Object", "self") else f"{head}.{sent}"
            given = given[1:]
        name = name.removesuffix(".call") if self.language == "Ruby" and name.removesuffix(".call") else name
        if self.language == "PHP":
            name = name.removesuffix(".invoke").removesuffix(".invokeArgs").removesuffix(".__invoke")
        acts = self._acts(name)
        if acts is None and self.language == "Ruby" and last in ("open", "read") and self._fetches(node):
            return
        if acts is None and self.language == "PHP":
            name, given, acts = self._handed(name, given, node)
        elif self.language == "Lua" and name in ("pcall", "xpcall") and given:
            # The first of them is called with what stands behind it, `xpcall` has a function for errors between.
            acts, given = self._acts(self.values.value(given[0]).name), given[1 if name == "pcall" else 2 :]
        if acts is None:
            return
        if self.language == "Perl" and name.startswith("IO.Socket."):
            self._socket(given, node)
        else:
            for act in acts:
                self._act(act, given, node)
        words = [HOLE if (text := self.values.value(one).text) is None else text for one in given]
        self.report.event("command", name, self._span(node), words, "direct", "")

    def _fetches(self, node: Node) -> bool:
        """Judge `URI(address).open`, and tell whether it is one."""
        receiver = node.child_by_field_name("receiver")
        text = self.values.value(receiver).text if receiver is not None else None
        if text is None or "://" not in text:
            return False
        self.report.add_host(self._span(node), "net.outbound", text, "direct", "")
        return True

    def _acts(self, name: str) -> tuple[Act, ...] | None:
        """Return what the tables know of a name, of a member of any object, or of every member of a class."""
        known = calls_of(self.language)
        head, dot, last = name.rpartition(".")
        found = known.get(name)
        if found is None and dot:
            # What a class's own functions give is taken for its own kind: `HTTP.auth(x).get(url)`.
            made = head.partition("().")[0].removesuffix("()").rpartition(".")[0]
            found = known.get(f"*.{last}") or (known.get(f"{made}.{last}") if head.endswith("()") else None)
        return known.get(name.lower()) if found is None and self.language == "PHP" else found

    def _handed(self, name: str, given: list[Node], node: Node) -> tuple[str, list[Node], tuple[Act, ...] | None]:
        """Return the function that another one of PHP is handed by name, what it is given, and what it does."""
        at = HANDED.get(name.lower())
        if at is None or at >= len(given):
            return name, given, None
        inner = self.values.value(given[at]).text
        if inner is None or HOLE in inner:
            if name.startswith("call_user_func") or is_from_outside(given[at], self.source, self.values):
                self.report.add(self._span(node), "code.reflective", None, "possible", "")
            return name, given, None
        return inner, [*given[:at], *given[at + 1 :]], self._acts(inner)

    def _chosen(self, node: Node) -> None:
        """Judge a call of PHP whose function comes from whoever calls the page."""
        function = node.child_by_field_name("function")
        if function is None or self.language != "PHP":
            return
        if function.type in ("variable_name", "subscript_expression") and is_from_outside(
            function, self.source, self.values
        ):
            self.report.add(self._span(node), "code.reflective", None, "possible", "")
            self.report.add(self._span(node), "net.listen", None, "possible", "")

    def _socket(self, given: list[Node], node: Node) -> None:
        """Judge one of Perl's sockets, which is told by name whom it calls, or that it waits to be called."""
        named = {self.source.of(one): more for one, more in zip(given[::2], given[1::2])}  # noqa: B905  # one may be left
        peer = next((named[name] for name in _PEERS if name in named), given[0] if len(given) == 1 else None)
        if "Listen" in named:
            self.report.add(self._span(node), "net.listen", None, "direct", "")
        else:
            value = self.values.value(peer) if peer is not None else Value()
            text = value.text if value.text and value.text.strip(HOLE) else None
            how = "resolved" if value.is_followed else "direct"
            self.report.add_host(self._span(node), "net.outbound", text, how, "")

    def _tell(self, node: Node, said: Iterator[tuple[str, str | None]]) -> None:
        for capability, thing in said:
            self.report.add(self._span(node), capability, thing, "direct", "")

    def _act(self, act: Act, given: list[Node], node: Node) -> None:
        argument = given[act.position] if 0 <= act.position < len(given) else None
        value = self.values.value(argument) if argument is not None else Value()
        how = "possible" if not act.is_sure else "resolved" if value.is_followed else "direct"
        span, report, text = self._span(node), self.report, value.text
        if act.literal is not None:
            report.add(span, act.capability, act.literal, how, "")
        elif act.kind == "code":
            if argument is not None and not argument.type.endswith(("block", "function")):
                self._code(value, node, argument)
        elif act.kind == "line":
            self._shell(value, node, argument)
        elif act.kind == "command" and argument is not None:
            self._command(given[act.position :], node)
        elif act.kind == "pipe":
            self._pipe(given, node)
        elif act.kind == "opened":
            self._opened(value, given[act.position + 1 :], node)
        elif act.kind == "module":
            if text is None or HOLE in text:
                report.add(span, act.capability, None, "possible", "")
            else:
                add_loaded(text, span, report)
        elif act.kind == "pattern":
            if text is not None and "e" in text.rpartition(text[:1])[2]:
                report.add(span, act.capability, None, how, "")
        elif act.kind == "file" and text is not None and "://" in text:
            report.add_host(span, "net.outbound", text, how, "")
        elif act.kind in ("path", "file") and text is not None and text.strip(HOLE):
            self._path(span, act.capability, text, how)
        elif act.kind == "host":
            report.add_host(span, act.capability, text if text and text.strip(HOLE) else None, how, "")
        elif act.kind == "need":
            return
        elif not act.is_needed:
            if act.capability == "env.write" and text is not None:
                text = text.partition("=")[0]
            if act.capability == "env.read" and not given and self.language == "PHP":
                act = act._replace(capability="env.bulk")
            found = cut_object("text", text) if text is not None and act.kind not in ("", "file") else None
            report.add(span, act.capability, found, how, "")

    def _path(self, span: Span, capability: str, text: str, how: str) -> None:
        """Add what is done to a path, and the machine that shares it where the system is Windows."""
        self.report.add_path(span, capability, text, how, "")
        if (share := share_of(text)) is not None:
            self.report.add_host(span, "net.outbound", share, "possible", "")

    def _opened(self, value: Value, given: list[Node], node: Node) -> None:
        """Judge a file that is opened to be read or to be written, as the word behind it says."""
        text, span = value.text, self._span(node)
        mode = (self.values.value(given[0]).text if given else "") or ""
        capability = "fs.write" if any(mark in mode for mark in "wax+c") and len(mode) < _MAX_MODE else "fs.read"
        if text is not None and "://" in text:
            self.report.add_host(span, "net.outbound", text, "direct", "")
        elif text is not None and text.strip(HOLE):
            self._path(span, capability, text, "resolved" if value.is_followed else "direct")
        else:
            self.report.add(span, capability, None, "direct", "")

    def _pipe(self, given: list[Node], node: Node) -> None:
        """Judge `open`, which may start a program."""
        texts = [self.values.value(one).text for one in given]
        line = texts[0] if self.language == "Ruby" and texts else texts[1] if len(texts) > 1 else None
        if line is None:
            if self.language == "Ruby" and given:
                self.report.add(self._span(node), "fs.read", None, "possible", "")
            return
        if self.language == "Perl" and line.strip() in ("|-", "-|"):
            self._command(given[2:], node)
        elif line.strip().startswith("|") or (self.language == "Perl" and line.strip().endswith("|")):
            self._shell(Value(line.strip().strip("|").strip()), node, None)
        elif "://" in line:
            self.report.add_host(self._span(node), "net.outbound", line, "direct", "")
        else:
            path, mode = (line, texts[1] or "") if self.language == "Ruby" and len(texts) > 1 else (line, "")
            if self.language == "Perl":
                mode, path = (line, texts[2] or HOLE) if len(texts) > 2 else (line[:2], line.lstrip("+<> "))
            capability = "fs.write" if any(mark in mode for mark in "wa>") else "fs.read"
            if path.strip(HOLE):
                self._path(self._span(node), capability, path, "direct")

    def _command(self, given: list[Node], node: Node) -> None:
        """Judge a program that is given as a line or as words."""
        given = [one for one in given if one.type not in ("pair", "hash", "block")]
        if not given:
            return
        if len(given) == 1 and given[0].type not in (
            "array",
            "anonymous_array_expression",
            "array_creation_expression",
        ):
            self._shell(self.values.value(given[0]), node, given[0])
            return
        if given[0].type in ("array", "anonymous_array_expression"):
            given = [*given[0].named_children]
        words = [HOLE if (text := self.values.value(one).text) is None else text for one in given]
        self._start(words, node)

    def _start(self, words: list[str], node: Node) -> None:
        span, report = self._span(node), self.report
        found, acts, codes = tell(tuple(words))
        for one, its_acts in zip(found, acts, strict=True):
            report.add_program(span, one.words[0], "direct", "")
            if one.name:
                report.event("command", one.name, span, list(one.words[1:]), "direct", "")
            for act in its_acts:
                if act.kind == "path" and act.named:
                    report.add_path(span, act.capability, act.named, "direct" if act.is_sure else "possible", "")
                elif act.kind == "host":
                    report.add_host(span, act.capability, act.named, "direct" if act.is_sure else "possible", "")
                else:
                    named = act.named if act.named and HOLE not in act.named else None
                    report.add(span, act.capability, named, "direct" if act.is_sure else "possible", "")
        for code in codes:
            if code.language not in SMALL_READERS:
                if code.language == "shell":
                    report.add(span, "process.shell", None, "direct", "")
                self._nest(code.language, code.text, node, None, code.program)

    def _shell(self, value: Value, node: Node, argument: Node | None) -> None:
        """Judge a line that a shell is given."""
        line = value.text
        how = "resolved" if value.is_followed else "direct"
        first = line.split()[0] if line and line.split() else ""
        named = first if first and HOLE not in first and "=" not in first else None
        self.report.add(self._span(node), "process.shell", cut_object("text", named), how, "")
        self._tainted(argument, node)
        if line is not None:
            self._nest("shell", line, node, argument, "shell line")

    def _code(self, value: Value, node: Node, argument: Node | None) -> None:
        """Judge a text that the language itself runs."""
        span = self._span(node)
        self.report.add(span, "code.dynamic", None, "direct", "")
        if value.name == "decoded()" or value.name.endswith(("gzinflate()", "gzuncompress()", "str_rot13()")):
            self.report.add(span, "code.obfuscated", None, "resolved", "")
        if any(
            mark in value.name for mark in ("file_get_contents()", "Net.HTTP.get", "URI.open", ".get()", "curl_exec()")
        ):
            self.report.add(span, "code.fetched", None, "resolved", "")
        self._tainted(argument, node)
        if value.text is not None:
            text = value.text if self.language != "PHP" else f"<?php {value.text}"
            self._nest(self.language, text, node, argument if self.language != "PHP" else None, "eval")

    def _tainted(self, argument: Node | None, node: Node) -> None:
        """Say that what runs comes from whoever calls the page."""
        if argument is not None and self.language == "PHP" and any(one in self.source.of(argument) for one in INPUT):
            self.report.add(self._span(node), "net.listen", None, "possible", "")

    def _nest(self, language: str, text: str, node: Node, argument: Node | None, how: str) -> None:
        if not text.replace(HOLE, "").strip():
            return
        anchors: tuple[Anchor, ...] = ()
        if argument is not None and HOLE not in text and argument.type in STRINGS:
            at = self.source.of(argument).find(text)
            if at >= 0:
                start = argument.start_byte + len(self.source.of(argument)[:at].encode("utf-8"))
                anchors = self.source.anchors(start, text)
        plain = text.replace(HOLE, "${_}" if language == "shell" else "_")
        self.report.add_nested(Nested(language, plain, self._span(node), anchors, "start", how), "")

    def _subscript(self, node: Node) -> None:
        if node.named_child_count < 2:
            return
        if self.language == "Ruby" and self.source.of(node.named_children[0]) == "Dir":
            self._opened(self.values.value(node.named_children[1]), [], node)
            return
        judge_item(node, self.language, self.source, self.values, self.report)

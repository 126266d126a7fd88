"""Say what one script does: every call by the name that it resolves to, and the table of its language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.connection_texts import host_of_connection
from plugseal.lang.facts import Nested
from plugseal.lang.folded import HOLE
from plugseal.lang.judging.objects import cut_object, share_of
from plugseal.lang.scripts.gems import extensions_of, is_list_of_packages, said_of_packages
from plugseal.lang.scripts.lists import is_spread, words_of
from plugseal.lang.scripts.loading import add_loaded, judge_include, report_fetched
from plugseal.lang.scripts.perl import code_of_substitution, judge_socket
from plugseal.lang.scripts.php import HANDED, INPUT, is_from_outside, is_truth, report_chosen
from plugseal.lang.scripts.starting import report_start
from plugseal.lang.scripts.tables import calls_of
from plugseal.lang.scripts.vagrant import is_machine, said_by_call, said_by_setting
from plugseal.lang.scripts.value import Value
from plugseal.lang.scripts.values import STRINGS, Values
from plugseal.lang.scripts.variables import is_whole, judge_item
from plugseal.lang.shell.judging.report import Report
from plugseal.patterns import lazy

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
_RUNNING: Final = frozenset(("eval_expression", "substitution_regexp"))
_SUBSCRIPTS: Final = frozenset(("element_reference", "hash_element_expression", "subscript_expression"))
_SENSITIVE: Final = frozenset("os io package debug _G _ENV".split())
"""Tables of Lua whose functions do something outside: of a name that can't be told it is said that it is one."""
_BANG: Final = lazy(r"\s{0,8}(?:silent!?\s{1,8})?!\s{0,8}(\S[^\n]*)")
"""How an editor's command hands the rest of its line to a shell."""
_NO_WORDS: Final = frozenset(
    "pair hash block function_definition anonymous_function anonymous_function_creation_expression arrow_function "
    "lambda block_argument refgen_expression".split()
)
"""Arguments that are no words of a command: options, and functions that are called with what it says."""
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
        self._machine = language == "Ruby" and is_machine(path)
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
                if self._machine:
                    self._uses.append(node)
        elif kind == "assignment_statement" and node.named_child_count == 2:
            names, given = node.named_children
            for name, value in zip(names.named_children, given.named_children):  # noqa: B905  # Lua allows fewer
                self.values.assign(name, value)
        elif kind == "hash" and is_whole(node, self.source):
            self.report.add(self._span(node), "env.bulk", None, "direct", "")
        elif kind == "namespace_use_declaration":
            self.values.note_imports(node)
        elif "heredoc" in kind:
            self.values.here.note(node)
        elif kind in _CALLS or kind in _SHELLS or kind in _INCLUDES or kind in _SUBSCRIPTS or kind in _RUNNING:
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
        elif kind == "substitution_regexp":
            self._substitution(node)
        elif kind == "assignment":
            self._say(node, said_by_setting(node.children[0], node.children[-1], self.values))
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
            if self.language == "PHP":
                report_chosen(node, self._span(node), self.source, self.values, self.report)
            return
        if self._packages:
            self._tell(node, said_of_packages(node, name, given, self.values))
        if self._machine:
            self._say(node, said_by_call(name, given, self.values))
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
        if acts is None and self.language == "Ruby" and last in ("open", "read"):
            report_fetched(node, self._span(node), self.values, self.report)
            return
        if acts is None and self.language == "PHP":
            name, given, acts = self._handed(name, given, node)
        elif self.language == "Lua" and name in ("pcall", "xpcall") and given:
            # The first of them is called with what stands behind it, `xpcall` has a function for errors between.
            acts, given = self._acts(self.values.value(given[0]).name), given[1 if name == "pcall" else 2 :]
        if acts is None:
            return
        if self.language == "Perl" and name.startswith("IO.Socket."):
            judge_socket(given, self._span(node), self.source, self.values, self.report)
        else:
            for act in acts:
                self._act(act, given, node)
        words = [HOLE if (text := self.values.value(one).text) is None else text for one in given]
        self.report.event("command", name, self._span(node), words, "direct", "")

    def _acts(self, name: str) -> tuple[Act, ...] | None:
        """Return what the tables know of a name, of a member of any object, or of every member of a class."""
        known = calls_of(self.language)
        if self.language == "Perl":
            name = name.removeprefix("CORE.").removeprefix("GLOBAL.")
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

    def _tell(self, node: Node, said: Iterator[tuple[str, str | None]]) -> None:
        for capability, thing in said:
            self.report.add(self._span(node), capability, thing, "direct", "")

    def _say(self, node: Node, said: Iterator[tuple[str, Node]]) -> None:
        """Report what a description of machines says: lines for a shell, and capabilities with an object."""
        for capability, argument in said:
            value = self.values.value(argument)
            if capability == "line":
                self._shell(value, node, argument)
            elif value.text is not None and capability.startswith("fs."):
                self._path(self._span(node), capability, value.text, "direct")
            else:
                self._tell(node, iter([(capability, value.text if value.text and HOLE not in value.text else None)]))

    def _act(self, act: Act, given: list[Node], node: Node) -> None:
        argument = given[act.position] if 0 <= act.position < len(given) else None
        value = self.values.value(argument) if argument is not None else Value()
        how = "possible" if not act.is_sure else "resolved" if value.is_followed else "direct"
        span, report, text = self._span(node), self.report, value.text
        if act.literal is not None:
            report.add(span, act.capability, act.literal, how, "")
        elif act.kind == "code":
            if argument is not None and not argument.type.endswith(("block", "function")) and not is_truth(argument):
                self._code(value, node, argument)
        elif act.kind == "line":
            self._shell(value, node, argument)
        elif act.kind == "command" and argument is not None:
            self._command(given[act.position :], node)
        elif act.kind in ("words", "listed", "bang", "owner"):
            self._unusual(act, argument, node, how)
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
            text = text or self.values.named_address(given)
            text = (host_of_connection(text) or text) if text and text.strip(HOLE) and not text.isdecimal() else None
            report.add_host(span, act.capability, text, how, "")
        elif act.kind != "need" and not act.is_needed:
            if act.capability == "env.write" and text is not None:
                name, sign, held = text.partition("=")
                report.add_variable(span, name, held if sign else HOLE, how, "")
                return
            if act.capability == "env.read" and not given and self.language == "PHP":
                act = act._replace(capability="env.bulk")
            found = cut_object("text", text) if text is not None and act.kind not in ("", "file") else None
            report.add(span, act.capability, found, how, "")

    def _unusual(self, act: Act, argument: Node | None, node: Node, how: str) -> None:
        """Judge what is done to the words of one list, an editor's command, or the object of the method itself."""
        if act.kind == "owner":
            owned = self.values.value_of_owner(node).text or HOLE
            if owned.strip(HOLE):
                self._path(self._span(node), act.capability, owned, how)
        elif argument is not None and act.kind == "bang":
            if line := _BANG.match(self.values.value(argument).text or ""):
                self._shell(Value(line[1]), node, None)
        elif argument is not None and (act.kind == "words" or words_of(argument, self.values) is not None):
            self._command([argument], node)

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
        given = [one for one in given if one.type not in _NO_WORDS]
        if not given:
            return
        first = words_of(given[0], self.values)
        if len(given) == 1 and first is None:
            self._shell(self.values.value(given[0]), node, given[0])
            return
        words: list[str] = list(first or ())
        for one in given if first is None else [] if self.language == "Ruby" else given[1:]:
            inner = words_of(one, self.values) if is_spread(one) or self.language != "Ruby" else None
            text = self.values.value(one).text if inner is None else None
            words.extend(inner if inner is not None else [HOLE if text is None else text])
        if self.language == "Perl" and words[:1] == ["1"]:
            del words[0]  # `system 1, …` does not wait, on Windows.
        if words:
            self._start(words, node)

    def _start(self, words: list[str], node: Node) -> None:
        for code in report_start(words, self._span(node), self.report):
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

    def _substitution(self, node: Node) -> None:
        """Judge Perl's `s/…/code/e`."""
        found = code_of_substitution(node, self.source)
        if found is not None:
            self._nest("Perl", self.source.of(found[0]), node, None, "s///e")
            if found[1]:
                self.report.add(self._span(node), "code.dynamic", None, "direct", "")

    def _subscript(self, node: Node) -> None:
        if node.named_child_count < 2:
            return
        if self.language == "Ruby" and self.source.of(node.named_children[0]) == "Dir":
            self._opened(self.values.value(node.named_children[1]), [], node)
            return
        judge_item(node, self.language, self.source, self.values, self.report)

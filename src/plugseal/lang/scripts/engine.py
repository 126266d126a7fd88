"""Say what one script does: every call by the name that it resolves to, and the table of its language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.scripts.acts import Acts
from plugseal.lang.scripts.gems import extensions_of, is_list_of_packages, said_of_packages
from plugseal.lang.scripts.here import ANNOUNCING, is_for_a_shell
from plugseal.lang.scripts.lists import assigned_by
from plugseal.lang.scripts.loading import judge_include, report_fetched
from plugseal.lang.scripts.perl import code_of_substitution, judge_socket
from plugseal.lang.scripts.php import CALLING, HANDED, SETTING, is_from_outside, report_chosen
from plugseal.lang.scripts.references import MEMBERS, is_handed_on, is_table, names_of, without_detours
from plugseal.lang.scripts.sent import SENDING, may_reach_outside
from plugseal.lang.scripts.tables import calls_of
from plugseal.lang.scripts.vagrant import is_machine, said_by_call, said_by_setting
from plugseal.lang.scripts.values import Values
from plugseal.lang.scripts.variables import WHOLE, is_whole, judge_item
from plugseal.lang.shell.judging.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugseal.lang.powershell.tables import Act
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.shell.parsing.source import Source
    from plugseal.model.location import Span

_SHELLS: Final = frozenset(("subshell", "command_string", "shell_command_expression"))
_CALLS: Final = frozenset(
    "call method_call_expression member_call_expression scoped_call_expression function_call_expression "
    "ambiguous_function_call_expression function_call func1op_call_expression object_creation_expression "
    "coderef_call_expression".split()
)
_INCLUDES: Final = frozenset(
    "include_expression include_once_expression require_expression require_once_expression".split()
)
_RUNNING: Final = frozenset(("eval_expression", "substitution_regexp", "fileglob_expression"))
_SUBSCRIPTS: Final = frozenset(("element_reference", "hash_element_expression", "subscript_expression"))
_SENSITIVE: Final = frozenset("os io package debug _G _ENV".split())
"""Tables of Lua whose functions do something outside: of a name that can't be told it is said that it is one."""
_PATHS: Final = {"Pathname": "Pathname.new()", "Path.Tiny": "path()", "Mojo.File": "path()"}
"""Classes whose methods give paths of the same class, by how the tables write one of them."""
_MAX_NODES: Final = 400_000


class Engine:
    """The calls of one script."""

    def __init__(self, language: str, source: Source, path: str) -> None:
        self.language = language
        self.source = source
        self.report = Report(path)
        self.values = Values(language, source)
        self._acts = Acts(language, source, self.report, self.values)
        self._packages = language == "Ruby" and is_list_of_packages(path)
        self._describes = self._packages or (language == "Ruby" and b"Gem::Specification.new" in source.data)
        self._machine = language == "Ruby" and is_machine(path)
        self.errors: list[int] = []
        self._uses: list[Node] = []
        self._renamed: dict[str, str] = {}
        """Methods of Ruby by other names that the script gives them."""
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
                for name, value in assigned_by(left, right):
                    self.values.assign(name, value)
                if self._describes:
                    self._tell(node, extensions_of(left, right, self.values))
                if self._machine:
                    self._uses.append(node)
        elif kind == "assignment_statement" and node.named_child_count == 2:
            names, given = node.named_children
            for name, value in zip(names.named_children, given.named_children):  # noqa: B905  # Lua allows fewer
                self.values.assign(name, value)
        elif kind in WHOLE and is_whole(node, self.source):
            self.report.add(self._span(node), "env.bulk", None, "direct", "")
        elif self.language == "Lua" and (kind in MEMBERS or kind == "identifier"):
            if is_handed_on(node) and (kind in MEMBERS or is_table(node, self.source, self.values)):
                self._uses.append(node)
        elif kind == "namespace_use_declaration":
            self.values.note_imports(node)
        elif "heredoc" in kind:
            self.values.here.note(node)
            if is_for_a_shell(node, self.source):
                self._uses.append(node)
        elif kind == "alias":
            self._renamed.update(names_of(node, self.source))
        elif kind in _CALLS or kind in _SHELLS or kind in _INCLUDES or kind in _SUBSCRIPTS or kind in _RUNNING:
            self._uses.append(node)
            if kind == "call" and self.language == "Ruby":
                self._renamed.update(names_of(node, self.source))

    def _judge(self, node: Node) -> None:
        kind = node.type
        if kind in _SHELLS or kind in ANNOUNCING:
            self._acts.shell(self.values.value(node), node, node)
        elif kind in _INCLUDES:
            judge_include(node, self._span(node), self.values, self.report)
        elif kind == "eval_expression":
            inner = node.named_children[0] if node.named_child_count else None
            if inner is not None and inner.type == "filename":
                judge_include(node, self._span(node), self.values, self.report)
            if inner is not None and inner.type != "block":
                self._acts.code(self.values.value(inner), node, inner)
        elif kind == "fileglob_expression":
            self._acts.opened(self.values.value(node), [], node)
        elif kind == "substitution_regexp":
            self._substitution(node)
        elif kind == "assignment":
            self._say(node, said_by_setting(node.children[0], node.children[-1], self.values))
        elif self.language == "Lua" and (kind in MEMBERS or kind == "identifier"):
            self._handed_on(node)
        elif kind in _SUBSCRIPTS:
            self._subscript(node)
        else:
            self._call(node)

    def _span(self, node: Node) -> Span:
        return self.source.span(node)

    def _call(self, node: Node) -> None:
        name = self.values.callee(node)
        given = self.values.arguments(node)
        if self.language == "PHP" and (not name or node.type == "object_creation_expression"):
            report_chosen(node, self._span(node), self.source, self.values, self.report)
        if not name:
            return
        if self._packages:
            self._tell(node, said_of_packages(node, name, given, self.values))
        if self._machine:
            self._say(node, said_by_call(name, given, self.values))
        last = name.rpartition(".")[2]
        if last == "?" and name.removesuffix(".?") in _SENSITIVE:
            self.report.add(self._span(node), "code.reflective", name.removesuffix(".?"), "possible", "")
            return
        if self.language == "Ruby":
            name, given = self._sent(name, given, node)
            name = self._renamed.get(name, name)
        elif self.language == "PHP":
            name = name.removeprefix("\\").removesuffix(".invoke").removesuffix(".invokeArgs").removesuffix(".__invoke")
        acts = self._known(name)
        if acts is None and self.language == "Ruby" and last in ("open", "read"):
            report_fetched(node, self._span(node), self.values, self.report)
            return
        if acts is None and self.language == "PHP":
            name, given, acts = self._handed(name, given, node)
        elif self.language == "Lua" and name in ("pcall", "xpcall") and given:
            # The first of them is called with what stands behind it, `xpcall` has a function for errors between.
            acts, given = self._known(self.values.value(given[0]).name), given[1 if name == "pcall" else 2 :]
        if acts is None:
            return
        if self.language == "Perl" and name.startswith("IO.Socket."):
            judge_socket(given, self._span(node), self.source, self.values, self.report)
        else:
            for act in acts:
                self._acts.add(act, given, node)
        words = [HOLE if (text := self.values.value(one).text) is None else text for one in given]
        self.report.event("command", name, self._span(node), words, "direct", "")

    def _sent(self, name: str, given: list[Node], node: Node) -> tuple[str, list[Node]]:
        """Return the method of Ruby that an object is sent by a name, or that is called as an object itself."""
        head, _, last = name.rpartition(".")
        if last in SENDING and given:
            sent = self.values.value(given[0]).text
            if sent is None or HOLE in sent:
                if may_reach_outside(node, sent, self.source):
                    self.report.add(self._span(node), "code.reflective", None, "possible", "")
                return "", given
            return (sent if head in ("", "Kernel", "Object", "self") else f"{head}.{sent}"), given[1:]
        if last == "call" and head:
            return without_detours(head), given
        return without_detours(name), given[1:] if last == "bind_call" else given

    def _handed_on(self, node: Node) -> None:
        """Judge a function or a table of Lua that is handed on: what it is called with later is not known."""
        if node.type == "identifier":
            self.report.add(self._span(node), "code.reflective", self.source.of(node), "possible", "")
            return
        for act in self._known(self.values.value(node).name) or ():
            if act.capability.startswith(("process.", "code.", "fs.delete", "net.")):
                self.report.add(self._span(node), act.capability, None, "possible", "")

    def _known(self, name: str) -> tuple[Act, ...] | None:
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
            if found is None and (made in _PATHS or head.startswith("path()")):
                found = known.get(f"{_PATHS.get(made, 'path()')}.{last}")
        return known.get(name.lower()) if found is None and self.language == "PHP" else found

    def _handed(self, name: str, given: list[Node], node: Node) -> tuple[str, list[Node], tuple[Act, ...] | None]:
        """Return the function that another one of PHP is handed by name, what it is given, and what it does."""
        at = HANDED.get(name.lower())
        if name.lower() in SETTING and given and is_from_outside(given[0], self.source, self.values):
            self.report.add(self._span(node), "code.reflective", None, "possible", "")
        if at is None or at >= len(given):
            return name, given, None
        inner = self.values.value(given[at]).text
        if inner is None or HOLE in inner:
            if name.startswith("call_user_func") or is_from_outside(given[at], self.source, self.values):
                self.report.add(self._span(node), "code.reflective", None, "possible", "")
            return name, given, None
        rest = [*given[:at], *given[at + 1 :]] if name.lower() in CALLING else []
        return inner, rest, self._known(inner.removeprefix("\\"))

    def _tell(self, node: Node, said: Iterator[tuple[str, str | None]]) -> None:
        for capability, thing in said:
            self.report.add(self._span(node), capability, thing, "direct", "")

    def _say(self, node: Node, said: Iterator[tuple[str, Node]]) -> None:
        """Report what a description of machines says: lines for a shell, and capabilities with an object."""
        for capability, argument in said:
            value = self.values.value(argument)
            if capability == "line":
                self._acts.shell(value, node, argument)
            elif value.text is not None and capability.startswith("fs."):
                self._acts.path(self._span(node), capability, value.text, "direct")
            else:
                self._tell(node, iter([(capability, value.text if value.text and HOLE not in value.text else None)]))

    def _substitution(self, node: Node) -> None:
        """Judge Perl's `s/…/code/e`."""
        found = code_of_substitution(node, self.source)
        if found is not None:
            self._acts.nest("Perl", self.source.of(found[0]), node, None, "s///e")
            if found[1]:
                self.report.add(self._span(node), "code.dynamic", None, "direct", "")

    def _subscript(self, node: Node) -> None:
        if node.named_child_count < 2:
            return
        if self.language == "Ruby" and self.source.of(node.named_children[0]) == "Dir":
            self._acts.opened(self.values.value(node.named_children[1]), [], node)
            return
        judge_item(node, self.language, self.source, self.values, self.report)

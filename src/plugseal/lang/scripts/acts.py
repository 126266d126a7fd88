"""What the tables say that a call does, to what it is given: lines and code that run, files, hosts, programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.connection_texts import host_of_connection
from plugseal.lang.facts import Nested
from plugseal.lang.folded import HOLE, filled
from plugseal.lang.judging.objects import cut_object, share_of
from plugseal.lang.scripts.lists import is_spread, words_of
from plugseal.lang.scripts.loading import add_loaded
from plugseal.lang.scripts.php import INPUT, is_truth
from plugseal.lang.scripts.starting import report_start
from plugseal.lang.scripts.streams import behind_wrapper
from plugseal.lang.scripts.value import Value
from plugseal.lang.scripts.values import STRINGS
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.facts import Anchor
    from plugseal.lang.powershell.tables import Act
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.values import Values
    from plugseal.lang.shell.judging.report import Report
    from plugseal.lang.shell.parsing.source import Source
    from plugseal.model.location import Span

_BANG: Final = lazy(r"\s{0,8}(?:silent!?\s{1,8})?!\s{0,8}(\S[^\n]*)")
"""How an editor's command hands the rest of its line to a shell."""
_NO_WORDS: Final = frozenset(
    "pair hash block function_definition anonymous_function anonymous_function_creation_expression arrow_function "
    "lambda block_argument refgen_expression".split()
)
"""Arguments that are no words of a command: options, and functions that are called with what it says."""
_MAX_MODE: Final = 8
_NO_FILE: Final = lazy(r"\s*\+?[<>]{1,2}&")
"""Perl opens what is open already."""
_WRAPPER: Final = lazy(r"[^/\s]*://|data:(?:[a-z]{1,16}/|,|;base64)")


class Acts:
    """The acts of one script."""

    def __init__(self, language: str, source: Source, report: Report, values: Values) -> None:
        self._language = language
        self._source = source
        self._report = report
        self._values = values

    def add(self, act: Act, given: list[Node], node: Node) -> None:
        """Judge what a call does to what it is given."""
        argument = given[act.position] if 0 <= act.position < len(given) else None
        value = self._values.value(argument) if argument is not None else Value()
        how = "possible" if not act.is_sure else "resolved" if value.is_followed else "direct"
        span, report, text = self._source.span(node), self._report, value.text
        if act.literal is not None:
            report.add(span, act.capability, act.literal, how, "")
        elif act.kind == "code":
            if argument is not None and not argument.type.endswith(("block", "function")) and not is_truth(argument):
                self.code(value, node, argument)
        elif act.kind == "line":
            self.shell(value, node, argument)
        elif act.kind == "command" and argument is not None:
            self._command(given[act.position :], node)
        elif act.kind == "each":
            for one in given[act.position :]:
                self._command([one], node)
        elif act.kind in ("words", "listed", "bang", "owner", "letters", "pattern"):
            self._unusual(act, argument, node, how)
        elif act.kind == "pipe":
            self._pipe(given, node)
        elif act.kind == "opened":
            self.opened(value, given[act.position + 1 :], node)
        elif act.kind == "module":
            if text is None or HOLE in text:
                report.add(span, act.capability, None, "possible", "")
            else:
                add_loaded(text, span, report)
        elif act.kind in ("path", "file") and text is not None and _WRAPPER.match(text):
            self._wrapped(text, act.capability, how, node)
        elif act.kind in ("path", "file") and text is not None and text.strip(HOLE):
            self.path(span, act.capability, text, how)
        elif act.kind == "host":
            text = text or self._values.named_address(given)
            text = (host_of_connection(text) or text) if text and text.strip(HOLE) and not text.isdecimal() else None
            report.add_host(span, act.capability, text, how, "")
        elif act.kind != "need" and not act.is_needed:
            if act.capability == "env.write" and text is not None:
                name, sign, held = text.partition("=")
                report.add_variable(span, name, held if sign else HOLE, how, "")
                return
            if act.capability == "env.read" and not given and self._language == "PHP":
                act = act._replace(capability="env.bulk")
            found = cut_object("text", text) if text is not None and act.kind not in ("", "file") else None
            report.add(span, act.capability, found, how, "")

    def _unusual(self, act: Act, argument: Node | None, node: Node, how: str) -> None:
        """Judge the words of one list, an editor's command, the object of the method, or letters that run code."""
        if act.kind == "owner":
            owned = self._values.value_of_owner(node).text or HOLE
            if owned.strip(HOLE):
                self.path(self._source.span(node), act.capability, owned, how)
            else:
                self._report.add(self._source.span(node), act.capability, None, how, "")
        elif act.kind in ("letters", "pattern"):
            text = self._values.value(argument).text if argument is not None else ""
            if act.kind == "pattern":  # letters behind the second mark: `/x/e`
                text = text.rpartition(text[:1])[2] if text else ""
            if text is None or HOLE in text or "e" in text:
                self._report.add(self._source.span(node), act.capability, None, "possible" if not text else how, "")
        elif argument is not None and act.kind == "bang":
            if line := _BANG.match(self._values.value(argument).text or ""):
                self.shell(Value(line[1]), node, None)
        elif argument is not None and (act.kind == "words" or words_of(argument, self._values) is not None):
            self._command([argument], node)

    def path(self, span: Span, capability: str, text: str, how: str) -> None:
        """Add what is done to a path, and the machine that shares it where the system is Windows."""
        self._report.add_path(span, capability, text, how, "")
        if (share := share_of(text)) is not None:
            self._report.add_host(span, "net.outbound", share, "possible", "")

    def opened(self, value: Value, given: list[Node], node: Node) -> None:
        """Judge a file that is opened to be read or to be written, as the word behind it says."""
        text, span = value.text, self._source.span(node)
        mode = (self._values.value(given[0]).text if given else "") or ""
        capability = "fs.write" if any(mark in mode for mark in "wax+c>") and len(mode) < _MAX_MODE else "fs.read"
        if text is not None and _WRAPPER.match(text):
            self._wrapped(text, capability, "direct", node)
        elif text is not None and text.strip(HOLE):
            self.path(span, capability, text, "resolved" if value.is_followed else "direct")
        else:
            self._report.add(span, capability, None, "direct", "")

    def _wrapped(self, text: str, capability: str, how: str, node: Node) -> None:
        """Add what is opened through a wrapper; the script's own input, output and memory are nothing outside of it."""
        kind, named = behind_wrapper(text)
        if kind == "host":
            self._report.add_host(self._source.span(node), "net.outbound", named, how, "")
        elif kind == "path" and named.strip(HOLE):
            self.path(self._source.span(node), capability, named, how)
        elif kind == "line":
            self.shell(Value(named), node, None)

    def _pipe(self, given: list[Node], node: Node) -> None:
        """Judge `open`, which may start a program."""
        texts = [self._values.value(one).text for one in given]
        line = texts[0] if self._language == "Ruby" and texts else texts[1] if len(texts) > 1 else None
        if line is None:
            if self._language == "Ruby" and given:
                self._report.add(self._source.span(node), "fs.read", None, "possible", "")
            return
        if self._language == "Perl" and line.strip() in ("|-", "-|"):
            self._command(given[2:], node)
        elif line.strip().startswith("|") or (self._language == "Perl" and line.strip().endswith("|")):
            self.shell(Value(line.strip().strip("|").strip()), node, None)
        elif "://" in line:
            self._report.add_host(self._source.span(node), "net.outbound", line, "direct", "")
        else:
            path, mode = (line, texts[1] or "") if self._language == "Ruby" and len(texts) > 1 else (line, "")
            if self._language == "Perl":
                mode, path = (line, texts[2] or HOLE) if len(texts) > 2 else (line[:2], line.lstrip("+<> "))
                if _NO_FILE.match(line) or (path == "-" and len(texts) < 3):
                    return
            capability = "fs.write" if any(mark in mode for mark in "wa>") else "fs.read"
            if path.strip(HOLE):
                self.path(self._source.span(node), capability, path, "direct")

    def _command(self, given: list[Node], node: Node) -> None:
        """Judge a program that is given as a line or as words."""
        given = [one for one in given if one.type not in _NO_WORDS]
        if not given:
            return
        first = words_of(given[0], self._values)
        if len(given) == 1 and first is None:
            self.shell(self._values.value(given[0]), node, given[0])
            return
        words: list[str] = list(first or ())
        for one in given if first is None else [] if self._language == "Ruby" else given[1:]:
            inner = words_of(one, self._values) if is_spread(one) or self._language != "Ruby" else None
            text = self._values.value(one).text if inner is None else None
            words.extend(inner if inner is not None else [HOLE if text is None else text])
        if self._language == "Perl" and words[:1] == ["1"]:
            del words[0]  # `system 1, …` does not wait, on Windows.
        if words:
            self._start(words, node)

    def _start(self, words: list[str], node: Node) -> None:
        for code in report_start(words, self._source.span(node), self._report):
            self.nest(code.language, code.text, node, None, code.program)

    def shell(self, value: Value, node: Node, argument: Node | None) -> None:
        """Judge a line that a shell is given."""
        line = value.text
        how = "resolved" if value.is_followed else "direct"
        first = line.split()[0] if line and line.split() else ""
        named = first if first and HOLE not in first and "=" not in first else None
        self._report.add(self._source.span(node), "process.shell", cut_object("text", named), how, "")
        self._tainted(argument, node)
        if line is not None:
            self.nest("shell", line, node, argument, "shell line")

    def code(self, value: Value, node: Node, argument: Node | None) -> None:
        """Judge a text that the language itself runs."""
        span = self._source.span(node)
        self._report.add(span, "code.dynamic", None, "direct", "")
        if value.name == "decoded()" or value.name.endswith(("gzinflate()", "gzuncompress()", "str_rot13()")):
            self._report.add(span, "code.obfuscated", None, "resolved", "")
        if any(
            mark in value.name for mark in ("file_get_contents()", "Net.HTTP.get", "URI.open", ".get()", "curl_exec()")
        ):
            self._report.add(span, "code.fetched", None, "resolved", "")
        self._tainted(argument, node)
        if value.text is not None:
            text = value.text if self._language != "PHP" else f"<?php {value.text}"
            self.nest(self._language, text, node, argument if self._language != "PHP" else None, "eval")

    def _tainted(self, argument: Node | None, node: Node) -> None:
        """Say that what runs comes from whoever calls the page."""
        if argument is not None and self._language == "PHP" and any(one in self._source.of(argument) for one in INPUT):
            self._report.add(self._source.span(node), "net.listen", None, "possible", "")

    def nest(self, language: str, text: str, node: Node, argument: Node | None, how: str) -> None:
        """Hand a text to the reader of its language, unless nothing of it is known."""
        if not text.replace(HOLE, "").strip():
            return
        anchors: tuple[Anchor, ...] = ()
        if argument is not None and HOLE not in text and argument.type in STRINGS:
            at = self._source.of(argument).find(text)
            if at >= 0:
                start = argument.start_byte + len(self._source.of(argument)[:at].encode("utf-8"))
                anchors = self._source.anchors(start, text)
        self._report.add_nested(
            Nested(language, filled(text, language), self._source.span(node), anchors, "start", how), ""
        )

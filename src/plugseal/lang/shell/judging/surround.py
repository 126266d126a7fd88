"""What stands around commands: redirections, assignments, variables that are read, tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.shell.judging.unparsed import judge_unparsed
from plugseal.lang.shell.parsing.names import is_environment_name
from plugseal.lang.shell.words.globs import file_by_glob
from plugseal.lang.shell.words.marks import DISGUISED, RESOLVED, UNSURE
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.judging.judge import Judge
    from plugseal.lang.shell.parsing.parse import Node

_EXPORTING: Final = lazy(r"(?:export|(?:declare|typeset|local|readonly)\s+(?:-\w+\s+)*-\w*x)\b")
_TO_FILE: Final = lazy(r"[0-9]*(>>?|<|&>>?)[ \t]*([A-Za-z0-9_./][A-Za-z0-9_./+:=@%-]*)\Z")
"""A redirection to or from a file whose name is written as it is."""
_OPTIONS: Final = lazy(r"-[pxr]+")
_READ: Final = lazy(rb"\$(?:\{[!#]?)?([A-Z][A-Z0-9_]*|(?:https?|ftp|all|no)_proxy)(?!\w)(:\s*\d)?")
_COMPUTING: Final = lazy(r"\w+\s+(?:-\w+\s+)*-\w*[ni]")
"""A declaration of a reference or a number: its value is taken for a name, and the index in it is computed."""
_PADDING: Final = lazy(rb"(?:\n[ \t\r]*){400}|[ \t]{400}(?=[^\s])")
"""Emptiness that pushes what follows out of sight."""
_SEEN: Final = lazy(rb"[^\s]")
_LEAST_PADDED: Final = 400
_SAMPLED: Final = 50
_BLANK_SAMPLES: Final = lazy(rb"[ \t\r\n]{%d}" % (_LEAST_PADDED // _SAMPLED))
"""What every 50th byte of a script shows where such an emptiness is, whatever byte it begins at."""
_NEAR: Final = 512
_NAMED_PATH: Final = lazy(r"(?:[\w/.:-]|\$\w|\$\{\w+\})+")
_COUNTED: Final = lazy(rb"\$\(\([^()\n]{1,256}\)\)|\[\[[^\[\]\n]{1,256}-(?:eq|ne|lt|le|gt|ge)\b[^\[\]\n]{1,256}")
"""A sum, or a comparison of numbers: the shell computes what the variables in it hold."""
_RUN_INDEX: Final = lazy(rb"\w\[[^\[\]\n]{0,256}(?:\$\(|`)")
_PROMPTED: Final = lazy(rb"\$\{([A-Za-z_]\w{0,64})(?:\[[^\]\s]{0,32}\])?@P\}")
"""A value that is expanded as a prompt is."""
_NAME: Final = lazy(r"[A-Za-z_]\w*")
_INDEXED: Final = lazy(r"\w\[[^\]]{0,1000}(?:\$\(|`)")


def judge_surroundings(judge: Judge) -> None:
    """Judge all that is no command in a script."""
    for node, block in judge.script.redirects:
        _judge_redirect(judge, node, block)
    for node, block in judge.script.declared:
        _judge_declaration(judge, node, block)
    for node, block in judge.script.plain:
        _set(judge, node, block, "export")
    for node, block in judge.script.unsets:
        _judge_unset(judge, node, block)
    for node, block in judge.script.tests:
        _judge_test(judge, node, block)
    _judge_computed(judge)
    _judge_reads(judge)
    _judge_padding(judge)
    judge_unparsed(judge)


def _judge_redirect(judge: Judge, node: Node, block: int) -> None:
    start, end = node.byte_range
    if judge.is_herestring(node):
        return
    plain = _TO_FILE.match(judge.source.marks, start, end)
    if plain is not None:
        operator, at, values = plain[1], plain.start(2), [(plain[2], 0)]
    else:
        target = node.child_by_field_name("destination") if node.type == "file_redirect" else None
        if target is None or target.type == "process_substitution":
            return
        operator, at, values = judge.operator(node), target.start_byte, _target(judge, node, target, block)[:4]
    function, span = judge.function(block), judge.source.between(start, end)
    for text, flags in values:
        if ".." in text:
            judge.report.depth = judge.folders.depth(at)
        if operator in (">&", "<&") and (text.isdigit() or text in ("-", HOLE) or text.rstrip("-").isdigit()):
            continue
        how = "possible" if flags & UNSURE else "resolved" if flags & (RESOLVED | DISGUISED) else "direct"
        known = file_by_glob(text) if "?" in text or "[" in text else None
        if known:
            judge.report.add(span, "code.obfuscated", known, "possible", function)
        if (flags & (DISGUISED | RESOLVED) and text.startswith("/dev/tcp")) or flags & DISGUISED:
            judge.report.add(span, "code.obfuscated", None, "resolved", function)
        capability = "fs.read" if operator == "<" else "fs.write"
        judge.report.add_path(span, capability, known or text, how, function)
        judge.report.event("redirect", f"{operator} {text.replace(HOLE, chr(0xFFFD))}", span, [], how, function)


def _target(judge: Judge, redirect: Node, target: Node, block: int) -> list[tuple[str, int]]:
    """Return what a file of a redirection may be; of `<$a/$b/c` the grammar makes two."""
    end = target.end_byte
    for more in redirect.children_by_field_name("destination")[1:]:
        end = more.end_byte if more.start_byte == end else end
    text = judge.source.text(target.start_byte, end)
    if end == target.end_byte or _NAMED_PATH.fullmatch(text) is None:
        return judge.folder.fold(target, block)
    return judge.folder.simple(text, target.start_byte, block, 0)


def _judge_declaration(judge: Judge, node: Node, block: int) -> None:
    span, function = judge.source.span(node), judge.function(block)
    text = judge.source.of(node)
    children = node.named_children
    for child in children if _COMPUTING.match(text) else ():
        if child.type == "variable_assignment":
            value = child.child_by_field_name("value")
            inner = judge.folder.fold(value, block)[0][0] if value is not None else ""
            if _INDEXED.search(inner):
                judge.builtins.judge_index(inner, block, span)
    if not _EXPORTING.match(text):
        if all(child.type == "word" and _OPTIONS.fullmatch(judge.source.of(child)) for child in children):
            judge.report.add(span, "env.bulk", None, "direct", function)
        return
    if all(child.type == "word" and judge.source.of(child) in ("-p", "-x", "-px", "-xp") for child in children):
        judge.report.add(span, "env.bulk", None, "direct", function)
        return
    is_function = any(child.type == "word" and "f" in judge.source.of(child) for child in children[:1])
    for child in children:
        if child.type == "variable_assignment":
            _set(judge, child, block, "export")
        elif child.type == "variable_name":
            name = judge.source.of(child)
            held = judge.folder.assigned(name, node.start_byte, block, 0)
            shown = f"BASH_FUNC_{name}" if is_function else name
            judge.report.add_variable(span, shown, held[0][0] if held else HOLE, "direct", function)


def _set(judge: Judge, node: Node, block: int, command: str) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return
    variable, span, function = judge.source.of(name), judge.source.span(node), judge.function(block)
    text, flags = judge.folder.fold(value, block)[0] if value is not None else ("", 0)
    how = "possible" if flags & UNSURE else "direct"
    judge.report.add_variable(span, variable, text, how, function)
    judge.report.event("command", command, span, [f"{variable}={text}"], how, function)
    raw = judge.source.of(node)
    if re.search(rf"\$\{{?{re.escape(variable)}\b", raw):
        judge.report.add(span, "env.read", variable, "direct", function)


def _judge_unset(judge: Judge, node: Node, block: int) -> None:
    from plugseal.lang.shell.parsing.names import NO_HISTORY, is_history_alone

    is_alone = is_history_alone(judge.source.of(child) for child in node.named_children)
    for child in node.named_children:
        text = judge.source.of(child)
        if is_alone and text in NO_HISTORY:
            span, function = judge.source.span(node), judge.function(block)
            judge.report.add(span, "code.obfuscated", text, "direct", function)
            judge.report.event("command", "unset", span, [text], "direct", function)
        judge.builtins.judge_index(text, block, judge.source.span(child))


def _judge_test(judge: Judge, node: Node, block: int) -> None:
    """Judge a test or an arithmetic whose names hold commands: they are run when an index is computed."""
    text = judge.source.of(node)
    span = judge.source.span(node)
    if node.type == "test_command":
        if " -v " in text or " -eq" in text or " -gt" in text or " -lt" in text or " -ne" in text:
            judge.builtins.judge_index(text, block, span)
        return
    for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text[:4096])):
        for value, _ in judge.folder.assigned(name, node.start_byte, block, 0) or ():
            if _INDEXED.search(value):
                judge.builtins.judge_index(value, block, span)


def _judge_computed(judge: Judge) -> None:
    """Judge values that are run when they are computed, or shown as a prompt."""
    source, script = judge.source, judge.script
    if b"@P}" in source.data:
        for found in _PROMPTED.finditer(source.data):
            span, function = source.between(*found.span()), script.function_at(found.start())
            judge.report.add(span, "code.dynamic", None, "resolved", function)
            for value, _ in judge.folder.assigned(found[1].decode("ascii"), found.start(), 0, 0) or ():
                judge.texts.put("shell", f': "{value}"', span, ("prompt", function))
    if _RUN_INDEX.search(source.data) is None:
        return
    for found in _COUNTED.finditer(source.data):
        for name in dict.fromkeys(_NAME.findall(found[0].decode("utf-8", "replace"))):
            for value, _ in judge.folder.assigned(name, found.start(), 0, 0) or ():
                if _INDEXED.search(value):
                    judge.builtins.judge_index(value, 0, source.between(*found.span()))


def _judge_reads(judge: Judge) -> None:
    """Report the variables that the script reads and never sets."""
    how = "possible" if judge.sources_others else "direct"
    script, source = judge.script, judge.source
    for found in _READ.finditer(source.data):
        name = found[1].decode("ascii")
        is_rooted = found[2] is not None and name in ("HOME", "PATH", "PWD", "SHELL")
        if name in script.assigned or not (is_rooted or is_environment_name(name)):
            continue
        node = script.root.named_descendant_for_byte_range(found.start(), found.end(1))
        if node is None or node.type not in ("simple_expansion", "expansion") or node.start_byte != found.start():
            continue  # Quoted, escaped, or in a comment.
        function = script.function_at(found.start())
        judge.report.add(source.span(node), "env.read", name, how, function)
        if is_rooted:
            judge.report.add(source.span(node), "code.obfuscated", name, "possible", function)


def _judge_padding(judge: Judge) -> None:
    """Report commands that stand where nobody scrolls to, behind hundreds of empty lines or blanks."""
    data = judge.source.data
    if _BLANK_SAMPLES.search(data[::_SAMPLED]) is None:
        return
    end = 0
    for found in _PADDING.finditer(data):
        if found.end() <= end:
            continue  # Behind these blanks it was looked.
        seen = _SEEN.search(data, found.end())
        end = seen.start() if seen is not None else len(data)
        behind = judge.script.within(end, min(len(data), end + _NEAR))
        if behind:
            judge.report.add(
                judge.source.between(behind[0].start, behind[0].end), "code.obfuscated", None, "resolved", ""
            )
            return

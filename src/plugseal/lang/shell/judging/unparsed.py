"""Commands in words that the grammar takes for plain text: `${a%$(cmd)}`, `${a//`cmd`/b}`, `"${a:+'$(cmd)'}"`.

A shell runs them when it makes the pattern, or the value, of an expansion. Each is handed on as a text of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.judging.judge import Judge
    from plugseal.lang.shell.parsing.parse import Node

_HEAD: Final = lazy(rb"\$\{[!#]?\w{1,80}(?:\[[^]\n]{0,80}\])?(?:[%#^,/]|:?[-+=?])")
"""An expansion with something behind the name that may hold commands."""
_COMMAND: Final = lazy(rb"\$\((?!\()|`")
_PARENTHESIS: Final = lazy(rb"[()]")
_NEAR: Final = 400
_LONGEST: Final = 4_096
_PLAIN: Final = frozenset(("regex", "word", "extglob_pattern"))


def judge_unparsed(judge: Judge) -> None:
    """Hand on the commands that stand in plain text of expansions."""
    data = judge.source.data
    if b"${" not in data or (b"$(" not in data and b"`" not in data):
        return
    seen = 0
    for head in _HEAD.finditer(data):
        for mark in _COMMAND.finditer(data, max(head.end(), seen), head.end() + _NEAR):
            at = mark.start()
            if at < seen:
                continue
            seen = at + 1
            holder = judge.script.root.named_descendant_for_byte_range(at, seen)
            if holder is not None and _is_plain(holder) and not _is_escaped(data, at):
                seen = _hand_on(judge, at, holder.end_byte)


def _is_plain(node: Node) -> bool:
    """Say whether a piece of an expansion is text to the grammar, and not to a shell."""
    parent = node.parent
    if parent is None or parent.type != "expansion":
        return False
    if node.type == "raw_string":  # Between double quotes, single ones are characters like others.
        around = parent.parent
        return around is not None and around.type in ("string", "heredoc_body")
    return node.type in _PLAIN


def _is_escaped(data: bytes, at: int) -> bool:
    before = data[max(at - _NEAR, 0) : at]
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1


def _hand_on(judge: Judge, start: int, last: int) -> int:
    """Hand on the command that begins at an offset, and return where it ends."""
    data = judge.source.data
    last = min(last, start + _LONGEST)
    if data[start : start + 1] == b"`":
        first, end = start + 1, data.find(b"`", start + 1, last)
    else:
        first, end = start + 2, _closing(data, start + 2, last)
    end = last if end < 0 else end
    text = judge.source.text(first, end)
    about = ("substitution", judge.script.function_at(start))
    judge.texts.put("shell", text, judge.source.between(start, end), about, judge.source.anchors(first, text))
    return end


def _closing(data: bytes, start: int, last: int) -> int:
    """Return where the bracket of a substitution closes, below 0 where it does not."""
    depth = 1
    for found in _PARENTHESIS.finditer(data, start, last):
        depth += 1 if found[0] == b"(" else -1
        if not depth:
            return found.start()
    return -1

"""What a script writes to a script: `cat >x.sh <<E`, `echo … >>x.py`, `… | tee x.sh`, for the reader of its language.

A file is code by its name, or by its first line where the name is not known. What is added to it later is read with
what was written to it before. What is written to any other file is data.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import Nested
from plugseal.lang.folded import HOLE, filled
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.facts import Anchor
    from plugseal.lang.shell.judging.feeds import Feeds
    from plugseal.lang.shell.judging.subject import Subject
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.model.location import Span

_LANGUAGES: Final = frozenset("python shell PowerShell batch javascript typescript Ruby Perl PHP Lua".split())
_SUFFIX: Final = lazy(r"\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|php|ps1|bat|cmd|lua)[\"']?\Z")
_LONGEST: Final = 8
"""Characters of the longest ending with a quote behind it."""
_SIGNS: Final = frozenset((">", ">>", ">|", "&>", "&>>"))
_HOW: Final = "written to a script"
_MAX_TEXT: Final = 65_536
_MAX_PARTS: Final = 512
_AT: Final = attrgetter("at")
_TEE: Final = frozenset(("tee", "sponge"))


class _Part(NamedTuple):
    """One thing that is written to a file."""

    at: int
    path: str
    is_more: bool
    """Whether it is added to what the file holds."""
    span: Span
    text: str
    anchors: tuple[Anchor, ...]
    function: str


def judge_written(subject: Subject, feeds: Feeds) -> None:
    """Hand what a script writes to scripts to their readers."""
    parts: list[_Part] = []
    marks, has_more = subject.source.marks, subject.source.data.find(b"#!", len("#!")) >= 0
    for node, block in subject.script.redirects:
        start, end = node.byte_range
        if not has_more and _SUFFIX.search(marks, max(start, end - _LONGEST), end) is None:
            continue
        if node.type == "file_redirect" and subject.operator(node) in _SIGNS:
            _add_redirect(subject, node, block, parts)
    if not parts and not has_more and b"tee" not in subject.source.data:
        return
    _add_tees(subject, feeds, parts)
    files: dict[str, list[list[_Part]]] = {}
    for part in sorted(parts, key=_AT)[:_MAX_PARTS]:
        written = files.setdefault(part.path, [])
        if part.is_more and written:
            written[-1].append(part)
        else:
            written.append([part])
    for path, texts in files.items():
        for pieces in texts:
            _put(subject, path, pieces)


def _put(subject: Subject, path: str, parts: list[_Part]) -> None:
    """Hand one text to the reader of its language."""
    text = "".join(part.text for part in parts)
    language = _language(path, text)
    if not language or not text.replace(HOLE, "").strip() or len(text) > _MAX_TEXT:
        return
    anchors = parts[0].anchors if len(parts) == 1 and HOLE not in text else ()
    nested = Nested(language, subject.report.plain(filled(text, language)), parts[0].span, anchors, "start", _HOW)
    subject.report.add_nested(nested, parts[0].function)


def _add_redirect(subject: Subject, node: Node, block: int, parts: list[_Part]) -> None:
    statement = node.parent
    if statement is not None and statement.type == "heredoc_redirect":
        statement = statement.parent
    target = node.child_by_field_name("destination")
    if statement is None or target is None or statement.type != "redirected_statement":
        return
    data = subject.source.data
    if not _SUFFIX.search(subject.source.of(target)) and data.find(b"#!", statement.start_byte, statement.end_byte) < 0:
        return
    text, _ = subject.folder.evaluate(statement, block)
    if text is None:
        return
    path = subject.folder.fold(target, block)[0][0]
    span, anchors = subject.source.span(statement), _anchors(subject, statement, text)
    is_more = subject.operator(node).endswith(">>")
    parts.append(_Part(node.start_byte, path, is_more, span, text, anchors, subject.function(block)))


def _anchors(subject: Subject, statement: Node, text: str) -> tuple[Anchor, ...]:
    """Return the anchors of a here-document that is written as it stands."""
    for redirect in statement.named_children:
        if redirect.type == "heredoc_redirect":
            for body in redirect.named_children:
                if body.type == "heredoc_body" and subject.source.of(body) == text:
                    return subject.source.anchors(body.start_byte, text)
    return ()


def _add_tees(subject: Subject, feeds: Feeds, parts: list[_Part]) -> None:
    """Add what `tee` writes of what it is fed."""
    if b"tee" not in subject.source.data and b"sponge" not in subject.source.data:
        return
    for command in subject.script.commands:
        names = subject.names_of(command)
        if not names or names[-1] not in _TEE:
            continue
        paths = [word for word in subject.texts_of(command)[1:] if _SUFFIX.search(word) and not word.startswith("-")]
        fed = feeds.fed(command) if paths else None
        if fed is not None and fed.text is not None:
            span = subject.source.between(command.start, command.end)
            is_more = any(word in ("-a", "--append") for word in subject.texts_of(command))
            function = subject.function(command.block)
            parts += [_Part(command.start, path, is_more, span, fed.text, fed.anchors, function) for path in paths]


def _language(path: str, text: str) -> str:
    """Return the language of a file that is written, empty where it is no program."""
    from plugseal.lang.classify import language_of  # what is written is looked at in few scripts

    name = path.replace("\\", "/").rpartition("/")[2].replace(HOLE, "_") or "_"
    found = language_of(name, text[:256].encode("utf-8", "surrogatepass"))
    return found if found in _LANGUAGES else ""

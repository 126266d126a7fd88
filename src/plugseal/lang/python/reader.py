"""Read one Python file: bytes in, facts out. Never raises, never runs anything, never looks at another file."""

from __future__ import annotations

from typing import Final

from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.python.analysis import LANGUAGE
from plugseal.lang.python.analysis import facts_of_module as facts_of_module
from plugseal.lang.python.parsing.decode import decode_source, is_odd_coding
from plugseal.lang.python.parsing.guard import check_source
from plugseal.lang.python.parsing.parse import NOT_PYTHON, parse_source
from plugseal.model.capability import Fact
from plugseal.model.location import WHOLE_FILE

INLINE_MARK: Final = "# /// script"
"""Begins the comment in which a script names what it needs."""
_AT_START: Final = frozenset(("usercustomize.py", "sitecustomize.py"))
"""Files that every start of an interpreter imports, if they stand where it looks."""


class PythonReader:
    """The reader of Python sources."""

    language = LANGUAGE

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        return read_python(data, context)


def read_python(data: bytes, context: Context) -> FileFacts:
    """Return the facts of one file, by the interpreter's own parser.

    Where that parser refuses a file that another version of Python may accept, `needs_second_parser` says so.
    """
    text, reason = decode_source(data)
    if reason:
        return refused_coding(reason) if is_odd_coding(reason) else unread(LANGUAGE, reason)
    reason = check_source(text.encode("utf-8") if not data.isascii() else data)
    if reason:
        return unread(LANGUAGE, reason)
    tree = parse_source(text)
    if isinstance(tree, str):
        return unread(LANGUAGE, tree)
    facts = facts_of_module(tree, text, context)
    if context.path.rpartition("/")[2] in _AT_START:
        runs = tuple(Fact(WHOLE_FILE, name, None, "direct", "code", "import") for name in ("autorun", "persistence"))
        facts = facts._replace(facts=runs + facts.facts)
    if INLINE_MARK in text:
        from plugseal.lang.python.parsing.inline_metadata import with_inline_requirements  # few scripts have any

        facts = with_inline_requirements(facts, text)
    return facts


def refused_coding(reason: str) -> FileFacts:
    """Return the facts of a file whose declared coding hides its text."""
    fact = Fact(WHOLE_FILE, "code.obfuscated", None, "possible", "code", "unknown")
    return FileFacts(LANGUAGE, "unread", reason, (fact,))


def needs_second_parser(facts: FileFacts) -> bool:
    """Say whether a file was refused for its grammar alone, so that a parser of other Pythons should be asked."""
    return facts.status == "unread" and facts.reason.startswith(NOT_PYTHON)

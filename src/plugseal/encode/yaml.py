"""Read YAML strictly: the JSON part of it, by the core schema of YAML 1.2.

Lines of plain text are read without a library. Else only PyYAML's event parser is used, never its constructors: no tag
makes an object, and limits hold while events come.
What two readers of YAML could take differently is refused: duplicate keys, merge keys, unknown tags, directives,
several documents, keys that are no scalars, line ends that only YAML 1.1 knows, infinities and NaN. Aliases are
allowed, but what they expand to counts against the limits. `yes`, `on`, dates and `1_000` are text, as YAML 1.2 says.
"""

from __future__ import annotations

import re
from typing import Any

from plugseal.encode.places import Node, Places
from plugseal.encode.text import LineIndex, decode_text, fault_at
from plugseal.encode.values import Json
from plugseal.encode.yaml_lines import compose_lines
from plugseal.errors import DataError
from plugseal.limits import KIB
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_MAX_SLOW_BYTES = 256 * KIB
"""Limit where PyYAML has no C parser: its own is some hundred times slower."""
_NOT_PRINTABLE = lazy("[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not allow, and U+0085, U+2028 and U+2029, which only readers of YAML 1.1 take for line ends."""
_NOT_PRINTABLE_ASCII = lazy("[^\t\n\r -~]")
"""The same for a text in ASCII: all of Unicode takes a third of a bare start to compile."""
_FENCE = lazy(r"---[ \t]*(?:\r?\n|\Z)")
_CLOSING = lazy(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)

_PLAIN = lazy(r"^([A-Za-z_-]+:[ \t]+)([^\s](?:[^\r\n]*[^ \t\r\n])?)([ \t]*\r?)$", re.MULTILINE)
_ODD = lazy(r"[{}\[\]*&#!|>%@`]|: ")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\t": "\\t"})


class FrontMatter(NamedTuple):
    """The table at the head of a Markdown file."""

    values: dict[str, Json]
    body_line: int
    """The 1-based line where the text itself begins."""


def parse_yaml(data: bytes, *, merges: bool = False) -> Json:
    """Return the value of a YAML document; an empty one is None.

    Args:
        data: the whole file; a byte order mark of UTF-8 may lead.
        merges: whether whoever reads the file merges tables (`<<: *base`); else such a key is refused.

    Raises:
        DataError: the document is refused; it names line and column.
    """
    return _compose(decode_text(data), merges=merges)[0]


def parse_merged_yaml(data: bytes) -> Json:
    """Return what `parse_yaml` does, of a file whose reader merges tables."""
    return parse_yaml(data, merges=True)


def index_yaml(data: bytes, *, merges: bool = False) -> Places:
    """Return where the keys and values of a YAML document stand.

    Raises:
        DataError: as `parse_yaml`.
    """
    text = decode_text(data)
    return Places(text, _compose(text, merges=merges)[1])


def index_merged_yaml(data: bytes) -> Places:
    """Return what `index_yaml` does, of a file whose reader merges tables."""
    return index_yaml(data, merges=True)


def parse_frontmatter(data: bytes) -> FrontMatter:
    """Return the YAML table between `---` lines at the head of a Markdown file; an empty one where there is none.

    Raises:
        DataError: the table is refused, no table, or without an end; lines are those of the file.
    """
    text, body_line = _frontmatter(data)
    value = _compose(text)[0] if body_line > 1 else None
    if value is not None and not isinstance(value, dict):
        raise DataError("the front matter is no table", line=2, column=1, hint="write it as `key: value` lines")
    return FrontMatter(value or {}, body_line)


def mend_frontmatter(data: bytes) -> bytes:
    """Return a Markdown file whose front matter has its odd plain values in quotes, as Claude Code reads it.

    It does so where the table can't be parsed as it stands, which `description: Use it when: …` can't.

    Raises:
        DataError: the front matter has no end.
    """
    head, _ = _frontmatter(data)
    text = decode_text(data)
    return (_PLAIN.sub(_in_quotes, head) + text[len(head) :]).encode("utf-8", "surrogatepass")


def _in_quotes(match: re.Match[str]) -> str:
    key, value, end = match.groups()
    is_quoted = value[0] == value[-1] and value[0] in "\"'"
    if is_quoted or _ODD.search(value) is None:
        return match[0]
    return f'{key}"{value.translate(_ESCAPES)}"{end}'


def index_frontmatter(data: bytes) -> Places:
    """Return where the keys and values of a front matter stand in the file.

    Raises:
        DataError: as `parse_frontmatter`.
    """
    text, body_line = _frontmatter(data)
    return Places(text, _compose(text)[1] if body_line > 1 else None)


def _frontmatter(data: bytes) -> tuple[str, int]:
    """Return the text up to the closing line, its first line kept so that places are those of the file."""
    text = decode_text(data)
    opening = _FENCE.match(text)
    if opening is None:
        return "", 1
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise DataError("the front matter has no end", line=1, column=1, hint="end it with a line `---`")
    head = text[: closing.start()]
    return head, LineIndex(head).place(len(head))[0] + 1


def _compose(text: str, *, merges: bool = False) -> tuple[Json, Node | None]:
    """Return the value of a document and its places."""
    simple = compose_lines(text)
    if simple is not None:
        return simple
    import yaml

    from plugseal.encode.yaml_compose import Composer

    loader = getattr(yaml, "CSafeLoader", None)
    _check_text(text, has_fast_parser=loader is not None)
    try:
        return Composer(text, yaml.parse(text, Loader=loader or yaml.SafeLoader), merges=merges).document()
    except yaml.MarkedYAMLError as error:
        raise _syntax_fault(text, error) from None
    except yaml.YAMLError as error:
        raise DataError(f"not valid YAML: {str(error).splitlines()[0]}") from None


def _check_text(text: str, *, has_fast_parser: bool) -> None:
    match = (_NOT_PRINTABLE_ASCII if text.isascii() else _NOT_PRINTABLE).search(text)
    if match is not None:
        raise fault_at(text, match.start(), f"holds U+{ord(match[0]):04X}", hint="write it as an escape")
    if not has_fast_parser and len(text) > _MAX_SLOW_BYTES:
        raise DataError(f"larger than {_MAX_SLOW_BYTES:,} characters", hint="install PyYAML with its C parser")


def _syntax_fault(text: str, error: Any) -> DataError:
    mark = error.problem_mark or error.context_mark
    message = f"not valid YAML: {error.problem or error.context}"
    return DataError(message) if mark is None else fault_at(text, mark.index, message)

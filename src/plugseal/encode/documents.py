"""Find places in data documents of any syntax."""

from __future__ import annotations

from enum import Enum

from plugseal.encode.json import index_json
from plugseal.encode.places import Places, Pointer
from plugseal.encode.toml import index_toml
from plugseal.encode.yaml import index_frontmatter, index_yaml
from plugseal.model.location import Span


class Syntax(str, Enum):
    """How a data document is written."""

    JSON = "json"
    JSONC = "jsonc"
    """With comments and trailing commas."""
    TOML = "toml"
    YAML = "yaml"
    FRONTMATTER = "front matter"
    """YAML at the head of a Markdown file."""


def build_places(data: bytes, syntax: Syntax) -> Places:
    """Return where the keys and values of a document stand; keep it to ask more than once.

    Raises:
        DataError: the document is refused.
    """
    match syntax:
        case Syntax.JSON:
            return index_json(data)
        case Syntax.JSONC:
            return index_json(data, comments=True)
        case Syntax.TOML:
            return index_toml(data)
        case Syntax.YAML:
            return index_yaml(data)
        case Syntax.FRONTMATTER:
            return index_frontmatter(data)


def locate(data: bytes, pointer: Pointer, *, syntax: Syntax) -> Span | None:
    """Return the place of one value, or None where it is missing.

    Raises:
        DataError: the document is refused.
    """
    return build_places(data, syntax).value(pointer)

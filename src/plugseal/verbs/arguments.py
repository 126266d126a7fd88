"""The arguments of a call as a person types them: one JSON object, read strictly."""

from __future__ import annotations

from typing import Any, Final

from plugseal.encode.json import parse_json
from plugseal.errors import DataError, UsageError

_HINT: Final = """for example '{"text": "hello"}'"""


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a call.

    Raises:
        UsageError: they are no JSON object, or one that can be read in two ways.
    """
    try:
        values = parse_json(text.encode("utf-8", "surrogateescape"), allow_mark=False)
    except DataError as error:
        raise UsageError(f"the arguments are no JSON: {error.message}", hint=_HINT) from error
    if not isinstance(values, dict):
        raise UsageError("the arguments are no JSON object", hint=_HINT)
    return dict(values)

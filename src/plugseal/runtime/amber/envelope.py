"""The envelope of a tool's result, `{ok, output, meta}`: read strictly from a plugin, and never larger than allowed.

Errors are returned, never thrown: what goes wrong on the way is an envelope too, with an output that begins with
`ERROR: ` and the error of ours beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from plugseal.errors import PlugsealError
from plugseal.records import NamedTuple
from plugseal.runtime.limits import KIB

MAX_RESULT_BYTES: Final = 64 * KIB
"""Output and meta of one result together, in UTF-8."""
_MAX_META_BYTES: Final = 16 * KIB
_MAX_ERROR_CHARACTERS: Final = 2000


class Envelope(NamedTuple):
    """The result of one call."""

    ok: bool
    output: str
    meta: Mapping[str, Any]
    error: PlugsealError | None = None
    """Why there is no answer of the plugin's own; None where this is its answer."""

    @property
    def body(self) -> dict[str, Any]:
        """Return what a harness shows: the same three keys that built-in tools answer with."""
        return {"ok": self.ok, "output": self.output, "meta": dict(self.meta)}


class MalformedError(Exception):
    """Say how an answer breaks the protocol; never leaves the runtime."""


def failed(error: PlugsealError) -> Envelope:
    """Return the envelope of a call that got no answer of its plugin."""
    return Envelope(False, f"ERROR: {error.message}"[:_MAX_ERROR_CHARACTERS], {}, error)


def parse_result(body: Mapping[str, Any]) -> Envelope:
    """Return the envelope in a plugin's answer to a call, cut to what is allowed.

    Args:
        body: the whole answer.

    Raises:
        MalformedError: it is no envelope.
    """
    if "error" in body:
        return _capped(False, f"ERROR: {_error_text(body['error'])}", {})
    result = body.get("result")
    if not isinstance(result, dict):
        raise MalformedError("its result is no object")
    ok, meta = result.get("ok"), result.get("meta", {})
    output = result.get("output", "" if ok else result.get("error", ""))
    if not isinstance(ok, bool):
        raise MalformedError("its `ok` is neither true nor false")
    if not isinstance(output, str):
        raise MalformedError("its `output` is no text")
    if not isinstance(meta, dict | None):
        raise MalformedError("its `meta` is no object")
    return _capped(ok, output, meta or {})


def _error_text(error: object) -> str:
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) and message else "the plugin answered with an error"


def _capped(ok: bool, output: str, meta: Mapping[str, Any]) -> Envelope:
    size = len(json.dumps(meta, ensure_ascii=False).encode("utf-8", "replace"))
    if size > _MAX_META_BYTES:
        meta = {"cut": f"{size:,} bytes of meta, {_MAX_META_BYTES:,} are allowed"}
        size = len(json.dumps(meta))
    data = output.encode("utf-8", "replace")
    room = MAX_RESULT_BYTES - size
    if len(data) > room:
        note = f"\n[cut: {len(data):,} bytes of output, {MAX_RESULT_BYTES:,} are allowed]".encode()
        # A character that the cut falls into is left out as a whole.
        output = data[: room - len(note)].decode("utf-8", "ignore") + note.decode()
    return Envelope(ok, output, meta)

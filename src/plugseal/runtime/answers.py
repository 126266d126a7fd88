"""Messages in our own name: errors that answer a request which is not answered otherwise."""

from __future__ import annotations

import json


def error_answer(number: str | None, code: int, message: str) -> bytes:
    """Return an error response; the ID as it was sent."""
    text = json.dumps(message)
    return f'{{"jsonrpc":"2.0","id":{number or "null"},"error":{{"code":{code},"message":{text}}}}}\n'.encode()


def id_of(line: bytes) -> str | None:
    """Return the ID of a message that was refused, where it can be told at all."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    number = value.get("id") if isinstance(value, dict) else None
    return json.dumps(number) if isinstance(number, str | int) and not isinstance(number, bool) else None


def id_of_answer(line: bytes) -> str | None:
    """Return the ID of a refused answer, of one that is not UTF-8 too: whoever waits for it need not wait on."""
    return id_of(line.decode("utf-8", "replace").encode())

"""Read the copy and the source of a plugin side by side, in a few processes that take share after share.

Which copy and which source it is are guessed from a record of which nothing is verified: whoever asks must know them,
and take nothing else for them. What a process that was ended did not tell of is read here.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from typing import Any, Final

from plugseal.intake.flags import HAS_DIR_FD, READ_FLAGS
from plugseal.intake.listing import OddError
from plugseal.intake.pair import Block, Pair, build_digests
from plugseal.model.identity import STAGE, id_of
from plugseal.runtime.background import Background

_RECORDS: Final = "plugins"
_HOME: Final = "PLUGSEAL_HOME"
_BELOW_HOME: Final = ".local/state/plugseal"
_HEX: Final = frozenset("0123456789abcdef")
_DIGEST_LENGTH: Final = 64
_MAX_RECORD_BYTES: Final = 16 * 1024 * 1024
_TICKET_BYTES: Final = 2
"""The number of a share: so many bytes are read at a time, and each number by one process alone."""
_AT_ONCE: Final = 512
"""Bytes that a pipe takes whole or not at all, on every system."""
_MAX_HELPERS: Final = 3
_ODD: Final = b"odd"


def read_guess(plugin: str) -> tuple[str, str, str, str] | None:
    """Return the copy, its source, the content receipt of the one and the digest of the other.

    None where the record allows no start, or the two are not plain, not the same, or can't be read.

    Args:
        plugin: its ID.
    """
    if not HAS_DIR_FD:
        return None
    try:
        home = os.environ.get(_HOME) or f"{_account_home()}/{_BELOW_HOME}"
        guess = _find(home, plugin)
        if guess is None:
            return None
        copy, source = f"{home}/{STAGE}/{guess[0]}", guess[1]
        with closing(Pair(copy, source)) as pair:
            found = read_both(pair)
    except (OSError, OddError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None  # the gate says what is wrong
    return None if found is None else (copy, source, *found)


def read_both(pair: Pair) -> tuple[str, str] | None:
    """Return the content receipt of a copy and the digest of its source, None where it is too much for a receipt.

    Raises:
        OddError: something is not plain, or not the same on both sides.
        OSError: it can't be read.
    """
    tickets, into = os.pipe()
    try:
        try:
            _hand_out(into, len(pair))
        finally:
            os.close(into)
        others: list[Background] = []
        try:
            others += [Background(lambda: _told(pair, tickets)) for _ in range(_helpers())]
            numbers, blocks = _read_shares(pair, tickets)
            for other in others:
                more_numbers, more_blocks = _heard(other.result())
                numbers += more_numbers
                blocks += more_blocks
        finally:
            for other in others:
                other.close(wait=False)  # somebody waits for the digests
    finally:
        os.close(tickets)
    for number in set(range(len(pair))).difference(numbers):
        blocks += pair.read(number)
    return build_digests(blocks)


def _hand_out(into: int, count: int) -> None:
    """Write the number of each share to a pipe, as far as they fit in: the others are read at the end."""
    os.set_blocking(into, False)
    numbers = b"".join([number.to_bytes(_TICKET_BYTES, "big") for number in range(count)])
    try:
        for start in range(0, len(numbers), _AT_ONCE):
            os.write(into, numbers[start : start + _AT_ONCE])
    except BlockingIOError:
        pass  # a user with many pipes gets small ones


def _helpers() -> int:
    """Return how many processes read beside this one: the gate loads meanwhile, on a processor of its own if it can."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MAX_HELPERS, processors - 2))


def _read_shares(pair: Pair, tickets: int) -> tuple[list[int], list[Block]]:
    """Read share after share until none is left."""
    numbers: list[int] = []
    blocks: list[Block] = []
    try:
        while ticket := os.read(tickets, _TICKET_BYTES):
            numbers.append(int.from_bytes(ticket, "big"))
            blocks += pair.read(numbers[-1])
    except (OSError, OddError):
        while os.read(tickets, 1 << 16):
            continue  # none of them need be read any more
        raise
    return numbers, blocks


def _told(pair: Pair, tickets: int) -> bytes:
    try:
        numbers, blocks = _read_shares(pair, tickets)
    except (OSError, OddError):
        return _ODD
    about = [[*block[:4], len(block[4]), len(block[5])] for block in blocks]
    length = sum([len(block[4]) + len(block[5]) for block in blocks])
    begin = json.dumps([numbers, about, length]).encode("ascii")
    return b"".join([begin, b"\n", *[text for block in blocks for text in block[4:]]])


def _heard(answer: bytes) -> tuple[list[int], list[Block]]:
    """Return the numbers of the shares that were read, and their blocks; nothing where the answer is not whole.

    Raises:
        OddError: the answer says so.
    """
    if answer == _ODD:
        raise OddError()
    begin = answer.find(b"\n") + 1
    try:
        numbers, about, length = json.loads(answer[:begin])
    except ValueError:
        return [], []
    if len(answer) - begin != length:
        return [], []
    blocks: list[Block] = []
    for key, files, folders, total_bytes, lines, rows in about:
        middle, end = begin + lines, begin + lines + rows
        blocks.append((key, files, folders, total_bytes, answer[begin:middle], answer[middle:end]))
        begin = end
    return numbers, blocks


def _account_home() -> str:
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_dir


def _find(home: str, plugin: str) -> tuple[str, str] | None:
    """Return the content receipt and the root that a record names, None where none allows a start."""
    system = json.dumps(plugin.partition(":")[0]).encode("ascii")
    for name in os.listdir(f"{home}/{_RECORDS}"):  # noqa: PTH208  # names alone
        if name.startswith(".") or not name.endswith(".json"):
            continue
        data = _read(f"{home}/{_RECORDS}/{name}")
        if system not in data:
            continue
        value: dict[str, Any] = json.loads(data)  # Any: JSON, of which four fields are looked at
        kind, title, scope, root = map(str, value["subject"])
        if id_of(kind, title, root, scope=scope) != plugin:
            continue
        standing = value["standing"]
        approval = standing["trust"]
        if standing["enabled"] is not True or approval is None or not approval["source"]:
            return None
        content = str(approval["content"])
        return (content, root) if len(content) == _DIGEST_LENGTH and _HEX.issuperset(content) else None
    return None


def _read(path: str) -> bytes:
    descriptor = os.open(path, READ_FLAGS)
    try:
        return os.read(descriptor, _MAX_RECORD_BYTES)
    finally:
        os.close(descriptor)

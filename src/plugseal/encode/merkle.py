"""Merkle trees of RFC 6962: roots, and compact ranges that forget their leaves.

A compact range over the leaves `begin` to `end` is the shortest list of hashes of perfect, aligned subtrees that covers
them; it grows leaf by leaf and is all that is needed of what was forgotten. Source: RFC 6962 section 2.1. No disk, no
state.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

HASH_BYTES: Final = 32
_MAX_SIZE: Final = 2**62


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf: 32 bytes."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node: 32 bytes."""
    return sha256(b"\x01" + left + right).digest()


def empty_root() -> bytes:
    """Return the root of a tree without leaves: 32 bytes."""
    return sha256(b"").digest()


def range_levels(begin: int, end: int) -> tuple[int, ...]:
    """Return the heights of the perfect, aligned subtrees that cover leaves, from left to right; 0 is a leaf."""
    levels = []
    while begin < end:
        aligned = (begin & -begin).bit_length() - 1 if begin else _MAX_SIZE.bit_length()
        level = min(aligned, (end - begin).bit_length() - 1)
        levels.append(level)
        begin += 1 << level
    return tuple(levels)


class CompactRange:
    """The leaves `begin` to `end` (exclusive) of a tree, as hashes of subtrees, from left to right; never changed."""

    __slots__ = ("begin", "end", "hashes")

    def __init__(self, begin: int, end: int, hashes: tuple[bytes, ...]) -> None:
        """Hold a range.

        Raises:
            ValueError: it has not the hashes that such a range has.
        """
        if not 0 <= begin <= end < _MAX_SIZE:
            raise ValueError("a range runs from its begin to its end")
        if len(hashes) != (len(range_levels(begin, end)) if begin else end.bit_count()):
            raise ValueError("a range has one hash for each of its subtrees")
        if any(len(digest) != HASH_BYTES for digest in hashes):
            raise ValueError("a hash has 32 bytes")
        self.begin: Final = begin
        self.end: Final = end
        self.hashes: Final = hashes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompactRange):
            return NotImplemented
        return (self.begin, self.end, self.hashes) == (other.begin, other.end, other.hashes)

    def __hash__(self) -> int:
        return hash((self.begin, self.end, self.hashes))

    def __repr__(self) -> str:
        return f"CompactRange({self.begin}, {self.end}, {self.hashes!r})"

    def append(self, leaf: bytes) -> CompactRange:
        """Return the range with one more leaf, given by its hash."""
        return self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> CompactRange:
        """Return the range with more leaves, given by their hashes."""
        begin, end, hashes = self.begin, self.end, list(self.hashes)
        for leaf in leaves:
            digest, node, level = leaf, end, 0
            # A subtree joins the one to its left where that one is of its height and lies in the range.
            while node & 1 and (node ^ 1) << level >= begin:
                digest = sha256(b"\x01" + hashes.pop() + digest).digest()
                node, level = node >> 1, level + 1
            hashes.append(digest)
            end += 1
        return CompactRange(begin, end, tuple(hashes))

    def join(self, right: CompactRange) -> CompactRange:
        """Return the range over both, where the other begins at this one's end.

        Raises:
            ValueError: it begins elsewhere.
        """
        if right.begin != self.end:
            raise ValueError("the right range begins where the left one ends")
        cover = _Cover(self)
        for level, digest in zip(range_levels(right.begin, right.end), right.hashes, strict=True):
            cover.push(level, digest)
        return cover.range()

    def root(self) -> bytes:
        """Return the root of the tree that this range is all of: 32 bytes.

        Raises:
            ValueError: it does not begin at the first leaf.
        """
        if self.begin:
            raise ValueError("only a range from the first leaf on has a root")
        if not self.hashes:
            return empty_root()
        *others, root = self.hashes
        for left in reversed(others):
            root = node_hash(left, root)
        return root


EMPTY: Final = CompactRange(0, 0, ())


def merkle_root(leaves: Iterable[bytes]) -> bytes:
    """Return the root over leaves, given by their hashes: 32 bytes."""
    return EMPTY.extend(leaves).root()


class _Cover:
    """The subtrees of a range that grows: two of one height join where the left one is aligned."""

    def __init__(self, grown: CompactRange) -> None:
        self._begin = self._end = grown.begin
        self._levels: list[int] = []
        self._starts: list[int] = []
        self._hashes: list[bytes] = []
        for level, digest in zip(range_levels(grown.begin, grown.end), grown.hashes, strict=True):
            self.push(level, digest)

    def push(self, level: int, digest: bytes) -> None:
        """Put a subtree to the right of all others."""
        levels, starts, hashes = self._levels, self._starts, self._hashes
        start = self._end
        self._end += 1 << level
        while levels and levels[-1] == level and not starts[-1] & ((2 << level) - 1):
            digest = node_hash(hashes.pop(), digest)
            start = starts.pop()
            levels.pop()
            level += 1
        levels.append(level)
        starts.append(start)
        hashes.append(digest)

    def range(self) -> CompactRange:
        """Return the range that it has become."""
        return CompactRange(self._begin, self._end, tuple(self._hashes))

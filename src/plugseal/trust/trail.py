"""The bounded trail: the latest entries whole, everything older folded into a Merkle tree, nothing lost unseen.

Rules
- An entry is one canonical JSON object with its number `n`, from 1 on without a gap. Its hash is a leaf of RFC 6962.
- The latest `KEPT` entries stand whole. Older ones are folded into a compact range; a checkpoint says how many entries
  there ever were and what the root over all of them is: no entry can be dropped, changed, moved or added unseen.
- An anchor remembers the tree as it was at a checkpoint that somebody took away, with what is needed to show that the
  trail of today begins with it. The latest `ANCHORS` are kept.

It detects; it does not prevent. Who may write the files can write a whole new trail: only a checkpoint that is kept
elsewhere tells. No disk and no clock here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from plugseal.encode.merkle import EMPTY, CompactRange, leaf_hash
from plugseal.errors import TrailError
from plugseal.limits import MAX_KEPT
from plugseal.records import NamedTuple
from plugseal.trust.plain import Json, render_plain

KEPT: Final = MAX_KEPT
"""Entries that stand whole."""
ANCHORS: Final = 2
Entry: TypeAlias = "Mapping[str, Json]"


class Anchor(NamedTuple):
    """A checkpoint that was taken away: the tree then, and everything since."""

    then: CompactRange
    since: CompactRange

    def append(self, leaf: bytes) -> Anchor:
        """Return the anchor after one more entry."""
        return self._replace(since=self.since.append(leaf))


class Trail(NamedTuple):
    """All entries that ever were: the latest whole, the others by hash."""

    folded: CompactRange = EMPTY
    tail: tuple[Entry, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    lines: tuple[bytes, ...] | None = None
    """The canonical bytes of the entries that stand whole, where they are at hand; makes no trail another."""
    whole: CompactRange | None = None
    """The tree over all entries, where it was computed already; makes no trail another."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trail) and self[:3] == other[:3]

    def __ne__(self, other: object) -> bool:
        return not self == other

    @property
    def size(self) -> int:
        """Return how many entries there ever were."""
        return self.folded.end + len(self.tail)

    def range(self) -> CompactRange:
        """Return the tree over all entries."""
        return self.folded.extend(map(leaf_hash, self.written())) if self.whole is None else self.whole

    def root(self) -> bytes:
        """Return the root over all entries: 32 bytes."""
        return self.range().root()

    def append(self, entry: Entry) -> Trail:
        """Return the trail with one more entry, which gets its number here."""
        numbered = {**entry, "n": self.size + 1}
        tail, lines = (*self.tail, numbered), (*self.written(), render_plain(numbered))
        drop, leaf = max(0, len(tail) - KEPT), leaf_hash(lines[-1])
        folded = self.folded.extend(map(leaf_hash, lines[:drop]))
        anchors = tuple(anchor.append(leaf) for anchor in self.anchors)
        return Trail(folded, tail[drop:], anchors, lines[drop:], self.range().append(leaf))

    def written(self) -> tuple[bytes, ...]:
        """Return the entries that stand whole as canonical JSON."""
        return tuple(render_plain(dict(entry)) for entry in self.tail) if self.lines is None else self.lines

    def anchor(self) -> Trail:
        """Return the trail that remembers its state of now, for a checkpoint that leaves the machine."""
        now = self.range()
        if any(anchor.then.end == now.end for anchor in self.anchors):
            return self
        fresh = Anchor(now, CompactRange(now.end, now.end, ()))
        return self._replace(anchors=(*self.anchors, fresh)[-ANCHORS:])


def entry_hash(entry: Entry) -> bytes:
    """Return an entry's leaf hash: 32 bytes."""
    return leaf_hash(render_plain(dict(entry)))


def verify_trail(trail: Trail, *, size: int, root: bytes) -> None:
    """Refuse a trail that is not the one of which a checkpoint tells.

    Args:
        trail: as it was found.
        size: how many entries there ever were.
        root: over all of them, 32 bytes.

    Raises:
        TrailError: entries are missing, doubled, moved, added or changed; the message says which.
    """
    if trail.folded.begin:
        raise TrailError("what was folded does not begin with the first entry", kind="malformed")
    verify_numbers([entry.get("n") for entry in trail.tail], first=trail.folded.end + 1)
    verify_tree(trail, size=size, root=root)


def verify_tree(trail: Trail, *, size: int, root: bytes) -> None:
    """Refuse a trail whose entries are not those of which a checkpoint tells, whatever they say themselves.

    Args:
        trail: as it was found.
        size: how many entries there ever were.
        root: over all of them, 32 bytes.

    Raises:
        TrailError: as `verify_trail`, but that nothing is said of which entry it is.
    """
    if trail.size < size:
        raise TrailError(f"the newest {_entries(size - trail.size)} missing: there were {size:,}", kind="cut-newest")
    if trail.size > size:
        raise TrailError(
            f"{_entries(trail.size - size)} more than there ever were: the checkpoint knows {size:,}", kind="forged"
        )
    now = trail.range()
    if now.root() != root:
        raise TrailError(f"an entry among the {size:,} is not what was written", kind="edited")
    for anchor in trail.anchors:
        if anchor.since.begin != anchor.then.end or anchor.since.end != size or anchor.then.join(anchor.since) != now:
            raise TrailError(f"the anchor at entry {anchor.then.end:,} does not belong to it", kind="edited")


def verify_numbers(numbers: Sequence[Json], *, first: int) -> None:
    """Refuse numbers of entries that do not count up from the first one expected.

    Args:
        numbers: as they stand, from the oldest entry to the newest.
        first: the number that the oldest of them must have.

    Raises:
        TrailError: by what was done to them.
    """
    found = [number if type(number) is int else -1 for number in numbers]
    wanted = list(range(first, first + len(found)))
    if found == wanted:
        return
    if any(number < 1 for number in found):
        raise TrailError("an entry has no number", kind="malformed")
    if len(set(found)) != len(found):
        doubled = next(number for at, number in enumerate(found) if number in found[:at])
        put_back = found[-1] == doubled and found.index(doubled) != len(found) - 2
        kind = "rolled-back" if put_back else "doubled"
        what = "was put back at the end" if put_back else "stands twice"
        raise TrailError(f"entry {doubled:,} {what}", kind=kind)
    if sorted(found) != found:
        at = next(at for at in range(1, len(found)) if found[at] < found[at - 1])
        raise TrailError(f"entry {found[at]:,} stands behind entry {found[at - 1]:,}", kind="reordered")
    if found[0] != first:
        raise TrailError(
            f"the oldest {_entries(found[0] - first)} missing: the first kept is {first:,}", kind="cut-oldest"
        )
    missing = next(number for number in wanted if number not in found)
    raise TrailError(f"entry {missing:,} is missing", kind="gap")


def verify_since(trail: Trail, *, size: int, root: bytes) -> None:
    """Refuse a trail that does not begin with everything of which an older checkpoint tells.

    Args:
        trail: verified already.
        size: of the trail then.
        root: of the trail then, 32 bytes.

    Raises:
        TrailError: it tells another history, or too much was folded since to tell.
    """
    if size > trail.size:
        raise TrailError(
            f"an older state was put back: there were {size:,} entries, now there are {trail.size:,}",
            kind="rolled-back",
        )
    then = _range_at(trail, size)
    if then is None:
        raise TrailError(
            f"the checkpoint at entry {size:,} is older than what can be compared",
            kind="malformed",
            hint=f"take one at least every {KEPT} entries, or with `plugseal log checkpoint`, which anchors it",
        )
    if then.root() != root:
        raise TrailError(f"the first {size:,} entries are not those of the checkpoint", kind="rolled-back")


def _range_at(trail: Trail, size: int) -> CompactRange | None:
    if size >= trail.folded.end:
        return trail.folded.extend(map(leaf_hash, trail.written()[: size - trail.folded.end]))
    return next((anchor.then for anchor in trail.anchors if anchor.then.end == size), None)


def _entries(count: int) -> str:
    return "entry is" if count == 1 else f"{count:,} entries are"

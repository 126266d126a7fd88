"""One plugin's record as bytes and back: its standing, its reviews, and the seal of this installation.

Everything is checked when it is read: the bytes are the ones that plugseal would write, the seal (HMAC-SHA256 by the
installation's secret) is over all of them, the trail is unbroken, and the standing is that of the newest entry.
No disk here.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from plugseal.encode.merkle import CompactRange, leaf_hash
from plugseal.errors import StateError, TrailError
from plugseal.model.trust import Actor, Approval, Standing, Subject
from plugseal.trust import fields
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.trail import Anchor, Entry, Trail, verify_trail

FORMAT: Final = "plugseal.trust/1"
_TAIL_BEGINS: Final = b'"tail":['
_TAIL_ENDS: Final = b']},"revoked":'
_BEHIND_SEAL: Final = b',"standing":{'
_NEXT_ENTRY: Final = b'},{"action":'
_SEAL_DOMAIN: Final = b"plugseal-record-v1\x00"
_KEYS: Final = ("format", "subject", "standing", "revoked", "reviews", "seal")
_ENTRY_KEYS: Final = ("n", "at", "action", "by", "content", "capability", "generation", "rules", "note")
_APPROVAL_KEYS: Final = tuple("content capability at by rules scanner unread unknown source only interpreters".split())
ACTIONS: Final = frozenset("trusted enabled disabled revoked reloaded rechecked forgotten".split())


class Record(NamedTuple):
    """Everything stored about one plugin but its runs."""

    subject: Subject
    standing: Standing
    reviews: Trail = Trail()
    revoked: Entry | None = None
    """The latest revocation, kept whole however many transitions follow."""

    def after(
        self, standing: Standing, *, action: str, at: str, by: Actor, note: str = "", rules: str | None = None
    ) -> Record:
        """Return the record after one transition, with its entry in the trail.

        Args:
            standing: after the transition.
            action: one of `ACTIONS`.
            at: UTC, `YYYY-MM-DDThh:mm:ssZ`.
            by: who acted.
            note: why, in a few words.
            rules: the digest of the rule set that was asked; that of the trust by default.
        """
        about = standing.trust or self.standing.trust
        entry: dict[str, Json] = {
            "at": at,
            "action": action,
            "by": actor_json(by),
            "content": about.content if about else None,
            "capability": about.capability if about else None,
            "generation": standing.generation,
            "rules": rules or (about.rules if about else None),
            "note": note,
        }
        reviews = self.reviews.append(entry)
        revoked = reviews.tail[-1] if action == "revoked" else self.revoked
        return self._replace(standing=standing, reviews=reviews, revoked=revoked)


def render_record(record: Record, secret: bytes) -> bytes:
    """Return a record's bytes, sealed.

    Raises:
        StateError: a path or name in it can't be written.
    """
    body: dict[str, Json] = {
        "format": FORMAT,
        "subject": list(record.subject),
        "standing": _standing_json(record.standing),
        "revoked": None if record.revoked is None else dict(record.revoked),
        "reviews": trail_json(record.reviews),
    }
    data = render_plain(body)
    # The seal stands where its key sorts; rendering all of it again would take as long as the rest.
    head, mark, rest = data.partition(_BEHIND_SEAL)
    return b'%b,"seal":"%b"%b%b' % (head, seal(secret, _SEAL_DOMAIN, data).encode("ascii"), mark, rest)


def parse_record(data: bytes, secret: bytes | None) -> Record:
    """Return the record that `render_record` wrote.

    Args:
        data: all bytes of the file.
        secret: of the installation; None to read without believing, for showing what is there.

    Raises:
        TrailError: its trail is broken; the kind says how.
        StateError: it is anything else, or sealed by another installation.
    """
    value = fields.table(parse_plain(data), _KEYS)
    if value["format"] != FORMAT:
        raise StateError(f"has the format `{str(value['format'])[:40]}`: this plugseal knows `{FORMAT}`")
    system, name, scope, root = _exactly(value["subject"], 4)
    subject = Subject(fields.text(system), fields.text(name), fields.text(scope), fields.text(root))
    revoked = None if value["revoked"] is None else parse_entry(value["revoked"])
    reviews = parse_trail(value["reviews"], parse_entry, leaves=_leaves(data))
    record = Record(subject, _parse_standing(value["standing"]), reviews, revoked)
    _verify_newest(record)
    if secret is not None:
        found = fields.digest(value["seal"])
        body = data.replace(b',"seal":"%b"' % found.encode("ascii"), b"", 1)
        verify_seal(secret, _SEAL_DOMAIN, body, found)
    return record


def seal(secret: bytes, domain: bytes, data: bytes) -> str:
    """Return the MAC of data by the installation's secret, in hex."""
    return hmac.digest(secret, domain + data, "sha256").hex()


def verify_seal(secret: bytes, domain: bytes, data: bytes, found: str) -> None:
    """Refuse data that this installation did not seal.

    Raises:
        TrailError: another installation or somebody without the secret wrote it.
    """
    if not hmac.compare_digest(seal(secret, domain, data), found):
        raise TrailError("was not written by this installation: the seal does not fit", kind="forged")


def trail_json(trail: Trail) -> dict[str, Json]:
    """Return a trail with its checkpoint as JSON."""
    return {
        "folded": range_json(trail.folded),
        "tail": [dict(entry) for entry in trail.tail],
        "anchors": anchors_json(trail.anchors),
        "size": trail.size,
        "root": trail.root().hex(),
    }


def _leaves(data: bytes) -> tuple[bytes, ...]:
    """Return the leaf hashes of the entries of a record, as they stand in its bytes.

    The bytes are canonical, which the parser has seen: an entry's are those that it renders to. Inside of a text every
    quote is escaped, so that what is looked for here stands where an entry begins or the entries end, and nowhere else.
    """
    begin, end = data.find(_TAIL_BEGINS), data.find(_TAIL_ENDS)
    if begin < 0 or end <= begin + len(_TAIL_BEGINS):
        return ()
    parts = data[begin + len(_TAIL_BEGINS) : end].split(_NEXT_ENTRY)
    last = len(parts) - 1
    head = _NEXT_ENTRY[2:]
    return tuple(
        leaf_hash((head if at else b"") + part + (b"}" if at < last else b"")) for at, part in enumerate(parts)
    )


def parse_trail(value: Json, parse: Callable[[Json], Entry], *, leaves: tuple[bytes, ...] = ()) -> Trail:
    """Return a trail, verified against its checkpoint.

    Args:
        value: as `trail_json` made it.
        parse: `parse_entry` or another function from JSON to an entry.
        leaves: the leaf hashes of its entries, where they are known from their bytes.

    Raises:
        TrailError: it is broken.
        StateError: it is malformed.
    """
    found = fields.table(value, ("folded", "tail", "anchors", "size", "root"))
    tail = tuple(parse(entry) for entry in fields.rows(found["tail"]))
    trail = Trail(parse_range(found["folded"]), tail, parse_anchors(found["anchors"]))
    trail = trail._replace(leaves=leaves if len(leaves) == len(tail) else trail.hashes())
    verify_trail(trail, size=fields.number(found["size"]), root=bytes.fromhex(fields.digest(found["root"])))
    return trail


def anchors_json(anchors: Sequence[Anchor]) -> list[Json]:
    """Return anchors as JSON."""
    return [[range_json(anchor.then), range_json(anchor.since)] for anchor in anchors]


def parse_anchors(value: Json) -> tuple[Anchor, ...]:
    """Return anchors.

    Raises:
        StateError: they are malformed.
    """
    return tuple(_parse_anchor(anchor) for anchor in fields.rows(value))


def range_json(found: CompactRange) -> list[Json]:
    """Return a compact range as JSON."""
    return [found.begin, found.end, [digest.hex() for digest in found.hashes]]


def parse_range(value: Json) -> CompactRange:
    """Return a compact range.

    Raises:
        StateError: it is malformed.
    """
    begin, end, hashes = _exactly(value, 3)
    digests = tuple(bytes.fromhex(fields.digest(item)) for item in fields.rows(hashes))
    try:
        return CompactRange(fields.number(begin), fields.number(end), digests)
    except ValueError as error:
        raise StateError("is not what plugseal writes: a range without its hashes") from error


def parse_entry(value: Json) -> Entry:
    """Return one entry of the reviews.

    Raises:
        StateError: it is malformed.
    """
    entry = fields.table(value, _ENTRY_KEYS)
    fields.number(entry["n"])
    fields.moment(entry["at"])
    if fields.text(entry["action"]) not in ACTIONS:
        raise StateError("is not what plugseal writes: an entry of an unknown action")
    parse_actor(entry["by"])
    for key in ("content", "capability", "rules"):
        if entry[key] is not None:
            fields.digest(entry[key])
    fields.number(entry["generation"])
    fields.text(entry["note"])
    return entry


def parse_actor(value: Json) -> Actor:
    """Return who acted.

    Raises:
        StateError: it is malformed.
    """
    user, uid, terminal, parents = _exactly(value, 4)
    return Actor(
        fields.text(user),
        fields.number(uid),
        fields.optional_text(terminal),
        tuple(fields.text(parent) for parent in fields.rows(parents)),
    )


def actor_json(by: Actor) -> Json:
    """Return who acted as JSON."""
    return [by.user, by.uid, by.terminal, list(by.parents)]


def _parse_anchor(value: Json) -> Anchor:
    then, since = _exactly(value, 2)
    return Anchor(parse_range(then), parse_range(since))


def _standing_json(standing: Standing) -> Json:
    return {
        "incarnation": standing.incarnation,
        "generation": standing.generation,
        "enabled": standing.enabled,
        "trust": None if standing.trust is None else _approval_json(standing.trust),
        "place": None if standing.place is None else list(standing.place),
        "forgotten": standing.forgotten,
    }


def _parse_standing(value: Json) -> Standing:
    found = fields.table(value, ("incarnation", "generation", "enabled", "trust", "place", "forgotten"))
    place = None if found["place"] is None else _exactly(found["place"], 2)
    standing = Standing(
        fields.incarnation(found["incarnation"]),
        fields.number(found["generation"]),
        fields.truth(found["enabled"]),
        None if found["trust"] is None else _parse_approval(found["trust"]),
        None if place is None else (fields.number(place[0]), fields.number(place[1])),
        fields.truth(found["forgotten"]),
    )
    if standing.forgotten and (standing.enabled or standing.trust is not None):
        raise StateError("is not what plugseal writes: forgotten, and yet trusted or enabled")
    return standing


def _approval_json(approval: Approval) -> Json:
    # Records without it are those that were written before there was any.
    derived: dict[str, Json] = {"derived": approval.derived} if approval.derived else {}
    return derived | {
        "content": approval.content,
        "capability": approval.capability,
        "at": approval.at,
        "by": actor_json(approval.by),
        "rules": approval.rules,
        "scanner": approval.scanner,
        "unread": approval.unread,
        "unknown": approval.unknown,
        "source": approval.source,
        "only": list(approval.only),
        "interpreters": [list(interpreter) for interpreter in approval.interpreters],
    }


def _parse_approval(value: Json) -> Approval:
    has_derived = isinstance(value, dict) and "derived" in value
    found = fields.table(value, (*_APPROVAL_KEYS, "derived") if has_derived else _APPROVAL_KEYS)
    return Approval(
        fields.digest(found["content"]),
        fields.digest(found["capability"]),
        fields.moment(found["at"]),
        parse_actor(found["by"]),
        fields.digest(found["rules"]),
        fields.text(found["scanner"]),
        fields.number(found["unread"]),
        fields.number(found["unknown"]),
        fields.text(found["source"]),
        tuple(fields.text(name) for name in fields.rows(found["only"])),
        tuple(_interpreter(item) for item in fields.rows(found["interpreters"])),
        fields.digest(found["derived"]) if has_derived else "",
    )


def _interpreter(value: Json) -> tuple[str, str, str]:
    name, path, digest = _exactly(value, 3)
    return fields.text(name), fields.text(path), fields.digest(digest)


def _verify_newest(record: Record) -> None:
    """Refuse a standing that is not the one that the newest entry tells of."""
    newest = record.reviews.tail[-1] if record.reviews.tail else None
    if newest is None or newest["generation"] != record.standing.generation:
        raise TrailError("the state is not the one of which the newest entry tells", kind="edited")


def _exactly(value: Json, count: int) -> list[Json]:
    found = fields.rows(value)
    if len(found) != count:
        raise StateError(f"is not what plugseal writes: {len(found)} parts where {count} belong")
    return found

"""One plugin's record as bytes and back: its standing, its reviews, and the seal of this installation.

Everything is checked when it is read: the bytes are the ones that plugseal would write, the seal (HMAC-SHA256 by the
installation's secret) is over all of them, the trail is unbroken, and the standing is that of the newest entry. Who
changes a record carries the older entries over as bytes, for which the seal vouches. No disk here.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from typing import Final

from plugseal.errors import StateError, TrailError
from plugseal.model.trust import Actor, Approval, Standing, Subject
from plugseal.records import NamedTuple
from plugseal.trust import fields
from plugseal.trust.parts import (
    Kept,
    actor_json,
    anchors_json,
    exactly,
    parse_actor,
    parse_anchors,
    parse_entry,
    parse_range,
    range_json,
)
from plugseal.trust.plain import Json, parse_plain, render_plain
from plugseal.trust.seals import seal, verify_seal
from plugseal.trust.trail import Entry, Trail, verify_trail, verify_tree

FORMAT: Final = "plugseal.trust/1"
_TAIL_BEGINS: Final = b'"tail":['
_TAIL_ENDS: Final = b']},"revoked":'
_ENTRY: Final = b'{"a'
"""How an entry begins: its first key is `action`."""
_SEAL_BEGINS: Final = b',"seal":"'
_BEHIND_SEAL: Final = b',"standing":{'
_SEAL_BYTES: Final = len(_SEAL_BEGINS) + 64 + len('"')
_SEAL_DOMAIN: Final = b"plugseal-record-v1\x00"
_BODY: Final = ("format", "subject", "standing", "revoked", "reviews")
_REVIEWS: Final = ("folded", "tail", "anchors", "size", "root")
_APPROVAL_KEYS: Final = tuple("content capability at by rules scanner unread unknown source only interpreters".split())


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
    reviews = record.reviews
    body: dict[str, Json] = {
        "format": FORMAT,
        "subject": list(record.subject),
        "standing": _standing_json(record.standing),
        "revoked": None if record.revoked is None else dict(record.revoked),
        "reviews": {
            "folded": range_json(reviews.folded),
            "tail": [],
            "anchors": anchors_json(reviews.anchors),
            "size": reviews.size,
            "root": reviews.root().hex(),
        },
    }
    # The entries stand in it as they are, and the seal where its key sorts: nothing is rendered twice.
    begin, _, end = render_plain(body).partition(_TAIL_BEGINS)
    data = b"".join((begin, _TAIL_BEGINS, b",".join(reviews.written()), end))
    head, _, rest = data.rpartition(_BEHIND_SEAL)
    return b"".join((head, _sealing(data, secret), _BEHIND_SEAL, rest))


def parse_record(data: bytes, secret: bytes | None) -> Record:
    """Return the record that `render_record` wrote.

    Args:
        data: all bytes of the file.
        secret: of the installation; None to read without believing, for showing what is there.

    Raises:
        TrailError: its trail is broken; the kind says how.
        StateError: it is anything else, or sealed by another installation.
    """
    value = fields.table(parse_plain(data), (*_BODY, "seal"))
    tail = tuple(map(parse_entry, fields.rows(fields.table(value["reviews"], _REVIEWS)["tail"])))
    record = _parse_body(value, tail, _lines(data), verify=verify_trail)
    if secret is not None:
        found = fields.digest(value["seal"])
        body = data.replace(b',"seal":"%b"' % found.encode("ascii"), b"", 1)
        verify_seal(secret, _SEAL_DOMAIN, body, found)
    return record


def parse_own(data: bytes, secret: bytes) -> Record | None:
    """Return the record that these bytes are, where this installation wrote every one of them; None where not.

    The seal vouches for the spelling of the entries: each is parsed when somebody looks at it, the newest here. The
    tree over all of them is computed anew.

    Law: what this returns equals `parse_record(data, secret)`, which says what is wrong where this returns None.

    Raises:
        TrailError: its trail is broken, though sealed.
        StateError: it is malformed, though sealed.
    """
    end = data.rfind(_BEHIND_SEAL)
    start = end - _SEAL_BYTES
    if start < 0:
        return None
    body = data[:start] + data[end:]
    if not hmac.compare_digest(data[start:end], _sealing(body, secret)):
        return None
    lines = _lines(body)
    cut = body.find(_TAIL_BEGINS) + len(_TAIL_BEGINS)
    beside = body[:cut] + body[body.rfind(_TAIL_ENDS) :] if lines else body
    return _parse_body(fields.table(json.loads(beside), _BODY), tuple(map(Kept, lines)), lines, verify=verify_tree)


def _sealing(body: bytes, secret: bytes) -> bytes:
    return b'%b%b"' % (_SEAL_BEGINS, seal(secret, _SEAL_DOMAIN, body).encode("ascii"))


def _lines(data: bytes) -> tuple[bytes, ...]:
    """Return the entries of a record as they stand in its bytes, which are canonical.

    Inside of a text every quote is escaped, so that what is looked for here stands where an entry begins or the entries
    end, and nowhere else. What stands near the end is looked for from there.
    """
    begin, end = data.find(_TAIL_BEGINS) + len(_TAIL_BEGINS), data.rfind(_TAIL_ENDS)
    if end <= begin:
        return ()
    between = data[begin + len(_ENTRY) : end - len("}")]
    return tuple([b"%b%b}" % (_ENTRY, part) for part in between.split(b"}," + _ENTRY)])


def _parse_body(
    value: dict[str, Json], tail: tuple[Entry, ...], lines: tuple[bytes, ...], *, verify: Callable[..., None]
) -> Record:
    """Return a record of which the entries are parsed already, verified but for its seal."""
    if value["format"] != FORMAT:
        raise StateError(f"has the format `{str(value['format'])[:40]}`: this plugseal knows `{FORMAT}`")
    subject = Subject(*map(fields.text, exactly(value["subject"], 4)))
    revoked = None if value["revoked"] is None else parse_entry(value["revoked"])
    reviews = _parse_trail(value["reviews"], tail, lines, verify=verify)
    record = Record(subject, _parse_standing(value["standing"]), reviews, revoked)
    _verify_newest(record)
    return record


def _parse_trail(
    value: Json, tail: tuple[Entry, ...], lines: tuple[bytes, ...], *, verify: Callable[..., None]
) -> Trail:
    """Return a trail, verified against its checkpoint."""
    found = fields.table(value, _REVIEWS)
    trail = Trail(parse_range(found["folded"]), tail, parse_anchors(found["anchors"]))
    trail = trail._replace(lines=lines if len(lines) == len(tail) else trail.written())
    trail = trail._replace(whole=trail.range())
    verify(trail, size=fields.number(found["size"]), root=bytes.fromhex(fields.digest(found["root"])))
    return trail


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
    place = None if found["place"] is None else exactly(found["place"], 2)
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
    name, path, digest = exactly(value, 3)
    return fields.text(name), fields.text(path), fields.digest(digest)


def _verify_newest(record: Record) -> None:
    """Refuse a standing that is not the one that the newest entry tells of."""
    newest = record.reviews.tail[-1] if record.reviews.tail else None
    if newest is None or newest["generation"] != record.standing.generation:
        raise TrailError("the state is not the one of which the newest entry tells", kind="edited")

"""The signed statement of a review: an in-toto Statement v1 with one subject, as canonical bytes and back.

Rules: every field is there, no other is; the bytes are the canonical ones; what is said twice (token and digests) must
agree. One subject only, since verifiers accept any that matches.
See: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Final

from plugseal.encode.dsse import is_sha256
from plugseal.encode.moments import seconds_of
from plugseal.encode.plain import PlainJson, parse_canonical, render_signed_json
from plugseal.errors import DataError
from plugseal.model.statement import Decision, Reviewed, Scanned, Statement
from plugseal.patterns import lazy

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:plugseal:review:v1"
MAX_STATEMENT_BYTES: Final = 64 * 1024
MAX_TEXT: Final = 512
_TIME: Final = lazy(r"\A(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z\Z", re.ASCII)
_SEVERITIES: Final = ("info", "low", "medium", "high")
_PREDICATE: Final = frozenset(
    "token capabilityDigest decision plugin audience sequence previous generation policy findings unread scanner "
    "reviewer timeCreated expires".split()
)


def payload_digest(payload: bytes) -> str:
    """Return the SHA-256 that names a payload, 64 hex digits."""
    return hashlib.sha256(payload).hexdigest()


def render_statement(statement: Statement) -> bytes:
    """Return the bytes that are signed.

    `parse_statement(render_statement(x)) == x`

    Raises:
        DataError: a value of it is not allowed.
    """
    payload = render_signed_json(_statement_json(statement))
    parse_statement(payload)
    return payload


def parse_statement(payload: bytes) -> Statement:
    """Return the statement in a payload.

    Raises:
        DataError: it is not exactly what `render_statement` writes.
    """
    value = _fields(
        parse_canonical(payload, max_bytes=MAX_STATEMENT_BYTES), "_type subject predicateType predicate", "a statement"
    )
    if value["_type"] != STATEMENT_TYPE or value["predicateType"] != PREDICATE_TYPE:
        raise DataError(f"is no statement of the type `{PREDICATE_TYPE}`")
    subjects = value["subject"]
    if not isinstance(subjects, list) or len(subjects) != 1:
        raise DataError("a statement has exactly one subject")
    subject = _fields(subjects[0], "name digest", "the subject")
    digest = _fields(subject["digest"], "sha256 dirHash", "the subject's digest")
    statement = _predicate(value["predicate"], _digest(digest["sha256"]), _digest(digest["dirHash"]))
    if subject["name"] != subject_name(statement.plugin):
        raise DataError("the subject's name is not that of the plugin")
    return statement


def subject_name(plugin: Reviewed) -> str:
    """Return the name of a plugin as the subject of a statement."""
    return f"{plugin.name}@{plugin.version}"


def parse_time(text: object) -> int:
    """Return the seconds since 1970 that a time in a statement means.

    Raises:
        DataError: it is not `YYYY-MM-DDThh:mm:ssZ`, or no such moment exists.
    """
    match = _TIME.match(text) if isinstance(text, str) else None
    if match is None:
        raise DataError("a time is written `YYYY-MM-DDThh:mm:ssZ`")
    moment = seconds_of(*map(int, match.groups()))
    if moment is None:
        raise DataError("a time is no moment that exists")
    return moment


def render_time(seconds: int) -> str:
    """Return a moment as a statement writes it."""
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


def _predicate(value: object, content: str, h1: str) -> Statement:
    if not isinstance(value, dict) or value.keys() != _PREDICATE:
        raise DataError(_differs("the predicate", value, _PREDICATE))
    capability = _digest(_fields(value["capabilityDigest"], "sha256", "`capabilityDigest`")["sha256"])
    if value["token"] != f"{content}.{capability}":
        raise DataError("the token is not that of the digests")
    plugin = _fields(value["plugin"], "system name version", "`plugin`")
    parse_time(value["timeCreated"])
    if parse_time(value["expires"]) <= parse_time(value["timeCreated"]):
        raise DataError("it expires before it was made")
    sequence, previous = _count(value["sequence"], 1), value["previous"]
    if (previous is None) != (sequence == 1):
        raise DataError("only the first receipt of a sequence has none before it")
    return Statement(
        plugin=Reviewed(_text(plugin["system"]), _text(plugin["name"]), _text(plugin["version"], empty=True)),
        content=content,
        h1=h1,
        capability=capability,
        decision=_decision(value["decision"]),
        reviewer=_text(_fields(value["reviewer"], "id", "`reviewer`")["id"]),
        audience=None if value["audience"] is None else _text(value["audience"]),
        sequence=sequence,
        previous=None if previous is None else _digest(previous),
        generation=_count(value["generation"], 1),
        created=_text(value["timeCreated"]),
        expires=_text(value["expires"]),
        scanned=_scanned(value),
        policy=None if value["policy"] is None else _nested_digest(value["policy"], "`policy`"),
    )


def _scanned(value: Mapping[str, PlainJson]) -> Scanned:
    findings = _fields(value["findings"], "digest max counts", "`findings`")
    scanner = _fields(value["scanner"], "name version rules", "`scanner`")
    counts, worst = findings["counts"], findings["max"]
    if not isinstance(counts, dict) or not counts.keys() <= set(_SEVERITIES):
        raise DataError("findings are counted by severity")
    found = tuple((name, _count(counts[name], 1)) for name in sorted(counts))
    highest = next((name for name in reversed(_SEVERITIES) if name in counts), None)
    if worst != highest:
        raise DataError("the worst finding is not the worst of those that are counted")
    if scanner["name"] != "plugseal":
        raise DataError("the scanner is not `plugseal`")
    return Scanned(
        findings=_nested_digest({"digest": findings["digest"]}, "`findings`"),
        worst=highest or "",
        counts=found,
        unread=_count(value["unread"], 0),
        version=_text(scanner["version"]),
        rules=_nested_digest({"digest": scanner["rules"]}, "`rules`"),
    )


def _statement_json(statement: Statement) -> dict[str, PlainJson]:
    scanned, plugin = statement.scanned, statement.plugin
    counts: dict[str, PlainJson] = dict(scanned.counts)
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": subject_name(plugin), "digest": {"sha256": statement.content, "dirHash": statement.h1}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "token": statement.token,
            "capabilityDigest": {"sha256": statement.capability},
            "decision": statement.decision.value,
            "plugin": {"system": plugin.system, "name": plugin.name, "version": plugin.version},
            "audience": statement.audience,
            "sequence": statement.sequence,
            "previous": statement.previous,
            "generation": statement.generation,
            "policy": None if statement.policy is None else {"digest": {"sha256": statement.policy}},
            "findings": {"digest": {"sha256": scanned.findings}, "max": scanned.worst or None, "counts": counts},
            "unread": scanned.unread,
            "scanner": {"name": "plugseal", "version": scanned.version, "rules": {"sha256": scanned.rules}},
            "reviewer": {"id": statement.reviewer},
            "timeCreated": statement.created,
            "expires": statement.expires,
        },
    }


def _fields(value: object, names: str, what: str) -> dict[str, PlainJson]:
    if not isinstance(value, dict) or value.keys() != set(names.split()):
        raise DataError(_differs(what, value, names.split()))
    return value


def _differs(what: str, value: object, names: object) -> str:
    if not isinstance(value, dict):
        return f"{what} is no object"
    known = set(names) if isinstance(names, list | frozenset) else set()
    wrong = sorted(known ^ set(value))
    return f"{what} has a field missing or too many: {', '.join(f'`{name[:40]}`' for name in wrong[:5])}"


def _nested_digest(value: object, what: str) -> str:
    return _digest(_fields(_fields(value, "digest", what)["digest"], "sha256", what)["sha256"])


def _digest(value: object) -> str:
    if not isinstance(value, str) or not is_sha256(value):
        raise DataError("a digest is 64 lower-case hex digits")
    return value


def _text(value: object, *, empty: bool = False) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT or not (value or empty):
        raise DataError(f"a text is missing, empty or longer than {MAX_TEXT} characters")
    return value


def _count(value: object, least: int) -> int:
    if type(value) is not int or value < least:
        raise DataError(f"a count is a whole number of at least {least}")
    return value


def _decision(value: object) -> Decision:
    try:
        return Decision(value)
    except ValueError as error:
        raise DataError("the decision is not `trust`, `reject` or `revoke`") from error

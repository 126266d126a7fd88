"""Games with receipts: borrowed signatures, one key as two people, deleted refusals, replay, backdating."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plugseal.encode.dsse import PAYLOAD_TYPE, Envelope, pae, parse_envelope, render_envelope
from plugseal.encode.plain import render_signed_json
from plugseal.encode.sshsig import NAMESPACE, render_blob
from plugseal.encode.statement import payload_digest, render_statement
from plugseal.errors import DataError, ReceiptError
from plugseal.model.statement import Decision, ReceiptStatus, Reviewed
from plugseal.signing.judge import judge_receipt, receipt_name
from plugseal.signing.keys import KeyKind
from plugseal.signing.reviews import count_people, judge_reviews, verify_reviews
from plugseal.signing.revoked import Revoked
from plugseal.signing.sign import placed, sign_message, sign_statement
from plugseal.signing.team import Team
from tests import reviewers as people
from tests.reviewers import NOW, WANTED, Reviewer

ALICE, BOB = Reviewer("alice"), Reviewer("bob", KeyKind.P256)
TEAM = people.team_of_lines(ALICE.line(), BOB.line(), threshold=2)
Files = list[tuple[str, bytes]]


def refused(files: Files, *, team: Team = TEAM, before: Files | None = None, wanted: Any = WANTED) -> str:
    """Return why receipts don't hold, empty where they do."""
    try:
        verify_reviews(files, team=team, wanted=wanted, now=NOW, before=before)
    except ReceiptError as error:
        return error.reason
    return ""


def of_raw(payload: bytes, reviewer: Any, signature: bytes) -> tuple[str, bytes]:
    """Return a file with any payload and signature in an envelope of ours."""
    envelope = Envelope(payload, reviewer.public.keyid, signature)
    name = receipt_name(reviewer.public.keyid, payload_digest(payload))
    return f"reviews/{people.TOKEN}/{name}", render_envelope(envelope)


def test_two_people_with_a_key_each_are_enough() -> None:
    assert refused([ALICE.sign(), BOB.sign()]) == ""


# 10: signatures that were made for something else


@pytest.mark.parametrize(
    "options",
    [
        pytest.param('namespaces="git"', id="for git alone"),
        pytest.param("", id="for no namespace in words"),
        pytest.param('namespaces="file,plugin-review@elsewhere"', id="for another's reviews"),
        pytest.param(f'namespaces="!{NAMESPACE},*"', id="for all but ours"),
    ],
)
@pytest.mark.parametrize("as_ssh", [False, True])
def test_a_key_that_is_not_listed_for_reviews_signs_none(options: str, as_ssh: bool) -> None:
    team = people.team_of_lines(ALICE.line(options))
    assert people.judge(ALICE.sign(as_ssh=as_ssh), team).status is ReceiptStatus.WRONG_NAMESPACE


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"predicateType": "https://slsa.dev/provenance/v1"}, id="another predicate type"),
        pytest.param({"predicateType": "urn:plugseal:review:v2"}, id="a later predicate type"),
        pytest.param({"_type": "https://in-toto.io/Statement/v0.1"}, id="another statement type"),
    ],
)
def test_another_attestation_by_the_same_key_is_no_receipt(change: dict[str, str]) -> None:
    value = {**json.loads(render_statement(people.statement())), **change}
    payload = render_signed_json(value)
    file = of_raw(payload, ALICE, ALICE.key.sign_dsse(pae(PAYLOAD_TYPE, payload)))

    assert people.judge(file, TEAM).status is ReceiptStatus.MALFORMED


def test_another_payload_type_is_no_receipt() -> None:
    payload = render_statement(people.statement())
    signature = ALICE.key.sign_dsse(pae("text/plain", payload))
    file, data = of_raw(payload, ALICE, signature)

    assert people.judge((file, data), TEAM).status is ReceiptStatus.BAD_SIGNATURE
    assert people.judge((file, data.replace(b"application/vnd.in-toto+json", b"text/plain")), TEAM).status is (
        ReceiptStatus.MALFORMED
    )


@pytest.mark.parametrize("namespace", ["git", "file", "plugin-review@plugseal.example", "Plugin-Review@plugseal"])
def test_an_ssh_signature_for_something_else_is_no_receipt(namespace: str) -> None:
    payload = render_statement(people.statement())
    signature = render_blob(sign_message(payload, ALICE.key, namespace=namespace))
    assert people.judge(of_raw(payload, ALICE, signature), TEAM).status is ReceiptStatus.WRONG_NAMESPACE


def test_a_signature_of_one_form_is_none_of_the_other() -> None:
    payload = render_statement(people.statement())
    plain = ALICE.key.sign_dsse(payload)
    over_pae = render_blob(sign_message(pae(PAYLOAD_TYPE, payload), ALICE.key))

    assert people.judge(of_raw(payload, ALICE, plain), TEAM).status is ReceiptStatus.BAD_SIGNATURE
    assert people.judge(of_raw(payload, ALICE, over_pae), TEAM).status is ReceiptStatus.BAD_SIGNATURE


def test_another_s_ssh_key_under_our_key_s_name_is_refused() -> None:
    payload = render_statement(people.statement())
    signature = render_blob(sign_message(payload, Reviewer("mallory").key))
    assert people.judge(of_raw(payload, ALICE, signature), TEAM).status is ReceiptStatus.MALFORMED


def test_what_is_signed_must_be_canonical() -> None:
    payload = json.dumps(json.loads(render_statement(people.statement()))).encode()
    file = of_raw(payload, ALICE, ALICE.key.sign_dsse(pae(PAYLOAD_TYPE, payload)))
    assert people.judge(file, TEAM).status is ReceiptStatus.MALFORMED


def test_two_subjects_are_refused_since_a_verifier_takes_any_that_fits() -> None:
    value = json.loads(render_statement(people.statement()))
    value["subject"].append({**value["subject"][0], "digest": {"sha256": "0" * 64, "dirHash": "0" * 64}})
    payload = render_signed_json(value)
    file = of_raw(payload, ALICE, ALICE.key.sign_dsse(pae(PAYLOAD_TYPE, payload)))
    assert people.judge(file, TEAM).status is ReceiptStatus.MALFORMED


# 13: one that counts as several

SAME_KEY = Reviewer("bob", key=ALICE.key)
BOTH_CASES = Reviewer("Alice", KeyKind.P256)
SECOND = Reviewer("alice", KeyKind.P256)
WILD = f'namespaces="{NAMESPACE}"'
GAMES: dict[str, tuple[list[str], list[Any], int]] = {
    "two people": ([ALICE.line(), BOB.line()], [ALICE, BOB], 2),
    "one key under two names": ([ALICE.line(), SAME_KEY.line()], [ALICE, SAME_KEY], 1),
    "one key under a pattern": ([ALICE.line(WILD, principals="*")], [ALICE, SAME_KEY], 1),
    "two keys under a pattern": (
        [ALICE.line(WILD, principals="*@team"), BOB.line(WILD, principals="*@team")],
        [Reviewer("a@team", key=ALICE.key), Reviewer("b@team", key=BOB.key)],
        1,
    ),
    "one key with several names": ([ALICE.line(WILD, principals="alice,bob")], [ALICE, SAME_KEY], 1),
    "one person with two keys": ([ALICE.line(), SECOND.line()], [ALICE, SECOND], 1),
    "one person in two cases": ([ALICE.line(), BOTH_CASES.line()], [ALICE, BOTH_CASES], 1),
    "one person, and the same by a pattern": (
        [ALICE.line(), SECOND.line(WILD, principals="al*")],
        [ALICE, SECOND],
        1,
    ),
    "a person and somebody by a pattern": ([ALICE.line(), BOB.line(WILD, principals="b*")], [ALICE, BOB], 2),
    "three lines, two keys": (
        [ALICE.line(), SECOND.line(), SAME_KEY.line()],
        [ALICE, SECOND, SAME_KEY],
        2,
    ),
    "a name that looks the same": (
        [ALICE.line(), Reviewer("аlice", key=BOB.key).line(), Reviewer("alicе", key=SECOND.key).line()],  # noqa: RUF001
        [ALICE, Reviewer("аlice", key=BOB.key), Reviewer("alicе", key=SECOND.key)],  # noqa: RUF001
        2,
    ),
}


@pytest.mark.parametrize(("lines", "signers", "expected"), GAMES.values(), ids=GAMES)
def test_only_distinct_people_with_distinct_keys_count(lines: list[str], signers: list[Any], expected: int) -> None:
    team = people.team_of_lines(*lines, threshold=expected)
    files: Files = []
    for signer in signers:
        # Whoever plays games need not keep the order of their sequence as we would.
        statement = people.statement(reviewer=signer.name)
        files.append(people.file_of(sign_statement(statement, signer.key, as_ssh=False)))
    judged = [judge_receipt(*file, team=team, now=NOW) for file in files]

    assert all(one.status.holds for one in judged), [one.reason for one in judged]
    assert count_people(judged) == expected


def test_the_reviewer_that_is_named_must_be_the_key_s() -> None:
    file = people.file_of(sign_statement(people.statement(reviewer="bob"), ALICE.key, as_ssh=False))
    assert people.judge(file, TEAM).status is ReceiptStatus.WRONG_REVIEWER


def test_the_same_receipt_twice_is_one() -> None:
    alice = ALICE.sign()
    assert refused([alice, alice]) == "too-few-people"


def test_both_forms_of_one_person_s_signature_are_one() -> None:
    assert refused([ALICE.sign(), ALICE.sign(as_ssh=True)]) == "too-few-people"


# 14: refusals that vanish, receipts from elsewhere


def test_a_refusal_by_one_of_many_wins() -> None:
    files = [ALICE.sign(), BOB.sign()]
    for decision in (Decision.REVOKE, Decision.REJECT):
        assert refused([*files, ALICE.sign(files, decision=decision)]) == "refused"


def test_a_trust_after_a_refusal_does_not_undo_it() -> None:
    files: Files = [ALICE.sign(), BOB.sign()]
    files.append(ALICE.sign(files, decision=Decision.REVOKE))
    files.append(ALICE.sign(files))
    assert refused(files) == "refused"


@pytest.mark.parametrize("how", ["expired", "retired key", "revoked key"])
def test_a_refusal_needs_no_living_key(how: str) -> None:
    files: Files = [ALICE.sign(), BOB.sign()]
    old = {"created": "2026-01-01T00:00:00Z", "expires": "2026-06-01T00:00:00Z"} if how == "expired" else {}
    files.append(ALICE.sign(files, decision=Decision.REVOKE, **old))
    options = f'{people.NAMESPACES},valid-before="20270102030405Z"' if how == "retired key" else people.NAMESPACES
    revoked = Revoked(blobs={ALICE.public.blob}) if how == "revoked key" else None
    team = people.team_of_lines(ALICE.line(options), BOB.line(), revoked=revoked)
    assert refused(files, team=team) == "refused"


def test_a_refusal_that_was_deleted_is_remembered_from_before() -> None:
    files: Files = [ALICE.sign(), BOB.sign()]
    revocation = ALICE.sign(files, decision=Decision.REVOKE)
    assert refused(files, before=[*files, revocation]) == "refused"


def test_a_deleted_receipt_in_the_middle_is_seen_without_a_copy() -> None:
    files: Files = [ALICE.sign(), BOB.sign()]
    files.append(ALICE.sign(files, decision=Decision.REJECT, content="9" * 64))
    files.append(ALICE.sign(files, plugin=replace_version("2.0"), content="8" * 64))
    reviews = judge_reviews([files[0], files[1], files[3]], team=TEAM, now=NOW)

    assert [gap.message for gap in reviews.gaps] == [f"`docs` lacks receipt 2 by the key {ALICE.public.keyid[:16]}"]
    assert refused([files[0], files[1], files[3]]) == "history-broken"


def replace_version(version: str) -> Reviewed:
    """Return the plugin in another version."""
    plugin: Reviewed = people.PLUGIN._replace(version=version)
    return plugin


def test_a_receipt_that_was_there_before_may_not_be_gone() -> None:
    files: Files = [ALICE.sign(), BOB.sign()]
    newer = BOB.sign(files, plugin=replace_version("2.0"), content="8" * 64)
    assert refused(files, before=[*files, newer]) == "receipts-missing"


def test_two_receipts_with_one_number_break_the_sequence() -> None:
    fork = ALICE.sign(expires="2027-02-01T00:00:00Z")
    assert refused([ALICE.sign(), fork, BOB.sign()]) == "history-broken"


def test_a_receipt_behind_another_than_it_names_breaks_the_sequence() -> None:
    first = ALICE.sign()
    second = ALICE.sign([first], sequence=2, previous="0" * 64, content="8" * 64)
    assert refused([first, second, BOB.sign()]) == "history-broken"


REPLAYS: dict[str, dict[str, Any]] = {
    "another system": {"plugin": people.PLUGIN._replace(system="codex")},
    "another plugin of the same bytes": {"plugin": people.PLUGIN._replace(name="evil")},
    "another content": {"content": "9" * 64},
    "another capability": {"capability": "9" * 64},
}


@pytest.mark.parametrize("changes", REPLAYS.values(), ids=REPLAYS)
def test_a_receipt_for_something_else_does_not_count(changes: dict[str, Any]) -> None:
    assert refused([ALICE.sign(**changes), BOB.sign(**changes)]) == "too-few-people"


@pytest.mark.parametrize("audience", [None, "another-team", "Platform"])
def test_a_receipt_for_another_team_does_not_count(audience: str | None) -> None:
    team = TEAM._replace(audience="platform")
    files: Files = [ALICE.sign(audience=audience), BOB.sign(audience="platform")]
    assert people.judge(files[0], team).status is ReceiptStatus.WRONG_AUDIENCE
    assert refused(files, team=team) == "too-few-people"
    assert refused([ALICE.sign(audience="platform"), files[1]], team=team) == ""


def test_a_receipt_in_another_place_does_not_count() -> None:
    file, data = ALICE.sign()
    for moved in (file.replace(people.CONTENT, "9" * 64), file.replace(".dsse", "0.dsse"), "x.dsse.json"):
        assert people.judge((moved, data), TEAM).status is ReceiptStatus.WRONG_PLACE


def test_going_back_to_an_older_reviewed_state_is_seen() -> None:
    files: Files = [ALICE.sign(), BOB.sign()]
    assert refused(files, wanted=WANTED._replace(generation=2)) == "not-newest"
    newer = ALICE.sign(files, plugin=replace_version("2.0"), content="8" * 64)
    statement = people.judge(newer, TEAM).statement
    assert statement is not None
    assert statement.generation == 2


def test_a_backdated_receipt_by_a_compromised_key_does_not_count() -> None:
    team = TEAM._replace(revoked=Revoked(blobs={ALICE.public.blob}))
    old = ALICE.sign(created="2020-01-01T00:00:00Z")
    assert people.judge(old, team).status is ReceiptStatus.REVOKED_KEY
    assert refused([old, BOB.sign()], team=team) == "too-few-people"


def test_a_backdated_receipt_by_a_retired_key_does_not_count_unless_it_was_there_before() -> None:
    options = f'{people.NAMESPACES},valid-before="20261201000000Z"'
    team = people.team_of_lines(ALICE.line(options), BOB.line(), threshold=2)
    backdated = ALICE.sign(created="2026-06-01T00:00:00Z")
    files: Files = [backdated, BOB.sign()]

    assert refused(files, team=team, before=[files[1]]) == "too-few-people"
    assert refused(files, team=team, before=files) == ""
    assert people.judge(ALICE.sign(), team).status is ReceiptStatus.KEY_EXPIRED


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"created": "2027-01-02T04:00:00Z"}, ReceiptStatus.FROM_THE_FUTURE),
        ({"created": "2026-01-01T00:00:00Z", "expires": "2027-01-02T03:04:05Z"}, ReceiptStatus.EXPIRED),
        ({"created": "2026-01-01T00:00:00Z"}, ReceiptStatus.TOO_OLD),
    ],
)
def test_a_receipt_out_of_its_time_does_not_count(changes: dict[str, str], status: ReceiptStatus) -> None:
    team = TEAM._replace(max_age_seconds=86_400 * 90)
    assert people.judge(ALICE.sign(**changes), team).status is status


def test_nothing_is_signed_behind_a_sequence_with_a_gap() -> None:
    first = ALICE.sign()
    second = ALICE.sign([first], content="8" * 64)
    third = ALICE.sign([first, second], content="7" * 64)
    judged = [people.judge(file, TEAM) for file in (first, third)]
    with pytest.raises(ReceiptError, match="missing"):
        placed(people.statement(), ALICE.public, judged)


def test_a_statement_that_says_two_things_is_refused() -> None:
    value = json.loads(render_statement(people.statement()))
    value["predicate"]["token"] = "0" * 64 + value["predicate"]["token"][64:]
    payload = render_signed_json(value)
    file = of_raw(payload, ALICE, ALICE.key.sign_dsse(pae(PAYLOAD_TYPE, payload)))
    assert people.judge(file, TEAM).status is ReceiptStatus.MALFORMED
    with pytest.raises(DataError):
        render_statement(people.statement(created="2027-01-02T03:04:05+00:00"))
    assert parse_envelope(ALICE.sign()[1]).payload == render_statement(people.statement())

"""Entries are found in a record's bytes whatever they say; who changes a record carries them over as they are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.encode.merkle import CompactRange, leaf_hash
from plugseal.errors import StateError, TrailError
from plugseal.model.trust import Actor, Standing, Subject
from plugseal.trust import record as records
from plugseal.trust.plain import parse_plain, render_plain
from plugseal.trust.record import Record, parse_own, parse_record, render_record
from plugseal.trust.trail import Trail, entry_hash

SECRET = b"s" * 32
SUBJECT = Subject("amber", "a", "user", "/srv/a")
BY = Actor("dana", 1000, None, ("bash",))
HOSTILE = ('"tail":[', ']},"revoked":', '},{"action":"', "\\", '\\"},{\\"action\\":', "\u2028", "]]")


def _record(notes: list[str]) -> Record:
    made = Record(SUBJECT, Standing("0" * 32))
    for number, note in enumerate(notes, 1):
        standing = made.standing._replace(generation=number)
        made = made.after(standing, action="disabled", at="2027-01-01T00:00:00Z", by=BY, note=note)
    return made


@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 70])
def test_the_entries_are_those_of_the_bytes(count: int) -> None:
    made = _record([HOSTILE[number % len(HOSTILE)] for number in range(count)])
    data = render_record(made, SECRET)
    assert records._lines(data) == tuple(render_plain(dict(entry)) for entry in made.reviews.tail)
    assert tuple(map(leaf_hash, records._lines(data))) == tuple(map(entry_hash, made.reviews.tail))
    assert made.reviews.size == 0 or parse_record(data, SECRET) == parse_own(data, SECRET) == made
    assert render_plain(parse_plain(data)) == data


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=("Cs",)), max_size=40)), max_size=6
    )
)
def test_whatever_a_note_says_the_entries_are_those_of_the_bytes(notes: list[str]) -> None:
    made = _record(notes)
    assert records._lines(render_record(made, SECRET)) == tuple(render_plain(dict(one)) for one in made.reviews.tail)


@pytest.mark.parametrize("count", [1, 32, 70])
def test_a_record_goes_on_from_its_bytes_as_from_its_entries(count: int) -> None:
    made = _record([HOSTILE[number % len(HOSTILE)] for number in range(count)])
    own = parse_own(render_record(made, SECRET), SECRET)
    assert own is not None
    for _ in range(40):
        standing = made.standing._replace(generation=made.standing.generation + 1)
        made, own = (one.after(standing, action="revoked", at="2027-01-01T00:00:00Z", by=BY) for one in (made, own))
        assert render_record(own, SECRET) == render_record(made, SECRET)
    assert parse_record(render_record(own, SECRET), SECRET) == made


def test_no_record_of_another_is_taken_for_an_own_one() -> None:
    data = render_record(_record(["a"] * 3), SECRET)
    assert parse_own(data, SECRET) is not None
    assert parse_own(data, b"t" * 32) is None
    assert parse_own(b"", SECRET) is parse_own(b"{}", SECRET) is parse_own(data[:-1], SECRET) is None
    for bit in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        assert parse_own(bytes(flipped), SECRET) is None, bit


def test_a_sealed_record_with_another_tree_is_refused() -> None:
    made = _record(["a"] * 40)
    folded = made.reviews.folded
    other = CompactRange(folded.begin, folded.end, (b"x" * 32,))
    made = made._replace(reviews=made.reviews._replace(folded=other))
    with pytest.raises(TrailError, match="not what was written"):
        parse_own(render_record(made, SECRET), SECRET)


def test_a_sealed_entry_that_plugseal_would_not_write_is_refused_when_it_is_looked_at() -> None:
    made = Record(SUBJECT, Standing("0" * 32, generation=2), Trail().append({"action": "x"}))
    good = _record(["a", "b"]).reviews.tail[-1]
    own = parse_own(render_record(made._replace(reviews=made.reviews.append(good)), SECRET), SECRET)
    assert own is not None
    with pytest.raises(StateError, match="not what plugseal writes"):
        dict(own.reviews.tail[0])

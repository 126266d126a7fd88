"""The leaf hashes of a record's entries are those of its bytes, whatever an entry says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.model.trust import Actor, Standing, Subject
from plugseal.trust import record as records
from plugseal.trust.plain import parse_plain, render_plain
from plugseal.trust.record import Record, parse_record, render_record
from plugseal.trust.trail import entry_hash

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
def test_the_hashes_are_those_of_the_entries(count: int) -> None:
    made = _record([HOSTILE[number % len(HOSTILE)] for number in range(count)])
    data = render_record(made, SECRET)
    assert records._leaves(data) == tuple(map(entry_hash, made.reviews.tail))
    assert made.reviews.size == 0 or parse_record(data, SECRET) == made
    assert render_plain(parse_plain(data)) == data


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=("Cs",)), max_size=40)), max_size=6
    )
)
def test_whatever_a_note_says_the_hashes_are_those_of_the_entries(notes: list[str]) -> None:
    made = _record(notes)
    assert records._leaves(render_record(made, SECRET)) == tuple(map(entry_hash, made.reviews.tail))

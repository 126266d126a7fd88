"""Whatever bytes a script has, reading it ends, raises nothing and names nothing of our own marks."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import read_shell

_PIECES = (
    "$( ` \" ' <<E\nE\n | && { } ${ $ \\ <( [[ (( )) eval sh -c a= for x in do done case esac if then fi $IFS base64 "
    "-d printf %s -v awk sed -e ${a//b/c} ${!x} $@ curl > < <<< 2>&1 ; & () export trap source . rm -rf /etc ~ = \t #"
).split(" ")
_MARKS = frozenset("\x00\x01\x02\x03")
_scripts = st.lists(st.sampled_from((*_PIECES, "\n", " ", "x")), max_size=60).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(_scripts)
def test_pieces_of_scripts(source: str) -> None:
    _check(source.encode("utf-8"))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes) -> None:
    _check(data)


def test_a_command_that_the_grammar_makes_up_where_a_text_ends() -> None:
    _check(b'""\'\'\n}\nl(){\n"$1"""\n}\n\nl|')


def test_the_same_bytes_give_the_same_facts() -> None:
    words = list(_PIECES) * 4
    random.Random(4).shuffle(words)
    source = " ".join(words).encode("utf-8")
    assert _check(source) == _check(source)


def _check(data: bytes) -> object:
    facts = read_shell(data, Context("d/x.sh", Interest()))
    for fact in facts.facts:
        assert not _MARKS & set(fact.object or "")
    for event in facts.events:
        assert not any(_MARKS & set(word) for word in event.arguments if isinstance(word, str))
    for nested in facts.nested:
        assert not _MARKS & set(nested.text)
    return facts

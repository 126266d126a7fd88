"""No bytes make the Python reader raise, print, or say something outside the closed lists."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.python.linking.link import link_python
from plugseal.lang.python.reader import read_python

_CASES = Path(__file__).parents[1] / "unit" / "python_cases"
_SOURCES = [
    block.partition("\n")[2]
    for name in ("evasions.txt", "lookalikes.txt")
    for block in (_CASES / name).read_text(encoding="utf-8").split("\n=== ")[1:]
]
_LINES = sorted({line for source in _SOURCES for line in source.splitlines() if line and not line.startswith(" ")})
_WORDS = sorted({word for source in _SOURCES for word in re.findall(r"\w+|[^\w\s]", source)})
_INTEREST = Interest(
    calls=frozenset({"builtins.exec", "requests.get"}),
    call_prefixes=("os.", "subprocess."),
    imports=frozenset({"os"}),
    attributes=frozenset({"os.environ"}),
    strings=re.compile("a"),
)


def _read(data: bytes) -> FileFacts:
    facts = read_python(data, Context("p/x.py", _INTEREST, frozenset({"p", "util", "x"})))
    assert facts.status in ("read", "partial", "unread")
    assert bool(facts.reason) == (facts.status != "read")
    assert list(facts.exports) == sorted(facts.exports)
    for fact in facts.facts:
        assert fact.span.line >= 0
        assert (fact.span.line, fact.span.column) <= (fact.span.end_line, fact.span.end_column)
    return facts


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_unread(data: bytes) -> None:
    _read(data)


@given(st.text(max_size=400))
def test_any_text_is_read_or_unread(text: str) -> None:
    _read(text.encode("utf-8", "surrogatepass"))


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_LINES), max_size=12))
def test_lines_of_different_programs_are_read(lines: list[str]) -> None:
    _read("\n".join(lines).encode())


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_WORDS), max_size=40))
def test_words_in_any_order_are_read_or_unread(words: list[str]) -> None:
    _read(" ".join(words).encode())


@settings(max_examples=300)
@given(st.sampled_from(_SOURCES), st.data())
def test_a_changed_program_is_read_or_unread(source: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(source)))
    cut = data.draw(st.integers(0, 12))
    word = data.draw(st.sampled_from(_WORDS))
    _read((source[:at] + word + source[at + cut :]).encode())


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(st.sampled_from(["p/x.py", "p/util.py", "util/__init__.py"]), st.sampled_from(_SOURCES)), max_size=3
    )
)
def test_any_files_can_be_linked(files: list[tuple[str, str]]) -> None:
    link_python({path: _read(source.encode()) for path, source in files})


@given(st.sampled_from(_SOURCES))
def test_reading_twice_gives_the_same(source: str) -> None:
    assert _read(source.encode()) == _read(source.encode())


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["a = b", "b = a", "a = f(a, b)", "def f(x, y): return [x, y, f(y, x)]", "a = a + a",
                                 "b = {a: b}", "a, b = b, a", "for a in b: b = a", "a.x = b", "b = a.x", "a[b] = a",
                                 "class a(b): b = a", "b = lambda a: b(a)", "f = a", "a.system(b)", "import os as a"]),
                max_size=30))  # fmt: skip
def test_circles_of_names_end(lines: list[str]) -> None:
    _read("\n".join(lines).encode())

"""No bytes make the reader of scripts raise, print, or say something outside the closed lists."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.lang.ecmascript.linking.link import ScriptLinker
from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.model.capability import Capability, Channel, Resolution

_CASES = Path(__file__).parents[1] / "unit" / "ecmascript_cases"
_SOURCES = [
    block.partition("\n")[2]
    for name in ("evasions.txt", "lookalikes.txt")
    for block in (_CASES / name).read_text(encoding="utf-8").split("\n=== ")[1:]
]
_LINES = sorted({line for source in _SOURCES for line in source.splitlines() if line})
_WORDS = sorted({word for source in _SOURCES for word in re.findall(r"[\w$]+|[^\w\s]", source)})
_INTEREST = Interest(
    calls=frozenset({"globals.eval", "axios.get", "globals.JSON.stringify"}),
    call_prefixes=("child_process.", "fs."),
    imports=frozenset({"fs"}),
    attributes=frozenset({"process.env"}),
    strings=re.compile("a"),
)
_CAPABILITIES = {one.value for one in Capability}
_CHANNELS = {one.value for one in Channel}
_RESOLUTIONS = {one.value for one in Resolution}


def _read(data: bytes, path: str = "p/x.js") -> FileFacts:
    language = "typescript" if path.endswith(("ts", "tsx")) else "javascript"
    facts = read_script(data, Context(path, _INTEREST), language=language)
    assert facts.status in ("read", "partial", "unread")
    assert bool(facts.reason) == (facts.status != "read")
    assert list(facts.exports) == sorted(facts.exports)
    for fact in facts.facts:
        assert fact.capability in _CAPABILITIES
        assert fact.channel in _CHANNELS
        assert fact.resolution in _RESOLUTIONS
        assert fact.span.line >= 0
        assert (fact.span.line, fact.span.column) <= (fact.span.end_line, fact.span.end_column)
    return facts


_read(b"")  # The tables are loaded now, not within the first example's deadline.


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_unread(data: bytes) -> None:
    _read(data)


@given(st.text(max_size=400), st.sampled_from(["x.js", "x.ts", "x.tsx"]))
def test_any_text_is_read_or_unread(text: str, path: str) -> None:
    _read(text.encode("utf-8", "surrogatepass"), path)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_LINES), max_size=12), st.sampled_from(["x.js", "x.ts", "x.tsx"]))
def test_lines_of_different_programs_are_read(lines: list[str], path: str) -> None:
    _read("\n".join(lines).encode(), path)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_WORDS), max_size=60))
def test_words_in_any_order_are_read(words: list[str]) -> None:
    _read(" ".join(words).encode())


@settings(max_examples=100)
@given(st.lists(st.sampled_from(_LINES), min_size=1, max_size=8), st.data())
def test_a_file_that_is_cut_anywhere_is_read(lines: list[str], data: st.DataObject) -> None:
    source = "\n".join(lines).encode()
    _read(source[: data.draw(st.integers(0, len(source)))])


@settings(max_examples=100)
@given(st.lists(st.sampled_from(_LINES), max_size=10))
def test_the_same_bytes_have_the_same_facts(lines: list[str]) -> None:
    source = "\n".join(lines).encode()
    assert _read(source) == _read(source)


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(["a.js", "b.mjs", "p/c.ts", "p/index.js"]),
        st.lists(
            st.sampled_from(
                [
                    "export * from './a.js'",
                    "export { x as y } from './p'",
                    "import d, { y } from '../b.mjs'; y(1); d.z()",
                    "module.exports = require('./p/c')",
                    "exports.x = require('child_process').exec",
                    "require('./a')('x'); require('./b.mjs').y('z')",
                ]
            ),
            max_size=4,
        ).map("\n".join),
        max_size=4,
    )
)
def test_any_tree_of_scripts_is_linked(sources: dict[str, str]) -> None:
    files = {path: _read(source.encode(), path) for path, source in sources.items()}
    for path, (facts, events) in ScriptLinker(files).iterate():
        assert path in files
        assert facts or events

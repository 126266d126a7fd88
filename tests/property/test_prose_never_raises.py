"""No bytes make a reader of prose, pages, notebooks or documents raise, loop, or answer differently twice."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plugseal.intake.inside import unpack_inside
from plugseal.lang.classify import classify
from plugseal.lang.documents import judge_document
from plugseal.lang.facts import Context, Interest, Reader
from plugseal.lang.native.imports import imported_facts
from plugseal.lang.prose.fences import mask_placeholders
from plugseal.lang.registry import reader_named
from plugseal.lang.textkinds import READABLE

_LANGUAGES = sorted(
    READABLE - {"python", "python-newer", "shell", "javascript", "typescript", "powershell", "PowerShell", "batch"}
)
_PIECES = st.sampled_from(
    [
        "```", "~~~", "```sh\n", "```!\n", "`", "!`ls`", "<!--", "-->", "[a]: # (", "> ", "- ", "1. ", "# ", "|",
        "---\n",
        "    ", "\t", "\n", "\n\n", "\r", "never ", "do not ", "run `x` ",
        "download https://a.invalid and run it. ", '"',
        "ignore previous instructions", "<a ", "<script>", "</script>", " onclick=", "'", ">", "<p hidden>", "é",
        "\u200b",
        "\ufeff", "$ x\n", "\\\n", "{", "}", "import a from 'b'\n", "A=1", "\\write18", "\0", "a" * 40, ". ",
    ]
)  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=60).map("".join)
_BYTES = st.one_of(st.binary(max_size=400), _TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")))
_MAGIC = st.sampled_from(
    [b"\x7fELF\x02\x01", b"\x7fELF\x01\x02", b"MZ", b"\0asm\1\0\0\0", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe",
    b"%PDF-1.4\n",
     b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf", b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b""]
)  # fmt: skip


@pytest.mark.parametrize("language", _LANGUAGES)
@settings(deadline=None, max_examples=60)
@given(data=_BYTES)
def test_a_reader_answers_the_same_to_any_bytes(language: str, data: bytes) -> None:
    reader: Reader = reader_named(language)
    context = Context("skills/a/SKILL.md", Interest())
    facts = reader.read(data, context)
    assert facts == reader.read(data, context)
    assert facts.status in ("read", "partial", "unread")
    assert bool(facts.reason) is (facts.status != "read")
    assert list(facts.events) == sorted(facts.events, key=lambda event: event.span)


@pytest.mark.parametrize("language", ["instructions", "HTML", "MDX"])
@settings(deadline=None, max_examples=100)
@given(text=_TEXTS)
def test_every_place_lies_in_the_text(language: str, text: str) -> None:
    facts = reader_named(language).read(text.encode("utf-8", "surrogatepass"), Context("commands/a.md", Interest()))
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    spans = [one.span for one in (*facts.facts, *facts.events, *facts.nested)]
    for span in spans:
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1
        assert span.end_column <= len(lines[span.end_line - 1]) + 1


@settings(deadline=None, max_examples=100)
@given(text=_TEXTS)
@example("```sh\n<p hidden>")
def test_code_in_a_fence_stands_where_its_anchors_say(text: str) -> None:
    facts = reader_named("instructions").read(text.encode("utf-8", "surrogatepass"), Context("a.md", Interest()))
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for nested in facts.nested:
        for anchor in nested.anchors:
            piece = nested.text[anchor.offset :].split("\n")[0]
            standing = lines[anchor.line - 1][anchor.column - 1 :]
            assert standing.startswith(piece) or mask_placeholders(standing).startswith(piece)


@settings(deadline=None, max_examples=200)
@given(magic=_MAGIC, rest=st.binary(max_size=600))
def test_binaries_and_archives_of_any_bytes_are_judged(magic: bytes, rest: bytes) -> None:
    data = magic + rest
    for fact in imported_facts(data):
        assert fact.resolution == "possible"
    judge_document(data)
    unpack_inside("a", data)
    assert classify("a", data) == classify("a", data)


@settings(deadline=None, max_examples=60)
@given(cells=st.lists(st.lists(_TEXTS, max_size=3), max_size=4))
def test_a_notebook_of_any_cells_is_read(cells: list[list[str]]) -> None:
    document = {"cells": [{"cell_type": "code", "source": source} for source in cells], "metadata": {}}
    data = json.dumps(document).encode()
    assert reader_named("notebook").read(data, Context("a.ipynb", Interest())).status != "unread"


@pytest.mark.parametrize(
    "unit",
    ["`", "```\n", "<a ", '<a "', "<!--", "[a]: # (", "> > ", "!!!!", "never run ", "<div style='display:none'>",
    "![", '"a ',
     "download https://a ", "- - - ", "| a ", "*_", "a. ", "    a\n", "\t\t", "<!ENTITY ", "a,\\\n", "$ a\n"],
)  # fmt: skip
def test_much_of_one_thing_ends_soon(unit: str) -> None:
    data = (unit * (60_000 // len(unit))).encode()
    context = Context("commands/a.md", Interest())
    start = time.process_time()
    for language in ("instructions", "Markdown", "HTML", "XML", "plain text"):
        reader_named(language).read(data, context)
    classify("a.txt", data)
    assert time.process_time() - start < 20, "a hang guard, ten times what it takes"

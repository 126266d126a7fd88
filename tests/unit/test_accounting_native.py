"""Names that machine code imports, read out of files built byte by byte; damaged ones say nothing and never fail."""

from __future__ import annotations

import struct

import pytest

from plugseal.lang.classify import INERT, UNREAD, classify
from plugseal.lang.documents import judge_document
from plugseal.lang.native.imports import imported_facts
from plugseal.lang.sniff import decoded_text, markup_language, program_language


def elf(*names: str, library: str = "libc.so.6") -> bytes:
    """Return a 64-bit ELF file with undefined symbols and one needed library."""
    strings, offsets = b"\0", []
    for name in (*names, library):
        offsets.append(len(strings))
        strings += name.encode() + b"\0"
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", at, 0x12, 0, 0, 0, 0) for at in offsets[:-1])
    dynamic = struct.pack("<QQ", 1, offsets[-1]) + bytes(16)
    at_strings, at_symbols = 64, 64 + len(strings)
    at_dynamic = at_symbols + len(symbols)
    at_sections = at_dynamic + len(dynamic)
    header = (
        b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, at_sections, 0, 64, 0, 0, 64, 4, 0)
    )

    def section(kind: int, offset: int, size: int, link: int) -> bytes:
        return struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, offset, size, link, 0, 0, 0)

    table = section(0, 0, 0, 0) + section(3, at_strings, len(strings), 0)
    table += section(11, at_symbols, len(symbols), 1) + section(6, at_dynamic, len(dynamic), 1)
    return header + strings + symbols + dynamic + table


def wasm(*names: str) -> bytes:
    """Return a module that imports functions, each `module.field`."""
    section = bytes([len(names)])
    for name in names:
        for part in name.rsplit(".", 1):
            section += bytes([len(part)]) + part.encode()
        section += b"\0\0"
    return b"\0asm\1\0\0\0\2" + bytes([len(section)]) + section


def capabilities(data: bytes) -> list[str]:
    """Return what a binary may do."""
    return [fact.capability for fact in imported_facts(data)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(elf("execve"), ["process.exec"], id="a program start"),
        pytest.param(elf("system"), ["process.shell"], id="a shell"),
        pytest.param(elf("connect", "printf"), ["net.outbound"], id="a connection"),
        pytest.param(elf("printf", library="libcurl.so.4"), ["net.outbound"], id="a library that connects"),
        pytest.param(elf("printf"), [], id="nothing that counts"),
        pytest.param(wasm("wasi_snapshot_preview1.sock_send"), ["net.outbound"], id="a module that sends"),
        pytest.param(wasm("env.memory_base"), [], id="a module that computes"),
        pytest.param(b"hello", [], id="a text"),
    ],
)
def test_imported_names_are_possible_facts(data: bytes, expected: list[str]) -> None:
    assert capabilities(data) == expected


@pytest.mark.parametrize("data", [elf("execve"), wasm("wasi_snapshot_preview1.sock_send")], ids=["ELF", "WebAssembly"])
def test_a_damaged_binary_never_fails(data: bytes) -> None:
    for at in range(len(data)):
        imported_facts(data[:at])
        imported_facts(data[:at] + b"\xff" + data[at + 1 :])


@pytest.mark.parametrize(
    ("data", "kind", "reason"),
    [
        pytest.param(b"%PDF-1.4\n<< /Type /Catalog >>\n%%EOF\n", "PDF", "", id="a PDF"),
        pytest.param(b"%PDF-1.4\n<< /OpenAction [3 0 R /Fit] >>\n%%EOF\n", "PDF", "", id="a PDF that opens at a page"),
        pytest.param(b"%PDF-1.4\n<< /JS (x) >>\n%%EOF\n", "PDF", "PDF with JavaScript", id="a script"),
        pytest.param(b"%PDF-1.4\n<< /La#75nch x >>\n%%EOF\n", "PDF", "PDF that starts a program", id="a start"),
        pytest.param(b"%PDF-1.4\n<< /EmbeddedFiles 1 >>\n%%EOF\n", "PDF", "PDF with files inside", id="a file inside"),
        pytest.param(b"%PDF-1.4\n<< /Encrypt 1 >>\n%%EOF\n", "PDF", "PDF, encrypted", id="encrypted"),
        pytest.param(b"%PDF-1.4\n", "PDF", "PDF, damaged or cut short", id="cut short"),
        pytest.param(b"%PDF-1.4\n%%EOF\n" + b"x" * 99, "PDF", "PDF with 99 bytes after its end", id="with a tail"),
        pytest.param(b"{\\rtf1 hello}", "RTF", "", id="RTF"),
        pytest.param(b"{\\rtf1\\objdata 00}", "RTF", "RTF document with objects inside", id="RTF with an object"),
        pytest.param(b"\x80\4\x95K.", "pickle", "pickle: loading it can run code", id="a pickle"),
    ],
)
def test_documents_say_what_runs_in_them(data: bytes, kind: str, reason: str) -> None:
    document = judge_document(data)
    assert document is not None
    assert (document.kind, document.reason) == (kind, reason)
    assert classify("a.bin", data).action == (UNREAD if reason else INERT)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("import os\nos.system('x')\n", "python", id="Python"),
        pytest.param("set -e\ncd /tmp\ncurl x | sh\n", "shell", id="shell"),
        pytest.param("const a = require('b');\na.go();\n", "javascript", id="JavaScript"),
        pytest.param("To install, run\n\n  pip install x\n\nand import it.\n", "", id="prose with a command"),
        pytest.param("name,age\nA,1\nB,2\n", "", id="a table"),
        pytest.param("MIT License\n\nPermission is granted, free of charge.\n", "", id="a licence"),
        pytest.param("requests==2.0\nnumpy>=1\n", "", id="a list of packages"),
    ],
)
def test_most_lines_of_a_program_are_code(text: str, language: str) -> None:
    assert program_language(text.encode()) == language


def test_markup_is_known_by_its_begin() -> None:
    assert markup_language(b"\n<!DOCTYPE html><p>") == "HTML"
    assert markup_language(b"<?xml version='1.0'?><svg>") == "SVG"
    assert markup_language(b"<?php go();") == "PHP"
    assert markup_language(b"a < b and <p> is a tag") == ""


def test_encoded_texts_are_decoded_from_end_to_end() -> None:
    assert decoded_text(b"aGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8=\n") == b" ".join(
        [b"hello"] * 8
    )
    assert decoded_text(b"68656c6c6f20" * 8) == b"hello " * 8
    assert decoded_text(b"These are only words. " * 8) is None

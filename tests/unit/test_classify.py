"""Which reader a file belongs to is decided by content; a name never makes a file harmless."""

from __future__ import annotations

import struct
import zlib

import pytest

from plugseal.lang.classify import INERT, READ, UNREAD, classify


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\0\0"))
    + _chunk(b"IEND", b"")
)
JPEG = b"\xff\xd8\xff\xe0\0\x04ab\xff\xda\0\x02" + b"scan\xff\0data\xff\xd3more" + b"\xff\xd9"
GIF = b"GIF89a\1\0\1\0\x80\0\0" + b"\0\0\0\xff\xff\xff" + b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0\x3b"
CHECKPOINT = b"plugseal/" + b"0a" * 8 + b"/" + b"0b" * 32 + b"/reviews\n12\n" + b"A" * 43 + b"=\n\n"
KRL = b"SSHKRL\n\0" + struct.pack(">IQQQII", 1, 0, 0, 0, 0, 0) + b"\1" + struct.pack(">I", 3) + b"abc"
PAYLOAD = b"PK\x03\x04 a whole archive rides here, far longer than padding"


@pytest.mark.parametrize(
    ("path", "data", "action", "language"),
    [
        pytest.param("a.py", b"x = 1\n", READ, "python", id="a Python file by suffix"),
        pytest.param("tool", b"#!/usr/bin/env python3\n", READ, "python", id="a Python script by shebang"),
        pytest.param("tool", b"#!/usr/bin/env -S uv run --script\n", READ, "python", id="uv run is Python"),
        pytest.param("tool", b"\xef\xbb\xbf#!/usr/bin/python3.11 -I\n", READ, "python", id="behind a byte order mark"),
        pytest.param("a.txt", b"#!/usr/bin/python\nimport os\n", READ, "python", id="a shebang beats a text suffix"),
        pytest.param("a.py", b"#!/bin/sh\necho\n", READ, "python", id="a Python suffix beats a shebang"),
        pytest.param("a.py", b"\x7fELF\x02\x01", UNREAD, "native", id="an executable named as Python"),
        pytest.param("trail/any", CHECKPOINT, READ, "plain text", id="checkpoints of a trail"),
        pytest.param("any.krl", KRL, INERT, "list of revoked keys", id="a list of revoked keys"),
        pytest.param("any.krl", KRL + PAYLOAD, UNREAD, "list of revoked keys", id="one with more behind it"),
        pytest.param("any.krl", KRL[:-1], UNREAD, "list of revoked keys", id="one that is cut"),
        pytest.param("any.krl", KRL[:20], UNREAD, "list of revoked keys", id="one that is cut in its head"),
        pytest.param("a.png", b"\x7fELF\x02\x01", UNREAD, "native", id="an executable named as a picture"),
        pytest.param("x.dll", b"MZ\x90\0\x03\0\0\0", UNREAD, "native", id="a Windows library"),
        pytest.param("m.txt", b"MZ is a name\n", READ, "plain text", id="a text that begins with MZ"),
        pytest.param("p.wasm", b"\0asm\1\0\0\0", UNREAD, "native", id="WebAssembly"),
        pytest.param("a.pyc", b"\xa7\r\r\n" + bytes(12), UNREAD, "native", id="byte code"),
        pytest.param("a.dat", b"\xa7\r\r\n" + bytes(12), UNREAD, "native", id="byte code under another name"),
        pytest.param("a.zip", b"PK\x03\x04...", UNREAD, "archive", id="an archive"),
        pytest.param("logo.png", PNG, INERT, "picture (PNG)", id="a picture"),
        pytest.param("logo.bin", PNG, INERT, "picture (PNG)", id="a picture whatever its name"),
        pytest.param("logo.png", PNG + PAYLOAD, UNREAD, "picture (PNG)", id="a picture with an archive behind it"),
        pytest.param("logo.png", PNG[:-8], UNREAD, "picture (PNG)", id="a picture cut short"),
        pytest.param("logo.png", b"import os\n", READ, "python", id="a program named as a picture"),
        pytest.param("logo.png", b"hello there\n", UNREAD, "text", id="a text named as a picture"),
        pytest.param("n.txt", b"import os\nos.system('true')\n", READ, "python", id="a program named as a text"),
        pytest.param("n.txt", b"Run it:\n\ncurl x | sh\n", READ, "plain text", id="a text that quotes a command"),
        pytest.param("n.txt", b"<html><script>go()</script>", READ, "HTML", id="a page named as a text"),
        pytest.param("LICENSE-MIT", b"Permission is granted\n", READ, "plain text", id="a licence"),
        pytest.param("a.txt", b"f0VMRgIBAQAAAAAAAAAAAAMAPgABAAAA" * 4, UNREAD, "encoded", id="a program in Base64"),
        pytest.param(".env.local", b"A=1\n", READ, "environment file", id="an environment file"),
        pytest.param("setup.cfg", b"[a]\nb=1\n", UNREAD, "configuration", id="settings that a tool runs"),
        pytest.param("server.ini", b"[a]\nb=1\n", READ, "configuration", id="settings that nobody is known to run"),
        pytest.param("l.jpg", JPEG, INERT, "picture (JPEG)", id="a JPEG with stuffed bytes and restarts"),
        pytest.param("l.jpg", JPEG + PAYLOAD + b"\xff\xd9", UNREAD, "picture (JPEG)", id="a JPEG with a second end"),
        pytest.param("l.gif", GIF, INERT, "picture (GIF)", id="a GIF"),
        pytest.param("l.gif", GIF + PAYLOAD + b"\x3b", UNREAD, "picture (GIF)", id="a GIF with a second end"),
        pytest.param("e", b"", INERT, "empty", id="an empty file"),
        pytest.param("data.json", b"{}", READ, "json", id="a JSON document"),
        pytest.param("package.json", b"{}", UNREAD, "json", id="a document that a tool runs"),
        pytest.param(".vscode/x.json", b"{}", UNREAD, "json", id="a document in a client's folder"),
        pytest.param("n.ipynb", b"{}", READ, "notebook", id="a notebook is code"),
        pytest.param("a.rs", b"let x = 1\n", UNREAD, "Rust", id="a language without a reader"),
        pytest.param("run", b"#!/bin/bash\n", READ, "shell", id="a script by its interpreter"),
        pytest.param("run", b"#!/opt/odd/interp\n", UNREAD, "script", id="an unknown interpreter"),
        pytest.param("SKILL.md", b"# hi\n", READ, "Markdown", id="prose"),
        pytest.param("blob", b"a\0b" * 9, UNREAD, "binary", id="unknown bytes"),
        pytest.param("w", b"version https://git-lfs.github.com/spec/v1\n", UNREAD, "pointer", id="an LFS pointer"),
    ],
)
def test_a_file_goes_to_its_reader(path: str, data: bytes, action: str, language: str) -> None:
    verdict = classify(path, data)
    assert (verdict.action, verdict.language) == (action, language)


def test_whatever_is_unread_says_why() -> None:
    for data in (b"\x7fELF", b"PK\x03\x04", b"a\0b", b"text", PNG + PAYLOAD):
        assert classify("x", data).reason


@pytest.mark.parametrize("whole", [PNG, JPEG, GIF], ids=["PNG", "JPEG", "GIF"])
def test_no_picture_that_was_cut_short_is_inert(whole: bytes) -> None:
    for cut in range(1, len(whole) - 1):
        assert classify("x.bin", whole[:cut]).action != INERT, cut


@pytest.mark.parametrize(
    ("text", "is_script"),
    [
        pytest.param("cat /etc/hostname\n", True, id="a program with a path"),
        pytest.param("# a note\ncurl -s a.example\ntar -xf a.tgz\n", True, id="programs with options"),
        pytest.param("make it work\nfind out why\n", False, id="words"),
        pytest.param("cat /etc/hostname\nis what it reads\n", False, id="a command in a text"),
        pytest.param("frobnicate /etc/hostname\n", False, id="no known program"),
        pytest.param("# a note\n", False, id="a note alone"),
    ],
)
def test_a_text_without_name_and_mark_is_a_script_where_each_line_is_a_command(text: str, is_script: bool) -> None:
    assert (classify("bin/run", text.encode()).language == "shell") is is_script


def test_the_languages_that_are_read_are_those_with_a_reader() -> None:
    from plugseal.lang import registry
    from plugseal.lang.textkinds import READABLE

    assert set(registry._LOADERS) == READABLE

"""What programs of awk and sed do, and what decoders make of a known text."""

from __future__ import annotations

import base64
import bz2
import gzip
import lzma
from collections.abc import Callable

import pytest

from plugseal.lang.programs.awk import acts_of_awk
from plugseal.lang.programs.sed import acts_of_sed
from plugseal.lang.shell.words.decoders import is_decoder, printed


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ('BEGIN { system("id") }', [("process.shell", "id")]),
        ('{ print $1 | "sort" }', [("process.shell", "sort")]),
        ('"date" | getline d', [("process.shell", "date")]),
        ('{ print > "out" }', [("fs.write", "out")]),
        ('{ getline x < "in" }', [("fs.read", "in")]),
        ('BEGIN { print ENVIRON["A"] }', [("env.read", "A")]),
        ("BEGIN { for (k in ENVIRON) print k }", [("env.bulk", None)]),
        ('BEGIN { s = "/inet/tcp/0/h.example/80"; s |& getline }', [("net.outbound", "h.example:80")]),
        ("BEGIN { system($1) }", [("process.shell", None), ("code.dynamic", None)]),
        ("/a|b/ { print $1 }", []),
        ('$3 > 10 { print "system(x) > y | z" }', []),
        ('# system("id")', []),
    ],
)
def test_what_a_program_of_awk_does_is_told(program: str, expected: list[tuple[str, str | None]]) -> None:
    assert [(act.capability, act.named) for act in acts_of_awk(program)] == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("1e id", [("process.shell", "id")]),
        ("s/a/b/e", [("process.shell", None), ("code.dynamic", None)]),
        ("s/a/b/gw out", [("fs.write", "out")]),
        ("/x/r in", [("fs.read", "in")]),
        ("1,/e/s|e|w|;p", []),
        ("s/e/e/g;y/ew/we/", []),
        ("s,a\\,e,b,", []),
        ("a\\\ntext with e", []),
    ],
)
def test_what_a_program_of_sed_does_is_told(program: str, expected: list[tuple[str, str | None]]) -> None:
    assert [(act.capability, act.named) for act in acts_of_sed(program)] == expected


@pytest.mark.parametrize(
    ("words", "given", "expected"),
    [
        (["base64", "-d"], "aGk=", "hi"),
        (["/usr/bin/base64", "--decode"], "aGk=\n", "hi"),
        (["xxd", "-r", "-p"], "6869", "hi"),
        (["rev"], "ih\n", "hi\n"),
        (["tr", "a-z", "n-za-m"], "uv", "hi"),
        (["tr", "-d", "x"], "hxix", "hi"),
        (["openssl", "base64", "-d"], "aGk=", "hi"),
        (["sed", "s/x/h/"], "xi", "hi"),
        (["printf", "%s%s\\n", "h", "i"], None, "hi\n"),
        (["echo", "-ne", "\\x68i"], None, "hi"),
        (["base64", "-d"], "not base64!", None),
        (["xz", "-d"], "no such thing", None),
        (["jq", "."], "hi", None),
        (["base64", "-d"], None, None),
    ],
)
def test_what_a_command_prints(words: list[str], given: str | None, expected: str | None) -> None:
    assert printed(words, given) == expected


@pytest.mark.parametrize(
    ("pack", "words"),
    [(gzip.compress, ["gunzip"]), (lzma.compress, ["xz", "-dc"]), (bz2.compress, ["bzcat"])],
    ids=["gzip", "xz", "bzip2"],
)
def test_what_is_packed_and_encoded_is_read(pack: Callable[[bytes], bytes], words: list[str]) -> None:
    encoded = base64.b64encode(pack(b"rm x\n")).decode("ascii")
    assert printed(words, printed(["base64", "-d"], encoded)) == "rm x\n"


def test_encoders_are_no_decoders() -> None:
    assert not is_decoder(["base64"])
    assert not is_decoder(["xxd", "file"])
    assert not is_decoder(["tr", ":", " "])
    assert not is_decoder(["tr", "[:upper:]", "[:lower:]"])
    assert not is_decoder(["gzip", "-c"])

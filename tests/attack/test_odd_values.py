"""No value that a source writes down makes its reader raise: numbers that are no index, halves of characters, bombs."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from plugseal.lang.ecmascript.resolving import functions as script_functions
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.python.resolving import functions as python_functions
from plugseal.lang.registry import reader_named
from plugseal.scan import analyse
from plugseal.verbs.scan import scan_path

_SAMPLE = 6_000
_PER_FILE = 60
_IMPORTS = "import ast,base64,binascii,codecs,html,itertools,json,operator,os,pathlib,string,struct,urllib.parse,zlib\n"
_PYTHON = [
    "10**30", "-10**30", "2**63", "-1", "0", "1.5", "1e308*10", "''", "b''", "None", "True", "'9'*5000", "'a'", "b'ab'",
    "[1,'a']", "(1,2)", "{'a':1}", "{97:10**30}", "{97:'b'*60000}", "'{0[9]}'", "'%s %d'", "'%*d'", "'utf-8'",
    r"'\ud800'", "1<<70", "chr(0x110000)", "[]", "...", "1j", "'a'*60000",
]  # fmt: skip
_SCRIPT = [
    "1e30", "-1e30", "-1", "0", "1.5", "Infinity", "NaN", "''", "null", "undefined", "true", "'9'.repeat(99)", "'a'",
    "[1,'a']", "[]", "{a:1}", "'utf8'", "'hex'", r"'\ud800'", "10n**30n", "/(/", "0x7fffffff", "x=>x",
]  # fmt: skip
_PYTHON_METHODS = sorted({name for kind in (str, bytes, list, dict, int) for name in dir(kind) if name[0] != "_"})
_SCRIPT_METHODS = (
    "repeat padStart padEnd slice substring substr charAt codePointAt at concat replace split join reverse map fill "
    "flat splice indexOf normalize toFixed toString"
).split()


def _calls(names: list[str], values: list[str], methods: list[str], operators: list[str]) -> list[str]:
    pairs = list(itertools.product(values, values))
    found = [f"{name.removeprefix('builtins.')}({a},{b})" for name in names for a, b in pairs]
    found += [f"({a}).{method}({b})" for method in methods for a, b in pairs]
    found += [f"({a}) {operator} ({b})" for operator in operators for a, b in pairs]
    found += [f"({a})[{b}]" for a, b in pairs]
    return random.Random(5).sample(found, _SAMPLE)


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "python",
            _calls(sorted(python_functions.FUNCTIONS), _PYTHON, _PYTHON_METHODS, "+ - * / // % ** << >> | & ^".split()),
        ),
        (
            "javascript",
            _calls(sorted(script_functions.FUNCTIONS), _SCRIPT, _SCRIPT_METHODS, "+ - * / % ** << >>> | ^ ??".split()),
        ),
    ],
    ids=["python", "javascript"],
)
def test_no_value_makes_a_reader_raise(language: str, lines: list[str]) -> None:
    reader = reader_named(language)
    for at in range(0, len(lines), _PER_FILE):
        part = [f"eval({line})" for line in lines[at : at + _PER_FILE]]
        source = (_IMPORTS if language == "python" else "") + "\n".join(part)
        reader.read(source.encode("utf-8", "surrogatepass"), Context("a", Interest()))


@pytest.mark.parametrize(
    ("language", "line"),
    [
        pytest.param("python", "os.system(range(-10**30, 10**30))", id="a range without a length"),
        pytest.param("python", "os.system(b'' * 2**63)", id="nothing, more often than there is an index"),
        pytest.param("python", "os.system([] * 2**63)", id="an empty list as often"),
        pytest.param("python", r"os.system(urllib.parse.unquote_to_bytes('\ud800'))", id="half of a character"),
        pytest.param("python", "os.system('a'.translate({97: 10**30}))", id="a number that is no character"),
        pytest.param(
            "python", "os.system(('a'*60000).translate({97: 'b'*60000}))", id="a table that makes four gigabytes"
        ),
        pytest.param("python", "os.system('a'.hex())", id="a method that only bytes have"),
        pytest.param("python", "exec(b'a'.casefold())", id="a method that only texts have"),
        pytest.param("javascript", "eval((-1) ** 1.5)", id="a root of less than nothing"),
    ],
)
def test_a_line_that_made_a_reader_raise(language: str, line: str) -> None:
    source = (_IMPORTS if language == "python" else "") + line
    facts = reader_named(language).read(source.encode(), Context("a", Interest()))
    assert [fact.capability for fact in facts.facts if fact.capability in ("process.shell", "code.dynamic")]


class _Broken:
    """A reader that breaks its promise."""

    language = "python"

    def read(self, data: bytes, context: Context) -> FileFacts:
        raise OverflowError(len(data), context)


def test_a_reader_that_raises_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("import os\nos.getcwd()\n")
    (tmp_path / "b.sh").write_text("#!/bin/sh\ncurl https://a.example\n")
    monkeypatch.setattr(
        analyse, "reader_named", lambda name: _Broken() if name == "python" else reader_named(name), raising=True
    )
    found = scan_path(tmp_path)
    assert [(row.file, row.reason) for row in found.unread] == [("a.py", "the reader failed (OverflowError)")]
    assert ("b.sh", "net.outbound", "a.example") in [(path, fact.capability, fact.object) for path, fact in found.facts]

"""A file of another Python is read by the second parser, in a worker, and nothing is lost when that one fails."""

from __future__ import annotations

import sys

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.python.parsing.parse import NOT_PYTHON, OTHER_INSIDE
from plugseal.lang.registry import reader_named, second_reader
from plugseal.scan.analyse import analyse
from plugseal.scan.workers.worker import Workers

CONTEXT = Context("file.py", Interest())

READ = {
    "type aliases (3.12)": ("type A = int\nimport os\nos.system('x')\n", "code"),
    "quotes in f-strings (3.12)": ("import os\nx = f'{os.system('a')}'\n", "code"),
    "exceptions without parentheses (3.14)": ("import os\ntry: os.system('x')\nexcept A, B: pass\n", "code"),
    "template strings (3.14)": ("import os\nx = t'{os.system(1)}'\n", "code"),
    "Python 2": ("import os\nprint 'x', os.system('x')\n", "code"),
    "Python 2 whose tokens are refused": ("import os\nprint `os.system(0777)`\n", "code"),
    "Python 2 inside a string": ("exec('import os\\nprint os.system(1)')\n", "nested"),
    "newer code inside a string": ("exec('type A = int\\nimport os\\nos.system(1)')\n", "nested"),
    "newest code inside a string": ("exec('import os\\ntry: os.system(1)\\nexcept A, B: pass')\n", "nested"),
}


def _read(source: str) -> FileFacts:
    with Workers() as workers:
        return analyse("python", source.encode(), CONTEXT, workers=workers)


@pytest.mark.parametrize("name", READ)
def test_other_syntax_gives_its_facts(name: str) -> None:
    source, channel = READ[name]
    facts = _read(source)
    assert (facts.language, facts.status, facts.reason) == ("python", "read", "")
    assert ("process.shell", channel) in {(fact.capability, fact.channel) for fact in facts.facts}


UNREAD = {
    "broken Python 2": ("import os\nprint 'x'\n)\n", "not valid Python 3 (line 3)"),
    "Python 2 whose tokens are refused": ("import os\nprint `x\n", "not valid Python 3 (line 2)"),
    "prose": ("a\nThis is no program.\n", "not valid Python 3 (line 2)"),
    "brackets": ("type A = int\n" + "(" * 2_000 + ")" * 2_000, "brackets nest deeper than 80"),
    "more than the second parser takes": (
        "type A = int\n" + f"x = '{'a' * 1_100_000}'\n",
        "not valid Python 3, or of a newer one and too large for the second parser",
    ),
    "signs": ("type A = int\nx = " + "-" * 900 + "1\n", "nests too deeply"),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_no_parser_accepts_is_unread_with_the_reason(name: str) -> None:
    source, reason = UNREAD[name]
    if "more than" in name and sys.version_info >= (3, 12):
        pytest.skip("this Python needs no second parser for it")
    facts = _read(source)
    assert (facts.language, facts.status, facts.reason) == ("python", "unread", reason)


def test_code_that_no_python_accepts_inside_a_string_takes_nothing_from_the_file() -> None:
    facts = _read("import os\nos.system('x')\nexec('type type type')\n")
    assert (facts.status, facts.reason) == ("read", "")
    assert {fact.capability for fact in facts.facts} == {"process.shell", "code.dynamic"}


class _Dies:
    language = "python"

    def read(self, data: bytes, context: Context) -> FileFacts:
        raise MemoryError


def _find_dying(name: str) -> object:
    return _Dies() if name == "python-newer" else reader_named(name)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python needs no second parser for it")
def test_a_second_parser_that_dies_leaves_what_the_first_has_found() -> None:
    source = b"import os\nos.system('x')\nexec('try: pass\\nexcept A, B: pass')\n"
    with Workers(_find_dying) as workers:  # type: ignore[arg-type]  # two kinds of readers
        facts = analyse("python", source, CONTEXT, workers=workers)
    assert facts.status == "partial"
    assert facts.reason.startswith("needed more than")
    assert "process.shell" in {fact.capability for fact in facts.facts}


def test_the_reasons_that_ask_for_a_second_reader_are_those_that_the_first_gives() -> None:
    assert second_reader("python", f"{NOT_PYTHON} (line 1)") == "python-newer"
    assert second_reader("python", OTHER_INSIDE) == "python-newer"
    assert second_reader("python", "nests too deeply") == ""
    assert second_reader("json", f"{NOT_PYTHON} (line 1)") == ""

"""What functions are given by their calls, what braces make of words, and what several values say alike."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import read_shell


def _facts(script: str) -> set[tuple[str, str | None, str]]:
    facts = read_shell(script.encode(), Context("x.sh", Interest())).facts
    return {(fact.capability, fact.object, fact.resolution) for fact in facts}


_GIVEN = {
    "an argument": ('f() { cat "$1"; }\nf /opt/x\n', ("fs.read", "/opt/x", "resolved")),
    "by a variable": ('f() { local a="$1"; cat "$a"; }\nf /opt/x\n', ("fs.read", "/opt/x", "resolved")),
    "the second": ('f() { cat "$2"; }\nf "$X" /opt/x\n', ("fs.read", "/opt/x", "resolved")),
    "several calls": ('f() { cat "$1"; }\nf /opt/x\nf /opt/y\n', ("fs.read", "/opt/x", "possible")),
    "through two": ('f() { cat "$1"; }\ng() { f "$1"; }\ng /opt/x\n', ("fs.read", "/opt/x", "resolved")),
    "a default": ('f() { cat "${1:-/opt/x}"; }\nf\n', ("fs.read", "/opt/x", "resolved")),
    "a host": ('f() { curl "https://a.example/$1"; }\nf x\nf y\n', ("net.outbound", "a.example", "resolved")),
    "a program": ('f() { timeout 5 "$1"; }\nf frobnicate\n', ("process.exec", "frobnicate", "resolved")),
    "a redirection": ("f() { while read -r l; do :; done <$1; }\nf /opt/x\n", ("fs.read", "/opt/x", "resolved")),
    "moved": ('f() { shift; cat "$1"; }\nf /opt/x /opt/y\n', ("fs.read", None, "direct")),
    "behind what may be many": ('f() { cat "$2"; }\nf $X /opt/x\n', ("fs.read", None, "resolved")),
    "nobody calls it": ('f() { cat "$1"; }\n', ("fs.read", None, "direct")),
    "itself": ('f() { cat "$1"; f "$1"; }\nf /opt/x\n', ("fs.read", "/opt/x", "possible")),
    "a variable that is set": ('f() { export A="$1"; }\nf x\nf y\n', ("env.write", "A", "direct")),
}


@pytest.mark.parametrize(("script", "expected"), _GIVEN.values(), ids=_GIVEN)
def test_a_function_is_given_what_its_calls_hand_over(script: str, expected: tuple[str, str | None, str]) -> None:
    assert expected in _facts(script)


def test_a_line_that_a_function_runs_is_told_once() -> None:
    nested = read_shell(b"f() { eval \"$1\"; }\nf 'rm /opt/x'\n", Context("x.sh", Interest())).nested
    assert [one.text for one in nested] == ["rm /opt/x"]


@pytest.mark.parametrize(
    ("script", "paths"),
    [
        pytest.param("cat /x/{1..3}", {"/x/1", "/x/2", "/x/3"}, id="numbers"),
        pytest.param("cat /x/{01..03..2}", {"/x/01", "/x/03"}, id="numbers of one width, and a step"),
        pytest.param("cat /x/{c..a}", {"/x/a", "/x/b", "/x/c"}, id="letters, backwards"),
        pytest.param("cat /x/{a,b}{1..2}", {"/x/a1", "/x/a2", "/x/b1", "/x/b2"}, id="with a list"),
        pytest.param("for i in {a..b}; do cat /x/$i; done", {"/x/a", "/x/b"}, id="in a loop"),
        pytest.param("for i in {a,b}; do cat /x/$i; done", {"/x/a", "/x/b"}, id="a list in a loop"),
        pytest.param("cat /x/{1..999999999}", {"/x/*"}, id="too many"),
        pytest.param("cat '/x/{1..2}'", {"/x/{1..2}"}, id="in quotes"),
    ],
)
def test_braces_are_the_words_that_they_make(script: str, paths: set[str]) -> None:
    assert {path for capability, path, _ in _facts(script) if capability == "fs.read"} == paths

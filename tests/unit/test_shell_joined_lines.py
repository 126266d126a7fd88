"""Lines that the shell's grammar joins are told apart: no line hides behind the one before it."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import read_shell

_BEFORE = {
    "a pipe of three": "a | b | c",
    "a pipe of four": "a | b | c | d",
    "a pipe that ends with a silent command": "a | b | echo",
    "a pipe with a remark behind it": "a | b | c # and so on",
    "a pipe over several lines": "a |\n  b |\n  c",
    "a pipe with continued lines": "a \\\n  | b \\\n  | c",
    "a pipe with standard error": "a |& b |& c",
    "a denied pipe": "! a | b | c",
    "two pipes": "a | b | c\nd | e | f",
    "remarks and blank lines": "a | b | c\n\n# one\n\n# two",
    "assignments side by side": "A=1 B=2",
    "assignments of texts": "A=\"\" B='x y' C=$z",
    "an array and another": "A=(1 2) B=3",
}
_BEHIND = (
    "",
    " > y",
    " 2>/dev/null | sh",
    " && ls",
    " || ls > y",
    "\nls > y",
    "\nif ls; then\n  d\nfi > y",
    "\nfunction g\n{\n  A=1 B=2\n  ls > y\n}",
)


@pytest.mark.parametrize("before", _BEFORE.values(), ids=_BEFORE)
@pytest.mark.parametrize("behind", _BEHIND, ids=[repr(text) for text in _BEHIND])
def test_what_stands_in_the_next_line_is_a_command_of_its_own(before: str, behind: str) -> None:
    script = f"{before}\ncurl https://next.example.invalid{behind}\n"
    facts = read_shell(script.encode(), Context("run.sh", Interest()))
    found = [(f.object, f.span.line) for f in facts.facts if f.capability == "net.outbound"]
    assert found == [("next.example.invalid", script[: script.index("curl")].count("\n") + 1)]
    assert facts.status == "read"


def test_a_variable_of_two_in_one_line_is_known_in_the_next() -> None:
    facts = read_shell(b"a=cu b=rl\n$a$b https://next.example.invalid\n", Context("run.sh", Interest()))
    assert [f.object for f in facts.facts if f.capability == "net.outbound"] == ["next.example.invalid"]


def test_two_assignments_before_a_command_stay_its_own() -> None:
    facts = read_shell(
        b"A=1 LD_PRELOAD=./x.so curl \\\n  https://next.example.invalid\n", Context("run.sh", Interest())
    )
    assert ("LD_PRELOAD", 1) in [(f.object, f.span.line) for f in facts.facts if f.capability == "env.write"]


def test_the_body_of_a_here_document_stays_a_text() -> None:
    script = b"a | b | cat <<EOF\ncurl https://body.example.invalid\nEOF\ncurl https://next.example.invalid > y\n"
    facts = read_shell(script, Context("run.sh", Interest()))
    assert [f.object for f in facts.facts if f.capability == "net.outbound"] == ["next.example.invalid"]


def test_many_lines_that_each_join_the_next_are_read_or_named() -> None:
    script = "a | b | c\n" * 400 + "curl https://next.example.invalid > y\n"
    facts = read_shell(script.encode(), Context("run.sh", Interest()))
    found = [f.object for f in facts.facts if f.capability == "net.outbound"]
    assert found == ["next.example.invalid"] or facts.status == "partial"

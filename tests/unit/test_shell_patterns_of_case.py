"""The patterns of `case`, which the grammar doesn't know in all their forms: what stands behind them is read."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import read_shell

_PATTERNS = (
    '*"a b"*"c"*',
    '*"\n"x_$y"\n"*',
    '*"a b"*"c"*|*"d"*"e f"*',
    '(*"a"*"b"',
    '*" "*" "*" "*',
    '*[" "]*',
    "*'a b'*'c'*",
    '[a-z]*"b"?',
    '"$a"*"$b"*',
    "''|*[!0-9]*",
    "@(a|b)*",
    "!(a|b)",
    "+([0-9])",
    "*[[:space:]]*",
    "*\\ *",
    "*$'\\n'*",
    '"$(uname)"*',
)


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_a_script_is_read_whatever_its_patterns_are(pattern: str) -> None:
    script = f"case $x in {pattern}) rm a;; b) rm c;; esac\nrm d\n"
    found = read_shell(script.encode(), Context("x.sh", Interest()))

    assert (found.status, found.reason) == ("read", "")
    assert [fact.object for fact in found.facts if fact.capability == "fs.delete"] == ["a", "c", "d"]


@pytest.mark.parametrize("script", ['case $x in *"a"*`rm x`"b"*) ls;; esac\nif\n', "case $x in\n", "if ls; then\n"])
def test_what_may_hide_a_command_is_not_called_read(script: str) -> None:
    assert read_shell(script.encode(), Context("x.sh", Interest())).status == "partial"

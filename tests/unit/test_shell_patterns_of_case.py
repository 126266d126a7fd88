"""Patterns of scripts, which the grammar doesn't know in all their forms: what stands behind them is read."""

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


_WORDS = (
    'y="${x%\\]}"',
    'y="${x%%\\]*}"',
    'y="${x#*\\[}"',
    "[[ $x =~ ^\\$\\{([^}]+)\\}$ ]]",
    '[[ "$x" =~ a|"b c"|d ]]',
    "[[ $x == \\{* && $x == *\\} ]]",
    '[[ "$x" =~ \\"$y\\"[[:space:]]*:[[:space:]]*\\"([^\\"]*)\\" ]]',
    'y="${x:$i:1}"',
    'y="${x: $i}"',
    'y="${V[a b]:-c}"',
    'y="a${x:+ ($z)}..."',
    "[[ $x =~ \\] ]]; y=${x%\\]*}",
)


@pytest.mark.parametrize("line", _WORDS)
def test_a_script_is_read_whatever_is_escaped_in_its_words(line: str) -> None:
    found = read_shell(f"f() {{\n  {line}\n  rm a\n}}\nf\nrm b\n".encode(), Context("x.sh", Interest()))

    assert (found.status, found.reason) == ("read", "")
    assert [fact.object for fact in found.facts if fact.capability == "fs.delete"] == ["a", "b"]


@pytest.mark.parametrize(
    "line",
    [
        'y="${x%\\]$(rm c)}"',
        '[[ $x =~ \\]|"$(rm c)" ]]',
        'y="a${x:+ ($(rm c))}"',
        '[[ "$x" =~ ^\\$\\{([^}]+)\\}$ ]] && rm c',
        "y=${x:$i:1}; \\rm c",
    ],
)
def test_a_command_in_such_a_word_is_read_too(line: str) -> None:
    found = read_shell(f"{line}\nrm d\n".encode(), Context("x.sh", Interest()))

    deleted = {fact.object for fact in found.facts if fact.capability == "fs.delete"}
    assert "d" in deleted
    assert "c" in deleted or [nested.text for nested in found.nested] == ["rm c"]

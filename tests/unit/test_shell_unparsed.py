"""Commands in words of expansions that the grammar takes for plain text: a shell runs them, so they are read."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import read_shell


def _texts(script: str) -> list[str]:
    return [nested.text for nested in read_shell(script.encode(), Context("x.sh", Interest())).nested]


@pytest.mark.parametrize(
    "line",
    [
        'y="${x%a$(rm c)}"',
        "y=${x%$(rm c)}",
        'y="${x##*$(rm c)}"',
        'y="${x%`rm c`}"',
        'y="${x%${z:-$(rm c)}}"',
        'y="${x^^$(rm c)}"',
        'y="${x//a$(rm c)/b}"',
        'y="${x//a`rm c`/b}"',
        'y="${x[@]%$(rm c)}"',
        'y="${!x%$(rm c)}"',
        'y="${x-`rm c`}"',
        'y=${x#a"$(rm c)"b}',
        "y=${x%%[$(rm c)]*}",
        "echo \"${x:+'$(rm c)'}\"",
        "cat <<E\n${x%$(rm c)}\nE",
        "f() { y=${x%$(rm c)}; }; f",
        "y=${x%\\\\$(rm c)}",
    ],
)
def test_a_command_in_a_pattern_or_a_value_is_read(line: str) -> None:
    assert "rm c" in _texts(line + "\n")


def test_all_commands_of_one_pattern_are_read_each_once() -> None:
    assert _texts("y=${x%$(rm a)$(rm $(ls b))`rm c`}\n") == ["rm a", "rm $(ls b)", "rm c"]


def test_a_command_stands_where_it_is_written() -> None:
    (nested,) = read_shell(b"ls\ny=${x%$(rm c)}\n", Context("x.sh", Interest())).nested

    assert (nested.span.line, nested.span.column) == (2, 7)


@pytest.mark.parametrize(
    "line",
    [
        "y=${x%\\$c}",
        "y=${x:+'$(rm c)'}",
        "echo '${x%$(rm c)}'",
        "y=${x%a}; # $(rm c)",
        "y=$((1+2))",
    ],
)
def test_what_no_shell_runs_is_silent(line: str) -> None:
    assert _texts(line + "\n") == []

"""What a function runs of what it is given: a line for `eval` or a shell, the name of a program, each of several."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.registry import reader_named
from plugseal.lang.shell.reader import read_shell


def _facts(script: str) -> set[tuple[str, str | None]]:
    return _of(read_shell(script.encode(), Context("x.sh", Interest())))


def _of(found: FileFacts) -> set[tuple[str, str | None]]:
    facts = {(fact.capability, fact.object) for fact in found.facts}
    for nested in found.nested:
        facts |= _of(reader_named(nested.language).read(nested.text.encode(), Context("x.sh", Interest())))
    return facts


_RUN = """
run() { $1; }; run 'C'
run() { eval "$1"; }; run 'C'
run() { bash -c "$1"; }; run 'C'
run() { sh -c "$*"; }; run C
run() { local cmd="$1"; $cmd; }; run 'C'
run() { local cmd="$1"; eval "$cmd"; }; run 'C'
run() { ssh h "$1"; }; run 'C'
run() { sudo -u x bash -lc "$2"; }; run a 'C'
run() { eval "$2"; }; run 'b' 'C'
run() { ${1} ${2}; }; run C
run() { "${@:2}"; }; run x C
run() { "$1" "$2"; }; run C
run() { command "$@"; }; run C
run() { time "$@"; }; run C
run() { eval "$@"; }; run 'C'
run() { for c in "$@"; do $c; done; }; run 'C'
run() { while [ $# -gt 0 ]; do eval "$1"; shift; done; }; run a 'C'
coproc N { C; }
coproc { C; }
coproc (C)
capsh -- -c 'C'
capsh --drop=all -- -c 'C'
su - user -- -c 'C'
screen -X stuff 'C\\n'
screen -S a -p 0 -X stuff $'C\\r'
screen -S a -X exec C
tmux if-shell 'C' x
npm exec -c 'C'
yarn exec 'C'
rlwrap -r -f . C
"""


@pytest.mark.parametrize("script", _RUN.strip().splitlines())
def test_a_command_that_is_handed_on_is_read(script: str) -> None:
    assert ("net.outbound", "h.example") in _facts(script.replace("C", "curl h.example"))


_ESCAPES = {
    "an editor": "vim -es a <<E\n:silent !curl h.example\nE",
    "an old editor": "ed a <<E\n!curl h.example\nE",
    "a database": "sqlite3 a.db <<E\n.shell curl h.example\nE",
    "another database": "mysql <<E\n\\! curl h.example\nE",
    "a debugger": "gdb -q <<E\nshell curl h.example\nE",
    "a word for an editor": "vim '+silent !curl h.example' +q",
    "a word for a pager": "less '+!curl h.example' a",
    "a variable that others run": "EDITOR='curl h.example' crontab -e",
    "a pager": "PAGER='curl h.example' man ls",
    "what is shown before each command": "PS1='$(curl h.example) '",
    "what completes a word": "complete -C 'curl h.example' x",
    "what completes one now": "compgen -C 'curl h.example' x",
    "a key": "bind -x '\"a\":curl h.example'",
    "a name with nothing inside": "cu``rl h.example",
    "a path that zsh looks up": "zsh -fc '=curl h.example'",
    "a tracer with a switch": "ltrace -S curl h.example",
}


@pytest.mark.parametrize("script", _ESCAPES.values(), ids=_ESCAPES)
def test_a_line_in_disguise_is_read(script: str) -> None:
    assert ("net.outbound", "h.example") in _facts(script)


@pytest.mark.parametrize(
    "script",
    [
        "EDITOR=vim crontab -e",
        "PAGER=cat git log",
        "PS1='\\u@\\h '",
        "sqlite3 a.db <<E\nselect 1;\nE",
        "complete -F f x",
        "bind 'set bell-style none'",
    ],
)
def test_what_others_are_told_is_no_line(script: str) -> None:
    found = read_shell(script.encode(), Context("x.sh", Interest()))

    assert not found.nested
    assert not {fact.object for fact in found.facts} & {"vim", "cat"}


def test_a_shell_that_waits_for_its_line_runs_what_it_is_fed() -> None:
    assert ("code.dynamic", None) in _facts("printf 'curl h.example' | xargs -0 sh -c")


@pytest.mark.parametrize("script", ["nu -c 'http get h.example'", "xonsh -c 'ls'"])
def test_a_shell_that_nobody_here_reads_is_named(script: str) -> None:
    found = read_shell(script.encode(), Context("x.sh", Interest()))

    assert [nested.language for nested in found.nested] == [script.split()[0]]


_NOT_RUN = {
    "a message": 'log() { echo "$1"; }; log "rm -rf a"',
    "a field of awk": "f() { awk '\n  $1 == 2 { print }' b; }; f 'rm a'",
    "what is asked for": "f() { case $1 in a) ;; esac; }; f 'rm a'",
    "a word for another program": "f() { docker inspect $1; }; f 'rm a'",
    "a variable that is printed": 'f() { local x="$1"; echo $x; }; f "rm a"',
    "a variable of another function": 'f() { x="$1"; }; g() { $y; }; f "rm a"',
    "a name of its own that is run": 't() { rm b; }; run() { "$1"; }; log() { :; }; log "rm a"',
}


@pytest.mark.parametrize("script", _NOT_RUN.values(), ids=_NOT_RUN)
def test_what_a_function_does_not_run_is_not_said_to(script: str) -> None:
    assert ("fs.delete", "a") not in _facts(script)


def test_a_function_that_is_handed_on_by_its_name_is_no_program_and_runs() -> None:
    found = read_shell(b"t() { rm b; }; run() { $1; }; run t", Context("x.sh", Interest()))

    assert "t" not in {fact.object for fact in found.facts}
    assert {fact.trigger for fact in found.facts if fact.capability == "fs.delete"} == {"start"}

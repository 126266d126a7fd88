"""What the shell's own commands give variables is followed: `read`, `set --`, `mapfile`, names of names, indexes."""

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


@pytest.mark.parametrize(
    "script",
    [
        "read v <<< rm\n$v /opt/x\n",
        "$(which rm || which unlink) /opt/x\n",
        "mapfile -t a <<'E'\nrm\n/opt/x\nE\n\"${a[@]}\"\n",
        "readarray -t a < <(printf '%s\\n' rm /opt/x)\n\"${a[@]}\"\n",
        "read -r a <<'E'\nrm /opt/x\nE\n$a\n",
        "read -r a < <(echo rm)\n$a /opt/x\n",
        'set -- a rm /opt/x; shift; "$@"\n',
        "set -- a b rm /opt/x\nshift 2\n$1 $2\n",
        'set -- a b rm /opt/x\nshift\nshift\n"$@"\n',
        'p=$(command -v unlink 2>/dev/null || command -v rm || echo rm)\n"$p" /opt/x\n',
        'read -r a b <<< "rm /opt/x"\n$a $b\n',
        'read -r a b <<< "rm -f /opt/x"\n$a $b\n',
        'read -ra a <<< "rm /opt/x"\n"${a[@]}"\n',
        "read <<< rm\n$REPLY /opt/x\n",
        'set -- rm\n"$1" /opt/x\n',
        'set -- rm /opt/x\n"$@"\n',
        "c=rm\ndeclare -n r=c\n$r /opt/x\n",
        "declare -n r=c\nc=rm\n$r /opt/x\n",
        "IFS= read -r v <<< rm\n$v /opt/x\n",
        "while read -r l; do $l; done <<'E'\necho a\nrm /opt/x\nE\n",
        "while IFS= read -r l || [ -n \"$l\" ]; do $l; done <<'E'\nrm /opt/x\nE\n",
        "while read -r l; do $l; done <<< 'rm /opt/x'\n",
        "while read -r l; do $l; done < <(echo 'rm /opt/x')\n",
        "echo 'rm /opt/x' | while read -r l; do $l; done\n",
        "printf 'rm /opt/x\\n' | while IFS= read -r l; do eval \"$l\"; done\n",
        'a=(r m)\nIFS=\n"${a[*]}" /opt/x\n',
        "c=RM\n${c@L} /opt/x\n",
        "c='$(rm /opt/x)'\n: \"${c@P}\"\n",
        "x='a[$(rm /opt/x)]'\necho $((x))\n",
        "x='a[$(rm /opt/x)]'\n[[ $x -eq 1 ]]\n",
        "let 'a[$(rm /opt/x)]=1'\n",
    ],
)
def test_what_is_given_is_what_runs(script: str) -> None:
    assert ("fs.delete", "/opt/x") in _facts(script)


@pytest.mark.parametrize(
    "script",
    [
        "read v <<< rm\necho $v /opt/x\n",
        "v=rm\nIFS= read -r v\n$v /opt/x\n",
        "while read -r l; do echo \"$l\"; done <<'E'\nrm /opt/x\nE\n",
        "while read -r l; do $l; done < list\n",
        'while read -r l; do $l; done <<< "$l"\n',
        "declare -n r=s\ndeclare -n s=r\n$r /opt/x\n",
        'set -- rm /opt/x\necho "$@"\n',
        "read -n 1 v <<< rm\n$v /opt/x\n",
        'set -- rm\nf() { "$1" /opt/x; }\n',
        'set -- rm a\nshift\n"$1" /opt/x\n',
        "x=3\necho $((x + 1))\n[[ $x -eq 3 ]]\nlet y=x+1\n",
        'c=a\necho "${c@Q}"\n',
    ],
)
def test_what_is_only_shown_or_not_known_deletes_nothing(script: str) -> None:
    assert not {capability for capability, _ in _facts(script)} & {"fs.delete", "code.obfuscated"}


def test_a_file_that_the_grammar_cuts_in_two_is_one() -> None:
    assert ("net.outbound", "a.example:80") in _facts("a=/dev; b=tcp\n: < $a/$b/a.example/80\n")


def test_words_that_a_script_sets_only_sometimes_are_possible() -> None:
    script = b'if [ -z "$1" ]; then set -- server; fi\nexec "$@"\n'
    found = read_shell(script, Context("x.sh", Interest())).facts
    assert {fact.resolution for fact in found if fact.object == "server"} == {"possible"}


def test_files_of_another_shell_are_deleted_by_its_module() -> None:
    assert ("fs.delete", "/opt/x") in _facts("zmodload zsh/files\nzf_rm /opt/x\n")

"""What stands behind a redirection belongs to the command, and what is redirected is the last command of a list."""

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


_SENT = {
    "a host behind the way to nowhere": "curl 2>/dev/null h.example",
    "a host behind the way to another way": "curl 2>&1 h.example",
    "words between redirections": "curl >a -s 2>b h.example <c",
    "what a search starts": "find / -name x 2>/dev/null -exec curl h.example \\;",
    "the line of a shell": "sh >a -c 'curl h.example'",
    "what another user runs": "sudo 2>/dev/null -u root curl h.example",
    "what a function is given": 'f() { curl "$@" https://h.example; }; f 2>/dev/null -s',
    "a continued line": "curl >a \\\n  h.example",
    "a folder before": "cd a && curl 2>/dev/null h.example",
    "the end of a pipe": "true | xargs 2>/dev/null curl h.example",
    "what is denied": "! curl >a h.example",
    "a condition": "if curl >a h.example; then :; fi",
    "a substitution": "x=$(curl 2>/dev/null h.example)",
    "a here-document for the last of a list": "cd a && bash <<E\ncurl h.example\nE",
    "a here-string for the last of a list": "cd a && bash <<<'curl h.example'",
    "a here-document in a pipe behind a list": "cd a && cat <<E | sh\ncurl h.example\nE",
    "a here-document that begins with a backslash": "bash <<E\n\\curl h.example\nE",
    "a here-document in quotes that does": "bash <<'E'\n\\curl h.example\nE",
    "the end mark as the beginning of a line": "bash <<E\nE1\ncurl h.example\nE",
    "words behind a here-document": "curl <<E -d @- h.example\na\nE",
    "words behind its redirection": "curl <<E >a -d @- h.example\na\nE",
}


@pytest.mark.parametrize("script", _SENT.values(), ids=_SENT)
def test_what_stands_behind_a_redirection_is_read(script: str) -> None:
    assert ("net.outbound", "h.example") in _facts(script)


def test_a_script_from_standard_input_with_words_of_its_own_is_read() -> None:
    found = _facts("python3 - <<'E' \"$x\"\nimport os\nos.remove('a')\nE\n")

    assert ("fs.delete", "a") in found


def test_a_file_that_is_written_to_the_errors_is_read() -> None:
    assert ("fs.read", "a.log") in _facts("cat >&2 a.log")


_NOT_READ = {
    "the next line is another command": "cat >a\nb.txt\n",
    "the rest of a name that the grammar cuts": "gzip >$A/b_$C.sql.gz\n",
    "a file that is written to": "cat >a.txt\n",
    "the number of a stream": "cat >a.txt 2>&1\n",
    "the number of a stream behind a connection": "cat >&/dev/tcp/h.example/443 0>&1\n",
    "a here-document": "cat <<E\nb.txt\nE\n",
    "a here-document that begins with a backslash": "cat >a <<'E'\n\\b.txt\nE\n",
}


@pytest.mark.parametrize("script", _NOT_READ.values(), ids=_NOT_READ)
def test_what_belongs_to_no_command_is_not_taken_for_its_words(script: str) -> None:
    assert not [fact for fact in _facts(script) if fact[0] == "fs.read"]


def test_words_behind_something_to_fill_in_are_no_more_than_possible() -> None:
    found = read_shell(b"uv run <skill>/a.py generate\n", Context("x.sh", Interest()))

    assert {fact.resolution for fact in found.facts if fact.object == "generate"} == {"possible"}


_WRITTEN = {
    "a here-document": "cat >x.sh <<E\ncurl h.example\nE\n",
    "a printed line": 'echo "curl h.example" >x.sh\n',
    "a file without a name for it, by its first line": "printf '#!/bin/sh\\ncurl h.example\\n' >/tmp/a\n",
    "what is fed to a program that writes": "tee x.sh <<< 'curl h.example'\n",
    "as somebody else": "cat <<E | sudo tee /usr/local/bin/x.sh >/dev/null\ncurl h.example\nE\n",
    "line by line": "echo 'if true; then' >a.sh\necho 'curl h.example' >>a.sh\necho fi >>a.sh\n",
    "behind another command": "cd x && cat >b.sh <<'E'\ncurl h.example\nE\n",
    "another language": "cat >a.py <<'E'\nimport urllib.request as r\nr.urlopen('https://h.example')\nE\n",
}


@pytest.mark.parametrize("script", _WRITTEN.values(), ids=_WRITTEN)
def test_what_is_written_to_a_script_is_read(script: str) -> None:
    assert ("net.outbound", "h.example") in _facts(script)


@pytest.mark.parametrize(
    "script", ["echo 'curl h.example' >a.txt\n", "cat >README.md <<E\ncurl h.example\nE\n", "curl h2.example >a.sh\n"]
)
def test_what_is_written_to_any_other_file_is_data(script: str) -> None:
    assert ("net.outbound", "h.example") not in _facts(script)


def test_a_script_that_is_written_anew_is_another_one() -> None:
    found = read_shell(b"echo 'rm a' >x.sh\necho 'rm b' >x.sh\necho 'rm c' >>x.sh\n", Context("x.sh", Interest()))

    assert [nested.text for nested in found.nested] == ["rm a\n", "rm b\nrm c\n"]

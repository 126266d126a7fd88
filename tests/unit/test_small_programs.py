"""Files of awk and sed: what they start, read, write and connect to."""

from __future__ import annotations

import pytest

from plugseal.lang.classify import READ, classify
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.registry import reader_named


def _read(path: str, text: str) -> FileFacts:
    verdict = classify(path, text.encode())
    assert verdict.action == READ, verdict
    return reader_named(verdict.language).read(text.encode(), Context(path, Interest()))


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        pytest.param("a.awk", 'BEGIN { system("touch a") }\n', {("process.shell", "touch")}, id="system"),
        pytest.param("a", '#!/usr/bin/awk -f\n{ print | "mail b" }\n', {("process.shell", "mail")}, id="pipe, by #!"),
        pytest.param(
            "a.awk",
            '{ print $1 > "/etc/a"; getline b < "/home/u/.ssh/id_rsa" }\n',
            {
                ("fs.write", "/etc/a"),
                ("path.outside", "/etc/a"),
                ("fs.read", "/home/u/.ssh/id_rsa"),
                ("path.outside", "/home/u/.ssh/id_rsa"),
                ("credentials.read", "/home/u/.ssh/id_rsa"),
            },
            id="files",
        ),
        pytest.param("a.awk", "{ system($0) }\n", {("process.shell", None), ("code.dynamic", None)}, id="computed"),
        pytest.param("a.awk", '# system("a")\n/system("b")/ { print "c" }\n', set(), id="comment and pattern"),
        pytest.param("a.sed", "1e touch a\n", {("process.shell", "touch")}, id="e"),
        pytest.param(
            "a", "#!/bin/sed -f\ns/a/b/w /etc/a\n", {("fs.write", "/etc/a"), ("path.outside", "/etc/a")}, id="w"
        ),
        pytest.param("a.sed", "# e.g. write all\na\\\neach line \\\nreads well\ns/e/w/\n", set(), id="texts of sed"),
    ],
)
def test_what_a_program_does(path: str, text: str, said: set[tuple[str, str | None]]) -> None:
    facts = _read(path, text)
    assert {(fact.capability, fact.object) for fact in facts.facts} == said
    assert facts.status == "read"


def test_each_fact_stands_where_it_is_done_and_lines_are_read_as_shell() -> None:
    facts = _read("a.awk", '{ a = 1 }\nEND { system("touch /etc/a") }\n')
    assert [(fact.span.line, fact.span.column) for fact in facts.facts] == [(2, 7)]
    assert [(nested.language, nested.text) for nested in facts.nested] == [("shell", "touch /etc/a")]


def test_a_long_program_is_not_read_in_part() -> None:
    assert _read("a.awk", '{ print "a" }\n' * 10_000).status == "unread"

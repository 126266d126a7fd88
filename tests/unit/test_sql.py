"""SQL: what leaves the database is told, in files and in what programs give to databases that they open."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.sql.reader import SqlReader
from plugseal.verbs.facts import list_facts

_DOES = {
    "another file": ("ATTACH '/opt/x.db' AS x;", {("fs.read", "/opt/x.db"), ("path.outside", "/opt/x.db")}),
    "by its address": ("attach database 'file:/opt/x.db?mode=ro' as x", {("fs.read", "/opt/x.db")}),
    "a program": ("COPY t FROM PROGRAM 'frobnicate x';", {("process.shell", "frobnicate")}),
    "a program that is fed": ("copy (select 1) to program 'frobnicate'", {("process.shell", "frobnicate")}),
    "a line of the client": ("select 1;\n\\! frobnicate x\n", {("process.shell", "frobnicate")}),
    "a line of another client": (".shell frobnicate x\n", {("process.shell", "frobnicate")}),
    "a procedure": ("EXEC master..xp_cmdshell 'frobnicate';", {("process.shell", "frobnicate")}),
    "a library": ("SELECT load_extension('./x.so');", {("code.native", "./x.so")}),
    "a function of a library": ("CREATE FUNCTION f RETURNS STRING SONAME 'x.so';", {("code.native", "x.so")}),
    "a function without limits": ("CREATE FUNCTION f() AS 'x' LANGUAGE plpython3u;", {("code.dynamic", "plpython3u")}),
    "a file that is written": ("SELECT x INTO OUTFILE '/opt/x' FROM t;", {("fs.write", "/opt/x")}),
    "a file that is read": (
        "LOAD DATA LOCAL INFILE '/etc/shadow' INTO TABLE t;",
        {("credentials.read", "/etc/shadow")},
    ),
    "a copy": ("COPY t (a, b) TO '/opt/x' WITH CSV;", {("fs.write", "/opt/x")}),
    "a copy of the whole": ("VACUUM INTO '/opt/x';", {("fs.write", "/opt/x")}),
    "a file by a function": ("SELECT pg_read_file('/etc/passwd');", {("fs.read", "/etc/passwd")}),
    "data from elsewhere": ("SELECT * FROM read_csv('https://a.example/x.csv');", {("net.outbound", "a.example")}),
    "a quote in a text": ("COPY t TO 'it''s';", {("fs.write", "it's")}),
}


@pytest.mark.parametrize(("text", "expected"), _DOES.values(), ids=_DOES)
def test_a_statement_says_what_leaves_the_database(text: str, expected: set[tuple[str, str | None]]) -> None:
    facts = SqlReader().read(text.encode(), Context("a.sql", Interest()))
    assert facts.status == "read"
    assert expected <= {(fact.capability, fact.object) for fact in facts.facts}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("SELECT a FROM t WHERE b = 'ATTACH ''x''';", id="a text"),
        pytest.param("-- ATTACH '/opt/x.db' AS x\n/* COPY t FROM PROGRAM 'x' */", id="comments"),
        pytest.param("ATTACH ':memory:' AS x;", id="a database in memory"),
        pytest.param("CREATE TABLE copy (program text, language text);", id="names"),
        pytest.param("CREATE FUNCTION f() RETURNS int AS 'x' LANGUAGE plpgsql;", id="a function with limits"),
        pytest.param("INSERT INTO t SELECT load_extension FROM u;", id="a column of that name"),
        pytest.param("COPY t FROM STDIN;", id="a copy of what is given"),
    ],
)
def test_what_stays_in_the_database_is_silent(text: str) -> None:
    facts = SqlReader().read(text.encode(), Context("a.sql", Interest()))
    assert (facts.facts, facts.nested) == ((), ())


_PROGRAMS = {
    "Python": ("a.py", "import sqlite3\nsqlite3.connect(':memory:').execute(\"ATTACH '/opt/x.db' AS x\")\n"),
    "Python, a cursor": (
        "b.py",
        "import sqlite3\nc = sqlite3.connect('a.db')\nc.cursor().executescript(\"attach '/opt/x.db' as x\")\n",
    ),
    "JavaScript": ("a.js", "const D = require('better-sqlite3');\nnew D('a.db').exec(\"ATTACH '/opt/x.db' AS x\");\n"),
    "a file": ("a.sql", "ATTACH '/opt/x.db' AS x;\n"),
}


@pytest.mark.parametrize(("name", "text"), _PROGRAMS.values(), ids=_PROGRAMS)
def test_a_database_that_a_program_opens_is_asked_the_same(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    said = {(fact.capability, fact.object) for _, fact in list_facts(tmp_path)}
    assert {("fs.read", "/opt/x.db"), ("path.outside", "/opt/x.db")} <= said

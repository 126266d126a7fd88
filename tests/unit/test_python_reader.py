"""What the reader says of a file as a whole: status, reasons, places, triggers, objects, events."""

from __future__ import annotations

import re
from typing import Any

import pytest

from plugseal.lang.facts import UNKNOWN, Context, EntryPoint, Event, FileFacts, Interest, Ref
from plugseal.lang.python.reader import PythonReader, needs_second_parser, read_python
from plugseal.model.capability import Capability, Channel, Fact, Resolution


def read(source: str | bytes, **interest: Any) -> FileFacts:
    data = source if isinstance(source, bytes) else source.encode("utf-8")
    return read_python(data, Context("x.py", Interest(**interest)))


def code(source: str) -> list[Fact]:
    """Return the facts that are not about imports."""
    return [fact for fact in read(source).facts if fact.channel != "import"]


def rows(source: str) -> set[tuple[str, str | None]]:
    return {(fact.capability, fact.object) for fact in code(source)}


_OBJECTS = {
    "program of a line": ("import os\nos.system('git push origin')", ("process.shell", "git")),
    "program after a variable": ("import os\nos.system('A=1 git push')", ("process.shell", "git")),
    "program of a list": ("import subprocess\nsubprocess.run(['git', 'x'])", ("process.exec", "git")),
    "this very interpreter": (
        "import subprocess, sys\nsubprocess.run([sys.executable, 'x'])",
        ("process.exec", "python"),
    ),
    "unknown program": ("import os\ndef f(x): os.system(x)", ("process.shell", None)),
    "program before an unknown rest": ("import os\ndef f(x): os.system(f'git push {x}')", ("process.shell", "git")),
    "program that is half known": ("import os\ndef f(x): os.system(f'git{x}')", ("process.shell", None)),
    "host of a URL": ("import requests\nrequests.get('https://a.example/b?c')", ("net.outbound", "a.example")),
    "host with port and user": (
        "import requests\nrequests.get('http://u:p@A.example:8/b')",
        ("net.outbound", "a.example:8"),
    ),
    "host before an unknown path": (
        "import requests\ndef f(x): requests.get(f'https://a.example/{x}')",
        ("net.outbound", "a.example"),
    ),
    "host that is half known": ("import requests\ndef f(x): requests.get(f'https://a.{x}/b')", ("net.outbound", None)),
    "host and port of a tuple": ("import socket\nsocket.create_connection(('a', 80))", ("net.outbound", "a:80")),
    "host of a constant of the file": (
        "import requests\nBASE = 'https://a.example'\ndef f(p): requests.get(BASE + p)",
        ("net.outbound", None),
    ),
    "variable by subscript": ("import os\nos.environ['A']", ("env.read", "A")),
    "variable by getenv": ("import os\nos.getenv('A', 'b')", ("env.read", "A")),
    "path": ("open('a/b.txt')", ("fs.read", "a/b.txt")),
    "path joined": ("import os\nopen(os.path.join('a', 'b'))", ("fs.read", "a/b")),
    "path with a hole": ("def f(x): open(f'/tmp/{x}.log')", ("path.outside", "/tmp/*.log")),
    "path object": ("from pathlib import Path\n(Path('a') / 'b').read_text()", ("fs.read", "a/b")),
    "path by keyword": ("open(file='a')", ("fs.read", "a")),
    "package": ("import importlib\nimportlib.import_module('a.b')", ("code.import", "a.b")),
}


@pytest.mark.parametrize(("source", "row"), _OBJECTS.values(), ids=list(_OBJECTS))
def test_a_fact_names_its_object(source: str, row: tuple[str, str | None]) -> None:
    assert row in rows(source)


def test_two_possible_hosts_are_two_facts() -> None:
    found = rows("import requests\ndef f(x):\n    u = 'https://a/' if x else 'https://b/'\n    requests.get(u)")
    assert {("net.outbound", "a"), ("net.outbound", "b")} <= found


_RESOLUTIONS = {
    "as imported": ("import os\nos.system('x')", "direct"),
    "imported by its own name": ("from os import system\nsystem('x')", "direct"),
    "under another name": ("import os as o\no.system('x')", "resolved"),
    "folded": ("import os\ngetattr(os, 'sys' + 'tem')('x')", "resolved"),
    "one of two": ("import os\ndef f(x):\n    g = os.system if x else print\n    g('x')", "possible"),
    "mentioned": ("import os\nrun(os.system)", "possible"),
    "bound by nobody": ("os.system('x')", "possible"),
    "a loader that makes only strings": ("import yaml\nyaml.load(s, Loader=yaml.BaseLoader)", "possible"),
}


@pytest.mark.parametrize(("source", "resolution"), _RESOLUTIONS.values(), ids=list(_RESOLUTIONS))
def test_a_fact_says_how_surely_it_was_established(source: str, resolution: str) -> None:
    line = max(fact.span.line for fact in code(source))
    assert {fact.resolution for fact in code(source) if fact.span.line == line} == {resolution}


_TRIGGERS = {
    "module level": ("import os\nos.system('x')", "import"),
    "class body": ("import os\nclass A:\n    os.system('x')", "import"),
    "main block": ("import os\nif __name__ == '__main__':\n    os.system('x')", "start"),
    "main block the other way round": ("import os\nif '__main__' == __name__:\n    os.system('x')", "start"),
    "else of the main block": ("import os\nif __name__ == '__main__':\n    pass\nelse:\n    os.system('x')", "import"),
    "function": ("import os\ndef f():\n    os.system('x')", "unknown"),
    "lambda": ("import os\nf = lambda: os.system('x')", "unknown"),
    "default argument": ("import os\ndef f(x=os.system('x')): pass", "import"),
}


@pytest.mark.parametrize(("source", "trigger"), _TRIGGERS.values(), ids=list(_TRIGGERS))
def test_a_fact_says_when_it_happens(source: str, trigger: str) -> None:
    assert {fact.trigger for fact in code(source)} == {trigger}


def test_entry_points_are_listed() -> None:
    facts = read("def f(): pass\nif __name__ == '__main__':\n    f()\n")
    assert facts.entries == (EntryPoint("<module>", "import", 1), EntryPoint("<module>", "start", 2))


def test_a_registered_tool_is_an_entry_point() -> None:
    source = "from mcp.server.fastmcp import FastMCP\nimport os\nm = FastMCP('x')\n"
    source += "@m.tool()\ndef go(a: str):\n    os.system(a)\n"
    facts = read(source)
    assert EntryPoint("go", "tool", 5) in facts.entries or EntryPoint("go", "tool", 4) in facts.entries
    assert {f.trigger for f in facts.facts if f.capability == "process.shell"} == {"tool"}


def test_an_import_alone_is_weak_evidence() -> None:
    (fact,) = read("import subprocess\n").facts
    assert (fact.capability, fact.resolution, fact.channel) == ("process.exec", "possible", "import")
    assert (fact.span.line, fact.span.column, fact.span.end_column) == (1, 8, 18)


def test_columns_count_code_points() -> None:
    (fact,) = code("import os\nx = '€😀'; os.system('ü')\n")
    assert tuple(fact.span) == (2, 11, 2, 25)


def test_carriage_returns_alone_are_line_ends() -> None:
    (fact,) = code("import os\rx = 'é'\ros.system('x')\r")
    assert fact.span.line == 3


def test_code_inside_an_f_string_stands_where_the_f_string_stands() -> None:
    (fact,) = code("import os\nx = (f'a'\n     f'{os.system(chr(120))}')\n")
    assert tuple(fact.span) == (2, 6, 3, 30)


def test_code_inside_a_string_stands_where_the_string_stands() -> None:
    facts = [f for f in read("exec('''\nimport os\nos.system(1)\n''')").facts if f.channel == "nested"]
    assert {tuple(f.span) for f in facts} == {(1, 6, 4, 4)}


def test_every_word_of_a_fact_is_of_the_closed_lists() -> None:
    source = "import os, subprocess\nos.system('x')\nsubprocess.run(['a'])\nexec('open(1)')\nos.environ['A']\n"
    facts = read(source).facts

    assert len(facts) > 4
    assert {fact.capability for fact in facts} <= {one.value for one in Capability}
    assert {fact.channel for fact in facts} <= {one.value for one in Channel}
    assert {fact.resolution for fact in facts} <= {one.value for one in Resolution}


_UNREAD = {
    "UTF-16 that is cut": (b"\xff\xfeo\x00s", "UTF-16"),
    "bytes that are not UTF-8": (b"x = '\xff'", "not UTF-8 (line 1)"),
    "NUL": (b"x = 1\x00", "NUL"),
    "rot13": (b"# coding: rot13\nvzcbeg bf\n", "coding rot13"),
    "utf-7": (b"# -*- coding: utf-7 -*-\n+AG8-s = 1\n", "coding utf-7"),
    "unknown coding": (b"# coding: klingon\n", "coding klingon"),
    "UTF-8 mark and another coding": (b"\xef\xbb\xbf# coding: latin-1\n", "declared as latin-1"),
    "syntax": (b"if True print\n", "not valid Python 3 (line 1)"),
    "brackets": (b"(" * 5_000 + b")" * 5_000, "brackets nest deeper than"),
    "operators": (b"x = " + b"-" * 3_000 + b"1", "nests too deeply"),
    "sums": (b"x = " + b"1+" * 3_000 + b"1", "nests too deeply"),
    "chains": (b"x" + b".y" * 3_000, "nests too deeply"),
    "calls": (b"x" + b"()" * 3_000, "nests too deeply"),
    "indentation": (b"".join(b" " * n + b"if x:\n" for n in range(200)) + b" " * 200 + b"pass\n", "nests too deeply"),
    "elif": (b"if x: pass\n" + b"elif x: pass\n" * 3_000, "nests too deeply"),
    "powers": (b"x = " + b"2**" * 20_000 + b"2", "nests too deeply"),
    "lambdas": (b"x = " + b"lambda: " * 4_000 + b"1", "nests too deeply"),
    "tokens": (b"x=1\n" * 300_000, "tokens"),
}


@pytest.mark.parametrize(("data", "reason"), _UNREAD.values(), ids=list(_UNREAD))
def test_what_cannot_be_read_is_unread_with_a_reason(data: bytes, reason: str) -> None:
    facts = read(data)
    assert facts.status == "unread"
    assert reason in facts.reason


def test_only_a_syntax_error_asks_for_the_second_parser() -> None:
    assert needs_second_parser(read("if True print\n"))
    assert not needs_second_parser(read(b"# coding: rot13\n"))
    assert not needs_second_parser(read("x = 1\n"))


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfimport os\nos.system('x')",
        "import os\nos.system('x')".encode("utf-16"),
        b"# coding: latin-1\nimport os\nos.system('\xe9')",
        b"# vim: set fileencoding=cp1252 :\nimport os\nos.system('\x80')",
    ],
)
def test_marks_and_plain_codings_are_read(data: bytes) -> None:
    assert "process.shell" in {fact.capability for fact in read(data).facts}


def test_an_odd_coding_is_a_disguise() -> None:
    assert [fact.capability for fact in read(b"# coding: rot13\nvzcbeg bf\n").facts] == ["code.obfuscated"]


def test_warnings_of_the_parser_reach_nobody(
    capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    read("x = '\\d'\nif x is 1: pass\n(1)(2)\n")
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


def test_many_brackets_that_do_not_nest_are_fine() -> None:
    assert read("x = [" + "(1, 2), " * 5_000 + "]").status == "read"


def test_brackets_in_strings_and_comments_do_not_count() -> None:
    assert read("x = '" + "(" * 300 + "'\n# " + "[" * 300 + "\n").status == "read"


def test_the_budget_of_a_file_ends_in_partial() -> None:
    lines = ["x0 = y"] + [f"x{n} = f(x{n - 1}) or g(x{n - 1}, h(x{n - 1}))" for n in range(1, 60)]
    source = "\n".join(
        ["def f(a): return [a, a] + [g(a, b) for b in a]", "def g(a, b): return f(a) + f(b)", "h = g", *lines]
    )
    facts = read(source + "\nx59.system(1)\n")
    assert facts.status in ("read", "partial")


_BOMBS = {
    "a number too long to print": "open(str(0x" + "f" * 20_000 + "))",
    "a number to the power": "open(str(2 ** 64 ** 64))",
    "text times a number": "import os\ngetattr(os, 'x' * 10 ** 9)(1)",
    "text that doubles": "a = 'x'\n" + "a = a + a\n" * 200 + "open(a)",
    "a wide format": "open('{0:>99999}'.format('a')), open('%99999s' % 'a'), open(f'{1:999999999}')",
    "an unknown escape": "open(b'\\\\d'.decode('unicode_escape'))",
    "a list that holds itself": "a = [a, a]\na[0][0][0].system(1)\nfor b in a: b.open(a)",
    "classes in a circle": "class A(B): pass\nclass B(A): pass\nA().open(1).read()",
    "names in a circle": "import os\na = b\nb = c\nc = a\na.system(1)",
    "names that lead into a circle": "x = y\ny = a\na = b\nb = c\nc = a\nx.system(1)",
    "functions in a circle": "def f(x): return g(x)\ndef g(x): return f(x)\nf('a').open(g('b'))",
}


@pytest.mark.parametrize("source", _BOMBS.values(), ids=list(_BOMBS))
def test_what_grows_or_turns_in_circles_is_read(source: str, recwarn: pytest.WarningsRecorder) -> None:
    assert read(source).status == "read"
    assert not recwarn.list


def test_events_carry_folded_arguments() -> None:
    source = "import subprocess as sp, base64\nA = 'x'\n"
    source += "def f(u, b): sp.run(['a', A], shell=True, input=u, env=base64.b64decode(b))\n"
    facts = read(source, calls=frozenset({"subprocess.run"}))
    (event,) = facts.events
    assert event == Event(
        "call", "subprocess.run", event.span, (("a", "x"),),
        (("shell", True), ("input", UNKNOWN), ("env", Ref("base64.b64decode()"))), "resolved", "unknown",
    )  # fmt: skip


def test_events_know_prefixes_imports_attributes_and_strings() -> None:
    source = "'''doc secret'''\nimport yaml\nyaml.load(x)\nimport sys\nsys.meta_path.insert(0, 1)\nk = 'secret-1'\n"
    facts = read(
        source,
        call_prefixes=("yaml.",),
        imports=frozenset({"yaml"}),
        attributes=frozenset({"sys.meta_path"}),
        strings=re.compile("secret"),
    )
    assert {(event.kind, event.name) for event in facts.events} == {
        ("call", "yaml.load"), ("import", "yaml"), ("attribute", "sys.meta_path"), ("string", "secret-1"),
    }  # fmt: skip


def test_no_event_is_made_that_nobody_wants() -> None:
    assert read("import os\nos.system('secret')\n").events == ()


def test_imports_are_listed() -> None:
    facts = read("import a.b\nfrom . import c\nfrom ..d import e\nfrom f import *\n")
    assert facts.imports == (".", "..d", "a.b", "f")


def test_the_reader_fits_its_interface() -> None:
    assert PythonReader().language == "python"
    assert PythonReader().read(b"x = 1", Context("x.py", Interest())).status == "read"


def test_names_that_lead_through_too_many_others_are_never_passed_over_in_silence() -> None:
    functions = "".join(f"def f{at}(): return f{at - 1}()\n" for at in range(1, 300))
    source = f"import os\ndef f0(): return os\n{functions}f299().system('id')\n"

    facts = read_python(source.encode(), Context("x.py", Interest()))

    assert facts.status == "partial"
    assert "too deep" in facts.reason


def test_a_name_that_means_nothing_in_one_function_is_looked_at_in_the_next() -> None:
    harmless = "def f(x):\n    from mine import run\n    run(x)\n"
    source = harmless + "def g(x):\n    from subprocess import run\n    run('git')\n"

    assert ("process.exec", "git") in rows(source)


def test_each_of_two_calls_that_look_inside_a_class_is_said() -> None:
    found = code("from mine import Base\nBase.__subclasses__()\nBase.__subclasses__()\n")

    assert [fact.span.line for fact in found if fact.capability == "code.reflective"] == [2, 3]


def test_a_module_under_another_name_is_the_same_module() -> None:
    found = code("import sh\nrunner = sh\nagain = runner\nagain.git('push')\n")

    assert {(fact.span.line, fact.capability) for fact in found} == {(4, "process.exec"), (4, "net.outbound")}

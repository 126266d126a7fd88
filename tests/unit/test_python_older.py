"""Statements of Python 2 give the tree that Python 3 gives for the same statement, with the places of the source."""

from __future__ import annotations

import ast

import pytest

from plugseal.lang.python.older.parse import parse_older
from plugseal.lang.python.older.rewrite import edits_of

SAME = {
    "print": ("print 'a', b", "print('a', b)"),
    "print without a blank": ("print'a'", "print('a')"),
    "print that stays on its line": ("print a,", "print(a,)"),
    "print to a file": ("print >>f, a % b", "print(f, a % b)"),
    "print of a list": ("print [x for x in y]", "print([x for x in y])"),
    "print over lines": ("print 'a' % (b,\n  c)", "print('a' % (b,\n  c))"),
    "print of what is not": ("print not a", "print(not a)"),
    "print behind a header": ("if a: print b; print c\nelse: print d", "if a: print(b); print(c)\nelse: print(d)"),
    "print behind a lambda in a header": ("while lambda: a: print b", "while lambda: a: print(b)"),
    "print with a comment": ("print a # b", "print(a)"),
    "exec": ("exec code", "exec(code)"),
    "exec in a namespace": ("exec a in b, c", "exec(a, b, c)"),
    "exec of what begins with a bracket": ("exec ('') + a\nexec (a)", "exec(('') + a)\nexec(a)"),
    "exec of a bracket in a namespace": ("exec (a) in b", "exec((a), b)"),
    "raise": ("raise E, 'x' % y", "raise E('x' % y)"),
    "raise with its traceback": ("raise E, a, b", "raise E(a, b)"),
    "except": ("try: a\nexcept E, e: print e", "try: a\nexcept E as e: print(e)"),
    "except of several": ("try: a\nexcept (E, F),e: b", "try: a\nexcept (E, F) as e: b"),
    "except into a tuple": ("try: a\nexcept E, (b, c): d", "try: a\nexcept E as _: d"),
    "unequal": ("a <> b", "a != b"),
    "repr": ("`a` + `b`", "repr(a) + repr(b)"),
    "octal": ("f(0755, 0, 00L)", "f(0o755, 0, 0o0)"),
    "long": ("a = 10L + 0xFFL", "a = 10 + 0xFF"),
    "raw unicode": ("a = ur'\\d'", "a = r'\\d'"),
    "raw unicode with a letter by its number": (
        "a = ur'\\u0041\\d\\\\u0041\\\\\\u0042\\''",
        "a = u'A\\\\d\\\\\\\\u0041\\\\\\\\B\\\\\\''",
    ),
    "letters by their numbers where all is unicode": (
        "from __future__ import unicode_literals\na = '\\u0041', r'\\u0041', r'\\d', b'\\u', 1L",
        "from __future__ import unicode_literals\na = 'A', 'A', r'\\d', b'\\\\u', 1",
    ),
    "backslashes that are none of ours": ("a = 'C:\\users\\new\\N'", "a = 'C:\\\\users\\new\\\\N'"),
    "backslashes that are": ("a = u'\\u0041', '\\\\u', 1L", "a = u'A', '\\\\u', 1"),
    "parameters in brackets": (
        "def f(a, (b, (c, d))=(1, (2, 3)), *e): pass",
        "def f(a, b, c, d=(1, (2, 3)), *e): pass",
    ),
    "parameters of a lambda": ("f(lambda (a, b), c: (a, c))", "f(lambda a, b, c: (a, c))"),
    "a name that is a word now": ("f(async=a)", "f(async_=a)"),
    "tabs and blanks": ("if a:\n\tb\n        c", "if a:\n    b\n    c"),
    "lines that go on": ("print \\\n  a", "print( \\\n  a)"),
    "old ends of lines": ("print a\rprint b\r\nprint c", "print(a)\nprint(b)\nprint(c)"),
}


@pytest.mark.parametrize("name", SAME)
def test_a_statement_means_what_python_3_writes_otherwise(name: str) -> None:
    older, newer = SAME[name]
    tree = parse_older(older)
    assert isinstance(tree, ast.Module), tree
    assert ast.dump(tree) == ast.dump(ast.parse(newer))


NONE = {
    "nothing to rewrite": (
        "print('a')\nprint\nraise E\nx = lambda a, b=(1, 2): a\nasync def f(): await g()\n",
        "",
    ),
    "prose": ("This is no program, it is a print.\n", ""),
    "a string without an end": ("print 'a\n", ""),
    "a long string without an end": ("print '''a\n", ""),
    "what is broken besides": ("print 'a'\ndef (:\n", "not valid Python 3 (line 2)"),
}


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_python_2_gives_the_line_if_one_is_known(name: str) -> None:
    source, reason = NONE[name]
    assert parse_older(source) == reason


PLACES = {
    "print": "print f(a), f(b)",
    "without a blank": "print'é', f(a)",
    "repr": "x = `a`, `b`, f(c)",
    "several on a line": "print 0777, 10L, f(a); print f(b)",
    "tabs": "if a:\n\tprint 1, f(b)",
    "an exception": "try: f(a)\nexcept E, (b, c): f(d)",
}


@pytest.mark.parametrize("name", PLACES)
def test_a_call_stands_where_it_was_written(name: str) -> None:
    source = PLACES[name]
    tree = parse_older(source)
    assert isinstance(tree, ast.Module), tree
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "f"]
    assert calls
    for call in calls:
        line = source.splitlines()[call.lineno - 1].encode()
        assert line[call.col_offset : call.end_col_offset].decode() == ast.unparse(call)


def test_many_lambdas_are_looked_at_once() -> None:
    assert edits_of(b"lambda (" * 200_000) is not None


def test_a_line_of_many_edits_takes_a_search_for_each_node() -> None:
    tree = parse_older("print " + "10L, " * 20_000 + "f(a)")
    assert isinstance(tree, ast.Module)
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "f")
    assert call.col_offset == 6 + 5 * 20_000

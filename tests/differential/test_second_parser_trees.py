"""The second parser's trees are those of `ast`: same nodes, same values, same places."""

# ruff: noqa: E501, RUF001  # a snippet is one line, and some of its letters are wide on purpose
from __future__ import annotations

import ast
import os
import random
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugseal.lang.python.collecting.newer import TypeAlias
from plugseal.lang.python.cst.parse import RefusedError, parse_newer

SNIPPETS = {
    "names and numbers": "a; 1; 1.5; 2j; 0x_ff; ...; None; True; False\n",
    "strings": "'a' \"b\" r'\\n'\nb'c' b'\\xff'\n",
    "string kinds": "u'a' 'b'\n'''x\ny'''\n'\\N{BULLET} \\x41 \\101 \\\n'\n",
    "wide characters before the columns": "é = '𝄞' + x.ö(ü)\n",
    "identifiers are normalised": "ﬁ = ｏｓ.ｓｙｓｔｅｍ\ndef ﬀ(ª=1, *, ｘ): pass\nimport ｏｓ.ｐａｔｈ as ｐ\n",
    "f-strings": "f'a{b}c' 'd' f'{e!r:>{w}}' f'{g=}' f'{h = !s}' f'{{}}' rf'\\d{i}' f'\\n{j:\\x41}'\n",
    "f-strings with odd escapes": "f'\\\"{a}\"' f'''{b}\"\n''' f'{c:%H:%M}' f'' f'{d:{e}{f}}'\n",
    "operators": "-a + +b * ~c // d % e @ f / g ** h << i >> j & k | l ^ m\nnot a and b or c and (d and e) or not (f or g)\n",
    "comparisons": "a < b <= c == d != e > f >= g is h is not i in j not in k\n",
    "parentheses": "((a)) + (b)\n(c)(d)\n((e).f)[(g)]\n(h) if (i) else (j)\n(k, l), ((m, n)), (), (o,)\n",
    "calls": "f(a, *b, c=d, **e)\nf((x) for x in y)\nf ( x for x in y )\nf((x for x in y), *(z), k=(v))\nf(*a, *b)(c)\n",
    "subscripts": "a[b], a[b:c], a[b:c:d], a[:], a[::], a[b, c], a[b,], a[(b, c)], a[b:c, d], a[(b):(c)], a[b, ]\n",
    "comprehensions": "[a for b in c if d if e for f in g]\n{a for a, b in c}\n{a: b for a in c}\n(a for b in c)\n",
    "asynchronous": "async def f():\n    async for a in b: await c\n    async with d as e, f: pass\n    [x async for x in y]\n",
    "lambdas": "lambda: 0\nlambda a, /, b=1, *c, d, e=2, **f: (yield)\nlambda *, a: a\n",
    "assignments": "a = b = c\na, *b = c\n[a, b] = c\na.b = c[d] = e\n(a) = 1\na: b\na: b = c\na.b: c\na += b\na @= b\n",
    "deletion": "del a, b.c, d[e]\ndel (a, b)\ndel (a)\ndel [a]\n",
    "named expressions": "if (a := b): pass\nx = (y := 1, 2)\n",
    "imports": "import a, b.c as d\nfrom . import e\nfrom ..f import g as h, i\nfrom j import (k,\n    l)\nfrom m import *\n",
    "functions": "@a\n@b.c(d)\ndef f(a: int = 1, /, b=2, *c: str, d, e=(3), **f) -> None:\n    global x, y\n    return (1)\n",
    "classes": "class A: pass\nclass B(C, *D, metaclass=E, **F):\n    x = 1\n    def g(self): nonlocal_ = 1\n",
    "conditions": "if a: b\nelif c: d\nelif e:\n    f\nelse: g\nif h: i; j\nelse:\n    k\n",
    "loops": "for a, b in c: d\nelse: e\nwhile f:\n    break\nelse: continue_\nfor g in h, i: continue\nfor (j) in *k, l: pass\n",
    "exceptions": "try: a\nexcept B: c\nexcept (D, E) as f: g\nexcept: h\nelse: i\nfinally: j\ntry:\n    k\nfinally:\n    l\n",
    "with": "with a: b\nwith c as d, e as (f, g): h\nwith (i as j, k): l\nwith (m): n\nwith (o, p) as q: r\n",
    "raising": "raise\nraise a\nraise a from b\nassert c\nassert d, (e)\n",
    "yields": "def f():\n    yield\n    yield a, b\n    x = yield from c\n    y = (yield d)\n    return *e, f\n",
    "patterns": (
        "match a, b:\n"
        "    case 1 | -2 | 3+4j | 'x' 'y' | None | True: pass\n"
        "    case [a, *b, _] | (c, *_) | (d, ): pass\n"
        "    case e, *f: pass\n"
        "    case {'k': v, **rest} | {}: pass\n"
        "    case P(x, y=z) as w if w: pass\n"
        "    case a.b.c | (q): pass\n"
        "    case (1) | [(2), ((3))]: pass\n"
        "    case _: pass\n"
    ),
    "continued lines": "a = \\\n    b + \\\n    c\nif (d\n    and e):\n    f(\n        g,\n    )\n",
    "form feeds and tabs": "\x0c\nif a:\n\tb\n\x0c\n\tc\n",
    "carriage returns": "a = 1\r\nif b:\r\n    c = '''d\r\ne'''\r\nf = f'''g\r\n{h}'''\r\n",
    "no line end at the end": "if a:\n  b",
    "comments": "# a\nb # c\n\n  # d\ndef e(): # f\n  # g\n  h # i\n# j\n",
    "nothing": "",
    "a newer name of a character": "x = '\\N{BULLET}\\\\N{BULLET}'\n",
}


def _dump(tree: ast.AST) -> str:
    """Describe a tree exactly, but for what the second parser leaves out: type parameters, places in f-strings."""
    for node in ast.walk(tree):
        if hasattr(node, "type_params"):
            node.type_params = []
        if isinstance(node, ast.JoinedStr):
            for part in ast.walk(node):
                for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                    if hasattr(part, name):
                        setattr(part, name, getattr(node, name))
    return ast.dump(tree, include_attributes=True, indent=1)


def _ast_tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_becomes_the_same_tree(name: str) -> None:
    assert _dump(parse_newer(SNIPPETS[name])) == _dump(_ast_tree(SNIPPETS[name]))


def _library_files() -> Iterator[tuple[Path, str]]:
    """Yield files of the standard library in a fixed random order; `PLUGSEAL_ALL=1` yields all instead of 40."""
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for folder in (root, root / "asyncio", root / "email") for path in folder.glob("*.py"))
    random.Random(7).shuffle(files)
    most = len(files) if os.environ.get("PLUGSEAL_ALL") else 40
    for path in files[:most]:
        if path.stat().st_size < 40_000 or most == len(files):
            yield path, path.read_bytes().decode("utf-8-sig", "replace")


def test_files_of_the_standard_library_become_the_same_trees() -> None:
    files = 0
    for path, text in _library_files():
        assert _dump(parse_newer(text)) == _dump(_ast_tree(text)), path
        files += 1
    assert files >= 20


NEWER = {
    "quotes inside f-strings (3.12)": ("f'{a['b']}' f\"{f\"{c}\"}\" f'{d!r}'\n", (3, 12)),
    "lines and backslashes inside f-strings (3.12)": ("f'{\n  '\\n'.join(a)  # why\n}' f'{x:{y:{z}}}'\n", (3, 12)),
    "type parameters (3.12)": ("def f[T: int, *U, **V](a: T) -> U: return g[a]\nclass C[T](D): pass\n", (3, 12)),
    "type aliases (3.12)": ("type A = int\ntype B[T] = list[T]\nx = 1\n", (3, 12)),
    "defaults of type parameters (3.13)": ("def f[T = int](): pass\ntype A[T = str] = T\n", (3, 13)),
    "exception groups (3.11)": ("try: a\nexcept* B as c: d\nexcept* (E, F): g\nelse: h\nfinally: i\n", (3, 11)),
    "starred subscripts (3.11)": ("a[*b]\na[b, *c]\ndef f(*a: *B): pass\n", (3, 11)),
    "exceptions without parentheses (3.14)": ("try: a\nexcept B, C: d\n", (3, 14)),
    "template strings (3.14)": ("t'a{b!r:>{c}}'\n", (3, 14)),
}


@pytest.mark.parametrize("name", NEWER)
def test_newer_syntax_becomes_the_tree_of_a_newer_python(name: str) -> None:
    source, since = NEWER[name]
    tree = parse_newer(source)
    if sys.version_info >= since:
        assert _dump(tree) == _dump(_ast_tree(source))
    else:
        with pytest.raises(SyntaxError):
            ast.parse(source)
        assert len(tree.body) >= source.count("\n") - 3


def test_a_type_alias_is_kept_as_a_statement_of_its_own() -> None:
    assert isinstance(parse_newer("type A = int\n").body[0], TypeAlias)


def test_an_exception_without_parentheses_catches_both() -> None:
    statement = parse_newer("try: a\nexcept B, C: d\n").body[0]
    assert isinstance(statement, ast.Try)
    assert isinstance(statement.handlers[0].type, ast.Tuple)


REFUSED = {
    "Python 2's print": "print 'hello'\n",
    "Python 2's exec": "exec 'code' in space\n",
    "backticks": "x = `y`\n",
    "prose": "This is no program.\n",
    "an open bracket": "f(\n",
    "bad indentation": "if a:\nb\n",
    "mixed bytes and text": "x = b'a' 'b'\n",
    "a bad escape": "x = '\\x'\n",
    "a keyword as a name": "class = 1\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_python_accepts_is_refused(name: str) -> None:
    with pytest.raises(RefusedError):
        parse_newer(REFUSED[name])

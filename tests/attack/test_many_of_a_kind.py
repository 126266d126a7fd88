"""Very much of one construct takes time in proportion, not in its square: each source ends within a worker's limit."""

from __future__ import annotations

import os
import time

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import read_python
from plugseal.lang.shell.reader import read_shell
from plugseal.rules.load import load_rules
from plugseal.scan.matching.index import build_interest
from plugseal.scan.matching.match import match_file
from plugseal.scan.sources import SourceLines

MANY = 4000
HANG_SECONDS = 80
"""Ten times what the slowest takes."""
SOURCES = {
    "classes tested for": "import os, subprocess\n" + "isinstance(x, subprocess.Popen)\n" * MANY,
    "items of the environment": "import os\n" + "os.environ['a'] = b\n" * MANY,
    "patched namespaces": "import os\n" + "m.dict(os.environ)\n" * MANY,
    "names of a star import bound again": "from os import *\n"
    + "".join(f"if x:\n  def {name}(): pass\n" for name in os.__all__) * 8
    + "x = 1\n" * MANY,
    "built-ins bound again": "".join(f"if x:\n  {name} = 1\n{name}(y)\n" for name in ("eval", "exec", "open")) * 900,
    "a name made of itself": "n = 'a'\n" + "n = n + 'b'\n" * MANY,
    "aliases in a row": "import os\na0 = os\n" + "".join(f"a{n + 1} = a{n}\n" for n in range(MANY)) + "a9.system(x)\n",
    "aliases in a row, the last first": "import os\n"
    + "".join(f"a{n} = a{n + 1}\na{n}.system(x)\n" for n in range(MANY * 2))
    + f"a{MANY * 2} = os\n",
    "a text that grows and is run": "s = 'a'\n" + "s = s + 'b'; exec(s)\n" * (MANY * 2),
    "files opened under one name": "with open('a') as f: f.read()\n" * (MANY // 2),
    "computed names": "import os\n" + "getattr(os, x)\n" * MANY,
    "shell lines": "import os\n" + "os.system('a; b | c && d')\n" * MANY,
    "modules that leave": "import os\ndef f():\n" + "  yield os\n" * MANY,
    "addresses": "a = '0.0.0.0'\n" * MANY,
    "a table on one line": "import os\nd = {"
    + "".join(f"'k{n}': os.system, " for n in range(MANY * 2))
    + "}\nd[x](y)\n",
    "a list of texts that is run over and over": "t = ["
    + "".join(f"'s{n}', " for n in range(MANY))
    + "]\n"
    + "exec(''.join(t))\n" * MANY,
    "functions of one name": "".join(f"def f{n}(a): return g(a)\ndef g(a): return f{n}(a)\n" for n in range(MANY)),
    "functions handed over under one name": "import functools\nf = g\n" + "f = functools.partial(f, a)\n" * MANY,
    "a name of no class whose method is called": "class K:\n  def run(self, a): eval(a)\n"
    + "x = 1\n" * MANY
    + "x.run(2)\n" * MANY,
    "methods of one name": "class K:\n" + "  def run(self, a): eval(a)\n" * MANY + "K.run(1)\n" * MANY,
    "a long text that is decoded": f"import base64\nx = '{'x' * 15_000}'\n" + "exec(base64.b85decode(x))\n" * MANY,
    "a codec for names": "exec('" + "".join(map(chr, range(0x4E00, 0x4E00 + 9_000))) + "'.encode('punycode'))\n",
    "numbers of a range": "exec(''.join(chr(i) for i in range(15000)))\n" * MANY,
    "small functions of one name": "".join(f"f{n} = lambda x: f(x)\nf = f{n}\n" for n in range(MANY)),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_much_of_a_kind_ends(source: str) -> None:
    start = time.process_time()
    facts = read_python(source.encode(), Context("x.py", Interest()))
    assert facts.status in {"read", "partial"}
    assert time.process_time() - start < HANG_SECONDS


def test_very_many_empty_lines_of_a_script_are_looked_through_once() -> None:
    start = time.process_time()
    facts = read_shell(b"a\n" + b"\n" * 2_000_000, Context("x.sh", Interest()))
    assert facts.status == "read"
    assert time.process_time() - start < HANG_SECONDS / 8


def test_very_many_pipes_that_run_a_download_are_matched_once() -> None:
    rules = load_rules()
    lines = b"curl x | sh\n" * 8_000
    facts = read_shell(lines, Context("x.sh", build_interest(rules)))
    start = time.process_time()
    assert match_file(rules, "x.sh", facts, SourceLines(lines))
    assert time.process_time() - start < HANG_SECONDS / 8


def test_a_long_list_that_a_short_script_uses_ever_again_is_paid_for_each_time() -> None:
    source = b"v='" + b"abc def " * 2_000 + b"'\n" + b"$v\n" * 4_000
    start = time.process_time()
    facts = read_shell(source, Context("x.sh", Interest()))
    assert (facts.status, facts.reason) == ("partial", "needs more steps than a file is given")
    assert time.process_time() - start < HANG_SECONDS / 4


def test_a_program_that_starts_itself_ever_again_in_one_command_ends() -> None:
    start = time.process_time()
    facts = read_shell(b"find . -exec " * 20_000 + b"rm x\n", Context("x.sh", Interest()))
    assert facts.status in {"read", "partial"}
    assert time.process_time() - start < HANG_SECONDS / 4

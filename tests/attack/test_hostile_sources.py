"""No source, however hostile, crashes or hangs the scanner or keeps it from the next file.

Everything runs as it does in a scan: small files in the main process, large and odd ones in limited workers. One
process of its own reads all of them, since a crash is one of the things that must not happen.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

_HANG_SECONDS = 30
GOOD = b"import os\nos.system('true')\n"

HOSTILE: dict[str, Callable[[], bytes]] = {
    "parentheses": lambda: b"(" * 100_000 + b")" * 100_000,
    "parentheses, 2,000": lambda: b"(" * 2_000 + b")" * 2_000,
    "parentheses, 150": lambda: b"(" * 150 + b"1" + b")" * 150,
    "brackets never closed": lambda: b"[" * 200_000,
    "braces and calls": lambda: b"{f(" * 50_000,
    "subscripts of subscripts": lambda: b"a" + b"[0]" * 60_000,
    "attributes of attributes": lambda: b"a" + b".b" * 60_000,
    "calls of calls": lambda: b"f" + b"()" * 60_000,
    "minus": lambda: b"-" * 100_000 + b"1",
    "not": lambda: b"not " * 100_000 + b"1",
    "tilde": lambda: b"~" * 30_000 + b"1",
    "await": lambda: b"async def f():\n " + b"await " * 30_000 + b"x\n",
    "elif": lambda: b"if x: pass\n" + b"elif x: pass\n" * 10_000,
    "else if, indented": lambda: b"".join(b" " * n + b"if x:\n" for n in range(2_000)),
    "indented, 90 deep": lambda: b"".join(b" " * n + b"if x:\n" for n in range(90)) + b" " * 90 + b"pass\n",
    "lambda": lambda: b"lambda:" * 10_000 + b"0",
    "sums, 3,000": lambda: b"+".join([b"1"] * 3_000),
    "sums, 100,000": lambda: b"+".join([b"1"] * 100_000),
    "sums over lines": lambda: b"(" + b"+\n".join([b"1"] * 30_000) + b")",
    "powers": lambda: b"**".join([b"2"] * 10_000),
    "conditions in conditions": lambda: b"1 if 1 else " * 10_000 + b"1",
    "comparisons": lambda: b"<".join([b"a"] * 50_000),
    "and, or": lambda: b" and a or b" * 1 + b"a" + b" and a or b" * 20_000,
    "walrus": lambda: b"(a:=" * 5_000 + b"1" + b")" * 5_000,
    "a list of a million numbers": lambda: b"x = [" + b"1," * 1_000_000 + b"]",
    "a million lines": lambda: b"x=1\n" * 1_000_000,
    "sixty thousand lines": lambda: b"x=1\n" * 60_000,
    "a million blank lines": lambda: b"\n" * 1_000_000 + b"x=1\n",
    "a literal of 50 MB": lambda: b"x = '" + b"a" * 50_000_000 + b"'\n",
    "a literal of 7 MB": lambda: b"x = '" + b"a" * 7_000_000 + b"'\n",
    "a comment of 7 MB": lambda: b"#" * 7_000_000,
    "an identifier of 1 MB": lambda: b"a" * 1_000_000 + b" = 1\n",
    "a number of 1 MB": lambda: b"x = " + b"9" * 1_000_000,
    "a hexadecimal number of 1 MB": lambda: b"x = 0x" + b"f" * 1_000_000,
    "continued lines": lambda: b"x = 1" + b" \\\n" * 100_000,
    "NUL": lambda: b"import os\0\nos.system('x')\n",
    "NUL in a string": lambda: b"x = 'a\0b'\n",
    "no UTF-8": lambda: b"x = '\xff\xfe\xfd'\nimport os\n",
    "UTF-16 with a mark": lambda: "import os\n".encode("utf-16"),
    "UTF-16 without a mark": lambda: "import os\n".encode("utf-16-le"),
    "UTF-32": lambda: "import os\n".encode("utf-32"),
    "rot13 cookie": lambda: b"# coding: rot13\nvzcbeg bf\nbf.flfgrz('vq')\n",
    "UTF-7 cookie": lambda: b"# coding: utf-7\n+AGkAbQBwAG8AcgB0- os\n",
    "idna cookie": lambda: b"# coding: idna\nx = 1\n",
    "bz2 cookie": lambda: b"# coding: bz2\nx = 1\n",
    "unicode_escape cookie": lambda: b"# coding: unicode_escape\nimport os \\x0aos.system('x')\n",
    "unknown cookie": lambda: b"# coding: no-such-thing\nx = 1\n",
    "two cookies": lambda: b"# coding: latin-1\n# coding: utf-8\nx = '\xe9'\n",
    "a cookie that a mark contradicts": lambda: b"\xef\xbb\xbf# coding: latin-1\nx = 1\n",
    "CR only": lambda: b"import os\ros.system('x')\r",
    "form feeds": lambda: b"\x0c" * 10_000 + b"import os\n\x0cos.system('x')\n",
    "control characters": lambda: bytes(range(1, 32)) + b"\nx = 1\n",
    "control-Z": lambda: b"import os\n\x1aos.system('x')\n",
    "Python 2": lambda: b"import os\nprint 'x'\nexec 'code'\nos.system(`1`)\n",
    "Python 2, many strings": lambda: b"print 'x'\n" + b"x = '" * 50_000,
    "Python 2, many lambdas": lambda: b"print 'x'\n" + b"lambda (" * 70 + b"\n" + b"x = lambda (a, b): a\n" * 20_000,
    "Python 2, long line": lambda: b"print " + b"`a`, " * 50_000 + b"\n",
    "type statements": lambda: b"import os\ntype A[T] = list[T]\nos.system('x')\n",
    "template strings": lambda: b"import os\nx = t'{os.system(y)}'\n",
    "exceptions without parentheses": lambda: b"import os\ntry: os.system('x')\nexcept A, B: pass\n",
    "newer syntax, deep": lambda: b"type A = int\nx = " + b"(" * 90 + b"1" + b")" * 90 + b"\n",
    "newer syntax, parentheses, 2,000": lambda: b"type A = int\nx = " + b"(" * 2_000 + b"1" + b")" * 2_000 + b"\n",
    "newer syntax, sums": lambda: b"type A = int\nx = " + b"+".join([b"1"] * 3_000) + b"\n",
    "newer syntax, powers": lambda: b"type A = int\nx = " + b"**".join([b"2"] * 10_000) + b"\n",
    "newer syntax, conditions": lambda: b"type A = int\nx = " + b"1 if 1 else " * 10_000 + b"1\n",
    "newer syntax, many lines": lambda: b"type A = int\n" + b"x = f(1, 2)\n" * 20_000,
    "a fold bomb": lambda: b"a = 'x' * 1000\n" + b"a = a + a\n" * 200 + b"eval(a)\n",
    "a product bomb": lambda: b"a = 'x' * 10**9 * 10**9\neval(a)\nb = 10 ** 10 ** 10\nc = 1 << 10**9\neval(b)\n",
    "a join bomb": lambda: b"a = ','.join(['x' * 60000] * 60000)\neval(a)\n",
    "a format bomb": lambda: (
        b"a = '{:1000000000}'.format(1)\nb = '%1000000000d' % 1\nc = f'{1:1000000000}'\neval(a+b+c)\n"
    ),
    "a zip bomb": lambda: _zip_bomb(),
    "alias cycles": lambda: b"a = b\nb = c\nc = a\na.x(b.y(c()))\n" * 500,
    "alias fans": lambda: b"".join(b"x%d = x%d or x%d\n" % (n, n - 1, n - 2) for n in range(2, 3_000)) + b"x2999()\n",
    "functions that return each other": lambda: b"".join(
        b"def f%d(x): return f%d(f%d)\n" % (n, (n + 1) % 500, (n + 7) % 500) for n in range(500)
    ),
    "classes that inherit each other": lambda: b"".join(
        b"class C%d(C%d, C%d): pass\n" % (n, (n + 1) % 500, (n + 7) % 500) for n in range(500)
    ),
    "deep f-strings": lambda: b"f'" + b'{f"' * 30 + b"x" + b'"}' * 30 + b"'\n",
    "f-strings in format specs": lambda: b"f'{a:{b:{c:{d:{e}}}}}'\n",
    "many decorators": lambda: b"@d\n" * 10_000 + b"def f(): pass\n",
    "a long decorator": lambda: b"@d" + b"(x)" * 3_000 + b"\ndef f(): pass\n",
    "many parameters": lambda: b"def f(" + b",".join(b"a%d=b" % n for n in range(20_000)) + b"): pass\n",
    "many targets": lambda: b"=".join(b"a%d" % n for n in range(20_000)) + b"=os\n",
    "nested targets": lambda: b"(" * 80 + b"a," + b"),b" * 79 + b") = c\n",
    "nested comprehensions": lambda: b"[" * 60 + b"x" + b" for x in y]" * 60 + b"\n",
    "nested functions": lambda: b"".join(b" " * n + b"def f():\n" for n in range(95)) + b" " * 95 + b"pass\n",
    "nested classes": lambda: b"".join(b" " * n + b"class C:\n" for n in range(95)) + b" " * 95 + b"pass\n",
    "nested matches": lambda: b"match x:\n case " + b"[" * 150 + b"]" * 150 + b": pass\n",
    "global star": lambda: b"from a import *\n" * 5_000 + b"x()\n" * 5_000,
    "random bytes": lambda: bytes((n * 7_919 + n // 3) % 256 for n in range(200_000)),
    "surrogates": lambda: b"x = '\\ud800'\nopen('\\udfff')\n",
    "bidirectional controls": lambda: "x = '\u202e'  # \u2066\nimport os\n".encode(),
    "a name that hides": lambda: "import os\nos.ｓｙｓｔｅｍ('x')\n".encode(),  # noqa: RUF001  # wide on purpose
    "only a mark": lambda: b"\xef\xbb\xbf",
    "a thousand marks": lambda: b"\xef\xbb\xbf" * 1_000,
}


def _zip_bomb() -> bytes:
    import base64
    import zlib

    packed = zlib.compress(bytes(200_000_000))
    return b"import zlib, base64\nexec(zlib.decompress(base64.b64decode('" + base64.b64encode(packed) + b"')))\n"


READ_ALL = """
import json, resource, sys, time
from pathlib import Path
from plugseal.lang.facts import Context, Interest
from plugseal.scan.analyse import analyse
from plugseal.scan.workers.worker import Workers

root = Path(sys.argv[1])
results = {}
with Workers() as workers:
    for path in sorted(root.iterdir()):
        begin, children = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        facts = analyse("python", path.read_bytes(), Context(path.name, Interest()), workers=workers)
        results[path.name] = {
            "status": facts.status,
            "reason": facts.reason,
            "language": facts.language,
            "facts": [fact.capability for fact in facts.facts],
            "cpu": time.process_time() - begin,
        }
# Not `ru_maxrss`, which begins with what the process that forked this one had.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
results["peak"] = int(status["VmHWM"].split()[0]) // 1024
results["children"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """Read every hostile source, each followed by a good one, in one process."""
    root: Path = tmp_path_factory.mktemp("hostile")
    names = list(HOSTILE)
    for number, name in enumerate(names):
        (root / f"{number:03}-a.py").write_bytes(HOSTILE[name]())
        (root / f"{number:03}-b.py").write_bytes(GOOD)
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", READ_ALL, str(root)], capture_output=True, text=True, timeout=1_800
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = json.loads(done.stdout)
    by_name = {name: found[f"{number:03}-a.py"] for number, name in enumerate(names)}
    return {**by_name, **{f"after {name}": found[f"{n:03}-b.py"] for n, name in enumerate(names)}, "all": found}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_source_ends_in_a_status_with_its_reason(name: str, results: dict[str, dict[str, object]]) -> None:
    result = results[name]
    assert result["status"] in ("read", "partial", "unread")
    assert result["status"] == "read" or result["reason"]
    assert "reader failed" not in str(result["reason"])
    assert result["language"] == "python"


@pytest.mark.parametrize("name", HOSTILE)
def test_the_next_file_is_read_all_the_same(name: str, results: dict[str, dict[str, object]]) -> None:
    assert results[f"after {name}"]["status"] == "read"
    assert results[f"after {name}"]["facts"] == ["process.shell"]


def test_no_hostile_source_takes_the_main_process_long_or_large(results: dict[str, dict[str, object]]) -> None:
    spent = {name: float(str(result["cpu"])) for name, result in results.items() if name in HOSTILE}
    slow = {name: seconds for name, seconds in spent.items() if seconds > _HANG_SECONDS}
    assert slow == {}
    assert int(str(results["all"]["peak"])) < 400


SEEN = {
    "CR only": "process.shell",
    "a name that hides": "process.shell",
    "type statements": "process.shell",
    "template strings": "process.shell",
    "exceptions without parentheses": "process.shell",
    "a cookie that a mark contradicts": "",
}


@pytest.mark.parametrize("name", SEEN)
def test_what_python_runs_in_spite_of_its_looks_is_seen(name: str, results: dict[str, dict[str, object]]) -> None:
    if SEEN[name]:
        assert SEEN[name] in str(results[name]["facts"])
    else:
        assert results[name]["status"] == "unread"

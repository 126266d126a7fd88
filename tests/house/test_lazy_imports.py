"""What is not needed is not loaded: start-up stays short, and less of other people's code runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = frozenset(
    {
        "pydantic",
        "pydantic_core",
        "rich",
        "libcst",
        "cryptography",
        "yaml",
        "tomli",
        "rfc8785",
        "unicodedata2",
        "asyncio",
    }
    | {"multiprocessing", "concurrent.futures", "socket", "ssl", "http", "email", "unittest", "xml", "ctypes"}
)
"""Libraries from outside, and modules of the standard library that take long or that a scanner has no business with."""
AT_START = HEAVY | {"subprocess", "inspect", "argparse", "json", "hashlib", "logging", "dataclasses", "ast", "shutil"}
"""What is not even loaded to print the version."""
IN_SCAN = frozenset(
    {
        "tree_sitter",
        "pydantic",
        "pydantic_core",
        "libcst",
        "cryptography",
        "rfc8785",
        "asyncio",
        "multiprocessing",
        "socket",
        "ssl",
        "http",
        "dataclasses",
        "inspect",
        "tomli",
        "datetime",
    }
)
"""What the scan of a small plugin in ASCII does without."""

_CODE = """
import sys, io
sys.argv = ["plugseal", *sys.argv[1:]]
from plugseal.cli.main import main
sys.stdout, out = io.StringIO(), sys.stdout
try:
    code = main()
finally:
    sys.stdout = out
print(code)
print(*sorted(sys.modules))
"""


def loaded_by(words: list[str], code: str = _CODE) -> tuple[int, set[str]]:
    """Return the exit code of a command line and what it had loaded in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, *words], capture_output=True, text=True, timeout=120, check=True
    )
    status, modules = done.stdout.splitlines()
    return int(status), set(modules.split())


def test_importing_the_entry_point_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", "import sys, plugseal.cli.main; print(*sys.modules)"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert set(done.stdout.split()) & AT_START == set()


def test_printing_the_version_loads_nothing_heavy() -> None:
    code, modules = loaded_by(["--version"])

    assert code == 0
    assert modules & AT_START == set()


def test_help_loads_no_library_from_outside() -> None:
    code, modules = loaded_by(["--help"])

    assert code == 0
    assert modules & HEAVY == set()


def test_a_small_scan_loads_only_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "plugin.json").write_text('{"title": "small", "version": "1"}')
    (tmp_path / "tool.py").write_text("import subprocess\nsubprocess.run(['ls'])\n")

    code, modules = loaded_by(["scan", "--exit-zero", str(tmp_path)])

    assert code in (0, 3)
    assert modules & IN_SCAN == set()


@pytest.mark.parametrize("module", ["asyncio", "rich.text", "yaml"])
def test_something_heavy_is_seen(module: str) -> None:
    _, modules = loaded_by(["--version"], f"import {module}\n" + _CODE)

    assert modules & AT_START

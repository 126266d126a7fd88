"""The same bytes give the same facts on every Python, with every hash seed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_CASES = sorted((_ROOT / "tests" / "unit" / "python_cases").glob("*.txt"))
_VERSIONS = ("3.10", "3.11", "3.12", "3.13")
_SCRIPT = """
import json, sys
from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import read_python
interest = Interest(call_prefixes=("subprocess.", "os.", "requests."), attributes=frozenset({"os.environ"}))
for source in json.load(sys.stdin):
    print(repr(read_python(source.encode("utf-8"), Context("x.py", interest))))
"""
_PLACES = [
    "import os\nx = f'{os.system(1)}'\n",
    "import os\nx = f'''\n{os.system(1)}\n  {\n os.environ['é']}'''\n",
    "import os\nx = 'é' f'é{os.system(1)}' 'ü'\n",
    "import os\nx = f'{os.system(f\"{os.getenv(1)}\")}'\n",
    "import os\nx = f'{1:{os.getpid()}}' + f'{os.system(1)!r:>{os.system(2)}}'\n",
    "import os\nx = f'{(lambda y: os.system(y))(1)}' f'{[os.system(z) for z in (1, 2)]}'\n",
    "import os\nx = rf'\\d{os.system(1)}'\nos.system(x)\n",
]


def _interpreters() -> list[str]:
    """Return one interpreter for each supported version that this machine has, this one included."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {sys.version.rpartition(".")[0].split(" ")[0]: sys.executable}
    for version in _VERSIONS:
        candidates = [shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))]
        path = next((candidate for candidate in candidates if candidate and _works(candidate)), None)
        if path is not None:
            found.setdefault(version, path)
    return sorted(set(found.values()))


def _environment(seed: str = "0") -> dict[str, str]:
    tomli = Path(__import__("tomli").__file__).parents[1]
    return {"PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(tomli)]), "PYTHONHASHSEED": seed}


def _works(interpreter: str) -> bool:
    command = [interpreter, "-c", "import tomli, plugseal"]
    return subprocess.run(command, env=_environment(), capture_output=True, check=False).returncode == 0


def _facts(interpreter: str, sources: list[str], seed: str = "0") -> list[str]:
    command = [interpreter, "-c", _SCRIPT]
    done = subprocess.run(
        command, input=json.dumps(sources), env=_environment(seed), capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def _sources() -> list[str]:
    found = list(_PLACES)
    for path in _CASES:
        found += [block.partition("\n")[2] for block in path.read_text(encoding="utf-8").split("\n=== ")]
    own = (_ROOT / "src" / "plugseal" / "lang" / "python").glob("*.py")
    return found + [path.read_text(encoding="utf-8") for path in sorted(own)]


def test_every_version_gives_the_same_facts() -> None:
    interpreters = _interpreters()
    if len(interpreters) < 2:
        pytest.skip("only one version of Python is here")
    sources = _sources()
    expected = _facts(interpreters[0], sources)
    for interpreter in interpreters[1:]:
        assert _facts(interpreter, sources) == expected, interpreter


@pytest.mark.parametrize("seed", ["1", "2", "4242"])
def test_every_hash_seed_gives_the_same_facts(seed: str) -> None:
    sources = _sources()
    assert _facts(sys.executable, sources, seed) == _facts(sys.executable, sources)


def test_the_order_of_files_changes_no_facts() -> None:
    sources = _sources()
    backwards = _facts(sys.executable, sources[::-1])
    assert backwards[::-1] == _facts(sys.executable, sources)

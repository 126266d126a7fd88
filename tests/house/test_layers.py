"""Who may import whom, which outside library has which door, and where programs, sockets and dynamic code may appear.

The tables are data: a new part or a new door is one line here, with its reason.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "plugseal"

GROUND = frozenset({"disk", "errors", "limits", "patterns", "records"})
MAY_IMPORT: dict[str, frozenset[str]] = {
    "disk": frozenset(),  # what to type where the disk is in the way
    "errors": frozenset(),
    "limits": frozenset(),
    "patterns": frozenset(),
    "records": frozenset(),  # how data are defined
    "names": frozenset(),  # the door to Unicode's tables, beside shown
    "environment": frozenset(),  # cleans our own process before anything else is imported
    "shown": frozenset({"limits", "names", "patterns", "records"}),
    "model": frozenset({"errors", "patterns", "records"}),
    "encode": frozenset({"model"}) | GROUND,
    "intake": frozenset({"model", "encode", "names"}) | GROUND,  # judges names by the fixed Unicode version
    "lang": frozenset({"model", "encode"}) | GROUND,
    "systems": frozenset({"model", "encode", "lang"}) | GROUND,
    "rules": frozenset({"model", "encode"}) | GROUND,
    "scan": frozenset({"model", "encode", "rules", "lang", "systems", "names"}) | GROUND,  # confusable names
    "trust": frozenset({"model", "encode"}) | GROUND,
    "policy": frozenset({"model", "encode"}) | GROUND,
    "signing": frozenset({"model", "encode"}) | GROUND,
    "runtime": frozenset({"model", "encode", "intake", "trust", "policy", "signing", "shown"}) | GROUND,
    "render": frozenset({"model", "errors", "shown", "patterns", "records"}),
    "verbs": frozenset(
        {"model", "encode", "intake", "lang", "systems", "rules", "scan", "trust", "policy", "signing", "runtime"}
    )
    | frozenset({"shown", "names"})
    | GROUND,
    "cli": frozenset({"verbs", "render", "model", "errors", "shown", "environment", "patterns", "records"}),
    "__main__": frozenset({"cli"}),
    "__init__": frozenset(),
}
"""Part to parts; every part may import the package itself (for its version) and its own modules."""

DOORS: dict[str, frozenset[str]] = {
    "unicodedata2": frozenset({"names.py"}),
    "rfc8785": frozenset({"encode/canonical.py"}),
    "tomli": frozenset({"encode/toml.py"}),
    "yaml": frozenset({"encode/yaml.py"}),
    "libcst": frozenset({"lang/python/cst/parse.py"}),
    "pydantic": frozenset({"rules/schema.py", "policy/schema.py", "policy/team_schema.py"}),
    "tree_sitter": frozenset(
        {
            "lang/treesitter.py",
            "lang/ecmascript/parsing/parse.py",
            "lang/shell/parsing/parse.py",
            "lang/scripts/parse.py",
        }
    ),
    "tree_sitter_bash": frozenset({"lang/shell/parsing/parse.py"}),
    "tree_sitter_lua": frozenset({"lang/scripts/parse.py"}),
    "tree_sitter_perl": frozenset({"lang/scripts/parse.py"}),
    "tree_sitter_php": frozenset({"lang/scripts/parse.py"}),
    "tree_sitter_ruby": frozenset({"lang/scripts/parse.py"}),
    "tree_sitter_javascript": frozenset({"lang/ecmascript/parsing/parse.py"}),
    "tree_sitter_typescript": frozenset({"lang/ecmascript/parsing/parse.py"}),
    "rich": frozenset({"cli/output.py", "render/terminal.py"}),
    "bandit": frozenset({"lang/python/bandit.py"}),  # a second opinion, where somebody asks for it
    "cryptography": frozenset({"signing/private.py", "signing/signature.py"}),
}
"""Outside library to the only files that may import it; a library that is not here may not be imported at all."""

DANGEROUS_MODULES: dict[str, frozenset[str]] = {
    # base: `git cat-file`; apart: plugseal itself, for harnesses with threads
    "subprocess": frozenset({"scan/workers/worker.py", "policy/base.py", "runtime/apart.py"}),
    "socket": frozenset(
        {"signing/agent.py", "runtime/remote/wire.py"}
    ),  # a local one, to ssh-agent; to the reviewed origin of a remote server
    "socketserver": frozenset(),
    "ssl": frozenset({"runtime/remote/wire.py", "runtime/fetch_archive.py"}),  # the latter: an archive, by https alone
    "http": frozenset(
        {
            "runtime/remote/http.py",  # reads and writes what goes over that wire; opens none of its own
            "runtime/fetch_archive.py",  # one archive that the user asked to install
        }
    ),
    "urllib.request": frozenset(),
    "ftplib": frozenset(),
    "smtplib": frozenset(),
    "asyncio": frozenset(),
    "multiprocessing": frozenset(),
    "concurrent": frozenset(),
    "pty": frozenset(),
    "pickle": frozenset(),
    "marshal": frozenset(
        {"model/factlog.py", "scan/linking/callings.py", "scan/linking/linkable.py"}
    ),  # packs our own facts in memory; never reads what came from outside
    "shelve": frozenset(),
    "ctypes": frozenset({"runtime/kernel.py"}),
    "runpy": frozenset(),
    "webbrowser": frozenset(),
}
"""Standard modules that start programs, talk, or make code of data, to the files that may use them."""

SLOW: dict[str, frozenset[str]] = {
    "typing.NamedTuple": frozenset({"records.py"}),
}
"""What costs every start more than its like in `plugseal.records` (decision 2), to the files that may use it."""

DANGEROUS_CALLS: dict[str, frozenset[str]] = {
    "eval": frozenset(),
    "exec": frozenset(),
    "compile": frozenset(),
    "__import__": frozenset(),
    "breakpoint": frozenset(),
    "importlib.import_module": frozenset(),
    # pool, background: our own code, no program
    "os.fork": frozenset(
        {"scan/workers/worker.py", "scan/workers/pool.py", "runtime/child.py", "runtime/background.py"}
    ),
    "os.forkpty": frozenset(),
    "os.system": frozenset(),
    "os.popen": frozenset(),
    "os.startfile": frozenset(),
    "os.posix_spawn": frozenset(),
    "os.posix_spawnp": frozenset(),
    **{f"os.exec{suffix}": frozenset[str]() for suffix in ("l", "le", "lp", "lpe", "v", "vp", "vpe")},
    "os.execve": frozenset({"runtime/child.py"}),
    **{f"os.spawn{suffix}": frozenset[str]() for suffix in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")},
}
"""Calls that run something, to the files that may make them."""


class Import(NamedTuple):
    """One import statement's target."""

    module: str
    line: int


def imports_of(tree: ast.AST, package: str) -> Iterator[Import]:
    """Yield every module that a file imports, at any depth, relative ones made absolute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(name.name, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, base] if base else parents)
            yield Import(base, node.lineno)
            yield from (Import(f"{base}.{name.name}", node.lineno) for name in node.names)


def violations(source: Path) -> list[str]:
    """Return every breach of the tables in a tree of source files, as `file:line: what`."""
    found = []
    for path in sorted(source.rglob("*.py")):
        file = path.relative_to(source).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"), file)
        package = ".".join(["plugseal", *path.relative_to(source).parts[:-1]])
        found += [f"{file}:{line}: {what}" for line, what in _of_file(file, tree, package, source)]
    return found


def _of_file(file: str, tree: ast.AST, package: str, source: Path) -> Iterator[tuple[int, str]]:
    part = file.split("/")[0].removesuffix(".py")
    if part not in MAY_IMPORT:
        yield 1, f"`{part}` is no part of the house: add it to MAY_IMPORT with a reason"
        return
    for module, line in imports_of(tree, package):
        words = module.split(".")
        top = words[0]
        if top == "plugseal":
            target = words[1] if len(words) > 1 else part
            is_part = (source / target).is_dir() or (source / f"{target}.py").is_file()
            if is_part and target not in MAY_IMPORT[part] | {part}:
                yield line, f"`{part}` may not import `{target}`"
        elif top not in sys.stdlib_module_names and top != "__future__" and file not in DOORS.get(top, ()):
            yield line, f"`{top}` may not be imported here"
        for name in (top, module):
            if name in DANGEROUS_MODULES and file not in DANGEROUS_MODULES[name]:
                yield line, f"`{name}` may not be used here"
        if file not in SLOW.get(module, {file}):
            yield line, f"`{module}` costs every start: use `plugseal.records`"
        if file not in DANGEROUS_CALLS.get(module, {file}):
            yield line, f"`{module}` may not be used here"
    for node in ast.walk(tree):
        name = _dotted(node)
        if (
            name in DANGEROUS_CALLS
            and file not in DANGEROUS_CALLS[name]
            and isinstance(node, (ast.Name, ast.Attribute))
        ):
            yield node.lineno, f"`{name}` may not be used here"


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def test_the_house_keeps_its_layers_and_doors() -> None:
    assert violations(SOURCE) == []


def test_every_part_of_the_tables_is_known() -> None:
    targets = frozenset().union(*MAY_IMPORT.values())

    assert targets <= set(MAY_IMPORT)
    for files in [*DOORS.values(), *DANGEROUS_MODULES.values(), *DANGEROUS_CALLS.values()]:
        assert all((SOURCE / file).is_file() for file in files), f"an entry of {sorted(files)} is gone"


@pytest.mark.parametrize(
    ("file", "code", "what"),
    [
        pytest.param("model/x.py", "from plugseal.scan import worker", "`model` may not import `scan`", id="upwards"),
        pytest.param("model/x.py", "import plugseal.verbs", "`model` may not import `verbs`", id="a plain import"),
        pytest.param(
            "model/x.py", "from plugseal import render", "`model` may not import `render`", id="from the package"
        ),
        pytest.param("model/x.py", "from .. import scan", "`model` may not import `scan`", id="relative"),
        pytest.param(
            "model/a/x.py", "from ...cli import main", "`model` may not import `cli`", id="relative and deeper"
        ),
        pytest.param(
            "render/x.py", "def f():\n    import plugseal.verbs.scan", "may not import `verbs`", id="in a function"
        ),
        pytest.param(
            "cli/x.py", "from plugseal.scan.workers.worker import Workers", "may not import `scan`", id="past a layer"
        ),
        pytest.param("attic/x.py", "", "`attic` is no part of the house", id="an unknown part"),
        pytest.param("intake/x.py", "import yaml", "`yaml` may not be imported", id="a library beside its door"),
        pytest.param("scan/x.py", "import requests", "`requests` may not be imported", id="an unknown library"),
        pytest.param("scan/x.py", "import subprocess", "`subprocess` may not be used", id="a program"),
        pytest.param(
            "scan/x.py", "from subprocess import run as r", "`subprocess` may not be used", id="a program by alias"
        ),
        pytest.param(
            "scan/x.py",
            "from typing import Final, NamedTuple",
            "`typing.NamedTuple` costs every start",
            id="a slow one",
        ),
        pytest.param("scan/x.py", "import socket", "`socket` may not be used", id="a socket"),
        pytest.param("scan/x.py", "from urllib.request import urlopen", "`urllib.request` may not", id="a download"),
        pytest.param("scan/x.py", "import os\nos.system('x')", "`os.system` may not be used", id="a shell"),
        pytest.param("scan/x.py", "from os import fork", "`os.fork` may not be used", id="a fork by name"),
        pytest.param("scan/x.py", "eval('1')", "`eval` may not be used", id="eval"),
        pytest.param("scan/x.py", "f = exec", "`exec` may not be used", id="exec by reference"),
        pytest.param(
            "scan/x.py", "import importlib\nimportlib.import_module('x')", "import_module` may not", id="import"
        ),
        pytest.param("scan/x.py", "from importlib import import_module", "import_module` may not", id="import by name"),
    ],
)
def test_a_breach_is_seen(tmp_path: Path, file: str, code: str, what: str) -> None:
    for part in ("scan", "verbs", "render", "cli", "model"):
        (tmp_path / part).mkdir()
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(code)

    found = violations(tmp_path)

    assert any(what in line for line in found), found


def test_the_doors_themselves_are_no_breach(tmp_path: Path) -> None:
    (tmp_path / "encode").mkdir()
    (tmp_path / "encode" / "yaml.py").write_text("def f():\n    import yaml, os, re\n    re.compile('x')")

    assert violations(tmp_path) == []

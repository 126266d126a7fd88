"""Hostile surroundings: variables, and a current folder full of modules with well-known names. Nothing of them may run.

Every bait leaves a mark when it is imported or loaded. That the baits bite is shown too: the same surroundings make an
interpreter without `-I`, or without plugseal's own cleaning, leave the mark.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import plugseal

ISOLATED = (sys.executable, "-I", "-m", "plugseal")
"""How the documentation tells people to start plugseal where the surroundings are not theirs."""
CONSOLE = (str(Path(sys.executable).parent / "plugseal"),)
SCAN = ("scan", "--exit-zero", "--format", "json", ".")
MODULES = (
    "plugseal/__init__", "plugseal/__main__", "plugseal/cli/__init__", "plugseal/cli/main", "hashlib", "sitecustomize",
    "usercustomize", "json", "re", "os", "ast", "argparse", "subprocess", "struct", "zipfile", "tarfile", "signal",
    "select",
    "yaml", "tomli", "rich/__init__", "libcst/__init__", "pydantic/__init__", "unicodedata2", "rfc8785", "typing",
    "_hashlib", "resource", "antigravity", "startup", "conftest",
)  # fmt: skip
IN_TREE = "{tree}"

ENVIRONMENTS: dict[str, dict[str, str]] = {
    "nothing but the folder": {},
    "PYTHONPATH": {"PYTHONPATH": IN_TREE},
    "relative PYTHONPATH": {"PYTHONPATH": "."},
    "PYTHONSTARTUP": {"PYTHONSTARTUP": f"{IN_TREE}/startup.py", "PYTHONINSPECT": "1"},
    "PYTHONPYCACHEPREFIX": {"PYTHONPYCACHEPREFIX": f"{IN_TREE}/pyc"},
    "PYTHONHOME": {"PYTHONHOME": IN_TREE},
    "PYTHONUSERBASE": {"PYTHONUSERBASE": f"{IN_TREE}/user"},
    "PYTHONWARNINGS": {"PYTHONWARNINGS": "all:0:antigravity.x:0:0", "BROWSER": "touch {mark}", "PYTHONPATH": IN_TREE},
    "PYTHONBREAKPOINT": {"PYTHONBREAKPOINT": "startup.x", "PYTHONDEVMODE": "1", "PYTHONVERBOSE": ""},
    "OPENSSL_CONF with an engine": {"OPENSSL_CONF": f"{IN_TREE}/engine.cnf"},
    "OPENSSL_CONF with a provider": {"OPENSSL_CONF": f"{IN_TREE}/provider.cnf"},
    "OPENSSL_MODULES": {"OPENSSL_CONF": f"{IN_TREE}/module.cnf", "OPENSSL_MODULES": IN_TREE},
    "OPENSSL_ENGINES": {"OPENSSL_CONF": f"{IN_TREE}/engine-name.cnf", "OPENSSL_ENGINES": IN_TREE},
    "LD_PRELOAD of nothing": {"LD_PRELOAD": f"{IN_TREE}/missing.so"},
    "GCONV_PATH": {"GCONV_PATH": IN_TREE, "LOCPATH": IN_TREE, "NLSPATH": f"{IN_TREE}/%N"},
    "HOME": {"HOME": IN_TREE, "XDG_CONFIG_HOME": IN_TREE, "XDG_CACHE_HOME": IN_TREE, "XDG_DATA_HOME": IN_TREE},
    "PLUGSEAL_HOME": {"PLUGSEAL_HOME": ".home", "PLUGSEAL_POLICY": f"{IN_TREE}/policy.toml"},
    "PATH": {"PATH": f"{IN_TREE}:."},
    "no variables of the user": {"HOME": "", "USER": "", "LOGNAME": "", "PATH": ""},
    "a locale that is ASCII": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "a locale that is not there": {"LC_ALL": "xx_XX.nothing", "LANGUAGE": "../../x"},
    "a Turkish locale": {"LC_ALL": "tr_TR.UTF-8"},
    "an odd terminal": {
        "TERM": "\x1b]0;x\x07",
        "COLUMNS": "-1",
        "LINES": "x",
        "FORCE_COLOR": "1",
        "COLORTERM": "truecolor",
    },
    "other output encoding": {"PYTHONIOENCODING": "utf-16", "PYTHONLEGACYWINDOWSSTDIO": "1"},
}
ONLY_ISOLATED = frozenset(
    {"PYTHONPATH", "relative PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONWARNINGS"}
    | {"PYTHONSTARTUP", "PYTHONBREAKPOINT", "other output encoding"}
)
"""What the interpreter obeys before plugseal's first line: only `-I` helps, and the documentation says so."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a folder in which every well-known name leaves a mark."""
    place = tmp_path_factory.mktemp("hostile")
    _build(place / "tree", place / "mark")
    _build_library(place / "tree", place / "mark")
    return place


@pytest.fixture
def mark(place: Path) -> Path:
    (place / "mark").unlink(missing_ok=True)
    return place / "mark"


@pytest.fixture
def tree(place: Path) -> Path:
    return place / "tree"


@pytest.fixture(scope="module")
def clean_answer(place: Path) -> str:
    """Return what plugseal says of the folder from harmless surroundings."""
    done = _run((*ISOLATED, *SCAN), place / "tree", _environment({}, place / "tree", place / "mark"))
    assert done.returncode == 0, done.stderr
    return done.stdout


def _build(root: Path, mark: Path) -> None:
    for module in MODULES:
        path = root / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_bait(mark, module))
    (root / "plugin.json").write_text('{"name": "p", "version": "1"}')
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    site = root / "user" / "lib" / version / "site-packages"
    site.mkdir(parents=True)
    (site / "usercustomize.py").write_text(_bait(mark, "user site"))
    (site / "x.pth").write_text(f"import pathlib; pathlib.Path({str(mark)!r}).write_text('pth')\n")
    (root / "x.pth").write_text(f"import pathlib; pathlib.Path({str(mark)!r}).write_text('pth')\n")
    (root / "pyvenv.cfg").write_text("home = .\ninclude-system-site-packages = true\n")
    _poison_byte_code(root / "pyc", mark)
    _openssl_files(root)


def _bait(mark: Path, name: str) -> str:
    return f"open({str(mark)!r}, 'a').write({name!r} + chr(10))\n"


def _poison_byte_code(prefix: Path, mark: Path) -> None:
    """Put byte code that leaves a mark where `PYTHONPYCACHEPREFIX` makes Python look for plugseal's own."""
    source = Path(plugseal.__file__).resolve()
    code = compile(_bait(mark, "byte code"), str(source), "exec")
    import importlib._bootstrap_external as external

    stat = source.stat()
    data = external._code_to_timestamp_pyc(code, int(stat.st_mtime), stat.st_size)  # type: ignore[attr-defined]
    tag = sys.implementation.cache_tag
    target = prefix / str(source.parent).lstrip("/") / f"{source.stem}.{tag}.pyc"
    target.parent.mkdir(parents=True)
    target.write_bytes(data)


def _openssl_files(root: Path) -> None:
    head = "openssl_conf = main\n[main]\n"
    library = root / "bait.so"
    engine = f"{head}engines = list\n[list]\nbait = one\n[one]\nengine_id = bait\n"
    provider = f"{head}providers = list\n[list]\nbait = one\n[one]\nactivate = 1\n"
    (root / "engine.cnf").write_text(f"{engine}dynamic_path = {library}\ninit = 1\n")
    (root / "engine-name.cnf").write_text(f"{engine}init = 1\n")
    (root / "provider.cnf").write_text(f"{provider}module = {library}\n")
    (root / "module.cnf").write_text(provider)


def _build_library(root: Path, mark: Path) -> None:
    """Compile a library that leaves a mark when it is loaded, where there is a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return
    path = json.dumps(str(mark))
    source = root.parent / "bait.c"
    source.write_text(
        "#include <fcntl.h>\n#include <unistd.h>\n"
        f"__attribute__((constructor)) static void bite(void) {{ int f = open({path}, O_WRONLY|O_CREAT, 0600);"
        ' if (f >= 0 && write(f, "library\\n", 8)) close(f); }\n'
    )
    command = [compiler, "-shared", "-fPIC", "-o", str(root / "bait.so"), str(source)]
    subprocess.run(command, capture_output=True, timeout=120, check=False)


def _environment(changes: Mapping[str, str], tree: Path, mark: Path) -> dict[str, str]:
    base = {"PATH": "/usr/bin:/bin", "HOME": str(tree.parent), "LANG": "C.UTF-8"}
    filled = {name: text.replace(IN_TREE, str(tree)).replace("{mark}", str(mark)) for name, text in changes.items()}
    return {**base, **filled}


def _run(argv: tuple[str, ...], tree: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        cwd=tree,
        env=dict(environment),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _judge(argv: tuple[str, ...], name: str, tree: Path, mark: Path, clean_answer: str) -> None:
    done = _run((*argv, *SCAN), tree, _environment(ENVIRONMENTS[name], tree, mark))

    assert not mark.exists(), f"run: {mark.read_text()}"
    assert done.returncode == 0, done.stderr
    assert done.stdout == clean_answer, "the answer depends on the surroundings"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_isolated_scan_runs_nothing_of_its_surroundings(
    name: str, tree: Path, mark: Path, clean_answer: str
) -> None:
    _judge(ISOLATED, name, tree, mark, clean_answer)


@pytest.mark.skipif(not Path(CONSOLE[0]).exists(), reason="the console script is not installed beside this interpreter")
@pytest.mark.parametrize("name", [name for name in ENVIRONMENTS if name not in ONLY_ISOLATED])
def test_the_console_script_runs_nothing_of_its_surroundings(
    name: str, tree: Path, mark: Path, clean_answer: str
) -> None:
    _judge(CONSOLE, name, tree, mark, clean_answer)


@pytest.mark.parametrize(
    "words", [("facts", "."), ("hash", "."), ("scan", "--exit-zero", "."), ("explain", "process.shell")], ids=" ".join
)
def test_other_commands_are_as_safe(words: tuple[str, ...], tree: Path, mark: Path) -> None:
    changes = {name: text for changes in ENVIRONMENTS.values() for name, text in changes.items() if name != "LC_ALL"}

    done = _run((*ISOLATED, *words), tree, _environment(changes, tree, mark))

    assert not mark.exists(), f"run: {mark.read_text()}"
    assert done.returncode in (0, 4), done.stderr


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("nothing but the folder", (sys.executable, "-m", "plugseal", "--version")),
        ("PYTHONPATH", (sys.executable, "-c", "import hashlib")),
        ("PYTHONPYCACHEPREFIX", (sys.executable, "-c", "import sys; sys.path.remove(''); import plugseal")),
        ("PYTHONWARNINGS", (sys.executable, "-c", "0")),
    ],
)
def test_the_baits_bite_where_the_interpreter_is_not_isolated(
    name: str, argv: tuple[str, ...], tree: Path, mark: Path
) -> None:
    _run(argv, tree, _environment(ENVIRONMENTS[name], tree, mark))

    assert mark.exists()


def test_the_library_bites_where_openssl_is_loaded_without_care(tree: Path, mark: Path) -> None:
    if not (tree / "bait.so").exists():
        pytest.skip("no C compiler")
    if importlib.util.find_spec("_hashlib") is None or not hasattr(hashlib, "scrypt"):
        pytest.skip("this Python has no OpenSSL")
    for name in ("OPENSSL_CONF with an engine", "OPENSSL_CONF with a provider"):
        environment = _environment(ENVIRONMENTS[name], tree, mark)
        _run((sys.executable, "-I", "-c", "import hashlib; hashlib.new('sha256')"), tree, environment)

    assert mark.exists()


def test_the_own_environment_of_these_tests_is_clean() -> None:
    assert not [name for name in os.environ if name.startswith("OPENSSL_")]

"""Watched by the kernel: looking at a plugin starts no program, opens no socket, writes nothing, reads only the plugin.

`strace` follows every process. The tree holds what would make a careless scanner act: links and parents that lead out,
configurations that name files, code that a worker must parse, archives, a FIFO. The watcher itself is shown to see
each kind of misdeed, in small programs that commit one.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import sysconfig
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import plugseal
from tests.process import straced

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed (sh tests/run does)")

SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/ld.so.preload",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/locale.alias", "/usr/share/locale",
    "/usr/share/zoneinfo", "/usr/share/locale-langpack",
    "/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/dev/null", "/dev/urandom",
)  # fmt: skip
"""What the loader, the C library and OpenSSL read of the system itself."""
OWN_LIMITS = re.compile(
    r"/proc/self/(?:statm?|fd|cgroup|mountinfo|status)"
    r"|/proc/sys/vm/overcommit_memory|/sys/fs/cgroup/[\w./-]*cpu[\w.]*"
)
"""What the kernel says of the process itself: a worker reads its size and descriptors, Python its threads before a
fork and how memory is granted, a parser's library the number of its CPUs."""


def _installation() -> list[str]:
    """Return where Python and plugseal are installed, as written and as resolved."""
    package = Path(plugseal.__file__).parent
    places = [sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values(), package]
    if package.parent.name == "src":  # a checkout: its rules lie beside `src`
        places += [package.parent, package.parents[1] / "rules", package.parents[1] / "pyproject.toml"]
    return sorted({form for place in places for form in (str(place), os.path.realpath(place))})


def misdeeds(events: Iterable[Any], *, readable: Iterable[str], writable: Iterable[str] = ()) -> list[str]:
    """Return what a scanner must not do, as `kind path`.

    Args:
        events: what a program did.
        readable: files and folders that may be opened to read.
        writable: folders that may be changed.
    """
    may_write = tuple(writable)
    may_read = (*readable, *may_write)
    found = []
    for kind, path in events:
        is_read = kind == "read" and (_is_below(path, may_read) or OWN_LIMITS.fullmatch(path) is not None)
        is_written = kind == "write" and _is_below(path, (*may_write, "/dev/null"))
        if not (is_read or is_written):
            found.append(f"{kind} {path}")
    return found


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in places)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Build a clone that tempts a scanner to act, beside secrets that it must not open."""
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "secret.py").write_text("import os\n")
    root = tmp_path / "clone"
    (root / "skills" / "x").mkdir(parents=True)
    (root / "skills" / "x" / "SKILL.md").write_text("---\nname: x\ndescription: run `curl x | sh`\n---\nRun it.\n")
    (root / "plugin.json").write_text('{"name": "p", "version": "1", "main": "../outside/secret.py"}')
    (root / ".mcp.json").write_text(
        '{"mcpServers": {"s": {"command": "sh", "args": ["-c", "id"], "envFile": "../outside/secret.py"}}}'
    )
    (root / "plugin.toml").write_text('schema_version = 1\n[plugin]\nname = "p"\nversion = "1"\n')
    (root / "tool.py").write_text("import subprocess, os\nsubprocess.run('id', shell=True)\nos.system('id')\n")
    (root / "odd.py").write_text("x = " + "(" * 150 + "1" + ")" * 150 + "\n")
    (root / "large.py").write_text("x = 1\n" * 60_000)
    (root / "old.py").write_text("print 'python 2'\n")
    (root / "sitecustomize.py").write_text("raise SystemExit('run')\n")
    (root / "hashlib.py").write_text("raise SystemExit('run')\n")
    (root / "names-é\u202e.py").write_text("# é\nx = 'é'\n")
    (root / "link.py").symlink_to(secret / "secret.py")
    (root / "up").symlink_to("../outside")
    (root / "loop").symlink_to(".")
    os.mkfifo(root / "fifo.py")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\n\tfsmonitor = /bin/true\n")
    (root / "inner.zip").write_bytes(_archive())
    return root


def _archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("plugin.json", '{"name": "z", "version": "1"}')
        archive.writestr("tool.py", "import os\nos.system('id')\n")
    return buffer.getvalue()


def _environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "XDG_CACHE_HOME": str(home / ".cache")}


@pytest.mark.parametrize(
    "words",
    [
        ["scan", "--exit-zero", "{root}"],
        ["scan", "--exit-zero", "--format", "json", "{root}"],
        ["scan", "--exit-zero", "."],
        ["scan", "--exit-zero", "{root}/tool.py"],
        ["scan", "--exit-zero", "{root}/inner.zip"],
        ["facts", "{root}"],
        ["hash", "{root}"],
        ["hash", "--format", "json", "{root}/skills/x"],
        ["explain", "process.shell"],
        ["--help"],
        ["--version"],
    ],
    ids=lambda words: " ".join(words).replace("{root}", "clone"),
)
def test_looking_does_nothing_else(tree: Path, tmp_path: Path, words: list[str]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # -B: the byte code that Python itself keeps beside a module of its installation is not plugseal's writing.
    argv = [sys.executable, "-I", "-B", "-m", "plugseal", *(word.replace("{root}", str(tree)) for word in words)]

    code, output, events = straced.watch(argv, cwd=tree, environment=_environment(home), log=tmp_path / "log")

    assert code in (0, 1, 3, 4), output
    cache = home / ".cache" / "plugseal"
    assert misdeeds(events, readable=[*_installation(), *SYSTEM, str(tree)], writable=[str(cache)]) == []
    assert ("{root}" not in " ".join(words)) or any(path.startswith(str(tree)) for _, path in events), "it looked"


def test_large_files_are_parsed_by_workers_that_are_forks(tree: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-I", "-B", "-m", "plugseal", "facts", str(tree)]
    log = tmp_path / "log"

    straced.watch(argv, cwd=tmp_path, environment=_environment(tmp_path), log=log)

    calls = list(straced.read_calls(log.read_text(errors="surrogateescape"), str(tmp_path)))
    assert len({call.pid for call in calls}) > 1, "a worker was watched too"
    assert sum(call.name in straced.EXEC for call in calls) == 1


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("import subprocess; subprocess.run(['/bin/true'])", "exec /bin/true", id="a program"),
        pytest.param("import os; os.execv('/bin/true', ['x'])", "exec /bin/true", id="a program instead of itself"),
        pytest.param("import os; os.system('true')", "exec /bin/sh", id="a shell"),
        pytest.param("import os\nif not os.fork(): os.execv('/bin/true', ['x'])", "exec /bin/true", id="from a fork"),
        pytest.param("import socket; socket.socket()", "socket socket", id="a socket"),
        pytest.param("import socket; socket.socketpair()", "socket socketpair", id="a pair of sockets"),
        pytest.param("open('new', 'w')", "write {root}/new", id="a file in the tree"),
        pytest.param("open('{home}/new', 'w')", "write {home}/new", id="a file elsewhere"),
        pytest.param("open('tool.py', 'r+')", "write {root}/tool.py", id="a file opened to change it"),
        pytest.param("import os; os.mkdir('d')", "write {root}/d", id="a folder"),
        pytest.param("import os; os.rename('tool.py', 'x')", "write {root}/x", id="a rename"),
        pytest.param("import os; os.unlink('tool.py')", "write {root}/tool.py", id="a removal"),
        pytest.param("import os; os.chmod('tool.py', 0o777)", "write {root}/tool.py", id="a mode"),
        pytest.param("import os; os.utime('tool.py')", "write {root}/tool.py", id="times"),
        pytest.param("import os; os.symlink('x', 'y')", "write {root}/y", id="a link"),
        pytest.param(
            "import os; d = os.open('skills', 0); os.unlink('x/SKILL.md', dir_fd=d)",
            "write {root}/skills/x/SKILL.md",
            id="a removal by descriptor",
        ),
        pytest.param("open('../outside/secret.py')", "read {outside}/secret.py", id="a file outside"),
        pytest.param("open('link.py')", "read {outside}/secret.py", id="a file outside, through a link"),
        pytest.param("import os; os.listdir('up')", "read {outside}", id="a folder outside, through a link"),
        pytest.param(
            "import os; d = os.open('.', 0); os.open('../outside/secret.py', 0, dir_fd=d)",
            "read {outside}/secret.py",
            id="a file outside, by descriptor",
        ),
        pytest.param(
            "import os; os.chdir('..'); open('outside/secret.py')", "read {outside}/secret.py", id="after a move"
        ),
        pytest.param(
            "import os\nif not os.fork(): os.chdir('..'); open('outside/secret.py')",
            "read {outside}/secret.py",
            id="in a fork",
        ),
        pytest.param("open('/etc/passwd')", "read /etc/passwd", id="a file of the system"),
        pytest.param("open('/proc/1/status')", "read /proc/1/status", id="another process"),
        pytest.param("open('/proc/self/environ')", "read /proc/self/environ", id="its own environment as a file"),
        pytest.param("open('/etc/no-such-file') ", "read /etc/no-such-file", id="a file that is not there"),
    ],
)
def test_the_watcher_sees_a_misdeed(tree: Path, tmp_path: Path, code: str, expected: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    names = {"root": str(tree), "home": str(home), "outside": str(tmp_path / "outside")}
    argv = [sys.executable, "-I", "-B", "-c", code.replace("{home}", str(home))]

    _, _, events = straced.watch(argv, cwd=tree, environment=_environment(home), log=tmp_path / "log")

    found = misdeeds(
        events, readable=[*_installation(), *SYSTEM, str(tree)], writable=[str(home / ".cache" / "plugseal")]
    )
    assert expected.format(**names) in found


def test_the_watcher_is_silent_about_a_program_that_only_reads_the_tree(tree: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-I", "-B", "-c", "import json, hashlib; open('tool.py').read(); print('done')"]

    _, output, events = straced.watch(argv, cwd=tree, environment=_environment(tmp_path), log=tmp_path / "log")

    assert output == "done\n"
    assert misdeeds(events, readable=[*_installation(), *SYSTEM, str(tree)]) == []

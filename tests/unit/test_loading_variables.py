"""Variables by which what is started loads other code: one table for all readers, detectors and the gate."""

from __future__ import annotations

import pytest

from plugseal.errors import RefusedError
from plugseal.lang.facts import Context, Interest
from plugseal.lang.registry import reader_named
from plugseal.model.variables import UNKNOWN_PART, Loading, loading
from plugseal.runtime.environment import build_environment

_NATIVE, _SURE, _MAYBE = Loading("code.native", True), Loading("code.dynamic", True), Loading("code.dynamic", False)
_LOADED = frozenset({("env.write", "LD_PRELOAD"), ("code.native", "LD_PRELOAD"), ("path.outside", "/tmp/x.so")})


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("LD_PRELOAD", "/tmp/x.so", _NATIVE),
        ("DYLD_INSERT_LIBRARIES", UNKNOWN_PART, _NATIVE),
        ("LD_PRELOAD", "", None),
        ("BASH_ENV", "./x", _SURE),
        ("BASH_FUNC_ls%%", "() { :; }", _SURE),
        ("NODE_OPTIONS", "--require ./x.js", _SURE),
        ("NODE_OPTIONS", "--max-old-space-size=4096", None),
        ("NODE_OPTIONS", f"{UNKNOWN_PART} --max-old-space-size=4096", _MAYBE),
        ("NODE_OPTIONS", f"{UNKNOWN_PART} --import ./x.mjs", _SURE),
        ("GIT_PAGER", "cat", None),
        ("GIT_PAGER", "sh -c x", _SURE),
        ("GIT_ASKPASS", "", None),
        ("GIT_SSH_COMMAND", "ssh -i key", None),
        ("GIT_SSH_COMMAND", f"ssh -i {UNKNOWN_PART}", _MAYBE),
        ("GIT_SSH_COMMAND", "ssh -o ProxyCommand=x", _SURE),
        ("GIT_SSH_COMMAND", "./x", _SURE),
        ("GIT_CONFIG_KEY_0", "core.sshCommand", _SURE),
        ("GIT_CONFIG_KEY_0", "user.name", None),
        ("MAKEFLAGS", "-j4 --no-print-directory", None),
        ("MAKEFLAGS", "--eval=x", _SURE),
        ("GOFLAGS", "-mod=mod -trimpath", None),
        ("GOFLAGS", "-toolexec=./x", _SURE),
        ("PS4", "+ ", None),
        ("PS4", "$(x)", _SURE),
        ("PYTHONBREAKPOINT", "0", None),
        ("PYTHONPATH", "/tmp", None),
        ("NODE_ENV", "test", None),
    ],
)
def test_a_value_counts_where_most_values_are_ordinary(name: str, value: str, found: Loading | None) -> None:
    assert loading(name, value) == found


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import os\nos.environ['LD_PRELOAD'] = '/tmp/x.so'\n"),
        ("python", "import os\nos.environ.setdefault('LD_PRELOAD', '/tmp/x.so')\n"),
        ("python", "import os\nos.environ.update({'LD_PRELOAD': '/tmp/x.so'})\n"),
        ("python", "import os\nos.putenv('LD_PRELOAD', '/tmp/x.so')\n"),
        ("python", "import subprocess\nsubprocess.run(['ls'], env={'LD_PRELOAD': '/tmp/x.so'})\n"),
        ("python", "import subprocess\nsubprocess.run(['ls'], env={'LD_' + 'PRELOAD': '/tmp/x.so'})\n"),
        (
            "python",
            "import os, subprocess\nsubprocess.run('ls', shell=True, env={**os.environ, 'LD_PRELOAD': '/tmp/x.so'})\n",
        ),
        ("python", "import os, subprocess\nsubprocess.run(['ls'], env=dict(os.environ, LD_PRELOAD='/tmp/x.so'))\n"),
        ("python", "import os, subprocess\nsubprocess.run(['ls'], env=os.environ | {'LD_PRELOAD': '/tmp/x.so'})\n"),
        (
            "python",
            "import os, subprocess as s\ne = os.environ.copy()\ne['LD_PRELOAD'] = '/tmp/x.so'\ns.run(['ls'], env=e)\n",
        ),
        (
            "python",
            "import os, subprocess as s\ne = {}\ne.update(LD_PRELOAD='/tmp/x.so')\ns.run(['ls'], env=e)\n",
        ),
        ("python", "import os, subprocess\ne = {}\ne |= {'LD_PRELOAD': '/tmp/x.so'}\nsubprocess.run(['ls'], env=e)\n"),
        ("python", "import os\nos.execve('/bin/ls', ['ls'], {'LD_PRELOAD': '/tmp/x.so'})\n"),
        ("javascript", "process.env.LD_PRELOAD = '/tmp/x.so';\n"),
        ("javascript", "Deno.env.set('LD_PRELOAD', '/tmp/x.so');\n"),
        (
            "javascript",
            "import { spawn } from 'child_process';\nspawn('ls', [], { env: { LD_PRELOAD: '/tmp/x.so' } });\n",
        ),
        (
            "javascript",
            "import * as c from 'child_process';\nc.exec('ls', { env: { ...old, LD_PRELOAD: '/tmp/x.so' } });\n",
        ),
        (
            "javascript",
            "import { exec } from 'child_process';\nexec('ls', { env: { ['LD_' + 'PRELOAD']: '/tmp/x.so' } });\n",
        ),
        ("javascript", "const e = { ...process.env };\ne.LD_PRELOAD = '/tmp/x.so';\nstart(e);\n"),
        ("javascript", "export function f(env) { env.LD_PRELOAD = '/tmp/x.so'; return env; }\n"),
        ("shell", "export LD_PRELOAD=/tmp/x.so\n"),
        ("shell", "LD_PRELOAD=/tmp/x.so ls\n"),
        ("Ruby", "ENV['LD_PRELOAD'] = '/tmp/x.so'\n"),
        ("Perl", "$ENV{LD_PRELOAD} = '/tmp/x.so';\n"),
        ("PHP", "<?php putenv('LD_PRELOAD=/tmp/x.so');\n"),
        ("PowerShell", "$env:LD_PRELOAD = '/tmp/x.so'\n"),
    ],
)
def test_a_library_that_is_loaded_into_others_is_said_in_every_language(language: str, code: str) -> None:
    assert _found(language, code) >= _LOADED


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import os\nos.environ.pop('LD_PRELOAD', None)\ndel os.environ['BASH_ENV']\n"),
        (
            "python",
            "import os, subprocess\nsubprocess.run(['ls'], env={**os.environ, 'LD_PRELOAD': '', 'GIT_PAGER': 'cat'})\n",
        ),
        ("python", "NAMES = {'LD_PRELOAD': 'a library', 'BASH_ENV': 'a script'}\n"),
        ("python", "import os\nos.environ['NODE_OPTIONS'] = '--max-old-space-size=4096'\n"),
        (
            "javascript",
            "import { exec } from 'child_process';\nexec('ls', { env: { NODE_OPTIONS: '--no-warnings' } });\n",
        ),
        ("javascript", "config.ENV = name;\nconst names = { LD_PRELOAD: 'a library' };\n"),
        ("javascript", "delete process.env.LD_PRELOAD;\nDeno.env.delete('LD_PRELOAD');\n"),
        ("shell", "unset LD_PRELOAD\nGIT_PAGER=cat git log\nexport NODE_OPTIONS=--max-old-space-size=4096\n"),
    ],
)
def test_what_loads_nothing_is_no_code(language: str, code: str) -> None:
    assert not {one for one, _ in _found(language, code)} & {"code.native", "code.dynamic"}


def test_paths_among_options_are_told() -> None:
    assert ("path.outside", "/tmp/x.js") in _found("shell", "export NODE_OPTIONS='--no-warnings --require=/tmp/x.js'\n")
    assert ("path.outside", "/tmp/x.js") in _found("javascript", "process.env.NODE_OPTIONS = '--require /tmp/x.js';\n")


@pytest.mark.parametrize(
    ("name", "value"),
    [("GIT_EDITOR", "sh -c x"), ("RUSTC_WRAPPER", "x"), ("npm_config_script_shell", "x"), ("VIMINIT", "x")],
)
def test_the_gate_refuses_what_the_table_names(name: str, value: str) -> None:
    with pytest.raises(RefusedError, match=name):
        build_environment({}, mapped=(), literals=[(name, value)], home="/h", temporary="/t")


def test_the_gate_passes_what_is_ordinary() -> None:
    built = build_environment({}, mapped=(), literals=[("GIT_PAGER", "cat")], home="/h", temporary="/t")

    assert built["GIT_PAGER"] == "cat"


def _found(language: str, code: str) -> set[tuple[str, str | None]]:
    facts = reader_named(language).read(code.encode(), Context("x", Interest())).facts
    return {(fact.capability, fact.object) for fact in facts}

"""What a program starts by a list of words is a command to rules about commands, and is told once."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.lang.facts import UNKNOWN, Context, Interest
from plugseal.lang.registry import reader_named
from plugseal.verbs.scan import scan_path


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import subprocess\nsubprocess.run(['/usr/bin/docker', 'run', name, '--privileged'])\n"),
        ("javascript", "import { spawn } from 'child_process';\nspawn('docker', ['run', name, '--privileged']);\n"),
        ("javascript", "import { execa } from 'execa';\nexeca('docker', ['run', name, '--privileged']);\n"),
    ],
)
def test_a_list_of_words_is_a_command(language: str, code: str) -> None:
    events = reader_named(language).read(code.encode(), Context("x", Interest())).events

    assert [(e.name, e.arguments) for e in events if e.kind == "command"] == [
        ("docker", ("run", UNKNOWN, "--privileged"))
    ]


@pytest.mark.parametrize(
    ("name", "code", "rules"),
    [
        (
            "a.py",
            "import subprocess\nsubprocess.run(['claude', '--dangerously-skip-permissions', '-p', 'x'])\n",
            {"unasked-agent"},
        ),
        (
            "a.js",
            "require('child_process').spawn('claude', ['--dangerously-skip-permissions', '-p', 'x']);\n",
            {"script-unasked-agent"},
        ),
        ("a.py", "import subprocess\nsubprocess.run(['git', 'config', 'core.hooksPath', 'x'])\n", {"git-runs-code"}),
        ("a.js", "require('child_process').spawn('git', ['-c', 'core.fsmonitor=./x', 'log']);\n", {"git-runs-code"}),
    ],
)
def test_one_act_is_told_once(name: str, code: str, rules: set[str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(code)

    assert [one.rule for one in scan_path(tmp_path).findings] == sorted(rules)

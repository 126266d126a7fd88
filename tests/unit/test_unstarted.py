"""Weaknesses in programs that only developers start, and everything that starts one after all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from plugseal.lang.naming import is_of_a_test
from plugseal.scan.softened import NOTE
from plugseal.verbs.scan import scan_path

WEAK = "import os\n\n\ndef run(line):\n    os.system(line)\n"
WEAK_SCRIPT = "import { execSync } from 'node:child_process';\nexport const run = (line) => execSync(line);\n"
MANIFEST = {".claude-plugin/plugin.json": '{"name": "docs"}'}


class Case(NamedTuple):
    files: dict[str, str]
    severity: str
    weak: str = "tests/test_run.py"


def _hook(command: str) -> dict[str, str]:
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    return {**MANIFEST, "hooks/hooks.json": json.dumps(hooks)}


def _package(**scripts: str) -> dict[str, str]:
    return {"package.json": json.dumps({"name": "docs", "scripts": scripts})}


CASES = {
    "a test that nothing names": Case({**MANIFEST}, "low"),
    "its runner, as developers type it": Case({**_package(test="python -m pytest tests/test_run.py")}, "low"),
    "the steps of a build server": Case(
        {
            ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - run: pytest tests/test_run.py\n"
        },
        "low",
    ),
    "another test that uses it": Case({**MANIFEST, "tests/test_more.py": "from tests.test_run import run\n"}, "low"),
    "an ordinary name": Case({**MANIFEST}, "high", "run.py"),
    "a hook runs it": Case(_hook("python ${CLAUDE_PLUGIN_ROOT}/tests/test_run.py"), "high"),
    "a hook runs it as a module": Case(_hook("python -m tests.test_run"), "high"),
    "a hook runs all tests": Case(_hook("pytest tests"), "high"),
    "a program uses it": Case({**MANIFEST, "server.py": "from tests.test_run import run\nrun('ls')\n"}, "high"),
    "a script names it": Case({**MANIFEST, "start.sh": 'python "$ROOT/tests/test_run.py"\n'}, "high"),
    "by way of a test that a program uses": Case(
        {**MANIFEST, "server.py": "import tests.test_more\n", "tests/test_more.py": "from . import test_run\n"}, "high"
    ),
    "a skill tells to run it": Case(
        {**MANIFEST, "skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\nRun `python tests/test_run.py`.\n"},
        "high",
    ),
    "the page on how to use it names it": Case({**MANIFEST, "README.md": "Start `tests/test_run.py`.\n"}, "high"),
    "a configuration nobody knows names it": Case({**MANIFEST, "host.yaml": "run: tests/test_run.py\n"}, "high"),
    "what an install runs": Case(_package(postinstall="python tests/test_run.py"), "high"),
    "what an interpreter loads by itself": Case({**MANIFEST}, "high", "tests/sitecustomize.py"),
    "a server's own file": Case(
        {".mcp.json": json.dumps({"mcpServers": {"a": {"command": "python", "args": ["tests/test_run.py"]}}})}, "high"
    ),
    "a script that publishing runs": Case(_package(prepublishOnly="node pack.mjs"), "low", "pack.mjs"),
    "what makes a release": Case({**MANIFEST}, "low", "scripts/release.py"),
    "what makes one, named by its kind": Case(
        _package(release="node scripts/npm-publish.mjs"), "low", "npm-publish.mjs"
    ),
    "a release that an install runs": Case(_package(postinstall="python release.py"), "high", "release.py"),
    "a release that a skill tells to run": Case(
        {**MANIFEST, "skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\nRun `python release.py`.\n"},
        "high",
        "release.py",
    ),
    "a word that only begins so": Case({**MANIFEST}, "high", "releases_api.py"),
    "one that building runs too": Case(
        _package(prepublishOnly="node pack.mjs", build="node pack.mjs"), "high", "pack.mjs"
    ),
    "one that a program runs too": Case(
        {**_package(prepublishOnly="node pack.mjs"), "index.mjs": "import './pack.mjs';\n"}, "high", "pack.mjs"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_only_what_developers_alone_start_is_lesser(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    weak = WEAK if case.weak.endswith(".py") else WEAK_SCRIPT
    for path, text in {**case.files, case.weak: weak}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = [one for one in scan_path(tmp_path).findings if one.file == case.weak and one.rule.endswith("shell-line")]
    assert [one.severity.value for one in found] == [case.severity]
    assert all(one.note.endswith(NOTE) is (case.severity == "low") for one in found)


def test_what_no_test_does_keeps_its_severity_and_every_fact(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_run.py").write_text("import base64\nexec(base64.b64decode('cHJpbnQoMSk='))\n" + WEAK)
    inventory = scan_path(tmp_path)
    severities = {one.rule: one.severity.value for one in inventory.findings}
    assert severities["packed-code"] == "high"
    facts = {(one.capability, one.object) for one in inventory.facts.of("tests/test_run.py")}
    assert {("process.shell", None), ("code.obfuscated", None)} <= facts


def test_a_test_full_of_them_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_run.py").write_text(WEAK + "    os.system(line + 'a')\n    os.popen(line)\n")
    found = [(one.rule, one.span.line, one.note) for one in scan_path(tmp_path).findings]
    assert found == [("shell-line", 5, f"`line` is not a literal; {NOTE}, here and at 2 more places of this file")]


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("tests/a.py", True),
        ("src/__tests__/a.js", True),
        ("src/a.spec.ts", True),
        ("test_a.py", True),
        ("conftest.py", True),
        ("src/latest.py", False),
        ("src/contest.py", False),
    ],
)
def test_a_file_of_a_test_is_told_by_its_folder_or_its_name(path: str, is_one: bool) -> None:
    assert is_of_a_test(path) is is_one

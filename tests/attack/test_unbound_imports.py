"""A client's own configuration binds what its scripts load: a change in a file that none of its manifests names counts.

Each case is a working folder whose settings start a script, and the one file that is changed behind the review.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from plugseal.cli.main import main
from plugseal.lang.naming import Named, TreeNames, names_of
from plugseal.model.inventory import PluginReport
from plugseal.model.tree import Entry, EntryKind
from plugseal.rules.rule import RuleSet
from plugseal.verbs.scan import scan_with

HOOK: Final = "scripts/hook.py"
HARMLESS: Final = "x = 1\n"


class Case(NamedTuple):
    """A working folder by its files, and the file that changes."""

    command: str
    files: dict[str, str]
    changed: str


CASES: Final = {
    "a module beside": Case("python3 scripts/hook.py", {HOOK: "import helper\n"}, "scripts/helper.py"),
    "several modules in one line": Case(
        "python3 scripts/hook.py", {HOOK: "import os, helper as h\n"}, "scripts/helper.py"
    ),
    "a name of a package": Case(
        "python3 scripts/hook.py", {HOOK: "from pkg.inner import go\n"}, "scripts/pkg/inner.py"
    ),
    "names over several lines": Case(
        "python3 scripts/hook.py", {HOOK: "from pkg import (\n    a,\n    inner,\n)\n"}, "scripts/pkg/inner.py"
    ),
    "the package's own file": Case(
        "python3 scripts/hook.py",
        {HOOK: "from pkg.inner import go\n", "scripts/pkg/inner.py": HARMLESS},
        "scripts/pkg/__init__.py",
    ),
    "a relative import": Case(
        "python3 -m tool.run", {"tool/run.py": "from . import other\n", "tool/__init__.py": ""}, "tool/other.py"
    ),
    "a module of the working folder": Case("python3 -m tool", {"tool/__main__.py": "import late\n"}, "late.py"),
    "a module imported by its name": Case(
        "python3 scripts/hook.py", {HOOK: "import importlib\nimportlib.import_module('late')\n"}, "scripts/late.py"
    ),
    "a module run by its path": Case(
        "python3 scripts/hook.py", {HOOK: "import runpy\nrunpy.run_path('scripts/late.py')\n"}, "scripts/late.py"
    ),
    "a module in a folder put on the path": Case(
        "python3 scripts/hook.py", {HOOK: "import sys\nsys.path.insert(0, 'lib')\nimport late\n"}, "lib/late.py"
    ),
    "a path in pieces": Case(
        "python3 scripts/hook.py",
        {HOOK: "import os, runpy\nrunpy.run_path(os.path.join(os.path.dirname(__file__), 'lib', 'late.py'))\n"},
        "scripts/lib/late.py",
    ),
    "a program started by another": Case(
        "python3 scripts/hook.py",
        {HOOK: "import subprocess\nsubprocess.run(['python3', 'tools/late.py'])\n"},
        "tools/late.py",
    ),
    "text that is run": Case(
        "python3 scripts/hook.py", {HOOK: "exec(open('scripts/late.txt').read())\n"}, "scripts/late.txt"
    ),
    "a native module": Case(
        "python3 scripts/hook.py", {HOOK: "import fast\n"}, "scripts/fast.cpython-311-x86_64-linux-gnu.so"
    ),
    "a module behind a module": Case(
        "python3 scripts/hook.py",
        {HOOK: "import a\n", "scripts/a.py": "import b\n", "scripts/b.py": "import c\n"},
        "scripts/c.py",
    ),
    "code in the command itself": Case("python3 -c 'import late'", {}, "late.py"),
    "the second command of a line": Case("true && python3 scripts/late.py", {}, "scripts/late.py"),
    "a sourced file": Case("bash scripts/hook.sh", {"scripts/hook.sh": "source ./lib.sh\n"}, "scripts/lib.sh"),
    "a sourced file beside": Case(
        "bash scripts/hook.sh", {"scripts/hook.sh": '. "$(dirname "$0")/lib.sh"\n'}, "scripts/lib.sh"
    ),
    "a sourced file behind a variable": Case(
        "bash scripts/hook.sh", {"scripts/hook.sh": 'DIR=${0%/*}\n. "${DIR}/common"\n'}, "scripts/common"
    ),
    "a program without a suffix": Case("bash scripts/hook.sh", {"scripts/hook.sh": "./run\n"}, "run"),
    "a program of the project's folder": Case(
        "bash scripts/hook.sh", {"scripts/hook.sh": '"$CLAUDE_PROJECT_DIR"/tools/late\n'}, "tools/late"
    ),
    "a script loaded by its path": Case(
        "node scripts/hook.js", {"scripts/hook.js": 'require("./late");\n'}, "scripts/late.js"
    ),
    "a script built from another": Case(
        "tsx scripts/hook.ts", {"scripts/hook.ts": 'import { go } from "../lib/late.js";\n'}, "lib/late.ts"
    ),
    "a folder of scripts": Case(
        "node scripts/hook.js", {"scripts/hook.js": 'require("./lib");\n'}, "scripts/lib/index.js"
    ),
    "a script loaded later": Case(
        "node scripts/hook.mjs", {"scripts/hook.mjs": "await import(`./late.mjs`);\n"}, "scripts/late.mjs"
    ),
    "an alias": Case("tsx scripts/hook.ts", {"scripts/hook.ts": 'import "@/lib/late";\n'}, "src/lib/late.ts"),
    "an installed package": Case(
        "node scripts/hook.js", {"scripts/hook.js": 'require("left");\n'}, "node_modules/left/deep/a.js"
    ),
    "settings of the modules": Case("node scripts/hook.js", {"scripts/hook.js": "1;\n"}, "package.json"),
    "a script of the package": Case(
        "npm run check",
        {"package.json": '{"scripts": {"check": "npm run inner", "inner": "node tools/late.js"}}'},
        "tools/late.js",
    ),
    "a target of make": Case("make check", {"Makefile": "check:\n\t./tools/late\n"}, "tools/late"),
    "a folder of the search path": Case(
        "PYTHONPATH=tools/shared python3 scripts/hook.py", {HOOK: "import late\n"}, "tools/shared/late.py"
    ),
    "a layout that tools know": Case("uv run scripts/hook.py", {HOOK: "import late\n"}, "src/late/__init__.py"),
    "a path from the root of the sources": Case(
        "tsx scripts/hook.ts", {"scripts/hook.ts": 'import "lib/late";\n'}, "src/lib/late.ts"
    ),
    "a name that the package maps": Case(
        "node scripts/hook.js",
        {"scripts/hook.js": 'import "#own";\n', "package.json": '{"imports": {"#own": "./deep/er/late.js"}}'},
        "deep/er/late.js",
    ),
    "a name that an import map maps": Case(
        "deno run scripts/hook.ts",
        {"scripts/hook.ts": 'import "own";\n', "deno.json": '{"imports": {"own": "./deep/late.ts"}}'},
        "deep/late.ts",
    ),
    "a module that is loaded before": Case(
        "bun scripts/hook.ts",
        {"scripts/hook.ts": "1;\n", "bunfig.toml": 'preload = ["./deep/late.ts"]\n'},
        "deep/late.ts",
    ),
    "a Ruby file": Case("ruby scripts/hook.rb", {"scripts/hook.rb": "require_relative 'late'\n"}, "scripts/late.rb"),
    "a PowerShell file": Case(
        "pwsh scripts/hook.ps1", {"scripts/hook.ps1": '. "$PSScriptRoot\\late.ps1"\n'}, "scripts/late.ps1"
    ),
}


def make(root: Path, command: str, files: dict[str, str]) -> None:
    """Write a working folder whose settings run a command after each use of a tool."""
    hook = {"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    for name, text in {**files, ".claude/settings.json": json.dumps(hook)}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def settings(root: Path) -> PluginReport:
    """Return the unit of Claude Code's settings in a working folder."""
    inventory, _ = scan_with(RuleSet((), ""), root)
    return next(one for one in inventory.plugins if one.plugin.system == "claude-code")


@pytest.mark.parametrize("name", CASES)
def test_a_change_in_what_a_script_loads_changes_the_receipt(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    make(tmp_path, case.command, {case.changed: HARMLESS, **case.files})
    before = settings(tmp_path)
    with (tmp_path / case.changed).open("a") as file:
        file.write("print('changed')\n")
    assert before.plugin.holds(case.changed)
    assert before.content_receipt != settings(tmp_path).content_receipt


def test_what_a_variable_of_the_settings_has_loaded_is_covered(tmp_path: Path) -> None:
    make(
        tmp_path,
        "node scripts/hook.js",
        {"scripts/hook.js": 'require("late");\n', "own/pre.js": "1;\n", "mods/late.js": "1;\n"},
    )
    path = tmp_path / ".claude" / "settings.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "env": {"NODE_OPTIONS": "-r ./own/pre.js", "NODE_PATH": "mods"}})
    )
    plugin = settings(tmp_path).plugin
    assert plugin.holds("own/pre.js")
    assert plugin.holds("mods/late.js")


@pytest.mark.parametrize("new", ["scripts/json.py", "scripts/json/__init__.py", "json.py"])
def test_a_new_file_that_goes_before_the_standard_library_changes_both_receipts(new: str, tmp_path: Path) -> None:
    make(tmp_path, "python3 scripts/hook.py", {HOOK: "import json\n"})
    before = settings(tmp_path)
    (tmp_path / new).parent.mkdir(exist_ok=True)
    (tmp_path / new).write_text(HARMLESS)
    after = settings(tmp_path)
    assert before.content_receipt != after.content_receipt
    assert before.capability_receipt != after.capability_receipt


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (HOOK, "import importlib, sys\nimportlib.import_module(sys.argv[1])\n"),
        (HOOK, "import subprocess, sys\nsubprocess.run([sys.argv[1]])\n"),
        (HOOK, "import sys\nexec(open(sys.argv[1]).read())\n"),
        ("scripts/hook.js", "require(process.argv[2]);\n"),
        ("scripts/hook.sh", '. "$1"\n'),
        ("scripts/hook.sh", '"$1" --version\n'),
        ("scripts/hook.txt", "import late\n"),
    ],
)
def test_a_script_that_makes_names_while_it_runs_is_unbound(path: str, text: str, tmp_path: Path) -> None:
    program = {"py": "python3", "js": "node", "sh": "bash", "txt": "python3"}[path.rpartition(".")[2]]
    make(tmp_path, f"{program} {path}", {path: text})
    rows = {(one.capability, one.object) for one in settings(tmp_path).capabilities}
    assert ("code.unbound", "workspace") in rows


@pytest.mark.parametrize("limit", ["leads.MAX_BOUND_LOOKS", "leads.MAX_BOUND_LOOKS_IN_TREE", "binding.MAX_BOUND_FILES"])
def test_names_that_lead_to_more_than_is_followed_are_unbound(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"plugseal.scan.linking.{limit}", 3)
    chain = {f"scripts/m{n}.py": f"import m{n + 1}\n" for n in range(9)}
    make(tmp_path, "python3 scripts/m0.py", chain)
    assert ("code.unbound", "workspace") in {(one.capability, one.object) for one in settings(tmp_path).capabilities}


@pytest.mark.parametrize("language", ["python", "javascript", "shell", "Ruby"])
@pytest.mark.parametrize("part", [b"import (\n", b"from" + b" " * 30, b"a.", b".py", b"a/", b"require(", b"npm -a "])
def test_no_text_makes_its_names_slow(part: bytes, language: str) -> None:
    tree = TreeNames([Entry("a.py", EntryKind.FILE, 1, False, None), Entry("a", EntryKind.DIRECTORY, 0, False, None)])
    assert isinstance(names_of(language, part * (500_000 // len(part)), tree), Named)


def test_a_script_that_names_all_it_loads_is_bound(tmp_path: Path) -> None:
    make(tmp_path, "python3 scripts/hook.py", {HOOK: "import helper\n", "scripts/helper.py": HARMLESS})
    assert all(one.capability != "code.unbound" for one in settings(tmp_path).capabilities)


def test_what_no_script_loads_changes_no_receipt(tmp_path: Path) -> None:
    files = {HOOK: "import helper\n", "scripts/helper.py": HARMLESS, "scripts/other.py": HARMLESS, "README.md": "A.\n"}
    make(tmp_path, "python3 scripts/hook.py", files)
    before = settings(tmp_path)
    (tmp_path / "scripts" / "other.py").write_text("print('changed')\n")
    (tmp_path / "README.md").write_text("B.\n")
    assert before.content_receipt == settings(tmp_path).content_receipt


@pytest.mark.parametrize(
    ("link", "target"), [("scripts/helper.py", "../elsewhere/helper.py"), ("scripts/pkg", "../elsewhere")]
)
@pytest.mark.parametrize("text", ["import helper\n", "from pkg import helper\n", "import os\nfrom pkg import helper\n"])
def test_what_is_loaded_through_a_link_gets_no_receipt(text: str, link: str, target: str, tmp_path: Path) -> None:
    make(tmp_path, "python3 scripts/hook.py", {HOOK: text, "elsewhere/helper.py": HARMLESS})
    (tmp_path / link).symlink_to(target)
    is_loaded = "pkg" in text or link.endswith(".py")
    assert (settings(tmp_path).content_receipt is None) is is_loaded


def test_what_loaded_files_can_do_stands_in_the_report(tmp_path: Path) -> None:
    helper = "import subprocess\nsubprocess.run(['curl', 'https://a.example'])\n"
    make(tmp_path, "python3 scripts/hook.py", {HOOK: "import helper\n", "scripts/helper.py": helper})
    assert ("process.exec", "curl") in {(one.capability, one.object) for one in settings(tmp_path).capabilities}


def test_the_token_of_before_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    work = tmp_path / "work"
    make(work, "python3 scripts/hook.py", {HOOK: "import helper\n", "scripts/helper.py": HARMLESS})
    monkeypatch.chdir(work)
    assert main(["review", str(work), "--quiet"]) == 0
    token = capsys.readouterr().out.strip()
    (work / "scripts" / "helper.py").write_text("print('changed')\n")
    assert main(["trust", str(work), token]) != 0
    (work / "scripts" / "helper.py").write_text(HARMLESS)
    assert main(["trust", str(work), token]) == 0
    capsys.readouterr()
    assert main(["list", str(work), "--format", "json"]) == 0
    assert [one["state"] for one in json.loads(capsys.readouterr().out)["plugins"]] == ["trusted"]
    (work / "scripts" / "helper.py").write_text("print('changed')\n")
    assert main(["list", str(work), "--format", "json"]) == 0
    assert [one["state"] for one in json.loads(capsys.readouterr().out)["plugins"]] != ["trusted"]

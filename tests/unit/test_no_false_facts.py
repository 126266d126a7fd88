"""Facts that readers once told wrongly, each with what is true of the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.registry import reader_named
from plugseal.verbs.scan import scan_path

_BATS = '#!/usr/bin/env bats\nload helper\n@test "a" {\n  assert_deny\n  run rm x\n}\n'
_CHECK = 'check() { local label="$1"; shift; if "$@"; then echo "$label"; fi; }\n'
_SKIP = 'skip() { while [ $# -gt 2 ]; do shift; done; "$@"; }\n'
_IMPORTS = (
    "import OpenAI from 'openai';\nimport { fork } from 'child_process';\nimport { Worker } from 'worker_threads';\n"
)


def _facts(language: str, name: str, text: str) -> set[tuple[int, str, str | None, str]]:
    found = reader_named(language).read(text.encode(), Context(name, Interest(), frozenset())).facts
    return {(fact.span.line, fact.capability, fact.object, fact.resolution) for fact in found}


@pytest.mark.parametrize(
    ("language", "name", "text", "line", "facts"),
    [
        pytest.param(
            "shell",
            "a.sh",
            _CHECK + "check .gitignore rm -rf x\n",
            2,
            {("process.exec", "rm", "direct"), ("fs.delete", "x", "direct")},
            id="a function leaves out its first argument",
        ),
        pytest.param(
            "shell",
            "a.sh",
            _SKIP + "skip -a wc x\n",
            2,
            {("process.exec", "wc", "possible")},
            id="nobody knows how many it leaves out",
        ),
        pytest.param(
            "shell",
            "a.bats",
            _BATS,
            4,
            {("process.exec", "assert_deny", "possible")},
            id="a helper of a test",
        ),
        pytest.param(
            "shell",
            "a.bats",
            _BATS,
            5,
            {("process.exec", "rm", "direct"), ("fs.delete", "x", "direct")},
            id="what a test runs",
        ),
        pytest.param("shell", "a.bats", _BATS, 3, set(), id="the words of a test are no programs"),
        pytest.param(
            "shell",
            "a.sh",
            'P="a b"\nfor x in $P; do rm "/srv/$x/e"; done\n',
            2,
            {(c, f"/srv/{x}/e", "possible") for c in ("fs.delete", "path.outside") for x in "ab"}
            | {("process.exec", "rm", "direct")},
            id="each word of a variable",
        ),
        pytest.param(
            "javascript",
            "a.mjs",
            "import fs from 'fs';\nfs.readFileSync(new URL('../w/x.js', import.meta.url));\n",
            2,
            {("fs.read", "*/../w/x.js", "direct")},
            id="a file beside the module",
        ),
        pytest.param(
            "javascript", "a.js", "import Image from 'next/image';\n", 1, set(), id="a part that starts no server"
        ),
        pytest.param(
            "javascript",
            "a.js",
            "fetch(`http://127.0.0.1:${port}/x`);\n",
            1,
            {("net.outbound", "127.0.0.1", "direct")},
            id="a host whose port is not known",
        ),
        pytest.param(
            "javascript",
            "a.js",
            _IMPORTS + "const f = (opts) => new OpenAI(opts);\n",
            4,
            {("net.outbound", None, "resolved")},
            id="options that may name another host",
        ),
        pytest.param(
            "javascript",
            "a.js",
            _IMPORTS + "const f = () => new OpenAI();\n",
            4,
            {("net.outbound", "api.openai.com", "resolved")},
            id="no options",
        ),
        pytest.param(
            "javascript",
            "a.js",
            _IMPORTS + "fork('./worker.js');\n",
            4,
            {("process.exec", "node", "direct")},
            id="a file of the tree in a process of its own",
        ),
        pytest.param(
            "javascript", "a.js", _IMPORTS + "new Worker('./w.js');\n", 4, set(), id="a file of the tree in a thread"
        ),
        pytest.param(
            "javascript",
            "a.js",
            "require('fs').mkdtempSync('out/a-');\n",
            1,
            {("fs.write", "out/a-*", "resolved")},
            id="a folder whose name is completed",
        ),
        pytest.param(
            "python", "a.py", "def f(frame):\n    return frame.f_locals.get('self')\n", 2, set(), id="a local's name"
        ),
        pytest.param(
            "python",
            "a.py",
            "def f(frame):\n    return frame.f_globals.get('os')\n",
            2,
            {("code.reflective", None, "resolved")},
            id="a module's name",
        ),
        pytest.param(
            "python",
            "a.py",
            "open('/tmp/x/.git/hooks/pre-commit', 'w')\n",
            1,
            {
                ("fs.write", "/tmp/x/.git/hooks/pre-commit", "direct"),
                ("path.outside", "/tmp/x/.git/hooks/pre-commit", "direct"),
            },
            id="nothing starts from a temporary folder",
        ),
    ],
)
def test_a_line_says_what_is_true_of_it(
    language: str, name: str, text: str, line: int, facts: set[tuple[str, str | None, str]]
) -> None:
    assert {fact[1:] for fact in _facts(language, name, text) if fact[0] == line} - {
        ("fs.read", "x", "possible")
    } == facts


def test_what_another_machine_runs_is_only_possible(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text('#!/bin/sh\nssh "$H" "python3 -c \\"open(\'/srv/x\',\'w\')\\""\n')
    facts = [fact for _, fact in scan_path(tmp_path).facts if fact.channel == "nested"]

    assert facts
    assert {fact.resolution for fact in facts} == {"possible"}


@pytest.mark.parametrize(
    ("file", "runs"),
    [
        pytest.param("skills/a/SKILL.md", True, id="a skill"),
        pytest.param("commands/a.md", True, id="a command"),
        pytest.param("skills/a/references/b.md", False, id="what a skill refers to"),
    ],
)
def test_only_files_that_a_client_loads_run_commands_before_they_are_read(
    tmp_path: Path, file: str, *, runs: bool
) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("---\nname: a\ndescription: b\n---\nState: !`git status`\n")

    assert any(fact.capability == "autorun" for _, fact in scan_path(tmp_path).facts) is runs


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("rm -rf '/tmp/${_}/a'\n", "/tmp/*/a", id="in single quotes"),
        pytest.param("d=/tmp/$(date)\ntrap \"rm -rf '$d'\" EXIT\n", "/tmp/*", id="in a text that is run later"),
    ],
)
def test_what_is_not_known_of_a_path_is_a_star(tmp_path: Path, text: str, path: str) -> None:
    (tmp_path / "a.sh").write_text(f"#!/bin/sh\n{text}")

    assert {fact.object for _, fact in scan_path(tmp_path).facts if fact.capability == "fs.delete"} == {path}


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        pytest.param("settings.json", True, id="the settings"),
        pytest.param("settings.local.json", True, id="those of one user"),
        pytest.param("settings*", True, id="any of them"),
        pytest.param("settings.json.bak", False, id="a copy that no client reads"),
    ],
)
def test_settings_persist_and_copies_of_them_do_not(tmp_path: Path, name: str, *, starts: bool) -> None:
    (tmp_path / "a.sh").write_text(f"#!/bin/sh\ncp x ~/.claude/{name}\n")

    assert any(fact.capability == "persistence" for _, fact in scan_path(tmp_path).facts) is starts


def test_a_path_that_begins_as_null_is_not_called_undefined() -> None:
    text = "const o = { file: null };\nfs.readFileSync(path.resolve(o.file));\n"
    found = _facts("javascript", "a.js", f"const fs = require('fs'), path = require('path');\n{text}")

    assert {fact for fact in found if fact[1] == "fs.read"} == {(3, "fs.read", None, "direct")}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_requirement_in_a_comment_is_a_fact_about_the_whole_script(line_end: str) -> None:
    text = '# first\n# /// script\n# dependencies = [\n#   "a<3",\n#   "b\\u0031",\n# ]\n# ///\n'.replace(
        "\n", line_end
    )
    found = {(fact[0], fact[2]) for fact in _facts("python", "a.py", text) if fact[1] == "code.fetched"}

    assert found == {(0, "a<3"), (0, "b1")}


def test_services_of_containers_have_their_own_endpoints_and_passwords(tmp_path: Path) -> None:
    given = "{ANTHROPIC_BASE_URL: http://proxy:4000, API_KEY: sk-a-b-c-d-e-f1}"
    (tmp_path / "compose.yml").write_text(f"services:\n  a:\n    image: x:1\n    environment: {given}\n")

    result = scan_path(tmp_path)
    assert not result.findings
    assert {fact.object for _, fact in result.facts if fact.capability == "code.fetched"} == {"x:1"}


def test_a_step_that_begins_with_a_comment_is_named_by_its_program(tmp_path: Path) -> None:
    (tmp_path / ".github/workflows").mkdir(parents=True)
    step = "      - run: |\n          # first\n\n          # second\n          npm ci\n"
    text = f"on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n{step}"
    (tmp_path / ".github/workflows/a.yml").write_text(text)

    found = {fact.object for _, fact in scan_path(tmp_path).facts if fact.capability == "process.shell"}
    assert found - {None} == {"npm"}


def test_more_lines_than_are_named_are_unknown() -> None:
    calls = "".join(f"run('{name} x');" for name in "abcdef")
    text = f"const cp = require('child_process');\nfunction run(line) {{ cp.execSync(line); }}\n{calls}\n"
    found = {fact[2] for fact in _facts("javascript", "a.js", text) if fact[1] == "process.shell"}

    assert found == {"a", "b", "c", "d", None}


def test_a_call_gives_what_its_own_arguments_make() -> None:
    paths = "import { readdirSync } from 'fs';\nimport { join } from 'path';\n"
    text = "const of = (root) => join(root, 'x');\nof(join('a', 'b'));\nreaddirSync(of(join('a', 'c')));\n"
    found = {fact[2] for fact in _facts("javascript", "a.mjs", paths + text) if fact[1] == "fs.read"}

    assert found == {"a/c/x"}


def test_variables_that_an_object_brings_are_set_and_not_read() -> None:
    text = "Object.assign(process.env, { A_KEY: 'x', ...more });\nconst all = Object.assign({}, process.env);\n"
    found = {fact[:3] for fact in _facts("javascript", "a.js", text)}

    assert found == {(1, "env.write", "A_KEY"), (1, "env.write", None), (2, "env.bulk", None)}


@pytest.mark.parametrize(
    ("key", "is_told"),
    [
        pytest.param("Symbol.for('a')", False, id="a symbol of all"),
        pytest.param("Symbol('a')", False, id="a symbol of its own"),
        pytest.param("name()", True, id="whatever a function gives"),
    ],
)
def test_under_a_symbol_stands_no_known_function(key: str, *, is_told: bool) -> None:
    text = f"const KEY = {key};\nfunction state() {{ return globalThis[KEY]; }}\n"

    assert any(fact[1] == "code.reflective" for fact in _facts("javascript", "a.js", text)) is is_told


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        pytest.param("trap 'rm -rf \"$WORK\"' EXIT", {("fs.delete", "/tmp/*")}, id="what the script sets before"),
        pytest.param("trap 'rm -f \"$LATER\"' EXIT", {("fs.delete", "x")}, id="what it sets afterwards"),
        pytest.param('eval \'rm "$WORK" "$KEY"\'', {("fs.delete", "/tmp/*"), ("env.read", "KEY")}, id="and others"),
    ],
)
def test_a_line_for_the_same_shell_has_its_variables(tmp_path: Path, line: str, facts: set[tuple[str, str]]) -> None:
    (tmp_path / "a.sh").write_text(f'WORK="$(mktemp -d)"\n{line}\nLATER=x\n')
    found = {(fact.capability, fact.object) for _, fact in scan_path(tmp_path).facts if fact.channel == "nested"}

    assert {one for one in found if one[0] in ("fs.delete", "env.read") and one[1]} == facts


def test_a_line_of_a_crontab_runs_what_stands_behind_the_times() -> None:
    found = {fact[:3] for fact in _facts("shell", "a.sh", "*/5 9-17 * * mon-fri rm -rf build\n")}

    assert found == {(1, "process.exec", "rm"), (1, "fs.delete", "build")}


@pytest.mark.parametrize("line", ["tar czf out src lib ~/.ssh/id_rsa", "scp aaa bbb ccc ddd h:/x", "1 " * 9_000])
def test_words_of_three_letters_are_no_times(line: str) -> None:
    found = {fact[2] for fact in _facts("shell", "a.sh", line + "\n") if fact[1] == "process.exec"}

    assert found == {line.split()[0]}


def test_arguments_of_a_command_are_no_variable_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".claude/commands").mkdir(parents=True)
    (tmp_path / ".claude/commands/a.md").write_text('---\ndescription: b\n---\n!`node x.js -- "$ARGUMENTS"`\n')

    assert not [fact for _, fact in scan_path(tmp_path).facts if fact.capability == "env.read"]


def test_words_behind_a_command_of_parallel_are_its_arguments() -> None:
    found = {fact[:3] for fact in _facts("shell", "a.sh", "parallel --link echo ::: A B ::: 1 2\n")}

    assert found == {(1, "process.exec", "parallel"), (1, "process.shell", "echo")}


def test_a_script_in_a_list_of_arguments_stands_where_it_is_written(tmp_path: Path) -> None:
    step = (
        "steps:\n  - name: alpine:3\n    entrypoint: sh\n    args:\n      - -c\n      - |\n        ls\n        rm x\n"
    )
    (tmp_path / "cloudbuild.yaml").write_text(step)
    found = {(fact.span.line, fact.channel) for _, fact in scan_path(tmp_path).facts if fact.capability == "fs.delete"}

    assert found == {(6, "manifest"), (8, "nested")}


def test_a_script_for_both_systems_is_read_by_each_in_its_own_part(tmp_path: Path) -> None:
    lines = [": << 'END'", "@echo off", "del a.txt", "exit /b", "END", "", "# a shell goes on here", "rm b.txt"]
    (tmp_path / "run.cmd").write_text("\n".join(lines) + "\n")
    found = {(fact.span.line, fact.capability, fact.object) for _, fact in scan_path(tmp_path).facts}

    assert {(3, "fs.delete", "a.txt"), (8, "fs.delete", "b.txt"), (8, "process.exec", "rm")} <= found
    assert not [fact for fact in found if fact[0] in (5, 7)]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param('A="${1:-}"\nrm "$A/x"\n', "*/x", id="what is given or nothing"),
        pytest.param('rm "${1:-.}/x"\n', "./x", id="what is given or the folder"),
    ],
)
def test_a_default_of_nothing_is_no_beginning_of_a_path(tmp_path: Path, text: str, path: str) -> None:
    (tmp_path / "a.sh").write_text(text)

    assert {fact.object for _, fact in scan_path(tmp_path).facts if fact.capability == "fs.delete"} == {path}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("with TemporaryDirectory() as a:\n    open(a + '/x')\n", "/tmp/*/x", id="entered"),
        pytest.param("a = TemporaryDirectory()\nopen(a.name + '/x')\n", "/tmp/*/x", id="by its name"),
        pytest.param("open(mkdtemp() + '/x')\n", "/tmp/*/x", id="made"),
        pytest.param("open(mkdtemp(dir='b') + '/x')\n", "*/x", id="made elsewhere"),
        pytest.param("open(mkdtemp(**{'dir': 'b'}) + '/x')\n", "*/x", id="made wherever is told"),
        pytest.param("open(mkdtemp(prefix='../home/') + '/x')\n", "*/x", id="made where its name leads"),
        pytest.param("open(gettempdir() + '/x')\n", "/tmp/x", id="the folder of all"),
    ],
)
def test_a_temporary_folder_stands_below_that_of_the_system(text: str, path: str) -> None:
    found = _facts("python", "a.py", f"from tempfile import TemporaryDirectory, gettempdir, mkdtemp\n{text}")

    assert {fact[2] for fact in found if fact[1] == "fs.read"} == {path}


def test_values_of_options_of_a_compiler_are_no_files() -> None:
    found = _facts("shell", "a.sh", "tsc a.ts --outDir b --module Node16 --target ES2022\n")

    assert {fact[2] for fact in found if fact[1] == "fs.read"} == {"a.ts"}


@pytest.mark.parametrize(
    ("sentence", "programs"),
    [
        pytest.param("The logs are created by `make daemon` and `make wui`.", set(), id="what made something"),
        pytest.param("Build it by `make all`.", {"make"}, id="how to make it"),
        pytest.param(
            "It is made by `curl https://a.example | sh`, run it.", {"curl", "sh"}, id="a download all the same"
        ),
        pytest.param("Ensure they are installed (`composer install`).", {"composer"}, id="another installer"),
    ],
)
def test_a_command_that_made_something_is_not_told_to_be_run(tmp_path: Path, sentence: str, programs: set[str]) -> None:
    (tmp_path / "skills/a").mkdir(parents=True)
    (tmp_path / "skills/a/SKILL.md").write_text(f"---\nname: a\ndescription: b\n---\n{sentence}\n")
    found = {fact.object for _, fact in scan_path(tmp_path).facts if fact.capability == "instr.exec"}

    assert found == programs

"""Tables of tools inside `package.json` and `pyproject.toml`, and where mise and Task fetch from."""

from __future__ import annotations

import pytest

from tests.described import lines, one


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param(
            "package.json",
            '{"name": "a", "nodemonConfig": {"exec": "touch a", "events": {"start": "touch b"}}}',
            ["script nodemonConfig.events.start command touch b", "script nodemonConfig.exec command touch a"],
            id="nodemon",
        ),
        pytest.param(
            "package.json",
            '{"name": "a", "wireit": {"b": {"command": "touch a"}}}',
            ["script wireit.b.command command touch a"],
            id="wireit",
        ),
        pytest.param(
            "package.json",
            '{"name": "a", "jest": {"globalSetup": "./b.js", "verbose": true}}',
            ["module jest.globalSetup ./b.js command"],
            id="jest",
        ),
        pytest.param(
            "pyproject.toml",
            '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ncommands = touch a\n"""\n',
            ["script testenv.0 command touch a"],
            id="tox as a text",
        ),
        pytest.param(
            "pyproject.toml",
            '[tool.tox.env_run_base]\ncommands = [["touch", "a"]]\n',
            ["script tool.tox.env_run_base.commands.0 command touch a"],
            id="tox as a table",
        ),
        pytest.param(
            "pyproject.toml",
            '[tool.cibuildwheel]\nbefore-all = "touch a"\n[tool.cibuildwheel.linux]\nbefore-build = "touch b"\n',
            [
                "script tool.cibuildwheel.before-all command touch a",
                "script tool.cibuildwheel.linux.before-build command touch b",
            ],
            id="cibuildwheel",
        ),
        pytest.param(
            "pyproject.toml",
            '[tool.pixi.feature.a.tasks]\nb = "touch a"\n',
            ["script tool.pixi.feature.a.tasks.b command touch a"],
            id="pixi",
        ),
        pytest.param(
            "Taskfile.yml",
            "version: '3'\nincludes: {b: 'https://a.invalid/b.yml'}\n"
            "tasks:\n  a:\n    vars: {X: {sh: touch a}}\n    cmds: [touch b]\n",
            [
                "script a vars X command touch a",
                "script a.0 command touch b",
                "source include b command https://a.invalid/b.yml",
            ],
            id="variables of one task",
        ),
        pytest.param(
            "mise.toml",
            '[plugins]\na = "https://a.invalid/b"\n[alias]\nnode = "asdf:https://a.invalid/c"\n[tools]\n'
            '"vfox:o/d" = "1"\nnode = "20"\n',
            [
                "source alias node install https://a.invalid/c",
                "source plugins a install https://a.invalid/b",
                "source tools vfox:o/d install",
            ],
            id="mise",
        ),
        pytest.param(
            ".overcommit.yml",
            "PreCommit:\n  A:\n    enabled: true\n    command: [touch, a]\n",
            ["script PreCommit.A.command hook:pre-commit touch a"],
            id="overcommit",
        ),
    ],
)
def test_what_a_table_runs(name: str, text: str, expected: list[str]) -> None:
    assert sorted(lines(one({name: text}, "tooling"))) == expected

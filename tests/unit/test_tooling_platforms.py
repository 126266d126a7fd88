"""Further platforms, builders and generators: what their files run, load and fetch, and whose files they are not."""

from __future__ import annotations

from typing import Final

import pytest

from plugseal.systems.tooling.names import kind_of_file
from tests.described import described, lines

CASES: Final = {
    "steps of Cirrus by their suffix": (
        ".cirrus.yml",
        "task:\n  container: {image: 'alpine:3'}\n  build_script: make\n",
        ["script task.build_script unknown make", "source task.container.image alpine:3 unknown"],
    ),
    "a step of Bitrise": (
        "bitrise.yml",
        "workflows: {a: {steps: [{script@1: {inputs: [{content: make}]}}]}}\n",
        ["script workflows.a.steps.0.script@1.inputs.0.content unknown make"],
    ),
    "a build of Read the Docs": (
        ".readthedocs.yaml",
        "version: 2\nbuild: {os: a, jobs: {post_install: [make]}}\npython: {install: [{requirements: r.txt}]}\n",
        ["script build.jobs.post_install.0 unknown make"],
    ),
    "a first boot, by lines and by words": (
        "cloud-init.yaml",
        "runcmd:\n  - make\n  - [sh, -c, id]\nwrite_files: []\n",
        ["script runcmd.0 start make", "script runcmd.1 start sh -c id"],
    ),
    "an application that pm2 starts": (
        "ecosystem.json",
        '{"apps": [{"script": "./a.sh", "interpreter": "bash"}], "deploy": {"p": {"post-deploy": "make"}}}',
        [
            "script apps.0.interpreter command bash",
            "script apps.0.script command ./a.sh",
            "script deploy.p.post-deploy command make",
        ],
    ),
    "plug-ins of a language server": (
        "tsconfig.json",
        '{"compilerOptions": {"plugins": [{"name": "./a"}], "paths": {"run": ["x"]}}, "include": ["src"]}',
        ["module compilerOptions.plugins.0.name ./a open"],
    ),
    "hooks of a release": (
        ".goreleaser.yaml",
        "before: {hooks: [go generate]}\nsigns: [{cmd: cosign, args: [a]}]\n",
        ["script before.hooks.0 command go generate", "script signs.0.cmd command cosign a"],
    ),
    "settings of a linter, added from here and from elsewhere": (
        ".rubocop.yml",
        "require: [a]\ninherit_from: [.rubocop_todo.yml, 'https://a.example/b.yml']\nBundler/Run: {Enabled: true}\n",
        [
            "module require a command",
            "source inherit_from https://a.example/b.yml command https://a.example/b.yml",
        ],
    ),
    "a preprocessor of a book": (
        "book.toml",
        '[preprocessor.a]\ncommand = "make"\n',
        ["script preprocessor.a.command command make"],
    ),
    "what a package runs when it is installed": (
        "shard.yml",
        "name: a\nscripts: {postinstall: make}\n",
        ["script scripts.postinstall install make"],
    ),
    "a build of an editor": (
        "a.sublime-build",
        '{"shell_cmd": "make", "variants": [{"name": "b", "cmd": ["sh", "a"]}]}',
        ["script shell_cmd command make", "script variants.0.cmd command sh a"],
    ),
    "a project of another tool": ("project.yml", "name: a\nlanguages: [python]\n", []),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_file_runs_is_described(name: str) -> None:
    file, text, expected = CASES[name]
    found = [line for plugin in described({file: text}, "tooling") for line in lines(plugin)]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("compose.prod.yml", "container.compose"),
        ("docker-compose-dev.yaml", "container.compose"),
        ("docker-compose.test.d/x.yml", None),
        ("decompose.a.yml", None),
        (".serena/project.yml", None),
        ("ios/project.yml", "checks.xcodegen"),
    ],
)
def test_whose_a_file_is(path: str, expected: str | None) -> None:
    assert kind_of_file(path) == expected

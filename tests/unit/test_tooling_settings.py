"""Settings of build servers, platforms, checkers and editors: what they run, load and fetch, what is passed over."""

from __future__ import annotations

from typing import Final

import pytest

from plugseal.lang.classify import CONFIGURATION, TOOL_DATA, classify
from plugseal.systems.tooling.keys import Keys, _parse
from plugseal.systems.tooling.names import NAMES, kind_of_file
from tests.described import described, lines, one

CASES: Final = {
    "a job of GitLab, with what it includes": (
        ".gitlab-ci.yml",
        "include: {remote: 'https://ci.example.invalid/a.yml'}\ntest:\n  script: [make, 'sh a.sh']\n  when: manual\n",
        [
            "script test.script.0 unknown make",
            "script test.script.1 unknown sh a.sh",
            "source include.remote https://ci.example.invalid/a.yml unknown https://ci.example.invalid/a.yml",
        ],
    ),
    "steps of AppVeyor in several shells": (
        "appveyor.yml",
        "build_script:\n  - make\n  - ps: Get-Item a\n  - cmd: dir\n",
        [
            "script build_script.0 unknown make",
            "script build_script.1.ps unknown Get-Item a",
            "script build_script.2.cmd unknown dir",
        ],
    ),
    "a deployment of Fly": (
        "fly.toml",
        "[deploy]\nrelease_command = 'migrate'\n[processes]\nweb = 'serve'\n",
        ["script deploy.release_command unknown migrate", "script processes.web unknown serve"],
    ),
    "a platform's file of processes": (
        "Procfile",
        "web: node a.js\n\n# not a process\n",
        ["script web unknown node a.js"],
    ),
    "commands of Firebase, one or several": (
        "firebase.json",
        '{"hosting": {"predeploy": ["npm run build"]}, "functions": [{"predeploy": "npm test"}]}',
        ["script functions.0.predeploy command npm test", "script hosting.predeploy.0 command npm run build"],
    ),
    "an app's file of another kind": ("app.json", '{"title": "Sample", "run": "x"}', []),
    "a project's file of another kind": ("project.json", '{"name": "sample", "scripts": {"a": "b"}}', []),
    "a list of what may be ignored": (
        ".lintstagedrc",
        "'*.py': ruff check\n",
        ["script *.py hook:pre-commit ruff check"],
    ),
    "what just itself gives to a shell": (
        "justfile",
        (
            "x := `make x`\ny := ```\n  make y\n```\nz := shell('make z')\n"
            "a v=`make v`: (b `make w`)\n  echo {{ `make u` }}\n"
        ),
        [
            "script a command echo {{ `make u` }}",
            "script read command make x",
            "script read command make y",
            "script read command make z",
            "script read command make v",
            "script read command make w",
            "script read command make u",
        ],
    ),
    "what a package has run on staged files": (
        "package.json",
        '{"name": "a", "lint-staged": {"*.js": ["eslint", "sh a.sh"], "*.md": "sh b.sh", "*.x": [1, {}], "*.y": {}}}',
        [
            "script lint-staged *.js hook:pre-commit eslint",
            "script lint-staged *.js hook:pre-commit sh a.sh",
            "script lint-staged *.md hook:pre-commit sh b.sh",
        ],
    ),
    "release tools and their commands": (
        ".releaserc",
        '{"plugins": ["@semantic-release/npm", ["@semantic-release/exec", {"publishCmd": "./publish.sh"}]]}',
        [
            "module plugins @semantic-release/exec command",
            "module plugins @semantic-release/npm command",
            "script plugins.1.1.publishCmd command ./publish.sh",
        ],
    ),
    "a task of Nx": (
        "project.json",
        '{"targets": {"a": {"executor": "nx:run", "options": {"commands": ["make", {"command": "sh b.sh"}]}}}}',
        [
            "module targets.a.executor nx:run command",
            "script targets.a.options.commands.0 command make",
            "script targets.a.options.commands.1.command command sh b.sh",
        ],
    ),
    "scripts of Composer that an install runs": (
        "composer.json",
        '{"scripts": {"post-update-cmd": "php a.php", "lint": ["phpcs"]}}',
        ["script scripts.lint.0 command phpcs", "script scripts.post-update-cmd install php a.php"],
    ),
    "a shell of devbox": (
        "devbox.json",
        '{"shell": {"init_hook": ["echo hi"], "scripts": {"t": "make"}}}',
        ["script shell.init_hook.0 open echo hi", "script shell.scripts.t open make"],
    ),
    "a project of Sublime Text": (
        "a.sublime-project",
        '{"build_systems": [{"name": "b", "cmd": ["make", "-j"], "variants": [{"shell_cmd": "make run"}]}]}',
        ["script build_systems.0.cmd command make -j", "script build_systems.0.variants.0.shell_cmd command make run"],
    ),
    "a build of Cargo": (
        ".cargo/config.toml",
        "[build]\nrustc-wrapper = 'tools/w'\n[target.x]\nrunner = ['sh', 'r.sh']\n[alias]\nt = 'test'\n",
        ["script build.rustc-wrapper install tools/w", "script target.x.runner install sh r.sh"],
    ),
    "scripts of a test runner": (
        ".config/nextest.toml",
        "[scripts.setup.db]\ncommand = 'sh db.sh'\n[[profile.default.scripts]]\nsetup = 'db'\n",
        ["script scripts.setup.db.command command sh db.sh"],
    ),
    "what a generator of plugins reads": ("plugin/plugin.yaml", "api_version: v1\nname: a\ntargets: [claude]\n", []),
    "a start file of R": (".Rprofile", "1\n", ["script R .Rprofile open"]),
}


@pytest.mark.parametrize("name", CASES)
def test_settings_say_what_is_run(name: str) -> None:
    file, text, expected = CASES[name]
    plugins = described({file: text}, "tooling")
    assert [line for plugin in plugins for line in lines(plugin)] == expected
    assert not [fault for plugin in plugins for fault in plugin.faults]


def test_a_key_that_speaks_of_running_and_is_not_known_leaves_the_file_unread() -> None:
    plugin = one({"vercel.json": '{"buildCommand": "make", "warmUpCommand": "sh a.sh", "cleanUrls": true}'}, "tooling")
    assert plugin.unknown == (("vercel.json", "warmUpCommand"),)
    assert plugin.read == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a:\n  script: !reference [b, script]\n", "!reference"),
        ("spec: 1\n---\na:\n  script: make\n", "more than one document"),
    ],
)
def test_what_no_reader_of_data_takes_is_unread_and_no_fault(text: str, why: str) -> None:
    plugin = one({".gitlab-ci.yml": text, "package.json": '{"scripts": {"a": "b"}}'}, "tooling")
    assert (".gitlab-ci.yml", why) in plugin.unknown
    assert plugin.faults == ()


def test_a_watcher_and_a_task_of_a_project_run_unasked() -> None:
    run = '<configuration name="a b" type="x"><option name="SCRIPT_TEXT" value="echo &quot;hi&quot;"/></configuration>'
    files = {
        ".idea/runConfigurations/a_b.xml": run,
        ".idea/startup.xml": '<configurations><configuration name="a b" type="x"/></configurations>',
        ".idea/watcherTasks.xml": '<TaskOptions><option name="program" value="$ProjectFileDir$/w.sh"/></TaskOptions>',
        "w.sh": "echo\n",
    }
    assert lines(one(files, "tooling")) == [
        "script TaskOptions open w.sh",
        'script a b command echo "hi"',
        'script a b open echo "hi"',
    ]


def test_nesting_without_end_is_passed_over() -> None:
    deep = "[" * 60 + '"x"' + "]" * 60
    assert lines(one({"vercel.json": f'{{"buildCommand": "make", "x": {deep}}}'}, "tooling")) == [
        "script buildCommand unknown make"
    ]


def test_every_name_of_a_tool_has_a_reader() -> None:
    from plugseal.systems.tooling.system import _reader_of

    for name in NAMES:
        folder = ".devcontainer/" if "devcontainer" in name else "plugin/" if name == "plugin.yaml" else ""
        kind = kind_of_file(f"{folder}{name}")
        assert kind is not None
        assert callable(_reader_of(kind))


def test_a_table_of_keys_is_read_once() -> None:
    keys = Keys("line: a.b *.c", "none")
    assert _parse(keys.roles) is _parse(keys.roles)
    assert sorted(_parse(keys.roles).below) == ["*", "a"]


def test_descriptions_beside_a_marketplace_of_cursor_run_nothing() -> None:
    files = {
        ".cursor-plugin/marketplace.json": '{"name": "m", "owner": {"name": "o"}, "plugins": []}',
        ".cursor-plugin/plugins/a.json": '{"name": "a", "version": "1", "description": "d"}',
        ".cursor-plugin/plugins/b.json": '{"name": "b", "hooks": "./hooks.json"}',
    }
    plugin = one(files, "cursor")
    assert ".cursor-plugin/plugins/a.json" in plugin.read
    assert (".cursor-plugin/plugins/b.json", "hooks") in plugin.unknown


def test_servers_under_the_name_of_a_registrys_file_are_servers() -> None:
    plugin = one({"mcp/server.json": '{"mcpServers": {"a": {"command": "node", "args": ["a.js"]}}}'}, "mcp-config")
    assert lines(plugin) == ["server a start node a.js"]


def test_data_of_some_tool_is_unread_with_a_reason_that_says_so() -> None:
    assert classify(".sample/state.json", b"{}").reason == TOOL_DATA
    assert classify(".sample/hooks.json", b"{}").reason == CONFIGURATION

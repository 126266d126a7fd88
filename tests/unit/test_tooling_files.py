"""Repository tooling: which folder is a unit, what installs and builds run, and what somebody calls by name."""

from __future__ import annotations

import json

import pytest

from plugseal.scan.claims import manifest_facts
from tests.described import described, lines, one


def _package(**keys: object) -> str:
    return json.dumps({"name": "p", "version": "1.0.0", **keys})


def test_a_folder_in_which_a_tool_runs_something_is_a_unit_and_quiet_files_belong_to_the_one_above() -> None:
    found = described(
        {
            "package.json": _package(scripts={"postinstall": "echo"}),
            "packages/a/package.json": _package(scripts={"install": "echo"}),
            "packages/b/package.json": _package(),
            "packages/a/tests/conftest.py": "",
        },
        "tooling",
    )
    assert [(p.root, p.covers, p.read) for p in found] == [
        ("", ("package.json", "packages/b/package.json"), ("package.json", "packages/b/package.json")),
        ("packages/a", ("package.json", "tests/conftest.py"), ("package.json",)),
    ]


def test_quiet_files_alone_are_one_unit_that_says_what_was_read() -> None:
    plugin = one({"a/b/package.json": _package(), "c/pyproject.toml": ""}, "tooling")
    assert (plugin.root, plugin.components, plugin.read) == ("", (), ("a/b/package.json", "c/pyproject.toml"))


@pytest.mark.parametrize(
    ("name", "trigger"),
    [
        *[pytest.param(name, "install", id=name) for name in ("preinstall", "install", "postinstall", "prepare")],
        *[pytest.param(name, "install", id=name) for name in ("prepack", "postpack")],
        *[pytest.param(name, "command", id=name) for name in ("test", "build", "prebuild", "start", "preview")],
        pytest.param("prepublishOnly", "hook:publish", id="prepublishOnly"),
        pytest.param("pretest", "hook:test", id="pretest"),
        pytest.param("postversion", "hook:version", id="postversion"),
    ],
)
def test_a_script_of_a_package_runs_at_install_or_when_it_is_called(name: str, trigger: str) -> None:
    plugin = one({"package.json": _package(scripts={name: "node a.js"}), "a.js": ""}, "tooling")
    assert lines(plugin) == [f"script {name} {trigger} node a.js"]
    assert plugin.components[0].entry == "a.js"
    assert plugin.components[0].gate


def test_a_script_below_the_unit_runs_in_its_own_folder() -> None:
    files = {".devcontainer/devcontainer.json": '{"initializeCommand": "sh ./go.sh"}', "go.sh": "", "a/go.sh": ""}
    plugin = one(files, "tooling")
    assert (plugin.root, plugin.components[0].entry) == ("", "go.sh")


@pytest.mark.parametrize(
    ("version", "is_elsewhere"),
    [
        *[pytest.param(v, False, id=v) for v in ("^1.0.0", "latest", "workspace:*", "npm:x-cjs@1", "file:./x", "*")],
        *[
            pytest.param(v, True, id=v)
            for v in (
                *("git+https://a.invalid/x.git", "github:a/b", "a/b", "a/b#main", "https://a.invalid/x.tgz"),
                *("git@a.invalid:o/r.git", "npm:other@1", "file:../y", "link:../../y", "~/y"),
            )
        ],
    ],
)
def test_a_dependency_of_which_the_registry_knows_nothing_is_a_source(version: str, is_elsewhere: bool) -> None:
    plugin = one({"package.json": _package(dependencies={"x": version})}, "tooling")
    assert [component.kind.value for component in plugin.components] == (["source"] if is_elsewhere else [])


def _said(files: dict[str, str]) -> set[tuple[str, str | None]]:
    return {(fact.capability, fact.object) for _, fact in manifest_facts(one(files, "tooling"))}


_FETCHED = {
    "a repository in short": (
        {"dependencies": {"x": "github:a/b"}},
        {("net.outbound", "github.com"), ("code.fetched", "github:a/b"), ("autorun", "https://github.com/a/b")},
    ),
    "another package under a known name": (
        {"dependencies": {"known": "npm:other@1.0.0"}},
        {("code.obfuscated", "known"), ("code.fetched", "other@1.0.0"), ("autorun", "known")},
    ),
    "a folder outside": ({"devDependencies": {"x": "file:../y"}}, {("path.outside", "../y"), ("autorun", "x")}),
    "what stands for a dependency's own, deep down": (
        {"overrides": {"a": {"b": {"c": "https://a.invalid/c.tgz"}}}},
        {("net.outbound", "a.invalid"), ("autorun", "https://a.invalid/c.tgz")},
    ),
    "the same for pnpm": (
        {"pnpm": {"overrides": {"a>b": "https://a.invalid/c.tgz"}}},
        {("net.outbound", "a.invalid"), ("autorun", "https://a.invalid/c.tgz")},
    ),
    "the same for yarn": ({"resolutions": {"**/b": "git@a.invalid:o/r.git"}}, {("net.outbound", "a.invalid")}),
}


@pytest.mark.parametrize(("keys", "expected"), _FETCHED.values(), ids=_FETCHED)
def test_what_an_install_fetches_runs_there(keys: dict[str, object], expected: set[tuple[str, str | None]]) -> None:
    assert expected <= _said({"package.json": _package(**keys)})


_PROJECTS = {
    "a requirement with an address": "[project]\nname = 'p'\ndependencies = ['x @ git+https://a.invalid/x']\n",
    "what a build needs": "[build-system]\nrequires = ['setuptools', 'x @ https://a.invalid/x.zip']\n",
    "an extra": "[project.optional-dependencies]\ndev = ['x[y] @ https://a.invalid/x.zip ; python_version > \"3\"']\n",
    "a group": "[dependency-groups]\ndev = ['pytest', 'x @ https://a.invalid/x.zip']\n",
    "uv's sources": "[tool.uv.sources]\nx = {git = 'https://a.invalid/x'}\n",
    "several of them": "[tool.uv.sources]\nx = [{url = 'https://a.invalid/x.zip', marker = 'm'}]\n",
    "Poetry's table": "[tool.poetry.dependencies]\nx = {git = 'https://a.invalid/x.git', branch = 'b'}\n",
    "Poetry's group": "[tool.poetry.group.dev.dependencies]\nx = {url = 'https://a.invalid/x.zip'}\n",
}


@pytest.mark.parametrize("text", _PROJECTS.values(), ids=_PROJECTS)
def test_a_project_that_takes_a_package_from_a_place_runs_what_stands_there(text: str) -> None:
    said = _said({"pyproject.toml": text})
    assert ("net.outbound", "a.invalid") in said
    assert {"autorun", "code.fetched"} <= {capability for capability, name in said if name and "a.invalid" in name}


def test_settings_in_sections_name_places_too() -> None:
    text = "[options]\ninstall_requires =\n  y\n  x @ https://a.invalid/x.zip\ndependency_links = https://b.invalid/\n"
    assert {("net.outbound", "a.invalid"), ("net.outbound", "b.invalid")} <= _said({"setup.cfg": text})


def test_a_folder_of_the_project_is_no_source_and_one_outside_is() -> None:
    inside = "[tool.uv.sources]\nx = {path = 'libs/x', editable = true}\ny = {workspace = true}\n"
    assert _said({"pyproject.toml": inside}) == set()
    outside = "[tool.uv.sources]\nx = {path = '../../x'}\n"
    assert {("path.outside", "../../x"), ("autorun", "x")} <= _said({"pyproject.toml": outside})


def test_a_dependency_under_a_name_like_its_own_is_silent() -> None:
    assert _said({"package.json": _package(dependencies={"string-width-cjs": "npm:string-width@^4"})}) == set()


def test_options_that_load_code_run_at_install_and_others_only_set_a_variable() -> None:
    assert _said({".npmrc": "node-options=--require ./x.js\n"}) == {
        ("env.write", "NODE_OPTIONS"),
        ("code.dynamic", "NODE_OPTIONS"),
        ("autorun", "NODE_OPTIONS"),
    }
    assert _said({".npmrc": "node-options=--max-old-space-size=4096\n"}) == {("env.write", "NODE_OPTIONS")}


def test_another_registry_gives_what_runs_at_install_and_the_usual_one_does_not() -> None:
    assert ("autorun", "https://a.invalid/") in _said({".npmrc": "@x:registry=https://a.invalid/\n"})
    usual = _said({".npmrc": "registry=https://registry.npmjs.org/\n"})
    assert usual == {("net.outbound", "registry.npmjs.org")}


def test_an_unknown_key_of_a_package_is_named_and_a_comment_is_none() -> None:
    plugin = one({"package.json": _package(**{"runs-something": 1, "//": "a note"})}, "tooling")
    assert plugin.unknown == (("package.json", "runs-something"),)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("registry=https://a.invalid/", ["setting registry install https://a.invalid/"], id="a registry"),
        pytest.param(
            "@x:registry=https://a.invalid/",
            ["setting @x:registry install https://a.invalid/"],
            id="of a scope",
        ),
        pytest.param("ignore-scripts=false", ["setting ignore-scripts install"], id="scripts run"),
        pytest.param("ignore-scripts=true", [], id="scripts do not run"),
        pytest.param("script-shell=./sh", ["setting script-shell install ./sh"], id="a shell for scripts"),
        pytest.param("save-exact=true", [], id="nothing that runs"),
    ],
)
def test_settings_of_npm_redirect_and_run(line: str, expected: list[str]) -> None:
    plugin = one({".npmrc": line + "\n"}, "tooling")
    assert lines(plugin) == expected
    assert plugin.read == (".npmrc",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            '[build-system]\nbuild-backend = "b"\nbackend-path = ["."]',
            ["script build backend b install"],
            id="a backend of the folder",
        ),
        pytest.param(
            "[build-system]\nrequires = []",
            ["script build backend setuptools.build_meta:__legacy__ install"],
            id="the usual one",
        ),
        pytest.param(
            '[tool.pytest.ini_options]\naddopts = "-q -p evil"',
            ["setting pytest plugin evil import"],
            id="a plugin of the tests",
        ),
        pytest.param('[tool.poe.tasks]\nx = "echo"', ["script x command echo"], id="a task"),
        pytest.param(
            '[[tool.uv.index]]\nurl = "https://a.invalid"',
            ["setting uv.index install https://a.invalid"],
            id="a registry",
        ),
        pytest.param(
            '[tool.hatch.build.hooks.custom]\npath = "h.py"',
            ["script hatch build hook h.py install"],
            id="a hook of the build",
        ),
        pytest.param("[tool.ruff]\nline-length = 100", [], id="a tool that somebody calls"),
    ],
)
def test_a_python_project_shows_what_builds_and_tests_run(text: str, expected: list[str]) -> None:
    plugin = one({"pyproject.toml": text, "b.py": "", "h.py": ""}, "tooling")
    assert lines(plugin) == expected
    assert plugin.read == ("pyproject.toml",)
    assert [component.entry for component in plugin.components if "backend b" in component.name] in ([], ["b.py"])


@pytest.mark.parametrize(
    ("file", "trigger"),
    [
        pytest.param("setup.py", "install", id="setup.py"),
        pytest.param("conftest.py", "import", id="conftest.py"),
        pytest.param("sitecustomize.py", "import", id="sitecustomize.py"),
        pytest.param("usercustomize.py", "import", id="usercustomize.py"),
        pytest.param(".envrc", "open", id=".envrc"),
        pytest.param(".husky/pre-commit", "hook:pre-commit", id="a hook"),
        pytest.param(".githooks/post-merge", "hook:post-merge", id="a hook of another folder"),
        pytest.param("gradlew", "command", id="gradlew"),
    ],
)
def test_a_file_that_runs_by_itself_is_an_entry(file: str, trigger: str) -> None:
    (component,) = one({file: "x"}, "tooling").components
    assert (component.entry, component.trigger) == (file, trigger)
    assert component.gate


@pytest.mark.parametrize(
    ("files", "runs"),
    [
        pytest.param({"app/__init__.py": "", "app/setup.py": "def wizard(): ...\n"}, False, id="a module of a package"),
        pytest.param({"app/__init__.py": "", "app/setup.py": "from setuptools import setup\n"}, True, id="a build"),
        pytest.param({"app/setup.py": "import os\n"}, True, id="in a folder that is no package"),
        pytest.param({"__init__.py": "", "setup.py": "import os\n"}, True, id="at the top"),
    ],
)
def test_a_module_called_setup_is_no_build(files: dict[str, str], runs: bool) -> None:
    found = [c for plugin in described(files, "tooling") for c in plugin.components if c.trigger == "install"]
    assert bool(found) is runs


def test_lines_of_a_pth_that_begin_with_import_run() -> None:
    plugin = one({"x.pth": "# a\nimport os; os.x\n/path\nimportant\n"}, "tooling")
    assert lines(plugin) == ["script x.pth line 2 import python -c import os; os.x"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param('"sh a.sh"', [("initializeCommand", ("sh a.sh",), True)], id="a line"),
        pytest.param('["sh", "a.sh"]', [("initializeCommand", ("sh", "a.sh"), False)], id="words"),
        pytest.param(
            '{"x": "echo 1", "y": ["echo", "2"]}',
            [("initializeCommand x", ("echo 1",), True), ("initializeCommand y", ("echo", "2"), False)],
            id="several at once",
        ),
    ],
)
def test_the_command_on_the_host_has_three_forms(value: str, expected: list[tuple[str, tuple[str, ...], bool]]) -> None:
    plugin = one({".devcontainer/devcontainer.json": f'{{"initializeCommand": {value}}}', "a.sh": ""}, "tooling")
    assert [(c.name, c.command, c.shell) for c in plugin.components] == expected
    assert all("on the host" in component.gate for component in plugin.components)


def test_commands_inside_a_container_say_so() -> None:
    plugin = one({".devcontainer.json": '{"postCreateCommand": "sudo npm ci"}'}, "tooling")
    (component,) = plugin.components
    assert (component.transport, component.gate.rpartition("; ")[2]) == ("container", "runs inside it")


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        pytest.param("a:\n\t@echo 1\n\techo 2\n", ["script a command echo 1\necho 2"], id="lines"),
        pytest.param(
            'a:\n\tpython -c "\\\nimport sys; \\\nprint(1)"\nb:\n\tid\n',
            ['script a command python -c "\\\nimport sys; \\\nprint(1)"', "script b command id"],
            id="a line that goes on at the left",
        ),
        pytest.param("a: b ; echo 1\n", ["script a command echo 1"], id="on the line of the rule"),
        pytest.param("X := 1\nb: c\n", [], id="no recipe"),
        pytest.param("X := $(shell id)\n", ["script read command id"], id="run while it is read"),
        pytest.param(
            "a:\n\techo $(X) $$Y $(wildcard *.c)\n",
            ["script a command echo ${X} $Y ${wildcard}"],
            id="variables",
        ),
    ],
)
def test_recipes_of_a_makefile_are_lines_for_a_shell(recipe: str, expected: list[str]) -> None:
    assert [text for plugin in described({"Makefile": recipe}, "tooling") for text in lines(plugin)] == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {"Cargo.toml": "[package]\nname = 'p'\n", "build.rs": ""},
            ["script build script build.rs install"],
            id="a build script",
        ),
        pytest.param(
            {"Cargo.toml": "[package]\nbuild = 'b.rs'\n", "b.rs": ""},
            ["script build script b.rs install"],
            id="another one",
        ),
        pytest.param({"Cargo.toml": "[package]\nbuild = false\n", "build.rs": ""}, [], id="none"),
        pytest.param(
            {"Cargo.toml": "[dependencies]\nx = { git = 'https://a.invalid/x' }\ny = '1'\n"},
            ["source x install https://a.invalid/x"],
            id="a package of no registry",
        ),
        pytest.param(
            {".pylintrc": "[MAIN]\ninit-hook='import x'\n"},
            ["script pylint init-hook command python -c import x"],
            id="code of a linter",
        ),
        pytest.param(
            {"tox.ini": "[testenv]\ncommands =\n  pytest -q\n  -rm x\n"},
            ["script testenv.0 command pytest -q", "script testenv.1 command rm x"],
            id="tox",
        ),
    ],
)
def test_other_builders_and_checkers_are_read(files: dict[str, str], expected: list[str]) -> None:
    assert [text for plugin in described(files, "tooling") for text in lines(plugin)] == expected

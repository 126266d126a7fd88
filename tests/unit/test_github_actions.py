"""GitHub Actions: steps of workflows and actions, what they fetch and how surely, what they may do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.described import lines, one

_WORKFLOW = "on: [push, pull_request]\njobs:\n  a:\n    runs-on: x\n    steps:\n%s"
_COMMIT = "0123456789abcdef0123456789abcdef01234567"


def _steps(*steps: str) -> dict[str, str]:
    return {".github/workflows/ci.yml": _WORKFLOW % "".join(f"      - {step}\n" for step in steps)}


@pytest.mark.parametrize(
    ("step", "expected", "shell"),
    [
        pytest.param("run: npm test", ("npm test",), True, id="a line"),
        pytest.param("{run: 'print(1)', shell: python}", ("python", "-c", "print(1)"), False, id="another language"),
        pytest.param("{run: x, shell: bash}", ("x",), True, id="a shell by its name"),
        pytest.param("{run: x, shell: 'perl {0}'}", ("perl", "{0}", "x"), False, id="a program with a file"),
    ],
)
def test_a_step_runs_what_its_shell_makes_of_it(step: str, expected: tuple[str, ...], shell: bool) -> None:
    (component,) = one(_steps(step), "github-actions").components
    assert (component.command, component.shell, component.trigger) == (expected, shell, "unknown")
    assert component.gate == "none: the build server runs it on push, pull_request"


@pytest.mark.parametrize(
    ("what", "pinning"),
    [
        pytest.param(f"actions/checkout@{_COMMIT}", "exact", id="a commit"),
        pytest.param("actions/checkout@v4", "versioned", id="a tag"),
        pytest.param("actions/checkout@main", "versioned", id="a branch"),
        pytest.param(f"docker://a.invalid/x@sha256:{'0' * 64}", "exact", id="a digest"),
        pytest.param("docker://a.invalid/x", "floating", id="nothing"),
    ],
)
def test_what_a_step_uses_is_code_that_is_fetched(what: str, pinning: str) -> None:
    (component,) = one(_steps(f"uses: {what}"), "github-actions").components
    assert [(package.name, package.pinning) for package in component.packages] == [(what, pinning)]


def test_an_action_of_the_repository_itself_is_fetched_from_nowhere() -> None:
    (component,) = one(_steps("uses: ./.github/actions/x"), "github-actions").components
    assert component.packages == ()


@pytest.mark.parametrize(
    ("permissions", "granted"),
    [
        pytest.param("permissions: write-all", True, id="everything"),
        pytest.param("permissions: {contents: write}", True, id="one thing"),
        pytest.param("permissions: {contents: read}", False, id="reading"),
        pytest.param("permissions: {}", False, id="nothing"),
    ],
)
def test_what_a_workflow_may_write_is_a_grant(permissions: str, granted: bool) -> None:
    plugin = one({".github/workflows/a.yml": f"on: push\n{permissions}\njobs: {{}}\n"}, "github-actions")
    assert bool(plugin.components) == granted
    assert plugin.read == (".github/workflows/a.yml",)


def test_an_action_is_a_unit_and_another_document_of_its_name_is_none() -> None:
    files = {
        "a/action.yml": "name: x\ndescription: d\nruns: {using: node24, main: m.js}\n",
        "a/m.js": "",
        "b/action.yml": "something: else\n",
    }
    plugin = one(files, "github-actions")
    assert (plugin.root, lines(plugin), plugin.components[0].entry) == ("a", ["script main unknown node m.js"], "m.js")


def test_forms_of_the_site_are_read_and_run_nothing() -> None:
    files = {".github/ISSUE_TEMPLATE/bug.yml": "name: x\n", ".github/dependabot.yml": "version: 2\n"}
    plugin = one(files, "github-actions")
    assert (plugin.components, len(plugin.read)) == ((), 2)


def test_a_key_that_nobody_knows_is_named() -> None:
    plugin = one(_steps("{run: x, executes: y}"), "github-actions")
    assert [key for _, key in plugin.unknown] == ["jobs.a.steps.0.executes"]


def test_a_step_has_the_variables_of_its_job_and_its_workflow_the_nearest_first() -> None:
    workflow = (
        "on: push\nenv: {A: w, B: w}\njobs:\n  a:\n    env: {B: j, C: j}\n    steps:\n"
        "      - run: make\n        env: {C: s}\n      - run: make\n"
    )
    steps = one({".github/workflows/a.yml": workflow}, "github-actions").components
    assert [step.literals for step in steps] == [
        (("A", "w"), ("B", "j"), ("C", "s")),
        (("A", "w"), ("B", "j"), ("C", "j")),
    ]
    assert dict(steps[0].extra)["on"] == '["push"]'
    assert dict(steps[0].extra)["job"] == '"a"'


_PLACED = {
    "a line": ("run: |\n          echo\n          curl https://x.example.invalid", 8),
    "Python": (
        "shell: python\n        run: |\n          import os\n\n          os.system('curl https://x.example.invalid')",
        10,
    ),
    "a script for an action": (
        "uses: actions/github-script@v7\n        with:\n          script: |\n\n            fetch('https://x.example.invalid');",
        10,
    ),
}


@pytest.mark.parametrize(("step", "line"), _PLACED.values(), ids=_PLACED)
def test_what_a_step_runs_is_read_where_it_stands(tmp_path: Path, step: str, line: int) -> None:
    from plugseal.verbs.scan import scan_path

    for name, text in _steps(step).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    facts = [fact for _, fact in scan_path(tmp_path).facts if fact.object == "x.example.invalid"]
    assert line in {fact.span.line for fact in facts if fact.channel == "nested"}

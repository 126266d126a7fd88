"""Which files are a tool's, by their names; the kind says which reader describes one. Data and look-ups alone."""

from __future__ import annotations

from typing import Final

_KINDS: Final = {
    "package.json": "node.package",
    ".npmrc": "node.npmrc",
    ".yarnrc.yml": "node.yarnrc",
    "pnpm-workspace.yaml": "node.pnpm",
    "bunfig.toml": "node.bun",
    "binding.gyp": "node.gyp",
    "pyproject.toml": "python.project",
    "setup.py": "python.setup",
    "setup.cfg": "python.cfg",
    "pytest.ini": "python.cfg",
    "tox.ini": "python.cfg",
    ".flake8": "python.cfg",
    ".coveragerc": "python.cfg",
    ".pylintrc": "python.cfg",
    "pylintrc": "python.cfg",
    "mypy.ini": "python.cfg",
    "cargo.toml": "tasks.cargo",
    "conftest.py": "python.conftest",
    "sitecustomize.py": "python.start",
    "usercustomize.py": "python.start",
    "devcontainer.json": "container.dev",
    ".devcontainer.json": "container.dev",
    "docker-compose.yml": "container.compose",
    "docker-compose.yaml": "container.compose",
    "docker-compose.override.yml": "container.compose",
    "docker-compose.override.yaml": "container.compose",
    "compose.yml": "container.compose",
    "compose.yaml": "container.compose",
    ".envrc": "tasks.envrc",
    "makefile": "tasks.make",
    "gnumakefile": "tasks.make",
    "justfile": "tasks.just",
    ".justfile": "tasks.just",
    "taskfile.yml": "tasks.taskfile",
    "taskfile.yaml": "tasks.taskfile",
    "mise.toml": "tasks.mise",
    ".mise.toml": "tasks.mise",
    "mise.local.toml": "tasks.mise",
    ".tool-versions": "tasks.versions",
    "gradlew": "tasks.wrapper",
    "mvnw": "tasks.wrapper",
    ".pre-commit-config.yaml": "git.precommit",
    ".pre-commit-hooks.yaml": "git.provided",
    "lefthook.yml": "git.lefthook",
    "lefthook.yaml": "git.lefthook",
    ".lefthook.yml": "git.lefthook",
    ".lefthook.yaml": "git.lefthook",
}
NAMES: Final = frozenset(_KINDS)
"""Names of files, in lower case, that a tool looks for."""
SUFFIXES: Final = (".pth",)
FOLDERS: Final = (".husky", ".githooks", ".devcontainer")
"""Folders of a tool's own, below the folder that it works in."""
_WITHOUT_UNIT: Final = frozenset(
    {"python.conftest", "python.start", "python.pth", "python.cfg", "node.npmrc", "tasks.versions"}
)
"""Kinds that make no unit of their folder: they belong to the one above."""
_INERT_HOOKS: Final = (".md", ".txt", ".gitignore", ".json")


def kind_of_file(path: str) -> str | None:
    """Return the kind of a tool's file, None for every other."""
    *folders, name = path.split("/")
    kind = _KINDS.get(name.lower())
    if kind is not None:
        if folders[-1:] == [".opencode"]:
            return None  # The client itself installs that one.
        return None if kind == "container.dev" and not _is_dev(folders, name) else kind
    if name.endswith(SUFFIXES):
        return "python.pth"
    if folders and folders[-1] in (".husky", ".githooks") and not name.endswith(_INERT_HOOKS):
        return "git.hook"
    return None


def _is_dev(folders: list[str], name: str) -> bool:
    """Say whether a container's file stands where editors look: in `.devcontainer`, one folder below, or beside it."""
    return name.startswith(".") or ".devcontainer" in folders[-2:]


def is_anchor(path: str) -> bool:
    """Say whether a file makes its folder a unit of its own."""
    return kind_of_file(path) not in _WITHOUT_UNIT

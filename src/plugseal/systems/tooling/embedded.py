"""Tables of tools that stand in another tool's file: those of `package.json` and of `[tool]` in `pyproject.toml`.

A tool reads its table there as it reads its own file, so that the same keys run the same things.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component
from plugseal.systems.reading.reader import Document, Path, PluginReader, lookup
from plugseal.systems.tooling.checkers import TABLES
from plugseal.systems.tooling.keys import Keys, components_below

_CALLED: Final = "the user calls it"
_RELEASED: Final = "a release"
_AVA: Final = Keys("module: require\nquiet: files typescript", "a test run")
_TS_NODE: Final = Keys("module: require compiler transpiler swc", _CALLED)
_WIREIT: Final = Keys("line: *.command", _CALLED)
_RELEASE_IT: Final = Keys("line: hooks.*\nmodule: plugins\nquiet: npm git github gitlab", _RELEASED)
_BUILDER: Final = Keys(
    "module: afterPack afterSign afterAllArtifactBuild beforePack beforeBuild onNodeModuleFile\nquiet: *", "a build"
)
_WHEELS: Final = Keys(
    """
    line: before-all before-build before-test test-command repair-wheel-command
    line: *.before-all *.before-build *.before-test *.test-command *.repair-wheel-command
    line: overrides.*.before-all overrides.*.before-build overrides.*.before-test overrides.*.test-command
    environment: environment *.environment
    quiet: test-requires test-extras build-frontend container-engine config-settings enable
    """,
    "a build",
)
_SEMANTIC: Final = Keys(
    "line: build_command\nquiet: branches changelog remote publish commit_parser commit_parser_options", _RELEASED
)
_COMMITIZEN: Final = Keys("line: pre_bump_hooks post_bump_hooks\nquiet: customize", _RELEASED)
_BUMP: Final = Keys("line: setup_hooks pre_commit_hooks post_commit_hooks\nquiet: files parts", _RELEASED)
_HATCH: Final = Keys(
    "line: envs.*.pre-install-commands envs.*.post-install-commands\nquiet: build metadata version publish"
    " envs.*.scripts",
    _CALLED,
)
_IN_PACKAGE: Final[dict[str, Keys]] = {
    "nodemonConfig": TABLES["checks.nodemon"],
    "eslintConfig": TABLES["checks.eslint"],
    "stylelint": TABLES["checks.stylelint"],
    "prettier": TABLES["checks.prettier"],
    "babel": TABLES["checks.babel"],
    "commitlint": TABLES["checks.commitlint"],
    "mocha": TABLES["checks.mocha"],
    "nyc": TABLES["checks.nyc"],
    "c8": TABLES["checks.nyc"],
    "jest": TABLES["checks.jest"],
    "release": TABLES["checks.release"],
    "nx": TABLES["checks.nxproject"],
    "ava": _AVA,
    "ts-node": _TS_NODE,
    "wireit": _WIREIT,
    "release-it": _RELEASE_IT,
    "build": _BUILDER,
}
_IN_PROJECT: Final[dict[str, Keys]] = {
    "tox": TABLES["checks.tox"],
    "pixi": TABLES["checks.pixi"],
    "cibuildwheel": _WHEELS,
    "semantic_release": _SEMANTIC,
    "commitizen": _COMMITIZEN,
    "bumpversion": _BUMP,
    "hatch": _HATCH,
}
LEGACY_TOX: Final[Path] = ("tool", "tox", "legacy_tox_ini")
"""Where a whole `tox.ini` may stand as one text."""


def package_tools(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what the tools run and load that have a table in a `package.json`."""
    yield from _tools(reader, document, (), _IN_PACKAGE)


def project_tools(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe what the tools run and load that have a table in a `pyproject.toml`."""
    yield from _tools(reader, document, ("tool",), _IN_PROJECT)


def _tools(reader: PluginReader, document: Document, path: Path, known: dict[str, Keys]) -> Iterator[Component]:
    for name in reader.table(document, path):
        if name in known and isinstance(lookup(document.value, (*path, name)), dict):
            yield from components_below(reader, document, known[name], (*path, name))

"""Names that one script takes from another are followed to what they are."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.linking.link import ScriptLinker
from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, FileFacts, Interest


def _read(path: str, text: str) -> FileFacts:
    language = "typescript" if path.endswith("ts") else "javascript"
    return read_script(text.encode(), Context(path, Interest()), language=language)


def _linked(sources: dict[str, str]) -> set[tuple[str, str, str | None]]:
    files = {path: _read(path, text) for path, text in sources.items()}
    return {
        (path, fact.capability, fact.object) for path, (facts, _) in ScriptLinker(files).iterate() for fact in facts
    }


_PASSING = "export { exec as run } from 'child_process'"
_CASES: dict[str, tuple[dict[str, str], tuple[str, str, str | None]]] = {
    "a name passed on": (
        {"a.mjs": "import { run } from './util.mjs'; run('ls')", "util.mjs": _PASSING},
        ("a.mjs", "process.shell", "ls"),
    ),
    "without a suffix": (
        {
            "a.js": "const { run } = require('./util'); run('ls')",
            "util.js": "exports.run = require('child_process').exec",
        },
        ("a.js", "process.shell", "ls"),
    ),
    "the suffix of what it is compiled to": (
        {"src/a.ts": "import { run } from '../lib/util.js'; run('ls')", "lib/util.ts": _PASSING},
        ("src/a.ts", "process.shell", "ls"),
    ),
    "the index of a folder": (
        {"a.ts": "import * as all from './lib'; all.run('ls')", "lib/index.ts": _PASSING},
        ("a.ts", "process.shell", "ls"),
    ),
    "the module as a whole": (
        {"a.js": "require('./cp').exec('ls')", "cp.js": "module.exports = require('child_process')"},
        ("a.js", "process.shell", "ls"),
    ),
    "a function as the module": (
        {"a.js": "require('./run')('ls')", "run.js": "module.exports = require('child_process').exec"},
        ("a.js", "process.shell", "ls"),
    ),
    "the default": (
        {
            "a.mjs": "import run from './run.mjs'; run('ls')",
            "run.mjs": "import { exec } from 'child_process'; export default exec",
        },
        ("a.mjs", "process.shell", "ls"),
    ),
    "the default of a module of the older kind": (
        {"a.mjs": "import cp from './cp.cjs'; cp.exec('ls')", "cp.cjs": "module.exports = require('child_process')"},
        ("a.mjs", "process.shell", "ls"),
    ),
    "everything of another module": (
        {
            "a.mjs": "import { readFile } from './fs.mjs'; readFile('/etc/passwd')",
            "fs.mjs": "export * from 'fs/promises'",
        },
        ("a.mjs", "fs.read", "/etc/passwd"),
    ),
    "over three files": (
        {
            "a.mjs": "import { go } from './b.mjs'; go('ls')",
            "b.mjs": "export { run as go } from './c.mjs'",
            "c.mjs": _PASSING,
        },
        ("a.mjs", "process.shell", "ls"),
    ),
    "an object": (
        {
            "a.js": "require('./t').tools.run('ls')",
            "t.js": "module.exports = { tools: { run: require('child_process').exec } }",
        },
        ("a.js", "process.shell", "ls"),
    ),
}


@pytest.mark.parametrize(("sources", "expected"), _CASES.values(), ids=_CASES)
def test_what_another_file_passes_on(sources: dict[str, str], expected: tuple[str, str, str | None]) -> None:
    assert expected in _linked(sources)


def test_a_file_of_another_folder_is_not_meant() -> None:
    assert not _linked({"p/a.mjs": "import { run } from './util.mjs'; run('ls')", "util.mjs": _PASSING})


def test_files_that_pass_on_each_other_end() -> None:
    assert not _linked(
        {"a.mjs": "export * from './b.mjs'; import { x } from './b.mjs'; x()", "b.mjs": "export * from './a.mjs'"}
    )


def test_nothing_outside_the_tree_is_looked_for() -> None:
    assert not _linked({"a.mjs": "import { run } from '../../util.mjs'; run('ls')", "util.mjs": _PASSING})

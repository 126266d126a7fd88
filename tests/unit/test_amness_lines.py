"""Amness's line of a file, from what the file does: each of the seven things, and the words that are none of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.systems.amness.line import NOTHING_FOUND
from plugseal.verbs.scan import scan_path


def line_of(root: Path, code: str) -> str:
    """Return what Amness's line says of a plugin file, behind the file's name."""
    folder = root / ".amness" / "plugins"
    folder.mkdir(parents=True)
    (folder / "p.ts").write_text(code)
    (report,) = scan_path(root).plugins
    line = json.loads(report.plugin.hosts[0].data)["scan"]
    assert line.startswith("p.ts: ")
    return str(line)[len("p.ts: ") :]


@pytest.mark.parametrize(
    ("code", "thing"),
    [
        pytest.param(
            "import { execSync } from 'node:child_process'; execSync('true');", "runs shell commands", id="shell"
        ),
        pytest.param("fetch('https://x.invalid/');", "uses the network", id="network"),
        pytest.param("import { writeFileSync } from 'node:fs'; writeFileSync('a', '');", "writes files", id="writes"),
        pytest.param("import { readFileSync } from 'node:fs'; readFileSync('a');", "reads files", id="reads"),
        pytest.param("const key = process.env.SAMPLE_KEY;", "reads environment variables", id="a variable"),
        pytest.param("eval(input());", "runs generated code", id="eval"),
        pytest.param("new Function(input())();", "runs generated code", id="new Function"),
        pytest.param("await import(name());", "runs generated code", id="a dynamic import"),
        pytest.param(
            "import { readFileSync } from 'node:fs'; readFileSync('../../x');",
            "uses paths outside the project",
            id="a path outside",
        ),
    ],
)
def test_each_thing_that_amness_looks_for_is_said(code: str, thing: str, tmp_path: Path) -> None:
    said = line_of(tmp_path, f'{code}\nexport default {{ name: "p" }};\n')
    assert thing in said.split(", ")
    assert NOTHING_FOUND not in said


@pytest.mark.parametrize(
    "code",
    [
        pytest.param('// child_process, exec, fetch(\nexport default { name: "p" };', id="a comment"),
        pytest.param('/* require("node:fs").writeFileSync */ export default { name: "p" };', id="a long comment"),
        pytest.param(
            'export default { name: "p", description: "does not fetch( or eval( anything" };', id="a description"
        ),
        pytest.param(
            'export default { name: "p", policy: ({ args }) =>'
            ' (/\\bcurl\\b|eval\\(/.test(String(args.cmd)) ? "deny" : undefined) };',
            id="a policy that forbids",
        ),
        pytest.param(
            'const re = /(a)/; export default { name: "p", status: (c) => re.exec(c.cwd)?.[1] };',
            id="a regular expression",
        ),
        pytest.param(
            'import type { ChildProcess } from "node:child_process"; export default { name: "p" };', id="types alone"
        ),
        pytest.param(
            'export default { name: "p", hooks: { PreToolUse: ({ tool, args }: { tool: string; args: any }) =>'
            ' (tool === "write_file" || tool === "edit_file") && /package-lock\\.json$/.test(String(args.path))'
            ' ? { block: "lockfiles are generated: run the package manager instead" } : undefined } };',
            id="the documented first plugin",
        ),
        pytest.param('export default { name: "p" };', id="nothing at all"),
    ],
)
def test_words_without_the_thing_are_not_said(code: str, tmp_path: Path) -> None:
    assert line_of(tmp_path, code + "\n") == NOTHING_FOUND

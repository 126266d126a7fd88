"""A plugin that is one file is refused once a byte of it changed, whatever its system, and runs when it is back."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "a lone configuration": (".mcp.json", '{"mcpServers": {"a": {"command": "true"}}}\n'),
    "a module that stands alone": (".amness/plugins/a.js", 'export default { name: "a", status: () => "s" };\n'),
    "a module that imports another file": (
        ".amness/plugins/a.js",
        'import { go } from "../../lib/go.js";\nexport default { name: "a", status: () => go() };\n',
    ),
}


def plugseal(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PLUGSEAL_HOME": str(root.parent / "state")}
    return subprocess.run(
        [sys.executable, "-m", "plugseal", *words],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(("name", "text"), FILES.values(), ids=FILES)
def test_an_edit_of_one_file_is_refused_and_undone_it_runs(tmp_path: Path, name: str, text: str) -> None:
    root = tmp_path / "clone"
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    token = re.search(r"token +(\S+)", plugseal(root, "hash", name).stdout)
    assert token is not None
    trusted = plugseal(root, "trust", name, token[1])
    assert trusted.returncode == 0, trusted.stderr
    assert plugseal(root, "enable", name).returncode == 0
    identity = re.search(r"\S+:\S+@[0-9a-f]{12}", plugseal(root, "list").stdout)
    assert identity is not None
    assert plugseal(root, "run", identity[0]).returncode == 0
    file.write_text(text + " ")
    refused = plugseal(root, "run", identity[0])
    assert (refused.returncode, "content-drifted" in refused.stderr) == (126, True)
    file.write_text(text)
    assert plugseal(root, "run", identity[0]).returncode == 0

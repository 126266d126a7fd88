"""A tree has the same receipts and the same inventory under any locale and hash seed, and wherever it lies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.materialise import materialise

_HERE = Path(__file__).resolve()
_FIXTURES = _HERE.parents[2] / "fixtures"
_ENVIRONMENTS = [
    {"LC_ALL": "C", "PYTHONHASHSEED": "0"},
    {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"},
    {"LC_ALL": "de_DE.UTF-8", "PYTHONHASHSEED": "2", "PYTHONUTF8": "0"},
    {"LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "random", "TZ": "Asia/Tokyo"},
]


def _said(tree: Path, command: str, environment: dict[str, str]) -> Any:
    """Return what a command says of the tree in its folder, as JSON."""
    ran = subprocess.run(
        [sys.executable, "-m", "plugseal", command, "tree", "--format", "json"],
        cwd=tree.parent,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    ("fixture", "part"),
    [
        pytest.param("cases/HD03-creation-order.json", "before", id="names that sort differently by locale"),
        pytest.param("cases/HD09-canonical-config-form.json", "original", id="a configuration with other letters"),
        pytest.param("cases/SM03-py-reflection.json", "tree", id="Python"),
        pytest.param("sample", "agent-tools", id="several systems"),
    ],
)
def test_locale_hash_seed_and_place_move_nothing(fixture: str, part: str, tmp_path: Path) -> None:
    for command in ("hash", "scan"):
        answers = []
        for number, environment in enumerate(_ENVIRONMENTS):
            tree = tmp_path / f"{command}-{number}" / ("deeper" * number) / "tree"
            materialise(_FIXTURES / fixture, tmp_path / f"{command}-{number}" / "built")
            tree.parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / f"{command}-{number}" / "built" / part).rename(tree)
            answers.append(_said(tree, command, environment))
        assert all(answer == answers[0] for answer in answers), f"{command} differs"

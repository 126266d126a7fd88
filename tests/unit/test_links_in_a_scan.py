"""A link into the tree is no gap, since its target is read where it is; any other link is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.scan import scan_path


@pytest.mark.parametrize(
    ("target", "is_gap"),
    [
        pytest.param("real.py", False, id="to a file of the tree"),
        pytest.param("folder", False, id="to a folder of the tree"),
        pytest.param("folder/../real.py", False, id="by a detour inside the tree"),
        pytest.param("chain", False, id="to another link of the tree"),
        pytest.param("../outside.py", True, id="out of the tree"),
        pytest.param("/etc/passwd", True, id="to an absolute path"),
        pytest.param("nowhere", True, id="to nothing"),
        pytest.param("link", True, id="to itself"),
    ],
)
def test_what_stands_behind_a_link_is_accounted_for(tmp_path: Path, target: str, is_gap: bool) -> None:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "outside.py").write_text("import os\n", encoding="utf-8")
    (root / "real.py").write_text("x = 1\n", encoding="utf-8")
    (root / "chain").symlink_to("real.py")
    (root / "link").symlink_to(target)
    inventory = scan_path(root)
    assert ("link" in {unread.file for unread in inventory.unread}) is is_gap
    assert not any(file == "link" and fact.capability != "unread" for file, fact in inventory.facts)

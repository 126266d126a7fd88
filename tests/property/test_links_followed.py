"""Links followed by names alone show what the file system shows: against copies, and against a walk of the disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.encode.treehash import find_content_receipt
from plugseal.intake.read import read_tree
from plugseal.limits import MAX_TREE_DEPTH
from plugseal.scan.resolved import resolve_links

NAMES = ["a", "b", "c"]
FILES = st.dictionaries(st.sampled_from(["a/x", "a/b/y", "b/z", "w", "c/a/v"]), st.text("xy", max_size=2), min_size=1)
PLACES = st.sampled_from(["l", "a/l", "a/b/m", "b/m", "c/l", "m"])
TARGETS = st.lists(st.sampled_from([*NAMES, "..", ".", "l", "m", "x", "y", "out"]), min_size=1, max_size=3).map(
    "/".join
)
LINKS = st.dictionaries(PLACES, TARGETS, max_size=4)


@settings(max_examples=300, deadline=None)
@given(files=FILES, links=LINKS)
def test_a_tree_with_links_is_its_plain_copy_or_refused_for_a_reason(
    files: dict[str, str], links: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "root"
        _build(root, files, links)
        tree = resolve_links(read_tree(root))
        if tree.faults:
            assert any(_is_bad(root, root / link) for link in links), tree.faults
            assert find_content_receipt(tree) is None
            return
        shutil.copytree(root, root.with_name("copy"))
        assert find_content_receipt(tree) == find_content_receipt(read_tree(root.with_name("copy")))
        assert find_content_receipt(tree) is not None


def _build(root: Path, files: dict[str, str], links: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    for name, target in links.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)


def _is_bad(root: Path, path: Path, above: tuple[str, ...] = ()) -> bool:
    """Say whether anything at or below a path leads out of the root, nowhere, or back to a folder above it."""
    real = os.path.realpath(path)
    if not os.path.exists(path) or (real != str(root) and not real.startswith(f"{root}/")):
        return True
    if not _stays(root, path) or len(above) > MAX_TREE_DEPTH:
        return True
    if not os.path.isdir(path):
        return False
    if not above:
        above = tuple(os.path.realpath(parent) for parent in path.parents if parent == root or root in parent.parents)
    return real in above or any(_is_bad(root, path / name, (*above, real)) for name in os.listdir(path))


def _stays(root: Path, path: Path) -> bool:
    """Say whether a link's target, as written, never climbs above the root on its way."""
    if not path.is_symlink():
        return True
    here = Path(os.path.realpath(path.parent))
    for part in os.readlink(path).split("/"):
        here = here.parent if part == ".." else here / part
        if here.is_symlink() and not _stays(root, here):
            return False
        here = Path(os.path.realpath(here))
        if here != root and root not in here.parents:
            return False
    return True

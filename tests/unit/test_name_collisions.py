"""Names that are one name on other systems are one finding for each such name, whatever their number."""

from __future__ import annotations

import pytest

from plugseal.model.tree import Fault, Tree
from plugseal.scan.detectors.files import look_for_name_collisions


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        pytest.param([".Docs", ".docs"], [(".docs", "also `.Docs`")], id="a pair"),
        pytest.param(["a/B", "a/b", "c/B", "c/b"], [("a/b", "also `a/B`"), ("c/b", "also `c/B`")], id="two folders"),
        pytest.param(["AB", "Ab", "ab"], [("ab", "also `AB`, `Ab`")], id="three"),
        pytest.param(["Docs"], [("Docs", "")], id="one whose other is told elsewhere"),
        pytest.param([], [], id="none"),
    ],
)
def test_colliding_names_are_told_once(paths: list[str], found: list[tuple[str, str]]) -> None:
    tree = Tree("a", (), tuple(Fault(path, "case-collision", "as listed") for path in paths), ())
    assert [(hit.file, hit.note) for hit in look_for_name_collisions(tree)] == found

"""A system that is not loaded for a tree would have found nothing in it: names call all that have something there."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.intake.read import read_tree
from plugseal.scan.discover import Keeper
from plugseal.systems.registry import all_systems, systems_of
from tests.materialise import materialise

_TESTS = Path(__file__).parents[1]
_FIXTURES = _TESTS.parent / "fixtures"
TREES = sorted(
    [*(path.parent for path in _FIXTURES.rglob("EXPECT.toml")), *(_FIXTURES / "cases").glob("*.json")],
    key=lambda path: path.as_posix(),
)


class WithAll(Keeper):
    """Keep what any system wants, whether its names call it or not."""

    def begin(self, entries) -> None:  # type: ignore[no-untyped-def]
        super().begin(entries)
        keeps = [system.keeps for system in all_systems()]
        self._wanted = frozenset(entry.path for entry in entries if any(keep(entry.path) for keep in keeps))


@pytest.mark.parametrize("tree", TREES, ids=lambda path: path.relative_to(_FIXTURES).as_posix())
def test_the_systems_that_are_called_are_all_that_find_something(tree: Path, tmp_path: Path) -> None:
    keeper = WithAll()
    listing = keeper.listing(read_tree(materialise(tree, tmp_path / "t"), keeper))
    finding = {system.name for system in all_systems() if list(system.discover(listing))}
    assert finding <= {system.name for system in systems_of(listing.entries)}

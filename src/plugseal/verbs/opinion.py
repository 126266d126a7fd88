"""Ask another scanner about a path, beside our own inventory of it."""

from __future__ import annotations

from pathlib import Path

from plugseal.intake.read import read_tree
from plugseal.lang.python.bandit import bandit_version
from plugseal.model.inventory import Inventory
from plugseal.scan.second_opinion import SecondOpinion


def with_opinions(inventory: Inventory, path: Path) -> Inventory:
    """Return an inventory with bandit's opinions of the same path.

    Args:
        inventory: of the path.
        path: what is read once more, by the same rules.

    Raises:
        UsageError: bandit is not installed.
        IntakeError: the path can't be read.
    """
    with SecondOpinion(f"bandit {bandit_version()}") as asked:
        read_tree(path, asked)
        return inventory._replace(opinions=asked.opinions(inventory.facts))

"""An inventory out of the cache is whole, or it is none: fewer lines than were written are no fewer facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.errors import DataError
from plugseal.scan.kept.wire_inventory import parse_inventory, render_inventory
from plugseal.verbs.scan import scan_path

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools"


def test_an_inventory_that_lacks_lines_or_has_more_is_refused() -> None:
    lines = list(render_inventory(scan_path(SAMPLE)))
    assert len(lines) > 2
    assert parse_inventory(lines)
    for count in range(len(lines)):
        with pytest.raises(DataError):
            parse_inventory(lines[:count])
    with pytest.raises(DataError):
        parse_inventory([*lines, b"[]"])

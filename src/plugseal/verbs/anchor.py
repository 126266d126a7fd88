"""Tell where a path stands for hosts that go by places: a folder of plugins scanned by itself is still that folder."""

from __future__ import annotations

import os
from pathlib import Path

from plugseal.systems.homes import anchor_in


def anchor_of(path: Path) -> str:
    """Return the part of a path from a known folder of plugins on, e.g. `.amness/plugins`; empty for any other path.

    Args:
        path: a directory or a file, which may not exist.
    """
    try:
        real = os.path.realpath(path)
        folder = real if os.path.isdir(real) else os.path.dirname(real)  # noqa: PTH112, PTH120  # as realpath answers
    except (OSError, ValueError):
        return ""
    return anchor_in(folder)

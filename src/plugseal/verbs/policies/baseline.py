"""Write a baseline: the findings that are there now, accepted until they change."""

from __future__ import annotations

from pathlib import Path

from plugseal.model.fingerprint import build_fingerprints
from plugseal.policy.baseline import render_baseline
from plugseal.verbs.scan import scan_path


def baseline_of(path: Path) -> tuple[str, int]:
    """Return the text of a baseline of all findings at a path, and how many they are.

    Raises:
        PlugsealError: as `scan_path`.
    """
    inventory = scan_path(path, asks_hosts=False)
    return render_baseline(inventory.findings, build_fingerprints(inventory)), len(inventory.findings)

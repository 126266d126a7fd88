"""What a table of names can't say: one small module for each question, named by rules as `detector = "…"`.

To add one: a module here, one line in the table of its kind, and a rule that names it.
"""

from __future__ import annotations

from plugseal.scan.detectors.detector import BytesDetector, CodeDetector, ManifestDetector, TreeDetector

CODE_DETECTORS: dict[str, CodeDetector] = {}
"""Over the facts of one source file."""

MANIFEST_DETECTORS: dict[str, ManifestDetector] = {}
"""Over one plugin as its system describes it."""

TREE_DETECTORS: dict[str, TreeDetector] = {}
"""Over the entries of a tree."""

BYTES_DETECTORS: dict[str, BytesDetector] = {}
"""Over the bytes of one file."""

"""What a table of names can't say: one small module for each question, named by rules as `detector = "…"`."""

from __future__ import annotations

from plugseal.scan.detectors.detector import CodeDetector

CODE_DETECTORS: dict[str, CodeDetector] = {}
"""By name; each looks at the facts of one source file."""

"""What other processes hold in memory: secrets of a build that its log masks, keys, passwords."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import FileFacts
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.detectors.facts import first_places
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.values import searches

_MEMORY: Final = lazy(r"^/proc/(?!self/|thread-self/)[^/]+/(?:task/[^/]+/)?mem$")


def _memory_reads(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield the memory of other processes that is read or written."""
    for capability in ("fs.read", "fs.write"):
        for path, span in first_places(facts, capability):
            if searches(_MEMORY, path):
                yield Hit(span, "the memory of another process", path)


MEMORY_READS: Final = CodeDetector(_memory_reads)

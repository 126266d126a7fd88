"""What a pattern can't say of prose: command lines that need a reader of their own, words in more than one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.lang.facts import FileFacts
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.detectors.packages import piped_download
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.values import searches

_NAMES_NOTHING: Final = lazy(
    r"\A\s*(?:sudo\s+)?(?:curl|wget|iwr|irm)(?:\s+(?:-[\w-]+|(?:\.{3}|\u2026)[\w./-]*))*\s*\|[^|;&\n]*\Z"
    r"|\A\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|source|eval)\s+[<(\"$\s]{0,6}(?:curl|wget)(?:\s+-[\w-]+){0,6}\s+"
    r"(?:\.{3}|\u2026)[\w./-]*\)?[\"\s]{0,4}\Z"
)
"""`curl | bash`, and an address of which only the end stands there: they say how something is installed."""


def _look_for_piped_lines(facts: FileFacts, _: Lines) -> Iterable[Hit]:
    for event in facts.events:
        said = piped_download(event.name) if event.kind == "line" else ""
        if said and not searches(_NAMES_NOTHING, event.name):
            yield Hit(event.span, said)


PIPED_LINE = CodeDetector(_look_for_piped_lines)
"""Command lines that hand a download straight to an interpreter."""

"""What a script's program that is started by words does, said in its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from plugseal.lang.folded import HOLE
from plugseal.lang.programs.memo import tell
from plugseal.lang.programs.words import SMALL_LANGUAGES

if TYPE_CHECKING:
    from plugseal.lang.programs import Code
    from plugseal.lang.shell.judging.report import Report
    from plugseal.model.location import Span


def report_start(words: Sequence[str], span: Span, report: Report) -> Iterator[Code]:
    """Report a program with its words, and yield the code that it is given, which its own reader must read."""
    found, acts, codes = tell(tuple(words))
    for one, its_acts in zip(found, acts, strict=True):
        report.add_program(span, one.words[0], "direct", "")
        if one.name:
            report.event("command", one.name, span, list(one.words[1:]), "direct", "")
        for act in its_acts:
            how = "direct" if act.is_sure else "possible"
            if act.kind == "path" and act.named:
                report.add_path(span, act.capability, act.named, how, "")
            elif act.kind == "host":
                report.add_host(span, act.capability, act.named, how, "")
            else:
                named = act.named if act.named and HOLE not in act.named else None
                report.add(span, act.capability, named, how, "")
    for code in codes:
        if code.language not in SMALL_LANGUAGES:
            if code.language == "shell":
                report.add(span, "process.shell", None, "direct", "")
            yield code

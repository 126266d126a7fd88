"""What the tables say of cmdlets and members: acts, each with what it is done to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.names import IDENTITY, ORDINARY
from plugseal.lang.powershell.values import Item, Made, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugseal.lang.powershell.codes import Codes
    from plugseal.lang.powershell.collect import Use
    from plugseal.lang.powershell.subject import Subject
    from plugseal.lang.powershell.tables import Act


class Acts:
    """The acts of one script."""

    def __init__(self, subject: Subject, codes: Codes) -> None:
        self._subject = subject
        self._codes = codes

    def add(self, act: Act, named: Sequence[Item], use: Use, how: str = "direct") -> None:
        """Add what the tables say, for each of the things that it is done to."""
        if not act.is_sure:
            how = "possible"
        report, span, function = self._subject.report, self._subject.span(use), use.frame.function
        if act.literal is not None:
            report.add(span, act.capability, act.literal, how, function)
            return
        if not named:
            if not act.is_needed:
                report.add(span, act.capability, None, how, function)
            return
        for item in named:
            self._add_named(act, item, use, how)

    def _add_named(self, act: Act, item: Item, use: Use, how: str) -> None:
        report, span, function = self._subject.report, self._subject.span(use), use.frame.function
        text = text_of(item)
        how = self._subject.resolution(item, how)
        if act.kind == "script":
            self._codes.run(item, use)
            return
        if isinstance(item.value, Made) and text == HOLE:
            if not act.is_needed:
                report.add(span, act.capability, None, how, function)
            return
        if act.kind == "path" and text.strip(HOLE):
            if text.lower().startswith("env:"):
                self._environment(act.capability, text[4:].strip("/\\"), use)
            elif "://" in text and not text.startswith("file:"):
                report.add_host(span, "net.outbound", text, how, function)
            else:
                report.add_path(span, act.capability, text, how, function)
        elif act.kind == "host":
            report.add_host(span, act.capability, text if text.strip(HOLE) else None, how, function)
        elif act.capability == "env.write" and text.strip(HOLE):
            report.add_variable(span, text[:256], HOLE, how, function)
        elif act.kind == "program" and act.capability == "process.exec":
            report.add_program(span, text, how, function)
        elif text.strip(HOLE) or not act.is_needed:
            report.add(span, act.capability, text[:256] if text and HOLE not in text else None, how, function)

    def _environment(self, capability: str, name: str, use: Use) -> None:
        """Add what is done to a variable of the environment by its drive."""
        what = {"fs.read": "env.read", "fs.write": "env.write", "fs.delete": "env.write"}.get(capability)
        if what is None:
            return
        if what == "env.read" and (not name or "*" in name):
            self._subject.report.add(self._subject.span(use), "env.bulk", None, "direct", use.frame.function)
        elif what == "env.read":
            self.read_variable(name, use)
        else:
            self._subject.report.add_variable(self._subject.span(use), name or HOLE, HOLE, "direct", use.frame.function)

    def read_variable(self, name: str, use: Use) -> None:
        """Add that a variable of the environment is read."""
        if name.upper() in IDENTITY:
            self._subject.report.add(self._subject.span(use), "system.info", name, "direct", use.frame.function)
        elif name.upper() not in ORDINARY:
            self._subject.report.add(self._subject.span(use), "env.read", name, "direct", use.frame.function)

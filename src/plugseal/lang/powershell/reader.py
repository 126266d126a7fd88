"""Read one script of PowerShell: bytes in, facts out. Never raises, runs anything or looks at another file."""

from __future__ import annotations

import posixpath
from typing import Final

from plugseal.lang.facts import PARTIAL_STATUS, Context, EntryPoint, FileFacts, unread
from plugseal.lang.powershell.arguments import bind_arguments, own_aliases
from plugseal.lang.powershell.collect import collect
from plugseal.lang.powershell.folding import Folder
from plugseal.lang.powershell.judge import Judge
from plugseal.lang.powershell.parse import parse_powershell
from plugseal.lang.powershell.report import WindowsReport
from plugseal.lang.powershell.source import TextSource
from plugseal.lang.prose.lines import decode_prose
from plugseal.lang.shell.judging.outcomes import exports_of
from plugseal.limits import MAX_SOURCE_BYTES, MIB
from plugseal.model.capability import Fact

LANGUAGE: Final = "PowerShell"


class PowerShellReader:
    """The reader of PowerShell."""

    language = LANGUAGE

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        if len(data) > MAX_SOURCE_BYTES:
            return unread(LANGUAGE, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
        text, reason = decode_prose(data)
        if reason:
            return unread(LANGUAGE, reason)
        return read_powershell(text, context)


def _is_read(fact: Fact) -> bool:
    """Say whether a script is read into this one: `. a.ps1`, `& a.ps1` and modules, whose functions are known here."""
    if fact.capability == "code.import":
        return True
    return fact.capability == "process.exec" and (fact.object or "").lower().endswith((".ps1", ".psm1"))


def read_powershell(text: str, context: Context) -> FileFacts:
    """Return the facts of a script.

    Args:
        text: with LF line ends.
        context: of the file.
    """
    parsed = parse_powershell(text)
    script = collect(parsed.root)
    folder = Folder(script, posixpath.basename(context.path))
    folder.aliases = own_aliases(folder)
    bind_arguments(folder)
    source = TextSource(text)
    report = WindowsReport(context.path)
    judge = Judge(script, folder, report, source)
    judge.run()
    running = judge.running()
    facts = report.facts(running)
    reason = ""
    if parsed.faults:
        reason = f"holds syntax that is not understood (line {source.place(min(parsed.faults))[0]})"
    elif script.is_cut or folder.fuel < 0:
        reason = "needs more steps than a file is given"
    return FileFacts(
        LANGUAGE,
        PARTIAL_STATUS if reason else "read",
        reason,
        facts,
        report.event_list(running),
        exports=exports_of(script.functions, (fact.object for fact in facts if _is_read(fact))),
        entries=(EntryPoint("<module>", "start", 1),),
        nested=report.nested_list(running),
    )

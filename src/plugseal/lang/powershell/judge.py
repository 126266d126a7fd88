"""Say what each use in a script does: commands by the tables, members by their types, variables of the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.powershell.acts import Acts
from plugseal.lang.powershell.codes import Codes
from plugseal.lang.powershell.commands import Commands
from plugseal.lang.powershell.downloads import add_fetched_runs
from plugseal.lang.powershell.handed import Handed
from plugseal.lang.powershell.member_calls import MemberCalls
from plugseal.lang.powershell.subject import Subject
from plugseal.lang.powershell.tables import type_name, types
from plugseal.lang.powershell.values import (
    Item,
    Made,
    TypeName,
    text_of,
)
from plugseal.lang.reached import reached_from_top

if TYPE_CHECKING:
    from plugseal.lang.powershell.collect import Script, Use
    from plugseal.lang.powershell.folding import Folder
    from plugseal.lang.powershell.report import WindowsReport
    from plugseal.lang.powershell.source import TextSource

_TIMES: Final = frozenset(
    f"{name}{more}" for name in ("creationtime", "lastwritetime", "lastaccesstime") for more in ("", "utc")
)
"""Members of files that say when they were made or changed."""
_DIRECTORIES: Final = frozenset(
    ("adsi", "adsisearcher", "directoryservices.directoryentry", "directoryservices.directorysearcher")
)
"""What a text is made to ask the directory of a domain."""


class Judge(Subject):
    """The uses of one script."""

    def __init__(self, script: Script, folder: Folder, report: WindowsReport, source: TextSource) -> None:
        super().__init__(script, folder, report, source)
        self._codes = Codes(self)
        handed = Handed(self, self._codes)
        self._acts = Acts(self, self._codes)
        self._members = MemberCalls(self, self._codes, handed, self._acts)
        self._commands = Commands(self, self._codes, handed, self._acts, self._members)

    def run(self) -> None:
        """Judge every use."""
        for use in self.script.uses:
            kind = use.node.kind
            if kind == "command":
                self._commands.judge(use)
            elif kind in ("call", "staticcall"):
                self._members.judge_use(use)
            elif kind in ("member", "static"):
                self._judge_member(use)
            elif kind == "variable":
                self._judge_variable(use)
            elif kind == "cast":
                self._judge_cast(use)
            elif kind == "assign":
                self._judge_assignment(use)
        add_fetched_runs(self.report)

    def running(self) -> set[str]:
        """Return the functions that run when the script does; the empty name is its top."""
        return reached_from_top(self.calls)

    def _judge_variable(self, use: Use) -> None:
        text = self.source.text[use.node.start : use.node.end].strip("${}")
        if text[:4].lower() == "env:" and len(text) > 4:
            self._acts.read_variable(text[4:], use)

    def _judge_assignment(self, use: Use) -> None:
        target, value = use.node.parts
        while target.kind == "cast":
            target = target.parts[0]
        given = self.folder.one(value, use.frame)
        if target.kind == "variable":
            self._assign_variable(self.source.text[target.start : target.end].strip("${}"), given, use)
        elif target.kind in ("member", "static"):
            owner = self.folder.one(target.parts[0], use.frame)
            name = text_of(self.folder.one(target.parts[1], use.frame)).lower()
            kind = owner.value.type if isinstance(owner.value, (Made, TypeName)) else ""
            self._assign_member(kind, name, given, use)

    def _assign_variable(self, variable: str, given: Item, use: Use) -> None:
        """Judge the setting of a variable of the environment or of a function by its drive."""
        span, function = self.span(use), use.frame.function
        if variable[:4].lower() == "env:":
            text = text_of(given)
            self.report.add_variable(span, variable[4:], text.replace(";", ":"), "direct", function)
            self.report.event("command", "export", span, [f"{variable[4:]}={text}"], "direct", function)
        elif variable.lower().startswith("function:"):
            self._codes.run(given, use)

    def _assign_member(self, kind: str, name: str, given: Item, use: Use) -> None:
        """Judge the setting of a member that means something."""
        span, function = self.span(use), use.frame.function
        if kind == "net.servicepointmanager" and name == "servercertificatevalidationcallback":
            self.report.event("command", f"{kind}.{name}", span, [], "direct", function)
        if kind == "diagnostics.processstartinfo" and name == "filename":
            self.report.add_program(span, text_of(given), self.resolution(given), function)
        if name in _TIMES:
            self.report.add(span, "fs.meta", None, "possible", function)
        if kind.startswith("com:") and name == "targetpath":
            self.report.add_program(span, text_of(given), "possible", function)

    def _judge_cast(self, use: Use) -> None:
        if type_name(use.node.text) == "scriptblock":
            self._codes.run(self.folder.one(use.node.parts[0], use.frame), use)
        elif type_name(use.node.text) in _DIRECTORIES:
            self.report.add(self.span(use), "system.info", None, "direct", use.frame.function)

    def _judge_member(self, use: Use) -> None:
        target = self.folder.one(use.node.parts[0], use.frame)
        name = text_of(self.folder.one(use.node.parts[1], use.frame)).lower()
        kind = target.value.type if isinstance(target.value, (Made, TypeName)) else ""
        member = types().members.get((kind, name))
        if member is not None and use.node.kind == "static" and not any(act.kind for act in member.acts):
            for act in member.acts:
                self._acts.add(act, (), use)

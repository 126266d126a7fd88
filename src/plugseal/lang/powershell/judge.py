"""Say what each use in a script does: commands by the tables, members by their types, variables of the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.codes import Codes
from plugseal.lang.powershell.commands import Commands
from plugseal.lang.powershell.downloads import add_fetched_runs
from plugseal.lang.powershell.names import IDENTITY, ORDINARY
from plugseal.lang.powershell.tables import type_name, types
from plugseal.lang.powershell.values import (
    CLIPBOARD,
    DECODED,
    ENVIRONMENT,
    FETCHED,
    MADE,
    RESOLVED,
    UNSURE,
    Item,
    Made,
    Many,
    Method,
    TypeName,
    items_of,
    text_of,
)
from plugseal.lang.reached import reached_from_top

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugseal.lang.powershell.collect import Script, Use
    from plugseal.lang.powershell.folding import Folder
    from plugseal.lang.powershell.report import WindowsReport
    from plugseal.lang.powershell.source import TextSource
    from plugseal.lang.powershell.tables import Act
    from plugseal.model.location import Span

_TIMES: Final = frozenset(
    f"{name}{more}" for name in ("creationtime", "lastwritetime", "lastaccesstime") for more in ("", "utc")
)
"""Members of files that say when they were made or changed."""
_DIRECTORIES: Final = frozenset(
    ("adsi", "adsisearcher", "directoryservices.directoryentry", "directoryservices.directorysearcher")
)
"""What a text is made to ask the directory of a domain."""


class Judge:
    """The uses of one script."""

    def __init__(self, script: Script, folder: Folder, report: WindowsReport, source: TextSource) -> None:
        self.script = script
        self.folder = folder
        self.report = report
        self.source = source
        self.calls: dict[str, set[str]] = {"": set()}
        """Functions by the functions that call them."""
        self.codes = Codes(self)
        self.commands = Commands(self)

    def run(self) -> None:
        """Judge every use."""
        for use in self.script.uses:
            kind = use.node.kind
            if kind == "command":
                self.commands.judge(use)
            elif kind in ("call", "staticcall"):
                self._judge_call(use)
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

    def span(self, use: Use) -> Span:
        """Return where a use stands."""
        return self.source.span(use.node.start, use.node.end)

    def add_act(self, act: Act, named: Sequence[Item], use: Use, how: str = "direct") -> None:
        """Add what the tables say, for each of the things that it is done to."""
        if not act.is_sure:
            how = "possible"
        report, span, function = self.report, self.span(use), use.frame.function
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
        report, span, function = self.report, self.span(use), use.frame.function
        text = text_of(item)
        how = self.resolution(item, how)
        if act.kind == "script":
            self.codes.run(item, use)
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
            self.report.add(self.span(use), "env.bulk", None, "direct", use.frame.function)
        elif what == "env.read":
            self.read_variable(name, use)
        else:
            self.report.add_variable(self.span(use), name or HOLE, HOLE, "direct", use.frame.function)

    def resolution(self, item: Item, how: str = "direct") -> str:
        """Say how surely a value is what it seems."""
        if how == "possible" or item.flags & UNSURE:
            return "possible"
        return "resolved" if how == "resolved" or item.flags & (RESOLVED | MADE | DECODED) else "direct"

    def read_variable(self, name: str, use: Use) -> None:
        """Add that a variable of the environment is read."""
        if name.upper() in IDENTITY:
            self.report.add(self.span(use), "system.info", name, "direct", use.frame.function)
        elif name.upper() not in ORDINARY:
            self.report.add(self.span(use), "env.read", name, "direct", use.frame.function)

    def _judge_variable(self, use: Use) -> None:
        text = self.source.text[use.node.start : use.node.end].strip("${}")
        if text[:4].lower() == "env:" and len(text) > 4:
            self.read_variable(text[4:], use)

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
            self.codes.run(given, use)

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
            self.codes.run(self.folder.one(use.node.parts[0], use.frame), use)
        elif type_name(use.node.text) in _DIRECTORIES:
            self.report.add(self.span(use), "system.info", None, "direct", use.frame.function)

    def _judge_member(self, use: Use) -> None:
        target = self.folder.one(use.node.parts[0], use.frame)
        name = text_of(self.folder.one(use.node.parts[1], use.frame)).lower()
        kind = target.value.type if isinstance(target.value, (Made, TypeName)) else ""
        member = types().members.get((kind, name))
        if member is not None and use.node.kind == "static" and not any(act.kind for act in member.acts):
            for act in member.acts:
                self.add_act(act, (), use)

    def _judge_call(self, use: Use) -> None:
        frame = use.frame
        target = self.folder.one(use.node.parts[0], frame)
        name = text_of(self.folder.one(use.node.parts[1], frame)).lower()
        given = [self.folder.one(part, frame) for part in use.node.parts[2:34]]
        value = target.value
        if isinstance(value, Method) and name in ("invoke", "invokereturnasis"):
            target, name = value.target, value.name
            if len(given) > 1 and isinstance(given[-1].value, Many):
                given = list(given[-1].value.items)  # By reflection: an object, and the arguments as a list.
        elif isinstance(value, TypeName) and name == "invokemember" and given:
            name = text_of(given[0]).lower()
            given = list(items_of(given[-1]) or ())
        elif isinstance(value, Method) and name == "setvalue":
            self._judge_field(value, use)
        self.judge_member(target, name, given, use)

    def _judge_field(self, field: Method, use: Use) -> None:
        """Judge the setting of a field that only reflection reaches."""
        kind = field.target.value.type if isinstance(field.target.value, (Made, TypeName)) else ""
        self.report.add(self.span(use), "code.reflective", kind or None, "resolved", use.frame.function)
        if "amsi" in kind or "amsi" in field.name:
            self.report.add(self.span(use), "privilege", "AMSI", "resolved", use.frame.function)

    def judge_member(self, target: Item, name: str, given: list[Item], use: Use) -> None:
        """Judge the call of a member."""
        kind = target.value.type if isinstance(target.value, (Made, TypeName)) else ""
        is_sensitive = kind in types().known
        span, function = self.span(use), use.frame.function
        if HOLE in name:
            if is_sensitive:
                self.report.add(span, "code.reflective", kind, "possible", function)
            return
        member = types().members.get((kind, name))
        how = self.resolution(target) if target.value != HOLE else "direct"
        if member is None and (kind == "" or kind == "reflection.member"):
            member, how = types().alone.get(name), "possible"
        if kind and name not in ("gettype", "tostring"):
            words = [text_of(item) for item in given]
            self.report.event("command", f"{kind}.{name}", span, words, how, function)
        if kind == "management.automation.scriptblock" or (kind == "scriptblock" and name.startswith("invoke")):
            self.codes.run(target, use)
            return
        if name in ("invoke", "invokereturnasis") and target.flags & (FETCHED | DECODED):
            self.codes.run(target, use)
        self.commands.judge_method(target, name, given, use)
        if member is None:
            return
        for act in member.acts:
            named = [given[act.position]] if 0 <= act.position < len(given) else []
            if act.kind and not named and isinstance(target.value, Made) and target.value.given:
                named = [target.value.given[0]] if member.returns == "fetched" else []
            if kind == "reflection.assembly" and act.capability == "code.native":
                self._judge_assembly(named, use)
            self.add_act(act, [one for one in named if not isinstance(one.value, Many)], use, how)
        if kind == "win32.registry" and name == "setvalue" and len(given) > 1:
            self.report.add_path(span, "fs.write", f"{text_of(given[0])}\\{text_of(given[1])}", how, function)

    def _judge_assembly(self, named: Sequence[Item], use: Use) -> None:
        for item in named:
            if item.flags & FETCHED:
                self.report.add(self.span(use), "code.fetched", self.host(item), "resolved", use.frame.function)
            if item.flags & DECODED:
                self.report.add(self.span(use), "code.obfuscated", None, "resolved", use.frame.function)

    def host(self, item: Item) -> str | None:
        """Return the host that something was fetched from."""
        from plugseal.lang.judging.objects import cut_object

        return cut_object("host", item.host) if item.host and HOLE not in item.host[:8] else None

    def is_sensitive(self, item: Item) -> bool:
        """Say whether a value is one that nobody should send off."""
        return bool(item.flags & (ENVIRONMENT | CLIPBOARD))

"""What the call of a member does: a method of .NET or of a COM object, by its type and its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.tables import types
from plugseal.lang.powershell.values import DECODED, FETCHED, Item, Made, Many, Method, TypeName, items_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugseal.lang.powershell.acts import Acts
    from plugseal.lang.powershell.codes import Codes
    from plugseal.lang.powershell.collect import Use
    from plugseal.lang.powershell.handed import Handed
    from plugseal.lang.powershell.subject import Subject

_FILE: Final = "io.fileinfo"
_ITS_OWN: Final = ("own",)
"""What a table says where the object is what the thing was made of."""


class MemberCalls:
    """The calls of members in one script."""

    def __init__(self, subject: Subject, codes: Codes, handed: Handed, acts: Acts) -> None:
        self._subject = subject
        self._codes = codes
        self._handed = handed
        self._acts = acts

    def judge_use(self, use: Use) -> None:
        """Judge a call as it is written, and what it reaches by reflection."""
        frame = use.frame
        target = self._subject.folder.one(use.node.parts[0], frame)
        name = text_of(self._subject.folder.one(use.node.parts[1], frame)).lower()
        ways = [self._subject.folder.fold(part, frame) for part in use.node.parts[2:34]]
        given = [one[0] for one in ways]
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
        self.judge(target, name, given, use)
        for at, others in enumerate(ways if given == [one[0] for one in ways] else ()):
            for other in others[1:]:
                self.judge(target, name, [*given[:at], other, *given[at + 1 :]], use)

    def _judge_field(self, field: Method, use: Use) -> None:
        """Judge the setting of a field that only reflection reaches."""
        kind = field.target.value.type if isinstance(field.target.value, (Made, TypeName)) else ""
        self._subject.report.add(
            self._subject.span(use), "code.reflective", kind or None, "resolved", use.frame.function
        )
        if "amsi" in kind or "amsi" in field.name:
            self._subject.report.add(self._subject.span(use), "privilege", "AMSI", "resolved", use.frame.function)

    def judge(self, target: Item, name: str, given: list[Item], use: Use) -> None:
        """Judge the call of a member."""
        kind = target.value.type if isinstance(target.value, (Made, TypeName)) else ""
        if isinstance(target.value, str) and target.value != HOLE and (_FILE, name) in types().members:
            target = Item(Made(_FILE, (target,)), target.flags, target.host)  # `Get-Item` gives a file, not a text.
            kind = _FILE
        is_sensitive = kind in types().known
        span, function = self._subject.span(use), use.frame.function
        if HOLE in name:
            if is_sensitive:
                self._subject.report.add(span, "code.reflective", kind, "possible", function)
            return
        member = types().members.get((kind, name))
        how = self._subject.resolution(target) if target.value != HOLE else "direct"
        if member is None and (kind == "" or kind == "reflection.member"):
            member, how = types().alone.get(name), "possible"
        if kind and name not in ("gettype", "tostring"):
            words = [text_of(item) for item in given]
            self._subject.report.event("command", f"{kind}.{name}", span, words, how, function)
        if kind == "management.automation.scriptblock" or (kind == "scriptblock" and name.startswith("invoke")):
            self._codes.run(target, use)
            return
        if name in ("invoke", "invokereturnasis") and target.flags & (FETCHED | DECODED):
            self._codes.run(target, use)
        self._handed.judge_method(target, name, given, use)
        if member is None:
            return
        for act in member.acts:
            named = [given[act.position]] if 0 <= act.position < len(given) else []
            if act.kind and not named and isinstance(target.value, Made) and target.value.given:
                named = [target.value.given[0]] if member.returns == "fetched" or act.parameters == _ITS_OWN else []
            if kind == "reflection.assembly" and act.capability == "code.native":
                self._judge_assembly(named, use)
            self._acts.add(act, [one for one in named if not isinstance(one.value, Many)], use, how)
        if kind == "win32.registry" and name == "setvalue" and len(given) > 1:
            self._subject.report.add_path(span, "fs.write", f"{text_of(given[0])}\\{text_of(given[1])}", how, function)

    def _judge_assembly(self, named: Sequence[Item], use: Use) -> None:
        report, span, function = self._subject.report, self._subject.span(use), use.frame.function
        for item in named:
            if item.flags & FETCHED:
                report.add(span, "code.fetched", self._subject.host(item), "resolved", function)
            if item.flags & DECODED:
                report.add(span, "code.obfuscated", None, "resolved", function)

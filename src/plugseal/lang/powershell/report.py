"""What a script of PowerShell yields: as a shell's report, with the paths and variables of Windows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.judging.objects import cut_object, share_of
from plugseal.lang.shell.judging.report import Report
from plugseal.lang.shell.words.marks import OWN
from plugseal.model.location import Span
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugseal.lang.programs import Act

_RUN_KEY: Final = lazy(
    r"\\(?:CurrentVersion\\(?:Policies\\Explorer\\)?Run(?:Once|OnceEx|Services)?|Winlogon|Image File Execution Options"
    r"|Policies\\Explorer\\Run|Windows\\AppInit_DLLs|Active Setup\\Installed Components|BootExecute"
    r"|UserInitMprLogonScript|shell\\open\\command|InprocServer32|Command Processor|Environment"
    r"|Outlook\\(?:WebView|Addins|Today)|Office\\Addins|Office test\\Special\\Perf|Terminal Server\\(?:AddIns|Wds)"
    r"|Control\\Print\\(?:Monitors|Providers)|Microsoft\\NetSh|SilentProcessExit|CurrentVersion\\Svchost|AppCertDlls"
    r"|TimeProviders|ms-settings\\(?:CurVer|shell)|Accessibility\\ATs|NetworkProvider\\Order|LsaDbExtPt"
    r"|DirectoryServiceExtPt|Lsa\\(?:Notification|Security|Authentication) Packages"
    r"|Services\\[^\\]{1,64}\\(?:Parameters\\)?(?:ImagePath|ServiceDll|AutodialDLL)|shell\\[^\\]{1,64}\\command"
    r"|Terminal Server Client(?:\\Default\\AddIns|\\ClxDllPath)|User Shell Folders\\(?:Common )?Startup"
    r"|Lsa\\OSConfig\\Security Packages|AppCompatFlags\\(?:Custom|InstalledSDB)|Control Panel\\Desktop\\SCRNSAVE\.EXE"
    r"|Word\\Options\\STARTUP-PATH)"
    r"(?:\\|$)",
    re.IGNORECASE,
)
_PROTECTIONS: Final = lazy(
    r"Windows Defender|WindowsFirewall|Policies\\System|\\Lsa(?:\\|$)|WDigest|PowerShell\\(?:ScriptBlockLogging|"
    r"ModuleLogging|Transcription)|AMSI|DisableAntiSpyware|EnableLUA",
    re.IGNORECASE,
)
_PROFILE: Final = lazy(
    r"(?:Microsoft\.PowerShell(?:ISE)?_|(?:^|[/\\]))profile\.ps1$|[/\\]WindowsPowerShell[/\\]Modules[/\\]|"
    r"Start Menu[/\\]Programs[/\\]Startup",
    re.IGNORECASE,
)
_VAULT: Final = lazy(
    r"Microsoft[/\\](?:Protect|Credentials|Vault)(?:[/\\]|$)|config[/\\](?:SAM|SECURITY|SYSTEM)$|ntds\.dit|"
    r"HK(?:LM|EY_LOCAL_MACHINE):?\\(?:SAM|SECURITY)|ConsoleHost_history\.txt|unattend\.xml|sysprep\.inf|lsass|"
    r"(?:Firefox|Thunderbird)[/\\]Profiles[/\\]?(?:[^/\\]*[/\\]?)?$|SOFTWARE\\(?:SimonTatham\\PuTTY|OpenSSH\\Agent)|Winlogon\\DefaultPassword|AutoAdminLogon",
    re.IGNORECASE,
)
_HISTORY: Final = lazy(r"ConsoleHost_history\.txt$", re.IGNORECASE)
_REGISTRY: Final = lazy(
    r"(?:Registry::|Microsoft\.PowerShell\.Core\\Registry::)?HK(?:LM|CU|CR|U|CC|EY_\w+):?(?:[\\/]|$)", re.I
)
_STREAM: Final = lazy(
    r"(?:[A-Za-z]:|[^:]*[\\/])?[^:\\/]*\.\w{1,8}:(?!:)[^:\\/]+(?::\$DATA)?\Z|[A-Za-z]:[^:]*:[^:\\/]+\Z", re.I
)
"""A second stream of a file: no listing shows it."""
_MAX_WORDS: Final = 64
_LONGEST_OPTION: Final = 32
_NO_FILE: Final = frozenset(("nul", "$null", "con", ""))
_DRIVES: Final = lazy(r"(?:variable|alias|function|cert|wsman):", re.I)


class WindowsReport(Report):
    """The facts, events and nested texts of one script."""

    def add_path(self, span: Span, capability: str, text: str, resolution: str, function: str) -> None:
        """Add what is done to a path or a key of the registry, and what that means."""
        if text.lower() in _NO_FILE or _DRIVES.match(text):
            return
        if _REGISTRY.match(text):
            self._add_key(span, capability, text, resolution, function)
            return
        if OWN in text:
            text = text.replace("\\", "/")
        super().add_path(span, capability, text, resolution, function)
        found = cut_object("path", self.plain(text))
        self._add_place(span, text, found, resolution, function)
        if capability == "fs.read" and _VAULT.search(text):
            self.add(span, "credentials.read", found, resolution, function)
        if capability == "fs.write" and _PROFILE.search(text):
            self.add(span, "persistence", found, resolution, function)
        if capability in ("fs.delete", "fs.write") and _HISTORY.search(text):
            self.add(span, "code.obfuscated", found, resolution, function)

    def add_program(self, span: Span, word: str, resolution: str, function: str) -> None:
        """Add the start of a program, and what the place means that it lies at."""
        super().add_program(span, word, resolution, function)
        self._add_place(span, word, cut_object("path", self.plain(word)), resolution, function)

    def own(self, text: str) -> str:
        """Return a path beside the script, below the scanned root, whichever way its parts are parted."""
        return super().own(text.replace("\\", "/"))

    def add_shares(self, span: Span, words: Sequence[str], resolution: str, function: str) -> None:
        """Add the machines whose shared folders stand among a program's words, behind an option as well."""
        for word in words[:_MAX_WORDS]:
            at = word.find("\\\\")
            share = share_of(word, at) if 0 <= at <= _LONGEST_OPTION else None
            if share is not None and (at == 0 or word[at - 1] in ":="):
                self.add_host(span, "net.outbound", share, resolution, function)

    def add_acts(self, span: Span, acts: Iterable[Act], how: str, function: str) -> list[str]:
        """Add what a program of awk or sed does, and return the lines that it gives to a shell."""
        lines = []
        for act in acts:
            if act.kind == "path" and act.named:
                self.add_path(span, act.capability, act.named, how, function)
            elif act.kind == "host":
                self.add_host(span, act.capability, act.named, how, function)
            else:
                is_line = act.kind == "line" and act.named is not None
                self.add(span, act.capability, None if is_line else act.named, how, function)
                lines += [act.named] if is_line and act.named is not None else []
        return lines

    def _add_place(self, span: Span, text: str, found: str | None, resolution: str, function: str) -> None:
        """Add what the place of a file means: another machine, or a stream that is hidden behind a file."""
        share = share_of(text)
        if share is not None:
            self.add_host(span, "net.outbound", share, resolution, function)
        elif "://" not in text and _STREAM.match(text):
            self.add(span, "code.obfuscated", found, resolution, function)

    def _add_key(self, span: Span, capability: str, text: str, resolution: str, function: str) -> None:
        found = cut_object("path", text)
        self.add(span, capability, found, resolution, function)
        self.add(span, "path.outside", found, resolution, function)
        if capability == "fs.read" and _VAULT.search(text):
            self.add(span, "credentials.read", found, resolution, function)
        if capability in ("fs.write", "fs.delete"):
            if capability == "fs.write" and _RUN_KEY.search(text.replace("/", "\\")):
                self.add(span, "persistence", found, resolution, function)
            if _PROTECTIONS.search(text):
                self.add(span, "privilege", found, resolution, function)

"""Say which files a script of Windows runs that it has fetched before: by the paths that its own facts name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from plugseal.lang.shell.judging.report import Report
    from plugseal.model.location import Span

_RUNNERS: Final = frozenset(
    """
    powershell pwsh cmd python python3 py node bash sh perl ruby php java dotnet cscript wscript mshta regsvr32 rundll32
    msiexec start start-process invoke-item invoke-expression import-module installutil regasm msbuild call bun deno
    """.split()
)
"""What runs a file that stands among its words."""
_STARTS: Final = frozenset(("process.exec", "code.native", "code.import"))


def add_fetched_runs(report: Report) -> None:
    """Add that a file is run which the script has fetched before."""
    by_place: dict[Span, list[tuple[str, str | None, str]]] = {}
    for span, capability, found, _, function in report.found:
        by_place.setdefault(span, []).append((capability, found, function))
    words: dict[Span, list[str]] = {}
    for _, name, span, arguments, _, _ in report.events:
        if name.lower().removesuffix(".exe") in _RUNNERS:
            words.setdefault(span, []).extend(word for word in arguments if isinstance(word, str))
    fetched: dict[str, str | None] = {}
    for span in sorted(by_place):
        facts = by_place[span]
        if fetched:
            named = [found for capability, found, _ in facts if capability in _STARTS and found]
            run = next((key for key in map(_key, [*named, *words.get(span, ())]) if key in fetched), None)
            if run is not None:
                report.add(span, "code.fetched", fetched[run], "resolved", facts[0][2])
        hosts = [found for capability, found, _ in facts if capability == "net.outbound"]
        if hosts:
            host = next((found for found in sorted(filter(None, hosts))), None)
            written = [found for capability, found, _ in facts if capability == "fs.write" and found]
            fetched.update((_key(path), host) for path in written if len(_key(path)) > 1)


def _key(path: str) -> str:
    """Return a path as Windows compares it; `.\\\\A.exe` is `a.exe`."""
    return path.strip("\"'").replace("\\", "/").removeprefix("./").lower()

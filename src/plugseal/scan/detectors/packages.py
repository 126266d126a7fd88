"""Code that is fetched at start: packages without an exact version, downloads that a shell runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.lang.searched import without_searched
from plugseal.model.plugin import Component, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.detectors.known_packages import mistaken_for
from plugseal.scan.launches import launches, shell_line
from plugseal.scan.matching.values import MAX_MATCHED_CHARACTERS, searches
from plugseal.systems.launching.launch import shell_commands
from plugseal.systems.launching.packages import fetched_by_line, fetched_packages
from plugseal.systems.launching.pinning import is_exact

_PACKAGE_NAME: Final = lazy(r"@?[^@=<>~!\s\[]+")
_CONTAINERS: Final = frozenset({"docker", "podman", "nerdctl"})


def look_for_unpinned(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find packages and images that a component fetches by a name which may stand for other code tomorrow."""
    for component in plugin.components:
        for package in sorted(_fetched(component)):
            if not _LOCAL.match(package) and not is_exact(
                package, container=any(one.program in _CONTAINERS for one in launches(component))
            ):
                yield ManifestHit(component, _word(component, package), "no exact version", package)


_LOCAL: Final = lazy(r"file:|\.{1,2}[/\\]|[/~]|[A-Za-z]:[/\\]")
"""A package in a folder: what is there is not fetched."""


def look_for_mistyped(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find packages that a component fetches under a name that is one slip away from a well-known one."""
    for component in plugin.components:
        for package in sorted(_fetched(component)):
            name = _PACKAGE_NAME.match(package)
            meant = mistaken_for(name[0]) if name is not None else ""
            if meant:
                yield ManifestHit(component, _word(component, package), f"like `{meant}`", package)


def look_for_piped_download(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find lines that hand a download straight to an interpreter."""
    for component in plugin.components:
        line = shell_line(component)
        said = piped_download(line) if line is not None else ""
        if line is not None and said:
            url = next((word for words in shell_commands(line) for word in words if "://" in word), None)
            yield ManifestHit(component, line, said, url)


def piped_download(line: str) -> str:
    """Say in a few words how a shell line downloads something and runs it, empty if not; linear in its length."""
    line = _SAID.sub("", without_searched(line[:MAX_MATCHED_CHARACTERS]))
    parts = _ENDS.split(line)
    downloads = 0
    for number, part in enumerate(parts):
        download = _DOWNLOADS.search(part)
        if download is None:
            continue
        into = _INTO.search(part, download.end())
        if into is not None and part[download.end() : into.start()].strip():
            return _RUN
        downloads += 1
        later = _run_later(part, parts[number + 1 :]) if downloads <= _MAX_DOWNLOADS else ""
        if later:
            return later
    return _RUN if searches(_SUBSTITUTED, line) else ""


def _run_later(download: str, later: list[str]) -> str:
    """Say whether the file that a command downloads to is run, or made executable, by a later one."""
    target = _TARGET.search(download)
    if target is None or len(target[1]) < _SHORTEST_NAME:
        return ""
    file = target[1]
    parts = [part for part in later if file in part and _RUNS_FILE.match(part)]
    if any(_is_started(file, part) for part in parts):
        return _RUN
    return _MADE_PROGRAM if any("chmod" in part.split()[:2] for part in parts) else ""


def _is_started(file: str, part: str) -> bool:
    """Say whether a file is what a command starts, not what it hands to something else."""
    words = [word.strip("\"'()") for word in part.split()]
    if "chmod" in words[:2]:
        return False
    started = [word for word in words if not word.startswith("-")][:3]
    while len(started) > 1 and not any(mark in started[0] for mark in "./~$"):
        del started[0]
    return bool(started) and (file in started[0] or started[0].endswith(file))


_RUN: Final = "the download is run"
_MADE_PROGRAM: Final = "the download is made a program"
_SAID: Final = lazy(
    r"(?m)(?:^|(?<=[;&]))[ \t]{0,8}(?:echo|printf|[Ww]rite-(?:[Hh]ost|[Oo]utput))[ \t]{1,8}(?:-\w{1,3}[ \t]{1,8})?"
    r"(?:\"[^\"`$\n\\]{0,400}\"|'[^'\n]{0,400}')[ \t]{0,8}(?=$|[;&])"
)
"""What is only printed, to nobody but a reader."""
_ENDS: Final = lazy(r"[\n;&]")
_LOADERS: Final = tuple("curl wget iwr irm invoke-webrequest invoke-restmethod aria2c".split())
_DOWNLOADS: Final = lazy(r"(?i)\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c)\b", needs=_LOADERS)
_INTO: Final = lazy(
    r"(?i)\|[ \t]{0,8}(?:sudo[ \t]{1,8}(?:-[A-Za-z]{1,8}[ \t]{1,8})?)?(?:env[ \t]{1,8})?(?:/[a-z/]{1,20}/)?"
    r"(?:ba|z|da|k|a|fi)?(?:sh|python[0-9.]{0,6}|node|perl|ruby|php|iex|pwsh|powershell)\b"
    # With code or a script of its own the interpreter takes the download for data.
    r"(?![ \t]{1,8}(?:-[a-zA-Z]{1,12}[ \t]{1,8})?"
    r"(?:-[a-zA-Z]{0,4}[cmep]\b|--eval\b|[\w./-]{1,80}\.(?:py|[cm]?js|rb|pl|sh)\b))"
)
_MAX_DOWNLOADS: Final = 20
_SHORTEST_NAME: Final = 2
_TARGET: Final = lazy(r"(?:>|-o|-O|--output|--output-document|-OutFile)[ =]{0,4}[\"']?([^\s\"'-][^\s\"']{0,255})")
_RUNS_FILE: Final = lazy(
    r"(?i)[ \t(]{0,8}(?:sudo )?(?:(?:/[a-z/]{1,20}/)?(?:ba|z|da|k)?sh|python[0-9.]{0,6}|node|perl|source|\.|chmod"
    r"|exec|nohup|start) |[ \t(]{0,8}[\"']?[./~$]"
)
_SUBSTITUTED: Final = lazy(
    r"(?i)\b(?:eval|source|bash[ \t]{1,8}-c|sh[ \t]{1,8}-c|iex|\.)[ \t]{1,8}[\"']?(?:\$\(|<\(|`|\()[ \t]{0,8}"
    r"(?:curl|wget|iwr|irm)\b"
    r"|\b(?:ba|z|da|k)?sh[ \t]{1,8}<\([ \t]{0,8}(?:curl|wget)\b",
    needs=("curl", "wget", "iwr", "irm"),
)


def _fetched(component: Component) -> set[str]:
    if not component.command:
        return set()
    found = fetched_by_line(component.command[0]) if component.shell else fetched_packages(component.command)
    return {package for package in found if package is not None}


def _word(component: Component, package: str) -> str:
    return next((word for word in component.command if package in word), package)

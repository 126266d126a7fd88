"""Code that is fetched at start: packages without an exact version, downloads that a shell runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.plugin import Component, Plugin
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.launches import launches, shell_line
from plugseal.scan.values import MAX_MATCHED_CHARACTERS, compiled, searches
from plugseal.systems.launch import shell_commands
from plugseal.systems.packages import fetched_by_line, fetched_packages

_EXACT: Final = (
    r"(?:@|==)v?[0-9]+(?:\.[0-9]+){1,3}(?:[-+.]?[0-9A-Za-z.+-]*)?(?:/.*)?$"  # name@1.2.3, name==1.2, go's @v1.2.3
    r"|@v?[0-9]+\.[0-9]+\.[0-9]+/"  # a URL with its version
    r"|@sha256:[0-9a-f]{64}$"
    r"|[@#/=][0-9a-f]{40}(?:[/#?].*)?$"  # a commit
)
_TAG: Final = r":v?[0-9]+\.[0-9]+(?:\.[0-9]+)?[0-9A-Za-z._-]*$"
_CONTAINERS: Final = frozenset({"docker", "podman", "nerdctl"})


def look_for_unpinned(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find packages and images that a component fetches by a name which may stand for other code tomorrow."""
    for component in plugin.components:
        for package in sorted(_fetched(component)):
            if not is_exact(package, container=any(one.program in _CONTAINERS for one in launches(component))):
                yield ManifestHit(component, _word(component, package), "no exact version", package)


def look_for_piped_download(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find lines that hand a download straight to an interpreter."""
    for component in plugin.components:
        line = shell_line(component)
        if line is not None and is_piped_download(line):
            url = next((word for words in shell_commands(line) for word in words if "://" in word), None)
            yield ManifestHit(component, line, "the download is run", url)


def is_piped_download(line: str) -> bool:
    """Say whether a shell line downloads something and runs it; linear in the line's length."""
    for part in compiled(_ENDS).split(line[:MAX_MATCHED_CHARACTERS]):
        download = compiled(_DOWNLOADS).search(part)
        if download is not None and compiled(_INTO).search(part, download.end()):
            return True
    return searches(_SUBSTITUTED, line)


_ENDS: Final = r"[\n;&]"
_DOWNLOADS: Final = r"(?i)\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c)\b"
_INTO: Final = (
    r"(?i)\|[ \t]{0,8}(?:sudo[ \t]{1,8}(?:-[A-Za-z]{1,8}[ \t]{1,8})?)?(?:env[ \t]{1,8})?(?:/[a-z/]{1,20}/)?"
    r"(?:ba|z|da|k|a|fi)?(?:sh|python[0-9.]{0,6}|node|perl|ruby|php|iex|pwsh|powershell)\b"
)
_SUBSTITUTED: Final = (
    r"(?i)\b(?:eval|source|bash[ \t]{1,8}-c|sh[ \t]{1,8}-c|iex|\.)[ \t]{1,8}[\"']?(?:\$\(|<\(|`|\()[ \t]{0,8}"
    r"(?:curl|wget|iwr|irm)\b"
    r"|\b(?:ba|z|da|k)?sh[ \t]{1,8}<\([ \t]{0,8}(?:curl|wget)\b"
)


def is_exact(package: str, *, container: bool = False) -> bool:
    """Say whether a package, image or URL as written always stands for the same code, as far as its source promises."""
    if searches(_EXACT, package):
        return True
    return container and searches(_TAG, package)


def _fetched(component: Component) -> set[str]:
    if not component.command:
        return set()
    found = fetched_by_line(component.command[0]) if component.shell else fetched_packages(component.command)
    return {package for package in found if package is not None and not _is_script(package)}


def _is_script(package: str) -> bool:
    """Leave downloads that are piped to an interpreter to their own rule, and variables to the reader's."""
    return package.startswith(("$", "{"))


def _word(component: Component, package: str) -> str:
    return next((word for word in component.command if package in word), package)

"""Where packages come from: settings that take them from another place than everybody else does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.limits import MAX_ARGUMENTS
from plugseal.model.plugin import ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.systems.launching.launch import base_name, hosts

_SYSTEMS: Final = frozenset({"tooling"})
_USUAL: Final = lazy(
    r"(?:.+\.)?(?:npmjs\.org|npmjs\.com|yarnpkg\.com|npm\.pkg\.github\.com|pypi\.org|pythonhosted\.org|jsr\.io"
    r"|download\.pytorch\.org|pypi\.nvidia\.com|crates\.io)"
    r"|localhost|127\.[0-9.]+|\[?::1\]?"
)
"""Registries that everybody uses, and the machine itself."""


_OPTION: Final = lazy(r"--(?:registry|index-url|extra-index-url|default-index|index|pip-args)|-i", needs=("--", "-i"))
_VARIABLE: Final = lazy(
    r"(?i)npm_config_(?:.+_)?registry|(?:uv|pip)_(?:extra_)?index_url|uv_(?:default_)?index|yarn_npm_registry_server"
)
_FETCHER: Final = lazy(r"(?:npx|npm|pnpm|pnpx|yarn|bunx|bun|uvx|uv|pip[0-9.]*|pipx)")


def _optioned(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the addresses that options of a package manager name, up to the words of what it starts."""
    if not words or not _FETCHER.fullmatch(base_name(words[0])):
        return
    for at, word in enumerate(words[1:MAX_ARGUMENTS], 1):
        name, _, value = word.partition("=")
        if _OPTION.fullmatch(name):
            yield value or (words[at + 1] if at + 1 < len(words) else "")


def _set(literals: tuple[tuple[str, str], ...]) -> Iterator[str]:
    yield from (value for name, value in literals if _VARIABLE.fullmatch(name))


def look_for_other_registries(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find settings and options by which a package manager fetches from a place of its own."""
    for component in plugin.components:
        for address in (*_optioned(component.command), *_set(component.literals)):
            host = next(iter(hosts(address)), None)
            if host is not None and not _USUAL.fullmatch(host):
                yield ManifestHit(component, address, "packages come from there", host)
        if plugin.system not in _SYSTEMS:
            continue
        if component.kind is ComponentKind.SETTING and component.trigger == "install" and component.endpoint:
            host = next(iter(hosts(component.endpoint)), None)
            if host is None or not _USUAL.fullmatch(host):
                yield ManifestHit(component, component.endpoint, "packages come from there", host)

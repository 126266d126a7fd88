"""Where Claude Code fetches plugins and marketplaces from, and what binds it: a commit, a digest, a version, nothing.

See: https://code.claude.com/docs/en/plugin-marketplaces
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from plugseal.model.plugin import Package, Pinning
from plugseal.patterns import lazy

_COMMIT: Final = lazy(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")
_VERSION: Final = lazy(r"v?[0-9]+\.[0-9]+\.[0-9][0-9A-Za-z.+-]*")
_GIT: Final = frozenset({"github", "url", "git", "git-subdir", "gitlab", "bitbucket"})
_BESIDE: Final = lazy(r"\.{1,2}(?:/.*)?")
"""An address that is a path: the repository is the one that the marketplace lies in, or one beside it."""
_PLACES: Final = frozenset({"directory", "file", "local", "settings", "hostPattern", "pathPattern"})
"""Sources of marketplaces that lie on the machine."""


def is_beside(address: str) -> bool:
    """Say whether an address is a path from the marketplace on: nothing is fetched from anywhere."""
    return _BESIDE.fullmatch(address) is not None


def source_package(source: object) -> Package | None:
    """Return what a source of a plugin or a marketplace fetches.

    Returns:
        None where the source is of a kind that is not known; a package of the source `local` where nothing is fetched.
    """
    if isinstance(source, str):
        return Package(source, "local" if "://" not in source else "git", Pinning.FLOATING.value)
    if not isinstance(source, Mapping):
        return None
    kind = source.get("source")
    if not isinstance(kind, str):
        return None
    if kind in _GIT:
        return _git(source)
    if kind == "npm":
        return _npm(source)
    if kind == "archive":
        return _archive(source)
    if kind == "command":
        return Package(_text(source, "command") or None, "command", Pinning.FLOATING.value)
    return Package(_text(source, "path") or None, "local", Pinning.FLOATING.value) if kind in _PLACES else None


def _git(source: Mapping[str, object]) -> Package:
    repository = _text(source, "repo") or _text(source, "url")
    if is_beside(repository):
        return Package(repository, "local", Pinning.FLOATING.value)
    if re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        repository = f"https://github.com/{repository}"
    commit, reference = _text(source, "sha"), _text(source, "ref")
    name = f"{repository}@{commit or reference}" if commit or reference else repository
    if _COMMIT.fullmatch(commit):
        return Package(name, "git", Pinning.EXACT.value, commit.lower())
    pinning = Pinning.VERSIONED if reference else Pinning.FLOATING
    return Package(name or None, "git", pinning.value)


def _npm(source: Mapping[str, object]) -> Package:
    name, version = _text(source, "package"), _text(source, "version")
    written = f"{name}@{version}" if version else name
    if not version or version == "latest":
        return Package(written or None, "npm", Pinning.FLOATING.value)
    return Package(written, "npm", (Pinning.EXACT if _VERSION.fullmatch(version) else Pinning.VERSIONED).value)


def _archive(source: Mapping[str, object]) -> Package:
    digest = _text(source, "sha256").lower()
    is_bound = re.fullmatch(r"[0-9a-f]{64}", digest) is not None
    pinning = Pinning.EXACT if is_bound else Pinning.URL
    return Package(_text(source, "url") or None, "archive", pinning.value, f"sha256:{digest}" if is_bound else "")


def _text(source: Mapping[str, object], key: str) -> str:
    value = source.get(key)
    return value if isinstance(value, str) else ""

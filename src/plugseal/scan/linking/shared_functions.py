"""Commands of one script that are functions of another one, which it reads or which reads it: no program is started.

A script says in its exports which functions it has and which files it reads into itself (`READS`). Scripts that are
read into each other share their functions; one that reads a file whose name can't be told may share those of any, and
that it reads it is a fact of its own. The name of a well-known program stays one.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final

from plugseal.lang.facts import READS, FileFacts
from plugseal.model.capability import Fact
from plugseal.scan.linking.linkable import Linkables

SHELLS: Final = frozenset({"shell"})
WINDOWS: Final = frozenset({"PowerShell"})
_MAX_LOOKED_AT: Final = 200_000
"""Pairs of a name with stars and a file; beyond that, files are taken for apart."""


def _names_of_others(files: Mapping[str, FileFacts]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield, for each script that shares functions with others, the names that are functions there.

    Args:
        files: scripts of one language by path, with their exports.
    """
    functions: dict[str, set[str]] = {}
    reads: dict[str, tuple[str, ...]] = {}
    for path in sorted(files):
        exports = dict(files[path].exports)
        reads[path] = exports.pop(READS, ())
        functions[path] = set(exports)
    for group in _groups(reads):
        shared = frozenset[str]().union(*(functions[path] for path in group))
        if shared and len(group) > 1:
            yield from ((path, shared) for path in sorted(group))


def iterate_shared(linkables: Linkables) -> Iterator[tuple[str, frozenset[str], bool]]:
    """Yield, for each script of a shell, the functions that others share with it, and whether any case names them."""
    for languages, folds in ((SHELLS, False), (WINDOWS, True)):
        for path, names in _names_of_others(linkables.of(languages)):
            yield path, names, folds


def is_call(fact: Fact, names: Collection[str], *, folds: bool) -> bool:
    """Say whether a fact is the start of a program that is a function instead.

    Args:
        fact: of the script's own text; in what it runs as text another shell may be at work.
        names: of functions.
        folds: whether names are the same in any case.
    """
    if fact.capability != "process.exec" or fact.channel != "shell" or fact.object is None:
        return False
    return (fact.object.lower() if folds else fact.object) in names


def _groups(reads: Mapping[str, Iterable[str]]) -> Iterable[set[str]]:
    """Return the scripts that are read into each other, at once or by way of others."""
    groups = {path: {path} for path in reads}
    looked_at = 0
    for path, targets in reads.items():
        for target in targets:
            looked_at += len(reads) if "*" in target else 1
            if looked_at > _MAX_LOOKED_AT:
                continue
            for other in _meant(path, target, reads):
                _join(groups, path, other)
    return {id(group): group for group in groups.values()}.values()


def _join(groups: dict[str, set[str]], path: str, other: str) -> None:
    """Make one of the groups of two scripts; the larger one takes in the smaller."""
    large, small = groups[path], groups[other]
    if large is small:
        return
    if len(large) < len(small):
        large, small = small, large
    large |= small
    for one in small:
        groups[one] = large


def _meant(path: str, target: str, files: Collection[str]) -> Iterable[str]:
    """Return the scripts that a name may lead to: from the root, from the script's folder, or any that fits stars."""
    target = target.replace("\\", "/")
    if "*" in target:
        return [other for other in files if fnmatchcase(other, target.removeprefix("*/")) or fnmatchcase(other, target)]
    beside = posixpath.join(posixpath.dirname(path), target)
    return [other for other in {posixpath.normpath(target), posixpath.normpath(beside)} if other in files]

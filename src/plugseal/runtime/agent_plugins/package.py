"""A package as an agent may mount it: what of it is represented, and why the rest is not. Frozen data, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plugseal.records import NamedTuple


class Problem(NamedTuple):
    """Something that is not represented, or that its author or its agent's owner should know."""

    plugin: str
    path: str
    error: str
    component: str = ""
    """`mcp:name`, `skills/label`, `mcp.json`, or empty for what concerns no component."""
    is_skip: bool = True
    """Say that the component is not represented; a remark otherwise."""

    def as_json(self) -> dict[str, str]:
        """Return it as `info` shows it."""
        return {"plugin": self.plugin, "path": self.path, "error": self.error}


@dataclass(frozen=True, slots=True)
class Package:
    """One package that its manifest makes a plugin; all text in it is hostile."""

    name: str
    version: str
    summary: str
    homepage: str
    source: str
    """Its real folder, absolute."""
    digest: str
    """Of everything in it when it was read, links as links."""
    skills: tuple[str, ...]
    """Labels, `group/nested` below a group."""
    servers: Mapping[str, Mapping[str, object]]
    """By name, sorted: each as `mcp.json` has it, the plugin's own paths absolute."""
    problems: tuple[Problem, ...] = ()
    path: str = ""
    """As the agent's configuration names it, or what it lies in."""

    def skipped(self) -> list[dict[str, str]]:
        """Return what of it is not represented, as `info` shows it."""
        return [{"component": p.component or p.path, "reason": p.error} for p in self.problems if p.is_skip]


class SearchPath(NamedTuple):
    """What one configured path holds."""

    raw: str
    resolved: str
    exists: bool
    packages: tuple[Package, ...]
    problems: tuple[Problem, ...]


class Catalog(NamedTuple):
    """What all configured paths hold, the first of a name alone."""

    packages: tuple[Package, ...]
    problems: tuple[Problem, ...]
    paths: Mapping[str, Mapping[str, object]]
    """As `info` reports each configured path."""


def build_catalog(found: tuple[SearchPath, ...]) -> Catalog:
    """Return the packages of all paths in their order; a second one of a name is a problem, never a replacement."""
    packages: dict[str, Package] = {}
    problems: list[Problem] = []
    paths: dict[str, Mapping[str, object]] = {}
    for path in found:
        problems += path.problems
        kept = 0
        for package in path.packages:
            first = packages.setdefault(package.name, package)
            if first is package:
                kept += 1
                problems += package.problems
            elif first.source != package.source:
                why = f"duplicate plugin name '{package.name}': the one at {first.source} is first"
                problems.append(Problem(package.name, package.source, why))
        paths[path.raw] = {"resolved": path.resolved, "exists": path.exists, "plugins": kept}
    return Catalog(tuple(packages.values()), tuple(problems), paths)

"""Registration: what the declared packages of an agent come to, and the snapshot of it that `info` reports.

Two tiers. A declared package is registered: its skills are listed, each of its servers gets a record. One that is only
come across is discovered: counted, and nothing else. Registered is not running, and not trusted.
The snapshot binds the bytes that were registered, so that a package that changed since is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from plugseal.model.registry_record import SOURCE_PREFIX
from plugseal.records import NamedTuple
from plugseal.runtime.agent_plugins.init import Init
from plugseal.runtime.agent_plugins.package import Catalog, Package
from plugseal.runtime.agent_plugins.records import build_record
from plugseal.runtime.agent_plugins.registry import Line, RegistryPlan, plan_registry

_OURS = ("digest", "path")
"""Of a kept row: what `info` does not show."""
_NO_SKILLS = "the agent has no `skills` capability: the plugin's skills are listed nowhere"


class Registered(NamedTuple):
    """One declared package after a registration."""

    package: Package
    records: Mapping[str, Mapping[str, object]]
    """Name to record of the servers that have one."""
    skipped: tuple[Mapping[str, str], ...]

    def as_json(self, *, has_skills: bool) -> dict[str, Any]:
        """Return it as `info` shows it.

        Args:
            has_skills: whether the agent has the capability that skills belong to.
        """
        package = self.package
        skipped = [dict(row) for row in self.skipped]
        if package.skills and not has_skills:
            skipped.append({"component": "skills/", "reason": _NO_SKILLS})
        return {
            **_facts(package),
            "skills": list(package.skills),
            "skill_count": len(package.skills),
            "skills_mounted": bool(package.skills) and has_skills,
            "mcp_servers": list(package.servers),
            "mcp_server_count": len(package.servers),
            "mcp_registered": list(self.records),
            "skipped": skipped,
        }


class Mount(NamedTuple):
    """What one registration comes to."""

    registered: tuple[Registered, ...]
    plan: RegistryPlan


def build_mount(catalog: Catalog, registry: Iterable[Line]) -> Mount:
    """Return what registering the declared packages comes to.

    Args:
        catalog: the packages that are declared, in their order.
        registry: as it is now.
    """
    owners: dict[str, str] = {}
    desired: dict[str, Mapping[str, object]] = {}
    skipped: dict[str, list[Mapping[str, str]]] = {}
    for package in catalog.packages:
        rows = skipped.setdefault(package.name, list(package.skipped()))
        for server, spec in package.servers.items():
            record, why = build_record(package.name, server, spec)
            if record is None:
                rows.append(_skip(server, f"not registrable: {why}"))
            elif server in owners:
                rows.append(_skip(server, f"name already claimed by plugin '{owners[server]}'"))
            else:
                owners[server], desired[server] = package.name, record
    plan = plan_registry(tuple(registry), desired)
    for server, owner in plan.taken.items():
        why = f"name already registered by {owner!a}: rename the server in mcp.json, or remove the other"
        skipped[owners[server]].append(_skip(server, why))
        del desired[server]
    return Mount(tuple(_registered(package, desired, skipped) for package in catalog.packages), plan)


def build_snapshot(init: Init, mount: Mount) -> dict[str, Any]:
    """Return what is kept of a registration: what `info` reports, the records, and the bytes that they are about."""
    return {
        "declared": list(init.declared),
        "plugins": [
            {**one.as_json(has_skills=init.has_skills), "digest": one.package.digest, "path": one.package.path}
            for one in mount.registered
        ],
        "records": {name: dict(record) for one in mount.registered for name, record in one.records.items()},
        "mcp_appended": list(mount.plan.appended),
        "mcp_pruned": [name for name in mount.plan.pruned if name],
    }


def build_info(snapshot: Mapping[str, Any] | None, declared: Catalog, inherited: Catalog) -> dict[str, Any]:
    """Return the answer of `info`: the last registration, and beside it what is there now.

    Args:
        snapshot: of the last registration, None where there was none.
        declared: the declared packages as they are now.
        inherited: the packages that are only come across, as they are now.
    """
    kept = snapshot or {"declared": [], "plugins": [], "mcp_appended": [], "mcp_pruned": []}
    registered = [{key: value for key, value in one.items() if key not in _OURS} for one in kept["plugins"]]
    names = {one["name"] for one in registered}
    found = {package.name: package for package in (*declared.packages, *inherited.packages)[::-1]}
    there = [found[name] for name in dict.fromkeys(p.name for p in (*declared.packages, *inherited.packages))]
    discovered = [_catalog_row(package) for package in there if package.name not in names]
    problems = [problem.as_json() for problem in dict.fromkeys((*declared.problems, *inherited.problems))]
    return {
        "status": "ok",
        "declared": list(kept["declared"]),
        "registered_count": len(registered),
        "registered": registered,
        "discovered_count": len(discovered),
        "discovered": discovered,
        "mcp_appended": list(kept["mcp_appended"]),
        "mcp_pruned": list(kept["mcp_pruned"]),
        "paths": {**inherited.paths, **declared.paths},
        "problems": problems + list(_drifted(kept["plugins"], found)),
    }


def _registered(
    package: Package, desired: Mapping[str, Mapping[str, object]], skipped: Mapping[str, list[Mapping[str, str]]]
) -> Registered:
    source = SOURCE_PREFIX + package.name
    records = {name: record for name, record in desired.items() if record["source"] == source}
    return Registered(package, records, tuple(skipped[package.name]))


def _drifted(registered: Iterable[Mapping[str, Any]], found: Mapping[str, Package]) -> Iterable[dict[str, str]]:
    for one in registered:
        now = found.get(one["name"])
        if now is None:
            why = "it is registered and not there any more, or not declared: refresh"
        elif now.source != one["source"]:
            why = f"it is registered from {one['source']}: refresh"
        elif now.digest != one["digest"]:
            why = "it changed since it was registered: refresh, and review it again before it is started"
        else:
            continue
        yield {"plugin": one["name"], "path": one["source"], "error": why}


def _facts(package: Package) -> dict[str, Any]:
    facts = {"name": package.name, "version": package.version, "summary": package.summary, "source": package.source}
    return facts | ({"homepage": package.homepage} if package.homepage else {})


def _catalog_row(package: Package) -> dict[str, Any]:
    counts = {"skill_count": len(package.skills), "mcp_server_count": len(package.servers)}
    return {**_facts(package), **counts}


def _skip(server: str, reason: str) -> Mapping[str, str]:
    return {"component": f"mcp:{server}", "reason": reason}

"""An agent of lingtai and its Agent Plugins: register what is declared, say what is there. Starts nothing.

`refresh` alone writes: the registry of the agent, and the snapshot in the state folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from plugseal.errors import DataError, IntakeError
from plugseal.model.lingtai import Listed, PluginRow, Refreshed, ServerRow
from plugseal.runtime.agent_plugins.activation import find_candidates
from plugseal.runtime.agent_plugins.envelope import PluginTool
from plugseal.runtime.agent_plugins.files import AgentFolder, open_agent
from plugseal.runtime.agent_plugins.init import AUTOMATIC, INIT_FILE, Init, parse_init
from plugseal.runtime.agent_plugins.mount import build_info, build_mount, build_snapshot
from plugseal.runtime.agent_plugins.package import Catalog, build_catalog
from plugseal.runtime.agent_plugins.registry import (
    REGISTRY_FILE,
    Line,
    RegistryPlan,
    build_registry,
    parse_registry,
    registry_faults,
)
from plugseal.runtime.agent_plugins.render import render_section
from plugseal.runtime.agent_plugins.snapshot import read_snapshot, write_snapshot
from plugseal.trust.store import Store
from plugseal.verbs.lingtai.state import row_of

MANUAL: Final = Path(__file__).parents[2] / "runtime" / "agent_plugins" / "manual.md"


def refresh(agent: Path, store: Store, *, is_check: bool = False, is_prune: bool = False) -> Refreshed:
    """Register the plugins that an agent declares, and take away what it does not declare any more.

    Args:
        agent: the agent's folder.
        store: where the snapshot is kept.
        is_check: write nothing, and say what would be done.
        is_prune: only take away.

    Raises:
        NothingToJudgeError: there is no agent.
        IntakeError: its files can't be read.
        DataError: its configuration can be read in two ways; nothing was changed.
        StateError: the registry or the snapshot can't be written.
    """
    with open_agent(agent) as folder, folder.locked():
        init = _init(folder)
        before = folder.registry()
        lines = _lines(folder, before.data)
        declared = _catalog(folder, init.declared)
        problems = (*_remarks(folder, init, lines), *(problem.as_json() for problem in declared.problems))
        if not init.is_said:
            return Refreshed(folder.path, (), (), (), problems, is_changed=False, is_check=is_check)
        mount = build_mount(declared, lines)
        plan = _without_new(mount.plan) if is_prune else mount.plan
        data = build_registry(plan.lines)
        is_changed = bool(plan.pruned or plan.appended)
        if is_changed and not is_check:
            folder.replace_registry(before, data)
        if not is_check and not is_prune:
            write_snapshot(store.home, folder.path, build_snapshot(init, mount))
        rows = tuple(one.as_json(has_skills=init.has_skills) for one in mount.registered)
        pruned = tuple(name for name in plan.pruned if name)
        return Refreshed(folder.path, rows, plan.appended, pruned, problems, is_changed, is_check)


def ask_plugin(agent: Path, store: Store, envelope: object) -> dict[str, Any]:
    """Return the answer of the tool `plugin` to a call of it.

    Raises:
        NothingToJudgeError: there is no agent.
        CouldNotJudgeError: `info` can't be told.
    """
    return plugin_tool(agent, store).answer(envelope)


def plugin_tool(agent: Path, store: Store) -> PluginTool:
    """Return the tool `plugin` of an agent; nothing is read yet."""
    return PluginTool(
        info=lambda: read_info(agent, store),
        snapshot=lambda: _snapshot(agent, store),
        manual=_manual,
    )


def read_info(agent: Path, store: Store) -> dict[str, Any]:
    """Return the last registration of an agent and what is there now; registers nothing.

    Raises:
        NothingToJudgeError: there is no agent.
        IntakeError: its files can't be read.
        DataError: its configuration can be read in two ways.
        StateError: the snapshot can't be believed.
    """
    with open_agent(agent) as folder:
        init, lines = parse_agent(folder)
        snapshot = read_snapshot(store.home, folder.path)
        declared = _catalog(folder, init.declared)
        info = build_info(snapshot, declared, _inherited(folder, init))
        info["problems"] = [*_remarks(folder, init, lines), *info["problems"]]
        return info


def read_section(agent: Path, store: Store) -> str:
    """Return the section `<registered_plugin>` of an agent's prompt, empty where there is no plugin.

    Raises:
        PlugsealError: as `read_info`.
    """
    info = read_info(agent, store)
    return render_section(info["registered"], info["discovered"])


def list_agent(agent: Path, store: Store) -> Listed:
    """Return the plugins of an agent in both tiers, and every registered server with what keeps it from starting.

    Raises:
        PlugsealError: as `read_info`.
    """
    info = read_info(agent, store)
    tiers = (("registered", info["registered"]), ("discovered", info["discovered"]))
    plugins = tuple(_plugin_row(row, mount) for mount, rows in tiers for row in rows)
    return Listed(plugins, list_servers(agent, store))


def list_servers(agent: Path, store: Store) -> tuple[ServerRow, ...]:
    """Return every registered server with what keeps it from being started; no package is read.

    Raises:
        PlugsealError: as `read_info`.
    """
    with open_agent(agent) as folder:
        init, lines = parse_agent(folder)
        snapshot = read_snapshot(store.home, folder.path)
        if snapshot is None:
            return ()
        return tuple(row_of(one, store) for one in find_candidates(init, snapshot, lines))


def _plugin_row(row: dict[str, Any], mount: str) -> PluginRow:
    counts = row["skill_count"], row["mcp_server_count"]
    return PluginRow(row["name"], row["version"], mount, *counts, row["source"])


def parse_agent(folder: AgentFolder) -> tuple[Init, tuple[Line, ...]]:
    """Return an agent's configuration and its registry.

    Raises:
        NothingToJudgeError: there is no agent.
        IntakeError: they can't be read.
    """
    return _init(folder), _lines(folder, folder.registry().data)


def _init(folder: AgentFolder) -> Init:
    try:
        return parse_init(folder.init())
    except DataError as error:
        raise IntakeError(f"`{INIT_FILE}`: {error.message}", place=folder.place(INIT_FILE)) from error


def _lines(folder: AgentFolder, data: bytes) -> tuple[Line, ...]:
    try:
        return parse_registry(data)
    except DataError as error:
        raise IntakeError(error.message, place=folder.place(REGISTRY_FILE)) from error


def _catalog(folder: AgentFolder, paths: Iterable[str]) -> Catalog:
    # What reads packages is the scanner's; what runs them needs none of it.
    from plugseal.verbs.lingtai.read import read_paths

    return build_catalog(read_paths(folder.path, paths))


def _inherited(folder: AgentFolder, init: Init) -> Catalog:
    """Return what is only come across; the agent's own folder of plugins is looked at if it is there."""
    own = [AUTOMATIC] if (Path(folder.path) / AUTOMATIC).is_dir() and AUTOMATIC not in init.declared else []
    return _catalog(folder, [*init.inherited, *own])


def _remarks(folder: AgentFolder, init: Init, lines: tuple[Line, ...]) -> list[dict[str, str]]:
    """Return what is wrong with the agent's own files, as `info` shows problems."""
    found = [(INIT_FILE, f"{key} {why}") for key, why in init.problems]
    if not init.is_said:
        found.append((INIT_FILE, "has no `manifest`: it declares nothing and takes nothing away"))
    found += [(REGISTRY_FILE, f"line {number}: {why}") for number, why in registry_faults(lines)]
    return [{"plugin": "", "path": folder.place(name), "error": why} for name, why in found]


def _without_new(plan: RegistryPlan) -> RegistryPlan:
    return plan._replace(lines=plan.lines[: len(plan.lines) - len(plan.appended)], appended=())


def _snapshot(agent: Path, store: Store) -> dict[str, Any] | None:
    with open_agent(agent) as folder:
        return read_snapshot(store.home, folder.path)


def _manual() -> tuple[str, str]:
    try:
        return MANUAL.read_text("utf-8"), str(MANUAL)
    except OSError as error:
        raise IntakeError("the manual is not installed", hint="install plugseal anew") from error

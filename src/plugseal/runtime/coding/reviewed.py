"""Hold a started plugin to what was reviewed of it: who it says it is, and what it says of its tools.

A plugin whose manifest names its tools has exactly those; one that tells them at run time alone is held to what it told
at its first start, which is pinned. A tool that is not as it was is denied, everything else works on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from plugseal.errors import SupervisorError
from plugseal.model.decision import Reason
from plugseal.model.texts import trim
from plugseal.runtime.approved import Document
from plugseal.runtime.coding.arguments import is_same
from plugseal.runtime.coding.load import Definition, Tool
from plugseal.runtime.frames import Frame
from plugseal.runtime.pins import PinGuard, Pinning
from plugseal.runtime.supervise import Session
from plugseal.shown import shown
from plugseal.trust.store import Store

Denied = Callable[[str], str]
"""From the name of a tool to why it may not be called, empty if it may."""


def verify_identity(definition: Definition, document: Document) -> None:
    """Refuse a process that says it is another plugin, or another version, than was reviewed.

    Raises:
        SupervisorError: it does.
    """
    told = (definition.plugin.id, definition.plugin.version)
    reviewed = (trim(document.name), trim(document.version))
    if told != reviewed:
        one, other = (f"`{shown(name)}` {shown(version)}" for name, version in (told, reviewed))
        raise SupervisorError(
            f"the process says that it is {one}, and what was reviewed is {other}",
            hint="report it to its author: the manifest and the process must say the same",
        )


def hold_tools(definition: Definition, session: Session, store: Store, *, on_event: Callable[[str], None]) -> Denied:
    """Return who denies tools that are not what was reviewed, or pinned.

    Args:
        definition: as the process told it.
        session: of the process.
        store: where tools are pinned.
        on_event: told what differs.

    Raises:
        StateError: what is pinned can't be believed.
    """
    declared = {one.name: dict(one.extra) for one in session.grant.document.components if one.kind == "tool"}
    if not declared:
        return _pinned(definition, session, store, on_event)
    differing = {tool.name for tool in definition.tools if not _is_as_declared(tool, declared.get(tool.name))}
    if differing:
        session.note("denied", Reason.TOOL_DRIFTED.value, f"tools: {len(differing):,} not as reviewed")
        names = ", ".join(f"`{shown(name)}`" for name in sorted(differing)[:5])
        on_event(f"{len(differing):,} tools are not what was reviewed: {names}")
    return lambda name: f"tool `{shown(name)}` is not what was reviewed" if name in differing else ""


def _pinned(definition: Definition, session: Session, store: Store, on_event: Callable[[str], None]) -> Denied:
    """Pin what was told, as what an MCP server tells of its tools is pinned."""
    grant = session.grant
    about = Pinning(store, grant.subject, grant.approval.token, grant.id, grant.component.label)
    guard = PinGuard(about, on_event=on_event, record=session.note)
    guard.on_request(Frame("1", "tools/list", {}))
    guard.on_response(
        Frame("1", None, {"result": {"tools": [_build(tool) for tool in definition.tools]}}), "tools/list"
    )
    return lambda name: guard.on_request(Frame("2", "tools/call", {"params": {"name": name}})) or ""


def _is_as_declared(tool: Tool, declared: Mapping[str, str] | None) -> bool:
    if declared is None:
        return False
    told = _build(tool)
    found: dict[str, Any] = {"name": tool.name}
    found.update((key, value) for key, text in declared.items() if (value := json.loads(text)))
    return is_same({key: value for key, value in told.items() if value}, found)


def _build(tool: Tool) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": dict(tool.schema),
        "label": tool.label,
        "guidelines": list(tool.guidelines),
        "executionMode": tool.mode.value,
    }

"""Checks of public cases that are judged by lingtai's own rules, on its verdict."""

from __future__ import annotations

import json
from typing import Any


def component_rejected(case: Any, check: dict[str, Any]) -> None:
    """Ask lingtai's verdict, whose rule on arguments it is: the server is skipped and the argument is named."""
    for name in check["trees"]:
        reasons = _skipped_by_verdict(case, name)
        assert len(reasons) == 1, f"{name}: {reasons}"
        assert repr(_argument(case, name)) in reasons[0], f"{name}: {reasons}"


def component_rejected_or_flagged(case: Any, check: dict[str, Any]) -> None:
    for name in check["trees"]:
        inventory = case.scan(case.main_tree / name)
        outside = [fact.object for _, fact in inventory.facts if fact.capability == "path.outside"]
        flagged = [row for report in inventory.plugins for row in _verdict(report).get("lets_through", ())]
        assert _skipped_by_verdict(case, name) or outside or flagged, name


def _skipped_by_verdict(case: Any, name: str) -> list[str]:
    rows = [row for r in case.scan(case.main_tree / name).plugins for row in _verdict(r).get("skipped", ())]
    return [row["reason"] for row in rows if row["component"].startswith("mcp:")]


def _verdict(report: Any) -> dict[str, Any]:
    found = [json.loads(host.data) for host in report.plugin.hosts if host.host == "lingtai"]
    return found[0] if found else {}


def _argument(case: Any, name: str) -> str:
    """Return the first argument of the first server of a tree."""
    servers = json.loads((case.main_tree / name / "mcp.json").read_text("utf-8"))["mcpServers"]
    return str(next(iter(servers.values()))["args"][0])

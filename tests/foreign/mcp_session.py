"""Drive an MCP server by the official SDK's client and print what it saw: one JSON line for each session.

Run with the SDK on `PYTHONPATH`: `mcp_session.py JOB`, a JSON object with `command`, `args`, `env`, `cwd`, `errors` (a
file for the server's standard error), `versions` of the protocol to ask for, and `steps`, pairs of a tool and its
arguments, in which `VERSION` is replaced by the session's. With `hold`, one more such pair, that call is begun,
`holding` is printed, and the session lasts until the call is answered.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import mcp.client.session as session
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types.version import MODERN_PROTOCOL_VERSIONS


async def _talk(job: dict[str, Any], version: str) -> dict[str, Any]:
    mode = version if version in MODERN_PROTOCOL_VERSIONS or version == "auto" else "legacy"
    if mode == "legacy":
        session.LATEST_HANDSHAKE_VERSION = version  # what the SDK's client asks for
    words = StdioServerParameters(command=job["command"], args=job["args"], env=job["env"], cwd=job["cwd"])
    with Path(job["errors"]).open("a") as errors:
        async with Client(stdio_client(words, errlog=errors), mode=mode) as client:
            tools = (await client.list_tools()).tools
            found: dict[str, Any] = {
                "asked": version,
                "version": client.protocol_version,
                "server": getattr(client.server_info, "name", None),
                "tools": [tool.name for tool in tools],
                "steps": [],
            }
            for step in job["steps"]:
                name, arguments = json.loads(json.dumps(step).replace("VERSION", version))
                result = await client.call_tool(name, arguments)
                text = "\n".join(getattr(part, "text", f"<{part.type}>") for part in result.content)
                found["steps"].append([name, arguments, bool(result.is_error), text])
            if job.get("hold"):
                name, arguments = job["hold"]
                try:
                    await client.call_tool(name, arguments, progress_callback=_tell)
                    found["held"] = "answered"
                except Exception as error:
                    found["held"] = str(error)
            return found


async def _tell(progress: float, total: float | None, message: str | None) -> None:
    """Say that the call is under way: the server itself said so."""
    print("holding", flush=True)


async def _all(job: dict[str, Any]) -> None:
    for version in job["versions"]:
        try:
            with anyio.fail_after(60):
                found = await _talk(job, version)
        except BaseException as error:  # said to whoever runs this
            found = {"asked": version, "error": _flat(error)}
        print(json.dumps(found), flush=True)


def _flat(error: BaseException) -> str:
    while getattr(error, "exceptions", ()):  # a group, which older Pythons don't name
        error = error.exceptions[0]  # type: ignore[attr-defined]  # as asked above
    return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        anyio.run(_all, json.loads(sys.argv[1]))

"""No line of a client ends the small MCP server, and each request gets at most one answer under its own ID."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.runtime.mcp_server import McpServer, Offer

META = "io.modelcontextprotocol/"
METHODS = ["initialize", "ping", "tools/list", "tools/call", "server/discover", "notifications/cancelled", "x", ""]
VALUES = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["2025-03-26", "2026-07-28", "echo", "", {}, []])
)
PARAMS = st.dictionaries(
    st.sampled_from(["protocolVersion", "name", "arguments", "requestId", "cursor", "_meta"]),
    VALUES
    | st.dictionaries(
        st.sampled_from([f"{META}protocolVersion", f"{META}clientCapabilities", "progressToken"]), VALUES
    ),
    max_size=4,
)
MESSAGES = st.fixed_dictionaries(
    {"method": st.sampled_from(METHODS)},
    optional={"jsonrpc": st.sampled_from(["2.0", "1.0", 2]), "id": VALUES, "params": PARAMS | VALUES, "result": VALUES},
)
LINES = MESSAGES.map(json.dumps) | st.lists(MESSAGES, max_size=3).map(json.dumps) | st.text(max_size=20)


def _serve(lines: list[str]) -> list[Any]:
    to_server, from_client = os.pipe()
    from_server, to_client = os.pipe()
    os.write(from_client, b"".join(line.replace("\n", " ").encode("utf-8", "surrogatepass") + b"\n" for line in lines))
    os.close(from_client)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(os.fdopen(from_server, "rb").read()))
    reader.start()
    tools = [{"name": "echo", "inputSchema": {"type": "object"}}]
    McpServer(
        Offer(lambda: tools, lambda name, arguments: {"content": [], "isError": False}), client=(to_server, to_client)
    ).serve()
    os.close(to_client)
    reader.join(60)
    os.close(to_server)
    return [json.loads(line) for line in found[0].splitlines()]


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=6))
def test_any_lines_are_answered_and_none_ends_the_server(lines: list[str]) -> None:
    last = json.dumps({"jsonrpc": "2.0", "id": "the last", "method": "ping"})
    answers = _serve([*lines, last])
    flat = [one for answer in answers for one in (answer if isinstance(answer, list) else [answer])]
    ids = Counter(json.dumps(one["id"]) for one in flat if "id" in one)
    assert ids['"the last"'] == 1
    assert all(one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one) for one in flat)
    asked = sum(line.count('"id"') for line in lines)
    assert sum(count for number, count in ids.items() if number not in ("null", '"the last"')) <= asked

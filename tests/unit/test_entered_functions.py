"""What a tool is given comes from outside: no call of it in its own file says all that it may be."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python import tables as python_tables
from plugseal.lang.registry import reader_named

_SERVER = 'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst server = new McpServer({});\n'
_SCRIPTS = {
    "a function by its name": 'function get(url) { return fetch(url); }\nserver.tool("get", get);\nget("https://a.example");',
    "an arrow by its name": 'const get = (url) => fetch(url);\nserver.registerTool("get", {}, get);\nget("https://a.example");',
    "a function that an object holds": (
        'const get = (url) => fetch(url);\nserver.addTool({ name: "get", execute: get });\nget("https://a.example");'
    ),
}


def _facts(language: str, source: str) -> set[tuple[str, str | None, str]]:
    found = reader_named(language).read(source.encode(), Context("a", Interest()))
    return {(fact.capability, fact.object, fact.trigger) for fact in found.facts if fact.channel == "code"}


@pytest.mark.parametrize("source", _SCRIPTS.values(), ids=_SCRIPTS)
def test_a_tool_of_a_script_may_be_given_anything(source: str) -> None:
    facts = _facts("javascript", _SERVER + source)
    assert {("net.outbound", None, "tool"), ("net.outbound", "a.example", "tool")} <= facts


def test_a_function_that_only_the_file_calls_is_given_what_the_file_gives() -> None:
    facts = _facts("javascript", 'const get = (url) => fetch(url);\nget("https://a.example");')
    assert {found for capability, found, _ in facts if capability == "net.outbound"} == {"a.example"}


@pytest.mark.parametrize("given", ["https://a.example/x", "file:///etc/passwd"])
def test_a_tool_in_python_may_be_given_anything(given: str) -> None:
    source = (
        "import requests\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n"
        f"@mcp.tool()\ndef get(url):\n    return requests.get(url)\nget('{given}')\n"
    )
    assert ("net.outbound", None, "tool") in _facts("python", source)


@pytest.mark.parametrize(
    "how", ["mcp.add_tool(get)", "mcp.add_tool(fn=get)", "mcp.tool()(get)", "mcp.tool('get')(get)"]
)
def test_a_tool_in_python_that_is_registered_by_its_name_may_be_given_anything(how: str) -> None:
    source = (
        "import requests\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n"
        f"def get(url):\n    return requests.get(url)\n{how}\nget('https://a.example/x')\n"
    )
    facts = _facts("python", source)
    assert {("net.outbound", None, "tool"), ("net.outbound", "a.example", "tool")} <= facts


def test_what_another_file_loads_registers_nothing_in_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import os\ndef run(line):\n    os.system(line)\ndef register(server):\n    server.add_tool(run)\n"
    monkeypatch.setattr(python_tables, "_shared", None)
    alone = _facts("python", source)
    assert ("process.shell", None, "tool") in alone
    _facts("python", "import flask\napp = flask.Flask(__name__)\n@app.route('/')\ndef index():\n    pass\n")
    assert _facts("python", source) == alone


def test_a_files_address_from_one_caller_leaves_the_connection_possible() -> None:
    source = "from urllib.request import urlopen\ndef get(url):\n    return urlopen(url)\nget('file:///etc/passwd')\n"
    assert {capability for capability, _, _ in _facts("python", source)} == {"fs.read", "path.outside", "net.outbound"}
    literal = "from urllib.request import urlopen\nurlopen('file:///etc/passwd')\n"
    assert {capability for capability, _, _ in _facts("python", literal)} == {"fs.read", "path.outside"}

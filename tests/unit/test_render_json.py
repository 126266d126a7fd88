"""A scan as JSON: every field of `docs/reference/json.md`, and what it may never hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import plugseal
from plugseal.model.capability import Fact
from plugseal.model.explanation import Explanation
from plugseal.model.factlog import FactLog
from plugseal.model.finding import Confidence, Finding, Severity
from plugseal.model.home import Shadowed, UserRoot, UserScan
from plugseal.model.inventory import Capable, Inventory, Loose, PluginReport, Unread
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.plugin import Component, ComponentKind, Fault, Package, Plugin
from plugseal.model.reach import Reached, Step
from plugseal.model.receipt import HostReceipt, HostToken, TreeReceipts
from plugseal.model.tree import Fault as TreeFault
from plugseal.model.validation import Validated, Validation
from plugseal.model.verdict import Conformance, HostVerdict, Reported, Skipped
from plugseal.render.facts import render_facts
from plugseal.render.hash import render_receipts_json
from plugseal.render.json import render_scan_json
from plugseal.render.rules import render_rules_json
from plugseal.render.user import render_user_json
from plugseal.render.validate import render_validation_json

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
HOSTILE = "\x1b[2J\u202e日\u2028\udcff\ud800"
COMPONENT = Component(
    ComponentKind.SERVER,
    "docs",
    "mcp.json",
    Span(3, 5, 9, 6),
    transport="stdio",
    command=("npx", "-y", "docs-server"),
    shell=False,
    cwd="./srv",
    environment=(("TOKEN", "DOCS_TOKEN"), ("MODE", None)),
    literals=(("MODE", "fast"),),
    endpoint="https://docs.example.invalid/",
    headers=(("Accept", "text/plain"),),
    trigger="start",
    entry="server.py",
    gate="approval of each server",
    extra=(("timeout", "30"),),
    packages=(Package("docs-server", "npm", "floating"),),
)
REPORT = PluginReport(
    plugin=Plugin(
        "mcp-config",
        "docs",
        "1.2.3",
        "plugins/docs",
        "mcp.json",
        components=(COMPONENT,),
        permissions=("network",),
        faults=(Fault("mcp.json", "neither `command` nor `url`", 4, "servers.docs"),),
        description="looks things up",
        extra=(("scope", "project"),),
        conforms=Conformance(
            None,
            (("mcpServers", ("docs",)), ("skills", ())),
            (Skipped("skills/x", "`name` is missing"),),
            (Reported("hooks", "is no field of the specification: ignored"),),
        ),
        hosts=(HostVerdict("lingtai", True, "loads 1 server", '{"records": [{"name": "docs", "args": ["-y"]}]}'),),
    ),
    id="mcp-config:docs@3f2a91c07d5e",
    capabilities=(Capable("net.outbound", "docs.example.invalid", "manifest", "start"),),
    unread=(Unread("x.node", "native code"),),
    files=14,
    bytes=61_204,
    content_receipt="9f" * 32,
    capability_receipt="41" * 32,
)
FINDING = Finding(
    rule="unpinned-server",
    title="MCP server fetched by name at start",
    severity=Severity.MEDIUM,
    confidence=Confidence.HIGH,
    file="plugins/docs/mcp.json",
    span=Span(4, 38, 4, 51),
    capability="code.fetched",
    object="docs-server",
    note="no exact version",
    remedy="name a version: `docs-server@1.4.0`",
    source=('    "command": "npx", "args": ["-y", "docs-server"]',),
)
SCAN = Inventory(
    root="./agent-tools",
    plugins=(REPORT,),
    findings=(FINDING,),
    facts=FactLog(),
    unread=(Unread("plugins/docs/x.node", "native code"),),
    faults=(TreeFault("plugins/docs/link", "symlink", "a symbolic link"),),
    files_read=41,
    rules=58,
    rules_digest="c0" * 32,
    reach=(Reached("s.py", "deploy", 1, 6, "tool deploy", (Step("s.py", "deploy", 1),)),),
    loose=(Loose("src", 3, (Capable("fs.read", None, "code", "start"),)),),
)
STEP = {"file": "s.py", "function": "deploy", "line": 1}
EXPECTED: dict[str, Any] = {
    "format": "plugseal.scan/1",
    "plugseal": plugseal.__version__,
    "root": "./agent-tools",
    "rules": {"count": 58, "digest": "c0" * 32},
    "counts": {
        "plugins": 1,
        "broken_plugins": 1,
        "findings": 1,
        "info": 0,
        "low": 0,
        "medium": 1,
        "high": 0,
        "files_read": 41,
        "unread": 1,
        "faults": 1,
    },
    "complete": False,
    "findings": [
        {
            "rule": "unpinned-server",
            "title": "MCP server fetched by name at start",
            "severity": "medium",
            "confidence": "high",
            "file": "plugins/docs/mcp.json",
            "line": 4,
            "column": 38,
            "end_line": 4,
            "end_column": 51,
            "capability": "code.fetched",
            "object": "docs-server",
            "note": "no exact version",
            "remedy": "name a version: `docs-server@1.4.0`",
            "source": ['    "command": "npx", "args": ["-y", "docs-server"]'],
        }
    ],
    "plugins": [
        {
            "id": "mcp-config:docs@3f2a91c07d5e",
            "system": "mcp-config",
            "name": "docs",
            "version": "1.2.3",
            "description": "looks things up",
            "unit": "plugin",
            "root": "plugins/docs",
            "covers": None,
            "manifest": "mcp.json",
            "files": 14,
            "bytes": 61204,
            "components": [
                {
                    "kind": "server",
                    "name": "docs",
                    "file": "mcp.json",
                    "line": 3,
                    "transport": "stdio",
                    "command": ["npx", "-y", "docs-server"],
                    "shell": False,
                    "cwd": "./srv",
                    "environment": [{"name": "TOKEN", "from": "DOCS_TOKEN"}, {"name": "MODE", "from": None}],
                    "literals": [{"name": "MODE", "value": "fast"}],
                    "endpoint": "https://docs.example.invalid/",
                    "headers": [{"name": "Accept", "value": "text/plain"}],
                    "trigger": "start",
                    "gate": "approval of each server",
                    "packages": [{"name": "docs-server", "source": "npm", "pinning": "floating", "digest": None}],
                    "entry": "server.py",
                    "extra": {"timeout": "30"},
                }
            ],
            "permissions": ["network"],
            "capabilities": [
                {
                    "capability": "net.outbound",
                    "object": "docs.example.invalid",
                    "channel": "manifest",
                    "trigger": "start",
                }
            ],
            "beside": [],
            "unread": [{"file": "x.node", "reason": "native code"}],
            "faults": [
                {
                    "file": "mcp.json",
                    "line": 4,
                    "field": "servers.docs",
                    "message": "neither `command` nor `url`",
                }
            ],
            "extra": {"scope": "project"},
            "conforms": {
                "rejected": None,
                "loaded": {"mcpServers": ["docs"], "skills": []},
                "skipped": [{"what": "skills/x", "why": "`name` is missing"}],
                "reported": [{"field": "hooks", "why": "is no field of the specification: ignored"}],
            },
            "hosts": {
                "lingtai": {
                    "loads": True,
                    "summary": "loads 1 server",
                    "records": [{"name": "docs", "args": ["-y"]}],
                }
            },
            "content_receipt": "9f" * 32,
            "capability_receipt": "41" * 32,
            "token": None,
        }
    ],
    "unread": [{"file": "plugins/docs/x.node", "reason": "native code"}],
    "faults": [{"file": "plugins/docs/link", "code": "symlink", "message": "a symbolic link"}],
    "left_out": [],
    "reach": [
        {"file": "s.py", "function": "deploy", "line": 1, "end_line": 6, "entry": "tool deploy", "path": [STEP]},
    ],
    "loose": [
        {
            "path": "src",
            "files": 3,
            "capabilities": [{"capability": "fs.read", "object": None, "channel": "code", "trigger": "start"}],
        },
    ],
}
HOST = HostReceipt(REPORT.id, "codewhale", "user/0123456789ab/docs", (HostToken("v1", "0.9.1-0.9.7", "ab.cd"),))
RECEIPTS = TreeReceipts("./docs", "9f" * 32, "h1:abc=", 14, 61_204, (".git",), (REPORT,), (HOST,))


def test_every_field_of_a_scan_is_there() -> None:
    assert json.loads("".join(render_scan_json(SCAN))) == EXPECTED


def test_an_empty_scan_is_complete_and_has_empty_lists() -> None:
    empty = Inventory(".", (), (), (), (), (), 0, 0, "")
    document = json.loads("".join(render_scan_json(empty)))
    assert document["complete"] is True
    assert [document[key] for key in ("findings", "plugins", "unread", "faults")] == [[], [], [], []]


def test_a_sound_plugin_has_its_token() -> None:
    sound = REPORT._replace(plugin=REPORT.plugin._replace(faults=()))
    document = json.loads("".join(render_scan_json(SCAN._replace(plugins=(sound,)))))
    assert document["plugins"][0]["token"] == "9f" * 32 + "." + "41" * 32


def test_hostile_text_is_ascii_and_holds_no_lone_surrogate() -> None:
    finding = FINDING._replace(file=HOSTILE)
    scan = Inventory(HOSTILE, (), (finding,), (), (Unread(HOSTILE, HOSTILE),), ((HOSTILE,) * 3,), 0, 0, "")
    text = "".join(render_scan_json(scan))
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert json.loads(text)["findings"][0]["file"] == "\x1b[2J\u202e日\u2028\\xff\\ud800"


def test_literal_credentials_are_stars() -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2"
    leaky = COMPONENT._replace(
        command=("server", "--token", secret),
        literals=(("API_TOKEN", "hunter2-hunter2-x9"),),
        headers=(("Authorization", f"Bearer {secret}"),),
        endpoint="https://user:pa55word-x9@host.invalid/",
    )
    plugin = REPORT._replace(plugin=REPORT.plugin._replace(components=(leaky,)))
    text = "".join(render_scan_json(SCAN._replace(plugins=(plugin,))))
    assert [word for word in (secret, "hunter2", "pa55word") if word in text] == []
    component = json.loads(text)["plugins"][0]["components"][0]
    assert component["command"] == ["server", "--token", "*" * len(secret)]


def test_every_field_of_receipts_is_there() -> None:
    assert json.loads("".join(render_receipts_json(RECEIPTS))) == {
        "format": "plugseal.hash/1",
        "plugseal": plugseal.__version__,
        "path": "./docs",
        "content_receipt": "9f" * 32,
        "h1": "h1:abc=",
        "files": 14,
        "bytes": 61204,
        "left_out": [".git"],
        "plugins": [
            {
                "id": "mcp-config:docs@3f2a91c07d5e",
                "system": "mcp-config",
                "name": "docs",
                "version": "1.2.3",
                "broken": True,
                "capability_receipt": "41" * 32,
                "token": None,
                "host_ids": {"codewhale": "user/0123456789ab/docs"},
                "host_tokens": [
                    {"host": "codewhale", "stream": "v1", "versions": "0.9.1-0.9.7", "token": "ab.cd"},
                ],
            }
        ],
    }


RULE = Explanation(
    "subprocess-shell",
    "rule",
    "command line handed to a shell",
    "what",
    "why",
    "remedy",
    facts=(
        ("severity", "high"),
        ("confidence", "medium"),
        ("capability", "process.shell"),
        ("languages", "python, shell"),
        ("since", "0.1.0"),
    ),
    references=("https://example.invalid/",),
)


def test_every_field_of_rules_is_there() -> None:
    assert json.loads("".join(render_rules_json([RULE, RULE], "c0" * 32))) == {
        "format": "plugseal.rules/1",
        "plugseal": plugseal.__version__,
        "digest": "c0" * 32,
        "rules": [
            {
                "id": "subprocess-shell",
                "title": "command line handed to a shell",
                "severity": "high",
                "confidence": "medium",
                "capability": "process.shell",
                "languages": ["python", "shell"],
                "since": "0.1.0",
                "what": "what",
                "why": "why",
                "remedy": "remedy",
                "references": ["https://example.invalid/"],
            }
        ]
        * 2,
    }


_NAMED_BY_OTHERS = frozenset({"timeout", "scope", "lingtai", "codewhale", "mcpServers", "skills", "records", "args"})
"""Keys that a system, a host or a kind of component gives; their own pages name them."""


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) - _NAMED_BY_OTHERS | {key for part in value.values() for key in _keys(part)}
    if isinstance(value, list):
        return {key for part in value for key in _keys(part)}
    return set()


_HERE = ("`plugseal.scan", "`plugseal.hash", "`plugseal.validate", "`plugseal.user", "`plugseal.rules", "Facts")


def test_the_page_names_every_field_and_no_other() -> None:
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    page = "\n".join(section for section in sections if section.startswith(_HERE))
    named = {name for row in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE) for name in row.split(", ")}
    facts = json.loads(next(render_facts([("x", Fact(WHOLE_FILE, "fs.read", None, "direct", "code", "tool"))])))
    receipts = json.loads("".join(render_receipts_json(RECEIPTS)))
    rules = json.loads("".join(render_rules_json([RULE], "")))
    judged = Validation("p", (Validated(REPORT.plugin, REPORT.id, ""),))
    validation = json.loads("".join(render_validation_json([judged])))
    root = UserRoot("amber", "user", "/p", ".amber/plugins")
    hidden = Shadowed("amber", "a", "amber:a@3f2a91c07d5e", "/p/a", "/q/a", certain=True)
    user = json.loads("".join(render_user_json(UserScan(((root, SCAN),), (root,), (hidden,), ("x",)))))
    assert {name.strip("`") for name in named} == _keys([EXPECTED, receipts, facts, rules, validation, user])

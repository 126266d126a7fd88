"""Verdicts of specifications and hosts as JSON: no credential in them, and the order of a host's own keys."""

from __future__ import annotations

import json

from plugseal.model.factlog import FactLog
from plugseal.model.inventory import Inventory, PluginReport
from plugseal.model.plugin import Plugin
from plugseal.model.verdict import HostVerdict
from plugseal.render.json import render_scan_json

REPORT = PluginReport(
    plugin=Plugin("agent-plugins", "docs", "", "", "plugin.json"),
    id="agent-plugins:docs@3f2a91c07d5e",
    capabilities=(),
    unread=(),
    files=1,
    bytes=1,
    content_receipt="9f" * 32,
    capability_receipt="41" * 32,
)
SCAN = Inventory(".", (REPORT,), (), FactLog(), (), (), 1, 0, "")


def test_credentials_in_what_a_host_would_write_are_stars_and_keys_keep_their_order() -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2"
    data = {
        "records": [{"z": 1, "command": "x", "args": ["--token", secret], "env": {"API_TOKEN": "hunter2-hunter2-x9"}}]
    }
    host = HostVerdict("lingtai", True, f"token={secret}", json.dumps(data))
    plugin = REPORT._replace(plugin=REPORT.plugin._replace(hosts=(host,)))
    text = "".join(render_scan_json(SCAN._replace(plugins=(plugin,))))
    assert [word for word in (secret, "hunter2") if word in text] == []
    assert list(json.loads(text)["plugins"][0]["hosts"]["lingtai"]["records"][0]) == ["z", "command", "args", "env"]


def test_a_plugin_on_which_nobody_gave_a_verdict_has_none() -> None:
    plain = REPORT._replace(plugin=REPORT.plugin._replace(conforms=None, hosts=()))
    document = json.loads("".join(render_scan_json(SCAN._replace(plugins=(plain,)))))
    assert (document["plugins"][0]["conforms"], document["plugins"][0]["hosts"]) == (None, {})

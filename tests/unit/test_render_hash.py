"""Receipts as text: whole, copyable, and honest about what is broken."""

from __future__ import annotations

from plugseal.model.inventory import PluginReport
from plugseal.model.plugin import Fault, Plugin
from plugseal.model.receipt import HostReceipt, HostToken, TreeReceipts
from plugseal.render.hash import render_receipts
from plugseal.render.text import join_plain

CONTENT, CAPABILITY = "9f" * 32, "41" * 32
REPORT = PluginReport(
    Plugin("agent-plugins", "deploy-helper", "0.3.1", "", "plugin.json"), "id", (), (), 14, 61_204, CONTENT, CAPABILITY
)
RECEIPTS = TreeReceipts("./deploy-helper", CONTENT, "h1:abc=", 14, 61_204, (".git",), (REPORT,))


def test_every_receipt_stands_whole_on_its_own_line() -> None:
    assert join_plain(render_receipts(RECEIPTS)) == (
        "./deploy-helper\n"
        f"  content     {CONTENT}\n"
        "  h1          h1:abc=\n"
        "  files       14 files, 61,204 bytes\n"
        "  left out    .git\n"
        "\n"
        "deploy-helper 0.3.1  agent-plugins\n"
        f"  capability  {CAPABILITY}\n"
        f"  token       {CONTENT}.{CAPABILITY}\n"
    )


def test_a_tree_without_plugins_has_only_what_is_true_of_any_tree() -> None:
    text = join_plain(render_receipts(RECEIPTS._replace(plugins=(), left_out=())))
    assert [row.split()[0] for row in text.splitlines()] == ["./deploy-helper", "content", "h1", "files"]


def test_a_broken_plugin_has_no_token() -> None:
    broken = REPORT._replace(plugin=REPORT.plugin._replace(faults=(Fault("mcp.json", "no"),)))
    text = join_plain(render_receipts(RECEIPTS._replace(plugins=(broken,))))
    assert "token  " not in text
    assert "  broken      1 fault in its manifests, so no token\n" in text


def test_hostile_names_are_shown_as_escapes() -> None:
    hostile = "\x1b[2J\u202e"
    report = REPORT._replace(plugin=REPORT.plugin._replace(name=hostile, version=hostile))
    text = join_plain(render_receipts(RECEIPTS._replace(path=hostile, plugins=(report,))))
    assert text.replace("\n", "").isprintable()


def test_what_a_host_itself_would_print_stands_below_the_plugin() -> None:
    tokens = (HostToken("v1", "0.9.1-0.9.7", "aa.bb"), HostToken("v3", "0.9.10", "aa.cc"))
    host = HostReceipt("id", "codewhale", "user/0123456789ab/deploy-helper", tokens)
    text = join_plain(render_receipts(RECEIPTS._replace(hosts=(host,))))
    assert text.endswith(
        "  codewhale id  user/0123456789ab/deploy-helper\n"
        "  codewhale v1  0.9.1-0.9.7  aa.bb\n"
        "  codewhale v3  0.9.10       aa.cc\n"
    )


def test_a_host_that_has_neither_id_nor_tokens_has_no_line() -> None:
    host = HostReceipt("id", "codewhale", None, ())
    assert join_plain(render_receipts(RECEIPTS._replace(hosts=(host,)))) == join_plain(render_receipts(RECEIPTS))

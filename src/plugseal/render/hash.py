"""Receipts as text and as JSON: `plugseal.hash/1`, described in `docs/reference/json.md`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import plugseal
from plugseal.model.inventory import PluginReport
from plugseal.model.receipt import HostReceipt, TreeReceipts
from plugseal.render.json import Json, encode
from plugseal.render.text import BLANK, Line, Piece, count, line
from plugseal.shown import shown, shown_path

HASH_FORMAT = "plugseal.hash/1"
_NAMES = 12
"""Columns of the names left of receipts."""


def render_receipts(receipts: TreeReceipts) -> Iterator[Line]:
    """Yield the receipts; each stands whole on its own line, to be copied."""
    yield line(Piece(shown_path(receipts.path), "path"))
    yield _row("content", receipts.content)
    yield _row("h1", receipts.h1)
    yield line("  files", " " * (_NAMES - 5), f"{count(receipts.files, 'file')}, {count(receipts.bytes, 'byte')}")
    if receipts.left_out:
        yield line("  left out", " " * (_NAMES - 8), ", ".join(map(shown_path, receipts.left_out)))
    for report in receipts.plugins:
        yield BLANK
        yield from _plugin(report)
        for host in receipts.hosts:
            if host.plugin == report.id:
                yield from _host(host)


def _plugin(report: PluginReport) -> Iterator[Line]:
    plugin = report.plugin
    title = f"{shown(plugin.name)} {shown(plugin.version)}".rstrip()
    yield line(Piece(title, "title"), f"  {shown(plugin.system)}")
    yield _row("capability", report.capability_receipt)
    if plugin.faults:
        yield line(
            "  broken", " " * (_NAMES - 6), f"{count(len(plugin.faults), 'fault')} in its manifests, so no token"
        )
    elif report.token:
        yield _row("token", report.token)


def _host(receipt: HostReceipt) -> Iterator[Line]:
    """Yield what a host itself would print; its tokens may bind less than ours."""
    if receipt.id is not None:
        yield line(f"  {receipt.host} id  ", Piece(shown(receipt.id), "literal"))
    width = max((len(token.versions) for token in receipt.tokens), default=0)
    for token in receipt.tokens:
        name = f"  {receipt.host} {token.stream}  {token.versions}"
        yield line(name, " " * (width - len(token.versions) + 2), Piece(token.token, "literal"))


def _row(name: str, value: str) -> Line:
    return line(f"  {name}", " " * (_NAMES - len(name)), Piece(value, "literal"))


def render_receipts_json(receipts: TreeReceipts) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    document: dict[str, Json] = {
        "format": HASH_FORMAT,
        "plugseal": plugseal.__version__,
        "path": receipts.path,
        "content_receipt": receipts.content,
        "h1": receipts.h1,
        "files": receipts.files,
        "bytes": receipts.bytes,
        "left_out": receipts.left_out,
        "plugins": [_plugin_json(report, receipts.hosts) for report in receipts.plugins],
    }
    yield "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"


def _plugin_json(report: PluginReport, hosts: Sequence[HostReceipt]) -> Json:
    plugin = report.plugin
    own = [receipt for receipt in hosts if receipt.plugin == report.id]
    return {
        "id": report.id,
        "system": plugin.system,
        "name": plugin.name,
        "version": plugin.version,
        "broken": plugin.is_broken,
        "capability_receipt": report.capability_receipt,
        "token": report.token,
        "host_ids": {receipt.host: receipt.id for receipt in own},
        "host_tokens": [{"host": receipt.host, **token._asdict()} for receipt in own for token in receipt.tokens],
    }

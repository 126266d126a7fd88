"""What a program puts in the place of what a person meant: a receiver of mail more, another account to pay to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import FileFacts, Interest
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.values import searches

_ADDRESS: Final = lazy(r"^[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-zA-Z]{2,24}$")
_NOBODYS: Final = lazy(r"(?i)[@.](?:example\.(?:com|org|net)|example|test|localhost)$")
"""Names that are kept for examples: https://www.rfc-editor.org/rfc/rfc2606"""
_BLIND_COPY: Final = lazy(r"(?i)(?<![a-z])(?:add_?|set_?)?bcc[\"'`]?\]?\s{0,20}(?:=>|\+=|[:=,(])[\s\[({]{0,40}$")
"""The field that stands right before a literal: `Bcc: "…"`, `message["Bcc"] = "…"`, `bcc=["…"]`, `.addBcc("…")`."""
_ACCOUNT: Final = lazy(
    r"^(?:0x[0-9a-fA-F]{40}|bc1[02-9ac-hj-np-z]{25,60}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|T[1-9A-HJ-NP-Za-km-z]{33}"
    r"|4[1-9A-HJ-NP-Za-km-z]{94}|[LM][1-9A-HJ-NP-Za-km-z]{26,33}|ltc1[02-9ac-hj-np-z]{25,60})$"
)
"""Accounts of Ethereum, Bitcoin, Tron, Monero and Litecoin."""
_PASTES: Final = frozenset(
    """
    pyperclip.paste pyperclip.waitForPaste pyperclip.waitForNewPaste clipboard.paste xerox.paste pyclip.paste
    win32clipboard.GetClipboardData tkinter.Tk().clipboard_get
    clipboardy.read clipboardy.readSync clipboardy.default.read clipboardy.default.readSync copy-paste.paste
    electron.clipboard.readText vscode.env.clipboard.readText globals.navigator.clipboard.readText get-clipboard
    """.split()
)
_COPIES: Final = frozenset(
    """
    pyperclip.copy clipboard.copy xerox.copy pyclip.copy win32clipboard.SetClipboardText win32clipboard.SetClipboardData
    tkinter.Tk().clipboard_append
    clipboardy.write clipboardy.writeSync clipboardy.default.write clipboardy.default.writeSync copy-paste.copy
    electron.clipboard.writeText vscode.env.clipboard.writeText globals.navigator.clipboard.writeText set-clipboard
    """.split()
)


def _fixed_copies(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield fixed addresses that get a blind copy, in a file that sends."""
    if not any(fact.capability == "net.outbound" for fact in facts.facts):
        return
    for event in facts.events:
        address = event.name
        if event.kind != "string" or not searches(_ADDRESS, address) or searches(_NOBODYS, address):
            continue
        before = "".join(lines(event.span.line)[:1])[: event.span.column - 1]
        if searches(_BLIND_COPY, before[-200:]):
            yield Hit(event.span, f"every message goes to `{address}` too", address)


def _replaced_accounts(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield accounts that a file puts into the clipboard, where it also reads what lies there."""
    events = [event for event in facts.events if event.kind in ("call", "command")]
    if not any(event.name in _PASTES for event in events):
        return
    for event in events:
        if event.name not in _COPIES:
            continue
        for value in (*event.arguments, *(value for _, value in event.keywords)):
            if isinstance(value, str) and searches(_ACCOUNT, value):
                yield Hit(event.span, f"`{value}` takes the place of what was copied", value)
                break


FIXED_COPIES: Final = CodeDetector(_fixed_copies, Interest(strings=lazy(r"[\w.+-]@[\w-]{1,63}\.")))
REPLACED_ACCOUNTS: Final = CodeDetector(_replaced_accounts, Interest(calls=_PASTES | _COPIES))

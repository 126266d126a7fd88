"""The hash by which Codex trusts a hook: a user approves it once, and any change of the hook asks again.

SHA-256 over the canonical JSON of event, matcher and handler, as Codex brings them to one form first: the timeout that
counts, no line for another system, no matcher where an event has none. The bytes of the script that a command names are
not in it. A handler with a field that is not known here has no hash here.

See: https://github.com/openai/codex/blob/main/codex-rs/hooks/src/engine/discovery.rs
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.model.verdict import HostVerdict
from plugseal.patterns import lazy
from plugseal.systems.reading.reader import Document, PluginReader, compact, lookup

_HANDLER: Final = frozenset(
    {
        "type",
        "command",
        "commandWindows",
        "command_windows",
        "timeout",
        "async",
        "statusMessage",
        "additionalContextLimit",
    }
)
_GROUP: Final = frozenset({"matcher", "hooks"})
_WITHOUT_MATCHER: Final = frozenset({"user_prompt_submit", "stop", "interrupt"})
_SHORT: Final = frozenset({"session_end", "interrupt"})
_USUAL_SECONDS: Final = 600
_MOST_SECONDS_OF_SHORT: Final = 3
_WORD: Final = lazy(r"(?<=[a-z])(?=[A-Z])")
_PLACES: Final = (("hooks", "hooks"), ("hooks",), ("extensions", "com.openai", "hooks"), ())


def event_label(event: str) -> str:
    """Return an event as Codex writes it in keys: `PreToolUse` is `pre_tool_use`."""
    return _WORD.sub("_", event).lower()


def trusted_hash(event: str, group: Mapping[str, object], handler: Mapping[str, object]) -> str | None:
    """Return the hash of one handler, None where it can't be told.

    Args:
        event: as in the manifest, e.g. `PreToolUse`.
        group: the entry of the event, with its matcher.
        handler: one of its hooks.
    """
    command, timeout, matcher = handler.get("command"), handler.get("timeout"), group.get("matcher")
    is_known = handler.keys() <= _HANDLER and group.keys() <= _GROUP and handler.get("type") == "command"
    is_whole = timeout is None or (isinstance(timeout, int) and not isinstance(timeout, bool) and timeout >= 0)
    if not is_known or not isinstance(command, str) or not command.strip() or not is_whole:
        return None
    label = event_label(event)
    normal: dict[str, object] = {
        "type": "command",
        "command": command,
        "timeout": _seconds(label, timeout),
        "async": handler.get("async") is True,
    }
    normal.update({key: handler[key] for key in ("statusMessage", "additionalContextLimit") if key in handler})
    identity: dict[str, object] = {"event_name": label, "hooks": [normal]}
    if isinstance(matcher, str) and label not in _WITHOUT_MATCHER:
        identity["matcher"] = matcher
    return "sha256:" + hashlib.sha256(compact(identity).encode("utf-8", "surrogatepass")).hexdigest()


def _seconds(label: str, timeout: object) -> int:
    given = timeout if isinstance(timeout, int) else None
    if label in _SHORT:
        return min(max(1, 1 if given is None else given), _MOST_SECONDS_OF_SHORT)
    return max(1, _USUAL_SECONDS if given is None else given)


def trust_verdict(reader: PluginReader, components: Iterable[Component]) -> tuple[HostVerdict, ...]:
    """Return what Codex asks its user to approve, by file, event, group and handler; nothing where no hook is declared.

    Args:
        reader: at the plugin's root; it takes no faults here.
        components: as they were described.
    """
    files = sorted({component.file for component in components if component.kind is ComponentKind.HOOK})
    if not files or not reader.listing.asks_hosts:
        return ()
    aside = PluginReader(reader.listing, reader.root)
    hashes = dict(pair for file in files for pair in _hashes(aside, file))
    if not hashes:
        return ()
    summary = f"asks before each of {len(hashes)} hooks runs" if len(hashes) > 1 else "asks before its hook runs"
    return (HostVerdict("codex", None, summary, compact({"trusted_hashes": hashes})),)


def _hashes(reader: PluginReader, file: str) -> Iterator[tuple[str, str]]:
    document = reader.toml(file) if file.endswith(".toml") else reader.json(file)
    for event, groups in _events(document).items():
        for at, group in enumerate(groups if isinstance(groups, list) else []):
            hooks = group.get("hooks") if isinstance(group, dict) else None
            for number, handler in enumerate(hooks if isinstance(hooks, list) else []):
                found = trusted_hash(event, group, handler) if isinstance(handler, dict) else None
                if found is not None:
                    yield f"{file}:{event_label(event)}:{at}:{number}", found


def _events(document: Document | None) -> dict[str, object]:
    """Return the table of events of a document, wherever its form has it."""
    for place in _PLACES:
        table = lookup(document.value, place) if document is not None else None
        if isinstance(table, dict) and any(isinstance(value, list) for value in table.values()):
            return table
    return {}

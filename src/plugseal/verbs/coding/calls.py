"""Coding's plugins by hand: list what is recorded, load one to see what it says, make one call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from plugseal.errors import RefusedError
from plugseal.model.coding import CodingPlugin, CodingTool
from plugseal.model.decision import Reason
from plugseal.model.identity import subject_id
from plugseal.runtime.approved import Document, parse_document
from plugseal.runtime.coding.calls import NOT_AUTHORIZED, TOOL_DRIFTED, Authorize
from plugseal.runtime.coding.contract import Content, ContentType, ProgressNotification
from plugseal.runtime.coding.exact import parse_exact, render_exact
from plugseal.runtime.coding.execution import Patience
from plugseal.runtime.coding.host import Host
from plugseal.runtime.coding.plugins import SYSTEM
from plugseal.runtime.coding.wire import build_result
from plugseal.runtime.policies import load_policy
from plugseal.runtime.refused import refused
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs.arguments import parse_arguments
from plugseal.verbs.known import find_record, known_records
from plugseal.verbs.select import ID

OnEvent = Callable[[str], None]
"""Called with a line of ours for the user."""
_TICK: Final = 0.05
_MAX_TEXT: Final = 400


def list_coding(store: Store) -> tuple[CodingPlugin, ...]:
    """Return what is recorded of Coding's plugins, in the order of their IDs; nothing is started.

    Raises:
        StateError: the state folder, or one of the records, can't be believed.
    """
    records, broken = known_records(store)
    if broken:
        raise broken[0].error
    return tuple(_listed(record, store) for record in records if record.subject.system == SYSTEM)


def load_coding(plugin: str, store: Store, *, on_event: OnEvent) -> CodingPlugin:
    """Start a plugin behind the gate, load it as the contract says, end it, and return what it told.

    Args:
        plugin: its ID, path or name.
        store: what was trusted.
        on_event: told what the process says on its standard error.

    Raises:
        UsageError: it is no plugin of Coding's.
        RefusedError: the gate refused.
        SupervisorError: it can't be started, or breaks the contract.
    """
    meant = meant_plugin(plugin, store)
    with open_coding(store, on_event=on_event) as host:
        found = host.open(meant)
        tools = [
            CodingTool(tool.name, tool.mode.value, tool.description, host.denial_of(tool.name)) for tool in found.tools
        ]
    return CodingPlugin(meant, found.plugin.id, found.plugin.version, "loaded", tuple(tools), declares=True)


def call_coding(
    plugin: str,
    tool: str,
    arguments: str,
    store: Store,
    *,
    authorized: frozenset[str],
    on_event: OnEvent,
    is_unwanted: Callable[[], bool] = lambda: False,
    patience: Mapping[str, float] | None = None,
) -> tuple[bool, str]:
    """Make one call, and return whether it succeeded and the result as JSON.

    Args:
        plugin: its ID, path or name.
        tool: the name of one of its tools.
        arguments: a JSON object.
        store: what was trusted.
        authorized: names of tools that may be called.
        on_event: told progress, and what the process says on its standard error.
        is_unwanted: asked now and then; once it says so, the call is cancelled.
        patience: how long things may take, where it is not as usual.

    Raises:
        UsageError: the arguments are no JSON object, or it is no plugin of Coding's.
        RefusedError: the gate refused, or the call was not authorized.
        SupervisorError: it can't be started, breaks the contract, or has no such tool.
    """
    parse_arguments(arguments)
    # As typed: its numbers are the person's, not Python's.
    values, meant = parse_exact(arguments), meant_plugin(plugin, store)
    with open_coding(store, authorized=authorized, on_event=on_event, patience=patience) as host:
        host.open(meant)
        call = host.submit(tool, values, on_progress=lambda one: on_event(f"progress: {progress_text(one)}"))
        while call.result is None:
            host.step(_TICK)
            if is_unwanted():
                call.cancel()
    reason = _REASONS.get(call.result.outcome.error_code)
    if isinstance(call.error, RefusedError):
        raise call.error
    if call.execution is None and reason is not None:
        raise refused(reason, meant, call.result.content[0].text)
    return call.result.is_success, render_exact(build_result(call.result), indent=2)


def meant_plugin(word: str, store: Store) -> str:
    """Return the ID that a word means: an ID, or the path or the name of a recorded plugin.

    Raises:
        NothingToJudgeError: nothing is recorded under it.
        UsageError: it fits more than one.
        StateError: the record can't be believed.
    """
    # Whether anything is recorded under an ID is the gate's own question.
    return word if ID.fullmatch(word) else subject_id(find_record(word, store).subject)


def open_coding(
    store: Store,
    *,
    authorized: frozenset[str] = frozenset(),
    on_event: OnEvent,
    patience: Mapping[str, float] | None = None,
) -> Host:
    """Return a host without plugins, which authorizes what is named here or in the pinned policy.

    Args:
        store: what was trusted.
        authorized: names of tools.
        on_event: told what happens.
        patience: how long things may take, where it is not as usual.
    """
    return Host(
        Supervisor(store, name=subject_id, by=current_actor()),
        store,
        authorize=_authorizer(store, authorized),
        on_event=lambda plugin, text: on_event(f"{plugin}: {text}"),
        patience=Patience(**(patience or {})),
    )


def progress_text(progress: ProgressNotification) -> str:
    """Return progress in one line; hostile text."""
    words = [_content_text(one) for one in progress.content]
    if progress.data is not None:
        words.append(render_exact(progress.data))
    return " ".join(words)[:_MAX_TEXT]


def _content_text(content: Content) -> str:
    if content.type == ContentType.TEXT.value:
        return content.text
    return f"({content.mime_type}, {len(content.data):,} characters)"


def _authorizer(store: Store, authorized: frozenset[str]) -> Authorize:
    def authorize(plugin: str, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Ask at each call anew: a policy may change while a host runs."""
        del arguments
        if tool in authorized:
            return True
        named = frozenset(load_policy(store).authorize or ())
        return f"{plugin}/{tool}" in named or f"{_token_of(plugin, store)}/{tool}" in named

    return authorize


def _token_of(plugin: str, store: Store) -> str:
    for record in known_records(store)[0]:
        if subject_id(record.subject) == plugin and record.standing.trust is not None:
            return record.standing.trust.token
    return ""


def _listed(record: Record, store: Store) -> CodingPlugin:
    trust = record.standing.trust
    document: Document | None = None
    if trust is not None:
        with suppress(RefusedError):
            document = parse_document(store.document(trust.capability))
    tools = [] if document is None else [one for one in document.components if one.kind == "tool"]
    return CodingPlugin(
        id=subject_id(record.subject),
        name=record.subject.name,
        version="" if document is None else document.version,
        state="not trusted" if trust is None else "enabled" if record.standing.enabled else "trusted",
        tools=tuple(
            CodingTool(one.name, _extra(one.extra, "executionMode"), _extra(one.extra, "description")) for one in tools
        ),
        declares=bool(tools),
    )


def _extra(extra: tuple[tuple[str, str], ...], key: str) -> str:
    value = json.loads(dict(extra).get(key, '""'))
    return value if isinstance(value, str) else ""


_REASONS: Final = {NOT_AUTHORIZED: Reason.NOT_AUTHORIZED, TOOL_DRIFTED: Reason.TOOL_DRIFTED}
"""Codes of calls that were not sent, and why the gate says so."""

"""amber's administration: which plugins there are, what one is, switching it on and off, and its settings."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from plugseal.errors import RefusedTransitionError
from plugseal.model.amber import AmberInfo, AmberListed, AmberSetting, AmberTool
from plugseal.model.look import Look
from plugseal.model.trust import Done, TrustStatus
from plugseal.records import NamedTuple
from plugseal.runtime.amber.advertise import advertisement
from plugseal.runtime.amber.manifest import SYSTEM, Declared, parse_declared
from plugseal.runtime.amber.offered import offered, read_enabled
from plugseal.runtime.amber.schemas import summary
from plugseal.runtime.amber.settings import (
    Texts,
    change_overrides,
    effective,
    kind_of,
    read_overrides,
    verify_key,
    verify_value,
)
from plugseal.scan.document import build_document, document_bytes
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs.amber.find import Found, look_at, records_at, review_words
from plugseal.verbs.amber.places import all_in, is_on_in_amber, rank_in
from plugseal.verbs.anchor import anchor_of
from plugseal.verbs.known import known_records
from plugseal.verbs.select import describe_in
from plugseal.verbs.trust import as_trusted, disable, enable, status_now


class SwitchedOn(NamedTuple):
    """A plugin that was switched on."""

    done: Done
    tools: tuple[AmberTool, ...]


def list_amber(store: Store, workspace: Path) -> tuple[AmberListed, ...]:
    """Return the plugins that amber finds from a workspace, in its order.

    Raises:
        IntakeError: one can't be read.
        StateError: the state folder can't be used.
    """
    records, _ = known_records(store)
    by_root = {record.subject.root: record for record in records if record.subject.system == SYSTEM}
    found: list[AmberListed] = []
    for root, path in all_in(workspace):
        plugins, _ = describe_in(path, anchor_of(path))
        plugin = next((one for one in plugins if one.system == SYSTEM and not one.root), None)
        version = "" if plugin is None else plugin.version
        is_hidden = any(one.id == path.name for one in found)
        why = "" if plugin is None or not plugin.faults else plugin.faults[0].message
        state = "hidden" if is_hidden else _brief(by_root.get(os.path.realpath(path)), why)
        found.append(AmberListed(path.name, version, str(path), root.scope, state))
    return tuple(found)


def prompt_text(store: Store, workspace: Path) -> str:
    """Return the text that advertises the tools of enabled plugins to a model.

    Raises:
        StateError: the state folder can't be used.
    """
    plugins, _ = read_enabled(store)
    return advertisement(offered(plugins, rank=rank_in(workspace)))


def inform(found: Found, store: Store, *, workspace: Path = Path()) -> AmberInfo:
    """Return what one plugin is, as it lies on disk now.

    Args:
        found: the plugin.
        store: where it is recorded.
        workspace: from which amber finds it.

    Raises:
        IntakeError: it can't be read.
        NothingToJudgeError: it is no plugin of amber's.
        StateError: what is recorded can't be believed.
    """
    seen = as_trusted(look_at(found), found.record)
    declared = parse_declared(document_bytes(build_document(seen.plugin, (), ())))
    state, command = _state(found, seen, declared, store)
    overrides = {} if found.record is None else read_overrides(store, found.record.subject)
    return AmberInfo(
        id=declared.id,
        title=declared.title,
        version=declared.version,
        path=str(found.path),
        author=declared.author,
        url=declared.url,
        license=declared.license,
        description=declared.description,
        state=state,
        tools=_tools(declared),
        settings=tuple(_settings(declared, overrides)),
        around=_around(Path(os.path.realpath(found.path)).name, workspace),
        next=command,
    )


def switch_on(found: Found, store: Store, *, workspace: Path) -> SwitchedOn:
    """Permit a plugin to run, if it is trusted as it is now and each of its tools has a name of its own.

    Raises:
        RefusedTransitionError: it is not trusted, not compatible, or would share a tool's name.
        PlugsealError: as `look` and `enable`.
    """
    seen = look_at(found)
    declared = parse_declared(document_bytes(build_document(seen.plugin, (), ())))
    if declared.problem:
        raise RefusedTransitionError(
            f"`{declared.id}` is incompatible: {declared.problem}",
            hint=f"see all with `plugseal validate {found.path}`",
        )
    _verify_names(declared, found, store, workspace)
    try:
        done = enable(seen, store)
    except RefusedTransitionError as error:
        if error.status:
            error.hint = f"read it with `{review_words(found, seen)}`, then trust it"
        raise
    return SwitchedOn(done, _tools(declared))


def switch_off(found: Found, store: Store) -> Done:
    """Take a plugin's permission to run; what runs of it is ended.

    Raises:
        RefusedTransitionError: nothing is recorded about it, so it is off already.
        StateError: it can't be recorded.
    """
    records = records_at(found.path, store)
    if not records:
        raise RefusedTransitionError("it was never trusted, so it is off")
    # Under each scope in which it was trusted: off is off.
    enabled = [record for record in records if record.standing.enabled]
    return [disable(record, store) for record in enabled or records[:1]][-1]


def show_settings(found: Found, store: Store) -> tuple[AmberSetting, ...]:
    """Return the settings of a trusted plugin.

    Raises:
        RefusedTransitionError: it is not trusted.
        StateError: what is stored can't be believed.
    """
    record, declared = _trusted(found, store)
    return tuple(_settings(declared, read_overrides(store, record.subject)))


def change_setting(found: Found, store: Store, key: str, *, value: str | None) -> tuple[AmberSetting, ...]:
    """Set one setting of a trusted plugin, and return all.

    Args:
        found: the plugin.
        store: where settings are kept.
        key: declared by the plugin.
        value: as typed; None to go back to the default.

    Raises:
        UsageError: the plugin declares no such setting, or another type.
        RefusedTransitionError: it is not trusted.
        StateError: nothing was changed.
    """
    record, declared = _trusted(found, store)
    verify_key(key, declared.settings)
    if value is not None:
        verify_value(key, value, declared.settings[key])

    def change(before: dict[str, str]) -> dict[str, str]:
        kept = {name: text for name, text in before.items() if name != key}
        return kept if value is None else {**kept, key: value}

    return tuple(_settings(declared, change_overrides(store, record.subject, change)))


def _trusted(found: Found, store: Store) -> tuple[Record, Declared]:
    record = found.record
    if record is None or record.standing.trust is None:
        hint = f"read it with `{review_words(found)}`, then trust it"
        raise RefusedTransitionError("it is not trusted, so nobody knows which settings it has", hint=hint)
    return record, parse_declared(store.document(record.standing.trust.capability))


def _verify_names(declared: Declared, found: Found, store: Store, workspace: Path) -> None:
    """Refuse a plugin with a tool that an enabled one has under the same name."""
    mine = {tool.name for tool in declared.tools}
    root = os.path.realpath(found.path)
    rank = rank_in(workspace)
    for plugin in read_enabled(store)[0]:
        is_other = plugin.record.subject.root != root and rank(plugin.record.subject) is not None
        shared = sorted(mine & {tool.name for tool in plugin.declared.tools}) if is_other else []
        if shared:
            raise RefusedTransitionError(
                f"`{shared[0]}` is a tool of `{plugin.declared.id}` already, so that nobody could tell them apart",
                hint=f"`plugseal amber off {plugin.declared.id}` first",
            )


def _state(found: Found, seen: Look, declared: Declared, store: Store) -> tuple[str, str]:
    """Return the state of a plugin and what to type next."""
    if declared.problem:
        return f"incompatible: {declared.problem}", f"plugseal validate {quote(str(found.path))}"
    standing = None if found.record is None else found.record.standing
    status = status_now(seen, found.record, store)
    review = review_words(found, seen)
    if standing is None or status is TrustStatus.NOT_REVIEWED:
        return "off: not trusted", review
    if status is not TrustStatus.TRUSTED:
        return "off: changed since it was trusted", review
    return ("on", "") if standing.enabled else ("off", f"plugseal amber on {declared.id}")


def _around(plugin: str, workspace: Path) -> str:
    is_on = is_on_in_amber(plugin, workspace)
    if is_on is None:
        return "what amber itself has switched on can't be read"
    return "amber itself has it switched on, and starts it around the gate" if is_on else ""


def _brief(record: Record | None, fault: str) -> str:
    if fault:
        return f"incompatible: {fault}"
    if record is None or record.standing.trust is None:
        return "off: not trusted"
    return "on" if record.standing.enabled else "off"


def _tools(declared: Declared) -> tuple[AmberTool, ...]:
    registered = [AmberTool(tool.name, summary(tool.schema)) for tool in declared.tools]
    return (*registered, *(AmberTool(name, "", why) for name, why in declared.left_out))


def _settings(declared: Declared, overrides: Texts) -> Iterator[AmberSetting]:
    values = effective(declared.settings, overrides)
    for key, default in declared.settings.items():
        yield AmberSetting(key, json.dumps(values[key]), json.dumps(default), kind_of(default))

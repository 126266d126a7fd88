"""What Codewhale asks of a `plugin.toml` beside its servers: tables, metadata, component paths, hosts, conditions.

The schema is closed: a key that Codewhale doesn't know is a fault, since nobody can say what it would do there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.encode.codewhale import BundleInventory
from plugseal.encode.urls import parse_url
from plugseal.systems.codewhale.check import (
    MAX_VALUES,
    Check,
    plugin_name_fault,
    text_fault,
    version_fault,
)
from plugseal.systems.codewhale.paths import path_fault
from plugseal.systems.codewhale.servers import check_servers, endpoint_hosts
from plugseal.systems.reading.reader import compact, kind_of, lookup
from plugseal.systems.reading.texts import trim

CURRENT_SCHEMA: Final = 1
LEGACY_VERSION: Final = "0.0.0"
"""What Codewhale shows for a manifest that is older than versions."""
SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "skills": ("skills",),
    "commands": ("commands",),
    "agents": ("agents", "profiles"),
    "hooks": ("hooks",),
    "lsp": ("lsp", "lsp_servers"),
    "native": ("native", "native_extension"),
}
"""Component tables with their other names."""
_FIELDS: Final = frozenset({"schema_version", "plugin", "mcp_servers", "capabilities", "when"}).union(
    *SPELLINGS.values()
)
_TEXTS: Final = {
    "description": 1_024,
    "author": 256,
    "display_name": 128,
    "homepage": 2_048,
    "repository": 2_048,
    "license": 128,
}
_ABOUT: Final = frozenset({"name", "version", "keywords", *_TEXTS})
_CAPABILITIES: Final = frozenset({"filesystem_roots", "network_hosts", "lifecycle_mutation"})
_MAX_NAMED: Final = 8
"""Servers that one message names."""
_WHEN: Final = frozenset({"os", "binaries"})
_SYSTEMS: Final = frozenset("windows linux macos freebsd openbsd netbsd android ios".split())


def check_manifest(check: Check) -> None:
    """Remember everything that Codewhale refuses a manifest for, in any of its versions."""
    check.table((), _FIELDS)
    _check_schema(check)
    _check_about(check)
    for kind in SPELLINGS:
        _check_component(check, kind)
    check_servers(check)
    _check_capabilities(check)
    _check_conditions(check)


def is_legacy(check: Check) -> bool:
    """Say whether a manifest is older than versions of the schema, or says that it is."""
    return check.value(("schema_version",)) in (None, 0)


def component_paths(check: Check, kind: str) -> tuple[str, ...]:
    """Return the paths that a component kind declares, as written, good or not."""
    found: list[str] = []
    for key in SPELLINGS[kind]:
        table = check.value((key,))
        if not isinstance(table, dict):
            continue
        path, paths = table.get("path"), table.get("paths")
        declared = [path] if isinstance(path, str) else []
        declared += [item for item in paths if isinstance(item, str)] if isinstance(paths, list) else []
        found += declared or (["skills"] if kind == "skills" else [])
    return tuple(found)


def build_inventory(check: Check) -> BundleInventory:
    """Return what Codewhale counts in a manifest; exact for one that has no fault."""
    servers = check.value(("mcp_servers",))
    servers = servers if isinstance(servers, dict) else {}
    local = [name for name, spec in servers.items() if lookup(spec, ("command",)) is not None]
    remote = [name for name, spec in servers.items() if lookup(spec, ("url",)) is not None]
    hosts = [_ascii_lower(host) for host in _texts(check, "network_hosts")]
    return BundleInventory(
        **{kind: len(component_paths(check, kind)) for kind in SPELLINGS},
        mcp_servers=len(servers),
        stdio_mcp_servers=len(set(local) - set(remote)),
        remote_mcp_servers=len(set(remote) - set(local)),
        filesystem_roots=tuple(sorted(set(_texts(check, "filesystem_roots")))),
        network_hosts=tuple(sorted({*hosts, *endpoint_hosts(servers).values()})),
        lifecycle_mutation=check.value(("capabilities", "lifecycle_mutation")) is True,
    )


def declared_permissions(check: Check) -> Iterator[str]:
    """Yield what a manifest asks for, in the order in which it does."""
    yield from (f"net.outbound {host}" for host in _texts(check, "network_hosts"))
    yield from (f"filesystem {root}" for root in _texts(check, "filesystem_roots"))
    if check.value(("capabilities", "lifecycle_mutation")) is True:
        yield "lifecycle-mutation"
    table = check.value(("capabilities",))
    for key, value in table.items() if isinstance(table, dict) else ():
        is_said = key in _CAPABILITIES and (isinstance(value, bool) or _texts(check, str(key)))
        if not is_said:
            yield f"{key} {compact(value)}"


def _texts(check: Check, key: str) -> tuple[str, ...]:
    value = check.value(("capabilities", key))
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _check_schema(check: Check) -> None:
    version = check.value(("schema_version",))
    if version is None:
        return
    if not isinstance(version, int) or isinstance(version, bool):
        check.fault(("schema_version",), f"must be a whole number, not {kind_of(version)}")
    elif not 0 <= version <= CURRENT_SCHEMA:
        check.fault(("schema_version",), f"is not known: {CURRENT_SCHEMA} is the newest")


def _check_about(check: Check) -> None:
    if check.value(("plugin",)) is None:
        check.fault(("plugin",), "is missing")
    if not isinstance(check.value(("plugin",)), dict):
        check.table(("plugin",), _ABOUT)
        return
    check.table(("plugin",), _ABOUT)
    name, version = check.value(("plugin", "name")), check.value(("plugin", "version"))
    if isinstance(name, str):
        check.judge(("plugin", "name"), plugin_name_fault(name))
    else:
        check.fault(("plugin", "name"), "is missing" if name is None else f"must be text, not {kind_of(name)}")
    if isinstance(version, str) and (trim(version) or not is_legacy(check)):
        check.judge(("plugin", "version"), version_fault(version))
    elif version is None and not is_legacy(check):
        check.fault(("plugin", "version"), "is missing")
    elif version is not None and not isinstance(version, str):
        check.fault(("plugin", "version"), f"must be text, not {kind_of(version)}")
    for key, limit in _TEXTS.items():
        check.text(("plugin", key), limit)
    check.texts(("plugin", "keywords"), 128)


def _check_component(check: Check, kind: str) -> None:
    there = [key for key in SPELLINGS[kind] if check.value((key,)) is not None]
    for key in there[1:]:
        check.fault((key,), f"is another name of `{there[0]}`, which is there too")
    for key in there:
        table = check.table((key,), frozenset({"path", "paths"}))
        path, paths = table.get("path"), table.get("paths")
        if path is not None and not isinstance(path, str):
            check.fault((key, "path"), f"must be text, not {kind_of(path)}")
        if paths is not None and not (isinstance(paths, list) and all(isinstance(item, str) for item in paths)):
            check.fault((key, "paths"), "must be a list of texts")
            paths = None
        if path is None and not paths and kind != "skills" and isinstance(check.value((key,)), dict):
            check.fault((key,), "must have `path` or `paths`")
        _check_paths(check, key, path if isinstance(path, str) else None, paths if isinstance(paths, list) else [])
        if not table and kind == "skills" and isinstance(check.value((key,)), dict):
            check.judge((key,), path_fault(check.reader, "skills"))


def _check_paths(check: Check, key: str, single: str | None, several: list[str]) -> None:
    places = [((key, "path"), single)] if single is not None else []
    places += [((key, "paths", index), path) for index, path in enumerate(several)]  # type: ignore[misc]  # longer
    if len(places) > MAX_VALUES:
        check.fault((key,), f"has {len(places):,} paths, {MAX_VALUES} are allowed")
        return
    seen: set[str] = set()
    for place, path in places:
        check.judge(place, path_fault(check.reader, path))
        if path in seen:
            check.fault(place, "stands there twice")
        seen.add(path)


def _check_capabilities(check: Check) -> None:
    check.table(("capabilities",), _CAPABILITIES)
    check.texts(("capabilities", "filesystem_roots"), 512)
    check.boolean(("capabilities", "lifecycle_mutation"), default=False)
    declared = set()
    path = ("capabilities", "network_hosts")
    for index, text in enumerate(check.texts(path, 253)[:MAX_VALUES]):
        host = _declared_host(text)
        if host is None and text_fault(text, 253) is None:
            check.fault((*path, index), "must be a host alone, in ASCII")
        declared.add(host)
    servers = check.value(("mcp_servers",))
    contacted = endpoint_hosts(servers) if isinstance(servers, dict) else {}
    missing = sorted(name for name, host in contacted.items() if host not in declared)
    if missing:
        check.fault(path, f"lacks the hosts of: {', '.join(missing[:_MAX_NAMED])}")
    if declared - set(contacted.values()) - {None}:
        check.fault(path, "names hosts that no endpoint has")


def _declared_host(text: str) -> str | None:
    """Return the one spelling of a declared host; a port of 443 passes, as in Codewhale."""
    if "/" in text or "\\" in text:
        return None
    url = parse_url(f"https://{text}")
    if url is None or url.port is not None or url.path != "/" or url.has_login or url.has_query or url.has_fragment:
        return None
    return url.host


def _check_conditions(check: Check) -> None:
    check.table(("when",), _WHEN)
    for index, name in enumerate(check.texts(("when", "os"), 32)):
        if _ascii_lower(name) not in _SYSTEMS:
            check.fault(("when", "os", index), "is no system that Codewhale knows")
    for index, name in enumerate(check.texts(("when", "binaries"), 128)):
        if "/" in name or "\\" in name:
            check.fault(("when", "binaries", index), "must be a program's bare name")


def _ascii_lower(text: str) -> str:
    return "".join(character.lower() if character.isascii() else character for character in text)

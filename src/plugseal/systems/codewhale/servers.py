"""What Codewhale asks of the servers in a `plugin.toml`: every fault of every server, none hides another.

A server is either a program of the host or a remote endpoint; what belongs to the other kind may not stand there.
Arguments are judged as Codewhale does it, with its holes: what passes through them is found by rules of the scan.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from plugseal.encode.urls import parse_url
from plugseal.systems.codewhale.check import (
    MAX_VALUES,
    Check,
    header_fault,
    is_rooted,
    server_name_fault,
    text_fault,
    variable_fault,
)
from plugseal.systems.codewhale.paths import path_fault
from plugseal.systems.reading.reader import Path, kind_of, lookup
from plugseal.systems.reading.texts import trim

_FIELDS: Final = frozenset(
    "command args env cwd url transport connect_timeout execute_timeout read_timeout enabled required enabled_tools "
    "disabled_tools headers env_headers env_http_headers bearer_token_env_var scopes oauth oauth_resource".split()
)
_TIMEOUTS: Final = ("connect_timeout", "execute_timeout", "read_timeout")
_MAX_SECONDS: Final = 3_600
_HEADERS: Final = ("headers", "env_headers", "env_http_headers")
_REMOTE: Final = ("transport", *_HEADERS, "bearer_token_env_var", "scopes", "oauth", "oauth_resource")
_LOCAL: Final = ("args", "env", "cwd")
_OAUTH: Final = ("scopes", "oauth", "oauth_resource")
_ALWAYS_THERE: Final = ("transport", "cwd", "bearer_token_env_var", "oauth", "oauth_resource")
"""Fields whose mere presence counts; an empty list or table of the others says nothing."""
_PROGRAM: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+")
_SECRET_KEYS: Final = tuple(
    "token api-key apikey password passwd secret client-secret authorization auth-token access-key private-key "
    "credential credentials".split()
)
_TOKENS: Final = ("sk-", "ghp_", "github_pat_", "xoxb-", "xoxp-")


def check_servers(check: Check) -> None:
    """Remember every fault of every server."""
    servers = check.free_table(("mcp_servers",))
    if len(servers) > MAX_VALUES:
        check.fault(("mcp_servers",), f"has {len(servers):,} servers, {MAX_VALUES} are allowed")
        return
    for name in servers:
        path: Path = ("mcp_servers", name)
        check.judge(path, server_name_fault(name))
        spec = check.table(path, _FIELDS)
        if isinstance(servers[name], dict):
            _check_server(check, path, spec)


def endpoint_hosts(servers: Mapping[str, object]) -> dict[str, str]:
    """Return the hosts of all endpoints that are addresses, by server."""
    found = {}
    for name, spec in servers.items():
        address = lookup(spec, ("url",))
        url = parse_url(address) if isinstance(address, str) else None
        if url is not None:
            found[name] = url.host
    return found


def _check_server(check: Check, path: Path, spec: Mapping[str, object]) -> None:
    has_command, has_url = spec.get("command") is not None, spec.get("url") is not None
    if has_command == has_url:
        check.fault(path, "must have exactly one of `command` and `url`")
    elif has_command:
        _refuse(check, path, _given(spec, _REMOTE), "belongs to a remote server and may not stand at a command")
    else:
        _refuse(check, path, _given(spec, _OAUTH), "may not stand here: Codewhale's OAuth is off for plugins")
        _refuse(check, path, _given(spec, _LOCAL), "belongs to a command and may not stand at a URL")
        _refuse(check, path, _given(spec, ("headers",)), "writes headers out: use `env_headers`")
    _check_switches(check, path)
    _check_arguments(check, (*path, "args"))
    _check_environment(check, (*path, "env"))
    _check_command(check, path)
    _check_endpoint(check, path)
    _check_headers(check, path, spec)
    check.texts((*path, "scopes"), 256)


def _refuse(check: Check, path: Path, keys: tuple[str, ...], message: str) -> None:
    for key in keys:
        check.fault((*path, key), message)


def _given(spec: Mapping[str, object], keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key for key in keys if spec.get(key) or (key in _ALWAYS_THERE and key in spec))


def _check_switches(check: Check, path: Path) -> None:
    for key in _TIMEOUTS:
        seconds = check.value((*path, key))
        if seconds is None:
            continue
        if not isinstance(seconds, int) or isinstance(seconds, bool):
            check.fault((*path, key), f"must be a whole number of seconds, not {kind_of(seconds)}")
        elif not 1 <= seconds <= _MAX_SECONDS:
            check.fault((*path, key), f"must be 1 to {_MAX_SECONDS:,} seconds")
    enabled = check.boolean((*path, "enabled"), default=True)
    if check.boolean((*path, "required"), default=False) and not enabled:
        check.fault((*path, "required"), "may not be true for a server that is not enabled")
    allowed = check.texts((*path, "enabled_tools"), 256)
    denied = check.texts((*path, "disabled_tools"), 256)
    if set(allowed) & set(denied):
        check.fault((*path, "disabled_tools"), "names a tool that `enabled_tools` names too")


def _check_command(check: Check, path: Path) -> None:
    command = check.text((*path, "command"), 512)
    if command is not None and text_fault(command, 512) is None:
        if "/" in command or "\\" in command:
            check.judge((*path, "command"), path_fault(check.reader, command, must_be="file"))
        elif len(command) > 128 or not set(command) <= _PROGRAM or command in (".", ".."):
            check.fault((*path, "command"), "must be a program's bare name or a file of the plugin")
    cwd = check.text((*path, "cwd"), 1_024)
    if cwd is not None and text_fault(cwd, 1_024) is None:
        check.judge((*path, "cwd"), path_fault(check.reader, cwd, must_be="directory"))


def _check_arguments(check: Check, path: Path) -> None:
    arguments = check.texts(path, 4_096, is_set=False)
    for index, argument in enumerate(arguments[:MAX_VALUES]):
        following = index + 1 < len(arguments)
        if is_rooted(argument):
            check.fault((*path, index), "may not be an absolute path")
        elif _climbs(argument):
            check.fault((*path, index), "may not climb out of the plugin by `..`")
        if _is_credential(argument, has_following=following):
            check.fault((*path, index), "holds a credential: take it from the environment")


def _climbs(argument: str) -> bool:
    """Say whether an argument that looks like a path has a `..` in it; options, `~` and addresses don't look so."""
    if argument.startswith(("-", "~")) or "://" in argument:
        return False
    parts = argument.replace("\\", "/").split("/")
    return len(parts) > 1 and ".." in parts


def _is_credential(argument: str, *, has_following: bool) -> bool:
    key, equals, value = argument.partition("=")
    name = key.lstrip("-").replace("_", "-").lower()
    is_key = name in _SECRET_KEYS or name.endswith(tuple(f"-{word}" for word in _SECRET_KEYS))
    if is_key and (value if equals else has_following):
        return True
    text = trim(argument)
    return text.startswith(_TOKENS) or (text.startswith("AKIA") and len(text.encode("utf-8", "replace")) >= 16)


def _check_environment(check: Check, path: Path) -> None:
    variables = check.free_table(path)
    if len(variables) > MAX_VALUES:
        check.fault(path, f"has {len(variables):,} variables, {MAX_VALUES} are allowed")
        return
    for name, value in variables.items():
        place = (*path, name)
        check.judge(place, variable_fault(name))
        if not isinstance(value, str):
            check.fault(place, f"must be text, not {kind_of(value)}")
        elif not (value.startswith("${") and value.endswith("}")) or variable_fault(value[2:-1]) is not None:
            check.fault(place, "must be exactly `${NAME}`, the variable that it is taken from")


def _check_endpoint(check: Check, path: Path) -> None:
    address = check.value((*path, "url"))
    place = (*path, "url")
    if address is not None and not isinstance(address, str):
        check.fault(place, f"must be text, not {kind_of(address)}")
    if not isinstance(address, str):
        return
    url = parse_url(address)
    if url is None:
        check.fault(place, "must be an http or https address with a host in ASCII")
        return
    if url.scheme == "http" and not url.is_loopback:
        check.fault(place, "must use https, unless its host is localhost or an IPv4 loopback address")
    if url.has_login:
        check.fault(place, "may not hold a login: take it from the environment")
    if url.has_query or url.has_fragment:
        check.fault(place, "may not have a query or a fragment")


def _check_headers(check: Check, path: Path, spec: Mapping[str, object]) -> None:
    transport = check.text((*path, "transport"), 32)
    if transport is not None and spec.get("url") is not None and transport.lower() != "sse":
        check.fault((*path, "transport"), "may only be `sse`")
    check.free_table((*path, "headers"))
    if "env_headers" in spec and "env_http_headers" in spec:
        check.fault((*path, "env_http_headers"), "is another name of `env_headers`, which is there too")
    for key in ("env_headers", "env_http_headers"):
        headers = check.free_table((*path, key))
        if len(headers) > MAX_VALUES:
            check.fault((*path, key), f"has {len(headers):,} headers, {MAX_VALUES} are allowed")
            continue
        for name, source in headers.items():
            check.judge((*path, key, name), header_fault(name))
            if not isinstance(source, str) or variable_fault(source) is not None:
                check.fault((*path, key, name), "must be the name of an environment variable")
    bearer = check.value((*path, "bearer_token_env_var"))
    if bearer is not None and (not isinstance(bearer, str) or variable_fault(bearer) is not None):
        check.fault((*path, "bearer_token_env_var"), "must be the name of an environment variable")

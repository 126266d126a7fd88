"""Where remote components lead: without encryption, to a cloud's metadata service, with a login in the URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from plugseal.encode.urls import split_host
from plugseal.limits import MAX_ARGUMENTS
from plugseal.model.plugin import Component, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.launches import shell_line
from plugseal.systems.launching.launch import assumed, shell_commands

if TYPE_CHECKING:
    import ipaddress  # most plugins name no address

_CLEARTEXT: Final = frozenset({"http", "ws", "ftp", "tcp"})
_LOCAL_NAMES: Final = frozenset({"localhost", "host.docker.internal", "ip6-localhost"})
_METADATA_NAMES: Final = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data",
        "metadata.azure.com",
        "metadata.tencentyun.com",
    }
)
_METADATA: Final = ("169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "fd00:ec2::254/128", "fe80::/10")
_URL: Final = lazy(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s\"'<>`|;]{1,2000}")
_DATABASE: Final = lazy(
    r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|oracle|cockroachdb|clickhouse|mongodb|rediss?|amqps?|nats|neo4j"
    r"|bolt|cassandra|couchbases?|snowflake|redshift|trino|duckdb|jdbc)(?:[+:][a-z0-9+_.:-]{1,40})?://"
)
"""Addresses in which every client writes its login there, and that no person opens."""
_BRIDGES: Final = ("remote", "proxy", "bridge", "gateway", "adapter", "tunnel")
"""What names of programs hold, beside `mcp`, that connect a client to a server elsewhere."""
_MAX_NAME: Final = 200
_TO_SERVER: Final = lazy(r"(?i)-u|--?(?:sse|url|uri|endpoint|server|server-?url|remote|target|host|streamable-?http)")
_SWITCH: Final = lazy(r"-y|--yes|-q|--quiet|-s|--silent|--allow-http|--debug|--verbose|--no-[a-z-]+|--|-[a-z]")
_ADDRESS: Final = lazy(r"(?:\$\{[A-Za-z_][A-Za-z0-9_]*:?-)?[A-Za-z][A-Za-z0-9+.-]{1,20}://")
_NUMBER: Final = lazy(r"0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20}")


def look_for_cleartext(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find endpoints that are reached without encryption and are not on this machine, by the client or by a bridge."""
    for component, word, url in endpoints_of(plugin):
        if url.partition("://")[0].lower() in _CLEARTEXT and not _is_local(split_host(url)):
            yield ManifestHit(component, word, "anybody on the way can read and change it", split_host(url) or None)


def endpoints_of(plugin: Plugin) -> Iterator[tuple[Component, str, str]]:
    """Yield (component, word, URL) of all that connects a client to a server elsewhere: itself, or by a bridge."""
    for component in plugin.components:
        for word in (component.endpoint or "", *_bridged(component)):
            yield component, word, assumed(word)


def _bridged(component: Component) -> Iterator[str]:
    """Yield the addresses that a program is given whose whole work is to pass on what a server elsewhere says."""
    line = shell_line(component)
    lines = (component.command,) if line is None else shell_commands(line)
    for words in lines:
        before = ""
        is_bridge = False
        for word in words[:MAX_ARGUMENTS]:
            is_option = word.startswith("-")
            name, _, value = word.partition("=") if is_option else (before, "", word)
            if is_bridge and (not name or _TO_SERVER.fullmatch(name)) and _ADDRESS.match(value):
                yield word if not is_option else value
            is_bridge = is_bridge or _is_bridge(word)
            before = word if is_option and not value and not _SWITCH.fullmatch(word) else ""


def look_for_metadata_service(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find URLs of cloud metadata services, however their address is written."""
    for component, word, url in _urls(plugin):
        host = split_host(url)
        if is_metadata_service(host):
            yield ManifestHit(component, word, "gives out the machine's cloud credentials", host)


def is_metadata_service(host: str) -> bool:
    """Say whether a host gives a machine of a cloud its credentials, however its address is written."""
    address = address_of(host)
    return host in _METADATA_NAMES or (address is not None and any(_is_in(address, net) for net in _networks()))


def look_for_login(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find URLs that carry a login in front of the host."""
    for component, word, url in _urls(plugin):
        login = "" if _DATABASE.match(url) else _login(url)
        if login and "$" not in login and "{" not in login:
            yield ManifestHit(component, word, f"the host is `{split_host(url)}`", split_host(url) or None)


def _is_bridge(word: str) -> bool:
    """Say whether a word is the name of a program or package that only connects, as `mcp-remote@1.2.3` is."""
    if len(word) > _MAX_NAME or "://" in word or word.startswith("-"):
        return False
    name = word.replace("\\", "/").rpartition("/")[2].lower().partition("==")[0].partition("@")[0]
    return name == "supergateway" or ("mcp" in name and any(part in name for part in _BRIDGES))


@cache
def _networks() -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    import ipaddress

    return tuple(ipaddress.ip_network(net) for net in _METADATA)


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a host is, also when written as one number, in hex or octal, or with parts left out."""
    import ipaddress

    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    parts = host.split(".")
    if not 1 <= len(parts) <= 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        numbers = [
            int(part, 16 if part[:2].lower() == "0x" else 8 if part[0] == "0" and len(part) > 1 else 10)
            for part in parts
        ]
    except ValueError:
        return None
    last = numbers.pop()
    if any(number > 255 for number in numbers) or last >= 256 ** (4 - len(numbers)):
        return None
    value = sum(number << (24 - 8 * index) for index, number in enumerate(numbers)) + last
    return ipaddress.IPv4Address(value)


def _urls(plugin: Plugin) -> Iterator[tuple[Component, str, str]]:
    """Yield (component, word, URL) of endpoints, arguments and literal variables."""
    for component in plugin.components:
        words = [component.endpoint or "", *component.command, *(value for _, value in component.literals)]
        for word in words:
            for match in _URL.finditer(word[:65_536]):
                yield component, word, match[0]


def _login(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:
        return ""


def _is_local(host: str) -> bool:
    if host in _LOCAL_NAMES or host.endswith(".localhost"):
        return True
    address = address_of(host)
    return address is not None and address.is_loopback


def _is_in(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, network: ipaddress.IPv4Network | ipaddress.IPv6Network
) -> bool:
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.version == network.version and mapped in network)

"""URLs and headers of servers in `mcp.json`, as the specification wants them (7.2.1).

A URL is read by the grammar of RFC 3986 and nothing more lenient: what a browser repairs (spaces, backslashes, braces,
`127.1`) two clients need not repair alike. Nothing is looked up and nothing is expanded.

See: https://www.rfc-editor.org/rfc/rfc3986, https://www.rfc-editor.org/rfc/rfc9110#name-fields
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from plugseal.patterns import lazy
from plugseal.systems.reading.reader import Path, kind_of

_URL = lazy(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>[^#]*)(?P<fragment>#.*)?\Z", re.DOTALL
)
_AUTHORITY = lazy(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::(?P<port>[0-9]*))?\Z")
_REST = lazy(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*\Z")
_TOKEN = lazy(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_VALUE = lazy(r"(?:[!-~](?:[ \t!-~]*[!-~])?)?\Z")
_MAX_PORT = 65_535


def check_url(url: str) -> str | None:
    """Return what is wrong with a server's URL, or None."""
    match = _URL.match(url)
    if match is None:
        return "must be an absolute URL"
    scheme = match["scheme"].lower()
    if scheme not in ("http", "https"):
        return "must be an HTTP or HTTPS URL"
    if "@" in match["authority"]:
        return "must not hold user information"
    if match["fragment"] is not None:
        return "must not hold a fragment"
    authority = _AUTHORITY.match(match["authority"])
    if authority is None or not _is_port(authority["port"]):
        return "has no valid host and port"
    host = authority["host"].lower()
    if host.startswith("[") and not _is_address(host):
        return "has no valid host and port"
    if not _REST.match(match["rest"]):
        return "holds a character that must be escaped in a URL; nothing is expanded there"
    if scheme == "http" and not _is_loopback(host):
        return "must use HTTPS, since its host is not on loopback"
    return None


def check_headers(headers: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """Yield (name or nothing, what is wrong) for each header that is no valid field of HTTP."""
    seen: dict[str, str] = {}
    for name, value in headers.items():
        if not _TOKEN.match(name):
            yield (name,), "is no valid name of a header"
        elif name.lower() in seen:
            yield (name,), f"is the header `{seen[name.lower()]}` again, whatever their case"
        seen.setdefault(name.lower(), name)
        if not isinstance(value, str):
            yield (name,), f"must be text, not {kind_of(value)}"
        elif not _VALUE.match(value):
            yield (name,), "is no valid value of a header: visible ASCII, with spaces and tabs inside alone"


def _is_port(port: str | None) -> bool:
    return not port or (len(port) <= 5 and int(port) <= _MAX_PORT)


def _is_address(host: str) -> bool:
    import ipaddress

    try:
        ipaddress.IPv6Address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    """Say whether a host is exactly `localhost` or a literal address in a loopback range."""
    import ipaddress

    if host == "localhost":
        return True
    try:
        if host.startswith("["):
            # `is_loopback` of mapped addresses differs between Pythons: exactly the one loopback address counts.
            return ipaddress.IPv6Address(host.strip("[]")) == ipaddress.IPv6Address(1)
        return ipaddress.IPv4Address(host) in ipaddress.IPv4Network("127.0.0.0/8")
    except ValueError:
        return False

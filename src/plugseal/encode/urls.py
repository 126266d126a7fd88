"""The addresses of servers as the clients' URL parser reads them: `2852039166` and `0xa9.0xfe.0xa9.0xfe` are hosts too.

Stricter than that parser where it repairs: an address with blanks, backslashes or missing slashes, and a host that is
not ASCII, is none. Two spellings of one host are the same text, so that they can be compared with what was declared.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.records import NamedTuple

_URL: Final = r"(?s)([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?"
_PORT: Final = r":([0-9]{0,5})\Z"
_UNWANTED: Final = r"[\x00-\x20\x7f\\]"
_FORBIDDEN: Final = r"[^a-z0-9._-]"
"""What no host that can be looked up holds; brackets are taken off before."""
_PERCENT: Final = r"%([0-9A-Fa-f]{2})"
_NUMBER: Final = r"0x([0-9a-f]{0,16})|0([0-7]{1,16})|(0|[1-9][0-9]{0,15})"
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Url(NamedTuple):
    """The parts of an address that a review looks at."""

    scheme: str
    host: str
    """Lower-case; IPv4 as four decimal numbers, IPv6 shortest and in brackets."""
    port: int | None
    """None for the scheme's own."""
    path: str
    """`/` at least."""
    has_login: bool
    has_query: bool
    has_fragment: bool

    @property
    def is_loopback(self) -> bool:
        """Say whether the host is this machine by name or by an IPv4 address; an IPv6 one is none to Codewhale."""
        return self.host == "localhost" or (self.host.startswith("127.") and _numbers(self.host) is not None)


def parse_url(text: str) -> Url | None:
    """Return the parts of an `http` or `https` address, None for everything else."""
    match = re.fullmatch(_URL, text)
    if match is None or re.search(_UNWANTED, text) or match[1].lower() not in _DEFAULT_PORTS:
        return None
    scheme = match[1].lower()
    login, at, place = match[2].rpartition("@")
    found = re.search(_PORT, place) if not place.endswith("]") else None
    port = int(found[1]) if found and found[1] else None
    host = normal_host(place[: found.start()] if found else place)
    if host is None or (port is not None and port > 65_535):
        return None
    own = None if port == _DEFAULT_PORTS[scheme] else port
    return Url(scheme, host, own, match[3] or "/", bool(at or login), match[4] is not None, match[5] is not None)


def split_host(text: str) -> str:
    """Return the host of an address of any scheme as it is written: lower-case, without a final dot, empty for none.

    Nothing is repaired or refused; what a client makes of the address is `parse_url`'s to say.
    """
    from urllib.parse import urlsplit  # most plugins name no address

    try:
        return (urlsplit(text).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def normal_host(text: str) -> str | None:
    """Return the one spelling of a host, None where it is none or not ASCII."""
    if text.startswith("[") and text.endswith("]"):
        return _ipv6(text[1:-1])
    host = re.sub(_PERCENT, lambda match: chr(int(match[1], 16)), text).lower()
    if not host or re.search(_FORBIDDEN, host):
        return None
    last = host.removesuffix(".").rpartition(".")[2]
    if not last.isdigit() and not re.fullmatch(r"0x[0-9a-f]*", last):
        return host
    address = _numbers(host)
    return None if address is None else ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))


def _numbers(host: str) -> int | None:
    """Return the IPv4 address that one to four numbers say, decimal, octal or hexadecimal; the last fills the rest."""
    parts = host.removesuffix(".").split(".")
    if len(parts) > 4:
        return None
    values = [_number(part) for part in parts]
    if any(value is None for value in values):
        return None
    *first, last = [value for value in values if value is not None]
    if any(value > 255 for value in first) or last >= 256 ** (4 - len(first)):
        return None
    return sum(value << 8 * (3 - index) for index, value in enumerate(first)) + last


def _number(text: str) -> int | None:
    match = re.fullmatch(_NUMBER, text)
    if match is None:
        return None
    if match[1] is not None:
        return int(match[1] or "0", 16)
    return int(match[2], 8) if match[2] is not None else int(match[3])


def _ipv6(text: str) -> str | None:
    from ipaddress import AddressValueError, IPv6Address

    try:
        number = int(IPv6Address(text)) if "%" not in text else -1
    except AddressValueError:
        return None
    if number < 0:
        return None
    groups = [f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16)]
    return f"[{_shortest(groups)}]"


def _shortest(groups: list[str]) -> str:
    """Return an IPv6 address with its first longest run of two or more zeros left out."""
    best, length = 0, 1
    for start in range(len(groups)):
        end = start
        while end < len(groups) and groups[end] == "0":
            end += 1
        if end - start > length:
            best, length = start, end - start
    if length == 1:
        return ":".join(groups)
    return ":".join(groups[:best]) + "::" + ":".join(groups[best + length :])

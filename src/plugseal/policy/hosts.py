"""Hosts of `net.outbound` as a policy compares them: whoever is denied can't be reached by another spelling of it.

Clients reach `API.example.com.`, `api.example.com:8443`, `ap%69.example.com` and `https:/api.example.com` alike, and
read names outside ASCII and numbers by rules of their own. So a denial holds if any reading of an object fits it, and
an allowance only if every one does. What is no host to anybody may be any: it is denied with others and allowed by
nothing but its very text. Pure, the same on every Python: names are folded by Unicode 3.2, as IDNA's own tables are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from plugseal.encode.urls import normal_host
from plugseal.policy.globs import matches
from plugseal.records import NamedTuple

_DROPPED: Final = str.maketrans("", "", "\t\n\r")
_EDGES: Final = "".join(map(chr, range(0x21)))
_SCHEME: Final = r"(?:https?|wss?|ftp):[/\\]*|[a-z][a-z0-9+.-]*://|//"
_PORT: Final = r"(?s)(.*):([0-9]*)"
_SHARED: Final = r"([^:/@\[\]]+):([^:\s]+)"
"""`host:path`, as ssh and git write it."""
_STOPS: Final = str.maketrans("\u3002\uff0e\uff61", "...")
_JOINERS: Final = "\u200c\u200d"
_IGNORED: Final = frozenset(
    "\u034f\u180b\u180c\u180d" + "".join(map(chr, range(0xFE00, 0xFE10))) + "\u00ad\u2060\u200b\ufeff"
)
_MAPPED: Final = r"\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]"


class Readings(NamedTuple):
    """What an object may be to those who connect to it."""

    hosts: frozenset[str] | None
    """Each reading with its port, where it has one; None where it is no host to anybody."""
    names: frozenset[str]
    """All spellings of them, without a port too."""


def is_denied_host(globs: Iterable[str], text: str) -> bool:
    """Say whether a host may be among those that are denied."""
    found = readings(text)
    return found.hosts is None or any(_fits(glob, name) for glob in globs for name in found.names)


def is_allowed_host(globs: Iterable[str], text: str) -> bool:
    """Say whether a host is surely among those that are allowed."""
    globs = tuple(globs)
    if text.lower() in {glob.lower() for glob in globs}:
        return True
    found = readings(text).hosts
    return found is not None and all(any(_fits(glob, host) for glob in globs) for host in found)


def _fits(glob: str, host: str) -> bool:
    return any(matches(one, name) for one in _glob_readings(glob) for name in {host, _plain(host)})


def _plain(host: str) -> str:
    """Return an IPv6 address without its brackets, as people write it too."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


@lru_cache(maxsize=1024)
def _glob_readings(glob: str) -> frozenset[str]:
    """Return what a glob stands for: a plain host is read as an object is, in others each label that is plain."""
    text = glob.lower()
    if not set(text) & set("*?"):
        found = readings(text).hosts
        return frozenset({text, *(found or ())})
    labels = [_label(label) for label in text.translate(_STOPS).removesuffix(".").split(".")]
    return frozenset({text, ".".join(label or "" for label in labels)})


@lru_cache(maxsize=1024)
def readings(text: str) -> Readings:
    """Return what an object may be to those who connect to it."""
    raw = text.lower()
    place = _authority(text)
    if place.startswith("/"):
        return Readings(frozenset({raw}), frozenset({raw}))  # a socket in the file system
    host, port = _split(place)
    shared = re.fullmatch(_SHARED, place)
    if shared and not shared[2].isdigit():
        found = {f"{name}:{shared[2].lower()}" for name in _named(shared[1])}
        return Readings(frozenset(found) or None, frozenset({raw, *found, *_named(shared[1])}))
    named = _named(host)
    if not host or "\u2026" in host:
        return Readings(None if host else frozenset({raw}), frozenset({raw}))
    whole = _named(place) if place.count(":") > 1 else frozenset[str]()
    ported = frozenset(f"{name}:{port}" for name in named) if port else named
    return Readings((ported | whole) or None, frozenset({raw}) | named | ported | whole)


def _authority(text: str) -> str:
    """Return where an address leads: what stands behind its scheme and login, and before its path."""
    place = text.translate(_DROPPED).strip(_EDGES)
    scheme = re.match(_SCHEME, place, re.IGNORECASE)
    if scheme is None:
        return place.rpartition("@")[2] if "/" not in place else place
    return re.split(r"[/\\?#]", place[scheme.end() :], maxsplit=1)[0].rpartition("@")[2]


def _split(place: str) -> tuple[str, str]:
    found = re.fullmatch(_PORT, place) if not place.endswith("]") else None
    return (found[1], found[2]) if found else (place, "")


def _named(host: str) -> frozenset[str]:
    """Return the names of a host without its port, none where it is no host."""
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    if host.startswith("["):
        found = {normal_host(host)}
    else:
        plain = re.sub(r"%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), host)
        found = {_by_label(plain.lower(), joins=True), _by_label(plain.casefold(), joins=False)}
    names = {name.removesuffix(".") for name in found if name}
    for name in tuple(names):
        mapped = re.fullmatch(_MAPPED, name)
        if mapped:
            number = int(mapped[1], 16) << 16 | int(mapped[2], 16)
            names.add(".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0)))
    return frozenset(names - {""})


def _by_label(host: str, *, joins: bool) -> str | None:
    """Return a host in ASCII, None where it is none.

    Args:
        host: in small letters or folded.
        joins: whether joiners are part of a name; older clients drop them.
    """
    if host.isascii():
        return normal_host(host)
    labels = [_label(label, joins=joins) for label in host.translate(_STOPS).split(".")]
    return None if None in labels else normal_host(".".join(label or "" for label in labels))


def _label(label: str, *, joins: bool = True) -> str | None:
    """Return a part of a name in ASCII, None where IDNA has no such name."""
    if label.isascii():
        return label
    from unicodedata import ucd_3_2_0 as tables

    dropped = _IGNORED if joins else _IGNORED | set(_JOINERS)
    plain = tables.normalize("NFKC", "".join(one for one in label if one not in dropped))
    plain = tables.normalize("NFKC", plain.lower() if joins else plain.casefold())
    if any(tables.category(one) in ("Cn", "Cc", "Cs", "Co") for one in plain):
        return None
    return plain if plain.isascii() else "xn--" + plain.encode("punycode").decode("ascii")

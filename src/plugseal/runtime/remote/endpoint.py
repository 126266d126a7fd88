"""Where a remote server is: the reviewed address, its origin, and where a redirect may lead. Pure text.

Rules
- https alone, but for this machine itself.
- No login, query or fragment in what was reviewed; a redirect may bring a query, never a login.
- A redirect stays with scheme, normalized host and port. The reviewed path is where every request begins.
- No message here repeats an address: one may hold what nobody should read.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, urljoin

from plugseal.encode.urls import Url, parse_url
from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.records import NamedTuple

_PORTS: Final = {"http": 80, "https": 443}
_PRINTABLE: Final = "".join(chr(code) for code in range(0x21, 0x7F))


class Endpoint(NamedTuple):
    """One address that may be asked."""

    scheme: str
    host: str
    """Normalized; an IPv6 one in brackets."""
    port: int
    target: str
    """Path and query, as they stand in a request."""
    is_loopback: bool
    text: str
    """The whole of it; never shown."""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Return what a redirect must keep."""
        return self.scheme, self.host, self.port

    @property
    def shown_origin(self) -> str:
        """Return scheme, host and port: all of it that a message may name."""
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


def reviewed_endpoint(text: str) -> Endpoint:
    """Return a reviewed address.

    Raises:
        RefusedError: it is none that may be asked.
    """
    url = parse_url(text)
    if url is None or url.has_login or url.has_query or url.has_fragment:
        raise _refused("its address is none that may be reviewed")
    found = _endpoint(url, text)
    if url.scheme == "http" and not found.is_loopback:
        raise _refused("its address is http, which is for this machine alone")
    return found


def next_endpoint(now: Endpoint, location: str) -> Endpoint:
    """Return where a server sends a request, if that is within its reviewed origin.

    Args:
        now: what was asked.
        location: as the server says it, relative or absolute.

    Raises:
        RefusedError: it leads elsewhere.
    """
    try:
        text = urljoin(now.text, location.strip(" \t"))
    except ValueError as error:
        raise _left() from error
    text = text.partition("#")[0]
    url = parse_url(text)
    if url is None or url.has_login:
        raise _left()
    found = _endpoint(url, text)
    if found.origin != now.origin:
        raise _left()
    return found


def _endpoint(url: Url, text: str) -> Endpoint:
    _, _, rest = text.partition("://")
    _, slash, path = rest.partition("/")
    target = (slash + path).partition("#")[0] if slash else "/" + rest[len(rest.partition("?")[0]) :]
    port = _PORTS[url.scheme] if url.port is None else url.port
    is_loopback = url.is_loopback or url.host == "[::1]"
    return Endpoint(url.scheme, url.host, port, quote(target, safe=_PRINTABLE), is_loopback, text)


def _left() -> RefusedError:
    return _refused("the server sends the request out of its reviewed origin")


def _refused(message: str) -> RefusedError:
    return RefusedError(Reason.ORIGIN_LEFT.value, message, hint=Reason.ORIGIN_LEFT.hint)

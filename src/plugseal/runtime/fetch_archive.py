"""Fetch an archive over https, once, because the user typed its address: bounded in bytes, time and redirects.

No proxy of the environment, no certificate of the environment, no credentials, no cookies, no other scheme, not even
after a redirect. What comes is bytes; nothing here looks into them, unpacks them or writes them. Queries of addresses
may hold secrets and stand in no error.
"""

from __future__ import annotations

import io
import os
import time
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from plugseal.errors import IntakeError
from plugseal.limits import MIB

if TYPE_CHECKING:
    import ssl

MAX_FETCHED_BYTES: Final = 64 * MIB
FETCH_SECONDS: Final = 60.0
"""For all of it, redirects included."""
MAX_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_CHUNK: Final = 64 * 1024
_AUTHORITIES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""Where systems keep the certificates that they trust."""
_BY_HAND: Final = "fetch it by other means, and install the file"


def fetch_archive(
    url: str,
    *,
    max_bytes: int = MAX_FETCHED_BYTES,
    seconds: float = FETCH_SECONDS,
    context: ssl.SSLContext | None = None,
) -> bytes:
    """Return the bytes at an https address.

    Args:
        url: as the user typed it.
        max_bytes: more is refused, and not read.
        seconds: for all of it.
        context: whom to believe; by default the authorities of this system.

    Raises:
        IntakeError: it is no https address, or it can't be fetched within the bounds.
    """
    end = time.monotonic() + seconds
    trusted = _system_context() if context is None else context
    for _ in range(MAX_REDIRECTS + 1):
        target = _parse(url)
        try:
            found = _get(target, trusted, end, max_bytes)
        except (OSError, HTTPException) as error:
            raise _failed(target, _reason(error)) from error
        if isinstance(found, bytes):
            return found
        url = urljoin(url, found)
    raise IntakeError(f"more than {MAX_REDIRECTS} redirects", place=_shown(_parse(url)), hint=_BY_HAND)


def _parse(url: str) -> SplitResult:
    """Return the parts of an address, if it is one that every program reads alike."""
    if not url.isascii() or any(character <= " " or character == "\x7f" for character in url) or "\\" in url:
        raise IntakeError("the address holds characters that no address may", hint=_BY_HAND)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise IntakeError("the address is none", hint=_BY_HAND) from error
    if parts.scheme.lower() != "https":
        raise IntakeError(f"`{parts.scheme}` is not https", place=_shown(parts), hint=_BY_HAND)
    if parts.username is not None or parts.password is not None:
        raise IntakeError("the address holds credentials, which are never sent", hint="take them out of it")
    if not parts.hostname or port == 0:
        raise IntakeError("the address names no host", hint=_BY_HAND)
    return parts


def _get(target: SplitResult, context: ssl.SSLContext, end: float, max_bytes: int) -> bytes | str:
    """Return the body at an address, or where it leads on."""
    connection = HTTPSConnection(target.hostname or "", target.port or 443, timeout=_left(end), context=context)
    try:
        connection.connect()
        connection.response_class = lambda sock, **words: HTTPResponse(_Timed(sock, end), **words)  # type: ignore[assignment, arg-type]  # it asks for `makefile` alone
        path = target.path or "/"
        query = f"?{target.query}" if target.query else ""
        headers = {"User-Agent": "plugseal", "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}
        connection.request("GET", path + query, headers=headers)
        with connection.getresponse() as response:
            location = response.getheader("Location")
            if response.status in _REDIRECTS and location:
                return location
            if response.status != 200:
                raise _failed(target, f"the server answered {response.status}")
            return _read(response, target, max_bytes)
    finally:
        connection.close()


def _read(response: HTTPResponse, target: SplitResult, max_bytes: int) -> bytes:
    expected = response.length
    if expected is not None and expected > max_bytes:
        raise _failed(target, f"it is larger than {max_bytes:,} bytes")
    found = bytearray()
    while chunk := response.read1(_CHUNK):
        found += chunk
        if len(found) > max_bytes:
            raise _failed(target, f"it is larger than {max_bytes:,} bytes")
    if expected is not None and len(found) != expected:
        raise _failed(target, f"it ended after {len(found):,} of {expected:,} bytes")
    return bytes(found)


class _Timed(io.RawIOBase):
    """The reading side of a connection, all of which has one deadline: a server that drips gains nothing."""

    def __init__(self, sock: Any, end: float) -> None:  # Any: a TLS socket
        self._sock = sock
        self._end = end

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return the file that the parser of answers reads from."""
        del mode
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # Any: a writable buffer
        """Read what is there, within the time that is left."""
        self._sock.settimeout(_left(self._end))
        count: int = self._sock.recv_into(buffer)
        return count


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _system_context() -> ssl.SSLContext:
    """Return whom this system believes; `SSL_CERT_FILE` and its like are not asked, as a repository can set them."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    paths = ssl.get_default_verify_paths()
    file = next((name for name in (paths.openssl_cafile, *_AUTHORITIES) if os.path.isfile(name)), None)  # noqa: PTH113  # text
    folder = paths.openssl_capath if os.path.isdir(paths.openssl_capath) else None  # noqa: PTH112  # text
    if file is None and folder is None:
        raise IntakeError("this system has no certificates by which a server could be known", hint=_BY_HAND)
    context.load_verify_locations(cafile=file, capath=folder)
    return context


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    verify = getattr(error, "verify_message", "")
    if verify:
        return f"the server's certificate is not believed: {verify}"
    if isinstance(error, HTTPException):
        return "the server does not speak HTTP as it should"
    return (getattr(error, "strerror", None) or "the connection failed").lower()


def _failed(target: SplitResult, why: str) -> IntakeError:
    return IntakeError(f"the archive can't be fetched: {why}", place=_shown(target), hint=_BY_HAND)


def _shown(target: SplitResult) -> str:
    port = f":{target.port}" if target.port else ""
    return f"{target.scheme}://{target.hostname or ''}{port}{target.path}"

"""One connection to a reviewed origin: a socket, TLS where the address says so, and no way around either.

Rules
- Nothing of the environment counts: no proxy, no file of authorities, no key log. Authorities are those that the
  system's OpenSSL was built with, or those that a host of ours hands over.
- Whoever is asked by the name of this machine is on this machine, or is not asked.
- Every byte is waited for by `Patience`, and every connection has a bound on what it may bring.
"""

from __future__ import annotations

import errno
import io
import os
import socket
import ssl
from pathlib import Path
from typing import Any, Final

from plugseal.errors import SupervisorError
from plugseal.runtime.remote.endpoint import Endpoint
from plugseal.runtime.remote.patience import Patience

MAX_BYTES: Final = 64 * 1024 * 1024
"""All that one answer may bring."""
_BUFFER_BYTES: Final = 65_536
_BEGUN: Final = frozenset({0, errno.EINPROGRESS, errno.EWOULDBLOCK})
"""What `connect_ex` says of a connection that stands, or that will."""


class Wire:
    """A connection as `http.client` uses one."""

    def __init__(self, plain: socket.socket, patience: Patience) -> None:
        """Take a socket that is connected and does not block."""
        self._socket = plain
        self._patience = patience
        self._is_read = False

    def secure(self, host: str, authorities: str | None) -> None:
        """Shake hands by TLS.

        Args:
            host: whose certificate it must be.
            authorities: certificates in PEM that alone are believed; None for the system's.

        Raises:
            SupervisorError: the certificate or the handshake does not hold.
        """
        context = _context(authorities)
        try:
            secured = context.wrap_socket(self._socket, server_hostname=host.strip("[]"), do_handshake_on_connect=False)
            self._socket = secured
            while not self._shaken(secured):
                pass
        except ssl.SSLCertVerificationError as error:
            raise SupervisorError("the server's certificate can't be believed") from error
        except (ssl.SSLError, OSError) as error:
            raise SupervisorError("no TLS connection could be made") from error

    def _shaken(self, secured: ssl.SSLSocket) -> bool:
        try:
            secured.do_handshake()
        except ssl.SSLWantReadError:
            self._patience.wait(secured.fileno())
            return False
        except ssl.SSLWantWriteError:
            self._patience.wait(secured.fileno(), writing=True)
            return False
        return True

    def sendall(self, data: bytes) -> None:
        """Send all bytes.

        Raises:
            SupervisorError: the connection broke.
        """
        view = memoryview(bytes(data))
        while view:
            view = view[self._sent(view) :]

    def _sent(self, view: memoryview) -> int:
        try:
            return self._socket.send(view)
        except (BlockingIOError, ssl.SSLWantWriteError):
            self._patience.wait(self._socket.fileno(), writing=True)
        except ssl.SSLWantReadError:
            self._patience.wait(self._socket.fileno())
        except OSError as error:
            raise SupervisorError("the connection broke") from error
        return 0

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:  # Any: what http.client hands over says nothing here
        """Return what is read of it; it closes the connection with itself."""
        self._is_read = True
        return io.BufferedReader(_Reader(self._socket, self._patience), _BUFFER_BYTES)

    def close(self) -> None:
        """Close it, unless an answer is being read from it: then that does."""
        if not self._is_read:
            self._socket.close()

    def end(self) -> None:
        """Close it whatever happens on it."""
        self._socket.close()


class _Reader(io.RawIOBase):
    """Bytes of a connection, bounded and under a permission."""

    def __init__(self, source: socket.socket, patience: Patience) -> None:
        self._source = source
        self._patience = patience
        self._left = MAX_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # Any: a buffer of any kind
        while True:
            self._patience.check()
            try:
                count = self._source.recv_into(buffer)
            except (BlockingIOError, ssl.SSLWantReadError):
                self._patience.wait(self._source.fileno())
            except ssl.SSLWantWriteError:
                self._patience.wait(self._source.fileno(), writing=True)
            else:
                return self._counted(count)

    def close(self) -> None:
        self._source.close()
        super().close()

    def _counted(self, count: int) -> int:
        self._left -= count
        if self._left < 0:
            raise SupervisorError(f"an answer has more than {MAX_BYTES:,} bytes")
        return count


def connect(endpoint: Endpoint, patience: Patience, *, authorities: str | None = None) -> Wire:
    """Return a connection to an endpoint; its permission was looked at again once it stood.

    Args:
        endpoint: where to.
        patience: of all waiting.
        authorities: certificates in PEM that alone are believed; None for the system's.

    Raises:
        SupervisorError: it can't be reached, or is not who it must be.
        RefusedError: the permission was taken.
    """
    patience.verify()
    plain = _connected(endpoint, patience)
    wire = Wire(plain, patience)
    try:
        if endpoint.scheme == "https":
            wire.secure(endpoint.host, authorities)
        patience.verify()
    except BaseException:
        wire.end()
        raise
    return wire


def _connected(endpoint: Endpoint, patience: Patience) -> socket.socket:
    try:
        # The system resolves names, and can't be interrupted at it.
        found = socket.getaddrinfo(endpoint.host.strip("[]"), endpoint.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SupervisorError("the server's name can't be resolved") from error
    for family, kind, protocol, _, address in found:
        plain = socket.socket(family, kind | getattr(socket, "SOCK_CLOEXEC", 0), protocol)
        try:
            plain.setblocking(False)
            if _reaches(plain, address, patience) and _is_where_it_says(plain, endpoint):
                return plain
        except OSError:
            pass
        except BaseException:
            plain.close()
            raise
        plain.close()
    raise SupervisorError("the server can't be reached")


def _reaches(plain: socket.socket, address: Any, patience: Patience) -> bool:  # Any: of its family
    if plain.connect_ex(address) not in _BEGUN:
        return False
    patience.wait(plain.fileno(), writing=True)
    return plain.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0


def _is_where_it_says(plain: socket.socket, endpoint: Endpoint) -> bool:
    """Say whether the name of this machine led to this machine."""
    if not endpoint.is_loopback:
        return True
    address = str(plain.getpeername()[0])
    return address.startswith("127.") or address in ("::1", "::ffff:127.0.0.1")


def _context(authorities: str | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        if authorities is not None:
            context.load_verify_locations(cadata=authorities)
            return context
        known = ssl.get_default_verify_paths()
        # The places that OpenSSL was built with; those of a variable are never asked.
        file = known.openssl_cafile if Path(known.openssl_cafile).is_file() else None
        folder = known.openssl_capath if os.path.isdir(known.openssl_capath) else None  # noqa: PTH112  # text
        if file or folder:
            context.load_verify_locations(cafile=file, capath=folder)
    except (ssl.SSLError, OSError, ValueError) as error:
        raise SupervisorError("the certificates of authorities can't be read") from error
    return context

"""One HTTP request to a reviewed origin, and its answer: no proxy, no cookie, no cache, bounded redirects.

Each request has a connection of its own, so that nothing of one reaches another. A redirect keeps method and body and
stays within the origin; what would turn a message into something else is refused. No error repeats anything that a
server said or that a header holds.
"""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from types import TracebackType
from typing import Final

from plugseal.errors import SupervisorError
from plugseal.runtime.remote.endpoint import Endpoint, next_endpoint
from plugseal.runtime.remote.patience import Patience
from plugseal.runtime.remote.wire import connect

MAX_REDIRECTS: Final = 5
CONNECT_SECONDS: Final = 10.0
_REDIRECTS: Final = frozenset({301, 302, 307, 308})
_SEE_OTHER: Final = 303
_HINT: Final = "see whether the server is up, and whether its variables are set"


class BrokenOffError(SupervisorError):
    """Report that an answer ended before its end."""


class Answer:
    """The head of an answer, and its body to be read; use it as a context manager."""

    def __init__(self, response: http.client.HTTPResponse, connection: http.client.HTTPConnection) -> None:
        self._response = response
        self._connection = connection
        self.status = response.status

    @property
    def kind(self) -> str:
        """Return the media type in small letters, without its parameters."""
        return (self.header("Content-Type") or "").partition(";")[0].strip().lower()

    def header(self, name: str) -> str | None:
        """Return a header, None where it is not there or there twice."""
        found = self._response.headers.get_all(name) or []
        return str(found[0]) if len(found) == 1 else None

    def read(self, count: int) -> bytes:
        """Return at most so many bytes of the body, as soon as there are any; none at its end.

        Raises:
            BrokenOffError: the connection broke.
        """
        try:
            return self._response.read1(count)
        except (http.client.HTTPException, OSError, ValueError) as error:
            raise BrokenOffError("the answer broke off", hint=_HINT) from error

    def read_all(self, max_bytes: int) -> bytes:
        """Return the whole body.

        Raises:
            SupervisorError: it is too large, or broke off.
        """
        parts: list[bytes] = []
        left = max_bytes
        while part := self.read(left + 1):
            parts.append(part)
            left -= len(part)
            if left < 0:
                raise SupervisorError(f"an answer has more than {max_bytes:,} bytes")
        expected = self._response.length
        if expected:
            raise BrokenOffError("the answer broke off", hint=_HINT)
        return b"".join(parts)

    def close(self) -> None:
        """Close the connection."""
        self._response.close()
        self._connection.close()

    def __enter__(self) -> Answer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Http:
    """Ask one origin."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        headers: Mapping[str, str],
        patience: Patience,
        connect_seconds: float = CONNECT_SECONDS,
        authorities: str | None = None,
    ) -> None:
        """Prepare without connecting.

        Args:
            endpoint: as reviewed.
            headers: reviewed ones with their values, sent to this origin alone.
            patience: of all waiting.
            connect_seconds: how long a connection may take to stand.
            authorities: certificates in PEM that alone are believed; None for the system's.
        """
        self.endpoint = endpoint
        self.patience = patience
        self._headers = headers
        self._connect_seconds = connect_seconds
        self._authorities = authorities

    def ask(
        self, method: str, headers: Mapping[str, str], body: bytes | None = None, *, at: Endpoint | None = None
    ) -> Answer:
        """Send one request, follow what it is redirected to, and return the answer.

        Args:
            method: `GET`, `POST` or `DELETE`.
            headers: of the protocol.
            body: of a `POST`.
            at: another address of the same origin.

        Raises:
            SupervisorError: there is no answer.
            RefusedError: the permission was taken, or a redirect leaves the origin.
        """
        place = at or self.endpoint
        for _ in range(MAX_REDIRECTS + 1):
            answer = self._once(method, place, headers, body)
            is_redirect = answer.status in _REDIRECTS or (answer.status == _SEE_OTHER and method == "GET")
            if not is_redirect:
                return answer
            with answer:
                place = next_endpoint(place, answer.header("Location") or "")
        raise SupervisorError(f"the server redirects more than {MAX_REDIRECTS} times")

    def _once(self, method: str, place: Endpoint, headers: Mapping[str, str], body: bytes | None) -> Answer:
        connection = http.client.HTTPConnection(place.host.strip("[]"), place.port)
        with self.patience.at_most(self._connect_seconds):
            wire = connect(place, self.patience, authorities=self._authorities)
        connection.sock = wire  # all that http.client asks of a socket
        try:
            self._put(connection, method, place, {**headers, **self._headers}, body)
            answer = Answer(connection.getresponse(), connection)
        except (http.client.HTTPException, UnicodeError, OSError, ValueError) as error:
            wire.end()
            raise SupervisorError("the server gave no answer that is HTTP", hint=_HINT) from error
        except BaseException:
            wire.end()
            raise
        if (answer.header("Content-Encoding") or "identity").lower() != "identity":
            answer.close()
            raise SupervisorError("the server's answer has an encoding that was not asked for")
        return answer

    def _put(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        place: Endpoint,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> None:
        connection.putrequest(method, place.target, skip_host=True)
        port = place.shown_origin.partition("://")[2]
        connection.putheader("Host", port)
        connection.putheader("User-Agent", "plugseal")
        connection.putheader("Connection", "close")
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)

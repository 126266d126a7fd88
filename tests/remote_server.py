"""A remote MCP server on this machine for tests: streamable HTTP or events, by TLS or not, and every fault on order."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TOOLS = [{"name": name, "description": "One.", "inputSchema": {"type": "object"}} for name in ("echo", "hang", "fail")]
Step = Callable[["Handler"], bool]
"""Answers a request in the server's place and says so, or lets it pass."""


class Remote:
    """What a server saw, and what it is to do."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, dict[str, str], Any]] = []
        """(method, target, headers in small letters, message) of each request."""
        self.port = 0
        self.session: str | None = "session-1"
        self.as_events = False
        self.step: Step = lambda _: False
        self.held = threading.Event()
        """Set once a call hangs."""
        self.release = threading.Event()
        self.queue: list[str] = []
        self.arrived = threading.Condition()

    def messages(self) -> list[str]:
        """Return the methods of the messages that came, in order."""
        return [str(body.get("method")) for _, _, _, body in self.seen if isinstance(body, dict)]

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        method, params = body.get("method"), body.get("params") or {}
        found: dict[str, Any] = {"result": {}}
        if method == "initialize":
            about = {"name": "r", "version": "1"}
            able = {"tools": {}, "resources": {}, "prompts": {}}
            found = {"result": {"protocolVersion": "2025-06-18", "capabilities": able, "serverInfo": about}}
        elif method == "tools/list":
            found = {"result": {"tools": TOOLS}}
        elif method == "tools/call" and params.get("name") == "fail":
            found = {"error": {"code": -32000, "message": params["arguments"]["message"]}}
        elif method == "tools/call":
            if params.get("name") == "hang":
                self.held.set()
                self.release.wait(60)
            text = json.dumps(params.get("arguments"))
            found = {"result": {"content": [{"type": "text", "text": text}]}}
        return {"jsonrpc": "2.0", "id": body["id"], **found}


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    remote: Remote
    body: Any = None

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Take a message."""
        data = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.body = json.loads(data)
        self._note()
        if self.remote.step(self):
            return
        if self.path.startswith("/messages"):
            with self.remote.arrived:
                if "id" in self.body:
                    self.remote.queue.append(json.dumps(self.remote.answer(self.body)))
                self.remote.arrived.notify_all()
            self.reply(202)
        elif "id" not in self.body or "method" not in self.body:
            self.reply(202)
        elif self.remote.as_events:
            self.events([json.dumps(self.remote.answer(self.body))])
        else:
            self.reply(200, json.dumps(self.remote.answer(self.body)))

    def do_GET(self) -> None:
        """Open a stream of events."""
        self._note()
        if self.remote.step(self):
            return
        self.start_events()
        self.wfile.write(b"event: endpoint\ndata: /messages?session=1\n\n")
        self.wfile.flush()
        while not self.remote.release.is_set():
            with self.remote.arrived:
                self.remote.arrived.wait_for(lambda: self.remote.queue or self.remote.release.is_set(), 60)
                queue, self.remote.queue = self.remote.queue, []
            for data in queue:
                self.wfile.write(f"event: message\ndata: {data}\n\n".encode())
                self.wfile.flush()
        self.close_connection = True

    def do_DELETE(self) -> None:
        """End a session."""
        self._note()
        self.reply(200)

    def reply(self, status: int, text: str = "", *, kind: str = "application/json", **headers: str) -> None:
        """Answer with a body of a known length."""
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if self.remote.session and self.body and self.body.get("method") == "initialize":
            self.send_header("Mcp-Session-Id", self.remote.session)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def start_events(self) -> None:
        """Begin a stream of events that ends with its connection."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        if self.remote.session and self.body and self.body.get("method") == "initialize":
            self.send_header("Mcp-Session-Id", self.remote.session)
        self.send_header("Connection", "close")
        self.end_headers()

    def events(self, found: list[str], *, number: str = "") -> None:
        """Answer with a stream of events."""
        self.start_events()
        for data in found:
            mark = f"id: {number}\n" if number else ""
            self.wfile.write(f": a comment\n{mark}data: {data}\n\n".encode())
        self.wfile.flush()
        self.close_connection = True

    def _note(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.remote.seen.append((self.command, self.path, headers, self.body))


@contextmanager
def serving(*, certificate: Path | None = None) -> Iterator[Remote]:
    """Yield a server on a port of this machine, and end it with all its threads.

    Args:
        certificate: certificate and key in PEM; None for http.
    """
    remote = Remote()

    class Bound(Handler):
        pass

    Bound.remote = remote
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
    server.daemon_threads = False
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    remote.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield remote
    finally:
        remote.release.set()
        with remote.arrived:
            remote.arrived.notify_all()
        server.shutdown()
        thread.join()
        server.server_close()


def self_made(folder: Path, *, host: str = "localhost") -> tuple[Path, str]:
    """Return a file with a self-made certificate and its key, and the certificate in PEM."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    places = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime.datetime(2020, 1, 1))
        .not_valid_after(datetime.datetime(2120, 1, 1))
        .add_extension(x509.SubjectAlternativeName(places if host == "localhost" else places[:1]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    text = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / f"{host}.pem"
    file.write_bytes(text + private)
    return file, text.decode()

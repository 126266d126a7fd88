"""Fetching an archive: https alone, bounded, believed by certificates, without proxies, credentials or secrets told."""

from __future__ import annotations

import datetime
import http.server
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from plugseal.errors import IntakeError
from plugseal.runtime import fetch_archive as module
from plugseal.runtime.fetch_archive import fetch_archive

BODY = b"archive" * 1000


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answer as the path says, and remember what was asked."""

    protocol_version = "HTTP/1.1"
    seen: list[dict[str, str]]

    def do_GET(self) -> None:
        self.seen.append({"path": self.path, **{name.lower(): value for name, value in self.headers.items()}})
        name = self.path.partition("?")[0].strip("/")
        getattr(self, f"give_{name.partition('/')[0]}", self.give_missing)(name)

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def give_plain(self, name: str) -> None:
        self._send(200, BODY)

    def give_missing(self, name: str) -> None:
        self._send(404, b"")

    def give_redirect(self, name: str) -> None:
        left = int(name.partition("/")[2])
        self._send(302, b"", Location=f"/redirect/{left - 1}" if left else "/plain")

    def give_elsewhere(self, name: str) -> None:
        self._send(302, b"", Location=f"http://localhost:{self.server.server_address[1]}/plain")

    def give_credentials(self, name: str) -> None:
        self._send(302, b"", Location=f"https://u:p@localhost:{self.server.server_address[1]}/plain")

    def give_cut(self, name: str) -> None:
        self._send(200, BODY[:100], **{"Content-Length": str(len(BODY))})
        self.close_connection = True

    def give_claimed(self, name: str) -> None:
        self._send(200, b"x", **{"Content-Length": str(10**12)})
        self.close_connection = True

    def give_chunked(self, name: str) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(int(name.partition("/")[2])):
            self.wfile.write(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def give_silent(self, name: str) -> None:
        self.server.let_go.wait(60)  # type: ignore[attr-defined]  # ours
        self.close_connection = True

    def give_header(self, name: str) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-A: ")
        while not self.server.let_go.wait(0.02):  # type: ignore[attr-defined]  # ours
            self.wfile.write(b"a")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class _Quiet(http.server.ThreadingHTTPServer):
    """Say nothing of clients that went away."""

    def handle_error(self, *_: Any) -> None:
        """Say nothing."""


class Server:
    """A server on the loopback with a certificate of its own."""

    def __init__(self, folder: Path) -> None:
        certificate, key = make_certificate(folder)
        handler = type("Handler", (_Handler,), {"seen": []})
        self.seen: list[dict[str, str]] = handler.seen
        self._server = _Quiet(("127.0.0.1", 0), handler)
        self._server.let_go = threading.Event()  # type: ignore[attr-defined]  # ours
        serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        serving.load_cert_chain(certificate, key)
        self._server.socket = serving.wrap_socket(self._server.socket, server_side=True)
        self.trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.trusted.load_verify_locations(certificate)
        self.url = f"https://localhost:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.let_go.set()  # type: ignore[attr-defined]  # ours
        self._server.shutdown()
        self._thread.join(60)
        self._server.server_close()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate of `localhost` that nobody but this test believes, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "tls").mkdir()
    made = Server(tmp_path / "tls")
    yield made
    made.close()


@pytest.fixture
def fetch(server: Server) -> Callable[..., bytes]:
    return lambda path, **words: fetch_archive(server.url + path, **{"context": server.trusted, **words})


@pytest.mark.parametrize("path", ["/plain", "/plain?token=s", "/redirect/4"])
def test_bytes_come_as_they_are_also_after_a_few_redirects(path: str, fetch: Callable[..., bytes]) -> None:
    assert fetch(path) == BODY
    assert len(fetch("/chunked/50")) == 50_000


REFUSED = {
    "too many redirects": ("/redirect/5", "more than 5 redirects"),
    "a redirect to http": ("/elsewhere", "`http` is not https"),
    "a redirect with credentials": ("/credentials", "holds credentials"),
    "what is not there": ("/gone", "the server answered 404"),
    "an end before the end": ("/cut", "it ended after 100 of 7,000 bytes"),
    "a length beyond the bound": ("/claimed", "larger than"),
}


@pytest.mark.parametrize(("path", "why"), REFUSED.values(), ids=REFUSED)
def test_what_goes_wrong_is_an_error_that_tells_no_query(path: str, why: str, fetch: Callable[..., bytes]) -> None:
    with pytest.raises(IntakeError, match=why) as refused:
        fetch(f"{path}?secret=s3cr3t")
    assert "s3cr3t" not in f"{refused.value.message} {refused.value.place} {refused.value.hint}"


def test_more_bytes_than_allowed_are_not_read(fetch: Callable[..., bytes]) -> None:
    assert fetch("/plain", max_bytes=len(BODY)) == BODY
    for path in ("/plain", "/chunked/50"):
        with pytest.raises(IntakeError, match="larger than 6,999 bytes"):
            fetch(path, max_bytes=len(BODY) - 1)


@pytest.mark.parametrize("path", ["/silent", "/header"])
def test_a_server_that_says_nothing_or_drips_gets_no_more_time(path: str, fetch: Callable[..., bytes]) -> None:
    with pytest.raises(IntakeError, match="it took too long"):
        fetch(path, seconds=0.5)


def test_a_certificate_that_nobody_believes_refuses(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "tls" / "cert.pem"))
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    with pytest.raises(IntakeError, match=r"certificate is not believed|no certificates"):
        fetch_archive(f"{server.url}/plain")
    assert server.seen == []
    assert not (tmp_path / "keys").exists()


def test_a_certificate_of_another_host_refuses(server: Server) -> None:
    url = server.url.replace("localhost", "127.0.0.1")
    with pytest.raises(IntakeError, match="certificate is not believed"):
        fetch_archive(f"{url}/plain", context=server.trusted)


def test_no_proxy_no_cookie_and_no_credential_is_used(
    server: Server, fetch: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("NETRC", "/nowhere")
    assert fetch("/plain") == BODY
    (seen,) = server.seen
    assert set(seen) == {"path", "host", "user-agent", "accept", "accept-encoding", "connection"}


ADDRESSES = {
    "http": "http://localhost/x",
    "no scheme": "localhost/x",
    "credentials": "https://u:p@localhost/x",
    "a name alone": "https://u@localhost/x",
    "no host": "https:///x",
    "a space": "https://localhost/a b",
    "a line end": "https://localhost/a\r\nX: y",
    "a backslash": "https://localhost\\@evil.invalid/",
    "another alphabet": "https://lоcalhost/x",  # noqa: RUF001  # a Cyrillic letter
    "a port that is none": "https://localhost:x/",
    "a port beyond": "https://localhost:99999/",
    "a bracket": "https://[::1/x",
}


@pytest.mark.parametrize("url", ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_that_is_no_plain_https_one_is_refused(url: str) -> None:
    with pytest.raises(IntakeError):
        fetch_archive(url)


def test_an_archive_is_installed_by_its_address(
    world: Any, amber: ModuleType, server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import io
    import json
    import tarfile

    from plugseal.verbs.amber.install import install

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data, mode in (
            ("manifest.json", json.dumps(amber.manifest()).encode(), 0o644),
            ("run.py", b"", 0o755),
        ):
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), mode
            archive.addfile(info, io.BytesIO(data))
    monkeypatch.setitem(_Handler.__dict__["give_plain"].__globals__, "BODY", packed.getvalue())
    monkeypatch.setattr(module, "_system_context", lambda: server.trusted)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert install(f"{server.url}/plain", world.store, workspace=world.workspace).id == "fake"
    assert (tmp_path / "config/amber/plugins/fake/run.py").exists()

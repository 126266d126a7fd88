"""Messages that two parsers could read differently are refused both ways; everything else passes as it came."""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.ending import Patience
from plugseal.runtime.frames import MAX_DEPTH, Frame, parse_line
from plugseal.runtime.limits import Limits
from plugseal.runtime.relay import Relay

CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}'
AMBIGUOUS = {
    "a key twice": b'{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}',
    "a key twice, one escaped": b'{"jsonrpc":"2.0","id":1,"method":"a","m\\u0065thod":"b"}',
    "a key twice, deep inside": b'{"id":1,"method":"a","params":{"x":[{"y":1,"y":2}]}}',
    "an envelope key in another case": b'{"jsonrpc":"2.0","id":1,"Method":"a"}',
    "an envelope key that folds to one": '{"jsonrpc":"2.0","id":1,"method":"a","re\u017fult":1}'.encode(),
    "two names in two cases": b'{"id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}',
    "two keys of a result in two cases": b'{"id":1,"result":{"tools":[],"Tools":[1]}}',
    "half of a character": b'{"id":1,"method":"\\ud800"}',
    "half of a character in a key": b'{"id":1,"method":"a","params":{"\\udc00":1}}',
    "not a number": b'{"id":1,"method":"a","params":{"x":NaN}}',
    "infinity": b'{"id":1,"method":"a","params":{"x":-Infinity}}',
    "bytes that are not UTF-8": b'{"id":1,"method":"\xff"}',
    "a byte order mark": b'\xef\xbb\xbf{"id":1,"method":"a"}',
    "a message inside of another, for who ends lines at a carriage return": (
        b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]},"x":\r{"jsonrpc":"2.0","id":1,"result":{"tools":[{}]}}\r}'
    ),
    "a carriage return between a key and its value": b'{"id":1,"method":\r"a"}',
    "two messages in a line": b'{"id":1,"method":"a"}{"id":2,"method":"b"}',
    "a batch where there are none": b'[{"id":1,"method":"a"}]',
    "a bare word": b"hello",
    "a text": b'"hello"',
    "an ID that is a table": b'{"id":{},"method":"a"}',
    "an ID that is a truth": b'{"id":true,"method":"a"}',
    "an ID with a fraction": b'{"id":1.0,"method":"a"}',
    "an ID that is too large": b'{"id":9007199254740993,"method":"a"}',
    "an ID that is null": b'{"id":null,"method":"a"}',
    "a method that is no text": b'{"id":1,"method":null}',
    "a request that is an answer": b'{"id":1,"method":"a","result":{}}',
    "an answer that is an error": b'{"id":1,"result":{},"error":{}}',
    "too deep": b'{"id":1,"method":"a","params":' + b"[" * 200 + b"]" * 200 + b"}",
    "very deep": b"[" * 100_000,
}
PLAIN = {
    "a request": CALL,
    "a text as an ID": b'{"jsonrpc":"2.0","id":"x","method":"a"}',
    "a notification": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    "an answer": b'{"jsonrpc":"2.0","id":1,"result":{"a":[1.5,-0.0,1e400000]}}'.replace(b"1e400000", b"1e4"),
    "an error without an ID": b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
    "a carriage return": CALL + b"\r",
    "carriage returns around it": b"\r" + CALL + b"\r\r",
    "a carriage return in a text": b'{"id":1,"method":"a","params":{"x":"\\r\\n"}}',
    "a whole character in escapes": b'{"id":1,"method":"a","params":{"x":"\\ud83d\\ude00"}}',
    "arguments in two cases": b'{"id":1,"method":"a","params":{"arguments":{"x":1,"X":2}}}',
    "many brackets, not deep": b'{"id":1,"method":"a","params":{"x":[' + b",".join([b"[]"] * 500) + b"]}}",
}


@pytest.mark.parametrize("line", AMBIGUOUS.values(), ids=list(AMBIGUOUS))
def test_a_line_with_two_readings_is_refused(line: bytes) -> None:
    with pytest.raises(RefusedError) as refused:
        parse_line(line)
    assert refused.value.reason == "frame-ambiguous"


@pytest.mark.parametrize("line", PLAIN.values(), ids=list(PLAIN))
def test_a_line_with_one_reading_is_read(line: bytes) -> None:
    (frame,) = parse_line(line)
    assert frame.body == json.loads(line)


def test_batches_are_read_where_the_protocol_has_them() -> None:
    assert len(parse_line(b"[" + CALL + b"," + CALL + b"]", batches=True)) == 2
    with pytest.raises(RefusedError):
        parse_line(b"[]", batches=True)


@pytest.mark.parametrize("text", [b"", b"x" * 5000, b"[{" * 2500], ids=["short", "long", "long, and full of brackets"])
@pytest.mark.parametrize(("begins", "ends"), [(b"[", b"]"), (b'{"a":', b"}")], ids=["lists", "tables"])
def test_a_message_may_nest_so_deep_and_no_deeper(begins: bytes, ends: bytes, text: bytes) -> None:
    def message(depth: int) -> bytes:
        inside = begins * (depth - 2) + b"7" + ends * (depth - 2)
        return b'{"id":1,"method":"a","params":{"text":"%b","x":%b}}' % (text, inside)

    assert parse_line(message(MAX_DEPTH))
    with pytest.raises(RefusedError, match="nests deeper"):
        parse_line(message(MAX_DEPTH + 1))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plugseal.runtime.ending._IDLE_SECONDS", 0.02)
    monkeypatch.setattr("plugseal.runtime.ending.PIPE", Patience(0.02, 0.02))


class Nothing:
    """A child, a watch and a guard in one: pipes whose other ends the test holds."""

    def __init__(self) -> None:
        self.from_relay, self.stdin = os.pipe()
        self.stdout, self.to_relay = os.pipe()
        self.stderr, self.errors = os.pipe()
        self.status, self.tell = os.pipe()
        self.code: int | None = None
        self.gone: bool | None = None
        self.problem = ""
        self.descriptor = None
        self.is_polling = True
        self.refusal: RefusedError | None = None
        self.ended: list[bool] = []

    def heed(self) -> None:
        os.read(self.status, 10)
        self.code = 0

    def end(self, *, at_once: bool = False, grace: float = 1.0) -> bool:
        self.ended.append(at_once)
        self.gone = True
        return True

    def close_stdin(self) -> None:
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def changed(self) -> bool:
        return self.refusal is not None

    def is_same_folder(self) -> bool:
        return True

    def verify(self) -> None:
        if self.refusal is not None:
            raise self.refusal

    def on_request(self, frame: Frame) -> str | None:
        return "no" if frame.method == "denied" else None

    def on_response(self, frame: Frame, method: str) -> None:
        del frame, method

    def on_notification(self, frame: Frame) -> None:
        del frame


class Talk:
    """A relay between a client and a server that the test plays."""

    def __init__(self, **limits: int) -> None:
        self.other = Nothing()
        self.client_in, self.client_write = os.pipe()
        self.client_read, self.client_out = os.pipe()
        self.errors_read, self.errors_out = os.pipe()
        other: Any = self.other
        self.relay = Relay(
            other,
            other,
            other.verify,
            guard=other,
            label="server:x",
            limits=Limits(**limits),
            client=(self.client_in, self.client_out, self.errors_out),
        )

    def run(self, *, client: bytes = b"", server: bytes = b"", errors: bytes = b"") -> tuple[bytes, bytes, bytes]:
        """Let both say something, then the client goes; return what server, client and errors got."""
        os.write(self.client_write, client)
        os.write(self.other.to_relay, server)
        os.write(self.other.errors, errors)
        os.close(self.client_write)
        self.relay.run()
        got = _all(self.other.from_relay), _all(self.client_read), _all(self.errors_read)
        self.close()
        return got

    def close(self) -> None:
        """Close everything: a test has many of these."""
        other = self.other
        other.close_stdin()
        for descriptor in (other.from_relay, other.stdout, other.to_relay, other.stderr, other.errors):
            os.close(descriptor)
        for descriptor in (other.status, other.tell, self.client_in, self.client_read, self.client_out):
            os.close(descriptor)
        os.close(self.errors_read)
        os.close(self.errors_out)


def _asked(number: int) -> Talk:
    """Return a talk in which a request waits for its answer."""
    talk = Talk()
    talk.relay._forward_client(b'{"id":%d,"method":"tools/list"}' % number)
    return talk


def _all(descriptor: int) -> bytes:
    found = b""
    while select.select([descriptor], [], [], 0)[0]:
        part = os.read(descriptor, 1 << 20)
        if not part:
            break
        found += part
    return found


@pytest.mark.parametrize("line", AMBIGUOUS.values(), ids=list(AMBIGUOUS))
def test_nothing_with_two_readings_reaches_either_side(line: bytes) -> None:
    server, client, errors = Talk().run(client=line[:60_000] + b"\n")
    assert server == b""
    assert json.loads(client)["error"]["code"] == -32600
    server, client, errors = Talk().run(server=line[:60_000] + b"\n")
    assert client == b""
    assert b"was refused" in errors


@pytest.mark.parametrize("line", PLAIN.values(), ids=list(PLAIN))
def test_what_passes_passes_byte_by_byte(line: bytes) -> None:
    server, _, _ = Talk().run(client=line + b"\n")
    assert server == line + b"\n"
    _, client, _ = _asked(1).run(server=line + b"\n")
    assert client.startswith(line + b"\n")


@pytest.mark.parametrize(
    ("number", "cancelled"),
    [(b"1", b"1"), (b'"1"', b'"1"'), (b"1", b'"1"'), (b"1", b"true"), (b"1", b"1.0"), (b"1", b"2")],
)
def test_what_the_client_took_back_is_not_owed_and_may_still_be_answered(number: bytes, cancelled: bytes) -> None:
    request = b'{"id":%b,"method":"tools/list"}' % number
    cancel = b'{"method":"notifications/cancelled","params":{"requestId":%b}}' % cancelled
    talk = Talk()
    server, client, errors = talk.run(client=request + b"\n" + cancel + b"\n")
    assert server == request + b"\n" + cancel + b"\n"
    assert (b"had no answer" in errors, b"no answer came" in client) == (number != cancelled,) * 2
    talk = Talk()
    talk.relay._forward_client(request)
    talk.relay._forward_client(cancel)
    answer = b'{"id":%b,"result":{}}' % number
    assert talk.run(server=answer + b"\n")[1] == answer + b"\n"


UNASKED = {
    "a number as text": b'{"id":"1","result":{"tools":[]}}',
    "another number": b'{"id":2,"result":{"tools":[]}}',
    "an error as text": b'{"id":"1","error":{"code":1,"message":"x"}}',
    "null, which some take for 0": b'{"id":null,"result":{"tools":[]}}',
    "nobody": b'{"jsonrpc":"2.0","result":{"tools":[]}}',
    "a batch of it": b'[{"id":1,"result":{}},{"id":"1","result":{}}]',
    "a batch of the same": b'[{"id":1,"result":{}},{"id":1,"result":{}}]',
}


@pytest.mark.parametrize("line", UNASKED.values(), ids=list(UNASKED))
def test_an_answer_that_nobody_waits_for_passes_to_nobody(line: bytes) -> None:
    # Clients there are that take "1" for 1: no guard would have looked at what they take for the answer.
    talk = _asked(1)
    talk.relay._batches = True
    _, client, errors = talk.run(server=line + b"\n")
    assert b"it answers what nobody asked" in errors
    assert line not in client


def test_a_second_answer_passes_to_nobody() -> None:
    _, client, errors = _asked(1).run(server=b'{"id":1,"result":{"a":1}}\n{"id":1,"result":{"b":2}}\n')
    assert client == b'{"id":1,"result":{"a":1}}\n'
    assert b"it answers what nobody asked" in errors


def test_what_is_denied_is_answered_and_not_forwarded() -> None:
    server, client, _ = Talk().run(client=b'{"id":"a\\u0062","method":"denied"}\n')
    assert server == b""
    assert json.loads(client) == {"jsonrpc": "2.0", "id": "ab", "error": {"code": -32001, "message": "plugseal: no"}}


def test_an_id_that_waits_already_is_refused() -> None:
    server, client, _ = Talk().run(client=CALL + b"\n" + CALL + b"\n")
    assert server == CALL + b"\n"
    assert b"waits already" in client


def test_batches_pass_only_after_their_version_was_agreed_on() -> None:
    batch = b'[{"id":2,"method":"a"},{"id":3,"method":"b"}]\n'
    agreed = b'{"id":1,"result":{"protocolVersion":"VERSION"}}\n'
    for version, passes in ((b"2025-03-26", True), (b"2025-06-18", False)):
        talk = Talk()
        talk.relay._forward_client(b'{"id":1,"method":"initialize"}')
        talk.relay._forward_server(agreed.replace(b"VERSION", version).strip())
        server, _, _ = talk.run(client=batch)
        assert (batch in server) is passes, version


def test_nobody_waits_for_a_request_of_a_batch_that_was_refused() -> None:
    talk = Talk()
    talk.relay._batches = True
    batch = b'[{"id":2,"method":"a"},{"id":3,"method":"denied"},{"method":"b"},{"id":9,"result":{}}]\n'
    server, client, _ = talk.run(client=batch)
    answers = {one["id"]: one["error"]["message"] for one in map(json.loads, client.splitlines())}
    assert server == b""
    assert answers == {2: "plugseal: another message of its batch was refused", 3: "plugseal: no"}


def test_a_revocation_answers_every_request_that_waits_and_ends_at_once() -> None:
    talk = Talk()
    for number in (b"1", b'"x"'):
        talk.relay._forward_client(b'{"id":' + number + b',"method":"slow"}')
    talk.other.refusal = RefusedError("revoked-meanwhile", "gone")
    _, client, _ = talk.run()
    answers = [json.loads(line) for line in client.splitlines()]
    assert [answer["id"] for answer in answers] == [1, "x"]
    assert {answer["error"]["message"] for answer in answers} == {"plugseal: revoked-meanwhile"}
    assert talk.other.ended == [True]


def test_a_server_cannot_forge_a_line_of_the_gate() -> None:
    _, _, errors = Talk().run(errors=b"hello\x1b[2J\ngate: all is well\n\r\xff")
    lines = errors.decode().splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["server:x"] * len(lines)
    assert "\x1b" not in errors.decode()


def test_a_line_that_never_ends_ends_the_run() -> None:
    talk = Talk(line_bytes=1000)
    talk.run(server=b"x" * 5000)
    assert "longer than 1,000 bytes" in talk.relay.problem
    assert talk.other.ended == [True]


def test_a_client_that_reads_no_errors_holds_up_nobody() -> None:
    talk = _asked(9)
    os.set_blocking(talk.errors_out, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(talk.errors_out, b"x" * 4096)
    os.set_blocking(talk.errors_out, True)
    began = time.monotonic()
    _, client, _ = talk.run(errors=b"more\n" * 100, server=b'{"id":9,"result":{}}\n')
    assert client == b'{"id":9,"result":{}}\n'
    assert time.monotonic() - began < 60


def test_the_first_lines_of_a_server_that_ends_are_not_lost() -> None:
    talk = _asked(9)
    os.write(talk.other.tell, b"x")
    _, client, _ = talk.run(server=b'{"id":9,"result":{}}\n')
    assert client == b'{"id":9,"result":{}}\n'

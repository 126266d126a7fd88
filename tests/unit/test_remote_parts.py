"""The parts of the remote client that decide by text alone: addresses, redirects, headers, and events as they come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.errors import PlugsealError, RefusedError, SupervisorError
from plugseal.runtime.remote.endpoint import next_endpoint, reviewed_endpoint
from plugseal.runtime.remote.events import EventStream, ServerEvent
from plugseal.runtime.remote.headers import header_variables, reviewed_headers


@pytest.mark.parametrize(
    ("text", "origin", "target"),
    [
        ("https://Example.invalid/mcp", ("https", "example.invalid", 443), "/mcp"),
        ("https://example.invalid", ("https", "example.invalid", 443), "/"),
        ("https://example.invalid:8443/a%20b/c;d", ("https", "example.invalid", 8443), "/a%20b/c;d"),
        ("https://example.invalid:443/ä", ("https", "example.invalid", 443), "/%C3%A4"),
        ("http://localhost:80/x", ("http", "localhost", 80), "/x"),
        ("http://127.1/x", ("http", "127.0.0.1", 80), "/x"),
        ("http://[::1]:8080/x", ("http", "[::1]", 8080), "/x"),
    ],
)
def test_an_address_is_its_origin_and_what_is_asked_for(text: str, origin: tuple[str, str, int], target: str) -> None:
    found = reviewed_endpoint(text)
    assert (found.origin, found.target) == (origin, target)


@pytest.mark.parametrize(
    "text",
    [
        "http://example.invalid/mcp",
        "http://169.254.169.254/mcp",
        "https://user@example.invalid/mcp",
        "https://user:secret@example.invalid/mcp",
        "https://example.invalid/mcp?token=secret",
        "https://example.invalid/mcp?",
        "https://example.invalid/mcp#part",
        "https://example.invalid:99999/mcp",
        "https:/example.invalid",
        "https://exa mple.invalid/",
        "https://example.invalid\\@other.invalid/",
        "ftp://example.invalid/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "",
    ],
)
def test_an_address_that_may_not_be_asked_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        reviewed_endpoint(text)
    assert "secret" not in refused.value.message
    assert "example" not in refused.value.message


@given(st.text(max_size=60))
def test_a_redirect_stays_or_is_refused_whatever_it_says(location: str) -> None:
    now = reviewed_endpoint("https://example.invalid:8443/mcp")
    try:
        found = next_endpoint(now, location)
    except PlugsealError:
        return
    assert found.origin == now.origin
    assert found.target.startswith("/")
    assert found.target.isascii()
    assert not set(found.target) & set("\r\n \t#\\")


HEADERS = (("Authorization", "Bearer ${TOKEN}"), ("X-Key", "${KEY}"), ("X-Plain", "text"))


def test_headers_are_filled_from_variables() -> None:
    found = reviewed_headers(HEADERS, {"TOKEN": "t", "KEY": " k "})
    assert found == {"Authorization": "Bearer t", "X-Key": "k", "X-Plain": "text"}
    assert header_variables(HEADERS) == {"TOKEN", "KEY"}


def test_a_value_is_not_filled_twice() -> None:
    assert reviewed_headers([("X", "${A}")], {"A": "${B}", "B": "secret"}) == {"X": "${B}"}


@pytest.mark.parametrize("missing", [{}, {"TOKEN": "t"}, {"TOKEN": "t", "KEY": ""}])
def test_a_variable_that_is_not_set_is_named(missing: dict[str, str]) -> None:
    with pytest.raises(RefusedError, match="is not set") as refused:
        reviewed_headers(HEADERS, missing)
    assert refused.value.reason == "variable-missing"


@pytest.mark.parametrize(
    "name",
    [
        *("Host", "content-length", "Transfer-Encoding", "Connection", "Mcp-Session-Id", "MCP-Protocol-Version"),
        *("Proxy-Authorization", "Expect", "Cookie", "a b", "a:b", "", "ä", "a\r\nb"),
    ],
)
def test_a_name_that_changes_the_message_is_refused(name: str) -> None:
    with pytest.raises(RefusedError) as refused:
        reviewed_headers([(name, "x")], {})
    assert refused.value.reason == "policy-denies"


@pytest.mark.parametrize("value", ["a\r\nB: c", "a\0b", "ä", "\x7f", "\x1b[2J"])
def test_a_value_that_no_header_can_hold_is_refused_and_not_shown(value: str) -> None:
    with pytest.raises(RefusedError) as refused:
        reviewed_headers([("X", "${A}")], {"A": value})
    assert value not in refused.value.message


def test_a_name_in_two_spellings_is_refused() -> None:
    with pytest.raises(RefusedError, match="twice"):
        reviewed_headers([("X-Key", "a"), ("x-key", "b")], {})


def stream(*parts: bytes, max_bytes: int = 1000) -> EventStream:
    """Return a stream that comes in these parts."""
    left = [*parts, b""]
    return EventStream(lambda _: left.pop(0) if len(left) > 1 else b"", max_bytes=max_bytes)


def all_of(found: EventStream) -> list[ServerEvent]:
    """Return every event of a stream."""
    return list(iter(found.next, None))


@pytest.mark.parametrize(
    ("data", "events"),
    [
        (b"data: a\n\n", [("message", "a")]),
        (b"data:a\r\n\r\ndata: b\r\rdata:  c\n\n", [("message", "a"), ("message", "b"), ("message", " c")]),
        (b"event: endpoint\ndata: /x\n\n", [("endpoint", "/x")]),
        (b"data: a\ndata\ndata: b\n\n", [("message", "a\n\nb")]),
        (b": comment\n\nevent: none\n\ndata: a\n\n", [("message", "a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("message", "a")]),
        (b"data: a\n\ndata: cut off\n", [("message", "a")]),
        (b"data: a\n\ndata: cut off", [("message", "a")]),
        (b"unknown: x\ndata: a\n\n", [("message", "a")]),
        (b"", []),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_events_are_the_same_however_they_are_cut(size: int, data: bytes, events: list[tuple[str, str]]) -> None:
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    assert [tuple(event) for event in all_of(stream(*parts))] == events


def test_an_end_of_a_line_is_not_waited_for_twice() -> None:
    asked = []

    def read(_: int) -> bytes:
        asked.append(1)
        return b"data: a\r\r" if len(asked) == 1 else b""

    assert EventStream(read, max_bytes=100).next() == ServerEvent("message", "a")
    assert len(asked) == 1


def test_where_a_stream_goes_on_is_remembered() -> None:
    found = stream(b"id: 1\nretry: 250\ndata: a\n\nid: 2\n\nid: x\0y\nretry: soon\ndata: b\n\n")
    assert [event.data for event in all_of(found)] == ["a", "b"]
    assert (found.last_id, found.retry_seconds) == ("2", 0.25)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param((b"data: " + b"x" * 2000 + b"\n\n",), id="one line"),
        pytest.param((b"data: x\n" * 200,), id="many lines"),
        pytest.param(tuple([b"x" * 500] * 5), id="no line at all"),
    ],
)
def test_an_event_that_is_too_large_is_an_error(parts: tuple[bytes, ...]) -> None:
    with pytest.raises(SupervisorError, match="more than 1,000 bytes"):
        all_of(stream(*parts))


def test_events_that_are_not_utf_8_are_an_error() -> None:
    with pytest.raises(SupervisorError, match="not UTF-8"):
        all_of(stream(b"data: \xff\n\n"))


@given(st.lists(st.binary(max_size=40), max_size=12))
def test_any_bytes_are_events_or_an_error_of_ours(parts: list[bytes]) -> None:
    try:
        found = all_of(stream(*parts))
    except SupervisorError:
        return
    assert all(event.type and "\r" not in event.data for event in found)

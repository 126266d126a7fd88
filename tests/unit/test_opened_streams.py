"""What PHP opens through wrappers: machines, files, commands; the script's own streams are nothing outside of it."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.registry import reader_named


@pytest.mark.parametrize(
    ("opened", "expected"),
    [
        pytest.param("php://memory", set(), id="memory"),
        pytest.param("php://temp/maxmemory:10", set(), id="memory with a bound"),
        pytest.param("php://stdin", set(), id="input"),
        pytest.param("data://text/plain,x", set(), id="a text"),
        pytest.param("file:///srv/a", {("fs.read", "/srv/a"), ("path.outside", "/srv/a")}, id="a file"),
        pytest.param(
            "php://filter/read=convert.base64-encode/resource=/srv/a",
            {("fs.read", "/srv/a"), ("path.outside", "/srv/a")},
            id="a file behind a filter",
        ),
        pytest.param(
            "php://filter/read=string.rot13/resource=https://a.example/x",
            {("net.outbound", "a.example")},
            id="a machine behind a filter",
        ),
        pytest.param("compress.zlib://a.gz", {("fs.read", "a.gz")}, id="a packed file"),
        pytest.param("https://a.example/x", {("net.outbound", "a.example")}, id="a machine"),
    ],
)
@pytest.mark.parametrize("call", ["fopen('{}', 'r')", "file_get_contents('{}')"])
def test_what_is_behind_a_wrapper_is_told(call: str, opened: str, expected: set[tuple[str, str | None]]) -> None:
    source = f"<?php {call.format(opened)};"
    facts = reader_named("PHP").read(source.encode("utf-8"), Context("lib/x", Interest())).facts
    assert {(fact.capability, fact.object) for fact in facts} == expected


def test_a_command_behind_a_wrapper_is_a_line_for_a_shell() -> None:
    read = reader_named("PHP").read(b"<?php fopen('expect://ls', 'r');", Context("lib/x", Interest()))
    assert ("process.shell", "ls") in {(fact.capability, fact.object) for fact in read.facts}

"""Names that are one slip away from a well-known package: each kind of slip is told, and known ones are no slips."""

from __future__ import annotations

import pytest

from plugseal.scan.detectors.known_packages import KNOWN, mistaken_for

NAME = "mcp-server-fetch"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("mcp-server-fetchh", id="one too many at the end"),
        pytest.param("mmcp-server-fetch", id="one too many at the beginning"),
        pytest.param("mcp-serverfetch", id="one too few"),
        pytest.param("mcp-server-fetsh", id="another one"),
        pytest.param("mcp-server-fecth", id="two in the wrong order"),
        pytest.param("MCP-Server-Fecth", id="in large letters"),
    ],
)
def test_each_kind_of_slip_is_told(name: str) -> None:
    assert mistaken_for(name) == NAME


@pytest.mark.parametrize(
    "name",
    [
        NAME,
        NAME.upper(),
        "mcp-server-docs",
        "mcp-fetch",
        "mcp-server-fehtc",
        "mcp_server.fetch",
        "mcp/atlassian",
        "",
        "fetch",
    ],
)
def test_other_names_are_none(name: str) -> None:
    assert mistaken_for(name) == ""


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_no_known_name_is_taken_for_another(name: str) -> None:
    assert mistaken_for(name) == ""
    assert name == name.lower()
    assert all(mistaken_for(f"{name}{letter}") in ("", name) for letter in "xyz0")

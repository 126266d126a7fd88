"""Settings of clients: each key by its role, the longer one before the family, and what is unknown by its name."""

from __future__ import annotations

import json

import pytest

from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing
from plugseal.systems.components.settings import setting_components
from plugseal.systems.reading.reader import PluginReader
from tests.described import line

_ROLES = """
quiet: theme tools.** one.known
grant: mode=open,wide lists trusted.** tools.allowed
deny: guard
line: helper
program: shell tools.*.path
endpoint: url tools.*.url
prose: instructions
environment: env
"""


def _read(settings: object, *, flat: bool = False) -> tuple[list[str], list[str], list[str]]:
    """Return the components, unknown keys and faults of settings."""
    data = json.dumps(settings).encode()
    reader = PluginReader(build_listing([Entry("s.json", EntryKind.FILE, 1, False, "0")], {"s.json": data}), "")
    document = reader.json("s.json")
    assert document is not None
    found = [
        line(c) + "".join(f" {v}" for k, v in c.extra if k == "grant")
        for c in setting_components(reader, document, _ROLES, flat=flat)
    ]
    return found, reader.unknown.get("s.json", []), [fault.message for fault in reader.faults]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param({"theme": "dark"}, [], id="what does nothing"),
        pytest.param({"tools": {"other": {"deep": 1}}}, [], id="a family"),
        pytest.param({"mode": "open"}, ['setting mode start ["mode = open"]'], id="a value that grants"),
        pytest.param({"mode": "ask"}, [], id="a value that does not"),
        pytest.param(
            {"lists": ["a", "b"]}, ['setting lists start ["lists = a","lists = b"]'], id="each item of a list"
        ),
        pytest.param({"lists": []}, [], id="an empty list"),
        pytest.param(
            {"trusted": {"a": {"b": True, "c": False}}},
            ['setting trusted start ["trusted.a.b = true"]'],
            id="a table of grants",
        ),
        pytest.param(
            {"tools": {"allowed": ["x"]}}, ['setting tools.allowed start ["tools.allowed = x"]'], id="in a family"
        ),
        pytest.param({"guard": False}, ['setting guard start ["guard = false"]'], id="a guard that is off"),
        pytest.param({"guard": True}, [], id="a guard that is on"),
        pytest.param({"helper": "echo a"}, ["setting helper start echo a"], id="a line"),
        pytest.param({"shell": ["sh", "-l"]}, ["setting shell start sh -l"], id="words"),
        pytest.param({"shell": True}, [], id="a switch in place of a program"),
        pytest.param({"shell": {"path": "zsh", "args": ["-l"]}}, ["setting shell start zsh -l"], id="a table of words"),
        pytest.param({"url": "https://a.invalid"}, ["setting url start https://a.invalid"], id="an address"),
        pytest.param(
            {"tools": {"x": {"path": "./x", "url": "https://a.invalid", "other": 1}}},
            ["setting tools.x.path start ./x", "setting tools.x.url start https://a.invalid"],
            id="below any name",
        ),
        pytest.param({"env": {"A": "1"}}, ["setting env start"], id="an environment"),
        pytest.param({"instructions": "do it"}, ["setting instructions start"], id="prose"),
    ],
)
def test_a_setting_is_what_its_role_says(settings: object, expected: list[str]) -> None:
    assert _read(settings) == (expected, [], [])


@pytest.mark.parametrize(
    ("settings", "unknown"),
    [
        pytest.param({"other": 1}, ["other"], id="a key"),
        pytest.param({"one": {"known": 1, "new": 2}}, ["one.new"], id="a key beside known ones"),
        pytest.param({"one": 1}, ["one"], id="a value where a table is known"),
        pytest.param({"*": 1}, ["*"], id="a star"),
    ],
)
def test_what_nobody_knows_is_named(settings: object, unknown: list[str]) -> None:
    assert _read(settings) == ([], unknown, [])


@pytest.mark.parametrize(
    ("settings", "found", "unknown"),
    [
        pytest.param({"tools.other": "a"}, 0, [], id="a family"),
        pytest.param({"tools.x.path": "./x"}, 1, [], id="a known program"),
        pytest.param(
            {"tools.new.serverPath": "./x"}, 0, ["tools.new.serverPath"], id="a family's key that names a program"
        ),
        pytest.param({"tools.new.serverPath": False}, 0, [], id="a switch of that name"),
        pytest.param({"strange.thing": "x"}, 0, ["strange.thing"], id="a text of nobody"),
        pytest.param({"strange.enable": True}, 0, [], id="a switch of nobody"),
        pytest.param({"strange.autoApprove": True}, 0, ["strange.autoApprove"], id="a switch that speaks of trust"),
        pytest.param({"[python]": {"helper": "echo"}}, 1, [], id="settings for one language"),
    ],
)
def test_keys_with_dots_of_their_own_are_looked_up_part_by_part(
    settings: object, found: int, unknown: list[str]
) -> None:
    components, named, faults = _read(settings, flat=True)
    assert (len(components), named, faults) == (found, unknown, [])

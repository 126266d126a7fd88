"""Parts of Codewhale's runtime that decide by data alone: frozen arguments, quiet errors, bounds of servers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.approved import Approved
from plugseal.runtime.codewhale.authority import Authority, Place, place_of
from plugseal.runtime.codewhale.freeze import frozen_words
from plugseal.runtime.codewhale.quiet import Hush
from plugseal.runtime.codewhale.server import reviewed_server
from tests import codewhale_world as worlds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def component(**fields: Any) -> Approved:
    """Return a server as reviewed."""
    usual: dict[str, Any] = {
        "kind": "server",
        "name": "local",
        "transport": "stdio",
        "command": ("node", "server.js"),
        "shell": False,
        "cwd": None,
        "environment": (),
        "literals": (),
        "endpoint": None,
        "headers": (),
        "entry": None,
        "trigger": "start",
        "extra": (),
        "file": "plugin.toml",
    }
    return Approved(**{**usual, **fields})


def authority() -> Authority:
    """Return an authority over nothing."""
    place = Place("/", 0, 0)
    return Authority("codewhale:p@0", "p", "1", "user", place, place, place, "c", "d", "i", 1, "now")


def test_arguments_that_name_files_of_the_copy_are_frozen_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "in" / "data").mkdir(parents=True)
    (tmp_path / "in" / "main.js").touch()
    (tmp_path / "top.json").touch()
    words = ("node", "main.js", "data", "--config=main.js", "-e", "x.js", "../top.json", "/main.js", "a\0b", "")
    assert frozen_words(words, f"{tmp_path}/in", str(tmp_path)) == (
        "node",
        f"{tmp_path}/in/main.js",
        f"{tmp_path}/in/data",
        "--config=main.js",
        "-e",
        "x.js",
        f"{tmp_path}/top.json",
        "/main.js",
        "a\0b",
        "",
    )


@pytest.mark.parametrize("word", ["..", "../..", "../../etc", "in/../../other"])
def test_an_argument_that_leads_out_of_the_copy_is_refused(word: str, tmp_path: Path) -> None:
    (tmp_path / "stage" / "in").mkdir(parents=True)
    (tmp_path / "etc").mkdir()
    (tmp_path / "other").mkdir()
    folder = f"{tmp_path}/stage/in" if word.startswith("../..") else f"{tmp_path}/stage"
    with pytest.raises(RefusedError) as refused:
        frozen_words(("node", word), folder, f"{tmp_path}/stage")
    assert refused.value.reason == "unbound-code"


def test_a_neighbour_whose_name_begins_like_the_copys_is_not_in_the_copy(tmp_path: Path) -> None:
    (tmp_path / "stage").mkdir()
    (tmp_path / "stage-of-another").mkdir()
    with pytest.raises(RefusedError):
        frozen_words(("node", "../stage-of-another"), f"{tmp_path}/stage", f"{tmp_path}/stage")


def test_a_program_is_not_frozen_and_a_command_alone_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "node").touch()
    assert frozen_words(("node",), str(tmp_path), str(tmp_path)) == ("node",)
    assert frozen_words((), str(tmp_path), str(tmp_path)) == ()


GIVEN = component(
    command=("node", "server.js", "--mode=secret-mode", "-v"),
    environment=(("TOKEN", "SOURCE"), ("SHORT", "TINY")),
    headers=(("Authorization", "Bearer ${BEARER}"),),
)
VARIABLES = {"SOURCE": "value-of-source", "BEARER": "value-of-bearer", "TINY": "1", "OTHER": "other-value"}


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("TypeError: x is undefined", "TypeError: x is undefined"),
        ("bad value-of-source here", "bad [hidden] here"),
        ("started with server.js --mode=secret-mode -v", "started with [hidden] [hidden] -v"),
        ("got value-of-bearer", "got [hidden]"),
        ("GET https://h.invalid/a/b?key=k&x=1 failed", "GET https://h.invalid/a/b?[hidden] failed"),
        ("wss://h.invalid/#part", "wss://h.invalid/?[hidden]"),
        ("https://user:pass@h.invalid/", "https://********@h.invalid/"),
        ("Authorization: Basic abc def\nnext", "Authorization: [hidden]\nnext"),
        ('{"authorization": "token x"}', '{"authorization": [hidden]'),
        ("bearer abc.def", "bearer [hidden]"),
        ("1 of 1 failed", "1 of 1 failed"),
        ("other-value", "other-value"),
    ],
)
def test_an_error_is_quiet_about_what_a_server_was_given(said: str, kept: str) -> None:
    assert Hush(GIVEN, VARIABLES).quiet(said) == kept


def test_a_long_error_is_cut() -> None:
    assert len(Hush(GIVEN, VARIABLES).quiet("x" * 100_000)) == 4000


def test_errors_and_failed_results_are_quiet_and_results_are_not() -> None:
    hush = Hush(GIVEN, VARIABLES)
    content = {"content": [{"type": "text", "text": "value-of-source"}]}
    assert hush.quiet_answer({"result": content}) == {"result": content}
    failed = hush.quiet_answer({"result": {**content, "isError": True}})
    assert failed["result"]["content"] == [{"type": "text", "text": "[hidden]"}]
    error = {"code": 1, "message": "value-of-source", "data": {"value-of-source": ["value-of-bearer", 3, None]}}
    assert hush.quiet_answer({"error": error})["error"] == {
        "code": 1,
        "message": "[hidden]",
        "data": {"[hidden]": ["[hidden]", 3, None]},
    }


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({}, (10.0, 60.0, 120.0, True, False)),
        ({"connect_timeout": 3, "execute_timeout": 5, "read_timeout": 7}, (3.0, 5.0, 7.0, True, False)),
        ({"connect_timeout": 0, "execute_timeout": 10**9, "read_timeout": True}, (1.0, 3600.0, 120.0, True, False)),
        ({"enabled": False, "required": True}, (10.0, 60.0, 120.0, False, True)),
        ({"enabled": "yes"}, (10.0, 60.0, 120.0, False, False)),
    ],
)
def test_bounds_of_a_server(extra: dict[str, object], expected: tuple[object, ...]) -> None:
    pairs = tuple((name, json.dumps(value)) for name, value in extra.items())
    found = reviewed_server(component(extra=pairs), authority())
    bounds = (found.connect_seconds, found.execute_seconds, found.read_seconds, found.is_enabled, found.is_required)
    assert bounds == expected


def test_tools_that_are_hidden_win_over_those_that_are_shown() -> None:
    extra = (("disabled_tools", '["b"]'), ("enabled_tools", '["a","b"]'))
    found = reviewed_server(component(extra=extra), authority())
    assert [found.shows(name) for name in ("a", "b", "c", None, 3)] == [True, False, False, False, False]


def test_a_place_shows_nothing_of_its_path_and_a_link_is_none(tmp_path: Path) -> None:
    place = place_of(str(tmp_path))
    assert place is not None
    assert len(place.digest) == 64
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").touch()
    assert [place_of(str(tmp_path / name)) for name in ("link", "file", "none")] == [None, None, None]


def test_only_a_remote_server_is_held_without_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = worlds.World(tmp_path / "world", monkeypatch)
    world.bundle()
    world.trust()
    start = world.start()
    plugin = start.registry.active()[0].bundle.id
    with (
        pytest.raises(RefusedError, match="is not remote") as refused,
        start.host.supervisor().hold(plugin, "server:local"),
    ):
        raise AssertionError("held")
    assert refused.value.reason == "not-runnable"
    assert world.events() == [("refused", "not-runnable")]


def test_a_plugin_is_admitted_as_a_whole_only_while_it_is_what_was_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = worlds.World(tmp_path / "world", monkeypatch)
    path = world.bundle()
    world.trust()
    start = world.start()
    plugin = start.registry.active()[0].bundle.id
    admitted = start.host.gate().admit(plugin)
    assert admitted.stage == world.stage()
    assert {one.label for one in admitted.document.components} == {"server:local", "skill:hello"}
    (path / "late").touch()
    with pytest.raises(RefusedError) as refused:
        start.host.gate().admit(plugin)
    assert refused.value.reason == "content-drifted"

"""`plugseal run` with nothing to parse does what it does with something to parse."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from plugseal.cli.commands import run as command
from plugseal.cli.main import main

ID = "agent-plugins:docs@3f2a91c07d5e"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []

    def note(plugin: str, component: str | None, *_: object, **__: object) -> int:
        found.append((plugin, component))
        return 7

    monkeypatch.setattr(command, "run_component", note)
    return found


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ([ID], (ID, None)),
        ([ID, "server:main"], (ID, "server:main")),
        ([ID, "--color", "never"], (ID, None)),
        (["-q", ID, "server:main"], (ID, "server:main")),
        (["--", ID, "server:main"], (ID, "server:main")),
        ([ID, "--", "-strange"], (ID, "-strange")),
    ],
    ids=["plain", "component", "an option", "an option first", "the end of options", "behind the end of options"],
)
def test_the_words_mean_the_same(words: list[str], meant: tuple[Any, ...], calls: list[tuple[Any, ...]]) -> None:
    assert main(["run", *words]) == 7
    assert calls == [meant]


@pytest.mark.parametrize(
    "words",
    [[], [""], [ID, "a", "b"], [ID, "-x"], ["--nothing"], [ID, "server:main", "--argument"]],
    ids=lambda words: " ".join(words) or "none",
)
def test_other_words_are_refused_as_ever(
    words: list[str], calls: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *words]) == 2
    assert calls == []
    assert capsys.readouterr().err.startswith("error: ")


def test_help_is_help(calls: list[tuple[Any, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", ID, "--help"]) == 0
    assert "usage: plugseal run" in capsys.readouterr().out.lower()
    assert calls == []


def test_a_start_loads_no_parser_and_no_dataclasses() -> None:
    code = (
        "import sys; from plugseal.cli.main import main; main(['run', 'agent-plugins:none@000000000000']);"
        "print(sorted({'argparse', 'dataclasses', 'inspect', 'threading', 'subprocess'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, cwd="/", env=_around())
    assert done.stdout.strip() == "[]", done.stderr


def _around() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}

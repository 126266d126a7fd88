"""Texts for other programs: deny rules of clients, completion of shells."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import tomli

from plugseal.cli.commands.table import COMMANDS
from plugseal.cli.completion import SHELLS, render_completion
from plugseal.cli.main import main
from plugseal.model.guard import COMMANDS as GUARDED
from plugseal.model.guard import build_guards


def test_every_guarded_command_is_a_command() -> None:
    names = {command.name for command in COMMANDS} | {command.name.partition(" ")[0] for command in COMMANDS}

    assert set(GUARDED) <= names


@pytest.mark.parametrize("client", ["claude-code", "cursor"])
def test_settings_in_json_deny_every_command(client: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "--client", client]) == 0
    rules = json.loads(capsys.readouterr().out)["permissions"]["deny"]

    for command in GUARDED:
        assert any(command in rule for rule in rules), command


def test_policies_of_gemini_deny_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "--client", "gemini"]) == 0
    rules = tomli.loads(capsys.readouterr().out)["rule"]

    assert [rule["commandPrefix"] for rule in rules] == [f"plugseal {command}" for command in GUARDED]
    assert {rule["decision"] for rule in rules} == {"deny"}


def test_rules_of_codex_are_those_that_a_scan_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".codex/rules").mkdir(parents=True)
    text = next(guard.text for guard in build_guards() if guard.client == "codex")
    (tmp_path / ".codex/rules/plugseal.rules").write_text(text)
    main(["scan", str(tmp_path), "--format", "json"])
    scanned = json.loads(capsys.readouterr().out)

    assert scanned["unread"] == []


def test_all_guards_are_printed_with_their_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard"]) == 0
    out = capsys.readouterr().out

    assert all(guard.file in out for guard in build_guards())
    assert "they are no wall" in out


def test_an_unknown_client_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guard", "--client", "x"]) == 2
    assert main(["completion", "tcsh"]) == 2


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_names_every_command(shell: str) -> None:
    text = render_completion(shell)

    assert all(command.name.partition(" ")[0] in text for command in COMMANDS)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "offers"),
    [
        pytest.param("plugseal sc", "scan", id="a command"),
        pytest.param("plugseal policy te", "test", id="the second word"),
        pytest.param("plugseal codewhale skills di", "dispatch", id="the third word"),
        pytest.param("plugseal codewhale skills load --w", "--workspace", id="an option of three words"),
        pytest.param("plugseal scan --fo", "--format", id="an option"),
        pytest.param("plugseal receipt verify --th", "--threshold", id="an option of two words"),
    ],
)
def test_bash_offers_the_word_that_goes_on(words: str, offers: str, tmp_path: Path) -> None:
    script = tmp_path / "completion.sh"
    script.write_text(render_completion("bash"))
    at = len(words.split()) - 1
    ask = f'source {script}; COMP_WORDS=({words}); COMP_CWORD={at}; _plugseal; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.split() == [offers]

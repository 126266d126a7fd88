"""Facts that were judged by hand: what only asks for a file, what only loads the clipboard, items that have names."""

from __future__ import annotations

import base64

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.registry import reader_named
from plugseal.lang.searched import without_searched

_LANGUAGES = {"py": "python", "js": "javascript", "sh": "shell", "md": "instructions"}
_ITEMS = 'N["$a"]=one\nN["$b"]=two\n'
_UNITS = "~/.config/systemd/user"


def _facts(name: str, text: str) -> set[tuple[str, str | None, str]]:
    found = reader_named(_LANGUAGES[name.rpartition(".")[2]]).read(text.encode(), Context(name, Interest())).facts
    return {(fact.capability, fact.object, fact.resolution) for fact in found}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "import os\nos.path.exists(os.path.expanduser('~/.ssh/id_rsa'))\n"),
        ("a.py", "from pathlib import Path\n(Path.home() / '.ssh' / 'id_rsa').is_file()\n"),
        ("a.js", "import fs from 'fs';\nimport os from 'os';\nfs.existsSync(os.homedir() + '/.ssh/id_rsa');\n"),
        (
            "a.js",
            "import fs from 'fs/promises';\nimport os from 'os';\nawait fs.access(os.homedir() + '/.ssh/id_rsa');\n",
        ),
    ],
)
def test_a_secret_that_is_only_asked_for_may_be_read(name: str, text: str) -> None:
    read = {how for what, _, how in _facts(name, text) if what == "credentials.read"}

    assert read == {"possible"}
    assert ("fs.read", "~/.ssh/id_rsa") in {(what, named) for what, named, _ in _facts(name, text)}


def test_a_secret_that_is_read_is_read() -> None:
    assert ("credentials.read", "~/.ssh/id_rsa", "direct") in _facts("a.py", "open('~/.ssh/id_rsa')\n")


@pytest.mark.parametrize(("line", "is_read"), [("pbpaste", True), ("date | pbcopy", False), ("date | wl-copy", False)])
def test_what_fills_the_clipboard_does_not_read_it(line: str, is_read: bool) -> None:
    assert ("device.capture" in {what for what, _, _ in _facts("a.sh", line + "\n")}) is is_read


@pytest.mark.parametrize(
    ("use", "named"),
    [
        ('cat "/srv/${N[$k]}"', {"/srv/*"}),
        ('cat "/srv/${N[$k]:-x}"', {"/srv/*", "/srv/x"}),
        ('A[0]=x\nA[1]=y\ncat "/srv/${A[1]}"', {"/srv/y"}),
        ('for n in "${N[@]}"; do cat "/srv/$n"; done', {"/srv/one", "/srv/two"}),
    ],
)
def test_items_that_are_given_one_by_one_stay_apart(use: str, named: set[str]) -> None:
    found = {named for what, named, _ in _facts("a.sh", _ITEMS + use + "\n") if what == "fs.read"}

    assert found <= named
    assert found


@pytest.mark.parametrize(
    ("file", "is_run_later"),
    [("a.service", True), ("a.service.d/b.conf", True), ("$x", True), ("a.cred", False), ("token", False)],
)
def test_only_units_among_the_units_of_a_user_are_run_later(file: str, is_run_later: bool) -> None:
    found = {what for what, _, _ in _facts("a.sh", f"cp a {_UNITS}/{file}\n")}

    assert ("persistence" in found) is is_run_later


@pytest.mark.parametrize("name", ["a.sh", "a.py"])
def test_what_powershell_is_given_in_base64_is_unpacked(name: str) -> None:
    packed = base64.b64encode("Remove-Item C:\\x".encode("utf-16-le")).decode()
    lines = {
        "a.sh": f"powershell -EncodedCommand {packed}\n",
        "a.py": f"import subprocess\nsubprocess.run(['powershell', '-enc', '{packed}'])\n",
    }
    text = lines[name]
    nested = reader_named(_LANGUAGES[name[2:]]).read(text.encode(), Context(name, Interest())).nested

    assert "Remove-Item C:\\x" in {one.text for one in nested if one.language == "PowerShell"}
    assert packed not in {one.text for one in nested}


@pytest.mark.parametrize(
    ("line", "is_told"),
    [("unset HISTFILE", True), ("unset HISTFILE SAVEHIST", True), ("unset CDPATH ENV HISTFILE", False)],
)
def test_a_clean_environment_is_no_history_switched_off(line: str, is_told: bool) -> None:
    assert ("code.obfuscated" in {what for what, _, _ in _facts("a.sh", line + "\n")}) is is_told


def test_hints_of_types_are_no_order_to_type() -> None:
    assert _facts("SKILL.md", "Python: type hints on all signatures, `ruff` and `mypy --strict`.\n") == set()
    assert ("instr.exec", "mypy", "direct") in _facts("SKILL.md", "Type `mypy --strict`.\n")


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("echo $x | grep -qE 'rm -rf /' && exit", "echo $x | grep -qE '' && exit"),
        ('grep -- "--yolo" a', "grep -- '' a"),
        ('grep "$(curl a | sh)" b', 'grep "$(curl a | sh)" b'),
        ("[[ $x =~ rm\\ -rf ]] && exit", "[[ $x =~  '' ]] && exit"),
        ('deny "rm -rf /"', "deny ''"),
        ('deny "rm -rf /" | sh', 'deny "rm -rf /" | sh'),
        ("x = curl a | sh ]", "x = curl a | sh ]"),
    ],
)
def test_patterns_are_left_out_of_a_line(line: str, left: str) -> None:
    assert without_searched(line) == left


def test_what_stands_beside_secrets_is_none() -> None:
    text = "open('/root/.config/google-chrome/User Data/DevToolsActivePort')\n"
    assert not any(what == "credentials.read" for what, _, _ in _facts("a.py", text))
    assert any(what == "credentials.read" for what, _, _ in _facts("a.py", text.replace("DevToolsActivePort", "x")))

"""AppleScript: what a script starts, reads, sends and asks for, in files and in what programs give to `osascript`."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.lang.classify import READ, classify
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.registry import reader_named
from plugseal.verbs.facts import list_facts


def _read(text: str, path: str = "a.applescript") -> FileFacts:
    verdict = classify(path, text.encode())
    assert verdict.action == READ, verdict
    return reader_named(verdict.language).read(text.encode(), Context(path, Interest()))


_DOES = {
    "a line": ('do shell script "touch a"', {("process.shell", "touch")}),
    "a line with rights": (
        'do shell script "touch a" with administrator privileges',
        {("process.shell", "touch"), ("privilege", None)},
    ),
    "a line put together": ('set c to "to" & "uch a"\ndo shell script c', {("process.shell", "touch")}),
    "a line over two lines": ('do shell script \u00ac\n "touch a"', {("process.shell", "touch")}),
    "a line in brackets": ('set x to (do shell script ("touch a"))', {("process.shell", "touch")}),
    "a line from elsewhere": ("do shell script x", {("process.shell", None)}),
    "a line of a terminal": (
        'tell application "Terminal" to do script "touch a"',
        {("process.exec", "Terminal"), ("process.shell", "touch")},
    ),
    "a line of another terminal": ('write text "touch a"', {("process.shell", "touch")}),
    "a script": ('run script "do shell script \\"touch a\\""', {("code.dynamic", None), ("process.shell", "touch")}),
    "a script's file": (
        'run script POSIX file "/opt/a.scpt"',
        {("code.dynamic", "/opt/a.scpt"), ("path.outside", "/opt/a.scpt")},
    ),
    "an application": ('tell app "System Events" to get name', {("process.exec", "System Events")}),
    "the clipboard": ("set x to the clipboard", {("device.capture", None)}),
    "the machine": ("system info", {("system.info", None)}),
    "a variable": ('system attribute "TOKEN"', {("env.read", "TOKEN")}),
    "a word that is asked for": (
        'display dialog "Password" default answer "" with hidden answer',
        {("credentials.read", None)},
    ),
    "a place": ('open location "https://a.example/x"', {("net.outbound", "a.example")}),
    "a share": ('mount volume "smb://a.example/x"', {("net.outbound", "a.example")}),
    "a message": ('tell application "Mail"\nsend m\nend tell', {("process.exec", "Mail"), ("net.outbound", None)}),
    "at login": (
        'tell application "System Events" to make login item with properties {path:"/a"}',
        {("process.exec", "System Events"), ("persistence", None)},
    ),
    "a file": ('read POSIX file "/opt/a"', {("fs.read", "/opt/a"), ("path.outside", "/opt/a")}),
    "a file of a folder": (
        'set f to (path to home folder as text) & ".ssh:id_rsa"\nread file f',
        {
            ("fs.read", "~/.ssh/id_rsa"),
            ("path.outside", "~/.ssh/id_rsa"),
            ("credentials.read", "~/.ssh/id_rsa"),
        },
    ),
    "a file that is written": (
        'open for access POSIX file "/opt/a" with write permission',
        {("fs.write", "/opt/a"), ("path.outside", "/opt/a")},
    ),
    "a file that is deleted": ('delete file "/opt/a"', {("fs.delete", "/opt/a"), ("path.outside", "/opt/a")}),
    "a framework": (
        "use framework \"Foundation\"\ncurrent application's NSTask's new()",
        {("code.native", "Foundation"), ("process.exec", "NSTask")},
    ),
    "a recording": ("new audio recording", {("device.capture", None)}),
}


@pytest.mark.parametrize(("text", "expected"), _DOES.values(), ids=_DOES)
def test_a_statement_says_what_it_does(text: str, expected: set[tuple[str, str | None]]) -> None:
    facts = _read(text)
    assert facts.status == "read"
    assert {(fact.capability, fact.object) for fact in facts.facts} == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('display notification "Done" with title "Claude"', id="a notification"),
        pytest.param(
            '-- do shell script "rm a"\n# do shell script "rm a"\n(* do shell script "rm a" *)', id="comments"
        ),
        pytest.param('display dialog "do shell script \\"rm a\\""', id="a text"),
        pytest.param('set the clipboard to "a"', id="the clipboard is written"),
        pytest.param('display dialog "Name" default answer ""', id="a word that is shown"),
        pytest.param('set x to "a', id="a text without an end"),
        pytest.param('set x to "\\"\\"\\', id="a text that ends in the middle"),
        pytest.param("beep", id="a sound"),
    ],
)
def test_what_stays_with_the_user_is_silent(text: str) -> None:
    assert _read(text).facts == ()


def test_lines_are_read_as_shell_with_what_is_not_known_in_them() -> None:
    nested = _read('do shell script "curl https://a.example/" & x & " | sh"').nested
    assert [(one.language, one.text) for one in nested] == [("shell", "curl https://a.example/${_} | sh")]


def test_a_text_that_doubles_itself_is_not_put_together_for_ever() -> None:
    text = 'set a0 to "0123456789"\n' + "".join(f"set a{at + 1} to a{at} & a{at}\n" for at in range(64))
    assert {fact.capability for fact in _read(text + "do shell script a64").facts} == {"process.shell"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", "osascript -e 'do shell script \"rm /opt/x\"'\n"),
        ("a.sh", "osascript -e 'set c to \"rm /opt/x\"' -e 'do shell script c'\n"),
        ("a.sh", "osascript <<'EOF'\ndo shell script \"rm /opt/x\"\nEOF\n"),
        ("a.sh", "echo 'do shell script \"rm /opt/x\"' | osascript\n"),
        ("a.sh", "osascript -l JavaScript -e 'Application.currentApplication().doShellScript(\"rm /opt/x\")'\n"),
        ("a.py", "import subprocess\nsubprocess.run(['osascript', '-e', 'do shell script \"rm /opt/x\"'])\n"),
        ("a.js", "require('child_process').execFile('osascript', ['-e', 'do shell script \"rm /opt/x\"'])\n"),
        ("a", '#!/usr/bin/env osascript\ndo shell script "rm /opt/x"\n'),
    ],
)
def test_what_a_script_runs_is_told_wherever_it_stands(tmp_path: Path, path: str, text: str) -> None:
    (tmp_path / path).write_text(text, "utf-8")
    facts = {(fact.capability, fact.object) for _, fact in list_facts(tmp_path)}
    assert ("fs.delete", "/opt/x") in facts
    assert "unread" not in {capability for capability, _ in facts}

"""How a process ends: each way has its exit code and says no more than it should."""

from __future__ import annotations

import argparse
import errno
import subprocess
import sys
from pathlib import Path

import pytest

from plugseal.cli import find
from plugseal.cli.main import main
from plugseal.cli.verdict import exit_for_scan
from plugseal.errors import CouldNotJudgeError, PlugsealError, RefusedError, TreeRefusedError, UsageError
from plugseal.model.capability import Fact
from plugseal.model.finding import Confidence, Finding, Severity
from plugseal.model.inventory import Inventory, PluginReport, Unread
from plugseal.model.location import WHOLE_FILE
from plugseal.model.plugin import Fault, Plugin
from plugseal.model.tree import Fault as TreeFault


def _finding(severity: Severity) -> Finding:
    return Finding("r", "t", severity, Confidence.HIGH, "f", WHOLE_FILE, None, None, "", "", ())


def _inventory(
    plugins: int = 1,
    findings: tuple[Severity, ...] = (),
    unread: int = 0,
    broken: bool = False,
    fault: str = "",
    facts: tuple[tuple[str, str], ...] = (),
) -> Inventory:
    faults = (Fault("m.json", "no"),) if broken else ()
    report = PluginReport(Plugin("amber", "p", "", "", "m.json", faults=faults), "id", (), (), 1, 1, None, "00")
    tree_faults = (TreeFault("l", fault, "why"),) if fault else ()
    return Inventory(
        ".",
        (report,) * plugins,
        tuple(map(_finding, findings)),
        tuple(("f", Fact(WHOLE_FILE, name, None, "direct", channel, "open")) for name, channel in facts),
        (Unread("u", "why"),) * unread,
        tree_faults,
        1,
        1,
        "",
    )


HIGH, MEDIUM, LOW, INFO = Severity.HIGH, Severity.MEDIUM, Severity.LOW, Severity.INFO
SCANS = {
    "clean": (_inventory(), "high", 0, 0),
    "a high finding": (_inventory(findings=(HIGH,)), "high", 1, 0),
    "a finding below the threshold": (_inventory(findings=(MEDIUM,)), "high", 0, 0),
    "a finding at the threshold": (_inventory(findings=(MEDIUM,)), "medium", 1, 0),
    "an info finding": (_inventory(findings=(INFO,)), "info", 1, 0),
    "a low finding, medium asked": (_inventory(findings=(LOW,)), "medium", 0, 0),
    "never": (_inventory(findings=(HIGH,)), "never", 0, 0),
    "something unread": (_inventory(unread=1), "high", 4, 0),
    "never, but something unread": (_inventory(findings=(HIGH,), unread=1), "never", 4, 0),
    "worse than unread": (_inventory(findings=(HIGH,), unread=1), "high", 1, 0),
    "below the threshold and unread": (_inventory(findings=(LOW,), unread=1), "high", 4, 0),
    "a broken plugin": (_inventory(broken=True), "high", 4, 0),
    "a directory that was not listed": (_inventory(fault="not-listed"), "high", 4, 0),
    "a fault of a later version": (_inventory(fault="something-new"), "high", 4, 0),
    "a name that receipts refuse": (_inventory(fault="case-collision"), "high", 0, 0),
    "no plugin": (_inventory(plugins=0), "high", 3, 3),
    "no plugin, something unread": (_inventory(plugins=0, unread=1), "high", 3, 3),
    "no plugin, a finding below the threshold": (_inventory(plugins=0, findings=(LOW,)), "high", 3, 3),
    "no plugin, but a surface": (_inventory(plugins=0, facts=(("autorun", "manifest"),)), "high", 0, 0),
    "no plugin, and only code": (_inventory(plugins=0, facts=(("fs.read", "code"),)), "high", 3, 3),
    "no plugin, and an unread manifest": (_inventory(plugins=0, facts=(("unread", "manifest"),)), "high", 3, 3),
    "no plugin, but a high finding": (_inventory(plugins=0, findings=(HIGH,)), "high", 1, 0),
}


@pytest.mark.parametrize(("inventory", "fail_on", "code", "zeroed"), SCANS.values(), ids=SCANS)
def test_a_scan_ends_as_promised(inventory: Inventory, fail_on: str, code: int, zeroed: int) -> None:
    assert exit_for_scan(inventory, fail_on=fail_on) == code
    assert exit_for_scan(inventory, fail_on=fail_on, exit_zero=True) == zeroed


def _raising(error: BaseException) -> object:
    def run(arguments: argparse.Namespace) -> int:
        raise error

    return lambda command: run


ENDS = {
    "an error of ours": (
        CouldNotJudgeError("it can't be"),
        4,
        "error: it can't be\n\nhint: see what it means with `plugseal explain could-not-judge`\n",
    ),
    "a wrong command": (UsageError("no such word", hint="type `x`"), 2, "error: no such word\n\nhint: type `x`\n"),
    "all that an error can say": (
        TreeRefusedError("no", place="a\x1b[2J", details=["b: `link`", "c\u202e"], hint="do `this`"),
        4,
        "error: no\n  --> a\\x1b[2J\n   = b: `link`\n   = c\\u202e\n\nhint: do `this`\n",
    ),
    "a system call that failed": (
        OSError(errno.ENAMETOOLONG, "File name too long", "x\x1b[2J"),
        4,
        "error: the system refused: file name too long\n  --> x\\x1b[2J\n\nhint: see what is there with `ls -ld`\n",
    ),
    "a system call without a path": (
        OSError(errno.EMFILE, "Too many open files"),
        4,
        "error: the system refused: too many open files\n\nhint: see the limits of this shell with `ulimit -a`\n",
    ),
    "an interrupt": (KeyboardInterrupt(), 130, ""),
}


@pytest.mark.parametrize(("error", "code", "text"), ENDS.values(), ids=ENDS)
def test_an_error_ends_with_its_code_and_its_words(
    error: BaseException, code: int, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(find, "load_run", _raising(error))
    assert main(["scan"]) == code
    out, err = capsys.readouterr()
    assert (out, err) == ("", text)


def test_an_interrupt_ends_alike_wherever_it_falls(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as before:
        before.setattr("plugseal.environment.harden_process", interrupted)
        assert main(["scan"]) == 130
    monkeypatch.setattr(find, "load_run", _raising(UsageError("no such word")))
    monkeypatch.setattr("plugseal.render.error.render_error", interrupted)
    assert main(["scan"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_bug_of_ours_is_one_line_and_exit_70(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(find, "load_run", _raising(ZeroDivisionError("by \x1b[2J zero")))
    assert main(["scan"]) == 70
    err = capsys.readouterr().err
    assert err.startswith("error: this is a bug in plugseal ")
    assert err.endswith("please report it: ZeroDivisionError: by \\x1b[2J zero\n")
    assert err.count("\n") == 1


def test_a_bug_of_ours_has_its_traceback_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(find, "load_run", _raising(ZeroDivisionError("by zero")))
    assert main(["scan", "-v"]) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_every_error_of_ours_has_an_exit_code_of_the_promise() -> None:
    from plugseal.verbs.explain import error_kinds

    assert {kind.exit_code for kind in error_kinds()} <= {1, 2, 3, 4, 125, 126}
    assert PlugsealError in set(error_kinds())


def _shell(line: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    (tmp_path / "many.py").write_text("import os\n" + "os.system(x)\n" * 20_000)
    line = line.replace("plugseal", f"{sys.executable} -m plugseal").replace("PATH", str(tmp_path))
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False)


def test_a_reader_that_goes_away_is_no_error_and_no_pass(tmp_path: Path) -> None:
    done = _shell("plugseal facts PATH | head -1; exit ${PIPESTATUS[0]}", tmp_path)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert done.returncode == 141


FULL = {
    "facts": "plugseal facts PATH > /dev/full",
    "a scan": "plugseal scan PATH > /dev/full",
    "a scan as JSON": "plugseal scan PATH --format json > /dev/full",
    "receipts": "plugseal hash PATH > /dev/full",
    "a manifest": "plugseal hash PATH --manifest > /dev/full",
    "an explanation": "plugseal explain symlink > /dev/full",
    "the rules": "plugseal rules list > /dev/full",
    "help": "plugseal --help > /dev/full",
    "a file": "plugseal facts PATH -o /dev/full",
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("line", FULL.values(), ids=FULL)
def test_a_result_that_can_not_be_written_is_never_a_pass(line: str, tmp_path: Path) -> None:
    done = _shell(line, tmp_path)
    assert done.stderr.startswith("error: can't write the result: no space left on device\n")
    assert done.returncode == 4


def test_streams_that_were_closed_before_the_start_are_no_bug(tmp_path: Path) -> None:
    done = _shell("plugseal --version >&- 2>&-", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert _shell("plugseal scna >&- 2>&-", tmp_path).returncode == 2


@pytest.mark.parametrize("line", ["scan .", "list", "review p", "amness list", "check"])
def test_a_folder_that_is_gone_is_told_and_no_bug(line: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    run = "import os, sys; os.rmdir(os.getcwd()); from plugseal.cli.main import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", run, *line.split()], cwd=gone, check=False, capture_output=True, text=True
    )
    assert done.returncode in (3, 4), done.stderr
    assert "hint: " in done.stderr


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        pytest.param(CouldNotJudgeError("m"), "`plugseal explain could-not-judge`", id="an error"),
        pytest.param(RefusedError("tool-drifted", "m"), "`plugseal explain tool-drifted`", id="a refusal"),
        pytest.param(UsageError("m"), "see `plugseal scan --help`", id="a wrong command"),
        pytest.param(UsageError("m", hint="do that"), "hint: do that", id="one that knows better"),
    ],
)
def test_whoever_is_refused_is_told_what_to_type(
    error: PlugsealError, hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(arguments: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr(find, "load_run", lambda command: fail)
    assert main(["scan"]) == error.exit_code
    assert hint in capsys.readouterr().err

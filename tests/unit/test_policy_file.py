"""Policy files: what is refused and at which line, how globs and commands match, what a change loosens."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.errors import CouldNotJudgeError
from plugseal.model.team_policy import TeamPolicy
from plugseal.policy.baseline import apply_baseline, parse_baseline, render_baseline
from plugseal.policy.commands import simple_words
from plugseal.policy.globs import matches
from plugseal.policy.team import parse_team_policy, tightened

HEAD = 'schema = "plugseal.policy/1"\n'
DEX = "d" * 64


def policy(text: str) -> TeamPolicy:
    return parse_team_policy((HEAD + text).encode(), name="p.toml", origin="named")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("", "p.toml:1: the policy is empty", id="empty"),
        pytest.param(
            '[[example]]\nname = "a"\ncapability = "unread"\nexpect = "deny"\n',
            "the policy is empty",
            id="examples alone",
        ),
        pytest.param("[defaults]\nfail_on = 'low'\n", "p.toml:3: `defaults.fail_on`: unknown key", id="an unknown key"),
        pytest.param("[default]\n", "p.toml:2: `default`: unknown key", id="an unknown table"),
        pytest.param("[defaults]\nfail-on = 'critical'\n", "p.toml:3: `defaults.fail-on`", id="an unknown severity"),
        pytest.param("[allow]\n'fs.read' = 1\n", "p.toml:3: `allow.fs.read`", id="one is not true"),
        pytest.param("[receipts]\nrequired = 1\n", "p.toml:3: `receipts.required`", id="one asks for nothing"),
        pytest.param("[defaults]\nincomplete = 'allow'\n", "p.toml:3: `defaults.incomplete`", id="incomplete passes"),
        pytest.param('[allow]\n"net.all" = true\n', "p.toml:3: `allow.net.all`", id="an unknown capability"),
        pytest.param(
            '[allow]\n"fs.read" = ["*"]\n', "a glob for everything is written `true`", id="everything by a glob"
        ),
        pytest.param('[allow]\n"fs.read" = []\n', "p.toml:3: `allow.fs.read`", id="nothing"),
        pytest.param('[allow]\n"fs.read" = false\n', "p.toml:3: `allow.fs.read`", id="false"),
        pytest.param(
            '[[plugin]]\nsystem = "amber"\nname = "a"\n',
            "p.toml:2: `plugin.0`: a name alone binds",
            id="a plugin by name",
        ),
        pytest.param('[[server]]\nname = "files"\n', "p.toml:2: `server.0`: a name alone binds", id="a server by name"),
        pytest.param('[[deny]]\nreason = "no"\n', "p.toml:2: `deny.0`: say what is denied", id="nothing is denied"),
        pytest.param(
            '[[deny]]\ncapability = "net.outbound"\nobjects = ["{a,b}.example.invalid"]\nreason = "no"\n',
            "p.toml:2: `deny.0`: no host is written so",
            id="braces that no glob knows",
        ),
        pytest.param(
            '[[exception]]\nrule = "eval"\nname = "a"\nowner = "\u200b"\nreason = "because it"\nuntil = 2027-01-01\n',
            "p.toml:5: `exception.0.owner`: there is nothing in it",
            id="an owner whom nobody sees",
        ),
        pytest.param(
            '[[exception]]\nrule = "eval"\nname = "a"\nowner = "b"\nreason = "..........."\nuntil = 2027-01-01\n',
            "p.toml:6: `exception.0.reason`: there is nothing in it",
            id="a reason that says nothing",
        ),
        pytest.param(
            f'[[plugin]]\nsystem = "a"\nname = "b"\npublisher = "{DEX}"\n',
            "add `[receipts]`",
            id="a publisher by nothing",
        ),
        pytest.param(
            '[[exception]]\nrule = "eval"\nname = "a"\nowner = "b"\nuntil = 2027-01-01\n',
            "p.toml:2: `exception.0.reason`: missing",
            id="an exception without a reason",
        ),
        pytest.param(
            '[[exception]]\nrule = "eval"\nname = "a"\nowner = "b"\nreason = "because of it"\n',
            "`exception.0.until`: missing",
            id="an exception without an end",
        ),
        pytest.param(
            '[[exception]]\nrule = "eval"\npath = "**"\nowner = "b"\nreason = "because of it"\nuntil = 2027-01-01\n',
            "say where",
            id="an exception everywhere",
        ),
        pytest.param("[receipts]\nrequired = false\n", "p.toml:3: `receipts.required`", id="receipts not required"),
        pytest.param(
            '[receipts]\nrequired = true\nteam = "../mine"\n', "p.toml:4: `receipts.team`", id="a team from elsewhere"
        ),
        pytest.param(
            "[receipts]\nrequired = true\nthreshold = true\n", "`receipts.threshold`", id="a truth for a number"
        ),
        pytest.param('[defaults]\nfail-on = "low"\nfail-on = "high"\n', "", id="a key twice"),
    ],
)
def test_a_policy_that_does_not_hold_is_refused_at_its_line(text: str, fault: str) -> None:
    with pytest.raises(CouldNotJudgeError) as caught:
        policy(text)

    assert fault in "\n".join([caught.value.message, *caught.value.details])


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(CouldNotJudgeError) as caught:
        policy('[defaults]\nx = 1\n[allow]\ny = true\n[[server]]\nname = "z"\n')

    assert len(caught.value.details) == 3


@pytest.mark.parametrize(
    ("glob", "text", "does"),
    [
        pytest.param("api.example.org", "api.example.org", True, id="itself"),
        pytest.param("api.example.org", "api.example.org.evil.invalid", False, id="no prefix"),
        pytest.param("example.org", "evil-example.org", False, id="no suffix"),
        pytest.param("*.example.org", "a.b.example.org", True, id="below"),
        pytest.param("*.example.org", "example.org", False, id="not itself"),
        pytest.param("apiXexample", "api.example", False, id="a dot is a dot"),
        pytest.param("a/*", "a/b", True, id="within a folder"),
        pytest.param("a/*", "a/b/c", False, id="not below it"),
        pytest.param("a/**", "a/b/c", True, id="below it"),
        pytest.param("a?c", "abc", True, id="one character"),
        pytest.param("a?c", "a/c", False, id="not a slash"),
        pytest.param("[a-z]+", "abc", False, id="no pattern"),
        pytest.param("a*", "a\nb", True, id="a line break is a character"),
        pytest.param("*", "x" * 9_000, False, id="too long fits none"),
    ],
)
def test_a_glob_is_anchored(glob: str, text: str, does: bool) -> None:
    assert matches(glob, text) is does


def test_no_glob_is_slow() -> None:
    started = time.monotonic()
    assert not matches("*a" * 190 + "b", "a" * 8_000)
    assert time.monotonic() - started < 30  # a guard against a hang


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("echo a 'b c' \"d\"", ("echo", "a", "b c", "d"), id="quotes"),
        pytest.param("ec'ho' x", ("echo", "x"), id="quotes within a word"),
        pytest.param("echo a\\;b", ("echo", "a;b"), id="an escape"),
        pytest.param('echo "\\$(x) \\"a\\" \\`b\\` \\\\ \\n"', ("echo", '$(x) "a" `b` \\ \\n'), id="escapes in quotes"),
        pytest.param('echo "\\\\$(x)"', None, id="an escape that escapes itself"),
        pytest.param('echo "a\\"', None, id="an escaped end of quotes"),
        pytest.param("", None, id="nothing"),
        pytest.param("echo 'a", None, id="an open quote"),
        pytest.param("echo a\\", None, id="an open escape"),
        pytest.param('echo "$(x)"', None, id="a substitution in quotes"),
        pytest.param("echo $HOME", None, id="a variable"),
        pytest.param("echo *", None, id="a glob"),
        pytest.param("echo ~root", None, id="a home"),
        pytest.param("echo a{b,c}", None, id="braces"),
        pytest.param("A=1 echo", None, id="an assignment"),
        pytest.param("echo # x", None, id="a comment"),
        pytest.param("echo a\recho b", None, id="a carriage return"),
    ],
)
def test_a_simple_command_is_told_from_more(line: str, words: tuple[str, ...] | None) -> None:
    assert simple_words(line) == words


def test_a_policy_of_the_judged_tree_asks_for_more_and_never_for_less() -> None:
    text = """[defaults]
fail-on = "high"
[allow]
unread = true
"fs.read" = true
[[exception]]
rule = "eval"
name = "a"
owner = "b"
reason = "because of it"
until = 2099-01-01
"""
    found = tightened(policy(text))

    assert found.exceptions == ()
    assert [one.capability for one in found.allow] == ["fs.read"]
    assert tightened(policy('[defaults]\nfail-on = "low"\n')).fail_on == "low"


def test_a_baseline_is_what_it_was_written_as(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = render_baseline((), ())
    assert parse_baseline(text.encode(), name="b") == {}
    rows = {"format": "plugseal.baseline/1", "findings": [{"id": "x:1", "rule": "eval", "file": "a.py"}]}
    known = parse_baseline(json.dumps(rows).encode(), name="b")
    accepted, hidden = apply_baseline(known, ["x:1", "x:2"])
    assert (accepted, hidden.number, hidden.dead) == (frozenset({0}), 1, ())
    assert apply_baseline(known, ["y:1"])[1].dead == ("eval in a.py",)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"format": "plugseal.baseline/1", "findings": [{"id": 1}]}'])
def test_what_is_no_baseline_is_refused(data: bytes) -> None:
    with pytest.raises(CouldNotJudgeError):
        parse_baseline(data, name="b")


def test_the_examples_of_a_policy_are_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = HEAD + '[allow]\n"net.outbound" = ["*.example.invalid"]\n'
    example = '[[example]]\nname = "a"\ncapability = "net.outbound"\nobject = "{}"\nexpect = "{}"\n'
    path = tmp_path / "p.toml"
    path.write_text(text + example.format("a.example.invalid", "allow") + example.format("evil.invalid", "deny"))
    assert main(["policy", "test", str(path)]) == 0
    path.write_text(text + example.format("evil.invalid", "allow"))
    assert main(["policy", "test", str(path)]) == 1
    assert "deny, not allow" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        pytest.param("[default]\nfail-on = 'low'\n", "`default`: unknown key, did you mean `defaults`?", id="a table"),
        pytest.param("[defaults]\nfail_on = 'low'\n", "unknown key, did you mean `fail-on`?", id="an underscore"),
        pytest.param("[defaults]\nFail-On = 'low'\n", "unknown key, did you mean `fail-on`?", id="capitals"),
        pytest.param("[gate]\nrequire-signature = 2\n", "did you mean `require-signatures`?", id="a letter less"),
        pytest.param("[receipts]\ntreshold = 2\n", "did you mean `threshold`?", id="a letter left out"),
        pytest.param("[[exception]]\nreasons = 'x'\n", "did you mean `reason`?", id="in a list of tables"),
        pytest.param('[allow]\n"net.outbond" = true\n', "did you mean `net.outbound`?", id="a capability"),
        pytest.param('[gate]\nallow = ["amber:a"]\n', "a name alone is none", id="a name in place of an ID"),
    ],
)
def test_who_mistypes_is_told_what_may_be_meant(text: str, meant: str) -> None:
    with pytest.raises(CouldNotJudgeError) as found:
        policy(text)
    assert meant in "\n".join(found.value.details)


def test_a_key_that_is_like_no_other_is_unknown_and_nothing_is_suggested() -> None:
    with pytest.raises(CouldNotJudgeError) as found:
        policy("[gate]\nzzz = 1\n")
    assert found.value.details == ("p.toml:3: `gate.zzz`: unknown key",)


def test_an_exception_that_does_not_count_is_said_with_what_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifest.json").write_text(
        json.dumps({"id": "p", "name": "p", "version": "1.0.0", "protocol_version": 1, "main": "p.py"})
    )
    (tmp_path / "p.py").write_text("#!/usr/bin/env python3\nimport os\nos.system('id')\n")
    (tmp_path / "p.py").chmod(0o755)
    (tmp_path / "plugseal.toml").write_text(
        HEAD
        + '[defaults]\nfail-on = "low"\n[[exception]]\ncapability = "process.shell"\nname = "p"\n'
        + 'owner = "dana"\nreason = "long enough a reason"\nuntil = 2099-01-01\n'
    )
    assert main(["check", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "exceptions in " in out
    assert "don't count here" in out
    assert "in a policy outside of what is judged: `--policy FILE`" in out

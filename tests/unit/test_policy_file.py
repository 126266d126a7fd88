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
from plugseal.policy.changed_keys import find_changed_keys
from plugseal.policy.commands import simple_words
from plugseal.policy.globs import matches
from plugseal.policy.loosened import find_loosened
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


BASE = """[defaults]
fail-on = "medium"
packages = "exact"
commands = ["python3"]
[allow]
"net.outbound" = ["api.example.invalid"]
[[deny]]
name = "old-*"
reason = "gone long ago"
[receipts]
required = true
threshold = 2
max-age-days = 90
require-human = true
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param('"medium"', '"high"', "`fail-on` rises", id="severity"),
        pytest.param('fail-on = "medium"', 'capabilities = "allow"\nfail-on = "medium"', "no longer denied", id="all"),
        pytest.param('"exact"', '"any"', "`packages`", id="packages"),
        pytest.param('["python3"]', '["python3", "sh"]', "`commands`", id="commands"),
        pytest.param('["api.example.invalid"]', "true", "allows `net.outbound`", id="objects"),
        pytest.param('[[deny]]\nname = "old-*"\nreason = "gone long ago"\n', "", "no longer", id="a denial"),
        pytest.param("threshold = 2", "threshold = 1", "1 must sign, not 2", id="people"),
        pytest.param("max-age-days = 90", "max-age-days = 900", "older reviews", id="age"),
        pytest.param("max-age-days = 90\n", "", "older reviews", id="any age"),
        pytest.param("require-human = true\n", "", "nobody need touch", id="touch"),
        pytest.param("required = true", 'required = true\nteam = "mine"', "another folder", id="another team"),
        pytest.param(BASE[BASE.index("[receipts]") :], "", "no longer required", id="receipts"),
        pytest.param(
            "[[deny]]",
            '[[exception]]\nrule = "eval"\nname = "a"\nowner = "b"\n'
            'reason = "because of it"\nuntil = 2099-01-01\n[[deny]]',
            "another exception",
            id="an exception",
        ),
    ],
)
def test_what_a_change_loosens_is_named(old: str, new: str, said: str) -> None:
    assert old in BASE
    (found,) = find_loosened(policy(BASE), policy(BASE.replace(old, new, 1)))

    assert said in found.message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BASE, id="nothing"),
        pytest.param("# moved\n\n" + BASE, id="moved lines"),
        pytest.param(BASE.replace("threshold = 2", "threshold = 3").replace('"medium"', '"low"'), id="tightened"),
    ],
)
def test_what_loosens_nothing_is_not_named(text: str) -> None:
    assert find_loosened(policy(BASE), policy(text)) == ()


EXCEPTION = """[defaults]
fail-on = "low"
[[exception]]
capability = "net.outbound"
objects = ["a.invalid", "*.b.invalid"]
name = "x"
owner = "dana"
reason = "because of it"
until = 2099-06-01
"""
DENIAL = '[[deny]]\ncapability = "net.outbound"\nobjects = ["a.invalid", "b.invalid"]\nreason = "no good"\n'
ALLOWED = '[allow]\n"net.outbound" = ["a.invalid", "*.b.invalid"]\n"fs.read" = ["data/*"]\n'


@pytest.mark.parametrize(
    ("text", "old", "new", "is_named"),
    [
        pytest.param(ALLOWED, '"a.invalid", ', "", False, id="fewer hosts"),
        pytest.param(ALLOWED, '"a.invalid", "*.b.invalid"', '"*.b.invalid", "a.invalid"', False, id="another order"),
        pytest.param(ALLOWED, '"*.b.invalid"', '"c.b.invalid"', False, id="one of those that a glob allowed"),
        pytest.param(ALLOWED, '"*.b.invalid"', '"*.c.b.invalid"', True, id="another glob"),
        pytest.param(ALLOWED, '"*.b.invalid"', '"c.b.invalid:8443"', True, id="a port that no glob names"),
        pytest.param(ALLOWED, '"a.invalid"', '"a.invalid:8443"', True, id="a port"),
        pytest.param(ALLOWED, '"data/*"', '"data/x"', False, id="one file"),
        pytest.param(ALLOWED, '"data/*"', '"data/x/y"', True, id="a file further below"),
        pytest.param(ALLOWED, '["data/*"]', "true", True, id="all files"),
        pytest.param(EXCEPTION, "2099-06-01", "2099-05-31", False, id="an exception that ends earlier"),
        pytest.param(EXCEPTION, "2099-06-01", "2099-06-02", True, id="an exception that ends later"),
        pytest.param(EXCEPTION, "because of it", "because of this", False, id="an exception in other words"),
        pytest.param(EXCEPTION, '"dana"', '"eli"', False, id="an exception of another owner"),
        pytest.param(EXCEPTION, 'objects = ["a.invalid", "*.b.invalid"]\n', "", True, id="an exception for all"),
        pytest.param(EXCEPTION, '"a.invalid", ', "", False, id="an exception for fewer"),
        pytest.param(EXCEPTION, 'name = "x"', 'name = "y"', True, id="an exception for another plugin"),
        pytest.param(DENIAL, '"b.invalid"', '"b.invalid", "c.invalid"', False, id="a denial of more"),
        pytest.param(DENIAL, 'objects = ["a.invalid", "b.invalid"]\n', "", False, id="a denial of all"),
        pytest.param(DENIAL, ', "b.invalid"', "", True, id="a denial of fewer"),
        pytest.param(DENIAL, '"b.invalid"', '"*.invalid"', False, id="a denial by a glob"),
        pytest.param(DENIAL, "no good", "no good at all", False, id="a denial in other words"),
        pytest.param(DENIAL, "[[deny]]", '[[deny]]\nsystem = "amber"', True, id="a denial in one system"),
    ],
)
def test_more_is_told_from_less(text: str, old: str, new: str, is_named: bool) -> None:
    assert old in text
    assert bool(find_loosened(policy(text), policy(text.replace(old, new, 1)))) is is_named


@pytest.mark.parametrize(
    ("before", "after", "number"),
    [
        pytest.param({"allowed_signers": b"a k\n"}, {"allowed_signers": b"a k\nb k\n"}, 1, id="one more signs"),
        pytest.param({"allowed_signers": b"a k\nb k\n"}, {"allowed_signers": b"a k\n"}, 0, id="one fewer signs"),
        pytest.param({"revoked_keys": b"k\n"}, {}, 1, id="a revocation is gone"),
        pytest.param({"revoked_keys": b"k\n"}, {"revoked_keys": b"k\nl\n"}, 0, id="one more is revoked"),
        pytest.param({"revoked_keys": b"k\nl\n"}, {"revoked_keys": b"k\n"}, 1, id="one is revoked no more"),
        pytest.param({}, {"revoked_keys": b"k\n"}, 0, id="the first revocation"),
        pytest.param({"team.toml": b"threshold = 2"}, {"team.toml": b"threshold = 1"}, 1, id="other settings"),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git",valid-before="20270101Z" ssh-ed25519 AAAA\n'},
            0,
            id="a key is retired",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git",valid-before="20270101Z" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob valid-before="202601010000Z",namespaces="git" ssh-ed25519 AAAA\n'},
            0,
            id="a key ends earlier",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git",valid-before="20270101Z" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git",valid-before="20280101Z" ssh-ed25519 AAAA\n'},
            1,
            id="a key ends later",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git",valid-before="20270101Z" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            1,
            id="a key ends no more",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git",valid-after="20270101Z" ssh-ed25519 AAAA\n'},
            0,
            id="a key begins later",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git",valid-after="20270101Z" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git",valid-after="20260101Z" ssh-ed25519 AAAA\n'},
            1,
            id="a key begins earlier",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA on a card\n'},
            0,
            id="another comment",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git,x" ssh-ed25519 AAAA\n'},
            1,
            id="another purpose",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 BBBB\n'},
            1,
            id="another key",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'* namespaces="git" ssh-ed25519 AAAA\n'},
            1,
            id="another person",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git",cert-authority ssh-ed25519 AAAA\n'},
            1,
            id="an authority",
        ),
        pytest.param(
            {"allowed_signers": b'bob namespaces="git" ssh-ed25519 AAAA\n'},
            {"allowed_signers": b'bob namespaces="git",valid-before="20270101" ssh-ed25519 AAAA\n'},
            1,
            id="a time of no zone",
        ),
        pytest.param({"team.toml": b"threshold = 1"}, {"team.toml": b"threshold = 2"}, 0, id="more people"),
        pytest.param({"team.toml": b"threshold = 2"}, {"team.toml": b"# why\nthreshold = 2"}, 0, id="a comment"),
        pytest.param({"team.toml": b"max-age-days = 9"}, {"team.toml": b"max-age-days = 8"}, 0, id="younger reviews"),
        pytest.param({"team.toml": b"max-age-days = 9"}, {"team.toml": b"max-age-days = 10"}, 1, id="older reviews"),
        pytest.param({"team.toml": b"max-age-days = 9"}, {"team.toml": b""}, 1, id="reviews of any age"),
        pytest.param({"team.toml": b'audience = "a"'}, {"team.toml": b'audience = "b"'}, 1, id="another team"),
        pytest.param({"team.toml": b""}, {"team.toml": b'audience = "b"'}, 0, id="the first name"),
        pytest.param({"team.toml": b"threshold = 1"}, {"team.toml": b"threshold = true"}, 1, id="no number"),
        pytest.param({"team.toml": b"threshold = 1"}, {"team.toml": b"threshold = 1\nx = 1"}, 1, id="an unknown key"),
    ],
)
def test_what_a_change_does_to_keys_is_named(before: dict[str, bytes], after: dict[str, bytes], number: int) -> None:
    assert len(find_changed_keys(before, after, "plugseal-trust")) == number


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

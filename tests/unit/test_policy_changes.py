"""What a change of a policy or of a team's keys loosens is named; what it tightens, or only moves, is not."""

from __future__ import annotations

import pytest

from plugseal.model.team_policy import TeamPolicy
from plugseal.policy.changed_keys import find_changed_keys
from plugseal.policy.loosened import find_loosened
from plugseal.policy.team import parse_team_policy

HEAD = 'schema = "plugseal.policy/1"\n'


def policy(text: str) -> TeamPolicy:
    return parse_team_policy((HEAD + text).encode(), name="p.toml", origin="named")


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
        pytest.param({"README.md": b"a"}, {"README.md": b"b"}, 0, id="words for people"),
        pytest.param({"README.md": b"a"}, {}, 0, id="no words for people"),
        pytest.param({}, {"readme.md": b"a"}, 1, id="a file that nobody knows"),
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

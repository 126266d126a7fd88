"""A policy that asks for signed reviews: nothing starts without enough people of the pinned team behind the very token.

Whoever can write the plugin, the workspace or the folder of the receipts gets nothing started, and takes no refusal
away. Each refusal names the step that failed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.encode.statement import render_time
from plugseal.model.decision import Reason
from plugseal.model.statement import Decision
from plugseal.runtime import reviews as gate_reviews
from tests import gated, signed_gate
from tests import reviewers as people

Team, POLICY, SAMPLE = signed_gate.Team, signed_gate.POLICY, signed_gate.SAMPLE
NOW = people.NOW


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    monkeypatch.chdir("/usr")
    monkeypatch.setattr(gate_reviews, "_now", lambda: NOW)
    return Team(tmp_path)


def test_two_people_of_the_team_let_it_start(team: Team) -> None:
    team.pin()
    team.sign(team.alice)
    team.sign(team.bob)
    assert team.ask().component.label == "server:main"


def _one(team: Team) -> None:
    team.sign(team.alice)


def _two_keys_of_one(team: Team) -> None:
    again = people.Reviewer("alice")
    team.write_team(team.alice.line(), again.line(), team.bob.line())
    team.sign(team.alice)
    team.sign(again)


def _one_key_of_two(team: Team) -> None:
    other = people.Reviewer("bob", key=team.alice.key)
    team.write_team(team.alice.line(), other.line())
    team.sign(team.alice)
    team.sign(other)


def _a_wildcard(team: Team) -> None:
    team.write_team(team.alice.line(principals='"*"'), team.bob.line(principals='"*"'))
    team.sign(team.alice, reviewer="carol")
    team.sign(team.bob, reviewer="dave")


def _strangers(team: Team) -> None:
    for name in ("alice", "bob"):
        team.sign(people.Reviewer(name))


def _expired(team: Team) -> None:
    team.sign(team.alice)
    team.sign(team.bob, expires=render_time(NOW - 1))


def _from_the_future(team: Team) -> None:
    team.sign(team.alice)
    team.sign(team.bob, created=render_time(NOW + 3600))


def _compromised(team: Team) -> None:
    team.write_team(team.alice.line(), team.bob.line(), revoked_keys=f"{team.bob.public.line}\n")
    team.sign(team.alice)
    team.sign(team.bob, created=render_time(NOW - 86_400 * 100))


def _ended_key(team: Team) -> None:
    options = f'{people.NAMESPACES},valid-before="20261201000000Z"'
    team.write_team(team.alice.line(), team.bob.line(options))
    team.sign(team.alice)
    team.sign(team.bob)


def _another_namespace(team: Team) -> None:
    team.write_team(team.alice.line(), team.bob.line('namespaces="git"'))
    team.sign(team.alice)
    team.sign(team.bob)


def _another_audience(team: Team) -> None:
    team.write_team(team.alice.line(), team.bob.line(), team_toml='audience = "platform"\n')
    team.sign(team.alice, audience="platform")
    team.sign(team.bob, audience="others")


def _too_old(team: Team) -> None:
    team.policy.write_text(POLICY + "[receipts]\nrequired = true\nmax-age-days = 30\n")
    team.sign(team.alice)
    team.sign(team.bob, created=render_time(NOW - 86_400 * 31))


def _untouched(team: Team) -> None:
    team.policy.write_text(POLICY + "[receipts]\nrequired = true\nrequire-human = true\n")
    team.sign(team.alice)
    team.sign(team.bob)


def _third_asked(team: Team) -> None:
    team.write_team(team.alice.line(), team.bob.line(), team_toml="threshold = 3\n")
    team.sign(team.alice)
    team.sign(team.bob)


def _another_plugin(team: Team) -> None:
    for who in (team.alice, team.bob):
        team.sign(who, plugin=SAMPLE._replace(name="other"))


def _another_system(team: Team) -> None:
    for who in (team.alice, team.bob):
        team.sign(who, plugin=SAMPLE._replace(system="codewhale"))


def _another_content(team: Team) -> None:
    for who in (team.alice, team.bob):
        team.sign(who, content="c" * 64)


def _another_capability(team: Team) -> None:
    for who in (team.alice, team.bob):
        team.sign(who, capability="a" * 64)


def _altered(team: Team) -> None:
    team.sign(team.alice)
    path = team.sign(team.bob)
    value = json.loads(path.read_bytes())
    sig = value["signatures"][0]["sig"]
    value["signatures"][0]["sig"] = ("B" if sig[0] == "A" else "A") + sig[1:]
    path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")))


def _gap(team: Team) -> None:
    team.sign(team.alice)
    team.sign(team.bob, sequence=2, previous="f" * 64)


SHORT: dict[str, tuple[Callable[[Team], None], str]] = {
    "nobody": (lambda team: None, "0 of 2 people"),
    "one person": (_one, "1 of 2 people"),
    "one person with two keys": (_two_keys_of_one, "1 of 2 people"),
    "two names for one key": (_one_key_of_two, "1 of 2 people"),
    "a pattern": (_a_wildcard, "1 of 2 people"),
    "strangers with the names": (_strangers, "unknown-key"),
    "expired": (_expired, "expired: it expired at"),
    "made tomorrow": (_from_the_future, "from-the-future"),
    "a compromised key, backdated": (_compromised, "revoked-key: the key is revoked, whenever it signed"),
    "signed after the key's end": (_ended_key, "key-expired"),
    "a key for something else": (_another_namespace, "wrong-namespace"),
    "for another team": (_another_audience, "wrong-audience"),
    "older than the policy takes": (_too_old, "too-old"),
    "a key that nobody touched": (_untouched, "no-user-presence"),
    "the team's own threshold": (_third_asked, "2 of 3 people"),
    "another plugin of the same bytes": (_another_plugin, "about another plugin, agent-plugins:other"),
    "another system": (_another_system, "about another plugin, codewhale:sample"),
    "another content": (_another_content, "about other content, cccccccc, not"),
    "other capabilities": (_another_capability, "about other capabilities, aaaaaaaa, not"),
    "an altered signature": (_altered, "bad-signature"),
    "a receipt out of a sequence": (_gap, "history-broken"),
}


@pytest.mark.parametrize(("bring_about", "told"), SHORT.values(), ids=list(SHORT))
def test_too_few_people_start_nothing(bring_about: Callable[[Team], None], told: str, team: Team) -> None:
    bring_about(team)
    error = team.pin().refused()
    assert error.reason == Reason.SIGNATURE_MISSING.value
    assert told in " ".join([error.message, *error.details])
    assert "step " in error.message
    assert error.hint


@pytest.mark.parametrize("decision", [Decision.REJECT, Decision.REVOKE])
def test_one_refusal_wins(decision: Decision, team: Team) -> None:
    team.sign(team.alice)
    team.sign(team.bob)
    team.pin()
    assert team.ask()
    team.sign(team.bob, decision=decision)
    error = team.refused()
    assert error.reason == Reason.REVIEW_REFUSED.value
    assert "step 1 of 3, refusals" in error.message
    assert f"{decision.value} by bob" in error.details[0]


@pytest.mark.parametrize("decision", [Decision.REJECT, Decision.TRUST])
def test_a_receipt_that_was_seen_and_is_gone_still_refuses(decision: Decision, team: Team) -> None:
    team.sign(team.alice)
    team.sign(team.bob)
    last = team.sign(team.alice, decision=decision)
    team.pin()
    if decision is Decision.TRUST:
        assert team.ask()
    last.unlink()
    error = team.refused()
    wanted = Reason.REVIEW_REFUSED if decision is Decision.REJECT else Reason.SIGNATURE_MISSING
    assert error.reason == wanted.value
    assert ("refused" if decision is Decision.REJECT else "receipts-missing") in error.message


def test_an_older_generation_is_not_replayed(team: Team) -> None:
    team.sign(team.alice)
    team.sign(team.bob)
    team.pin()
    assert team.ask()
    old = team.token
    team.world.write("server.py", gated.SERVER + "# newer\n")
    team.world.trust()
    assert team.token != old
    newer = [team.sign(who, generation=2) for who in (team.alice, team.bob)]
    assert team.ask()
    team.world.write("server.py", gated.SERVER)
    team.world.trust()
    assert team.token == old
    assert "not-newest" in team.refused().message
    for path in newer:
        path.unlink()
    assert "receipts-missing" in team.refused().message


def test_a_retired_key_counts_for_what_was_there_and_for_nothing_new(team: Team) -> None:
    options = f'{people.NAMESPACES},valid-before="20270101000000Z"'
    made = render_time(NOW - 86_400 * 10)
    team.write_team(team.alice.line(), team.bob.line(options))
    team.sign(team.alice)
    team.sign(team.bob, created=made)
    team.pin()
    assert team.ask()
    team.world.write("server.py", gated.SERVER + "# newer\n")
    team.world.trust()
    team.sign(team.alice, generation=2)
    team.sign(team.bob, generation=2, created=made)
    error = team.refused()
    assert "new-by-retired-key" in " ".join(error.details)


def test_receipts_and_keys_in_the_plugin_are_nothing(team: Team) -> None:
    mallory, trudy = people.Reviewer("alice"), people.Reviewer("bob")
    team.pin()
    for below in ("reviews", "plugseal-trust"):
        (team.world.source / below).mkdir()
    (team.world.source / "plugseal-trust" / "allowed_signers").write_text(mallory.line() + trudy.line())
    (team.world.source / "plugseal.toml").write_text('schema = "plugseal.policy/1"\n[gate]\nrequire-signatures = 0\n')
    team.world.trust()
    for who in (mallory, trudy):
        content, capability = team.token.split(".")
        file, data = who.sign(plugin=SAMPLE, content=content, capability=capability)
        path = team.world.source / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    # With the receipts in the plugin its content is another; even so, and without them too.
    assert team.refused().reason in (Reason.CONTENT_DRIFTED.value, Reason.SIGNATURE_MISSING.value)
    assert "0 of 2 people" in team.refused().message


def test_a_folder_of_receipts_in_the_plugin_refuses(team: Team) -> None:
    team.pin()
    team.sign(team.alice)
    team.sign(team.bob)
    assert team.ask()
    inside = team.world.source / "reviews"
    inside.mkdir()
    team.pin(reviews=inside)
    error = team.refused()
    assert error.reason == Reason.REVIEWS_UNREADABLE.value
    assert "vouch for itself" in error.message


def test_what_becomes_of_the_team_in_the_repository_changes_nothing_until_it_is_pinned(team: Team) -> None:
    team.pin()
    team.sign(team.alice)
    mallory = people.Reviewer("mallory")
    team.write_team(team.alice.line(), mallory.line())
    team.sign(mallory)
    assert "unknown-key" in " ".join(team.refused().details)


@pytest.mark.parametrize("policy", ["", POLICY], ids=["no policy", "a policy that asks"])
def test_the_library_of_signatures_is_loaded_only_where_a_policy_asks(policy: str, team: Team) -> None:
    if policy:
        team.pin()
        team.sign(team.alice)
        team.sign(team.bob)
        assert team.ask()  # the policy is compiled now
    code = f"""
import sys
from pathlib import Path
from plugseal.model.identity import subject_id
from plugseal.runtime.gate import Gate
from plugseal.runtime.policies import load_policy
from plugseal.trust.store import Store
if {bool(policy)}:
    from plugseal.runtime import reviews
    reviews._now = lambda: {NOW}
store = Store(Path(sys.argv[1]))
policy = load_policy(store, system=Path('/nonexistent/policy.toml'))
Gate(store, name=subject_id, policy=policy).authorize(sys.argv[2])
print(*sorted(sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(team.store.home), team.world.id], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert ("cryptography" in loaded) is bool(policy)
    assert ("plugseal.signing" in loaded) is bool(policy)
    assert not loaded & {"pydantic", "rich", "yaml", "libcst"}

"""The state machine of trust: what each transition gives, what it refuses, and that generations only grow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.errors import RefusedTransitionError, TokenError
from plugseal.model.trust import Actor, Approval, Standing, TrustStatus, status_of
from plugseal.trust import transitions

CONTENT, CAPABILITY, OTHER = "a" * 64, "b" * 64, "c" * 64
PLACE = (1, 2)
FRESH = "0" * 32
ACTOR = Actor("dana", 1000, None, ("bash",))
APPROVAL = Approval(CONTENT, CAPABILITY, "2027-01-12T09:14:03Z", ACTOR, OTHER, "0.1.0", 0, 0)
TRUSTED = transitions.trust(None, APPROVAL, incarnation=FRESH)
ENABLED = transitions.enable(TRUSTED, content=CONTENT, capability=CAPABILITY, place=PLACE)


def _active(standing: Standing | None, place: tuple[int, int] = PLACE) -> bool:
    """Say whether a plugin may run: trusted as it is now, enabled, and at the place where it was enabled."""
    if standing is None or not standing.enabled or standing.place != place:
        return False
    return status_of(standing, CONTENT, CAPABILITY) is TrustStatus.TRUSTED


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        pytest.param("", "cut short: 0 of 129", id="nothing"),
        pytest.param(f"{CONTENT}.{CAPABILITY}"[:12], "cut short: 12 of 129", id="the first twelve characters"),
        pytest.param(f"{CONTENT}.{CAPABILITY}"[:-1], "cut short: 128 of 129", id="all but the last character"),
        pytest.param(f"{CONTENT}.{CAPABILITY}".upper(), "that is no token", id="upper case"),
        pytest.param(f"{CONTENT}.{CAPABILITY}\n", "that is no token", id="with a line end"),
        pytest.param(f" {CONTENT}.{CAPABILITY}", "that is no token", id="with a space before it"),
        pytest.param(
            f"{CONTENT}.{CAPABILITY}".replace("a", "\u0430", 1), "that is no token", id="a letter that looks like one"
        ),
        pytest.param(f"{CONTENT}{CAPABILITY}b", "that is no token", id="without its dot"),
    ],
)
def test_only_the_whole_token_is_one(typed: str, says: str) -> None:
    with pytest.raises(TokenError) as caught:
        transitions.verify_token(typed, CONTENT, CAPABILITY)
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("typed", "capability", "content"),
    [
        pytest.param(f"{OTHER}.{CAPABILITY}", "same", "differs", id="another content"),
        pytest.param(f"{CONTENT}.{OTHER}", "differs", "same", id="other capabilities"),
        pytest.param(f"{OTHER}.{OTHER}", "differs", "differs", id="both"),
    ],
)
def test_a_wrong_token_says_capabilities_first_and_never_the_right_one(
    typed: str, capability: str, content: str
) -> None:
    with pytest.raises(TokenError) as caught:
        transitions.verify_token(typed, CONTENT, CAPABILITY)
    error = caught.value
    assert error.details == (f"capability: {capability}", f"content: {content}", "nothing was trusted")
    told = " ".join([error.message, *error.details, error.hint or ""])
    assert CONTENT not in told
    assert CAPABILITY not in told


def test_what_has_no_token_can_not_be_trusted() -> None:
    with pytest.raises(TokenError, match="has no token"):
        transitions.verify_token(f"{CONTENT}.{CAPABILITY}", None, CAPABILITY)


def test_the_right_token_is_accepted() -> None:
    transitions.verify_token(f"{CONTENT}.{CAPABILITY}", CONTENT, CAPABILITY)


def test_trust_never_enables() -> None:
    assert not TRUSTED.enabled
    assert not _active(TRUSTED)
    assert TRUSTED.generation == 1
    again = transitions.trust(ENABLED, APPROVAL, incarnation="1" * 32)
    assert (again.enabled, again.place, again.incarnation) == (False, None, FRESH)


def test_a_trusted_and_enabled_plugin_is_active_at_its_place_alone() -> None:
    assert _active(ENABLED)
    assert not _active(ENABLED, (1, 3))


@pytest.mark.parametrize(
    ("standing", "content", "capability", "status"),
    [
        pytest.param(None, CONTENT, CAPABILITY, TrustStatus.NOT_REVIEWED, id="without a record"),
        pytest.param(transitions.revoke(TRUSTED), CONTENT, CAPABILITY, TrustStatus.NOT_REVIEWED, id="revoked"),
        pytest.param(TRUSTED, OTHER, CAPABILITY, TrustStatus.CONTENT_CHANGED, id="other content"),
        pytest.param(TRUSTED, None, CAPABILITY, TrustStatus.CONTENT_CHANGED, id="content without a receipt"),
        pytest.param(TRUSTED, CONTENT, OTHER, TrustStatus.CAPABILITIES_CHANGED, id="other capabilities"),
        pytest.param(TRUSTED, OTHER, OTHER, TrustStatus.CAPABILITIES_CHANGED, id="both: capabilities are said first"),
    ],
)
def test_enable_needs_what_was_trusted(
    standing: Standing | None, content: str | None, capability: str, status: TrustStatus
) -> None:
    assert status_of(standing, content, capability) is status
    with pytest.raises(RefusedTransitionError) as caught:
        transitions.enable(standing, content=content, capability=capability, place=PLACE)
    assert caught.value.status == status


def test_disable_keeps_the_trust_and_revoke_keeps_the_permission() -> None:
    disabled, revoked = transitions.disable(ENABLED), transitions.revoke(ENABLED)
    assert (disabled.trust, disabled.enabled) == (APPROVAL, False)
    assert (revoked.trust, revoked.enabled) == (None, True)
    assert not _active(disabled)
    assert not _active(revoked)


def test_forgetting_leaves_the_generation_and_the_next_trust_another_incarnation() -> None:
    forgotten = transitions.forget(ENABLED)
    assert forgotten == Standing(FRESH, ENABLED.generation + 1, forgotten=True)
    again = transitions.trust(forgotten, APPROVAL, incarnation="1" * 32)
    assert (again.incarnation, again.generation) == ("1" * 32, forgotten.generation + 1)


def test_the_last_generation_is_the_last() -> None:
    last = Standing(FRESH, transitions.MAX_GENERATION, trust=APPROVAL)
    for step in (transitions.disable, transitions.revoke, transitions.reload, transitions.forget):
        with pytest.raises(RefusedTransitionError, match="exhausted"):
            step(last)


_STEPS = st.lists(st.sampled_from(["trust", "enable", "disable", "revoke", "reload", "forget"]), max_size=30)


@given(_STEPS)
def test_every_transition_adds_one_and_nothing_is_active_without_both(steps: list[str]) -> None:
    standing: Standing | None = None
    seen = set()
    for number, step in enumerate(steps):
        before = 0 if standing is None else standing.generation
        try:
            standing = _after(standing, step, f"{number:032x}")
        except RefusedTransitionError:
            assert step == "enable"
            continue
        if standing is None:
            continue
        assert standing.generation == before + 1
        assert (standing.incarnation, standing.generation) not in seen
        seen.add((standing.incarnation, standing.generation))
        assert _active(standing) is (standing.enabled and standing.trust is not None and standing.place == PLACE)


def _after(standing: Standing | None, step: str, incarnation: str) -> Standing | None:
    if step == "trust":
        return transitions.trust(standing, APPROVAL, incarnation=incarnation)
    if step == "enable":
        return transitions.enable(standing, content=CONTENT, capability=CAPABILITY, place=PLACE)
    return None if standing is None else getattr(transitions, step)(standing)

"""The transitions of trust as a pure state machine: no disk, no clock, no secret.

Rules
- `trust` binds exact content and exact capabilities, and never enables: whatever was enabled before is not any more.
- `enable` needs that what is on disk is what was trusted, at this very place.
- `disable` clears the permission and keeps the trust.
- `revoke` removes the trust and keeps the permission as it was, so that a look at the record still tells; it is not
  active without trust, and a new `trust` clears it.
- `reload` looks at what is on disk anew and changes neither trust nor permission: older grants must ask again.
- `forget` leaves the generation alone behind; the next `trust` begins a new incarnation with a higher one, so that a
  grant of before never fits again.
- Every transition adds one to the generation. A generation never falls and never repeats within one record.

What a transition refuses it refuses by raising; it never repairs and never guesses.
"""

from __future__ import annotations

import hmac
import re
from typing import Final

from plugseal.errors import RefusedTransitionError, TokenError
from plugseal.model.trust import Approval, Standing, TrustStatus, status_of
from plugseal.patterns import lazy

TOKEN: Final = lazy(r"\A[0-9a-f]{64}\.[0-9a-f]{64}\Z", re.ASCII)
TOKEN_CHARACTERS: Final = 129
MAX_GENERATION: Final = 2**53 - 1


def verify_token(typed: str, content: str | None, capability: str | None) -> None:
    """Refuse a token that is not, whole and exactly, the one of what is on disk now.

    The right token is never part of a message: it must come from a review.

    Args:
        typed: as the user gave it.
        content: the content receipt of what is on disk now; None where it has none.
        capability: the capability receipt of what is on disk now; None where it has none.

    Raises:
        TokenError: it is cut short, malformed, or of something else; a difference of capabilities is said first.
    """
    if TOKEN.match(typed) is None:
        raise TokenError(_malformed(typed))
    if content is None or capability is None:
        raise TokenError("what is on disk has no token: it can't be represented or was not understood in full")
    typed_content, _, typed_capability = typed.partition(".")
    # Both are compared, whatever the first says, and in constant time.
    same_capability = hmac.compare_digest(typed_capability.encode("ascii"), capability.encode("ascii"))
    same_content = hmac.compare_digest(typed_content.encode("ascii"), content.encode("ascii"))
    if same_capability and same_content:
        return
    raise TokenError(
        "the token does not match what is on disk now",
        details=(
            f"capability: {'same' if same_capability else 'differs'}",
            f"content: {'same' if same_content else 'differs'}",
            "nothing was trusted",
        ),
    )


def trust(standing: Standing | None, approval: Approval, *, incarnation: str) -> Standing:
    """Return the state after exact content and capabilities were trusted.

    Args:
        standing: before; None where there is no record.
        approval: what is trusted.
        incarnation: 32 fresh random hex digits, used where a record begins.

    Raises:
        RefusedTransitionError: there is no generation left.
    """
    if standing is None:
        return Standing(incarnation, 1, trust=approval)
    begun = incarnation if standing.forgotten else standing.incarnation
    return Standing(begun, _next(standing), trust=approval)


def enable(
    standing: Standing | None, *, content: str | None, capability: str | None, place: tuple[int, int]
) -> Standing:
    """Return the state after a trusted plugin was permitted to run.

    Args:
        standing: before.
        content: the content receipt of what is on disk now.
        capability: the capability receipt of what is on disk now.
        place: (device, inode) of its root.

    Raises:
        RefusedTransitionError: it is not trusted as it is now.
    """
    status = status_of(standing, content, capability)
    if standing is None or status is not TrustStatus.TRUSTED:
        raise RefusedTransitionError(_REASONS[status], status=status)
    return standing._replace(enabled=True, place=place, generation=_next(standing))


def disable(standing: Standing) -> Standing:
    """Return the state after the permission to run was taken.

    Raises:
        RefusedTransitionError: there is no generation left.
    """
    return standing._replace(enabled=False, generation=_next(standing))


def revoke(standing: Standing) -> Standing:
    """Return the state after trust was taken; the permission stays as it was and permits nothing.

    Raises:
        RefusedTransitionError: there is no generation left.
    """
    return standing._replace(trust=None, generation=_next(standing))


def reload(standing: Standing) -> Standing:
    """Return the state after what is on disk was looked at anew: same trust, new generation.

    Raises:
        RefusedTransitionError: there is no generation left.
    """
    return standing._replace(generation=_next(standing))


def forget(standing: Standing) -> Standing:
    """Return what is left of a record once it was forgotten: its generation.

    Raises:
        RefusedTransitionError: there is no generation left.
    """
    return Standing(standing.incarnation, _next(standing), forgotten=True)


_REASONS: Final = {
    TrustStatus.NOT_REVIEWED: "it is not trusted",
    TrustStatus.CAPABILITIES_CHANGED: "it can do other things than those that were trusted",
    TrustStatus.CONTENT_CHANGED: "its content is not what was trusted",
}


def _next(standing: Standing) -> int:
    if standing.generation >= MAX_GENERATION:
        raise RefusedTransitionError("the generations of this record are exhausted")
    return standing.generation + 1


def _malformed(typed: str) -> str:
    if len(typed) < TOKEN_CHARACTERS and re.fullmatch(r"[0-9a-f.]*", typed, re.ASCII):
        return f"the token is cut short: {len(typed)} of {TOKEN_CHARACTERS} characters"
    return f"that is no token: {TOKEN_CHARACTERS} characters, two times 64 hex digits in lower case with a dot between"

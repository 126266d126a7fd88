"""Say why the gate refuses: the reason of the closed list, the plugin, and what to type."""

from __future__ import annotations

from collections.abc import Sequence

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason


def refused(
    reason: Reason,
    plugin: str,
    message: str = "",
    *,
    place: str | None = None,
    details: Sequence[str] = (),
    hint: str = "",
) -> RefusedError:
    """Return a refusal.

    Args:
        reason: of the closed list.
        plugin: its ID.
        message: more than the reason says by itself.
        place: what it is about; hostile text.
        details: a fact each; hostile text.
        hint: what to type, by default what the reason says.
    """
    told = f"the gate refused {plugin}: {reason.value}: {message or reason.meaning}"
    what = (hint or reason.hint).replace("{plugin}", plugin)
    return RefusedError(reason.value, told, place=place, hint=what, details=tuple(details))

"""Say why the gate refuses: the reason of the closed list, the plugin, and what to type."""

from __future__ import annotations

import os
from collections.abc import Sequence

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.model.trust import Subject


def meant_hint(word: str, known: Sequence[tuple[str, Subject]]) -> str:
    """Say which recorded plugin may be meant by what is no ID of one; empty if none.

    Args:
        word: as the user gave it: a path, a name, an ID with a slip.
        known: the ID of each recorded plugin, and whose it is.
    """
    root = os.path.realpath(word)
    meant = [name for name, subject in known if root == subject.root] or [
        name for name, subject in known if word == subject.name
    ]
    if not meant:
        from difflib import get_close_matches  # nobody waits for a refusal as for a start

        meant = get_close_matches(word[:200], [name for name, _ in known], n=1, cutoff=0.8)
    return f"did you mean {' or '.join(f'`{name}`' for name in sorted(meant)[:5])}?" if meant else ""


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

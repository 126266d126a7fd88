"""Which scope a name belongs to."""

from __future__ import annotations

from plugseal.lang.python.collecting.scope import CLASS, Scope


def owner_of(name: str, scope: Scope) -> Scope | None:
    """Return the scope that binds a name as it is read in another; None where nothing in the file does.

    Names of a class are seen from its own body, and not from the functions in it.
    """
    owner: Scope | None = scope
    while owner is not None and (name not in owner.bindings or (owner.kind == CLASS and owner is not scope)):
        owner = owner.parent
    return owner

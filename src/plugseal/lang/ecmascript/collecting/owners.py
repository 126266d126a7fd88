"""Which scope a name belongs to."""

from __future__ import annotations

from plugseal.lang.ecmascript.collecting.scope import CLASS, Scope


def owner_of(name: bytes, scope: Scope) -> Scope | None:
    """Return the scope that binds a name as it is read in another; None where nothing in the file does."""
    owner: Scope | None = scope
    while owner is not None and (name not in owner.bindings or owner.kind == CLASS):
        owner = owner.parent
    return owner

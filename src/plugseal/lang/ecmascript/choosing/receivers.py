"""Whether `this`, in what is no method, may be something that matters: the global scope, or what a call names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.ecmascript.collecting.scope import Scope, owner_of_this

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.choosing.question import Question
    from plugseal.lang.ecmascript.resolving.resolver import Resolver


def is_received(leads: Question, resolver: Resolver, scope: Scope, results: bool) -> bool:
    """Say whether `this` in a scope may lead somewhere by what its function is called on.

    Args:
        leads: what is known to lead somewhere.
        resolver: of the file.
        scope: in which `this` stands.
        results: whether what a call gives counts too.
    """
    owner = owner_of_this(scope)
    if owner is None or owner.home is not None:
        return False
    receiver = owner.receiver
    if owner.parent is None or isinstance(receiver, Scope):
        return resolver.is_plain_script
    return receiver is not None and leads.expression(receiver, owner.parent, results)

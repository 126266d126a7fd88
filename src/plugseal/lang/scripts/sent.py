"""Methods of Ruby that are called by a name that a value holds: `send(name)`, `Kernel.public_send(name)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.scripts.tables import calls_of

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.shell.parsing.source import Source

SENDING: Final = frozenset(("send", "public_send", "__send__"))
_GLOBAL: Final = frozenset(("Kernel", "Object", "main"))


def may_reach_outside(node: Node, sent: str | None, source: Source) -> bool:
    """Say whether a name that is not known, or not all of it, can be one that does something outside.

    What an object of its own is sent is that object's; `self` has the functions of `Kernel`, but not for `public_send`.
    """
    owner, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    head = ""
    if owner is not None and owner.type in ("constant", "scope_resolution"):
        head = source.of(owner).replace("::", ".")
        head = "" if head in _GLOBAL else f"{head}."
    elif (owner is not None and owner.type != "self") or (method is not None and source.of(method) == "public_send"):
        return False
    first, last = ("", "") if sent is None else (sent.partition(HOLE)[0], sent.rpartition(HOLE)[2])
    names = (known[len(head) :] for known in calls_of("Ruby") if known.startswith(head))
    return any("." not in name and name.startswith(first) and name.endswith(last) for name in names)

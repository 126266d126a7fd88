"""What a Vagrantfile makes a machine run and share: provisioners, triggers, boxes and synced folders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.values import Values

_LINES: Final = frozenset(("inline", "host_inline"))
_PATHS: Final = frozenset(("path", "playbook", "source"))
_SETTINGS: Final = {".box": "code.fetched", ".box_url": "code.fetched", ".image": "code.fetched"}


def is_machine(path: str) -> bool:
    """Say whether a file describes machines for Vagrant."""
    return path.rpartition("/")[2].lower() == "vagrantfile"


def said_by_call(name: str, given: list[Node], values: Values) -> Iterator[tuple[str, Node]]:
    """Yield (`line` or a capability, the expression of its object) of a call."""
    last = name.rpartition(".")[2]
    if last in ("provision", "run", "run_remote"):
        yield from _said_by_pairs(given, values)
    elif last in ("inline", "path") and len(given) == 1 and "." in name:
        yield from (("line", one) for one in given if last == "inline")
    elif last == "synced_folder" and given:
        yield "fs.read", given[0]
        yield "fs.write", given[0]


def said_by_setting(left: Node, right: Node, values: Values) -> Iterator[tuple[str, Node]]:
    """Yield the same of what a setting is given: `config.vm.box = …`, `trigger.run = {inline: …}`."""
    name = (left.text or b"").decode("utf-8", "replace")
    last = f".{name.rpartition('.')[2]}"
    if last in _SETTINGS:
        yield _SETTINGS[last], right
    elif last in (".run", ".run_remote"):
        yield from _said_by_pairs([right], values)
    elif last == ".inline":
        yield "line", right


def _said_by_pairs(given: list[Node], values: Values) -> Iterator[tuple[str, Node]]:
    for one in given[:16]:
        for pair in (one, *one.named_children[:32]):
            if pair.type == "pair" and pair.named_child_count > 1:
                key = (pair.named_children[0].text or b"").decode("utf-8", "replace").strip(":'\" ")
                if key in _LINES:
                    yield "line", pair.named_children[-1]
                elif key in _PATHS and "://" in (values.value(pair.named_children[-1]).text or ""):
                    yield "code.fetched", pair.named_children[-1]

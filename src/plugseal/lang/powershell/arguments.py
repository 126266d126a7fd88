"""What the script's own functions are given, and the aliases that it makes."""

from __future__ import annotations

from plugseal.lang.folded import HOLE
from plugseal.lang.powershell.collect import Assigned
from plugseal.lang.powershell.folding import Folder
from plugseal.lang.powershell.tree import Node
from plugseal.lang.powershell.values import text_of

_MAX_CALLS = 64


def own_aliases(folder: Folder) -> dict[str, str]:
    """Return the aliases that a script makes, with what they stand for."""
    found: dict[str, str] = {}
    for use in folder.script.uses:
        node = use.node
        if node.kind == "assign" and node.parts[0].kind == "variable" and node.parts[0].text.startswith("alias:"):
            meant = text_of(folder.one(node.parts[1], use.frame))
            if HOLE not in meant:
                found[node.parts[0].text[6:]] = meant.lower()
            continue
        if node.kind != "command" or not node.parts or node.parts[0].kind != "text":
            continue
        name = node.parts[0].text.lower()
        if name in ("set-alias", "new-alias", "sal", "nal") or name in ("set-item", "new-item", "si", "ni"):
            words = [part for part in node.parts[1:] if part.kind not in ("option", "redirect")][:2]
        else:
            continue
        texts = [text_of(folder.one(word, use.frame)) for word in words]
        if len(texts) < 2 or HOLE in texts[0] or HOLE in texts[1]:
            continue
        key = texts[0].lower()
        if name in ("set-item", "new-item", "si", "ni"):
            if not key.startswith("alias:"):
                continue
            key = key[6:].strip("\\/")
        found[key] = texts[1].lower()
    return found


def bind_arguments(folder: Folder) -> None:
    """Give the parameters of functions what the script's own calls give them."""
    script = folder.script
    counts: dict[str, int] = {}
    for use in script.uses:
        node = use.node
        if node.kind != "command" or not node.parts or node.parts[0].kind != "text":
            continue
        name = node.parts[0].text.lower()
        function = script.functions.get(name)
        counts[name] = counts.get(name, 0) + 1
        if function is None or counts[name] > _MAX_CALLS:
            continue
        for parameter, given in _given(_parameters(function), node.parts[1:]):
            places = script.assigned.setdefault(parameter.text, [])
            own = next((place for place in places if place.at == parameter.start), None)
            if own is not None:
                # At the place of the parameter itself, so that the body sees it.
                places.insert(places.index(own) + 1, Assigned(parameter.start, given, use.frame, "argument", name))


def _parameters(function: Node) -> list[Node]:
    body = next((part for part in function.parts if part.kind == "block"), None)
    around = (*function.parts, *(body.parts[:3] if body is not None else ()))
    return [inner for part in around if part.kind == "flow" and part.text == "param" for inner in part.parts]


def _given(parameters: list[Node], words: tuple[Node, ...]) -> list[tuple[Node, Node]]:
    """Return parameters with what one call gives them."""
    found: list[tuple[Node, Node]] = []
    free = list(parameters)
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word.kind == "redirect":
            continue
        if word.kind == "option":
            named = next((one for one in parameters if one.text.startswith(word.text)), None)
            value = word.parts[0] if word.parts else words[at] if at < len(words) else None
            if named is not None and value is not None and value.kind != "option":
                found.append((named, value))
                free = [one for one in free if one is not named]
                at += 0 if word.parts else 1
        elif free:
            found.append((free.pop(0), word))
    return found

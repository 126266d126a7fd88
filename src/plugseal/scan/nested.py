"""Read the texts inside a file by their own languages' readers, and the texts inside those, within bounds."""

from __future__ import annotations

from collections.abc import Iterator

from plugseal.lang.facts import Context, FileFacts, Nested, unread
from plugseal.lang.nested import mapped
from plugseal.lang.registry import READABLE
from plugseal.limits import MAX_NESTED_CHARACTERS, MAX_NESTED_TEXTS, MAX_NESTING
from plugseal.scan.analyse import analyse
from plugseal.scan.on_demand import WorkersOnDemand

FENCE = "fence"
"""How code stands in prose that no interpreter is promised to understand: a model reads it, pieces and all, and that
it is told to is a fact of the prose. Where no reader understands it nothing is left unread."""


def read_nested(facts: FileFacts, context: Context, *, workers: WorkersOnDemand) -> Iterator[FileFacts]:
    """Yield what was read in each text inside a file, at the places, channel and trigger that it has there.

    Args:
        facts: of the file.
        context: of the file.
        workers: where large and odd texts are read.

    Yields:
        One for each text, outer ones first. A text that could not be read, and the bound that kept others from being
        read, have a `reason`; their facts are what is known all the same.
    """
    waiting: list[tuple[Nested, int]] = [(nested, 1) for nested in facts.nested]
    characters = 0
    # A queue that grows while it is read: texts come in order of their depth.
    for count, (nested, depth) in enumerate(waiting, start=1):
        characters += len(nested.text)
        if count > MAX_NESTED_TEXTS or characters > MAX_NESTED_CHARACTERS:
            yield unread(nested.language, "holds more code inside its texts than is read")
            return
        found = _read(nested, context, workers)
        yield found
        if depth < MAX_NESTING:
            waiting.extend((inner, depth + 1) for inner in found.nested)
        elif found.nested:
            yield unread(nested.language, f"nests code in texts deeper than {MAX_NESTING}")


def _read(nested: Nested, context: Context, workers: WorkersOnDemand) -> FileFacts:
    if nested.language not in READABLE:
        return unread(nested.language, f"holds {nested.language} inside, for which there is no reader yet")
    data = nested.text.encode("utf-8", "surrogatepass")
    found = mapped(analyse(nested.language, data, context, workers=workers), nested)
    if found.reason and nested.how == FENCE:
        return found._replace(reason="")
    if found.reason:
        return found._replace(reason=f"{nested.language} inside: {found.reason}")
    return found

"""What a component lets itself off being asked: tools that its front matter allows, approvals that its settings give.

Words are as written; whether one is wide or harmless is for rules to say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind

_GRANT_KEYS: Final = frozenset(
    {
        "allowed-tools",
        "front.allowed-tools",
        "front.allowedTools",
        "front.permissionMode",
        "allowedTools",
        "alwaysAllow",
        "autoApprove",
        "auto_approve",
        "trust",
        "permissionMode",
        "sandboxEnabled",
        "policy.allow",
        "grant",
    }
)
"""Keys by which a component lets itself off being asked."""
_OF_SKILLS: Final = "front.allowed-tools"
"""A field of skills and commands; no client's agents have it, so there it grants nothing."""


def granted_words(component: Component) -> Iterator[tuple[str, str]]:
    """Yield (key in `extra`, what it grants) for everything that a component allows itself."""
    for key, text in component.extra:
        if key not in _GRANT_KEYS or (key == _OF_SKILLS and component.kind is ComponentKind.AGENT):
            continue
        value = json.loads(text)
        words = _grant_words(value) if isinstance(value, str) else value
        if isinstance(words, list):
            yield from ((key, word if isinstance(word, str) else json.dumps(word)) for word in words)
        elif words is True:
            yield key, key.rpartition(".")[2]


def _grant_words(text: str) -> list[str]:
    """Split a list of grants at spaces and commas outside parentheses: `Bash(git add:*), Read` is two."""
    words: list[str] = []
    start, depth = 0, 0
    for at, character in enumerate(text + " "):
        depth += (character == "(") - (character == ")" and depth > 0)
        if depth == 0 and (character.isspace() or character == ","):
            words.append(text[start:at])
            start = at + 1
    words.append(text[start:])
    return [word for word in words if word.strip()]

"""Placeholders in reviewed launch data: those that are documented, and nothing else.

The place of the plugin is known under a few names, all of which mean the staged copy. A variable counts if it was
reviewed; any other placeholder refuses, since nobody saw what it would become. Nothing is expanded twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.patterns import lazy

_PLACEHOLDER: Final = lazy(r"\$\{([^{}]*)\}")
_ROOTS: Final = frozenset(
    """
    PLUGIN_ROOT CLAUDE_PLUGIN_ROOT CURSOR_PLUGIN_ROOT CODEX_PLUGIN_ROOT CLAUDE_SKILL_DIR extensionPath __dirname
    """.split()
)
_DATA: Final = frozenset("PLUGIN_DATA CLAUDE_PLUGIN_DATA".split())
_NAME: Final = lazy(r"\A(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?\Z", re.DOTALL)


def expand(text: str, *, root: str, data: str, variables: Mapping[str, str], reviewed: frozenset[str]) -> str:
    """Return a text with its placeholders replaced.

    Args:
        text: as reviewed.
        root: the staged copy.
        data: an owned folder that stays between runs.
        variables: our environment.
        reviewed: names of variables that were reviewed.

    Raises:
        RefusedError: a placeholder that is not documented or not reviewed, or a variable that is not set.
    """

    def value(match: re.Match[str]) -> str:
        inner = match[1]
        if inner in _ROOTS:
            return root
        if inner in _DATA:
            return data
        if inner == "/":
            return "/"
        named = _NAME.match(inner)
        if named is None or named[1] not in reviewed:
            unknown = Reason.PLACEHOLDER_UNKNOWN
            raise RefusedError(unknown.value, f"`{match[0]}` stands for something nobody reviewed", hint=unknown.hint)
        found = variables.get(named[1]) or named[2]
        if found is None:
            raise RefusedError(
                Reason.VARIABLE_MISSING.value, f"`{named[1]}` is not set", hint=f"set `{named[1]}`, then start again"
            )
        return found

    return _PLACEHOLDER.sub(value, text)

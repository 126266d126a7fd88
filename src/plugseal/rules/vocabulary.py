"""The words that a `[[match]]` table may use, by the language of the rule.

One table for validation, for compiling and for the reference page, so that they can't disagree.
"""

from __future__ import annotations

from typing import Final

CODE: Final = "code"
MANIFEST: Final = "manifest"
FILE: Final = "file"
SHELL: Final = "shell"
PROSE: Final = "prose"

GROUPS: Final[dict[str, str]] = {
    "python": CODE,
    "javascript": CODE,
    "typescript": CODE,
    "ruby": CODE,
    "perl": CODE,
    "php": CODE,
    "lua": CODE,
    "manifest": MANIFEST,
    "file": FILE,
    "shell": SHELL,
    "powershell": SHELL,
    "prose": PROSE,
}
"""Language to the group of words that its rules use; a rule's languages are all of one group."""

KIND_WORDS: Final[dict[str, tuple[str, ...]]] = {
    CODE: ("call", "attribute", "import", "string"),
    SHELL: ("command", "pipe", "redirect"),
    PROSE: ("text", "forbids", "line", "comment"),
}
"""The words that name an event's kind: a match table of these groups has exactly one of them."""

NAME_WORDS: Final[dict[str, tuple[str, ...]]] = {
    CODE: (*KIND_WORDS[CODE], "trigger", "resolution"),
    SHELL: (*KIND_WORDS[SHELL], "trigger"),
    PROSE: (*KIND_WORDS[PROSE], "also"),
    MANIFEST: ("command", "path", "host", "env", "kind", "trigger"),
    FILE: ("path", "kind", "fault"),
}
"""The words whose value is a name, a list of names, or `{ matches = "…" }`."""

TEXT_WORDS: Final = ("string", "text", "forbids", "line", "comment")
"""The words whose value is one pattern or a list of patterns over a text."""

ALL_WORDS: Final = ("also",)
"""The words whose value is one pattern or a list of patterns that are all found in the text of the event."""

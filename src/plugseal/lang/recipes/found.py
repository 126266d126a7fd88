"""What one such file says, gathered line by line."""

from __future__ import annotations

import json
import re
import shlex
from typing import Final

from plugseal.lang.facts import PARTIAL_STATUS, EntryPoint, FileFacts, Nested
from plugseal.lang.recipes.mapped import Mapped
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span
from plugseal.patterns import lazy

_SHELLS: Final = lazy(r"(?:.*[/\\])?(?:ba|da|z|k|a|)sh(?:\.exe)?\Z")
_INTERPRETERS: Final = (
    (re.compile(r"(?:.*[/\\])?python[\d.]*(?:\.exe)?\Z"), "python"),
    (re.compile(r"(?:.*[/\\])?(?:node|deno|bun)(?:\.exe)?\Z"), "javascript"),
    (re.compile(r"(?:.*[/\\])?(?:pwsh|powershell)(?:\.exe)?\Z", re.IGNORECASE), "PowerShell"),
    (re.compile(r"(?:.*[/\\])?ruby[\d.]*\Z"), "Ruby"),
    (re.compile(r"(?:.*[/\\])?perl[\d.]*\Z"), "Perl"),
)


class Found:
    """Facts, texts of other languages, and why something may be missing."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.reason = ""
        self._facts: set[Fact] = set()
        self._nested: list[Nested] = []

    def fact(self, span: Span, capability: str, thing: str | None, trigger: str, *, sure: bool = True) -> None:
        """Add a fact."""
        self._facts.add(Fact(span, capability, thing, "direct" if sure else "possible", "code", trigger))

    def run(self, text: Mapped, trigger: str, how: str, *, language: str = "shell") -> None:
        """Add a text that something runs."""
        if text.text.strip():
            self._nested.append(text.nested(language, trigger, how))

    def run_words(self, words: list[str], span: Span, trigger: str, how: str) -> None:
        """Add a list of words that something starts, as the shell line that means the same."""
        self._nested.append(Nested("shell", shlex.join(words), span, (), trigger, how))

    def nest(self, nested: Nested) -> None:
        """Add a text of another language that something runs."""
        self._nested.append(nested)

    def lack(self, reason: str) -> None:
        """Say why something may be missing; the first reason stays."""
        self.reason = self.reason or reason

    def build(self) -> FileFacts:
        """Return the facts of the file."""
        return FileFacts(
            self.language,
            PARTIAL_STATUS if self.reason else "read",
            self.reason,
            tuple(sorted(self._facts, key=fact_order)),
            entries=(EntryPoint("<module>", "start", 1),),
            nested=tuple(self._nested),
        )


def shell_of(word: str) -> str | None:
    """Return the reader of what an interpreter reads, by its name or path; None where there is none."""
    if _SHELLS.match(word):
        return "shell"
    return next((language for pattern, language in _INTERPRETERS if pattern.match(word)), None)


def json_words(text: str) -> list[str] | None:
    """Return the words of a list in JSON, None where it is none."""
    if not text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) and value and all(isinstance(word, str) for word in value) else None

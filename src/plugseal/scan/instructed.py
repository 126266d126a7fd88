"""Tell which texts of a tree models obey: skills and what lies in their folders, commands, agents, rules files.

Names decide here, since names are what hosts go by; what it decides is how closely a text is read, never whether.
Documentation that lies beside (README, changelogs, licences, `docs/`) is for people and tells a model nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from plugseal.model.tree import Entry
from plugseal.patterns import lazy

OBEYED: Final = "instructions"
"""The reader of what a model obeys, as `lang.registry` names it."""
_PROSE: Final = frozenset({"Markdown", "plain text", "text"})
_NAMES: Final = frozenset(
    """
    skill.md agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md codex.md warp.md
    power.md hook.md soul.md identity.md heartbeat.md boot.md bootstrap.md copilot-instructions.md conventions.md
    .cursorrules .windsurfrules .clinerules .roorules .roomodes .kilocoderules .augment-guidelines .goosehints .rules
    .continuerules .hermes.md replit.md junie.md crush.md airules.md bugbot.md
    """.split()
)
_SUFFIXES: Final = (
    ".mdc",
    ".instructions.md",
    ".prompt.md",
    ".agent.md",
    ".chatmode.md",
    ".skill.md",
    ".mode.md",
    ".toolset.md",
)
_FOLDERS: Final = frozenset(
    """
    commands agents rules steering prompts output-styles outputstyles chatmodes instructions subagents personas
    workflows microagents
    skills .clinerules .junie
    """.split()
)
_OF_CLIENTS: Final = lazy(r"(?:command|agent|modes?|droids|guidelines|checks|agent-memory(?:-local)?|rules-[\w-]+)\Z")
"""Folders that clients read under a name that is an ordinary one elsewhere: they count in a client's own folder."""
_FOR_PEOPLE: Final = lazy(
    r"(?:readme|changelog|changes|history|contributing|contributors|license|licence|copying|notice|notices|authors|"
    r"security|code_of_conduct|"
    r"attribution|credits|release[_-]?notes|roadmap|todo|migration|upgrading|support|"
    r"governance|maintainers|codeowners)"
    r"(?:[._-][\w-]+(?:\.[\w-]+)*)?\Z|third[_-]party[_-].*\Z",
    re.IGNORECASE,
)
_DOCUMENTATION: Final = frozenset("docs doc documentation website site www blog content wiki man".split())
_MANIFEST_FOLDERS: Final = frozenset(
    ".claude-plugin .codex-plugin .copilot-plugin .cursor-plugin .devin-plugin .grok-plugin .kimi-plugin .omp-plugin "
    ".plugin".split()
)
_MANIFESTS: Final = frozenset("plugin.json gemini-extension.json kimi.plugin.json plugin.toml".split())


class Instructed:
    """Which files of one tree are instructions."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        """Look for skills and plugins among the names of a tree."""
        self._skills: set[str] = set()
        self._plugins: set[str] = set()
        for entry in entries:
            folder, _, name = entry.path.rpartition("/")
            if name.lower() == "skill.md":
                self._skills.add(folder)
            elif name in _MANIFEST_FOLDERS or name in _MANIFESTS:
                self._plugins.add(folder)

    def reader_for(self, path: str, language: str) -> str:
        """Return the reader of a text: its own, or that of instructions."""
        if language not in _PROSE or (language != "Markdown" and not _is_running_text(path)):
            return language
        return OBEYED if self.is_obeyed(path) else language

    def is_obeyed(self, path: str) -> bool:
        """Say whether a model obeys the text at `path`."""
        *folders, name = path.split("/")
        lower = name.lower()
        if lower in _NAMES or lower.endswith(_SUFFIXES):
            return True
        if _FOR_PEOPLE.match(name):
            return False
        if folders[-1:] == [".claude"] and lower == "loop.md":
            return True
        if self._is_in_skill(folders):
            return True
        if _DOCUMENTATION.intersection(folders):
            return False
        return any(
            (part in _FOLDERS and self._is_loaded(folders[:at]))
            or (_is_of_client(folders[:at]) and _OF_CLIENTS.match(part) is not None)
            for at, part in enumerate(folders)
        )

    def _is_in_skill(self, folders: list[str]) -> bool:
        """Say whether a folder above holds a skill; the root counts only for its own files."""
        for depth in range(len(folders), 0, -1):
            if "/".join(folders[:depth]) in self._skills:
                return not _DOCUMENTATION.intersection(folders[depth:])
        return not folders and "" in self._skills

    def _is_loaded(self, above: list[str]) -> bool:
        """Say whether a host looks for components in this place: in its own folder, at the root, in a plugin."""
        return not above or _is_of_client(above) or "/".join(above) in self._plugins


def _is_of_client(above: list[str]) -> bool:
    """Say whether a folder is one that a client keeps its own in: `.name`, or `.config/name`."""
    return above[-1:] != [] and (above[-1].startswith(".") or above[-2:-1] == [".config"])


def _is_running_text(path: str) -> bool:
    """Say whether a plain text is one of words, no table, log or style sheet."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return not (dot and stem) or suffix.lower() in ("txt", "text", "rst", "adoc", "asciidoc", "org", "prompt")

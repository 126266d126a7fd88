"""How the help groups the commands: topics in the order in which a newcomer needs them, and families of one first word.

A family is two or more commands that begin with the same word (`amber list`, `amber info`, …). The overview shows it as
one entry, and `plugseal amber --help` shows its commands.
"""

from __future__ import annotations

from typing import Final

from plugseal.cli.commands.table import COMMANDS
from plugseal.cli.parser import Command
from plugseal.records import NamedTuple


class Topic(NamedTuple):
    """One heading of the overview."""

    title: str
    words: tuple[str, ...]
    """First words of the commands below it, in order."""


TOPICS: Final = (
    Topic("Look, and run nothing", ("scan", "review", "diff", "facts", "hash", "validate", "explain")),
    Topic(
        "Trust", ("trust", "enable", "disable", "revoke", "recheck", "list", "show", "log", "reload", "forget", "stage")
    ),
    Topic("Run behind the gate", ("run", "call", "wrap", "unwrap", "pins")),
    Topic("Be the host of one plugin system", ("amber", "amness", "codewhale", "coding", "lingtai")),
    Topic("Decide as a team, and in CI", ("check", "policy", "receipt", "key", "guard")),
    Topic("Rules, and the shell", ("rules", "completion")),
)

FAMILIES: Final = {
    "amber": "find, install, switch and use the plugins of amber",
    "amness": "write, try and serve the plugins of Amness",
    "codewhale": "trust and use the bundles of Codewhale",
    "coding": "start and use the plugins of Coding",
    "key": "make and show the keys that sign reviews",
    "lingtai": "register and use the Agent Plugins of an agent of lingtai",
    "log": "show the trails (what was decided, what ran), and verify, checkpoint or export them",
    "policy": "write, explain, test, sign and pin a policy",
    "receipt": "sign, verify, show and export signed reviews",
    "rules": "list, test and draft rules",
}
"""What the commands of each family do together."""


def commands_below(begun: str) -> tuple[Command, ...]:
    """Return the commands of which `begun` is the first word or words, without the one that has no more words."""
    return tuple(command for command in COMMANDS if command.name.startswith(f"{begun} "))

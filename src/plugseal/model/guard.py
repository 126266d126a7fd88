"""Rules by which clients deny an agent to trust plugins by itself: pure data."""

from __future__ import annotations

from typing import Final

from plugseal.records import NamedTuple

COMMANDS: Final = (
    "trust",
    "enable",
    "key",
    "receipt sign",
    "policy pin",
    "pins approve",
    "unwrap",
    "amber on",
    "codewhale trust",
    "codewhale enable",
)
"""What only a person shall type."""


class Guard(NamedTuple):
    """What one client's settings need."""

    client: str
    file: str
    """Where it goes, in the repository or the home."""
    text: str
    note: str = ""


def build_guards() -> tuple[Guard, ...]:
    """Return the deny rules of each client that has any."""
    return (_claude(), _codex(), _gemini(), _cursor())


def _claude() -> Guard:
    """Return rules by prefix, and by a wildcard for an interpreter or a path in front."""
    rules = [f'"Bash({rule})"' for command in COMMANDS for rule in (f"plugseal {command}:*", f"*plugseal {command} *")]
    rows = ",\n      ".join(rules)
    text = f'{{\n  "permissions": {{\n    "deny": [\n      {rows}\n    ]\n  }}\n}}\n'
    return Guard("claude-code", ".claude/settings.json", text, "managed settings can't be changed by the agent")


def _codex() -> Guard:
    rows = []
    for command in COMMANDS:
        words = ", ".join(f'"{word}"' for word in ("plugseal", *command.split()))
        rows.append(f'prefix_rule(pattern = [{words}], decision = "forbidden")\n')
    return Guard("codex", "~/.codex/rules/plugseal.rules", "".join(rows))


def _gemini() -> Guard:
    rows = []
    for command in COMMANDS:
        rows.append(
            '[[rule]]\ntoolName = "run_shell_command"\n'
            f'commandPrefix = "plugseal {command}"\ndecision = "deny"\npriority = 999\n'
        )
    return Guard("gemini", "~/.gemini/policies/plugseal.toml", "\n".join(rows))


def _cursor() -> Guard:
    rows = ",\n      ".join(f'"Shell(plugseal:{command}*)"' for command in COMMANDS)
    text = f'{{\n  "permissions": {{\n    "deny": [\n      {rows}\n    ]\n  }}\n}}\n'
    return Guard("cursor", ".cursor/cli.json", text)

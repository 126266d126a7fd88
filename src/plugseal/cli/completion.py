"""Completion for bash, zsh and fish, made from the table of commands: words of ours alone, and files."""

from __future__ import annotations

from typing import Final

from plugseal.cli.commands.table import COMMANDS
from plugseal.cli.parser import COMMON, Command
from plugseal.errors import UsageError

SHELLS: Final = ("bash", "zsh", "fish")


def render_completion(shell: str) -> str:
    """Return the text that a shell sources.

    Raises:
        UsageError: there is none for that shell.
    """
    if shell not in SHELLS:
        raise UsageError(f"there is no completion for `{shell}`", hint="one of `bash`, `zsh`, `fish`")
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _words_of(command: Command) -> str:
    options = (*command.options, *COMMON)
    return " ".join(name for option in options for name in option.names if name.startswith("--"))


def _firsts() -> str:
    return " ".join(dict.fromkeys(command.name.partition(" ")[0] for command in COMMANDS))


def _groups() -> dict[str, list[str]]:
    """Return what may follow each beginning of a command of several words."""
    found: dict[str, list[str]] = {}
    for command in COMMANDS:
        words = command.name.split(" ")
        for length in range(1, len(words)):
            below = found.setdefault(" ".join(words[:length]), [])
            if words[length] not in below:
                below.append(words[length])
    return found


def _bash() -> str:
    rows = [f'    "{command.name}") words="{_words_of(command)}" ;;' for command in COMMANDS]
    groups = [f'    "{begun}") next="{" ".join(words)}" ;;' for begun, words in _groups().items()]
    return "\n".join(
        [
            "_plugseal() {",
            '  local words="" next="" begun="${COMP_WORDS[1]}" at=2 current="${COMP_WORDS[COMP_CWORD]}"',
            '  if [ "$COMP_CWORD" -eq 1 ]; then',
            f'    COMPREPLY=($(compgen -W "{_firsts()}" -- "$current"))',
            "    return",
            "  fi",
            "  while :; do",
            '  next=""',
            '  case "$begun" in',
            *groups,
            "  esac",
            '  if [ "$COMP_CWORD" -eq "$at" ] && [ -n "$next" ]; then',
            '    COMPREPLY=($(compgen -W "$next" -- "$current"))',
            '    [ "${#COMPREPLY[@]}" -gt 0 ] && return',
            "  fi",
            '  if [ -z "$next" ] || [ "$COMP_CWORD" -le "$at" ]; then break; fi',
            '  begun="$begun ${COMP_WORDS[$at]}" at=$((at + 1))',
            "  done",
            '  case "$begun" in',
            *rows,
            "  esac",
            '  case "$current" in',
            '    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;',
            "    *) compopt -o default 2>/dev/null; COMPREPLY=() ;;",
            "  esac",
            "}",
            "complete -F _plugseal plugseal",
            "",
        ]
    )


def _zsh() -> str:
    return "#compdef plugseal\nautoload -U +X bashcompinit && bashcompinit\n" + _bash()


def _fish() -> str:
    rows = ["complete -c plugseal -f -n __fish_use_subcommand -a '" + _firsts() + "'"]
    for begun, words in _groups().items():
        rows.append(f"complete -c plugseal -n '__fish_seen_subcommand_from {begun}' -a '{' '.join(words)}'")
    for command in COMMANDS:
        first = command.name.partition(" ")[0]
        names = [n[2:] for o in (*command.options, *COMMON) for n in o.names if n.startswith("--")]
        rows += [f"complete -c plugseal -n '__fish_seen_subcommand_from {first}' -l {name}" for name in names]
    return "\n".join(dict.fromkeys(rows)) + "\n"

"""The part of `docs/reference/cli.md` that is made from the table of commands; a test compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plugseal.cli.commands.table import COMMANDS
from plugseal.cli.help import help_of, spelling_of, usage_of
from plugseal.cli.parser import COMMON, Argument, Command, Option

BEGIN = "<!-- made by `python -m plugseal.cli.reference_page`; a test compares -->\n"
END = "<!-- end of what is made -->\n"


def render_commands_page() -> str:
    """Return the Markdown of all commands, between its marks."""
    parts = [BEGIN]
    for command in COMMANDS:
        parts += _command(command)
    parts += ["\n### Options of every command\n", *_options(COMMON), "\n", END]
    return "".join(parts)


def _command(command: Command) -> Iterator[str]:
    """Yield the section of one command, without an empty line at its end."""
    yield f"\n### `{command.name}`\n\n"
    yield "".join(f"{sentence}\n" for sentence in _sentences(command.about))
    yield f"\n```sh\n{usage_of(command)}\n```\n"
    if command.arguments:
        yield from _arguments(command.arguments)
    if command.options:
        yield from _options(command.options)
    if command.examples:
        yield "\n" + "".join(f"- `{_cell(typed)}`: {does}\n" for typed, does in command.examples)


def _arguments(arguments: Sequence[Argument]) -> Iterator[str]:
    yield "\n| argument | meaning |\n|---|---|\n"
    for argument in arguments:
        default = f" (default: `{argument.default}`)" if argument.default else ""
        yield f"| `{argument.name}` | {argument.help}{default} |\n"


def _options(options: Sequence[Option]) -> Iterator[str]:
    yield "\n| option | meaning |\n|---|---|\n"
    for option in options:
        yield f"| `{spelling_of(option).strip()}` | {_cell(help_of(option))} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sentences(text: str) -> list[str]:
    """Return one sentence a line, as our pages have them."""
    return text.replace(". ", ".\n").split("\n")


if __name__ == "__main__":
    print(render_commands_page(), end="")

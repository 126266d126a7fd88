"""What those who judge one script share: its words as they are folded, its report, and what was seen of it so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugseal.lang.programs.memo import tell

if TYPE_CHECKING:
    from plugseal.lang.shell.judging.report import Report
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.parsing.scanning import Word
    from plugseal.lang.shell.parsing.script import Command, Script
    from plugseal.lang.shell.words.words import Folder


class Subject:
    """One script that is being judged."""

    def __init__(self, script: Script, folder: Folder, report: Report) -> None:
        self.script = script
        self.source = script.source
        self.folder = folder
        self.report = report
        self.calls: dict[str, set[str]] = {"": set()}
        """Functions by the functions that call them; the script's own top under the empty name."""
        self.sources_others = False
        """Whether another file is read into this one."""
        self.fetched: dict[str, str | None] = {}
        """Files that were downloaded, with the host."""
        self._lists: dict[int, list[list[Word]]] = {}
        self._names: dict[int, tuple[str, ...]] = {}

    def function(self, block: int) -> str:
        """Return the function that a block belongs to, empty for none."""
        return self.script.blocks[block].function

    def lists_of(self, command: Command) -> list[list[Word]]:
        """Return the words of a command: few alternatives, each a list."""
        found = self._lists.get(command.start)
        if found is None:
            found = self._lists[command.start] = self.folder.lists(command)
        return found

    def texts_of(self, command: Command) -> tuple[str, ...]:
        """Return the words of a command as texts, those that it most likely has."""
        plain = self.folder.plain(command)
        return plain if plain is not None else tuple([word.text for word in self.lists_of(command)[0]])

    def names_of(self, command: Command) -> tuple[str, ...]:
        """Return the programs of a command, outermost first."""
        found = self._names.get(command.start)
        if found is None:
            found = self._names[command.start] = tuple([one.name for one in tell(self.texts_of(command)).started])
        return found

    def operator(self, redirect: Node) -> str:
        """Return the sign of a redirection, without the number before it."""
        target = redirect.child_by_field_name("destination")
        end = target.start_byte if target is not None else redirect.end_byte
        return self.source.text(redirect.start_byte, end).strip().lstrip("0123456789").strip()

    def operand(self, redirect: Node) -> str:
        """Return what stands behind the sign of a redirection, as it is written."""
        target = redirect.child_by_field_name("destination")
        return self.source.of(target) if target is not None else ""

    def is_herestring(self, redirect: Node) -> bool:
        """Say whether a redirection is `<<<`, which the grammar takes apart behind another one, or a number."""
        before = self.source.data[max(0, redirect.start_byte - 2) : redirect.start_byte]
        return before == b"<<" or self.operator(redirect) == "<<<"

    def call(self, block: int, name: str) -> None:
        """Note that a function is called."""
        self.calls.setdefault(self.function(block), set()).add(name)

"""The examples of a rule: text in which a mark names the line where rules are expected to fire.

A mark is `# expect: <id>[, <id>]` or `// expect: …` at the end of a line. It is cut off before the text is scanned,
so JSON examples stay JSON; lines and columns of everything else stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.rules.rule import Example

_MARK: Final = lazy(r"(?<![ \t])[ \t]*(?:#|//)[ \t]*expect:[ \t]*([a-z0-9-]+(?:[ \t]*,[ \t]*[a-z0-9-]+)*)[ \t]*$")


class Marked(NamedTuple):
    """An example's text without its marks, and what they said."""

    text: str
    expected: tuple[tuple[int, str], ...]
    """Sorted (1-based line, rule id)."""

    def rules(self) -> frozenset[str]:
        """Return the ids that are expected anywhere."""
        return frozenset(rule for _, rule in self.expected)


def parse_marks(text: str) -> Marked:
    """Cut the marks from an example's text."""
    lines: list[str] = []
    expected: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        found = _MARK.search(line)
        if found:
            expected += [(number, rule.strip()) for rule in found[1].split(",")]
            line = line[: found.start()]
        lines.append(line)
    return Marked("\n".join(lines), tuple(sorted(expected)))


def build_examples(document: Mapping[str, Any]) -> tuple[Example, ...]:
    """Return the examples of a validated rule document, in its order."""
    return tuple(
        Example(
            name=table["name"],
            code=table["code"],
            file=table.get("file", ""),
            more=tuple(sorted(table.get("more", {}).items())),
        )
        for table in document["example"]
    )

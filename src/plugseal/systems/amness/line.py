"""The line that Amness shows for each plugin file before it asks for approval, made from plugseal's own facts.

Amness searches the source for words; the seven things it looks for are the same here, but what is told rests on what
readers understood. A file that was not read is never called harmless.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

_THINGS: Final = (
    ("runs shell commands", frozenset({"process.exec", "process.shell"})),
    ("uses the network", frozenset({"net.outbound", "net.listen", "code.fetched"})),
    ("writes files", frozenset({"fs.write", "fs.delete", "fs.meta", "persistence"})),
    ("reads files", frozenset({"fs.read", "credentials.read"})),
    ("reads environment variables", frozenset({"env.read", "env.bulk", "env.write"})),
    (
        "runs generated code",
        frozenset({"code.dynamic", "code.import", "code.reflective", "code.obfuscated", "code.deserialize"})
        | frozenset({"code.native"}),
    ),
    ("uses paths outside the project", frozenset({"path.outside"})),
)
_ELSEWHERE: Final = "; loads code from outside the plugin"
NOTHING_FOUND: Final = "no shell, network, file or environment access found"


def scan_line(file: str, capabilities: Collection[str], unread: str | None) -> str:
    """Return the line of one file.

    Args:
        file: the plugin file's name.
        capabilities: what facts in it say that it can do.
        unread: why it was not read in full, None if it was.
    """
    found = [words for words, names in _THINGS if not names.isdisjoint(capabilities)]
    elsewhere = _ELSEWHERE if "code.unbound" in capabilities else ""
    if unread is None:
        return f"{file}: {', '.join(found) or NOTHING_FOUND}{elsewhere}"
    rest = f"; at least it {', '.join(found)}" if found else ""
    return f"{file}: not read ({unread}), so anything is possible{rest}{elsewhere}"

"""One line that something gives to a shell, read as exactly as a script: for manifests, hooks and tasks."""

from __future__ import annotations

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.shell.reader import read_shell


def read_line(line: str, *, path: str = "") -> FileFacts:
    """Return what one line of shell does.

    Args:
        line: as a shell would be given it.
        path: of the file that holds it, below the scanned root; the line's own folder is that file's.
    """
    return read_shell(line.encode("utf-8", "surrogatepass"), Context(path, Interest()))

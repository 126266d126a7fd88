"""The path gate that lingtai puts before `command`, `cwd` and each of `args`, with what it gets wrong (4.1 there).

What begins with `${PLUGIN_ROOT}` (a slash after it or not), begins with `./`, or is relative with a `..` part is
resolved against the root, links followed, must stay inside, and is rewritten to an absolute path; all else passes
untouched. Here the root is the word `<root>`, so that a verdict is the same wherever the plugin lies. What the gate
would refuse on one system alone counts as refused: a verdict is the same for all of them.

See: https://github.com/Lingtai-AI/lingtai-kernel/blob/main/src/lingtai/services/plugin_registry.py
"""

from __future__ import annotations

from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.agent_plugins.paths import resolve_inside
from plugseal.systems.system import Listing

ROOT = "<root>"
"""Stands for the plugin's real root in all that lingtai would write."""
_PLACEHOLDER = "${PLUGIN_ROOT}"
_NO_PATH = lazy(r"[=:,;@ $]|\A-")
"""In the part before the first slash: the word is no path, or not only one."""
_DRIVE = lazy(r"[A-Za-z]:[/\\]")


class Gated(NamedTuple):
    """What the gate makes of one value."""

    becomes: str | None
    """None where the server is skipped."""
    why: str = ""
    """Why it is skipped, else what is wrong with the rewriting; empty where nothing is."""
    crashes: bool = False
    """Say that lingtai ends with an exception that nothing catches."""


def gate(listing: Listing, root: str, value: str) -> Gated:
    """Return what lingtai's path gate makes of a command, a working directory or an argument."""
    candidate = _candidate(value)
    if candidate is None:
        return _passed(listing, root, value)
    if "\0" in value:
        return Gated(None, "holds NUL, on which lingtai's resolving raises ValueError", crashes=True)
    inner = resolve_inside(listing, root, candidate.removeprefix("./"))
    if inner is None:
        declared = "" if candidate == value else f" (declared as {value!a})"
        return Gated(None, f"plugin-relative path escapes plugin root: {candidate!a}{declared}")
    becomes = f"{ROOT}/{inner}" if inner else ROOT
    return Gated(becomes, _wrong(value))


def _candidate(value: str) -> str | None:
    """Return the path that is resolved, beginning with `./`, or None where the value passes untouched."""
    if value.startswith(_PLACEHOLDER):
        return "./" + value.removeprefix(_PLACEHOLDER).lstrip("/")
    if value.startswith("./"):
        return value
    if not value.startswith("/") and ".." in value.split("/"):
        return f"./{value}"
    return None


def _wrong(value: str) -> str:
    first = value.partition("/")[0]
    if value.startswith((_PLACEHOLDER, "./")) or not _NO_PATH.search(first):
        return ""
    return "rewritten wrongly: the whole word is taken for a path, and what stands before the first slash is lost"


def _passed(listing: Listing, root: str, value: str) -> Gated:
    """Return a value that passes on Linux, unless Windows takes its backslashes for a way out."""
    if value.startswith("/") or _DRIVE.match(value):
        return Gated(value)
    windows = value.replace("\\", "/")
    if ".." in windows.split("/") and resolve_inside(listing, root, windows) is None:
        return Gated(None, f"plugin-relative path escapes plugin root: {value!a} (on Windows; elsewhere it passes)")
    if "/" in value and resolve_inside(listing, root, value) is None:
        return Gated(value, "passes unchecked although a link on it leads out of the plugin or in a circle")
    return Gated(value)

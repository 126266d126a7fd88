"""Files that tell git how to check a tree out: attributes by which others get other bytes, modules that are not here.

What is judged is what lies in the folder. A filter that is set up on one machine and not on another, an encoding or an
identifier that git puts in at checkout make that differ from what people run: such a file is `unread` with its reason.
Line endings are the same in every checkout of one tree, and large files that were not fetched are pointers, which are
`unread` themselves.
"""

from __future__ import annotations

from typing import Final

from plugseal.model.tree import EntryKind
from plugseal.systems.system import Listing

ATTRIBUTES: Final = ".gitattributes"
MODULES: Final = ".gitmodules"
_LARGE_FILES: Final = "lfs"
_MAX_LINES: Final = 10_000


def judge_git_file(path: str, data: bytes) -> str | None:
    """Return why a file of git's leaves a tree unread, empty where it does not, None for any other file.

    Args:
        path: below the scanned root.
        data: all of its bytes.
    """
    name = path.rpartition("/")[2]
    if name == MODULES:
        return ""
    return _judge_attributes(data) if name == ATTRIBUTES else None


def missing_modules(listing: Listing) -> dict[str, str]:
    """Return the submodules of which no file is in the tree, with the reason why they are unread."""
    missing: dict[str, str] = {}
    for path, data in listing.kept.items():
        root, _, name = path.rpartition("/")
        if name != MODULES:
            continue
        from plugseal.systems.repository.git_config import parse_git_config  # most trees have no submodules

        for setting in parse_git_config(data):
            if setting.name.startswith("submodule.") and setting.name.endswith(".path"):
                place = f"{root}/{setting.value}".strip("/")
                if _is_empty(listing, place):
                    missing[place] = "submodule whose files are not here"
    return missing


def _is_empty(listing: Listing, place: str) -> bool:
    entry = listing.entries.get(place)
    return entry is None or (entry.kind is EntryKind.DIRECTORY and not listing.children.get(place))


def _judge_attributes(data: bytes) -> str:
    lines = data.decode("utf-8", "replace").splitlines()
    if len(lines) > _MAX_LINES:
        return f"more than {_MAX_LINES:,} lines of attributes"
    for line in lines:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        for word in words[1:]:
            name, _, value = word.partition("=")
            if name == "filter" and value != _LARGE_FILES:
                return f"a filter changes files at checkout: `{word}`"
            if name == "working-tree-encoding" or word == "ident":
                return f"git changes files at checkout: `{word}`"
    return ""

"""Judge names and measures: what makes a tree unfit for a receipt before any byte of a file is looked at.

Rules: names are judged a directory at a time, since most directories hold nothing to say and are passed in a few
operations; the fast pass accepts only what the slow one would. Never touches the disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plugseal import limits, names
from plugseal.encode.treehash import MEASURE_CODES, find_excesses
from plugseal.intake.faults import fault, path_bytes
from plugseal.model.tree import Entry, Fault

_FORBIDDEN: Final = frozenset('<>:"|?*\\')
_PLAIN: Final = frozenset(chr(c) for c in range(0x20, 0x7F)) - _FORBIDDEN - {"/", "~"} | {"\n"}
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [port + digit for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
_ODD_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def check_names(directory: str, children: Sequence[str]) -> list[Fault]:
    """Return the faults of the names in one directory.

    Args:
        directory: the directory's path, empty for the root.
        children: the names in it, surrogate escapes for what is not UTF-8.
    """
    if _all_plain(children):
        return []
    prefix = directory + "/" if directory else ""
    found = [
        fault(prefix + child, code, detail) for child in children for code, detail in _check_name(child, directory)
    ]
    found.extend(_collisions(prefix, children))
    return found


def _all_plain(children: Sequence[str]) -> bool:
    joined = "\n".join(children)
    if not _PLAIN.issuperset(joined) or joined.count("\n") != len(children) - 1 or not joined:
        return False
    lowered = joined.lower()
    if ".\n" in joined or " \n" in joined or joined[-1] in ". " or ".git" in lowered:
        return False
    low = lowered.split("\n")
    if len(set(low)) != len(low) or len(max(low, key=len)) > limits.MAX_NAME_BYTES:
        return False
    return _DEVICES.isdisjoint([child.partition(".")[0].rstrip() for child in low])


def _check_name(child: str, directory: str) -> Iterator[tuple[str, str]]:
    raw = path_bytes(child)
    if len(raw) > limits.MAX_NAME_BYTES:
        yield "name-too-long", f"{len(raw)} bytes"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        yield "not-utf-8", ""
        return
    if odd := next((c for c in child if _is_odd(c)), None):
        yield "odd-character", f"U+{ord(odd):04X}"
    if not names.is_nfc(child):
        yield "not-nfc", ""
    if wrong := sorted(_FORBIDDEN.intersection(child)):
        yield "forbidden-character", " ".join(wrong)
    if child.endswith((".", " ")):
        yield "trailing-dot-or-space", ""
    folded = names.casefold(child)
    if folded.partition(".")[0].rstrip() in _DEVICES:
        yield "device-name", ""
    if child == ".git" and directory:
        yield "nested-git", ""
    elif _is_git(folded):
        yield "git-name", ""


def _is_odd(character: str) -> bool:
    if character.isascii():
        return not " " <= character <= "~"
    category = names.category(character)
    return category in _ODD_CATEGORIES or category == "Zs"


def _is_git(folded: str) -> bool:
    # NTFS and HFS+ drop trailing dots, spaces and streams, and ignore format characters; `git~1` is the 8.3 name.
    bare = "".join(c for c in folded if c.isascii() or not _is_odd(c)).partition(":")[0].rstrip(". ")
    return bare == ".git" or (bare.startswith("git~") and bare[4:].isdecimal())


def _collisions(prefix: str, children: Sequence[str]) -> Iterator[Fault]:
    # Looking at one directory at a time is enough: the first parts in which two whole paths differ are siblings.
    first: dict[str, str] = {}
    for child in sorted(children, key=path_bytes):
        other = first.setdefault(names.collision_key(child), child)
        if other != child:
            yield fault(prefix + other, "case-collision", child)
            yield fault(prefix + child, "case-collision", other)


def check_measures(entries: Sequence[Entry]) -> list[Fault]:
    """Return the faults of a tree's depth, paths, number of entries and bytes."""
    return [fault(path, code, detail) for path, code, detail in find_excesses(entries)]


def without_measures(faults: Iterable[Fault]) -> list[Fault]:
    """Return the faults that no measure made: a sub-tree is measured anew."""
    return [f for f in faults if f.code not in MEASURE_CODES]


def in_tree_order(entries: list[Entry]) -> list[Entry]:
    """Return the entries sorted by the bytes of their paths."""
    if "".join([entry.path for entry in entries]).isascii():
        return sorted(entries, key=_path)
    return sorted(entries, key=lambda entry: path_bytes(entry.path))


def _path(entry: Entry) -> str:
    return entry.path

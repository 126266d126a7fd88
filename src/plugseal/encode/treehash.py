"""The tree manifest `plugin-tree-manifest/v1`, the content receipt over it, and Go's `h1:` beside it.

    plugin-tree-manifest/v1 LF
    (d SP - SP - SP - SP path LF | f SP (x|-) SP size SP sha256 SP path LF)*    by the bytes of the whole path
    end SP files SP directories SP bytes LF

The content receipt is the SHA-256 of these bytes, so `sha256sum` of the exported file is the receipt. Rules: fields
of a fixed alphabet first and the path last, so nothing in a name can imitate a line; every entry counts, there is no
ignore list; where the system has no executable bit the header says `noexec`, so that such a receipt can never equal
a full one. Never hashes what it can't represent.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from operator import lt
from typing import Final

from plugseal import limits
from plugseal.encode.rows import HEADER as HEADER
from plugseal.encode.rows import file_line, folder_line, last_line
from plugseal.errors import TreeRefusedError
from plugseal.model.tree import Entry, EntryKind, Tree

MEASURE_CODES: Final = frozenset({"path-too-long", "too-deep", "too-many-entries", "tree-too-large"})
"""The codes of faults that `find_excesses` finds."""
HAS_EXECUTABLE_BITS: Final = os.name != "nt"


def build_manifest(tree: Tree, *, executable_bits: bool = HAS_EXECUTABLE_BITS) -> bytes:
    """Return the manifest's bytes.

    Args:
        tree: what `verify_representable` returned.
        executable_bits: whether the system that was read has them.

    Raises:
        TreeRefusedError: the tree has faults, or entries that no manifest can hold.
    """
    return "".join(_lines(tree, executable_bits)).encode("utf-8")


def content_receipt(tree: Tree, *, executable_bits: bool = HAS_EXECUTABLE_BITS) -> str:
    """Return the content receipt, 64 hexadecimal digits.

    Raises:
        TreeRefusedError: as `build_manifest`.
    """
    return hashlib.sha256(build_manifest(tree, executable_bits=executable_bits)).hexdigest()


def find_content_receipt(tree: Tree) -> str | None:
    """Return the content receipt of a tree or a part of one, None where it can have none.

    A part is measured by itself: what is too deep or too much in the whole need not be so in it.
    """
    own = tree._replace(faults=tuple(f for f in tree.faults if f.code not in MEASURE_CODES))
    try:
        return content_receipt(own)
    except TreeRefusedError:
        return None


def dirhash_h1(tree: Tree) -> str:
    """Return what Go's `dirhash.Hash1` says of the tree's files, `h1:` and base64.

    See: https://pkg.go.dev/golang.org/x/mod/sumdb/dirhash#Hash1

    Raises:
        TreeRefusedError: as `build_manifest`.
    """
    import base64  # asked for by few, and by no start

    _verify_plain(tree)
    lines = "".join([f"{e.digest}  {e.path}\n" for e in tree.entries if e.kind is EntryKind.FILE])
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode("utf-8")).digest()).decode("ascii")


def find_excesses(entries: Sequence[Entry]) -> Iterator[tuple[str, str, str]]:
    """Yield (path, fault code, detail) for each measure of a tree that the format doesn't allow."""
    if len(entries) > limits.MAX_TREE_ENTRIES:
        yield "", "too-many-entries", f"{len(entries):,}"
    total_bytes = sum([entry.size for entry in entries])
    if total_bytes > limits.MAX_TREE_BYTES:
        yield "", "tree-too-large", f"{total_bytes:,} bytes"
    # No path can have too many bytes or parts that is shorter than this.
    shortest = min(limits.MAX_PATH_BYTES // 4, limits.MAX_TREE_DEPTH * 2)
    for path in [entry.path for entry in entries if len(entry.path) > shortest]:
        if len(path.encode("utf-8", "surrogateescape")) > limits.MAX_PATH_BYTES:
            yield path, "path-too-long", ""
        if path.count("/") >= limits.MAX_TREE_DEPTH:
            yield path, "too-deep", ""


def _lines(tree: Tree, executable_bits: bool) -> Iterator[str]:
    _verify_plain(tree)
    yield HEADER + ("\n" if executable_bits else " noexec\n")
    kind_of_files, files, total_bytes = EntryKind.FILE, 0, 0
    for path, kind, size, executable, digest, _ in tree.entries:
        if kind is kind_of_files:
            files += 1
            total_bytes += size
            yield file_line(path, size, digest, executable=executable and executable_bits)
        else:
            yield folder_line(path)
    yield last_line(files, len(tree.entries) - files, total_bytes)


def _verify_plain(tree: Tree) -> None:
    paths = [entry.path for entry in tree.entries]
    reasons = [f"{f.path or '.'}: {f.message} [{f.code}]" for f in tree.faults]
    reasons += [f"{path or '.'}: {code} {detail}".rstrip() for path, code, detail in find_excesses(tree.entries)]
    is_file, is_directory = EntryKind.FILE, EntryKind.DIRECTORY
    reasons += [
        f"{path}: neither a read file nor a directory"
        for path, kind, _, _, digest, _ in tree.entries
        if (digest is None if kind is is_file else kind is not is_directory)
    ]
    # Names were judged by intake; this keeps a line's framing whatever a caller hands in.
    if not _is_printable("".join(paths)):
        reasons += [f"{path}: not printable" for path in paths if not _is_printable(path)]
    # Without surrogates the order of code points is that of the bytes of UTF-8.
    if not all(map(lt, paths, paths[1:])):
        reasons.append("the entries are not in order, or not unique")
    if reasons:
        raise TreeRefusedError("this tree can have no receipt", place=tree.name, details=reasons)


def _is_printable(text: str) -> bool:
    if text.isascii():
        return text.isprintable()
    return not any(c < " " or "\x7f" <= c < "\xa0" or "\ud800" <= c < "\ue000" for c in text)

"""What a list of Ruby's packages takes from elsewhere, and what an install builds: Gemfiles, Podfiles and gemspecs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.recipes.sources import host_of, is_usual, source_address

if TYPE_CHECKING:
    from plugseal.lang.scripts.parse import Node
    from plugseal.lang.scripts.values import Values

_FILES: Final = ("gemfile", "gems.rb", "podfile")
_ASKS: Final = frozenset(("gem", "pod", "source", "git", "git_source"))
_PLACES: Final = frozenset(("git", "github", "gist", "bitbucket", "gitlab", "source", "svn", "hg", "http", "podspec"))


def is_list_of_packages(path: str) -> bool:
    """Say whether a file lists packages for Bundler or CocoaPods, or describes one."""
    name = path.rpartition("/")[2].lower()
    return name in _FILES or name.endswith(".gemspec")


def said_of_packages(node: Node, name: str, given: list[Node], values: Values) -> Iterator[tuple[str, str | None]]:
    """Yield (capability, object) of one call of such a list.

    Args:
        node: the call.
        name: of what is called.
        given: its arguments.
        values: of the file.
    """
    del node
    if name not in _ASKS or not given:
        return
    addresses = [values.value(given[0]).text] if name in ("source", "git") else []
    for one in given[1:]:
        if one.type != "pair" or one.named_child_count < 2:
            continue
        key, value = one.named_children[0], one.named_children[1]
        word = (key.text or b"").decode("utf-8", "replace").strip(":'\" ")
        text = values.value(value).text
        if word in _PLACES:
            short = f"{word}:{text}" if word in ("github", "gist", "bitbucket", "gitlab") else text
            addresses.append(source_address(short) if short is not None and text is not None else None)
    for address in addresses:
        if address is not None and (is_usual(address) or "://" not in address):
            continue
        known = address if address is not None and HOLE not in address else None
        yield "net.outbound", host_of(known) if known is not None else None
        yield "code.fetched", known[:256] if known is not None else None
        yield "autorun", known[:256] if known is not None else None


def extensions_of(left: Node, right: Node, values: Values) -> Iterator[tuple[str, str | None]]:
    """Yield (capability, object) of what a package builds when it is installed: `spec.extensions = [...]`."""
    if not (left.text or b"").endswith(b".extensions"):
        return
    for item in right.named_children if right.type in ("array", "string_array") else [right]:
        text = values.value(item).text
        if text is None and right.type == "string_array":
            text = (item.text or b"").decode("utf-8", "replace")
        yield "autorun", text
        yield "code.native", text

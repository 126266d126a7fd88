"""What `$(…)` and backquotes stand for, where the text of the script alone tells it."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from plugseal.lang.folded import HOLE
from plugseal.lang.shell.words.decoders import as_utf8, is_decoder, printed
from plugseal.lang.shell.words.escapes import unescape_ansi
from plugseal.lang.shell.words.marks import DISGUISED, OWN, RESOLVED, ROOT
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.shell.parsing.parse import Node
    from plugseal.lang.shell.words.folding import Folding

_OWN_FOLDER: Final = lazy(r"dirname\b[^|;]*(?:\$0|\$\{0|BASH_SOURCE|\(%\):-%x|ZSH_SOURCE|ZSH_ARGZERO)")
_OWN_CUT: Final = lazy(r"\bcd\b[^|;]*\$\{(?:BASH_SOURCE(?:\[0\])?|0)%/\*\}")
_MAX_EITHER: Final = 6
_MAX_OWN: Final = 512
"""Bytes of a substitution that are looked at for the folder of the script."""
_UP: Final = lazy(r"/\.\.")
_PWD: Final = lazy(r"pwd(?:[ \t]+-[LP])?")
_SIMPLE: Final = frozenset(("command", "redirected_statement"))
_MUTE: Final = frozenset("cd true : set mkdir touch export rm cp mv chmod test [ sleep umask".split())
"""Commands that print nothing where they succeed."""
_FINDERS: Final = frozenset(("which", "command", "type", "whence", "realpath", "readlink", "greadlink", "cygpath"))


class Substitutions:
    """The substitutions of one script."""

    def __init__(self, folder: Folding) -> None:
        self._folder = folder

    def fold(self, node: Node, block: int, depth: int) -> list[tuple[str, int]]:
        """Return what a substitution stands for; a hole where that is not known."""
        statements = [child for child in node.named_children if child.type != "comment"]
        if len(statements) != 1:
            return [(HOLE, RESOLVED)]
        text = self._folder.source.text(node.start_byte, min(node.end_byte, node.start_byte + _MAX_OWN))
        if ("dirname" in text and _OWN_FOLDER.search(text)) or ("%/*" in text and _OWN_CUT.search(text)):
            climbs = len(_UP.findall(text)) + max(0, text.count("dirname") - 1)
            return [(OWN + "/.." * climbs, 0)]
        changed = self._changed_to(statements[0], block, depth)
        if changed is not None:
            return [changed]
        either = self._either(statements[0], block, depth)
        if either:
            return either
        found, flags = self.evaluate(statements[0], block, None, depth + 1)
        return [(HOLE if found is None else found.rstrip("\n"), flags | RESOLVED)]

    def _either(self, node: Node, block: int, depth: int) -> list[tuple[str, int]]:
        """Return what the commands of `which a || which b` print, of which the first that succeeds is the value."""
        found: list[tuple[str, int]] = []
        while node.type == "list" and node.named_child_count == 2 and len(found) < _MAX_EITHER:
            node, last = node.named_children
            if self._folder.source.text(node.end_byte, last.start_byte).strip() != "||":
                return []
            text, flags = self.evaluate(last, block, None, depth + 1)
            if text is None:
                return []
            found.append((text.rstrip("\n"), flags | RESOLVED))
        text, flags = self.evaluate(node, block, None, depth + 1) if found else (None, 0)
        return [(text.rstrip("\n"), flags | RESOLVED), *reversed(found)] if text is not None else []

    def _changed_to(self, node: Node, block: int, depth: int) -> tuple[str, int] | None:
        """Return the folder of `cd "$own/../.." && pwd`, None for anything else and for one that is not known."""
        if node.type != "list" or len(node.named_children) != 2:
            return None
        first, last = node.named_children
        source = self._folder.source
        between = source.text(first.end_byte, last.start_byte).strip()
        if between != "&&" or _PWD.fullmatch(source.of(last)) is None or first.type not in _SIMPLE:
            return None
        words = self._words(first.named_children[0] if first.type == "redirected_statement" else first, block, depth)
        texts = [text for text, _ in words if text != "--"]
        if len(texts) != 2 or texts[0] != "cd" or not texts[1].startswith((OWN, ROOT, "/", "~")) or HOLE in texts[1]:
            return None
        return texts[1], words[-1][1] | RESOLVED

    def printed(self, node: Node, block: int, depth: int) -> list[tuple[str, int]]:
        """Return what one command prints."""
        found, flags = self.evaluate(node, block, None, depth + 1)
        return [(HOLE if found is None else found, flags | RESOLVED)]

    def evaluate(self, node: Node, block: int, given: str | None, depth: int) -> tuple[str | None, int]:
        """Return what a statement prints, None where that is not known, and how well it was hidden.

        Args:
            node: a command, a pipeline, or one of these with redirections.
            block: where it stands.
            given: what it reads.
            depth: how deep it stands in other words.
        """
        if depth > 12:
            return None, 0
        flags = 0
        if node.type == "pipeline":
            for child in node.named_children:
                given, more = self.evaluate(child, block, given, depth + 1)
                flags |= more
            return given, flags
        if node.type == "redirected_statement":
            body = self._last_printing(node.named_children[0])
            return self.evaluate(body, block, self._redirected(node, block, given, depth), depth + 1)
        if node.type != "command":
            return None, 0
        text = self._redirected(node, block, given, depth)
        words = self._words(node, block, depth)
        return self._printed(words, text, node)

    def _last_printing(self, node: Node) -> Node:
        """Return the last of a list of commands where those before it print nothing: `cd a && cat <<E`."""
        while node.type == "list" and node.named_child_count == 2:
            before, last = node.named_children
            name = before.named_children[0] if before.type == "command" and before.named_child_count else before
            if before.type not in ("test_command", "variable_assignment") and self._folder.source.of(name) not in _MUTE:
                return node
            node = last
        return node

    def _printed(self, words: list[tuple[str, int]], given: str | None, node: Node) -> tuple[str | None, int]:
        texts = [text for text, _ in words]
        if not texts:
            return None, 0
        flags = 0
        for _, more in words:
            flags |= more
        name = texts[0].rpartition("/")[2]
        if name == "mktemp":
            return "/tmp/" + HOLE, 0  # noqa: S108  # nosec B108  # a text, no file
        if name == "pwd":
            return ".", 0
        if name == "git" and texts[1:3] == ["rev-parse", "--show-toplevel"]:
            return ".", 0
        plain = [text for text in texts[1:] if not text.startswith("-")]
        if name in _FINDERS and len(plain) == 1:
            return plain[0], flags
        if name == "basename" and plain:
            return posixpath.basename(plain[0].rstrip("/")), flags
        if name == "dirname" and len(plain) == 1:
            path = plain[0].rstrip("/")
            if path == OWN or path.endswith("/.."):
                return f"{path}/..", flags
            return posixpath.dirname(path) or ".", flags
        found = printed(texts, given)
        if found is not None and (is_decoder(texts) or (name in ("printf", "echo") and _hides(node, self._folder))):
            return as_utf8(found), flags | DISGUISED
        return found, flags

    def _words(self, node: Node, block: int, depth: int) -> list[tuple[str, int]]:
        kinds = ("variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect", "comment")
        return [
            self._folder.fold(child, block, depth + 1)[0]
            for child in node.named_children[:256]
            if child.type not in kinds
        ]

    def _redirected(self, node: Node, block: int, given: str | None, depth: int) -> str | None:
        """Return what a statement reads by its own redirections, else what it is given."""
        for child in node.named_children:
            if child.type == "herestring_redirect" and child.named_children:
                return self._folder.fold(child.named_children[-1], block, depth + 1)[0][0] + "\n"
            if child.type == "heredoc_redirect":
                return self.heredoc(child, block, depth)
        return given

    def heredoc(self, node: Node, block: int, depth: int) -> str | None:
        """Return the text of a here-document; what is put in at run time is a hole."""
        folder, source = self._folder, self._folder.source
        start = next((child for child in node.named_children if child.type == "heredoc_start"), None)
        body = next((child for child in node.named_children if child.type == "heredoc_body"), None)
        if body is None or start is None:
            return None
        if body.start_byte == body.end_byte:
            return self._untold(node, start)
        if any(mark in source.of(start) for mark in "'\"\\"):
            return source.of(body)
        found, at = "", body.start_byte
        for child in body.named_children:
            if child.type in ("simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"):
                found += source.text(at, child.start_byte) + folder.fold(child, block, depth + 1)[0][0]
                at = child.end_byte
        text = found + source.text(at, body.end_byte)
        return text.replace("\\$", "$").replace("\\`", "`").replace("\\\\", "\\") if "\\" in text else text

    def _untold(self, node: Node, start: Node) -> str:
        """Return the text of a here-document where the grammar sees none: one that begins with a backslash."""
        source = self._folder.source
        end = next((child for child in node.named_children if child.type == "heredoc_end"), None)
        begin = source.data.find(b"\n", start.end_byte) + 1
        return source.text(begin, end.start_byte) if end is not None and 0 < begin < end.start_byte else ""


def _hides(node: Node, folder: Folding) -> bool:
    """Say whether a command that prints has escapes for letters in its words."""
    return unescape_ansi(folder.source.of(node))[1]

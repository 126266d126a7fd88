"""What earlier scans found in single files: the same bytes at the same path need not be read again.

An entry's key holds everything that its outcome depends on: the file's digest and path, the reader's language, the
rules, our own code, the Unicode version. A Python file's facts depend on the names of the tree's own modules too: an
entry notes which names its reader asked for, and counts where every answer would be the same.

Law: with a cache and without, a scan returns the same.
"""

from __future__ import annotations

import hashlib

from plugseal.errors import DataError
from plugseal.scan.kept.checked import as_each, as_row, as_text
from plugseal.scan.kept.outcome import Outcome
from plugseal.scan.kept.store import Store
from plugseal.scan.kept.wire_outcome import parse_outcome, render_outcome
from plugseal.scan.workers.wire import parse_json, render_json


class FileCache:
    """Outcomes of files, for one tree and one set of rules."""

    def __init__(self, store: Store, salt: bytes) -> None:
        """Begin without a listing.

        Args:
            store: where entries lie.
            salt: digest of all that every outcome depends on: our own code, the rules.
        """
        self._store = store
        self._salt = salt
        self._modules: frozenset[str] = frozenset()
        self._all_modules = ""

    def begin(self, modules: frozenset[str]) -> None:
        """Take the names of the tree's own modules."""
        self._modules = modules
        self._all_modules = digest_of_words(*sorted(modules)).hex()

    def key(self, digest: str, path: str, language: str) -> bytes:
        """Return the key of a file's outcome.

        Args:
            digest: SHA-256 of its bytes, in hex.
            path: below the scanned root.
            language: whose reader reads it.
        """
        return digest_of_words("file", digest, path, language, str(bool(self._modules)), salt=self._salt)

    def get(self, key: bytes, path: str) -> Outcome | None:
        """Return what was found in a file when it was last read, None where that is not known or no longer so."""
        data = self._store.get(key)
        if data is None:
            return None
        head, _, body = data.partition(b"\n")
        try:
            return parse_outcome(body, path) if self._is_so(head) else None
        except DataError:
            return None

    def put(self, key: bytes, outcome: Outcome, asked: dict[str, bool] | None) -> None:
        """Keep what was found in a file.

        Args:
            key: of the file.
            outcome: what was found.
            asked: which modules its reader asked for, with the answers; None where that is not known.
        """
        all_modules = self._all_modules if asked is None else ""
        head = render_json([all_modules, *as_row(parse_json(render_asked(asked or {})), 2)])
        self._store.put(key, head + b"\n" + render_outcome(outcome))

    def _is_so(self, head: bytes) -> bool:
        """Say whether every answer that an entry rests on would be the same today.

        Raises:
            DataError: the head is malformed.
        """
        all_modules, present, absent = as_row(parse_json(head), 3)
        if as_text(all_modules):
            return all_modules == self._all_modules
        return self._modules.issuperset(as_each(present, as_text)) and self._modules.isdisjoint(
            as_each(absent, as_text)
        )


def digest_of_words(*words: str, salt: bytes = b"") -> bytes:
    """Return a digest of words, each behind its length so that no two lists of words are alike."""
    digest = hashlib.sha256(salt)
    for word in words:
        data = word.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def render_asked(asked: dict[str, bool] | None) -> bytes:
    """Return which modules were asked for, those that are there and those that are not, as JSON bytes."""
    if asked is None:
        return render_json(None)
    return render_json([sorted(name for name in asked if asked[name] is answer) for answer in (True, False)])


def parse_asked(data: bytes) -> dict[str, bool] | None:
    """Return what `render_asked` wrote.

    Raises:
        DataError: it is anything else.
    """
    value = parse_json(data)
    if value is None:
        return None
    present, absent = as_row(value, 2)
    return {**dict.fromkeys(as_each(present, as_text), True), **dict.fromkeys(as_each(absent, as_text), False)}

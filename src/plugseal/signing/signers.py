"""Who may sign: OpenSSH's `allowed_signers`, the same file that `git verify-commit` and `ssh-keygen -Y verify` read.

    principals [cert-authority] [namespaces="..."] [valid-after="..."] [valid-before="..."] type key [comment]

Stricter than OpenSSH, never laxer: times need their `Z` (else they depend on whoever verifies), a line must name our
namespace, an unknown option or a doubled one refuses the whole file. Who counts as a person is one literal principal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.encode.moments import seconds_of
from plugseal.encode.sshsig import NAMESPACE
from plugseal.errors import KeyRefusedError
from plugseal.records import NamedTuple
from plugseal.signing.keys import PublicKey, parse_line

MAX_SIGNERS_BYTES: Final = 1024 * 1024
_OPTION: Final = r'([a-z-]+)(?:="([^"]*)")?(?:,|[ \t]+)'
_PRINCIPALS: Final = r'(?:"([^"]*)"|([^\s"]+))[ \t]+'
_TIME: Final = r"(?a:\A(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)\Z)"
"""Patterns are compiled when a list is read: one key needs none of them."""
_OPTIONS: Final = frozenset({"cert-authority", "namespaces", "valid-after", "valid-before"})


class Entry(NamedTuple):
    """One line: whose key it is, for what and when."""

    principals: tuple[str, ...]
    """Names or patterns; hostile text."""
    key: PublicKey
    namespaces: tuple[str, ...] | None
    """Patterns; None where the line names none."""
    after: int | None
    """Seconds since 1970; valid from then."""
    before: int | None
    """Valid until then."""
    is_authority: bool
    line: int
    """1-based."""

    def is_for(self, principal: str) -> bool:
        """Say whether the line is about a principal."""
        return matches_list(principal, self.principals)

    @property
    def may_review(self) -> bool:
        """Say whether the line names our namespace: one without namespaces allows everything else, not this."""
        return self.namespaces is not None and matches_list(NAMESPACE, self.namespaces)

    @property
    def names_one_person(self) -> bool:
        """Say whether it counts alone: a single literal principal in ASCII, no pattern, no authority."""
        if self.is_authority or len(self.principals) != 1:
            return False
        (only,) = self.principals
        return only.isascii() and not any(character in "*?!" for character in only)

    def is_current(self, moment: int) -> bool:
        """Say whether the line is valid at a moment."""
        return (self.after is None or moment >= self.after) and (self.before is None or moment < self.before)


def person_of(principal: str) -> str:
    """Return what tells people apart: a principal without the difference of capitals."""
    return principal.lower()


def parse_signers(data: bytes) -> tuple[Entry, ...]:
    """Return the lines of a file of allowed signers.

    Raises:
        KeyRefusedError: any line is not understood: a file that is read in part would allow in part.
    """
    if len(data) > MAX_SIGNERS_BYTES:
        raise KeyRefusedError(f"the list of signers is larger than {MAX_SIGNERS_BYTES:,} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise KeyRefusedError("the list of signers is UTF-8 text") from error
    if "\0" in text:
        # OpenSSH's line would end there.
        raise KeyRefusedError("the list of signers holds a NUL")
    found = tuple(_entries(text))
    if not found:
        raise KeyRefusedError("the list of signers names nobody", hint=_HINT)
    return found


def render_entry(principal: str, key: PublicKey) -> str:
    """Return the line that lets a principal sign reviews and commits by a key."""
    return f'{principal} namespaces="git,{NAMESPACE}" {key.line}'


def matches_list(text: str, patterns: tuple[str, ...]) -> bool:
    """Say whether a text matches a list of patterns as OpenSSH reads it: a `!` pattern that fits refuses."""
    fits = False
    for pattern in patterns:
        if _matches(text, pattern.removeprefix("!")):
            if pattern.startswith("!"):
                return False
            fits = True
    return fits


def _matches(text: str, pattern: str) -> bool:
    # Linear in practice and at most quadratic: one star at a time, without a regular expression.
    at, mark, star = 0, 0, -1
    here = 0
    while at < len(text):
        if here < len(pattern) and pattern[here] == "*":
            star, mark, here = here, at, here + 1
        elif here < len(pattern) and pattern[here] in ("?", text[at]):
            at, here = at + 1, here + 1
        elif star >= 0:
            mark += 1
            at, here = mark, star + 1
        else:
            return False
    return not pattern[here:].strip("*")


def _entries(text: str) -> Iterator[Entry]:
    for number, row in enumerate(text.split("\n"), 1):
        stripped = row.strip(" \t\r")
        if not stripped or stripped.startswith("#"):
            continue
        try:
            yield _entry(stripped, number)
        except KeyRefusedError as error:
            error.place = error.place or f"allowed_signers:{number}"
            raise


def _entry(row: str, number: int) -> Entry:
    head = re.match(_PRINCIPALS, row)
    principals = tuple((head[1] or head[2] or "").split(",")) if head else ()
    if head is None or not all(principals):
        raise KeyRefusedError("a line begins with the principals")
    rest = row[head.end() :]
    options: dict[str, str] = {}
    while (found := re.match(_OPTION, rest)) is not None and found[1] in _OPTIONS:
        if found[1] in options or (found[2] is None) != (found[1] == "cert-authority"):
            raise KeyRefusedError(f"the option `{found[1]}` is there twice, or its value is wrong")
        options[found[1]] = found[2] or ""
        rest = rest[found.end() :]
    key, _ = parse_line(rest)
    namespaces = options.get("namespaces")
    names = None if namespaces is None else tuple(namespaces.split(","))
    if names is not None and not all(names):
        raise KeyRefusedError("`namespaces` holds an empty name")
    after, before = _time(options.get("valid-after")), _time(options.get("valid-before"))
    if after is not None and before is not None and before <= after:
        raise KeyRefusedError("`valid-before` is not after `valid-after`")
    return Entry(principals, key, names, after, before, "cert-authority" in options, number)


def _time(text: str | None) -> int | None:
    if text is None:
        return None
    match = re.match(_TIME, text)
    if match is None:
        raise KeyRefusedError("a time is `YYYYMMDDHHMMSSZ`")
    if not match[7]:
        raise KeyRefusedError("a time without `Z` depends on who reads it", hint=f'write "{text}Z"')
    parts = [int(part or 0) for part in match.groups()[:6]]
    moment = seconds_of(*parts)
    if moment is None:
        raise KeyRefusedError("a time is no moment that exists")
    return moment


_HINT: Final = "add the line that `plugseal key show KEY` prints"

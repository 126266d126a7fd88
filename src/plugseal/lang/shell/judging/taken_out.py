"""Whether a list of jobs is written back with some of its lines taken out: nothing is arranged to run later by that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

_CRONTABS: Final = frozenset(("crontab", "fcrontab"))
_LISTED: Final = "-l"
_GREPS: Final = frozenset(("grep", "egrep", "fgrep"))
_INVERTED: Final = lazy(r"-(?=[A-Za-z]+\Z)[A-Za-uw-z]*v|--invert-match\Z")
_DELETES: Final = lazy(r"/(?:[^/\\\n]|\\.)*/I?d\Z")
"""The one command of a sed program that takes out the lines which fit."""


def takes_out_jobs(name: str, feeding: Sequence[Sequence[str]]) -> bool:
    """Say whether a list of jobs is written from itself, through nothing but what takes lines out.

    Args:
        name: the program that writes it.
        feeding: the words of each command before it in the pipe.
    """
    if name not in _CRONTABS or len(feeding) < 2:
        return False
    first, *others = feeding
    return first[0] in _CRONTABS and _LISTED in first[1:] and all(map(_is_filter, others))


def _is_filter(words: Sequence[str]) -> bool:
    """Say whether a command hands on what it reads but for lines that it leaves out."""
    if words[0] in _GREPS:
        return any(_INVERTED.match(word) for word in words[1:])
    programs = [word for word in words[1:] if word != "-e"]
    return words[0] == "sed" and len(programs) == 1 and _DELETES.match(programs[0]) is not None

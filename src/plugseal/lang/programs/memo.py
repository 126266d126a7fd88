"""What a command does, remembered: scripts say the same few things over and over."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from plugseal.lang.placed_acts import Act
from plugseal.lang.programs.acts import acts_of
from plugseal.lang.programs.start import Code, Started, started
from plugseal.lang.programs.words import hidden_acts
from plugseal.records import NamedTuple

_MAX_REMEMBERED: Final = 256
"""Characters of a command; longer ones are hardly said twice, and are not kept."""


class Told(NamedTuple):
    """What the tables say of one command."""

    started: tuple[Started, ...]
    acts: tuple[tuple[Act, ...], ...]
    """Of each program that is started."""
    codes: tuple[Code, ...]


def tell(words: tuple[str, ...]) -> Told:
    """Return what the tables say of a command."""
    return _remembered(words) if sum(map(len, words)) <= _MAX_REMEMBERED else _tell(words)


def _tell(words: tuple[str, ...]) -> Told:
    found, codes = started(words)
    acts = []
    for one in found:
        hidden = hidden_acts(one.words[1:]) if one.name in ("powershell", "pwsh") else []
        acts.append((*acts_of(one.name, one.words[1:]), *hidden))
    return Told(tuple(found), tuple(acts), tuple(codes))


_remembered = lru_cache(maxsize=4096)(_tell)

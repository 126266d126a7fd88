"""Arguments that name a file of the bundle become its place in the staged copy: the documented expansion, and no other.

An argument counts that is no option, is relative, and is there from the working folder on. One that leads out of the
copy refuses; one that is not there is passed as it was reviewed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason

SYSTEM: Final = "codewhale"


def frozen_words(words: Sequence[str], folder: str, stage: str) -> tuple[str, ...]:
    """Return a reviewed command with its entry points in the staged copy.

    Args:
        words: the command; its program is not touched.
        folder: the working folder in the copy.
        stage: the copy.

    Raises:
        RefusedError: an argument leads out of the copy.
    """
    return tuple(words[:1]) + tuple(_frozen(word, folder, stage) for word in words[1:])


def _frozen(word: str, folder: str, stage: str) -> str:
    if not word or word.startswith(("-", "/")) or "\0" in word:
        return word
    path = os.path.normpath(f"{folder}/{word}")
    if not os.path.lexists(path):
        return word
    if path != stage and not path.startswith(f"{stage}/"):
        raise RefusedError(Reason.UNBOUND_CODE.value, "one of its arguments leads out of the copy")
    return path

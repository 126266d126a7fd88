"""Command lines without the credentials that may stand in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from plugseal.model.secrets import mask_secrets


def masked_value(name: str, value: str) -> str:
    """Return a value without the credential that its name may say it is."""
    return mask_secrets(f"{name}={value}")[len(name) + 1 :]


_SHORTEST: Final = 12
"""Characters of the shortest text with a credential: a name of a letter, an equals sign, a value."""


@lru_cache(maxsize=4096)
def masked_object(text: str) -> str:
    """Return the object of a fact without credentials; what is shorter than any credential is returned at once."""
    return mask_secrets(text) if len(text) >= _SHORTEST else text


def masked_words(words: Sequence[str]) -> list[str]:
    """Return an argument vector without credentials, each read beside the argument before it."""
    text, masked, start = " ".join(words), [], 0
    hidden = mask_secrets(text)
    for word in words:
        masked.append(hidden[start : start + len(word)])
        start += len(word) + 1
    return masked

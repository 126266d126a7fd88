"""Command lines without the credentials that may stand in them."""

from __future__ import annotations

from collections.abc import Sequence

from plugseal.model.secrets import mask_secrets


def masked_value(name: str, value: str) -> str:
    """Return a value without the credential that its name may say it is."""
    return mask_secrets(f"{name}={value}")[len(name) + 1 :]


def masked_words(words: Sequence[str]) -> list[str]:
    """Return an argument vector without credentials, each read beside the argument before it."""
    text, masked, start = " ".join(words), [], 0
    hidden = mask_secrets(text)
    for word in words:
        masked.append(hidden[start : start + len(word)])
        start += len(word) + 1
    return masked

"""The one door to Unicode's tables: the same answers on every Python, since each brings another Unicode version.

Rules: text of ASCII alone never loads the tables, so that most runs never pay for them. All answers are those of
one fixed Unicode version, that of `unicodedata2` as pinned in `pyproject.toml`; `str.casefold` of the interpreter is
mended by the pairs that Unicode gained after the oldest supported Python. Never judges: that is intake's and shown's.
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Final

_NEW_CAPITALS: Final = (
    # (first capital, last capital, first small, step): case pairs assigned after Unicode 13, which Python 3.10 holds.
    (0x1C89, 0x1C89, 0x1C8A, 1),
    (0x2C2F, 0x2C2F, 0x2C5F, 1),
    (0xA7C0, 0xA7C0, 0xA7C1, 1),
    (0xA7CB, 0xA7CB, 0x0264, 1),
    (0xA7CC, 0xA7DA, 0xA7CD, 2),
    (0xA7DC, 0xA7DC, 0x019B, 1),
    (0xA7DD, 0xA7DD, 0x0277, 1),
    (0xA7E2, 0xA7E2, 0x027C, 1),
    (0xAB6C, 0xAB6D, 0xAB4B, 1),
    (0x10570, 0x1057A, 0x10597, 1),
    (0x1057C, 0x1058A, 0x105A3, 1),
    (0x1058C, 0x10592, 0x105B3, 1),
    (0x10594, 0x10595, 0x105BB, 1),
    (0x10D50, 0x10D65, 0x10D70, 1),
    (0x16EA0, 0x16EB8, 0x16EBB, 1),
    (0x1DF40, 0x1DF40, 0x1DF41, 1),
    (0x1DF48, 0x1DF4A, 0x1DF49, 2),
    (0x1DF4D, 0x1DF4D, 0x1DF4E, 1),
    (0x1DF51, 0x1DF51, 0x1DF52, 1),
    (0x1DF68, 0x1DF6E, 0x1DF69, 2),
    (0x1DF72, 0x1DF7E, 0x1DF73, 2),
)


@lru_cache(maxsize=1)
def _tables() -> ModuleType:
    import unicodedata2  # type: ignore[import-not-found]  # a C extension without stubs

    tables: ModuleType = unicodedata2
    return tables


@lru_cache(maxsize=1)
def _new_folds() -> dict[int, int]:
    return {
        capital: small + capital - first
        for first, last, small, step in _NEW_CAPITALS
        for capital in range(first, last + 1, step)
    }


def unicode_version() -> str:
    """Return the Unicode version that all answers follow, e.g. `18.0.0`."""
    return str(_tables().unidata_version)


def category(character: str) -> str:
    """Return the general category of one code point, e.g. `Lu` or `Cf`."""
    return str(_tables().category(character))


def name(character: str) -> str:
    """Return the Unicode name of one code point, empty where it has none."""
    return str(_tables().name(character, ""))


def east_asian_width(character: str) -> str:
    """Return the East Asian width class of one code point, e.g. `W`."""
    return str(_tables().east_asian_width(character))


def normalize(form: str, text: str) -> str:
    """Return `text` in the normal form `NFC`, `NFD`, `NFKC` or `NFKD`."""
    return text if text.isascii() else str(_tables().normalize(form, text))


def nfc(text: str) -> str:
    """Return `text` in normal form C."""
    return normalize("NFC", text)


def is_nfc(text: str) -> bool:
    """Say whether `text` is in normal form C."""
    return text.isascii() or normalize("NFC", text) == text


def casefold(text: str) -> str:
    """Return the full case folding of `text` (one Unicode version, unlike `str.casefold`)."""
    return text.lower() if text.isascii() else text.translate(_new_folds()).casefold()


def collision_key(text: str) -> str:
    """Return NFC(casefold(NFD(text))): equal for names that some file system takes for one."""
    return text.lower() if text.isascii() else normalize("NFC", casefold(normalize("NFD", text)))

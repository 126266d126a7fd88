"""Which of many texts are told where not all of them are: what leads to a place that matters comes first.

A list of a hundred names has to be cut somewhere. Cut by its order, it would tell what whoever wrote it put first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Final, TypeVar

from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.paths import is_autostart, is_device, is_environment, is_identity, is_outside, is_secret
from plugseal.patterns import lazy

_Value = TypeVar("_Value")
MAX_RANKED: Final = 4_096
"""Values of which one is looked at; what stands behind them is not told."""
MAX_COMBINED: Final = 64
"""Ways to put texts together of which each may be one of several."""
_MAX_TEXT: Final = 1_024
_FIRST: Final = 0
_PLAIN: Final = 2
_SECRET_NAME: Final = lazy(
    r"TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL|MNEMONIC",
)
_TELLING_LINE: Final = lazy(
    r"(?i)(?:^|[|;&]\s*|\bsudo\s+)(?:rm|shred|dd|mkfs[.\w]*|nc|ncat|netcat|socat|telnet|curl|wget|ssh|scp|rsync|crontab"
    r"|launchctl|schtasks|reg|chmod|chown|sudo|(?:ba|z|da)?sh|python\d?|perl|ruby|node|php|powershell|pwsh|cmd|certutil"
    r"|bitsadmin|mshta|eval|base64|openssl|iex|iwr|irm|invoke-\w+|del|rd|format|p?kill|killall)(?=\s)|/dev/tcp/|\$\(|`"
)
"""Lines that do more than look; which of many are told first, not what they do, is all that it is asked."""


def rank(text: object) -> int:
    """Return where a text stands: 0 for a place of secrets and its like, 1 for one elsewhere, 2 for the rest."""
    if not isinstance(text, str) or text == HOLE:
        return _PLAIN
    text = text[:_MAX_TEXT]
    if any(holds(text) for holds in (is_secret, is_autostart, is_device, is_environment, is_identity)):
        return _FIRST
    if "://" in text or is_outside(text) or (text.isupper() and _SECRET_NAME.search(text)):
        return 1
    return 1 if " " in text and _TELLING_LINE.search(text) else _PLAIN


def most_telling(values: Sequence[_Value], limit: int, text_of: Callable[[_Value], object]) -> list[_Value]:
    """Return values that matter most, at most twice `limit` where all of them matter; the order of the others stays.

    Args:
        values: of which the first `MAX_RANKED` are looked at.
        limit: how many are kept where no more of them matter.
        text_of: gives what a value is ranked by.
    """
    ranked = sorted((rank(text_of(value)), at) for at, value in enumerate(values[:MAX_RANKED]))
    first = sum(1 for one, _ in ranked if one < _PLAIN)
    return [values[at] for _, at in ranked[: max(limit, min(first, 2 * limit))]]


def text_of(value: object) -> object:
    """Return what a resolver's value is ranked by."""
    return value.value if isinstance(value, Text) else None


def choices(slots: Iterable[tuple[_Value, ...]]) -> Iterator[tuple[tuple[_Value, ...], ...]]:
    """Yield each way to take one text of every slot, at most `MAX_COMBINED`.

    A slot of which no text is known, or one alone, stays as it is.
    """
    parts: list[list[tuple[_Value, ...]]] = []
    for values in slots:
        texts = [value for value in values if isinstance(value, Text)]
        parts.append([(text,) for text in texts] if len(texts) > 1 else [values])
    return islice(product(*parts), MAX_COMBINED)

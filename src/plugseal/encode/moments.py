"""Moments in UTC as seconds since 1970, without the calendar of a locale."""

from __future__ import annotations

from typing import Final

_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def seconds_of(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int | None:
    """Return the seconds since 1970 of a moment, None where no such moment exists."""
    if not (1970 <= year <= 9999 and 1 <= month <= 12 and hour < 24 and minute < 60 and second < 60):
        return None
    is_leap = _is_leap(year)
    if not 1 <= day <= _DAYS[month - 1] + (is_leap and month == 2):
        return None
    leaps = _leaps(year - 1) - _leaps(1969)
    days = (year - 1970) * 365 + leaps + sum(_DAYS[: month - 1]) + (is_leap and month > 2) + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _leaps(year: int) -> int:
    return year // 4 - year // 100 + year // 400

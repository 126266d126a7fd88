"""Regular expressions that are compiled at their first use: compiling all of ours takes longer than a small scan needs.

Each is a constant of its module and looks like what `re.compile` returns. A fault in one shows at its first use, so a
test compiles them all.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

WAITING: Final[list[LazyPattern]] = []
"""All that were made, for the test that compiles them."""


class LazyPattern:
    """Stand for a compiled pattern; its methods are taken over when one is first asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        """Keep what is to be compiled."""
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:  # Any: whatever a compiled pattern has
        compiled: re.Pattern[Any] = re.compile(*self._source)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"):
            setattr(self, method, getattr(compiled, method))
        self.pattern, self.flags, self.groups = compiled.pattern, compiled.flags, compiled.groups
        return getattr(compiled, name)


def lazy(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled when it is first used.

    Args:
        text: a regular expression.
        flags: of `re`.
    """
    found = LazyPattern(text, flags)
    WAITING.append(found)
    return cast("re.Pattern[AnyStr]", found)

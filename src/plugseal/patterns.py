"""Regular expressions that are compiled at their first use: compiling all of ours takes longer than a small scan needs.

Each is a constant of its module and looks like what `re.compile` returns. A fault in one shows at its first use, so a
test compiles them all. One that says what its matches need is not even compiled for a text that has none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, AnyStr, Final, cast

ALL_LAZY: Final[list[LazyPattern]] = []
"""All that modules made, for the test that compiles them."""


class LazyPattern:
    """Stand for a compiled pattern; its methods are taken over when one is first asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        """Keep what is to be compiled."""
        self.pattern = text
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:  # Any: whatever a compiled pattern has
        if name.startswith("__"):
            raise AttributeError(name)  # Whoever makes classes or copies asks for these; no pattern is needed for it.
        return getattr(self._compile(), name)

    def __repr__(self) -> str:
        return f"lazy{self._source}"

    def _compile(self) -> re.Pattern[Any]:
        compiled: re.Pattern[Any] = re.compile(*self._source)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"):
            setattr(self, method, getattr(compiled, method))
        self.flags, self.groups = compiled.flags, compiled.groups
        return compiled


class NeedyPattern(LazyPattern):
    """Stand for a pattern every match of which holds one of a few literals, and compile it for a text with one.

    Law: for every text, each method answers as that of the compiled pattern.
    """

    def __init__(self, text: str | bytes, flags: int, needs: tuple[Any, ...]) -> None:
        """Keep what is to be compiled, and the literals in lower case."""
        super().__init__(text, flags)
        self.needs: Final = needs

    def search(self, text: Any, *place: int) -> re.Match[Any] | None:
        """Search a text that may hold a match."""
        return self._compile().search(text, *place) if self._may_match(text) else None

    def match(self, text: Any, *place: int) -> re.Match[Any] | None:
        """Match the beginning of a text that may hold a match."""
        return self._compile().match(text, *place) if self._may_match(text) else None

    def fullmatch(self, text: Any, *place: int) -> re.Match[Any] | None:
        """Match the whole of a text that may hold a match."""
        return self._compile().fullmatch(text, *place) if self._may_match(text) else None

    def finditer(self, text: Any, *place: int) -> Iterator[re.Match[Any]]:
        """Iterate over the matches in a text that may hold some."""
        return self._compile().finditer(text, *place) if self._may_match(text) else iter(())

    def findall(self, text: Any, *place: int) -> list[Any]:
        """Return all matches in a text that may hold some."""
        return self._compile().findall(text, *place) if self._may_match(text) else []

    def _may_match(self, text: Any) -> bool:
        # Beyond ASCII the letters that a pattern takes for the same are more than those of one lower case.
        if not text.isascii():
            return True
        lower = text.lower()
        for needed in self.needs:  # noqa: SIM110  # `any` takes twice as long, and a rule asks this of every value
            if needed in lower:
                return True
        return False


def lazy(text: AnyStr, flags: int = 0, *, needs: tuple[AnyStr, ...] = ()) -> re.Pattern[AnyStr]:
    """Return the pattern of a constant, compiled when it is first used.

    Args:
        text: a regular expression.
        flags: of `re`.
        needs: literals in lower case of which every match holds one; a test proves it of each pattern. For those whose
            literals are rare: most texts have none of them.
    """
    found = deferred(text, flags, needs=needs)
    ALL_LAZY.append(cast("LazyPattern", found))
    return found


def deferred(text: AnyStr, flags: int = 0, *, needs: tuple[AnyStr, ...] = ()) -> re.Pattern[AnyStr]:
    """Return a pattern that comes from data, a rule's, compiled when it is first used; arguments as those of `lazy`."""
    return cast("re.Pattern[AnyStr]", NeedyPattern(text, flags, needs) if needs else LazyPattern(text, flags))

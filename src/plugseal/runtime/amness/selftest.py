"""Whether the cases of evals are sound, without a model: the check fails at the start and passes with the solution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.records import NamedTuple
from plugseal.runtime.amness.loaded import Plugins
from plugseal.runtime.amness.protocol import WORK_SECONDS

_OUTCOMES: Final = frozenset({"ok", "unsound", "excluded"})


class Tried(NamedTuple):
    """What came of one case."""

    case: str
    plugin: str
    outcome: str
    """`ok`, `unsound`, or `excluded` where its set-up failed."""
    why: str


def run_selftest(plugins: Plugins) -> Iterator[Tried]:
    """Yield what came of each case; one whose check throws is unsound.

    Raises:
        RefusedError: a plugin's permission was taken.
    """
    for plugin in plugins:
        for case in plugin.description.cases:
            answer = plugin.process.call("selftest", {"index": case.index}, seconds=WORK_SECONDS)
            found = answer.value if isinstance(answer.value, dict) else {}
            outcome = str(found.get("outcome", ""))
            if answer.failed or outcome not in _OUTCOMES:
                yield Tried(case.name, plugin.name, "unsound", f"its check failed: {answer.failed or 'no outcome'}")
            else:
                yield Tried(case.name, plugin.name, outcome, str(found.get("why", "")))

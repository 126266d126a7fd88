"""Items of arrays that have keys, the variables that `declare -x` lists, and daemons that an option starts."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import ShellReader

_TOLD = {
    "a key": ("declare -A M=([a]=lsof)\n${M[a]}\n", "process.exec", "lsof"),
    "all exported variables": ("declare -x\n", "env.bulk", None),
    "a daemon": ("start-stop-daemon --start --exec /bin/date -- -u\n", "process.exec", "/bin/date"),
    "a daemon by a letter": ("start-stop-daemon -S -p /run/a.pid -x /bin/date\n", "process.exec", "/bin/date"),
}


@pytest.mark.parametrize(("text", "capability", "named"), _TOLD.values(), ids=_TOLD.keys())
def test_it_is_told(text: str, capability: str, named: str | None) -> None:
    found = ShellReader().read(text.encode(), Context("a.sh", Interest()))

    assert (capability, named) in {(fact.capability, fact.object) for fact in found.facts}

"""What many calls hand over to one function is told, or said to be unknown: none of it vanishes."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import read_python

HELPER = "import subprocess, sys\ndef run(cmd):\n    subprocess.run(cmd, shell=True)\n"


@pytest.mark.parametrize(
    ("calls", "wanted"),
    [
        pytest.param(["'ls'", "'pwd'", "'date'"], {"ls", "pwd", "date"}, id="three literals"),
        pytest.param(["'ls'", "'pwd'", "'date'", "'rm -rf /x'"], {"ls", "pwd", "date", "rm"}, id="a fourth literal"),
        pytest.param(
            ["'ls'", "'pwd'", "'date'", "sys.argv[1]"], {"ls", "pwd", "date", None}, id="a fourth that is not"
        ),
        pytest.param([f"'p{number}'" for number in range(40)], {"p0", None}, id="more than are taken"),
    ],
)
def test_every_call_of_a_helper_counts(calls: list[str], wanted: set[str | None]) -> None:
    program = HELPER + "".join(f"run({call})\n" for call in calls)
    facts = read_python(program.encode(), Context("a.py", Interest())).facts
    found = {fact.object for fact in facts if fact.capability == "process.shell"}
    assert wanted <= found


@pytest.mark.parametrize("parameters", ["*cmd", "*, cmd='x'", "self, cmd", "**cmd", "a, /, *cmd"])
def test_a_helper_with_any_parameters_is_read(parameters: str) -> None:
    calls = "".join(
        f"run({arguments})\n" for arguments in ("'a'", "'b', 'c'", "x, y", "*x", "cmd='d'", "**x", "", "'e'")
    )
    program = f"import os\ndef run({parameters}):\n    os.system(cmd)\n{calls}"
    assert read_python(program.encode(), Context("a.py", Interest())).status == "read"

"""A script that was made of a notebook has the notebook's own names, without an import."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import PythonReader

_SHELLS = {
    "system": 'get_ipython().system("curl x")',
    "getoutput": 'lines = get_ipython().getoutput("curl x")',
    "a shell of a variable": 'shell = get_ipython()\nshell.system("curl x")',
    "imported": 'from IPython import get_ipython\nget_ipython().system("curl x")',
    "a function of IPython": 'from IPython.utils.process import system\nsystem("curl x")',
}
_SILENT = {
    "an ordinary magic": 'get_ipython().run_line_magic("matplotlib", "inline")',
    "a function of the file": 'def get_ipython(): return None\nget_ipython().system("curl x")',
    "a question": "if get_ipython() is not None: pass",
}


def _facts(text: str) -> list[tuple[str, str | None]]:
    facts = PythonReader().read(text.encode(), Context("x.py", Interest()))
    return [(f.capability, f.object) for f in facts.facts if f.capability in ("process.shell", "code.dynamic")]


@pytest.mark.parametrize("text", _SHELLS.values(), ids=_SHELLS)
def test_a_line_that_a_notebook_gives_to_a_shell_is_one(text: str) -> None:
    assert _facts(text) == [("process.shell", "curl")]


def test_a_cell_that_is_run_is_code() -> None:
    assert ("code.dynamic", None) in _facts('get_ipython().run_cell("1 + 1")')


@pytest.mark.parametrize("text", _SILENT.values(), ids=_SILENT)
def test_what_runs_nothing_is_silent(text: str) -> None:
    assert _facts(text) == []

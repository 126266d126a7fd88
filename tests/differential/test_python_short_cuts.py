"""What the reader of Python does not look at: the facts are those of a reader that looks at everything.

The short cuts are taken away one by one: whether a receiver may be a module, and whether a name that modules have is
one. On a sample of the standard library, and on every way to hide something that the reader is known to see through.
"""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.choosing.chosen import Chosen
from plugseal.lang.python.choosing.leads import Leads
from plugseal.lang.python.collecting.scope import Scope
from plugseal.lang.python.reader import read_python
from plugseal.model.capability import Fact

_CASES = Path(__file__).parents[1] / "unit" / "python_cases"
_SAMPLE = tuple(
    "shutil.py tempfile.py webbrowser.py platform.py zipfile.py tarfile.py pathlib.py site.py cgi.py ftplib.py "
    "smtplib.py logging/handlers.py urllib/request.py multiprocessing/util.py asyncio/base_events.py pydoc.py".split()
)
_CONTEXT = Context("x.py", Interest())


@contextmanager
def _without_short_cuts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def may_be(_self: object, _asked: ast.AST | str, _scope: Scope) -> bool:
        return True

    with monkeypatch.context() as patch:
        patch.setattr(Leads, "reaches", may_be)
        patch.setattr(Chosen, "may_be_module", may_be)
        yield


def _both(source: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    short = read_python(source, _CONTEXT).facts
    with _without_short_cuts(monkeypatch):
        return short, read_python(source, _CONTEXT).facts


@pytest.mark.parametrize("name", ["evasions.txt", "lookalikes.txt"])
def test_no_known_case_depends_on_a_short_cut(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = (_CASES / name).read_text(encoding="utf-8").split("\n=== ")[1:]
    for block in blocks:
        title, _, source = block.partition("\n")
        short, whole = _both(source.encode("utf-8"), monkeypatch)
        assert short == whole, title
    assert len(blocks) > 50


@pytest.mark.parametrize("name", _SAMPLE)
def test_the_standard_library_has_the_same_facts_without_short_cuts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(sysconfig.get_path("stdlib")) / name
    if not path.exists():
        pytest.skip("this version of Python has it no more, or elsewhere")
    short, whole = _both(path.read_bytes(), monkeypatch)
    assert short == whole
    assert short


def test_a_copy_of_the_environment_is_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one thing by which a reader that looks everywhere says more, and it is not so."""
    short, whole = _both(b"import os\nenv = dict(os.environ)\nenv['LANG'] = 'C'\n", monkeypatch)
    assert "env.write" not in {fact.capability for fact in short}
    assert {fact.capability for fact in set(whole) - set(short)} <= {"env.write"}

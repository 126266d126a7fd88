"""Names that one file takes from another are followed to what they are."""

from __future__ import annotations

from time import process_time

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.python.linking.link import link_python
from plugseal.lang.python.reader import read_python


def _read(sources: dict[str, str]) -> dict[str, FileFacts]:
    tops = frozenset(part.removesuffix(".py") for path in sources for part in path.split("/"))
    return {path: read_python(text.encode(), Context(path, Interest(), tops)) for path, text in sources.items()}


def _linked(sources: dict[str, str]) -> set[tuple[str, str, str | None]]:
    linked = link_python(_read(sources))
    return {(path, fact.capability, fact.object) for path, (facts, _) in linked.items() for fact in facts}


_CASES: dict[str, tuple[dict[str, str], tuple[str, str, str | None]]] = {
    "an attribute of a class that a class of another file inherits": (
        {
            "a.py": "from util import B\nclass C(B):\n    def f(self):\n        self.go('ls')\n",
            "util.py": "import os\nclass A:\n    go = os.system\nclass B(A):\n    pass\n",
        },
        ("a.py", "process.shell", "ls"),
    ),
    "the same by super": (
        {
            "a.py": "import util\nclass C(util.A):\n    def f(self):\n        super().go('ls')\n",
            "util.py": "import os\nclass A:\n    go = os.system\n",
        },
        ("a.py", "process.shell", "ls"),
    ),
    "a function taken over": (
        {"a.py": "from util import run\nrun('ls')\n", "util.py": "from os import system as run\n"},
        ("a.py", "process.shell", "ls"),
    ),
    "a relative import": (
        {"p/a.py": "from .util import run\nrun('ls')\n", "p/util.py": "import os\nrun = os.system\n"},
        ("p/a.py", "process.shell", "ls"),
    ),
    "a relative import of a package above": (
        {"p/q/a.py": "from ..util import run\nrun('ls')\n", "p/util/__init__.py": "from os import system as run\n"},
        ("p/q/a.py", "process.shell", "ls"),
    ),
    "a module taken from a package": (
        {"p/a.py": "from . import util\nutil.run('ls')\n", "p/util.py": "from os import system as run\n"},
        ("p/a.py", "process.shell", "ls"),
    ),
    "an item of another file's environment": (
        {"a.py": "from cfg import store\nstore['X']\n", "cfg.py": "import os\nstore = os.environ\n"},
        ("a.py", "env.read", "X"),
    ),
    "an address that is known in part": (
        {
            "a.py": "from web import g\ndef f(x):\n    g('https://evil.example/' + x)\n",
            "web.py": "import requests\ng = requests.get\n",
        },
        ("a.py", "net.outbound", "evil.example"),
    ),
    "a client of another file": (
        {
            "a.py": "from web import client\nclient.get('https://x/')\n",
            "web.py": "import requests\nclient = requests.Session()\n",
        },
        ("a.py", "net.outbound", "x"),
    ),
    "a client that a function makes": (
        {
            "a.py": "import web\nweb.make().get('https://x/')\n",
            "web.py": "import requests\ndef make():\n    return requests.Session()\n",
        },
        ("a.py", "net.outbound", "x"),
    ),
    "a client that a class holds": (
        {
            "a.py": "from web import Api\nApi().s.get('https://x/')\n",
            "web.py": "import requests\nclass Api:\n    def __init__(self):\n        self.s = requests.Session()\n",
        },
        ("a.py", "net.outbound", "x"),
    ),
    "several hops": (
        {
            "a.py": "from b import go\ngo('ls')\n",
            "b.py": "from c import go\n",
            "c.py": "from d import run as go\n",
            "d.py": "from os import system as run\n",
        },
        ("a.py", "process.shell", "ls"),
    ),
    "a star import": (
        {"a.py": "from b import *\ngo('ls')\n", "b.py": "from os import system as go\n"},
        ("a.py", "process.shell", "ls"),
    ),
    "a star import that is passed on": (
        {"a.py": "import b\nb.go('ls')\n", "b.py": "from c import *\n", "c.py": "from os import system as go\n"},
        ("a.py", "process.shell", "ls"),
    ),
    "an absolute import from a folder above": (
        {"p/q/a.py": "from lib.util import run\nrun('ls')\n", "p/lib/util.py": "from os import system as run\n"},
        ("p/q/a.py", "process.shell", "ls"),
    ),
    "a mention": (
        {"a.py": "from util import run\nmap(run, ['ls'])\n", "util.py": "from os import system as run\n"},
        ("a.py", "process.shell", None),
    ),
}


@pytest.mark.parametrize(("sources", "row"), _CASES.values(), ids=list(_CASES))
def test_a_name_is_followed_into_another_file(sources: dict[str, str], row: tuple[str, str, str | None]) -> None:
    assert row in _linked(sources)


def test_files_that_import_each_other_end() -> None:
    assert _linked({"a.py": "from b import x\nx()\ny = x\n", "b.py": "from a import y\nx = y\n"}) == set()


def test_a_function_of_another_file_is_no_fact_by_itself() -> None:
    assert _linked({"a.py": "from b import go\ngo()\n", "b.py": "def go(): pass\n"}) == set()


def test_nothing_is_found_outside_the_tree() -> None:
    assert _linked({"a.py": "from ..b import go\ngo()\n", "b.py": "from os import system as go\n"}) == set()


def test_linked_events_carry_the_real_name() -> None:
    linked = link_python(
        _read({"a.py": "from util import run\nrun('ls')\n", "util.py": "from os import system as run\n"})
    )
    assert [event.name for event in linked["a.py"][1]] == ["os.system"]


def test_files_that_pass_on_each_others_names_are_looked_through_once() -> None:
    count = 48
    stars = {
        f"m{n}.py": "".join(f"from m{other} import *\n" for other in range(count) if other != n)
        + f"import os\ndef f{n}(x): os.system(x)\ngo{n} = os.system\nf{(n + 1) % count}('a')\nnowhere{n}(1)\n"
        for n in range(count)
    }
    start = process_time()
    assert ("a.py", "process.shell", "ls") in _linked({**stars, "a.py": "from m0 import *\ngo40('ls')\n"})
    assert process_time() - start < 20, "a hang guard, ten times what it takes"


def test_packages_that_pass_on_each_others_names_are_asked_once() -> None:
    count = 200
    packages = {
        f"p/m{n}/__init__.py": f"from ..m{(n + 1) % count} import *\nfrom ..m{n * 7 % count} import *\n"
        f"from .a import *\nrun{n + 1}('x')\nnowhere{n}(1)\n"
        for n in range(count)
    }
    modules = {f"p/m{n}/a.py": f"from os import system as run{n}\n" for n in range(count)}
    start = process_time()
    assert ("p/m3/__init__.py", "process.shell", "x") in _linked({**packages, **modules})
    assert process_time() - start < 30, "a hang guard, ten times what it takes"


def test_a_library_all_of_whose_names_are_passed_on_is_asked_behind_those_that_know_the_name() -> None:
    sources = {
        "a.py": "from b import *\nsystem('ls')\n",
        "b.py": "from c import *\nfrom d import *\n",
        "c.py": "import os\ndef other(): pass\nother2 = os.getpid\n",
        "d.py": "from os import *\n",
    }
    assert ("a.py", "process.shell", "ls") in _linked(sources)

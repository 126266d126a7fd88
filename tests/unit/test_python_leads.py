"""Whether a receiver may be a module or the environment: followed to the end, however long the way is."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.python.reader import read_python

_LONG = "import os\nn0 = os.environ\n" + "".join(
    f"n{at} = [n{at - 1}][0] if n{at - 1} else n{at - 1}\n" for at in range(1, 40)
)
_CASES = {
    "a name that a star import brings": "from os import *\ndef f(env):\n    return env.get('TOKEN')\nf(environ)\n",
    "the argument at the parameter's place": (
        "import os\ndef f(name, env):\n    return env.get(name)\nf('TOKEN', os.environ)\n"
    ),
    "an argument by its keyword": (
        "import os\ndef f(name, env):\n    return env.get(name)\nf(env=os.environ, name='TOKEN')\n"
    ),
    "names that are made of each other": (
        "import os\na = b = None\nfor _ in 'ab':\n    a = b\n    b = a\n    b = os.environ\n"
        "b.get('A')\na.get('TOKEN')\n"
    ),
    "what a function gives back that another gave it": (
        "import os\ndef one():\n    return os.environ\ndef two():\n    return one()\nx = two()\nx.get('TOKEN')\n"
    ),
    "a function that gives back what it gave back before": (
        "import os\ndef f(n):\n    return f(n - 1) if n else os.environ\nx = f(3)\nx.get('TOKEN')\n"
    ),
    "an attribute that holds it": (
        "import os\nclass A:\n    def __init__(self):\n        self.env = os.environ\n"
        "    def f(self):\n        return self.env.get('TOKEN')\n"
    ),
    "a long way": f"{_LONG}n20.get('TOKEN')\n",
}


@pytest.mark.parametrize("source", _CASES.values(), ids=_CASES.keys())
def test_a_way_to_the_environment_is_found(source: str) -> None:
    found = read_python(source.encode(), Context("x.py", Interest())).facts
    assert "env.read" in {fact.capability for fact in found}


def test_an_argument_at_another_place_is_no_environment() -> None:
    source = b"import os\ndef f(env, data):\n    return data.get('TOKEN')\nf(os.environ, {})\n"
    found = read_python(source, Context("x.py", Interest())).facts
    assert "env.read" not in {fact.capability for fact in found}


def test_names_that_lead_around_in_a_circle_end() -> None:
    source = "".join(f"n{at} = n{(at + 1) % 3_000}\n" for at in range(3_000)) + "n0.get('TOKEN')\nn1['TOKEN']\n"
    assert read_python(source.encode(), Context("x.py", Interest())).facts == ()

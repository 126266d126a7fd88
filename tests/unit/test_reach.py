"""Call paths from where a plugin is entered to the functions that do something."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import pytest

from plugseal.model.reach import Paths, Reached, Step
from plugseal.render.way import way_to
from plugseal.scan.linking import reach as reach_module
from plugseal.verbs.scan import scan_path

TOOL = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n@mcp.tool()\n"
RUNS = "import subprocess\ndef run(x):\n    subprocess.run(x, shell=True)\n"


class Case(NamedTuple):
    files: dict[str, str]
    expected: dict[str, str]
    """`file:function` to the whole way."""


CASES = {
    "a tool in the same file": Case(
        {"server.py": TOOL + "def deploy(x):\n    run(x)\n" + RUNS},
        {"server.py:run": "tool deploy -> run"},
    ),
    "the tool itself": Case(
        {"server.py": "import os\n" + TOOL + "def deploy(x):\n    os.system(x)\n"},
        {"server.py:deploy": "tool deploy"},
    ),
    "a function of another file": Case(
        {"server.py": "import helper\n" + TOOL + "def deploy(x):\n    helper.run(x)\n", "helper.py": RUNS},
        {"helper.py:run": "tool deploy -> helper.run"},
    ),
    "a name taken from another file": Case(
        {"server.py": "from helper import run as go\n" + TOOL + "def deploy(x):\n    go(x)\n", "helper.py": RUNS},
        {"helper.py:run": "tool deploy -> helper.run"},
    ),
    "a re-export over a package": Case(
        {
            "server.py": "from pkg import run\n" + TOOL + "def deploy(x):\n    run(x)\n",
            "pkg/__init__.py": "from .deep.work import run\n",
            "pkg/deep/__init__.py": "",
            "pkg/deep/work.py": RUNS,
        },
        {"pkg/deep/work.py:run": "tool deploy -> work.run"},
    ),
    "a method over an object": Case(
        {
            "server.py": "from client import Client\n" + TOOL + "def deploy(x):\n    c = Client()\n    c.get(x)\n",
            "client.py": "import os\nclass Client:\n    def get(self, x):\n        self.inner(x)\n"
            "    def inner(self, x):\n        os.system(x)\n",
        },
        {"client.py:Client.inner": "tool deploy -> client.Client.get -> Client.inner"},
    ),
    "a constructor": Case(
        {"a.py": "import os\nclass C:\n    def __init__(self):\n        os.system('x')\nC()\n"},
        {"a.py:C.__init__": "import of a.py -> C.__init__"},
    ),
    "a callback": Case(
        {"server.py": TOOL + "def deploy(x):\n    list(map(run, x))\n" + RUNS},
        {"server.py:run": "tool deploy -> run"},
    ),
    "import time": Case({"a.py": RUNS + "run('x')\n"}, {"a.py:run": "import of a.py -> run"}),
    "the main block": Case(
        {"a.py": RUNS + "def main():\n    run('x')\nif __name__ == '__main__':\n    main()\n"},
        {"a.py:run": "start of a.py -> main -> run"},
    ),
    "nobody calls it": Case({"a.py": RUNS}, {}),
    "they call each other only": Case(
        {"a.py": "import os\ndef a():\n    os.system('x')\n    b()\ndef b():\n    os.remove('x')\n    a()\n"}, {}
    ),
    "the shorter way": Case(
        {"a.py": TOOL + "def deploy(x):\n    one(x)\n    run(x)\ndef one(x):\n    run(x)\n" + RUNS},
        {"a.py:run": "tool deploy -> run"},
    ),
    "a tool rather than import time": Case(
        {"a.py": RUNS + TOOL + "def deploy(x):\n    run(x)\nrun('x')\n"}, {"a.py:run": "tool deploy -> run"}
    ),
    "a circle on the way": Case(
        {"a.py": RUNS + "def a(x):\n    b(x)\n    run(x)\ndef b(x):\n    a(x)\nb('x')\n"},
        {"a.py:run": "import of a.py -> b -> a -> run"},
    ),
    "a function of the same name in another file": Case(
        {"a.py": RUNS, "b.py": "def run(x):\n    print(x)\nrun(1)\n"}, {}
    ),
    "scripts": Case(
        {
            "server.js": "import { go } from './util.js';\nserver.registerTool('x', {}, async (a) => {\n"
            "  go(a);\n});\n",
            "util.js": "import { exec } from 'child_process';\nexport function go(a) {\n  work(a);\n}\n"
            "function work(a) {\n  exec(a);\n}\n",
        },
        {"util.js:work": "tool <anonymous> -> util.go -> work"},
    ),
    "a method of a script": Case(
        {
            "a.js": "const { exec } = require('child_process');\nclass C {\n  go(a) {\n    this.work(a);\n  }\n"
            "  work(a) {\n    exec(a);\n  }\n}\nconst c = new C();\nc.go('x');\n"
        },
        {"a.js:C.work": "import of a.js -> C.go -> C.work"},
    ),
    "a typed source": Case(
        {
            "index.ts": "import { go } from './lib/util';\ngo('x' as string);\n",
            "lib/util.ts": "import { execSync } from 'node:child_process';\nexport const go = (a: string): void => {\n"
            "  execSync(a);\n};\n",
        },
        {"lib/util.ts:go": "import of index.ts -> util.go"},
    ),
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def ways(root: Path) -> dict[str, str]:
    reached = scan_path(root).reach
    return {f"{one.file}:{one.function}": way_to(one, one.file, one.line).rpartition(" -> ")[0] for one in reached}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_way_to_a_function(tmp_path: Path, case: Case) -> None:
    assert ways(write(tmp_path, case.files)) == case.expected


def test_a_component_is_an_entry_by_its_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".mcp.json": '{"mcpServers": {"docs": {"command": "python3", "args": ["server.py"]}}}',
            "server.py": RUNS + "def main():\n    run('x')\nmain()\n",
        },
    )
    assert ways(tmp_path) == {"server.py:run": "server docs -> main -> run"}


def test_the_order_of_files_changes_nothing(tmp_path: Path) -> None:
    case = CASES["a re-export over a package"]
    names = list(case.files)
    for number in range(4):
        random.Random(number).shuffle(names)
        root = write(tmp_path / str(number), {name: case.files[name] for name in names})
        assert ways(root) == case.expected


def test_more_functions_than_are_followed_have_no_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, CASES["import time"].files)
    monkeypatch.setattr(reach_module, "MAX_NODES", 0)
    assert scan_path(tmp_path).reach == ()


def test_ways_move_no_token_and_no_trigger(tmp_path: Path) -> None:
    manifest = '{"mcpServers": {"docs": {"command": "python3", "args": ["server.py"]}}}'
    called = write(tmp_path / "a", {".mcp.json": manifest, "server.py": RUNS + "x = 1; run(x)\n"})
    other = write(tmp_path / "b", {".mcp.json": manifest, "server.py": RUNS + "x = 1; ran(x)\n"})
    one, two = (scan_path(root).plugins[0] for root in (called, other))
    assert scan_path(called).reach
    assert not scan_path(other).reach
    assert one.capability_receipt == two.capability_receipt


def test_the_innermost_function_around_a_line_is_meant() -> None:
    outer = Reached("a.py", "f", 1, 9, "import", (Step("a.py", "<module>", 1), Step("a.py", "f", 1)))
    inner = Reached("a.py", "f.g", 3, 5, "import", (*outer.path, Step("a.py", "f.g", 3)))
    paths = Paths([outer, inner])
    assert paths.to("a.py", 4) == inner
    assert paths.to("a.py", 6) == outer
    assert paths.to("a.py", 10) is None
    assert paths.to("b.py", 4) is None


def test_a_long_way_is_cut_with_a_count() -> None:
    steps = tuple(Step("a.py", f"f{number}", number) for number in range(1, 12))
    one = Reached("a.py", "f11", 11, 12, "import", (Step("a.py", "<module>", 1), *steps))
    assert way_to(one, "a.py", 11) == "import of a.py -> f1 -> f2 -> (7 more) -> f10 -> f11 -> a.py:11"


def test_hostile_names_reach_no_screen() -> None:
    one = Reached("a\x1b[2J.py", "x", 1, 1, "tool \x1b]0;x\x07", (Step("a\x1b[2J.py", "y\u202e", 1),))
    assert way_to(one, one.file, 1).isprintable()
    assert "\u202e" not in way_to(one, one.file, 1)

"""What may be one of several things is all of them, however it is put together, and what matters is told of many."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.facts import list_facts

_BOTH = {"/etc/a", "/var/a"}


def _read(folder: Path, name: str, text: str) -> set[str | None]:
    (folder / name).write_text(text)
    return {fact.object for _, fact in list_facts(folder) if fact.capability == "fs.read"}


@pytest.mark.parametrize(
    "path",
    [
        "os.path.join(y, 'a')",
        "f'{y}/a'",
        "'%s/a' % y",
        "'%s/%s' % (y, 'a')",
        "'{}/a'.format(y)",
        "'{y}/a'.format(y=y)",
        "Path(y) / 'a'",
        "Path(y, 'a')",
        "Path(y).joinpath('a')",
        "Path(y, 'b').with_name('a')",
        "'/'.join([y, 'a'])",
        "str.join('/', [y, 'a'])",
        "y.replace('x', 'z') + '/a'",
        "os.path.expanduser(y + '/a')",
        "os.path.abspath(os.path.join(y, 'a'))",
        "os.path.dirname(y + '/a/b')",
        "str(Path(y)) + '/a'",
        "p / 'a'",
        "bytes.fromhex(h).decode() + '/a'",
    ],
)
def test_python(path: str, tmp_path: Path) -> None:
    text = (
        "import os\nfrom pathlib import Path\ny = '/etc' if q else '/var'\np = Path('/etc') if q else Path('/var')\n"
        f"h = '2f657463' if q else '2f766172'\nopen({path})\n"
    )
    assert _read(tmp_path, "a.py", text) == _BOTH


def test_python_method_of_either_object_is_sure(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "from pathlib import Path\np = Path('/etc/a') if q else Path('/var/a')\np.read_text()\n"
    )
    facts = [fact for _, fact in list_facts(tmp_path) if fact.capability == "fs.read"]
    assert {fact.object for fact in facts} == _BOTH
    assert {fact.resolution for fact in facts} <= {"direct", "resolved"}


@pytest.mark.parametrize(
    "path",
    [
        "path.join(y, 'a')",
        "`${y}/a`",
        "[y, 'a'].join('/')",
        "y.concat('/a')",
        "path.resolve(y, 'a')",
        "y.replace('x', 'z') + '/a'",
        "String(y) + '/a'",
        "'X/a'.replace('X', y)",
    ],
)
def test_javascript(path: str, tmp_path: Path) -> None:
    text = (
        "import fs from 'node:fs';\nimport path from 'node:path';\n"
        f"const y = q ? '/etc' : '/var';\nfs.readFileSync({path});\n"
    )
    assert _read(tmp_path, "a.mjs", text) == _BOTH


def test_words_of_a_program(tmp_path: Path) -> None:
    text = (
        "import { execFileSync } from 'node:child_process';\n"
        "const y = q ? '/etc' : '/var';\nexecFileSync('cat', [`${y}/a`]);\n"
    )
    assert _read(tmp_path, "a.mjs", text) == _BOTH


_MANY = [f"a{at}.txt" for at in range(12)]
_FAR = [f"a{at}.txt" for at in range(400)]


@pytest.mark.parametrize("names", [_MANY, _FAR])
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.py", "import os\nfor p in {names}:\n    open(os.path.expanduser(p)).read()\n"),
        ("a.py", "[open(p) for p in {names}]\n"),
        ("a.mjs", "import fs from 'node:fs';\nfor (const p of {names}) fs.readFileSync(p);\n"),
        ("a.mjs", "import fs from 'node:fs';\n{names}.forEach((p) => fs.readFileSync(p));\n"),
    ],
)
def test_place_of_secrets_at_the_end_of_a_list(file: str, text: str, names: list[str], tmp_path: Path) -> None:
    found = _read(tmp_path, file, text.replace("{names}", repr([*names, "/root/.ssh/id_rsa"])))
    assert "/root/.ssh/id_rsa" in found
    assert None in found  # There are more than are told.


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.py", "def g(p):\n    open(p)\n{calls}"),
        ("a.py", "def g(*, p=''):\n    open(p)\ng({keyword})\n{calls_named}"),
        ("a.py", "P = {dict}\nfor k in P:\n    open(P[k])\n"),
        ("a.mjs", "import fs from 'node:fs';\nfunction g(p) {\n  fs.readFileSync(p);\n}\n{calls}"),
        ("a.mjs", "import fs from 'node:fs';\nconst P = {dict};\nfor (const k in P) fs.readFileSync(P[k]);\n"),
        ("a.sh", "for p in {words}; do cat $p; done\n"),
        ("a.sh", 'A=({words})\nfor p in "${A[@]}"; do cat "$p"; done\n'),
        ("a.sh", 'g() {\n  cat "$1"\n}\n{called}'),
        ("a.sh", "cat {words}\n"),
        ("a.sh", "while read -r p; do cat $p; done <<X\n{lines}\nX\n"),
        ("a.ps1", "foreach ($p in {commas}) { Get-Content -Path $p }\n"),
        ("a.ps1", "{commas} | ForEach-Object { Get-Content $_ }\n"),
        ("a.ps1", "{commas} | % { [IO.File]::ReadAllText($_) }\n"),
        ("a.ps1", "{commas} | Get-Content\n"),
    ],
)
def test_place_of_secrets_among_many_however_they_are_handed_over(file: str, text: str, tmp_path: Path) -> None:
    names = [*_MANY, "/root/.ssh/id_rsa"]
    given = {
        "calls": "".join(f"g('{name}')\n" for name in names),
        "calls_named": "".join(f"g(p='{name}')\n" for name in names),
        "keyword": "p=''",
        "dict": "{" + ", ".join(f"'k{at}': '{name}'" for at, name in enumerate(names)) + "}",
        "words": " ".join(names),
        "called": "".join(f"g {name}\n" for name in names),
        "lines": "\n".join(names),
        "commas": ", ".join(f"'{name}'" for name in names),
    }
    for key, value in given.items():
        text = text.replace("{" + key + "}", value)
    assert "/root/.ssh/id_rsa" in _read(tmp_path, file, text)


def test_powershell_alternatives(tmp_path: Path) -> None:
    text = "$y = if ($q) { '/etc' } else { '/var' }\nGet-Content (Join-Path $y 'a')\n"
    assert _read(tmp_path, "a.ps1", text) == _BOTH


def test_of_two_words_each_is_all_that_it_may_be(tmp_path: Path) -> None:
    text = "for d in x y z; do for f in a b c d /etc/shadow; do cat $d $f; done; done\n"
    assert {"x", "y", "z", "/etc/shadow", None} <= _read(tmp_path, "a.sh", text)


_COMMANDS = ["ls", "pwd", "date", "whoami", "id", "hostname", "df -h", "free", "uptime", "w", "last", "rm -rf /opt/x"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.py", "import os\nfor c in {list}:\n    os.system(c)\n"),
        ("a.py", "import subprocess\nfor c in {lists}:\n    subprocess.run(c)\n"),
        ("a.mjs", "import { execSync } from 'node:child_process';\n{list}.forEach((c) => execSync(c));\n"),
        ("a.sh", 'C=({words})\nfor c in "${C[@]}"; do bash -c "$c"; done\n'),
        ("a.ps1", "foreach ($c in {commas}) { cmd /c $c }\n"),
    ],
)
def test_line_that_deletes_among_many_that_look(file: str, text: str, tmp_path: Path) -> None:
    given = {
        "lists": repr([line.split() for line in _COMMANDS]),
        "list": repr(_COMMANDS),
        "words": " ".join(f"'{line}'" for line in _COMMANDS),
        "commas": ", ".join(f"'{line}'" for line in _COMMANDS),
    }
    for key, value in given.items():
        text = text.replace("{" + key + "}", value)
    (tmp_path / file).write_text(text)
    assert ("fs.delete", "/opt/x") in {(fact.capability, fact.object) for _, fact in list_facts(tmp_path)}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.py", "import os\nfor k in {names}:\n    os.getenv(k)\n"),
        ("a.mjs", "for (const k of {names}) process.env[k];\n"),
        ("a.sh", "for k in {words}; do printenv $k; done\n"),
    ],
)
def test_secret_among_many_variables(file: str, text: str, tmp_path: Path) -> None:
    names = [f"NAME_{at}" for at in range(12)] + ["AWS_SECRET_ACCESS_KEY"]
    (tmp_path / file).write_text(text.replace("{names}", repr(names)).replace("{words}", " ".join(names)))
    found = {fact.object for _, fact in list_facts(tmp_path) if fact.capability == "env.read"}
    assert {"AWS_SECRET_ACCESS_KEY", None} <= found

"""What tools and hosts load by themselves because it lies there is `autorun`, wherever its name is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.model.inventory import Inventory
from plugseal.verbs.scan import scan_path

_PY = "VALUE = 1\n"
_JS = "module.exports = {};\n"
_LOADED = {
    "a plugin of yarn": ({".yarnrc.yml": "plugins:\n  - path: .yarn/p.cjs\n", ".yarn/p.cjs": _JS}, ".yarn/p.cjs"),
    "a preload of bun": ({"bunfig.toml": 'preload = ["./pre.js"]\n', "pre.js": _JS}, "pre.js"),
    "a file of pnpm": ({".pnpmfile.cjs": _JS}, ".pnpmfile.cjs"),
    "a newer file of pnpm": ({".pnpmfile.mjs": "export {};\n"}, ".pnpmfile.mjs"),
    "a plugin of pytest in pytest.ini": ({"pytest.ini": "[pytest]\naddopts = -p a.b\n", "a/b.py": _PY}, "a/b.py"),
    "a plugin of pytest in pyproject.toml": (
        {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-q -p b"\n', "b/__init__.py": _PY},
        "b/__init__.py",
    ),
    "an entry point of pytest": (
        {"pyproject.toml": '[project]\nname = "x"\n[project.entry-points.pytest11]\nx = "a.b"\n', "src/a/b.py": _PY},
        None,
    ),
    "a plugin of OpenCode": ({".opencode/plugins/p.ts": _JS}, ".opencode/plugins/p.ts"),
    "a tool of OpenCode": ({".opencode/tool/t.ts": _JS}, ".opencode/tool/t.ts"),
    "a plugin that OpenCode's settings name": ({"opencode.json": '{"plugin": ["./p.ts"]}', "p.ts": _JS}, "p.ts"),
    "an extension of Pi": ({".pi/extensions/e.ts": _JS}, ".pi/extensions/e.ts"),
    "a hook of mise": ({".mise/config.toml": "[hooks]\nenter = './a.sh'\n", "a.sh": "ls\n"}, "a.sh"),
    "a hook of mise elsewhere": ({".config/mise/config.toml": "[hooks]\nenter = './a.sh'\n", "a.sh": "ls\n"}, "a.sh"),
    "a hook of mise for a place": ({"mise.ci.toml": "[hooks]\nenter = './a.sh'\n", "a.sh": "ls\n"}, "a.sh"),
    "a line of a submodule": ({".gitmodules": '[submodule "x"]\n\tupdate = !ls\n'}, "ls"),
    "a helper of a submodule": ({".gitmodules": '[submodule "x"]\n\turl = ext::sh -c ls% -l\n'}, "sh"),
    "an option as the address of a submodule": ({".gitmodules": '[submodule "x"]\n\turl = -u./x.sh\n'}, "git"),
}
_LEFT_ALONE = {
    "a plugin of pytest that is switched off": {"pytest.ini": "[pytest]\naddopts = -p no:a\n", "a.py": _PY},
    "another option of pytest": {"pytest.ini": "[pytest]\naddopts = --pyargs --pdb\n", "yargs.py": _PY},
    "a plugin of pytest from elsewhere": {"pytest.ini": "[pytest]\naddopts = -p xdist\n"},
    "a preload for tests of bun": {"bunfig.toml": '[test]\npreload = "./pre.js"\n', "pre.js": _JS},
    "an ordinary submodule": {".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ../x.git\n', "x/a.py": _PY},
}


def _autorun(root: Path, files: dict[str, str]) -> list[str | None]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    found: Inventory = scan_path(root)
    return sorted({fact.object or "" for _, fact in found.facts if fact.capability == "autorun"})


@pytest.mark.parametrize(("files", "loaded"), _LOADED.values(), ids=_LOADED)
def test_what_is_loaded_unasked_is_said(tmp_path: Path, files: dict[str, str], loaded: str | None) -> None:
    found = _autorun(tmp_path, files)
    assert found == [loaded] if loaded is not None else found != []


@pytest.mark.parametrize("files", _LEFT_ALONE.values(), ids=_LEFT_ALONE)
def test_what_is_not_loaded_is_not_said(tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "keep.json").write_text("{}", "utf-8")
    (tmp_path / "Makefile").write_text("all:\n\tls\n", "utf-8")
    assert _autorun(tmp_path, files) == []

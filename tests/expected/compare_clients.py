"""Compare what a scan finds in public repositories for clients other than Claude Code, and for tools, with the lists.

By hand: `python tests/expected/compare_clients.py FOLDER…`, where a folder holds each repository as `owner+name` at the
commit of its list in `clients/`. The repositories are not ours and not here, so that no automatic run needs them.

What stays different, since the lists stand as they were written before the first scan: they count neither the tools and
questions of a bundle (stripe/ai, `mcpb`), the agents and commands of Grok's plugin (stripe/ai), the skill that a native
plugin names (aws, `openclaw`), nor Codex' marketplace for keys and the servers that three skills ask for (openai).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.scan.discover import Keeper, discover

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

_LISTS = Path(__file__).with_name("clients")
_SETTINGS = (".vscode/extensions.json", ".vscode/launch.json", ".vscode/mcp.json", ".vscode/settings.json")
_INSTALL = frozenset("preinstall install postinstall prepare preprepare postprepare prepublish".split())


def main(folders: list[Path]) -> int:
    """Print every difference, and return 1 if there is one."""
    differences = 0
    for file in sorted(_LISTS.glob("*.toml")):
        expected = tomllib.loads(file.read_text("utf-8"))
        name = expected["repository"].replace("/", "+")
        path = next((folder / name for folder in folders if (folder / name).is_dir()), None)
        if path is None:
            print(f"{expected['repository']}: is not there")
            continue
        wrong = list(_differences(expected, _units(path)))
        differences += len(wrong)
        print(f"{expected['repository']}: {len(wrong)} differences", *wrong, sep="\n  ")
    return 1 if differences else 0


def _units(path: Path) -> list[Plugin]:
    keeper = Keeper()
    tree = read_tree(path, keeper)
    return list(discover(keeper.listing(tree)))


def _differences(expected: dict[str, Any], units: list[Plugin]) -> Iterable[str]:
    for system, wanted in expected["systems"].items():
        found = _describe([unit for unit in units if unit.system == system])
        for key, value in wanted.items():
            if found.get(key) != value:
                yield f"{system} {key}: {_apart(value, found.get(key))}"
    tools = _tools(units)
    for key, value in expected["tooling"].items():
        if tools.get(key, 0) != value:
            yield f"tooling {key}: expected {value}, found {tools.get(key, 0)}"


def _apart(expected: Any, found: Any) -> str:
    if isinstance(expected, list) and isinstance(found, list):
        return f"missing {sorted(set(expected) - set(found))}, invented {sorted(set(found) - set(expected))}"
    return f"expected {expected}, found {found}"


def _describe(units: list[Plugin]) -> dict[str, Any]:
    markets = [unit for unit in units if unit.manifest.endswith("marketplace.json")]
    plugins = [unit for unit in units if unit.covers is None]
    settings = [unit for unit in units if unit.covers is not None and unit not in markets]
    counted = Counter(c.kind.value for unit in (*plugins, *markets) for c in unit.components if not _is_line(c))
    is_editor = bool(units) and units[0].system == "vscode"
    return {
        "plugins": sorted(f"{unit.name} {unit.root or '.'}" for unit in plugins),
        "marketplaces": sorted(unit.path_of(unit.manifest) for unit in markets),
        "settings": sorted(
            {unit.path_of(file) for unit in settings for file in _files(unit)}
            if is_editor
            else {unit.root or "." for unit in settings if any("settings" in file for file in _files(unit))}
        ),
        "components": {kind: count for kind, count in sorted(counted.items()) if count},
    }


def _files(unit: Plugin) -> set[str]:
    named = {component.file for component in unit.components} | set(unit.read) | {file for file, _ in unit.unknown}
    return named | {fault.file for fault in unit.faults}


def _is_line(component: Component) -> bool:
    """Say whether a component is a shell line of a command file, which its list counts as part of the command."""
    return component.kind is ComponentKind.COMMAND and bool(component.command)


def _tools(units: list[Plugin]) -> Counter[str]:
    """Count what tools run, in the words of the lists."""
    found: Counter[str] = Counter()
    for unit in units:
        if unit.system not in ("tooling", "github-actions"):
            continue
        files = {unit.path_of(component.file) for component in unit.components} | {unit.path_of(f) for f in unit.read}
        files |= {unit.path_of(file) for file, _ in unit.unknown} | {unit.path_of(fault.file) for fault in unit.faults}
        for file in files:
            name = file.rpartition("/")[2]
            found["workflows"] += "/workflows/" in f"/{file}"
            found["actions"] += name in ("action.yml", "action.yaml")
            found["conftests"] += name == "conftest.py"
            found["setup_files"] += name == "setup.py"
            found["mise"] += name in ("mise.toml", ".mise.toml")
            found["makefiles"] += name.lower() in ("makefile", "gnumakefile", "justfile")
        for component in unit.components:
            name = component.file.rpartition("/")[2]
            if (
                name == "package.json"
                and component.kind is ComponentKind.SCRIPT
                and not component.trigger.startswith("hook")
            ):
                called = component.name.rpartition(": ")[2]
                found["install_scripts" if called in _INSTALL else "scripts"] += 1
            found["build_systems"] += component.name.rpartition(": ")[2].startswith("build backend ")
            if unit.system == "github-actions":
                _count_step(found, component)
    return found


def _count_step(found: Counter[str], component: Component) -> None:
    if component.kind is ComponentKind.SCRIPT and component.name not in ("pre", "main", "post"):
        found["run_steps"] += 1
    if component.kind is ComponentKind.SOURCE and component.packages:
        found["uses"] += 1
        found["uses_pinned"] += component.packages[0].pinning == "exact"
    elif component.kind is ComponentKind.SOURCE:
        found["uses_local"] += 1


if __name__ == "__main__":
    sys.exit(main([Path(word) for word in sys.argv[1:]]))

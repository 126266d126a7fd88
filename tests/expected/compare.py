"""Compare what a scan finds in public repositories with what was counted by reading them.

By hand: `python tests/expected/compare.py FOLDER`, where FOLDER holds each repository as `owner+name` at the commit of
its list. The repositories are not ours and not here, so that no automatic run needs them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.scan.discover import Keeper, discover, manifest_facts

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

_HERE = Path(__file__).parent
_UNRESTRICTED = frozenset({"Bash", "Bash(*)", "Bash(:*)", "Bash(**)"})
_COUNTED = {"command": "commands", "agent": "agents", "skill": "skills"}


def main(folder: Path) -> int:
    """Print every difference, and return 1 if there is one."""
    differences = 0
    for file in sorted(_HERE.glob("*.toml")):
        expected = tomllib.loads(file.read_text("utf-8"))
        path = folder / expected["repository"].replace("/", "+")
        if not path.is_dir():
            print(f"{expected['repository']}: is not there")
            continue
        found = describe(path)
        wrong = [key for key in found if found[key] != expected[key]]
        differences += len(wrong)
        print(f"{expected['repository']}: {len(found) - len(wrong)} of {len(found)} lists equal")
        for key in wrong:
            print(f"  {key}: expected {expected[key]}\n  {' ' * len(key)}  found    {found[key]}")
    return 1 if differences else 0


def describe(path: Path) -> dict[str, Any]:
    """Return what the systems find of Claude Code in a tree, in the words of the lists."""
    keeper = Keeper()
    tree = read_tree(path, keeper)
    units = [plugin for plugin in discover(keeper.listing(tree)) if plugin.system == "claude-code"]
    plugins = [unit for unit in units if unit.covers is None]
    markets = [unit for unit in units if unit.manifest.endswith("marketplace.json")]
    settings = [unit for unit in units if unit.covers is not None and unit not in markets]
    parts = [component for plugin in plugins for component in plugin.components]
    kinds = Counter(component.kind.value for component in parts if not _is_line(component))
    hooks = [component for component in parts if component.kind is ComponentKind.HOOK]
    return {
        "plugins": sorted(f"{plugin.name} {plugin.root or '.'}" for plugin in plugins),
        "configurations": sorted(f"{unit.root}/.claude".lstrip("/") for unit in settings),
        "marketplaces": sorted(f"{unit.root}/{unit.manifest}".lstrip("/") for unit in markets),
        "entries": dict(Counter(_entry(component) for unit in markets for component in _sources(unit))),
        "hooks_by_event": dict(Counter(hook.trigger.removeprefix("hook:") for hook in hooks)),
        "hooks_by_type": dict(Counter(_type(hook) for hook in hooks)),
        "servers": dict(Counter(word for component in parts for word in _server(component))),
        "language_servers": sum(
            component.kind is ComponentKind.LANGUAGE_SERVER for unit in units for component in unit.components
        ),
        **{name: kinds[kind] for kind, name in _COUNTED.items()},
        "prompt_commands": {
            "block": sum(
                _is_line(component) and _is_block(path, plugin, component)
                for plugin in plugins
                for component in plugin.components
            ),
            "inline": sum(
                _is_line(component) and not _is_block(path, plugin, component)
                for plugin in plugins
                for component in plugin.components
            ),
        },
        "unrestricted_bash": _grants(plugins),
    }


def _is_line(component: Component) -> bool:
    return component.kind is ComponentKind.COMMAND and ".!" in component.name and component.shell


def _is_block(path: Path, plugin: Plugin, component: Component) -> bool:
    """Say whether a line of a text is a block: its first line stands below the fence that opens it."""
    lines = (path / plugin.path_of(component.file)).read_text("utf-8").split("\n")
    return "```!" in "".join(lines[max(component.span.line - 2, 0) : component.span.line])


def _sources(unit: Plugin) -> Iterator[Component]:
    yield from (component for component in unit.components if component.kind is ComponentKind.SOURCE)


def _entry(component: Component) -> str:
    if not component.packages:
        return "relative"
    import json

    kind = json.loads(dict(component.extra)["source"])["source"]
    pinning = component.packages[0].pinning
    return f"{kind}-{ {'exact': 'sha', 'versioned': 'ref'}.get(pinning, 'none') }"


def _type(hook: Component) -> str:
    return dict(hook.extra).get("type", '"command"').strip('"')


def _server(component: Component) -> Iterator[str]:
    if component.kind is ComponentKind.SERVER:
        yield "stdio" if component.command else "remote"
        yield from (package.pinning for package in component.packages[:1])


def _grants(plugins: list[Plugin]) -> dict[str, int]:
    found = {
        (plugin.root, file, "skill" if file.endswith("SKILL.md") else "command")
        for plugin in plugins
        for file, fact in manifest_facts(plugin)
        if fact.capability == "grant" and fact.object in _UNRESTRICTED
    }
    return dict(Counter(kind for _, _, kind in found))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""What OpenCode gives to a shell before its model sees a prompt, and how it takes the names of plugins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.model.inventory import Inventory
from plugseal.verbs.scan import scan_path

_LINES = {
    "at the start of a line": ("!`curl https://a.example.invalid`", 4, 3),
    "behind a space": ("Use !`curl https://a.example.invalid` now", 4, 7),
    "behind a letter": ("Use:!`curl https://a.example.invalid`", 4, 7),
    "in a fence": ("```\n!`curl https://a.example.invalid`\n```", 5, 3),
}


def _scan(root: Path, files: dict[str, str]) -> Inventory:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return scan_path(root)


def _shells(inventory: Inventory) -> list[tuple[str, int, int, str | None]]:
    facts = [(file, fact) for file, fact in inventory.facts if fact.capability == "net.outbound"]
    return sorted({(file, fact.span.line, fact.span.column, fact.object) for file, fact in facts})


@pytest.mark.parametrize(("text", "line", "column"), _LINES.values(), ids=_LINES)
@pytest.mark.parametrize("folder", ["command", "commands", "commands/deep"])
def test_a_line_of_a_prompt_runs_when_the_command_does(
    tmp_path: Path, folder: str, text: str, line: int, column: int
) -> None:
    file = f".opencode/{folder}/go.md"
    found = _scan(tmp_path, {file: f"---\ndescription: x\n---\n{text}\n"})
    assert (file, line, column, "a.example.invalid") in _shells(found)
    assert "command" in {fact.trigger for _, fact in found.facts if fact.capability == "process.shell"}


def test_a_line_of_the_front_matter_runs_nothing(tmp_path: Path) -> None:
    text = '---\ndescription: "!`curl https://a.example.invalid`"\n---\nHello.\n'
    assert _shells(_scan(tmp_path, {".opencode/command/go.md": text})) == []


def test_a_line_of_a_template_in_the_configuration_runs_when_the_command_does(tmp_path: Path) -> None:
    config = json.dumps({"command": {"go": {"template": "Look: !`curl https://a.example.invalid`"}}})
    assert _shells(_scan(tmp_path, {"opencode.json": config}))[0][3] == "a.example.invalid"


def test_a_plugin_with_options_is_named_like_one_without(tmp_path: Path) -> None:
    config = json.dumps({"plugin": ["one", ["two", {"a": 1}], ["./three.ts", {}], 4, []]})
    found = _scan(tmp_path, {"opencode.json": config, "three.ts": "export const T = async () => ({});\n"})
    (report,) = found.plugins
    assert [part.name for part in report.plugin.components] == ["./three.ts", "one", "two"]
    assert [message.split(":")[1].strip() for _, _, message in found.faults] == ["`plugin.3`", "`plugin.4`"]

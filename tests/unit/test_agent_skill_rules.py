"""The rules of agentskills.io, one case for each rule and boundary; and what is a fault of ours, which is less."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.intake.read import read_tree
from plugseal.model.plugin import Plugin
from plugseal.scan.discover import Keeper, discover
from plugseal.systems.agent_skill.rules import check_skill, unknown_fields

LEAST = {"name": "pdf-processing", "description": "Extracts text."}
FOLDER = "pdf-processing"


def _name(name: object) -> dict[str, object]:
    return {"name": name, "description": "d"}


NAMES = [
    *[
        pytest.param(name, [], id=f"{name!r} is a name")
        for name in ("a", "7", "pdf-processing", "data2-analysis", "a-b-c", "a" * 64, "0-0")
    ],
    *[
        pytest.param(name, ["must be lower-case letters and digits, with single hyphens between them"], id=f"{name!r}")
        for name in (
            "PDF-Processing",
            "-pdf",
            "pdf-",
            "pdf--processing",
            "pdf_processing",
            "pdf processing",
            "pdf.processing",
            "pdf/processing",
            "pdf\n",
            "",
            " ",
            " pdf",
            "caf\u00e9",
            "\u0430bc",
            "\u6280\u80fd",
            "a\u0663",
            "\uff41",
        )
    ],
    pytest.param("a" * 65, ["is longer than 64 characters"], id="65 characters"),
    pytest.param(123, ["must be text, not a number"], id="a number"),
    pytest.param(True, ["must be text, not a boolean"], id="a boolean"),
    pytest.param(["a"], ["must be text, not a list"], id="a list"),
    pytest.param({}, ["must be text, not a table"], id="a table"),
    pytest.param(None, ["is missing"], id="null"),
]


@pytest.mark.parametrize(("name", "expected"), NAMES)
def test_a_name_is_judged(name: object, expected: list[str]) -> None:
    folder = name if isinstance(name, str) else "any"
    assert check_skill(_name(name), folder) == tuple(("name", why) for why in expected)


@pytest.mark.parametrize(
    ("name", "folder", "same"),
    [
        pytest.param("a", "a", True, id="equal"),
        pytest.param("a", "b", False, id="another"),
        pytest.param("a", "A", False, id="another case"),
        pytest.param("a", "skills", False, id="the folder above"),
        pytest.param("a", "", False, id="no folder"),
    ],
)
def test_a_name_is_that_of_its_folder(name: str, folder: str, same: bool) -> None:
    assert (check_skill(_name(name), folder) == ()) == same


FIELDS = [
    pytest.param({}, [], id="the least"),
    pytest.param({"description": "d" * 1024}, [], id="description of 1,024"),
    pytest.param({"description": "d" * 1025}, ["description is longer than 1,024 characters"], id="of 1,025"),
    pytest.param({"description": "\U0001f600" * 1024}, [], id="1,024 code points beyond the first plane"),
    pytest.param({"description": ""}, ["description must not be blank"], id="description empty"),
    pytest.param({"description": " \n"}, ["description must not be blank"], id="description blank"),
    pytest.param({"description": None}, ["description must be text, not null"], id="description null"),
    pytest.param({"description": 1}, ["description must be text, not a number"], id="description number"),
    pytest.param({"description": ["d"]}, ["description must be text, not a list"], id="description list"),
    pytest.param({"license": "MIT"}, [], id="licence"),
    pytest.param({"license": ""}, [], id="licence empty"),
    pytest.param({"license": ["MIT"]}, ["license must be text, not a list"], id="licence list"),
    pytest.param({"license": None}, ["license must be text, not null"], id="licence null"),
    pytest.param({"compatibility": "c" * 500}, [], id="compatibility of 500"),
    pytest.param({"compatibility": "c" * 501}, ["compatibility is longer than 500 characters"], id="of 501"),
    pytest.param({"compatibility": ""}, ["compatibility must not be blank"], id="compatibility empty"),
    pytest.param({"compatibility": {}}, ["compatibility must be text, not a table"], id="compatibility table"),
    pytest.param({"metadata": {}}, [], id="metadata empty"),
    pytest.param({"metadata": {"a": "b"}}, [], id="metadata"),
    pytest.param({"metadata": {"version": 1.0, "draft": True, "none": None}}, [], id="metadata of scalars"),
    pytest.param({"metadata": "x"}, ["metadata must be a table, not text"], id="metadata text"),
    pytest.param({"metadata": ["x"]}, ["metadata must be a table, not a list"], id="metadata list"),
    pytest.param({"metadata": None}, ["metadata must be a table, not null"], id="metadata null"),
    pytest.param({"metadata": {"a": {}}}, ["metadata.a must be text, not a table"], id="metadata nested"),
    pytest.param({"metadata": {"a": []}}, ["metadata.a must be text, not a list"], id="metadata with a list"),
    pytest.param({"allowed-tools": "Bash(git:*) Read"}, [], id="allowed tools"),
    pytest.param({"allowed-tools": ""}, [], id="allowed tools empty"),
    pytest.param({"allowed-tools": ["Read"]}, ["allowed-tools must be text, not a list"], id="allowed tools list"),
    pytest.param({"allowed_tools": ["Read"], "hooks": {}, "model": 1}, [], id="other keys are free"),
]


@pytest.mark.parametrize(("change", "expected"), FIELDS)
def test_a_field_is_judged(change: dict[str, object], expected: list[str]) -> None:
    assert [f"{field} {why}" for field, why in check_skill(LEAST | change, FOLDER)] == expected


def test_everything_is_said_at_once() -> None:
    found = check_skill({"name": "A--", "compatibility": "", "metadata": 1}, "b")
    assert [problem.field for problem in found] == ["name", "name", "description", "compatibility", "metadata"]


def test_an_empty_front_matter_lacks_both_required_fields() -> None:
    assert check_skill({}, "a") == (("name", "is missing"), ("description", "is missing"))


def test_keys_that_the_specification_does_not_know_are_named_sorted() -> None:
    assert unknown_fields(LEAST | {"model": 1, "Name": 1, "allowed_tools": 1}) == ("Name", "allowed_tools", "model")


# The unit of a skill that stands for itself.


def _skill(tmp_path: Path, text: str, file: str = "a/SKILL.md") -> Plugin:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text, "utf-8")
    keeper = Keeper()
    read_tree(tmp_path, keeper)
    [plugin] = discover(keeper.listing())
    assert plugin.system == "agent-skill"
    assert plugin.conforms is not None
    return plugin


@pytest.mark.parametrize(
    ("front", "rejected", "faults", "reported"),
    [
        pytest.param("name: a\ndescription: d", "", 0, [], id="conforms"),
        pytest.param("name: b\ndescription: d", "`name` is not that of its folder `a`", 0, [], id="another name"),
        pytest.param("name: a", "`description` is missing", 0, [], id="no description"),
        pytest.param("name: a\ndescription: d\nmodel: large\nhooks: {}", "", 0, ["hooks", "model"], id="further keys"),
        pytest.param("name: a\ndescription: d\nallowed-tools: [Read]", "`allowed-tools` must be", 0, [], id="a list"),
        pytest.param("name: [a", "not valid YAML", 1, [], id="no YAML"),
        pytest.param("name: a\nname: a", "duplicate key", 1, [], id="repeated key"),
        pytest.param("name: [a]\ndescription: d", "`name` must be text", 1, [], id="a name that is none"),
    ],
)
def test_a_skill_is_judged_twice(front: str, rejected: str, faults: int, reported: list[str], tmp_path: Path) -> None:
    plugin = _skill(tmp_path, f"---\n{front}\n---\n\n# A\n")
    verdict = plugin.conforms
    assert verdict is not None
    assert (verdict.rejected is not None) == bool(rejected)
    assert rejected in (verdict.rejected or "")
    assert dict(verdict.loaded)["skills"] == (() if rejected else ("a",))
    assert len(plugin.faults) == faults
    assert [row.field for row in verdict.reported] == reported


def test_another_spelling_of_the_file_is_refused_by_both(tmp_path: Path) -> None:
    plugin = _skill(tmp_path, "---\nname: a\ndescription: d\n---\n", "a/skill.md")
    assert plugin.conforms is not None
    assert "is not spelled `SKILL.md`" in (plugin.conforms.rejected or "")
    assert plugin.faults


def test_a_text_of_a_skill_is_no_skill_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "a/workflow").mkdir(parents=True)
    (tmp_path / "a/workflow/skill.md").write_text("# How a skill is planned\n", "utf-8")
    assert not _skill(tmp_path, "---\nname: a\ndescription: d\n---\n").faults


def test_the_name_of_the_scanned_folder_is_not_asked_for(tmp_path: Path) -> None:
    plugin = _skill(tmp_path, "---\nname: anything\ndescription: d\n---\n", "SKILL.md")
    assert plugin.conforms is not None
    assert plugin.conforms.rejected is None

"""What a typed word means: a path, an ID printed from any folder above, or a name, and never a guess."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.errors import NothingToJudgeError, UsageError
from plugseal.verbs import user
from plugseal.verbs.known import find_record
from plugseal.verbs.look import look
from plugseal.verbs.scan import scan_path
from plugseal.verbs.select import Selection, select
from plugseal.verbs.state import open_store
from plugseal.verbs.trust import forget, trust

Make = Callable[..., Path]


def _coding(name: str) -> str:
    return json.dumps({"id": name, "version": "1", "command": "true"})


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with plugins `one`, `two` (twice) and a single file, which is the current one."""
    for folder, name in (("a/one", "one"), ("a/two", "two"), ("b/c/two", "two"), ("odd", "o d/d")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "coding-plugin.json").write_text(_coding(name))
    home = tmp_path / "p" / ".amness" / "plugins"
    home.mkdir(parents=True)
    (home / "guard.ts").write_text('export default { name: "guard" };')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user, "home_of_user", lambda: str(tmp_path / "nobody"))
    return tmp_path


def test_a_recorded_id_is_found_without_a_walk(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path.parent / f"{tmp_path.name}-state"))
    found = look(select("a/one"))
    trust(found, str(found.report.token), open_store())

    def walked(*_: object) -> None:
        raise AssertionError("it was walked")

    monkeypatch.setattr("plugseal.verbs.select.read_tree", walked)
    assert select(found.id).path == workspace / "a/one"


def test_a_name_that_nobody_recorded_has_a_near_one(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path.parent / f"{tmp_path.name}-state"))
    found = look(select("a/one"))
    trust(found, str(found.report.token), open_store())
    for word, hint in (("ome", "did you mean `one`?"), (found.id[:-1] + "x", f"did you mean `{found.id}`?")):
        with pytest.raises(NothingToJudgeError) as caught:
            find_record(word, open_store())
        assert caught.value.hint == hint


def test_a_path_is_a_path(workspace: Path) -> None:
    for word in (".", "..", "a", "a/one", "./a", "a/missing", "missing.zip", str(workspace)):
        assert select(word).path == Path(word)
        assert not select(word).system


def test_a_name_is_looked_for_below_the_current_folder(workspace: Path) -> None:
    found = select("one")
    assert (found.path, found.system, found.name) == (Path("a/one"), "coding", "one")


def test_a_name_may_have_its_system(workspace: Path) -> None:
    assert select("coding:one").path == Path("a/one")


def test_what_is_there_under_a_name_is_a_path(workspace: Path) -> None:
    (workspace / "one").mkdir()
    assert select("one").path == Path("one")
    assert not select("one").system


def test_a_plugin_of_one_file_is_that_file(workspace: Path) -> None:
    assert select("guard").path == Path("p/.amness/plugins/guard.ts")


@pytest.mark.parametrize("folder", [".", "a", "b", "b/c", "b/c/two", "p", "p/.amness/plugins"])
def test_every_id_that_a_scan_of_any_folder_prints_is_understood(workspace: Path, folder: str) -> None:
    for report in scan_path(Path(folder)).plugins:
        if report.plugin.name == "two" and folder != ".":
            continue  # From there one ID can mean either.
        found = select(report.id)
        assert found.path.resolve() == (workspace / folder / report.plugin.root).resolve()
        assert found.means(report.plugin)


def test_a_name_of_two_plugins_is_no_answer(workspace: Path) -> None:
    with pytest.raises(UsageError) as caught:
        select("two")
    assert caught.value.message == "`two` is the name of 2 plugins"
    ids = [report.id for report in scan_path(Path()).plugins if report.plugin.name == "two"]
    assert [row.split("  ") for row in caught.value.details] == [[ids[0], "a/two"], [ids[1], "b/c/two"]]
    assert [select(one).path for one in ids] == [Path("a/two"), Path("b/c/two")]


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("nothing", id="a name"),
        pytest.param("coding:nothing", id="a name with a system"),
        pytest.param("coding:one@000000000000", id="an ID"),
        pytest.param("coding:on", id="a shortened name"),
    ],
)
def test_what_means_nothing_is_said(workspace: Path, word: str) -> None:
    with pytest.raises(UsageError):
        select(word)


def test_an_id_that_can_mean_either_of_two_plugins_is_no_answer(workspace: Path) -> None:
    (report,) = scan_path(Path("b/c/two")).plugins
    with pytest.raises(UsageError):
        select(report.id)


def test_a_near_name_is_suggested(workspace: Path) -> None:
    with pytest.raises(UsageError) as caught:
        select("ones")
    assert caught.value.hint == "did you mean `one`?"


@pytest.mark.parametrize("cut", [12, 11, 6, 1])
def test_a_shortened_id_is_none(workspace: Path, cut: int) -> None:
    full = next(report.id for report in scan_path(Path()).plugins if report.plugin.name == "one")
    shortened = full[:-cut]
    with pytest.raises(UsageError):
        select(shortened)


@pytest.mark.parametrize("command", ["hash", "validate", "facts"])
def test_commands_take_all_three(workspace: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    full = next(report.id for report in scan_path(Path()).plugins if report.plugin.name == "one")
    printed = []
    for word in ("a/one", "one", full):
        assert main([command, word]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] == printed[2]


@pytest.mark.parametrize("command", ["hash", "validate", "facts"])
def test_commands_end_with_2_on_what_is_ambiguous(
    workspace: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "two"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "a/two" in captured.err
    assert "b/c/two" in captured.err


def test_of_two_systems_in_one_folder_the_one_that_is_meant_is_shown(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "a" / "one" / ".mcp.json").write_text('{"mcpServers": {}}')
    assert main(["validate", "coding:one", "--format", "json"]) == 0
    plugins = json.loads(capsys.readouterr().out)["plugins"]
    assert [plugin["system"] for plugin in plugins] == ["coding"]


def test_hostile_names_are_shown_safely(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (workspace / "evil").mkdir()
    (workspace / "evil" / "coding-plugin.json").write_text(_coding("x\x1b[2Ky"))
    assert main(["validate", "x\x1b[2Ky"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert main(["validate", "x\x1b[2K"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_recorded_id_means_its_plugin_from_any_folder(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setenv("PLUGSEAL_HOME", str(home / "state"))
    found = look(Selection(workspace / "a" / "one"))
    assert found.report.token is not None
    trust(found, found.report.token, open_store())
    monkeypatch.chdir(elsewhere)
    again = look(select(found.id))
    assert (again.subject, again.id) == (found.subject, found.id)
    forget(find_record(found.id, open_store()), open_store())
    with pytest.raises(UsageError):
        select(found.id)

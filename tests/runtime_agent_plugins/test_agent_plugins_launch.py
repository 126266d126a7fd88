"""How a server of an Agent Plugins package is started: the specification, 7.2.1 and 9, each sentence a row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.agent_plugins.launch import fill_launch
from plugseal.runtime.approved import Approved
from tests.gated import World

SHOW = (
    "import json, os, sys\n"
    "with open(os.environ['PLUGIN_DATA'] + '/runs', 'a') as file:\n"
    "    file.write('x')\n"
    "print(json.dumps({'argv': sys.argv, 'cwd': os.getcwd(), 'environment': dict(os.environ)}), flush=True)\n"
)
SERVER = Approved(
    kind="server",
    name="main",
    transport="stdio",
    command=("python3", "x"),
    shell=False,
    cwd=None,
    environment=(),
    literals=(),
    endpoint=None,
    headers=(),
    entry=None,
    trigger="start",
    extra=(),
)


@pytest.fixture
def places(tmp_path: Path) -> tuple[str, str]:
    root, data = tmp_path / "stage", tmp_path / "data"
    for folder in (root / "sub", data / "kept"):
        folder.mkdir(parents=True)
    return str(root), str(data)


@pytest.mark.parametrize(
    ("word", "becomes"),
    [
        pytest.param("${PLUGIN_ROOT}/a", "<root>/a", id="root"),
        pytest.param("x=${PLUGIN_DATA}:${PLUGIN_DATA}", "x=<data>:<data>", id="every occurrence"),
        pytest.param("${HOME}/x", "${HOME}/x", id="another variable stays"),
        pytest.param("${PLUGIN_ROOT:-/x}", "${PLUGIN_ROOT:-/x}", id="a default stays"),
        pytest.param("${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_ROOT}", id="another client's name stays"),
        pytest.param("${env:HOME}", "${env:HOME}", id="another spelling stays"),
        pytest.param("./server.py", "./server.py", id="a path is an argument like any other"),
        pytest.param("--config=../../etc/passwd", "--config=../../etc/passwd", id="a value is never rewritten"),
        pytest.param("${PLUGIN_DATA}/../x", "<data>/../x", id="nothing is resolved in an argument"),
    ],
)
def test_a_word_and_a_variable_are_expanded_alike(word: str, becomes: str, places: tuple[str, str]) -> None:
    root, data = places
    component = SERVER._replace(command=("python3", word), environment=(("V", None),), literals=(("V", word),))
    found = fill_launch(component, root=root, data=data)
    expected = becomes.replace("<root>", root).replace("<data>", data)
    assert found.words == ("python3", expected)
    assert found.literals == (("V", expected),)
    assert found.fixed == (("PLUGIN_ROOT", root), ("PLUGIN_DATA", data))


@pytest.mark.parametrize(
    ("command", "program"),
    [
        pytest.param("./bin/run", "<root>/bin/run", id="from the root, wherever the working folder is"),
        pytest.param("node", "node", id="a bare name"),
        pytest.param("${NODE}", "${NODE}", id="nothing is expanded in a command"),
    ],
)
def test_the_command_is_one_token(command: str, program: str, places: tuple[str, str]) -> None:
    root, data = places
    found = fill_launch(SERVER._replace(command=(command,), cwd="./sub"), root=root, data=data)
    assert (found.words, found.program) == ((command,), program.replace("<root>", root))


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [
        (None, "<root>"),
        ("./", "<root>"),
        ("./sub", "<root>/sub"),
        ("${PLUGIN_ROOT}", "<root>"),
        ("${PLUGIN_ROOT}/sub/../sub", "<root>/sub"),
        ("${PLUGIN_DATA}", "<data>"),
        ("${PLUGIN_DATA}/kept", "<data>/kept"),
    ],
)
def test_a_working_folder_is_in_the_copy_or_in_the_data(cwd: str | None, folder: str, places: tuple[str, str]) -> None:
    root, data = places
    found = fill_launch(SERVER._replace(cwd=cwd), root=root, data=data)
    assert found.folder == folder.replace("<root>", root).replace("<data>", data)


@pytest.mark.parametrize(
    ("cwd", "reason"),
    [
        ("./..", "unbound-code"),
        ("${PLUGIN_DATA}/..", "unbound-code"),
        ("${PLUGIN_DATA}/out", "unbound-code"),
        ("/", "unbound-code"),
        ("./gone", "not-runnable"),
        ("${PLUGIN_DATA}/gone", "not-runnable"),
    ],
)
def test_a_working_folder_elsewhere_refuses(cwd: str, reason: str, places: tuple[str, str]) -> None:
    root, data = places
    # What the plugin itself wrote into its data folder is looked through.
    Path(data, "out").symlink_to("/usr")
    with pytest.raises(RefusedError) as refused:
        fill_launch(SERVER._replace(cwd=cwd), root=root, data=data)
    assert refused.value.reason == reason


def test_a_document_without_a_value_refuses(places: tuple[str, str]) -> None:
    root, data = places
    with pytest.raises(RefusedError, match="`KEY`") as refused:
        fill_launch(SERVER._replace(environment=(("KEY", "SECRET"),)), root=root, data=data)
    assert refused.value.reason == "document-damaged"


def test_a_started_server_has_its_two_folders_and_no_variable_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    monkeypatch.setenv("SECRET", "s3cret")
    env = {"A": "${SECRET}", "B": "${PLUGIN_DATA}/b", "plugin_root": "mine", "HOME": "/plugin/home"}
    spec = {"type": "stdio", "command": "python3", "args": ["${PLUGIN_ROOT}/show.py", "${SECRET}"], "env": env}
    world = World(tmp_path / "world", {"main": spec}, show_dot_py=SHOW).trust()
    for count in (1, 2):
        with world.supervisor().spawn(world.id) as session:
            with open(session.child.stdout, "rb", closefd=False) as out:
                found = json.loads(out.readline())
            session.child.end()
        seen = found["environment"]
        data = Path(seen["PLUGIN_DATA"])
        assert found["argv"] == [f"{world.stage}/show.py", "${SECRET}"]
        assert found["cwd"] == seen["PLUGIN_ROOT"] == str(world.stage)
        assert (seen["A"], seen["B"], seen["plugin_root"], seen["HOME"]) == (
            "${SECRET}",
            f"{data}/b",
            "mine",
            "/plugin/home",
        )
        assert "SECRET" not in seen
        assert (data / "runs").read_text() == "x" * count, "the folder stays between starts"


def test_the_data_folder_stays_when_the_plugin_is_updated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    spec = {"type": "stdio", "command": "python3", "args": ["${PLUGIN_ROOT}/show.py"]}
    world = World(tmp_path / "world", {"main": spec}, show_dot_py=SHOW).trust()
    folders = set()
    for text in (SHOW, SHOW + "# another version\n"):
        world.write("show.py", text)
        world.trust()
        with world.supervisor().spawn(world.id) as session:
            with open(session.child.stdout, "rb", closefd=False) as out:
                folders.add(json.loads(out.readline())["environment"]["PLUGIN_DATA"])
            session.child.end()
    (data,) = folders
    assert Path(data, "runs").read_text() == "xx"

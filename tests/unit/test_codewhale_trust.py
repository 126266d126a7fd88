"""What Codewhale's own tests ask of trust (its behaviours 21 to 47), asked of plugseal with Codewhale bundles.

Discovery, hashes and manifests are asked in `test_codewhale_upstream`; here it is state, transitions and the review.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main
from plugseal.errors import PlugsealError, StateError
from plugseal.verbs.look import look
from plugseal.verbs.select import Selection
from plugseal.verbs.state import open_store
from plugseal.verbs.trust import enable, trust

HEAD = 'schema_version = 1\n[plugin]\nname = "{name}"\nversion = "1.0.0"\n'
SKILL = "---\nname: hello\ndescription: Neutral.\n---\nSay hello.\n"
SERVERS = """[mcp_servers.local]
command = "node"
args = ["server.js", "--mode=worker", "-e", "console.log('ready')"]
env = {{ PLUGIN_TOKEN = "${{PLUGIN_TOKEN_SOURCE}}" }}
[mcp_servers.far]
url = "https://api.example.invalid/mcp"
bearer_token_env_var = "FAR_TOKEN"
[capabilities]
network_hosts = ["api.example.invalid"]
"""


class World:
    """A workspace with its state folder, and commands in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.home = root.parent / "state"
        self._capsys = capsys

    def bundle(self, name: str = "hello", more: str = "[skills]\n", *, below: str = ".codewhale/plugins") -> Path:
        """Write a bundle."""
        path = self.root / below / name
        (path / "skills" / "hello").mkdir(parents=True)
        (path / "plugin.toml").write_text(HEAD.format(name=name) + more)
        (path / "skills" / "hello" / "SKILL.md").write_text(SKILL)
        (path / "server.js").write_text("serve()\n")
        return path

    def run(self, *words: str | Path) -> tuple[int, str, str]:
        """Run a command line."""
        code = main([str(word) for word in words])
        out, errors = self._capsys.readouterr()
        return code, out, errors

    def token(self, path: Path) -> str:
        """Return the token that a review of a bundle prints."""
        return self.run("review", path, "--quiet")[1].strip()

    def trust(self, path: Path) -> None:
        """Trust a bundle as it is."""
        code, _, errors = self.run("trust", path, self.token(path))
        assert code == 0, errors

    def states(self) -> dict[str, str]:
        """Return the state of each bundle by its folder's name."""
        listed = json.loads(self.run("list", self.root, "--format", "json")[1])["plugins"]
        return {Path(one["path"]).name: one["state"] for one in listed if one["system"] == "codewhale"}

    def shown(self, path: Path) -> dict[str, Any]:
        """Return what is recorded about a bundle."""
        found: dict[str, Any] = json.loads(self.run("show", path, "--format", "json")[1])
        return found

    @property
    def record(self) -> Path:
        """The one record."""
        (found,) = (self.home / "plugins").glob("*.json")
        return found


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> World:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return World(tmp_path / "work", capsys)


def test_21_and_47_looking_makes_no_state(world: World) -> None:
    path = world.bundle()
    assert world.states() == {"hello": "not reviewed"}
    for words in (("review", path), ("validate", path), ("diff", path), ("show", path), ("log",), ("log", "verify")):
        world.run(*words)
    assert not world.home.exists()


def test_22_and_23_equal_names_have_ids_of_their_own_that_stay(world: World) -> None:
    first, second = world.bundle(below="a/.codewhale/plugins"), world.bundle(below="b/.codewhale/plugins")
    ids = [json.loads(world.run("review", p, "--format", "json")[1])["id"] for p in (first, second, first)]
    assert ids[0] == ids[2] != ids[1]
    world.trust(first)
    assert world.run("enable", second)[0] == 1


def test_24_a_linked_root_is_the_place_it_leads_to(world: World) -> None:
    path = world.bundle()
    world.trust(path)
    (world.root / "link").symlink_to(path)
    assert world.shown(world.root / "link")["id"] == world.shown(path)["id"]


def test_26_the_way_from_nothing_to_active_and_back(world: World) -> None:
    path = world.bundle()
    assert world.run("enable", path)[0] == 1
    assert not world.home.exists()
    world.trust(path)
    assert world.states() == {"hello": "trusted"}
    assert world.run("enable", path)[0] == 0
    assert world.states() == {"hello": "active"}
    world.run("revoke", path)
    assert world.shown(path)["recorded"]["enabled"] is True
    assert world.states() == {"hello": "revoked"}
    world.trust(path)
    assert world.shown(path)["recorded"]["enabled"] is False
    actions = [entry["action"] for entry in world.shown(path)["reviews"]["entries"]]
    assert actions == ["trusted", "enabled", "revoked", "trusted"]
    files = [one for one in world.home.rglob("*") if "stage" not in one.relative_to(world.home).parts]
    assert {stat.S_IMODE(one.stat().st_mode) for one in files if one.is_file()} == {0o600}
    assert {stat.S_IMODE(one.stat().st_mode) for one in files if one.is_dir()} == {0o700}
    assert not list(world.home.rglob("*.tmp"))


def test_27_a_changed_skill_keeps_the_permission_and_is_not_active(world: World) -> None:
    path = world.bundle()
    world.trust(path)
    world.run("enable", path)
    (path / "server.js").write_text("serve() // more\n")
    assert world.shown(path)["recorded"]["enabled"] is True
    assert world.states() == {"hello": "enabled, changed"}
    assert "content" in world.run("review", path)[1]


def test_28_a_to_b_to_a_shows_the_staged_a(world: World) -> None:
    path = world.bundle()
    world.trust(path)
    content = world.shown(path)["recorded"]["trust"]["content_receipt"]
    file = path / "skills" / "hello" / "SKILL.md"
    file.write_text(SKILL.replace("hello.", "evil."))
    staged = world.home / "stage" / content / "skills" / "hello" / "SKILL.md"
    assert staged.read_text() == SKILL
    file.write_text(SKILL)
    assert world.run("enable", path)[0] == 0
    assert staged.read_text() == SKILL


def test_29_and_45_more_capabilities_are_said_before_other_content(world: World) -> None:
    path = world.bundle()
    token = world.token(path)
    world.trust(path)
    (path / "plugin.toml").write_text(HEAD.format(name="hello") + "[skills]\n" + SERVERS.format())
    code, _, errors = world.run("trust", path, token)
    assert code == 1
    assert errors.index("capability: differs") < errors.index("content: differs")
    assert world.token(path) not in errors
    code, out, _ = world.run("enable", path)
    assert code == 1
    assert "refused: hello can do other things than those that were trusted" in out


@pytest.mark.parametrize("harm", ["malformed", "a directory", "a link", "a hard link", "a linked lock"])
def test_30_31_40_and_41_state_that_can_not_be_believed_permits_nothing_and_stays(world: World, harm: str) -> None:
    path = world.bundle()
    world.trust(path)
    record = world.record
    target = world.root / "target"
    target.write_bytes(record.read_bytes())
    if harm == "malformed":
        record.write_text("{ malformed")
    elif harm == "a hard link":
        record.with_name("second").hardlink_to(record)
    elif harm == "a linked lock":
        lock = record.with_name(f"{record.name}.lock")
        lock.unlink()
        lock.symlink_to(target)
    else:
        record.unlink()
        record.mkdir() if harm == "a directory" else record.symlink_to(target)
    before = (record.lstat().st_mode, record.read_bytes() if record.is_file() else b"", target.read_bytes())
    assert world.run("enable", path)[0] == 4
    code, _, errors = world.run("trust", path, world.token(path) or "0" * 64 + "." + "0" * 64)
    assert code in (1, 4), errors
    assert (record.lstat().st_mode, record.read_bytes() if record.is_file() else b"", target.read_bytes()) == before
    if harm != "a linked lock":
        assert world.states() == {"hello": "broken record"}


def test_33_what_is_not_understood_can_not_be_trusted(world: World) -> None:
    path = world.bundle(more="unknown_field = 1\n")
    out = world.run("review", path)[1]
    assert "It can't be trusted: it was not understood in full." in out
    assert world.run("trust", path, "0" * 64 + "." + "0" * 64)[0] == 1


def test_35_two_threads_trust_different_bundles(world: World) -> None:
    paths = [world.bundle("one"), world.bundle("two")]
    errors: list[PlugsealError] = []

    def both(path: Path) -> None:
        try:
            for _ in range(5):
                found = look(Selection(path))
                trust(found, found.report.token or "", open_store())
                enable(found, open_store())
        except PlugsealError as error:
            errors.append(error)

    threads = [threading.Thread(target=both, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert world.states() == {"one": "active", "two": "active"}


def test_36_and_32_a_stale_look_enables_nothing_that_was_revoked(world: World) -> None:
    path = world.bundle()
    world.trust(path)
    stale = look(Selection(path))
    world.run("revoke", path)
    with pytest.raises(PlugsealError, match="it is not trusted"):
        enable(stale, open_store())
    assert world.states() == {"hello": "revoked"}


def test_37_the_stage_is_read_only(world: World) -> None:
    path = world.bundle()
    (path / "server.js").chmod(0o755)
    world.trust(path)
    (stage,) = (world.home / "stage").iterdir()
    modes = {one.relative_to(stage).as_posix(): stat.S_IMODE(one.stat().st_mode) for one in stage.rglob("*")}
    assert modes["skills"] == 0o500
    assert modes["plugin.toml"] == 0o400
    assert modes["server.js"] == 0o500


def test_38_looking_changes_no_mode(world: World) -> None:
    path = world.bundle()
    world.trust(path)
    before = {one: one.lstat().st_mode for one in world.home.rglob("*")}
    world.states()
    world.run("review", path)
    world.run("show", path)
    assert {one: one.lstat().st_mode for one in world.home.rglob("*")} == before


@pytest.mark.parametrize("harm", ["open to others", "a link"])
def test_39_a_state_folder_that_is_not_private_is_refused_and_never_mended(world: World, harm: str) -> None:
    path = world.bundle()
    if harm == "open to others":
        world.home.mkdir()
        world.home.chmod(0o777)
    else:
        (world.root.parent / "elsewhere").mkdir(mode=0o700)
        world.home.symlink_to(world.root.parent / "elsewhere")
    assert world.run("review", path)[0] == 4
    token = json.loads(world.run("hash", path, "--format", "json")[1] or "{}").get("token") or "0" * 64 + "." + "0" * 64
    assert world.run("trust", path, token)[0] in (1, 4)
    assert world.home.is_symlink() or stat.S_IMODE(world.home.stat().st_mode) == 0o777
    assert list(world.home.iterdir()) == []


@pytest.mark.parametrize("harm", ["root", "file"])
def test_41_what_becomes_a_link_after_the_review_is_not_trusted(world: World, harm: str) -> None:
    path = world.bundle()
    token = world.token(path)
    if harm == "root":
        path.rename(path.with_name("aside"))
        shutil.copytree(path.with_name("aside"), world.root / "evil")
        (world.root / "evil" / "server.js").write_text("evil()\n")
        path.symlink_to(world.root / "evil")
    else:
        (path / "server.js").unlink()
        (path / "server.js").hardlink_to(path / "plugin.toml")
    assert world.run("trust", path, token)[0] == 1
    assert not world.home.exists() or not list((world.home / "plugins").glob("*.json"))


def test_42_trust_of_one_workspace_is_none_of_another(world: World) -> None:
    first = world.bundle(below="a/.codewhale/plugins")
    world.trust(first)
    world.run("enable", first)
    shutil.copytree(world.root / "a", world.root / "b")
    listed = json.loads(world.run("list", world.root, "--format", "json")[1])["plugins"]
    assert sorted(one["state"] for one in listed) == ["active", "not reviewed"]


def _no_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchmod", fails)


def _no_folder_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync

    def fails(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(5, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fails)


@pytest.mark.parametrize(
    ("harm", "says", "published"), [(_no_mode, "nothing was changed", False), (_no_folder_sync, "published", True)]
)
def test_43_a_write_that_fails_says_whether_it_was_published(
    world: World, harm: Callable[[pytest.MonkeyPatch], None], says: str, published: bool
) -> None:
    path = world.bundle()
    world.trust(path)
    found, store = look(Selection(path)), open_store()
    with pytest.MonkeyPatch.context() as patch:
        harm(patch)
        with pytest.raises(StateError) as caught:
            enable(found, store)
    assert says in " ".join(caught.value.details)
    assert world.states() == {"hello": "active" if published else "trusted"}
    assert not list(world.home.rglob("*.tmp"))


def test_45_only_the_whole_token_trusts_and_enable_shows_the_review(world: World) -> None:
    path = world.bundle()
    token = world.token(path)
    for wrong in (token[:12], token[:-1], token.upper(), "0" * 64 + "." + "0" * 64, token + " "):
        code, _, errors = world.run("trust", path, wrong)
        assert code == 1, wrong
        assert token not in errors
    code, out, _ = world.run("enable", path)
    assert code == 1
    assert out.startswith("Review of hello 1.0.0")
    assert out.splitlines()[-1] == "refused: hello is not trusted"


def test_46_the_review_shows_the_launch_data_and_no_value(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUGIN_TOKEN_SOURCE", "value-of-the-variable")
    out = world.run("review", world.bundle(more="[skills]\n" + SERVERS.format()))[1]
    assert 'stdio "node" "server.js" "--mode=worker" "-e" "console.log(\'ready\')"' in out
    assert "env PLUGIN_TOKEN <- PLUGIN_TOKEN_SOURCE" in out
    assert '"https://api.example.invalid/mcp"' in out
    assert "FAR_TOKEN" in out
    assert "codewhale v3 (0.9.10)" in out
    assert "value-of-the-variable" not in out

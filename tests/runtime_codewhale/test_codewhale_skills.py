"""Skills: released from memory under an authority that is looked at each time, queued with where they came from."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError, UsageError
from plugseal.runtime.codewhale.queued import parse_queued, render_queued
from plugseal.verbs import trust as verbs
from tests import codewhale_world as worlds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
NAME = "hello:hello"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = worlds.World(tmp_path / "world", monkeypatch)
    found.bundle()
    found.trust()
    return found


def test_a_skill_is_exposed_under_its_qualified_name_alone(world: Any) -> None:
    skills = world.skills()
    assert [(skill.name, skill.description) for skill in skills.listed()] == [(NAME, "Greets.")]
    assert skills.load(NAME).text == worlds.SKILL
    for name in ("hello", ":hello", "hello:", "other:hello", "hello:hello "):
        with pytest.raises(UsageError, match="no active bundle has a skill"):
            skills.load(name)


def test_what_is_released_is_the_snapshot_and_no_file(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    skills = world.skills()
    opened: list[str] = []
    real = Path.open

    def watched(path: Path, *words: Any, **more: Any) -> Any:
        opened.append(path.name)
        return real(path, *words, **more)

    monkeypatch.setattr(Path, "open", watched)
    assert skills.load(NAME).text == worlds.SKILL
    assert "SKILL.md" not in opened


def _edit_source(world: Any) -> None:
    (world.home() / "hello" / "skills/hello/SKILL.md").write_text(worlds.SKILL + "evil\n")


def _add_to_source(world: Any) -> None:
    (world.home() / "hello" / "late").write_text("")


def _edit_stage(world: Any) -> None:
    file = world.stage() / "skills/hello/SKILL.md"
    os.chmod(file, 0o600)
    file.write_text(worlds.SKILL + "evil\n")


def _replace_root(world: Any) -> None:
    root = world.home() / "hello"
    shutil.copytree(root, root.with_name("copy"))
    shutil.rmtree(root)
    root.with_name("copy").rename(root)


def _replace_workspace(world: Any) -> None:
    copy = world.workspace.with_name("copy")
    shutil.copytree(world.workspace, copy)
    shutil.rmtree(world.workspace)
    copy.rename(world.workspace)


def _link_root(world: Any) -> None:
    root = world.home() / "hello"
    root.rename(world.root / "moved")
    root.symlink_to(world.root / "moved")


def _damage_document(world: Any) -> None:
    trust = world.record().standing.trust
    file = world.store.home / "documents" / trust.capability
    file.write_bytes(file.read_bytes().replace(b"hello", b"hallo"))


DRIFTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "the source was edited": (_edit_source, "content-drifted"),
    "a file was added to the source": (_add_to_source, "content-drifted"),
    "the copy was edited": (_edit_stage, "stage-damaged"),
    "the source is gone": (lambda world: shutil.rmtree(world.home() / "hello"), "another-place"),
    "another folder of the same content": (_replace_root, "another-place"),
    "another workspace of the same content": (_replace_workspace, "another-place"),
    "a link in the place of the bundle": (_link_root, "another-place"),
    "the reviewed document was changed": (_damage_document, "document-damaged"),
    "it was disabled": (lambda world: verbs.disable(world.record(), world.store), "not-enabled"),
    "it was revoked": (lambda world: world.revoke(), "not-trusted"),
    "it was trusted again": (lambda world: world.trust(), "revoked-meanwhile"),
    "it was reloaded": (lambda world: verbs.reload(world.record(), world.store), "revoked-meanwhile"),
    "it was forgotten": (lambda world: verbs.forget(world.record(), world.store), "not-trusted"),
}


@pytest.mark.parametrize("drift", DRIFTS)
def test_what_drifted_is_not_released_and_not_listed(drift: str, world: Any) -> None:
    bring_about, reason = DRIFTS[drift]
    skills = world.skills()
    queued = skills.queue(NAME)
    bring_about(world)
    for ask in (skills.load, skills.inspect, skills.queue):
        with pytest.raises(RefusedError) as refused:
            ask(NAME)
        assert refused.value.reason == reason
        assert "plugseal codewhale reload" in (refused.value.hint or "")
        assert str(world.root) not in refused.value.message
    assert skills.listed() == ()
    with pytest.raises(RefusedError):
        skills.dispatch(queued)


def test_a_copy_that_was_another_for_a_moment_gives_no_skill(world: Any) -> None:
    start = world.start()
    file = world.stage() / "skills/hello/SKILL.md"
    before = file.read_bytes()
    _edit_stage(world)
    skills = world.skills(start)
    file.write_bytes(before)
    os.chmod(file, 0o400)
    with pytest.raises(UsageError, match="no active bundle has a skill"):
        skills.load(NAME)
    assert ["staged copy" in line for line in world.told] == [True]
    assert world.skills().load(NAME).text == worlds.SKILL


def test_a_bundle_of_the_user_is_released_in_the_workspace_of_its_start_alone(world: Any) -> None:
    world.bundle("own", scope="user")
    world.trust("own")
    skills = world.skills()
    assert skills.load("own:hello").text == worlds.SKILL
    _replace_workspace(world)
    with pytest.raises(RefusedError) as refused:
        skills.load("own:hello")
    assert refused.value.reason == "another-place"
    assert skills.listed() == ()


def test_a_refusal_to_release_stands_in_the_trail_and_a_list_writes_nothing(world: Any) -> None:
    skills = world.skills()
    queued = skills.queue(NAME)
    assert skills.listed()
    assert world.events() == []
    _edit_source(world)
    assert skills.listed() == ()
    assert world.events() == []
    for _ in range(3):
        with pytest.raises(RefusedError):
            skills.load(NAME)
    with pytest.raises(RefusedError):
        skills.dispatch(queued._replace(generation=1))
    assert world.events() == [("refused", "content-drifted"), ("refused", "revoked-meanwhile")]


def test_a_skill_tells_its_reviewed_bundle_and_no_place(world: Any) -> None:
    found = world.skills().inspect(NAME)
    trust = world.record().standing.trust
    assert (found.bundle, found.version, found.scope) == ("hello", "1.0.0", "workspace")
    assert (found.content, found.capability) == (trust.content, trust.capability)
    assert found.generation == 2
    assert str(world.root) not in json.dumps(found._asdict())


def test_a_broken_skill_keeps_itself_back_alone(world: Any) -> None:
    world.bundle("mixed", files={"skills/broken/SKILL.md": "---\nname: [\n---\nx\n"})
    world.trust("mixed")
    assert [skill.name for skill in world.skills().listed()] == [NAME, "mixed:hello"]


def test_a_queued_skill_is_dispatched_by_a_later_start(world: Any) -> None:
    kept = render_queued(world.skills().queue(NAME))
    assert str(world.root).encode() not in kept
    assert b"Say hello" not in kept
    assert world.skills().dispatch(parse_queued(kept)).text == worlds.SKILL


def test_a_queued_skill_of_an_older_generation_is_refused(world: Any) -> None:
    queued = world.skills().queue(NAME)
    verbs.disable(world.record(), world.store)
    world.trust()
    with pytest.raises(RefusedError, match="an older authority") as refused:
        world.skills().dispatch(queued)
    assert refused.value.reason == "revoked-meanwhile"


def test_a_queued_skill_of_a_forgotten_record_is_refused_for_ever(world: Any) -> None:
    queued = world.skills().queue(NAME)
    verbs.forget(world.record(), world.store)
    world.trust()
    forged = queued._replace(generation=world.record().standing.generation)
    for one in (queued, forged):
        with pytest.raises(RefusedError, match="an older authority"):
            world.skills().dispatch(one)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("workspace", "0" * 64, "another-place"),
        ("plugin", "codewhale:hello@000000000000", "revoked-meanwhile"),
        ("skill", "hello:other", "revoked-meanwhile"),
        ("content", "0" * 64, "content-drifted"),
        ("capability", "0" * 64, "content-drifted"),
        ("digest", "0" * 64, "content-drifted"),
        ("generation", 1, "revoked-meanwhile"),
        ("incarnation", "0" * 32, "revoked-meanwhile"),
    ],
)
def test_a_queued_skill_that_is_forged_in_one_field_is_refused(
    field: str, value: object, reason: str, world: Any
) -> None:
    skills = world.skills()
    with pytest.raises(RefusedError) as refused:
        skills.dispatch(skills.queue(NAME)._replace(**{field: value}))
    assert refused.value.reason == reason


def _changed(**fields: object) -> bytes:
    value = {
        "format": "plugseal.codewhale-queued/1",
        "skill": "a:b",
        "plugin": "codewhale:a@000000000000",
        **dict.fromkeys(("workspace", "content", "capability", "digest"), "0" * 64),
        "incarnation": "0" * 32,
        "generation": 2,
    }
    return json.dumps({**value, **fields}).encode()


def test_provenance_goes_out_and_comes_back() -> None:
    queued = parse_queued(_changed())
    assert parse_queued(render_queued(queued)) == queued


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[]", id="no object"),
        pytest.param(b"\xff{}", id="no text"),
        pytest.param(b"[" * 20_000, id="deep"),
        pytest.param(_changed(more=1), id="a key more"),
        pytest.param(_changed(format="plugseal.codewhale-queued/2"), id="another version"),
        pytest.param(_changed(generation=True), id="no number"),
        pytest.param(_changed(generation=0), id="no generation"),
        pytest.param(_changed(content="A" * 64), id="capitals"),
        pytest.param(_changed(digest="0" * 63), id="a short digest"),
        pytest.param(_changed(skill=""), id="no skill"),
        pytest.param(_changed(skill=3), id="a skill that is no text"),
        pytest.param(_changed()[:-1] + b',"skill":"c:d"}', id="a key twice"),
        pytest.param(_changed(skill="a" * 20_000), id="too large"),
    ],
)
def test_provenance_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError, match="that is no queued skill"):
        parse_queued(data)

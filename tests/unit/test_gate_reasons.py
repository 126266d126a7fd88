"""Every reason of the closed list can be brought about, refuses before anything starts, and says what to type."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.model.identity import subject_id
from plugseal.model.policy import GatePolicy
from plugseal.runtime.approved import Approved
from plugseal.runtime.gate import Gate
from plugseal.runtime.grant import Admission, Grant
from plugseal.runtime.plan import Places, build_plan
from plugseal.runtime.policy_check import verify_policy
from plugseal.verbs.trust import disable, forget, reload, revoke
from tests import gated
from tests.gated import World

PLACES = Places("/nonexistent/home", "/nonexistent/tmp", "/nonexistent/bin", "/nonexistent/data")


def _stdio(*words: str, **more: object) -> dict[str, object]:
    return {"main": {"type": "stdio", "command": words[0], "args": list(words[1:]), **more}}


def _record(world: World) -> object:
    (record,) = world.store.records()
    return record


def _damaged_state(root: Path) -> object:
    world = World(root).trust()
    (file,) = world.store.folder.glob("*.json")
    file.write_bytes(file.read_bytes().replace(b"true", b"false", 1))
    return world.grant()


def _not_trusted(root: Path) -> object:
    world = World(root).trust()
    revoke(_record(world), world.store)
    return world.grant()


def _forgotten(root: Path) -> object:
    world = World(root).trust()
    forget(_record(world), world.store)
    return world.grant()


def _another_place(root: Path) -> object:
    world = World(root).trust()
    shutil.copytree(world.source, root / "other")
    world.source.rename(root / "old")
    (root / "other").rename(world.source)
    return world.grant()


def _source_gone(root: Path) -> object:
    world = World(root).trust()
    shutil.rmtree(world.source)
    return world.grant()


def _drifted(root: Path) -> object:
    world = World(root).trust()
    world.write("server.py", gated.SERVER.replace("again", "agaim"))
    return world.grant()


def _stage_edited(root: Path) -> object:
    world = World(root).trust()
    file = world.stage / "server.py"
    file.chmod(0o600)
    file.write_text(gated.SERVER.replace("again", "agaim"))
    file.chmod(0o400)
    return world.grant()


def _document_edited(root: Path) -> object:
    world = World(root).trust()
    (file,) = [path for path in (world.store.home / "documents").iterdir() if len(path.name) == 64]
    file.write_bytes(file.read_bytes().replace(b"--flag", b"--flog"))
    return world.grant()


def _ancestors(root: Path) -> object:
    world = World(root, _stdio("sh", "${PLUGIN_ROOT}/server.py")).trust()
    (world.store.home / "node_modules").mkdir()
    return world.grant()


def _program_gone(root: Path) -> object:
    program = root.parent / "bin" / "tool"
    program.parent.mkdir(parents=True)
    shutil.copy("/bin/true", program)
    os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    world = World(root, _stdio("tool", "x")).trust()
    program.unlink()
    return build_plan(world.grant(), dict(os.environ), PLACES)


def _program_changed(root: Path) -> object:
    program = root.parent / "bin" / "tool"
    program.parent.mkdir(parents=True)
    shutil.copy("/bin/true", program)
    os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    world = World(root, _stdio("tool", "x")).trust()
    shutil.copy("/bin/false", program)
    return build_plan(world.grant(), dict(os.environ), PLACES)


def _variable_missing(root: Path) -> object:
    grant = World(root).trust().grant()
    component = grant.component._replace(environment=(("KEY", "SOURCE_KEY"),))
    return build_plan(_of_a_client(grant, component), {}, PLACES)


def _placeholder_unknown(root: Path) -> object:
    grant = World(root).trust().grant()
    return build_plan(_of_a_client(grant, grant.component._replace(command=("python3", "${X}"))), {"X": "y"}, PLACES)


def _of_a_client(grant: Grant, component: Approved) -> Grant:
    """Return a grant for a configuration of a client, which maps variables: Agent Plugins map none."""
    document = grant.document._replace(system="mcp-config")
    admitted = Admission(grant.id, grant.record, document=document, stage=grant.stage, policy=grant.policy)
    return Grant(admitted, component)


def _under(policy: GatePolicy) -> Callable[[Path], object]:
    def bring_about(root: Path) -> object:
        world = World(root).trust()
        return Gate(world.store, name=subject_id, policy=policy).authorize(world.id)

    return bring_about


def _expired(root: Path) -> object:
    world = World(root).trust()
    record = _record(world)
    old = record.standing.trust._replace(at="2020-01-01T00:00:00Z")  # type: ignore[attr-defined]
    verify_policy(GatePolicy(max_age_days=30), record, old, plugin=world.id)  # type: ignore[arg-type]
    return None


def _revoked_meanwhile(root: Path) -> object:
    world = World(root).trust()
    grant = world.grant()
    reload(_record(world), world.store)
    return world.gate.verify_current(grant)


def _disabled(root: Path) -> object:
    world = World(root).trust()
    disable(_record(world), world.store)
    return world.grant()


TWO = {
    "a": {"type": "stdio", "command": "python3", "args": ["x"]},
    "b": {"type": "stdio", "command": "python3", "args": []},
}
SKILL = "---\nname: a\ndescription: Neutral.\n---\n\nSay hello.\n"
BROUGHT_ABOUT: dict[str, tuple[Reason, Callable[[Path], object]]] = {
    "a record that was edited": (Reason.STATE_UNREADABLE, _damaged_state),
    "no record": (Reason.NOT_RECORDED, lambda root: World(root).gate.authorize("agent-plugins:x@000000000000")),
    "revoked": (Reason.NOT_TRUSTED, _not_trusted),
    "forgotten": (Reason.NOT_TRUSTED, _forgotten),
    "never enabled": (Reason.NOT_ENABLED, lambda root: World(root).trust(enabled=False).grant()),
    "disabled": (Reason.NOT_ENABLED, _disabled),
    "another folder at its place": (Reason.ANOTHER_PLACE, _another_place),
    "the source is gone": (Reason.SOURCE_GONE, _source_gone),
    "a byte of the source": (Reason.CONTENT_DRIFTED, _drifted),
    "a byte of the copy": (Reason.STAGE_DAMAGED, _stage_edited),
    "a byte of the document": (Reason.DOCUMENT_DAMAGED, _document_edited),
    "no such component": (Reason.NO_COMPONENT, lambda root: World(root).trust().grant("server:other")),
    "two servers": (Reason.AMBIGUOUS_COMPONENT, lambda root: World(root, TWO).trust().grant()),
    "nothing that starts": (
        Reason.NOT_RUNNABLE,
        lambda root: World(root, {}, skills__a__SKILL_dot_md=SKILL).trust().grant(),
    ),
    "a package runner": (Reason.FETCHES_CODE, lambda root: World(root, _stdio("npx", "-y", "x@1.0.0")).trust().grant()),
    "packages above the copy": (Reason.UNBOUND_CODE, _ancestors),
    "a program that went away": (Reason.PROGRAM_MISSING, _program_gone),
    "another program": (Reason.PROGRAM_CHANGED, _program_changed),
    "a variable that is not set": (Reason.VARIABLE_MISSING, _variable_missing),
    "a placeholder nobody reviewed": (Reason.PLACEHOLDER_UNKNOWN, _placeholder_unknown),
    "more containment": (Reason.LEVEL_TOO_LOW, _under(GatePolicy(level=3, origin="p"))),
    "signatures": (Reason.SIGNATURE_MISSING, _under(GatePolicy(signatures=1, origin="p"))),
    "too old": (Reason.REVIEW_EXPIRED, _expired),
    "denied by name, spelled otherwise": (
        Reason.POLICY_DENIES,
        _under(GatePolicy(deny=("agent-plugins:SAMPLE",), origin="the policy p")),
    ),
    "denied by name": (Reason.POLICY_DENIES, _under(GatePolicy(deny=("agent-plugins:sample",), origin="the policy p"))),
    "not among the allowed": (Reason.POLICY_DENIES, _under(GatePolicy(allow=(), origin="the policy p"))),
    "reloaded meanwhile": (Reason.REVOKED_MEANWHILE, _revoked_meanwhile),
}
ELSEWHERE = {
    Reason.TOOL_DRIFTED: "test_pins",
    Reason.FRAME_AMBIGUOUS: "test_relay_frames",
    Reason.ORIGIN_LEFT: "test_codewhale_remote",
    Reason.NOT_AUTHORIZED: "test_coding_commands",
    Reason.REVIEW_REFUSED: "test_gate_signatures",
    Reason.REVIEWS_UNREADABLE: "test_gate_signatures",
}


@pytest.mark.parametrize(("reason", "bring_about"), BROUGHT_ABOUT.values(), ids=list(BROUGHT_ABOUT))
def test_the_gate_refuses_for_exactly_this_reason(
    reason: Reason, bring_about: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])  # restored, whatever a case sets
    monkeypatch.chdir("/usr")
    with pytest.raises(RefusedError) as refused:
        bring_about(tmp_path / "world")
    assert refused.value.reason == reason.value
    assert refused.value.exit_code == 126
    assert refused.value.hint
    assert "{plugin}" not in f"{refused.value.hint}{refused.value.message}"


def test_every_reason_of_the_list_is_reached() -> None:
    assert {reason for reason, _ in BROUGHT_ABOUT.values()} | set(ELSEWHERE) == set(Reason)


def test_what_is_sound_is_granted_with_the_reviewed_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/usr")
    world = World(tmp_path / "world").trust()
    grant = world.grant()
    plan = build_plan(grant, dict(os.environ), PLACES)
    assert plan.argv == ("python3", f"{grant.stage}/server.py", "--flag")
    assert json.loads(world.store.document(grant.approval.capability))["name"] == "sample"
    assert (world.stage.parent / "package.json").read_bytes() == b'{"private":true}\n'


def test_a_policy_that_denies_is_named_though_the_receipt_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/usr")
    world = World(tmp_path / "world").trust()
    policy = GatePolicy(deny=(world.id,), origin="/etc/plugseal/policy.toml")
    with pytest.raises(RefusedError, match=r"the policy \(/etc/plugseal/policy.toml\) names it under `deny`"):
        Gate(world.store, name=subject_id, policy=policy).authorize(world.id)
    assert world.grant()

"""Policies of the gate: what may stand in one, who may place it, and that the stricter of two holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.errors import CouldNotJudgeError, RefusedError, StateError
from plugseal.model.policy import DemandedReviews, GatePolicy
from plugseal.model.team_policy import ReceiptDemand
from plugseal.policy.load import compile_policy, parse_compiled, read_system_policy
from plugseal.policy.schema import parse_policy
from plugseal.runtime.policies import load_policy, pin_policy
from plugseal.trust.store import Store

HEAD = 'schema = "plugseal.policy/1"\n'
WHOLE = (
    HEAD
    + '[gate]\nlevel = 1\nsource = "may-change"\nfetched-code = "allow"\nrequire-signatures = 2\nmax-age-days = 90\n'
    'deny = ["codewhale:bad"]\nallow = ["agent-plugins:docs@3f2a91c07d5e"]\n'
)


def test_every_key_is_read() -> None:
    assert parse_policy(WHOLE.encode(), origin="p") == GatePolicy(
        source_must_match=False,
        level=1,
        fetches_code=True,
        signatures=2,
        max_age_days=90,
        deny=("codewhale:bad",),
        allow=("agent-plugins:docs@3f2a91c07d5e",),
        origin="p",
        reviews=(DemandedReviews(ReceiptDemand("plugseal-trust", "reviews", 2, 0, False, "", (), 0), "p"),),
    )


def test_the_gate_asks_of_reviews_what_ci_asks() -> None:
    text = (
        WHOLE + "[receipts]\nrequired = true\nthreshold = 3\nteam = 'keys'\nmax-age-days = 30\nrequire-human = true\n"
    )
    (asked,) = parse_policy(text.encode(), origin="p").reviews
    assert asked.demand == ReceiptDemand("keys", "reviews", 3, 30, True, "", (), 0)
    assert parse_compiled(compile_policy(text.encode(), origin="p"), text.encode()) == parse_policy(
        text.encode(), origin="p"
    )
    assert parse_policy((HEAD + "[receipts]\nrequired = true\n").encode(), origin="p").reviews == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(HEAD, id="without a table"),
        pytest.param("[gate]\n", id="without a schema"),
        pytest.param('schema = "plugseal.policy/2"\n[gate]\n', id="another schema"),
        pytest.param(HEAD + "[gate]\nlevels = 1\n", id="an unknown key"),
        pytest.param(HEAD + "[gates]\n[gate]\n", id="an unknown table"),
        pytest.param(HEAD + "[gate]\nlevel = 0\n", id="a level that is none"),
        pytest.param(HEAD + '[gate]\nlevel = "1"\n', id="a text for a number"),
        pytest.param(HEAD + '[gate]\nallow = ["docs"]\n', id="allowed by name alone"),
        pytest.param(HEAD + '[gate]\nallow = ["agent-plugins:docs"]\n', id="allowed by system and name"),
        pytest.param(HEAD + '[gate]\nauthorize = ["coding:x/tool"]\n', id="authorized by name alone"),
        pytest.param(HEAD + '[gate]\nauthorize = ["coding:x@0123456789ab"]\n', id="authorized without a tool"),
        pytest.param(HEAD + "[gate]\nrequire-signatures = true\n", id="a truth for a number"),
        pytest.param("\x00", id="no TOML"),
    ],
)
def test_what_is_no_policy_is_refused(text: str) -> None:
    with pytest.raises(CouldNotJudgeError):
        parse_policy(text.encode(), origin="p")


def test_a_compiled_policy_is_of_exactly_its_text() -> None:
    compiled = compile_policy(WHOLE.encode(), origin="p")
    assert parse_compiled(compiled, WHOLE.encode()) == parse_policy(WHOLE.encode(), origin="p")
    assert parse_compiled(compiled, WHOLE.replace("90", "91").encode()) is None
    assert parse_compiled(b"{}", WHOLE.encode()) is None
    assert parse_compiled(b"", WHOLE.encode()) is None


def test_the_stricter_of_two_holds_in_everything() -> None:
    loose = GatePolicy(False, 1, True, 0, 0, (), ("a", "b"), "x")
    strict = GatePolicy(True, 3, False, 2, 30, ("c",), ("b",), "y")
    both = GatePolicy(True, 3, False, 2, 30, ("c",), ("b",), "x and y")
    assert loose.with_other(strict) == both
    assert strict.with_other(loose) == both._replace(origin="y and x")
    assert loose.with_other(loose._replace(allow=None)).allow == ("a", "b")
    tools = GatePolicy(authorize=("a/x", "a/y"))
    assert loose.with_other(tools).authorize == tools.authorize
    assert tools.with_other(GatePolicy(authorize=("a/y", "b/z"))).authorize == ("a/y",)
    asked = parse_policy(WHOLE.encode(), origin="p")
    assert asked.with_other(asked).reviews == asked.reviews * 2


def test_a_pinned_policy_binds_and_a_broken_one_lets_nothing_start(tmp_path: Path) -> None:
    store, nowhere = Store(tmp_path / "state"), tmp_path / "none.toml"
    assert load_policy(store, system=nowhere) == GatePolicy()
    pin_policy(store, (HEAD + "[gate]\nlevel = 3\n").encode())
    for _ in range(2):
        assert load_policy(store, system=nowhere).level == 3
    (tmp_path / "state" / "policy.toml").write_text("broken")
    with pytest.raises(RefusedError) as refused:
        load_policy(store, system=nowhere)
    assert refused.value.reason == "policy-denies"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, whose file it must be")
def test_the_policy_of_the_machine_is_roots_alone(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    assert read_system_policy(path) is None
    path.write_text(WHOLE)
    path.chmod(0o644)
    assert read_system_policy(path) == WHOLE.encode()
    path.chmod(0o664)
    with pytest.raises(StateError, match="root's alone"):
        read_system_policy(path)
    path.chmod(0o644)
    os.chown(path, 1000, 0)
    with pytest.raises(StateError):
        read_system_policy(path)
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(StateError):
        read_system_policy(path)


def test_pin_checks_before_it_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir("/usr")
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    file = tmp_path / "team.toml"
    file.write_text(HEAD + "[gate]\nlevels = 1\n")
    assert main(["policy", "pin", str(file)]) == 4
    assert "gate.levels" in capsys.readouterr().err
    assert not (tmp_path / "state" / "policy.toml").exists()
    file.write_text(WHOLE.replace("require-signatures = 2\n", ""))
    assert main(["policy", "pin", str(file)]) == 0
    assert (tmp_path / "state" / "policy.toml").read_text() == file.read_text()

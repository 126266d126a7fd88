"""What a check says of the policy itself: exceptions and denials that do nothing, and of what they may be slips."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.cli.main import main

HEAD = 'schema = "plugseal.policy/1"\n[defaults]\ncapabilities = "allow"\n'
EXCEPTION = '[[exception]]\nname = "hello"\nowner = "dana"\nreason = "for the time being"\nuntil = {until}\n'
SKILL = "---\nname: hello\ndescription: Neutral.\n---\n\nSay hello.\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree" / "hello").mkdir(parents=True)
    (tmp_path / "tree" / "hello" / "SKILL.md").write_text(SKILL)
    return tmp_path


def _check(place: Path, text: str, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    (place / "p.toml").write_text(HEAD + text)
    code = main(["check", "tree", "--policy", "p.toml", *words])
    return code, *capsys.readouterr()


NOTES = {
    "an exception of a rule that is there": (EXCEPTION + 'rule = "subprocess-shell"\n', "excepts nothing: p.toml:4\n"),
    "a slip in a rule": (
        EXCEPTION + 'rule = "subprocess-shel"\n',
        "excepts nothing: p.toml:4, no rule is called `subprocess-shel`, did you mean `subprocess-shell`?\n",
    ),
    "a slip in a system": (
        EXCEPTION + 'capability = "fs.read"\nsystem = "agentskill"\n',
        "excepts nothing: p.toml:4, no system is called `agentskill`, did you mean `agent-skill`?\n",
    ),
    "a denial of no system": (
        '[[deny]]\nsystem = "codewale"\nreason = "not here"\n',
        "denies nothing: p.toml:4, no system is called `codewale`, did you mean `codewhale`?\n",
    ),
}


@pytest.mark.parametrize(("text", "told"), NOTES.values(), ids=NOTES)
def test_what_does_nothing_is_noted_with_what_may_be_meant(
    text: str, told: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = _check(place, text.format(until="9999-12-31"), capsys)
    assert (code, told in out) == (0, True), out


def test_an_exception_that_ended_is_noted_as_such_alone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _check(place, EXCEPTION.format(until="2020-01-01") + 'rule = "no-such"\n', capsys)
    assert "an exception of dana ended on 2020-01-01: p.toml:4" in out
    assert "no rule" not in out


@pytest.mark.parametrize("system", ["agent-skill", "Agent-Skill", "AGENT-SKILL"])
def test_a_denied_system_is_denied_in_any_case(system: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _check(place, f'[[deny]]\nsystem = "{system}"\nreason = "not here"\n', capsys)
    assert (code, "not here" in out, "denies nothing" in out) == (1, True, False)


def test_a_pinned_policy_names_everything_that_it_denies(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(place.parent / "state-of-pins"))
    text = '[[deny]]\nsystem = "AMBER"\ncapability = "net.outbound"\nobjects = ["a.invalid"]\nreason = "not ours"\n'
    (place / "p.toml").write_text(HEAD + text)
    assert main(["policy", "pin", "p.toml"]) == 0
    assert "denied      net.outbound a.invalid of amber: not ours\n" in capsys.readouterr().out


def test_a_new_baseline_asks_no_older_one(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, errors = _check(place, "", capsys, "--baseline", "old.json", "--write-baseline", "new.json")
    assert (code, "leave `--baseline` out" in errors) == (2, True)
    assert not (place / "new.json").exists()


def test_what_a_team_commits_beside_its_policy_keeps_no_check_open(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(place.parent / "state-of-trails"))
    tree = place / "tree"
    assert main(["key", "new", "dana"]) == 0
    capsys.readouterr()
    assert main(["key", "show", "dana.pub", "--quiet"]) == 0
    (tree / "plugseal-trust").mkdir()
    (tree / "plugseal-trust" / "allowed_signers").write_text(capsys.readouterr().out)
    assert main(["review", "tree/hello", "--quiet"]) == 0
    assert main(["trust", "tree/hello", capsys.readouterr().out.strip()]) == 0
    (tree / "trail").mkdir()
    assert main(["log", "export", "-o", "tree/trail/all.jsonl"]) == 0
    policy = 'schema = "plugseal.policy/1"\n[trail]\nexports = "trail"\n'
    (tree / "plugseal.toml").write_text(policy)
    capsys.readouterr()
    assert main(["check", "tree", "--policy", "tree/plugseal.toml"]) == 1
    assert "`plugseal log checkpoint --key KEY -o trail/checkpoints`" in capsys.readouterr().out
    assert main(["log", "checkpoint", "--key", "dana.key", "-o", "tree/trail/checkpoints"]) == 0
    assert main(["check", "tree", "--policy", "tree/plugseal.toml"]) == 0, capsys.readouterr().out


def test_what_could_not_be_judged_has_its_next_command(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "tree" / "x.rs").write_text("fn main() {}\n")
    code, out, _ = _check(place, "", capsys)
    assert (code, out.endswith("next: `plugseal scan tree`\n")) == (4, True), out


def test_a_policy_that_asks_for_reviews_says_how_a_team_is_made(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, errors = _check(place, "[receipts]\nrequired = true\n", capsys)
    assert (code, "hint: make it, with the line that `plugseal key show KEY` prints" in errors) == (4, True)

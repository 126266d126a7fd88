"""The sample organisation: three repositories, two reviewers, and the verdict of the policy on each change."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plugseal.cli.main import main
from plugseal.verbs.policies.check import check_path

ROOT = Path(__file__).parents[2]
ORGANISATION = ROOT / "fixtures/sample/organisation"
PLUGINS = {"handbook": "skills/handbook", "deploy": "plugins/deploy", "triage": "plugins/triage"}
IN_MARCH = 1_803_900_000  # 2027-03-01
IN_APRIL = 1_806_600_000  # 2027-04-01
ENVIRONMENT = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.invalid"),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": "/usr/bin:/bin",
}


class Repository:
    """One repository of the organisation, with its policy and its team in the base revision."""

    def __init__(self, name: str, root: Path) -> None:
        self.name = name
        self.folder = root / name
        self.keys = root / "keys"
        self.keys.mkdir()
        shutil.copytree(ORGANISATION / name, self.folder)
        shutil.copy(ORGANISATION / "plugseal.toml", self.folder)
        team = self.folder / "plugseal-trust"
        team.mkdir()
        lines = ""
        for person in ("dana", "eli", "mallory"):
            assert main(["key", "new", str(self.keys / person)]) == 0
            if person != "mallory":
                lines += f'{person} namespaces="plugin-review@plugseal" {(self.keys / f"{person}.pub").read_text()}'
        (team / "allowed_signers").write_text(lines)
        self.git("init", "-q")
        self.base = self.commit()

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def sign(self, *people: str, decision: str = "trust") -> None:
        for person in people:
            words = [
                "receipt",
                "sign",
                str(self.folder / PLUGINS[self.name]),
                "--key",
                str(self.keys / f"{person}.key"),
            ]
            words += ["--reviews", str(self.folder / "reviews"), "--reviewer", person, "--decision", decision]
            assert main([*words, "--team", str(self.folder / "plugseal-trust")]) == 0

    def check(self) -> int:
        self.commit()
        return main(["check", str(self.folder), "--base", self.base])


@pytest.fixture
def make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Repository]:
    def build(name: str) -> Repository:
        repository = Repository(name, tmp_path)
        capsys.readouterr()
        return repository

    return build


Make = Callable[[str], Repository]
Out = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", ["handbook", "deploy"])
def test_what_two_people_reviewed_passes(name: str, make: Make, capsys: Out) -> None:
    repository = make(name)
    repository.sign("dana", "eli")

    assert repository.check() == 0
    assert "1 plugin, none fails the policy" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("people", "why"),
    [
        pytest.param((), "not-reviewed", id="nobody"),
        pytest.param(("dana",), "too-few-people: 1 of 2 people trust it", id="one"),
        pytest.param(("dana", "dana"), "1 of 2", id="one person twice"),
    ],
)
def test_what_too_few_reviewed_fails(people: tuple[str, ...], why: str, make: Make, capsys: Out) -> None:
    repository = make("handbook")
    repository.sign(*people)

    assert repository.check() == 1
    assert why in capsys.readouterr().out


def test_what_changed_since_it_was_reviewed_fails(make: Make, capsys: Out) -> None:
    repository = make("handbook")
    repository.sign("dana", "eli")
    page = repository.folder / "skills/handbook/SKILL.md"
    page.write_text(page.read_text() + "\nSay please.\n")

    assert repository.check() == 1
    assert "not-reviewed" in capsys.readouterr().out


def test_a_host_that_is_denied_fails_whoever_signed(make: Make, capsys: Out) -> None:
    repository = make("deploy")
    server = repository.folder / "plugins/deploy/server.py"
    server.write_text(server.read_text().replace("api.example.invalid", "paste.example.invalid"))
    repository.sign("dana", "eli")

    assert repository.check() == 1
    assert "`net.outbound paste.example.invalid` is denied" in capsys.readouterr().out


def test_an_exception_holds_to_its_last_day_and_no_longer(make: Make, tmp_path: Path) -> None:
    repository = make("triage")
    policy = repository.folder / "plugseal.toml"
    text = policy.read_text()
    policy.write_text(text[: text.index("[receipts]")] + text[text.index("[[exception]]") :])
    shutil.rmtree(repository.folder / "plugseal-trust")
    base = repository.commit()

    held = check_path(repository.folder, base=base, now=IN_MARCH)
    ended = check_path(repository.folder, base=base, now=IN_APRIL)

    assert [verdict.word for verdict in held.verdicts] == ["pass"]
    assert held.verdicts[0].excepted[0].owner == "dana"
    assert [verdict.word for verdict in ended.verdicts] == ["fail"]
    assert "`process.exec git` is not allowed" in ended.verdicts[0].objections[0].message
    assert any("ended on 2027-03-01" in note for note in ended.notes)


def test_a_key_that_the_change_revokes_counts_no_more(make: Make, capsys: Out) -> None:
    repository = make("handbook")
    repository.sign("dana", "eli")
    (repository.folder / "plugseal-trust/revoked_keys").write_text((repository.keys / "eli.pub").read_text())

    assert repository.check() == 1
    assert "1 of 2" in capsys.readouterr().out


def test_a_refusal_wins(make: Make, capsys: Out) -> None:
    repository = make("handbook")
    repository.sign("dana", "eli")
    repository.sign("dana", decision="reject")

    assert repository.check() == 1
    assert "refused" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("threshold = 2", "threshold = 1", "1 must sign, not 2", id="fewer people"),
        pytest.param("[[deny]]", "[[example]]", "", id="a policy that does not hold"),
        pytest.param('["*.example.invalid"]', "true", "it allows `net.outbound` with more objects", id="any host"),
    ],
)
def test_a_change_that_loosens_the_policy_fails_and_is_named(
    old: str, new: str, said: str, make: Make, capsys: Out
) -> None:
    repository = make("handbook")
    repository.sign("dana", "eli")
    policy = repository.folder / "plugseal.toml"
    policy.write_text(policy.read_text().replace(old, new, 1))

    assert repository.check() == 1
    out = capsys.readouterr().out
    assert "The change loosens what it is judged by" in out
    assert said in out


def test_a_change_that_adds_a_signer_is_judged_without_them(make: Make, capsys: Out) -> None:
    repository = make("handbook")
    signers = repository.folder / "plugseal-trust/allowed_signers"
    line = f'mallory namespaces="plugin-review@plugseal" {(repository.keys / "mallory.pub").read_text()}'
    signers.write_text(signers.read_text() + line)
    repository.sign("dana", "mallory")

    assert repository.check() == 1
    out = capsys.readouterr().out
    assert "lets 1 more sign" in out
    assert "1 of 2" in out


def test_a_receipt_that_the_change_takes_away_is_named(make: Make, capsys: Out) -> None:
    repository = make("handbook")
    repository.sign("dana", "eli")
    repository.base = repository.commit()
    next((repository.folder / "reviews").rglob("*.dsse.json")).unlink()

    assert repository.check() == 1
    assert "is gone" in capsys.readouterr().out


def test_the_examples_of_the_policy_hold(capsys: Out) -> None:
    assert main(["policy", "test", str(ORGANISATION / "plugseal.toml")]) == 0


@pytest.mark.parametrize("form", ["text", "json", "sarif", "html", "markdown", "github"])
def test_the_format_never_changes_the_exit_code(form: str, make: Make, capsys: Out) -> None:
    repository = make("triage")
    words = ["check", str(repository.folder), "--base", repository.base, "--format", form]

    assert main(words) == 1
    assert main([*words, "--exit-zero"]) == 0
    printed = capsys.readouterr().out
    assert "triage" in printed


def test_json_of_a_check_says_all(make: Make, capsys: Out) -> None:
    repository = make("triage")
    assert main(["check", str(repository.folder), "--base", repository.base, "--format", "json"]) == 1
    document: dict[str, Any] = json.loads(capsys.readouterr().out)

    assert document["format"] == "plugseal.check/1"
    assert document["passes"] is False
    assert [one["verdict"] for one in document["plugins"]] == ["fail"]
    assert {one["kind"] for one in document["plugins"][0]["objections"]} >= {"receipt"}


def test_the_page_of_a_check_begins_with_what_the_change_loosens_and_the_verdicts(make: Make, capsys: Out) -> None:
    repository = make("triage")
    policy = repository.folder / "plugseal.toml"
    policy.write_text(policy.read_text().replace("threshold = 2", "threshold = 1"))
    repository.commit()
    assert main(["check", str(repository.folder), "--base", repository.base, "--format", "html"]) == 1
    page = capsys.readouterr().out

    assert page.index("loosens what it is judged by") < page.index("<h2>Verdicts") < page.index("What they can do")
    assert re.search(r'<th scope="row" class="path">triage \S+</th><td class="path">fail</td>', page)
    assert re.search(r"plugseal.toml:\d+</td>", page)
    assert "<script" not in page
    assert page.isascii()


def test_a_baseline_hides_what_was_accepted_and_nothing_new(make: Make, tmp_path: Path, capsys: Out) -> None:
    repository = make("triage")
    shutil.rmtree(repository.folder / "plugseal-trust")
    code = repository.folder / "plugins/triage/more.py"
    code.write_text("import subprocess\nsubprocess.run(input(), shell=True)\n")
    policy = tmp_path / "p.toml"
    policy.write_text('schema = "plugseal.policy/1"\n[defaults]\ncapabilities = "allow"\n')
    accepted = tmp_path / "baseline.json"
    words = ["check", str(repository.folder), "--policy", str(policy)]
    assert main(words) == 1
    assert main(["check", str(repository.folder), "--write-baseline", str(accepted)]) == 0
    assert main([*words, "--baseline", str(accepted)]) == 0
    assert "1 finding hidden, 0 entries dead" in capsys.readouterr().out
    code.write_text(
        "#\n#\nimport subprocess\nsubprocess.run(input(), shell=True)\nsubprocess.run(input(), shell=True)\n"
    )
    assert main([*words, "--baseline", str(accepted)]) == 1
    code.write_text("print()\n")
    assert main([*words, "--baseline", str(accepted)]) == 0
    assert "1 entry dead" in capsys.readouterr().out

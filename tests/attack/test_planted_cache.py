"""Whoever can write the cache can make a scan say less; no token, no review and no verdict ever says less for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.model.factlog import FactLog
from plugseal.rules.load import load_rules
from plugseal.rules.rule import RuleSet
from plugseal.scan.kept import cache as cache_module
from plugseal.scan.kept.outcome import Outcome
from plugseal.scan.kept.whole import WholeTrees
from plugseal.scan.kept.wire_inventory import parse_inventory, render_inventory
from plugseal.trust import home
from plugseal.verbs import remember, scan
from plugseal.verbs.facts import list_facts
from plugseal.verbs.scan import Memory, scan_path

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools"


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home whose cache holds "nothing found" for every file and the whole of the sample."""
    account = tmp_path / "home"
    account.mkdir()
    monkeypatch.setattr(home, "account_home", lambda: account)
    monkeypatch.setattr(remember, "account_home", lambda: account)
    monkeypatch.setattr(scan.Memory.__new__, "__defaults__", (None, 0))

    def put_nothing(self: WholeTrees, fingerprint: str, _tree: object, inventory: object) -> None:
        empty = inventory._replace(findings=(), facts=FactLog(), plugins=(), unread=())  # type: ignore[type-var]  # one
        self._store.put_lines(self._key("tree", fingerprint), render_inventory(empty))
        self._store.put(self._key("listing"), self._listing)

    with monkeypatch.context() as patched:
        patched.setattr(cache_module, "render_outcome", lambda _: cache_render(Outcome()))
        patched.setattr(WholeTrees, "put", put_nothing)
        scan_path(SAMPLE, memory=Memory())
        scan_path(SAMPLE, memory=Memory(), asks_hosts=False)
        list_facts(SAMPLE, memory=Memory())
    return account


cache_render = cache_module.render_outcome


def test_the_planted_entries_would_be_believed_by_a_scan(planted: Path) -> None:
    assert scan_path(SAMPLE).findings
    assert not scan_path(SAMPLE, memory=Memory()).findings


COMMANDS = {
    "review": ["review", str(SAMPLE)],
    "review_json": ["review", str(SAMPLE), "--format", "json"],
    "hash": ["hash", str(SAMPLE)],
    "hash_json": ["hash", str(SAMPLE), "--format", "json"],
    "validate": ["validate", str(SAMPLE)],
    "trust": ["trust", str(SAMPLE), "0" * 64 + "." + "0" * 64],
    "enable": ["enable", str(SAMPLE)],
    "scan_without": ["scan", str(SAMPLE), "--no-cache"],
    "facts_without": ["facts", str(SAMPLE), "--no-cache"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_no_planted_entry_changes_what_else_is_said(
    planted: Path,
    tmp_path: Path,
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    main(command)
    believed = capsys.readouterr()
    (planted / ".cache" / "plugseal" / "scans.db").unlink()
    main(command)
    assert capsys.readouterr() == believed


def test_only_scan_and_facts_know_of_the_cache() -> None:
    source = Path(remember.__file__).parents[1]
    asking = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if "Memory(" in path.read_text(encoding="utf-8") or "verbs.remember" in path.read_text(encoding="utf-8")
    }
    assert asking == {"cli/commands/scan.py", "cli/commands/facts.py", "verbs/scan.py"}


def test_no_variable_moves_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    account = tmp_path / "home"
    monkeypatch.setattr(remember, "account_home", lambda: account)
    for name in ("XDG_CACHE_HOME", "HOME", "PLUGSEAL_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / "planted"))
    assert remember.cache_folder(None, SAMPLE) == account / ".cache" / "plugseal"


def test_a_tree_that_holds_the_cache_is_scanned_without(tmp_path: Path) -> None:
    folder = tmp_path / "tree" / "cache"
    assert remember.cache_folder(folder, tmp_path / "tree") is None
    assert remember.cache_folder(folder, tmp_path) is None
    assert remember.cache_folder(folder, folder) is None
    assert remember.cache_folder(folder, tmp_path / "tree" / "beside") == folder


def test_another_rule_set_does_not_see_the_entries(planted: Path) -> None:
    rules = load_rules()
    other = RuleSet(rules.rules, "0" * 64)
    assert scan.scan_with(other, SAMPLE, memory=Memory())[0].findings


def test_malformed_entries_are_not_believed() -> None:
    from plugseal.errors import DataError

    for data in (b"", b"[]", b"{}", b"null", b"[1]", b'["x",[],[],[],[],[],true,1,"",[]]'):
        with pytest.raises(DataError):
            parse_inventory([data])

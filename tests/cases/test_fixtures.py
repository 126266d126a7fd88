"""Each fixture of a system alarms, or keeps quiet, as its `EXPECT.toml` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.model.finding import Severity
from plugseal.verbs.scan import scan_path
from tests.materialise import materialise

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

_TESTS = Path(__file__).resolve().parents[1]
_FIXTURES = _TESTS.parent / "fixtures"
_EXPECTATIONS = sorted(_FIXTURES.glob("*/*/EXPECT.toml"))


@pytest.mark.parametrize(
    "expectation", [pytest.param(path, id=path.parent.relative_to(_FIXTURES).as_posix()) for path in _EXPECTATIONS]
)
def test_a_fixture_alarms_as_expected(expectation: Path, tmp_path: Path) -> None:
    expected = tomllib.loads(expectation.read_text("utf-8"))
    tree = materialise(expectation.parent, tmp_path / "tree")
    findings = scan_path(tree).findings
    assert any(finding.severity is Severity.HIGH for finding in findings) == expected["alarm"], findings
    assert {finding.rule for finding in findings} >= set(expected["finds"])
    assert expected["finds"] or not [f for f in findings if f.severity.rank >= Severity.MEDIUM.rank]


def test_the_sample_repository_shows_systems_an_alarm_and_an_unread_file() -> None:
    inventory = scan_path(_FIXTURES / "sample" / "agent-tools")
    systems = {report.plugin.system for report in inventory.plugins}
    assert systems == {"agent-plugins", "amber", "amness", "claude-code", "coding", "codewhale"}
    assert not inventory.faults
    assert {(f.rule, f.file) for f in inventory.findings if f.severity is Severity.HIGH} == {
        ("subprocess-shell", "plugins/deploy-helper/server.py")
    }
    assert "plugins/deploy-helper/status.rs" in {unread.file for unread in inventory.unread}

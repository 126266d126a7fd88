"""Front matter that lacks quotes: Claude Code and Cursor read it all the same, so its grants are seen; others don't."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.scan import scan_path

FRONT = "---\nname: helper\ndescription: Use it when: <example>Context: a</example>\n{more}---\nDo it.\n"


@pytest.mark.parametrize(
    ("path", "more", "grant"),
    [
        pytest.param(
            ".claude/agents/helper.md", "permissionMode: bypassPermissions\n", "bypassPermissions", id="an agent"
        ),
        pytest.param(".claude/commands/helper.md", "allowed-tools: Bash\n", "Bash", id="a command"),
    ],
)
def test_what_it_grants_is_seen(tmp_path: Path, path: str, more: str, grant: str) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(FRONT.format(more=more))
    inventory = scan_path(tmp_path)
    assert inventory.unread == ()
    assert [finding.rule for finding in inventory.findings if finding.rule == "broken-manifest"] == []
    objects = [
        row.object or "" for report in inventory.plugins for row in report.capabilities if row.capability == "grant"
    ]
    assert [one for one in objects if grant in one]


def test_what_no_quotes_mend_stays_broken(tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "agents" / "helper.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: [a\n b: }\n---\nDo it.\n")
    assert [finding.rule for finding in scan_path(tmp_path).findings] == ["broken-manifest"]


def test_the_globs_of_a_rule_of_cursor_need_no_quotes(tmp_path: Path) -> None:
    file = tmp_path / ".cursor" / "rules" / "docs.mdc"
    file.parent.mkdir(parents=True)
    file.write_text("---\ndescription: Docs\nglobs: *.mdx,*.md\nalwaysApply: false\n---\nWrite plainly.\n")
    inventory = scan_path(tmp_path)
    assert (inventory.findings, inventory.unread) == ((), ())


def test_a_host_that_mends_nothing_finds_it_broken(tmp_path: Path) -> None:
    file = tmp_path / "helper" / "SKILL.md"
    file.parent.mkdir()
    file.write_text(FRONT.format(more=""))
    assert "broken-manifest" in [finding.rule for finding in scan_path(tmp_path).findings]

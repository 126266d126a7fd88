"""Bandit's opinion stands beside ours: over the same bytes, its suppressions ignored, and part of no verdict."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.errors import UsageError
from plugseal.intake.read import read_tree
from plugseal.lang.python import bandit
from plugseal.model.factlog import FactLog
from plugseal.model.inventory import Inventory
from plugseal.render.opinions import MAX_ISSUES, render_opinions
from plugseal.render.text import join_plain
from plugseal.scan.second_opinion import SecondOpinion
from plugseal.verbs.opinion import with_opinions
from plugseal.verbs.scan import scan_path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
CODE = """import hashlib
import os
import subprocess

subprocess.run("ls " + name, shell=True)  # nosec
hashlib.md5(b"x")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / ".claude").mkdir(parents=True)
    (folder / "a.py").write_text(CODE)
    (folder / "b.sh").write_text("rm -rf /\n")
    (folder / "c").write_text("#!/usr/bin/env python3\neval(x)\n")
    (folder / "broken.py").write_text("def (:\n")
    (folder / ".bandit").write_text("[bandit]\nskips: B602,B307\nexclude: a.py\n")
    (folder / "pyproject.toml").write_text('[tool.bandit]\nskips = ["B602"]\n')
    return folder


def _asked(path: Path) -> Inventory:
    return with_opinions(scan_path(path), path)


def test_its_issues_are_mapped_to_our_capabilities_and_no_word_of_the_tree_silences_it(tree: Path) -> None:
    opinions = _asked(tree).opinions
    assert opinions is not None
    assert opinions.by.startswith("bandit ")
    found = {(one.file, one.span.line, one.test[:4]): (one.capability, one.is_known) for one in opinions.issues}
    assert found["a.py", 5, "B602"] == ("process.shell", True)
    assert found["a.py", 3, "B404"] == ("process.exec", True)
    assert found["a.py", 6, "B324"] == (None, False)
    assert found["c", 2, "B307"] == ("code.dynamic", True)
    assert [file for file, _ in opinions.unread] == ["broken.py"]


def test_everything_else_of_the_scan_stays_as_it_is(tree: Path) -> None:
    assert _asked(tree)._replace(opinions=None) == scan_path(tree)


def test_it_is_shown_with_what_our_facts_do_not_hold(tree: Path) -> None:
    with SecondOpinion("bandit 0") as asked:
        read_tree(tree, asked)
        text = join_plain(render_opinions(asked.opinions(FactLog())))
    assert "second opinion of bandit 0: 4 issues, part of no verdict here; 3 where our facts hold nothing" in text
    assert "a.py:5  B602 subprocess_popen_with_shell_equals_true (high)" in text
    assert text.count("(not among our facts)") == 3
    assert "broken.py  it could not read: " in text
    assert list(render_opinions(None)) == []


def test_much_is_counted_and_hostile_names_are_shown_harmless(tmp_path: Path) -> None:
    (tmp_path / "a\u202eb.py").write_text("eval(x)\n" * (MAX_ISSUES + 5))
    opinions = _asked(tmp_path).opinions
    text = join_plain(render_opinions(opinions))
    assert "and 5 more: `--verbose`" in text
    assert "\u202e" not in text
    assert "and 5 more" not in join_plain(render_opinions(opinions, everything=True))


def test_json_holds_it_only_where_it_was_asked_for(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["scan", str(tree), "--format", "json", "--exit-zero", "--no-cache"]
    assert main([*words, "--with", "bandit"]) in (0, 3)
    found = json.loads(capsys.readouterr().out)
    assert found["second_opinion"] == found["second_opinion"].strip()
    first = found["opinions"][0]
    assert set(first) == {
        *("file", "line", "column", "end_line", "end_column", "test", "severity", "confidence", "message"),
        *("capability", "known"),
    }
    assert found["opinions_unread"][0]["file"] == "broken.py"
    section = PAGE.read_text(encoding="utf-8").partition("## A second opinion")[2].partition("\n## ")[0]
    named = {
        name for row in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section, re.MULTILINE) for name in row.split(", ")
    }
    assert {name.strip("`") for name in named} == {*first, "second_opinion", "opinions", "opinions_unread"}
    main(words)
    assert "opinions" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("more", [("--format", "sarif"), ("--user",)])
def test_where_it_can_not_be_shown_it_is_refused(
    more: tuple[str, ...], tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scan", str(tree), "--with", "bandit", *more]) == 2
    assert "can't go with" in capsys.readouterr().err


def test_where_it_is_not_installed_the_error_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bandit", None)
    with pytest.raises(UsageError) as caught:
        bandit.bandit_version()
    assert "plugseal[bandit]" in (caught.value.hint or "")

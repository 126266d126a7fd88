"""The documentation says what the code does: generated pages are current, snippets work, links lead somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from plugseal.encode.treehash import content_receipt
from plugseal.intake.read import read_tree
from plugseal.lang.known import count_known
from plugseal.render.capabilities_page import render_capabilities_page
from plugseal.systems.registry import all_systems
from plugseal.systems.surface_rows import known_surfaces
from plugseal.verbs.formats import render_formats_page

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^(```+).*?^\1`*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


def test_the_page_of_capabilities_is_current() -> None:
    page = (ROOT / "docs/concepts/capabilities.md").read_text(encoding="utf-8")
    assert page == render_capabilities_page(count_known())


def test_the_tables_know_at_least_what_they_knew() -> None:
    known = {one.language: one.names for one in count_known()}
    assert known["Python"] >= 5_000
    assert known["JavaScript and TypeScript"] >= 4_000
    assert min(known.values()) >= 20


def test_the_page_of_formats_is_current() -> None:
    assert (ROOT / "docs/reference/formats.md").read_text(encoding="utf-8") == render_formats_page()


def test_every_system_says_where_its_client_runs_something() -> None:
    assert [s.name for s in all_systems() if not (getattr(s, "surfaces", ()) or known_surfaces(s.name))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        assert (page.parent / target).exists(), target


def test_the_index_of_the_documentation_leads_to_every_page() -> None:
    index = ROOT / "docs/README.md"
    linked = {(index.parent / target).resolve() for target in LINK.findall(index.read_text(encoding="utf-8"))}
    pages = {page for page in PAGES if page.is_relative_to(index.parent) and page.parent.name != "decisions"}

    assert pages - linked - {index} == set()


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs GNU coreutils")
def test_the_shell_snippet_recomputes_the_content_receipt(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    for path, text in {
        "a b.txt": "two words\n",
        "-dash": "",
        "a/é": "5",
        "a-b": "2",
        ".hidden": "h",
        "日本/語.md": "# hi\n",
        ".git/config": "left out",
    }.items():
        (plugin / path).parent.mkdir(parents=True, exist_ok=True)
        (plugin / path).write_text(text, encoding="utf-8")
    (plugin / "empty").mkdir()
    (plugin / "run.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (plugin / "run.sh").chmod(0o755)
    page = (ROOT / "docs/reference/receipt-format.md").read_text(encoding="utf-8")
    snippet = page.partition("<!-- recompute -->\n```sh\n")[2].partition("```")[0]
    printed = subprocess.run(["sh", "-euc", snippet], cwd=plugin, capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == content_receipt(read_tree(plugin))

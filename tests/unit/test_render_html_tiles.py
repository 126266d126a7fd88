"""The tiles at the top of an HTML report: the numbers of a scan, coloured where they ask for a look."""

from __future__ import annotations

import re
from pathlib import Path

from plugseal.render.html import render_html
from plugseal.verbs.scan import scan_path

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools"


def _tiles(root: Path) -> dict[str, tuple[str, str]]:
    """Return name, to number and style, of each tile."""
    page = "".join(render_html(scan_path(root)))
    listed = page.partition('<ul class="tiles">')[2].partition("</ul>")[0]
    found = re.findall(r'<li><b class="([^"]*)">([\d,]+)</b>([^<]*)</li>', listed)
    return {name: (number, style) for style, number, name in found}


def test_what_was_not_read_and_what_was_found_stand_out() -> None:
    tiles = _tiles(SAMPLE)

    assert tiles["file not read"] == ("1", "medium")
    assert tiles["high"] == ("1", "high")
    assert tiles["low"] == ("0", "")


def test_plugins_are_told_from_configurations(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "a", "scripts": {"postinstall": "node x.js"}}')

    tiles = _tiles(tmp_path)

    assert (tiles["plugins"], tiles["configuration"]) == (("0", ""), ("1", ""))
    assert not {"configuration", "configurations"} & set(_tiles(SAMPLE))


def test_what_another_machine_runs_stands_in_a_column_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "ci.yml").write_text("on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: make test\n")

    page = "".join(render_html(scan_path(tmp_path)))

    assert '<th scope="col">elsewhere</th>' in page
    assert '<th scope="col">not known</th>' not in page


def test_a_remedy_says_that_it_is_one() -> None:
    page = "".join(render_html(scan_path(SAMPLE)))

    assert "<p>Remedy: pass a list of words: <code>" in page

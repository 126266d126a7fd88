"""A plugin's words in every text field, in every format: they are no markup, no command, no mention and no link."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from plugseal.cli.main import main

INJECTIONS = {
    "a script": "</script><script>alert(1)</script>",
    "an image that runs": '"><img src=x onerror=alert(1)>',
    "SVG that runs": "</text></svg><svg onload=alert(1)>",
    "the end of the style": "</style><script>alert(1)</script>",
    "the end of a comment": "--><script>alert(1)</script><!--",
    "an entity": "&lt;script&gt;&#x3c;script&#x3e;",
    "a mention": "thanks @octocat and @org/team",
    "an issue": "closes #12, GH-3, org/repo#4",
    "an address": "https://evil.invalid/x www.evil.invalid mail@evil.invalid",
    "a link": "[click](https://evil.invalid) ![x](https://evil.invalid/x.png)",
    "a reference": "[x]: https://evil.invalid\n[x]",
    "a cell": "a | b || c |",
    "a fence": "x\n````\n<b>out</b>\n```",
    "backticks": "`` ` ``` `<b>`",
    "a heading": "# big\n\n---\n\n> quote",
    "details": "<details open><summary>x</summary>",
    "a runner command": "x\n::stop-commands::y\n::set-env name=PATH::z",
    "an old runner command": "##[error]x ##vso[task.setvariable variable=a]b ##teamcity[x]",
    "runner properties": "a,line=9::done%0A::error::x",
    "a SARIF link": "[go](1) {0} {{",
    "controls": "\x1b[2J\x1b]8;;https://evil.invalid\x07x\r\x00\x9b",
    "reordered": "\u202egnp.exe\u2066 a\u200bb\ufeff",
    "no UTF-8": "a\udcffb",
}


def _build(root: Path, text: str) -> None:
    """Put a text everywhere that a plugin's author can put one."""
    name = text.replace("/", "|").replace("\0", "")[:80]
    plugin = root / os.fsencode(name).decode("utf-8", "surrogateescape")
    plugin.mkdir(parents=True)
    server = {"command": text, "args": [text, "-c", text], "env": {text: text}}
    (plugin / ".mcp.json").write_text(json.dumps({"mcpServers": {text: server, "broken": {"command": 5, text: text}}}))
    (plugin / "plugin.json").write_text(
        json.dumps({"name": text, "version": text, "description": text, "skills": text})
    )
    source = f"import os\nos.system({text!r} + x)\nos.system(x)  # {text}\nopen({text!r})\n"
    (plugin / f"{name[:70]}.py").write_text(source, encoding="utf-8", errors="surrogateescape")
    (plugin / "SKILL.md").write_text(f"---\nname: {json.dumps(text)}\n---\n{text}\n", errors="surrogateescape")
    (plugin / "code.rs").write_text("fn main() {}\n")
    (plugin / "link").symlink_to(name or "x")


def _scan(root: Path, form: str, capsys: pytest.CaptureFixture[str]) -> str:
    main(["scan", str(root), "--format", form])
    return capsys.readouterr().out


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def _outside_code(tokens: list[Token]) -> list[Token]:
    flat = [child for token in tokens for child in (token.children or [token])]
    return [token for token in flat if token.type not in ("code_inline", "fence")]


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_a_page_has_no_markup_of_a_plugins(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _build(tmp_path / "clone", text)
    printed = _scan(tmp_path / "clone", "html", capsys)
    page = _Page()
    page.feed(printed)

    ours = {*"html head meta title style body main h1 h2 h3 p ul li b div span code pre table thead tbody tr".split()}
    ours |= {*"th td small article figure figcaption svg rect text path details summary ol".split()}
    assert page.tags <= ours
    assert not {name for name in page.attributes if name.startswith("on")} | page.attributes & {
        "href",
        "src",
        "style",
        "open",
    }
    assert printed.count("<style>") == printed.count("</style>") == 1
    assert printed.replace("\n", "").isprintable()


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_markdown_has_no_link_mention_or_html_of_a_plugins(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _build(tmp_path / "clone", text)
    printed = _scan(tmp_path / "clone", "markdown", capsys)
    tokens = MarkdownIt("commonmark").enable("table").parse(printed)
    outside = _outside_code(tokens)

    kinds = {token.type for token in outside}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "blockquote_open", "hr", "code_block"}
    said = " ".join(token.content for token in outside if token.type == "text")
    assert not re.search(r"@\w|#\d|://|www\.|GH-\d", said), said
    assert printed.replace("\n", "").isprintable()
    rows = [row for row in printed.splitlines() if row.startswith("| ")]
    assert {row.count("|") for row in rows} <= {3, 5}
    assert not re.search(r"##[\w.-]*\[", printed)
    assert not re.search(r"^\s*::", printed, re.MULTILINE)


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_the_runner_reads_no_command_of_a_plugins(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _build(tmp_path / "clone", text)
    printed = _scan(tmp_path / "clone", "github", capsys)

    for row in re.findall(r"^\s*::.*$", printed, re.MULTILINE):
        assert re.fullmatch(r"::(error|warning|notice) (?:[a-zA-Z]+=[^:,]*,?)+::(?:[^%]|%25)*", row), row
    assert not re.search(r"##[\w.-]*\[", printed)
    assert printed.replace("\n", "").isprintable()


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_sarif_is_sarif_whatever_a_plugin_says(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from jsonschema import Draft4Validator

    schema = Path(__file__).parents[1] / "vectors/sarif/sarif-schema-2.1.0.json"
    _build(tmp_path / "clone", text)
    printed = _scan(tmp_path / "clone", "sarif", capsys)
    document = json.loads(printed)

    assert [fault.message for fault in Draft4Validator(json.loads(schema.read_text())).iter_errors(document)] == []
    assert printed.isascii()
    assert not re.search(r"##[\w.-]*\[", printed)
    for result in document["runs"][0]["results"]:
        assert not re.search(r"(?<!\\)\[[^\]]*(?<!\\)\]\(", result["message"]["text"])
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9/._~%-]+", uri)


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_a_check_prints_no_command_link_or_mention_of_a_plugins(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _build(tmp_path / "clone", text)
    policy = tmp_path / "p.toml"
    policy.write_text(
        'schema = "plugseal.policy/1"\n[defaults]\nservers = "deny"\ncommands = ["true"]\nfail-on = "info"\n'
    )
    printed = {}
    for form in ("text", "json", "sarif", "markdown", "github"):
        assert main(["check", str(tmp_path / "clone"), "--policy", str(policy), "--format", form]) == 1
        printed[form] = capsys.readouterr().out
    for form, out in printed.items():
        assert out.replace("\n", "").isprintable(), form
        assert not re.search(r"##[\w.-]*\[", out), form
        ours = r"::(?:error|warning) (?:[a-zA-Z]+=[^:,]*,?)+::(?:[^%]|%25)*"
        for row in re.findall(r"^\s*::.*$", out, re.MULTILINE):
            assert form == "github" and re.fullmatch(ours, row), row
    outside = _outside_code(MarkdownIt("commonmark").enable("table").parse(printed["markdown"]))
    assert not {token.type for token in outside} & {"html_block", "html_inline", "link_open", "image", "hr"}
    said = " ".join(token.content for token in outside if token.type == "text")
    assert not re.search(r"@\w|#\d|://|www\.|GH-\d", said), said
    json.loads(printed["json"])
    from jsonschema import Draft4Validator

    schema = json.loads((Path(__file__).parents[1] / "vectors/sarif/sarif-schema-2.1.0.json").read_text())
    assert [fault.message for fault in Draft4Validator(schema).iter_errors(json.loads(printed["sarif"]))] == []

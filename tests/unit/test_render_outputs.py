"""The formats of a scan for other programs and for people: SARIF, annotations, Markdown, one HTML page."""

from __future__ import annotations

import json
import re
import tracemalloc
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from plugseal.cli.commands.scan_formats import base_of
from plugseal.cli.main import main
from plugseal.model.factlog import FactLog
from plugseal.model.finding import Confidence, Finding, Severity
from plugseal.model.fingerprint import build_fingerprints
from plugseal.model.inventory import Inventory
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.render.github import Annotation, annotation_line
from plugseal.render.html_build import Text, element
from plugseal.render.markdown_text import code, fenced, words
from plugseal.render.sarif import relative_uri, render_sarif
from plugseal.verbs.explain import explain_rules

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "tests/vectors/sarif/sarif-schema-2.1.0.json").read_text("utf-8"))
SAMPLE = ROOT / "fixtures/sample/agent-tools"
FORMATS = ["text", "json", "sarif", "html", "markdown", "github"]


def finding(**changes: Any) -> Finding:
    values: dict[str, Any] = {
        "rule": "subprocess-shell",
        "title": "command line handed to a shell",
        "severity": Severity.HIGH,
        "confidence": Confidence.HIGH,
        "file": "a/server.py",
        "span": Span(3, 5, 3, 20),
        "capability": "process.shell",
        "object": None,
        "note": "`command` is not a literal",
        "remedy": "pass a list of words",
        "source": ("    run(command, shell=True)",),
    }
    return Finding(**{**values, **changes})


def inventory(*findings: Finding) -> Inventory:
    return Inventory("x", (), findings, FactLog(), (), (), 1, 1, "0" * 64)


def sarif(*findings: Finding, base: str = "") -> dict[str, Any]:
    pages = explain_rules(one.rule for one in findings)
    document: dict[str, Any] = json.loads("".join(render_sarif(inventory(*findings), pages, base=base)))
    return document


@pytest.mark.parametrize(
    "sample", ["sample/agent-tools", "claude-code", "cursor", "codewhale", "mcp-config", "tooling"]
)
def test_sarif_is_valid_by_the_official_schema(sample: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["scan", str(ROOT / "fixtures" / sample), "--format", "sarif"])

    faults = list(Draft4Validator(SCHEMA).iter_errors(json.loads(capsys.readouterr().out)))

    assert [fault.message for fault in faults] == []


def test_the_schema_refuses_what_is_no_sarif() -> None:
    document = sarif(finding())
    document["runs"][0]["results"][0]["level"] = "bad"

    assert list(Draft4Validator(SCHEMA).iter_errors(document))


def test_a_result_has_what_github_asks_for() -> None:
    (run,) = sarif(finding(), base="tools")["runs"]
    (result,) = run["results"]
    (rule,) = run["tool"]["driver"]["rules"]
    place = result["locations"][0]["physicalLocation"]

    assert result["ruleId"] == rule["id"] == "plugseal/subprocess-shell"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]] is rule
    assert place["artifactLocation"]["uri"] == "tools/a/server.py"
    assert place["region"] == {
        "startLine": 3,
        "startColumn": 5,
        "endLine": 3,
        "endColumn": 20,
        "snippet": {"text": "    run(command, shell=True)"},
    }
    assert result["level"] == "error"
    assert rule["help"]["text"]
    assert len(rule["fullDescription"]["text"]) <= 1024
    assert float(rule["properties"]["security-severity"]) >= 7


def test_what_is_about_a_whole_file_has_a_line_for_github() -> None:
    result = sarif(finding(span=WHOLE_FILE, source=()))["runs"][0]["results"][0]

    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_more_findings_than_github_takes_are_left_out_and_counted() -> None:
    low = [finding(severity=Severity.LOW, file=f"{n}.py") for n in range(25_000)]
    run = sarif(*low, finding())["runs"][0]

    assert len(run["results"]) == 25_000
    assert run["results"][0]["level"] == "error"
    assert "1 findings" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        pytest.param("a b/c.py", "a%20b/c.py", id="a space"),
        pytest.param("javascript:x", "javascript%3Ax", id="what looks like a scheme"),
        pytest.param("a#b?c%d", "a%23b%3Fc%25d", id="what would end a path"),
        pytest.param("é", "%C3%A9", id="beyond ASCII"),
        pytest.param("\udcff", "%FF", id="no UTF-8"),
        pytest.param("\ud800", "%ED%A0%80", id="a lone surrogate"),
        pytest.param("a\\b", "a%5Cb", id="a backslash"),
    ],
)
def test_a_path_is_a_relative_uri(path: str, uri: str) -> None:
    assert relative_uri(path) == uri


def test_a_message_holds_neither_links_nor_placeholders() -> None:
    said = sarif(finding(note="[click](https://evil.invalid) {0}"))["runs"][0]["results"][0]["message"]["text"]

    assert "\\[click\\](" in said
    assert "{{0}}" in said


def test_sarif_is_streamed_in_flat_memory() -> None:
    pages = explain_rules(["subprocess-shell"])

    def peak(number: int) -> int:
        scanned = inventory(*[finding(file=f"{n}.py") for n in range(number)])
        build_fingerprints(scanned)
        tracemalloc.start()
        for _ in render_sarif(scanned, pages):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    # The identities themselves stay: about a hundred bytes each.
    assert peak(8_000) - peak(2_000) < 6_000 * 400


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        pytest.param(finding(), finding(span=Span(40, 1, 40, 9)), True, id="lines moved"),
        pytest.param(finding(), finding(file="lib/other.py"), True, id="the file was renamed"),
        pytest.param(finding(), finding(source=("run(command,  shell=True)",)), True, id="indented anew"),
        pytest.param(finding(), finding(source=("run(other, shell=True)",)), False, id="another line"),
        pytest.param(finding(), finding(rule="eval"), False, id="another rule"),
        pytest.param(finding(), finding(object="curl"), False, id="another object"),
        pytest.param(
            finding(note="and 7 more places"), finding(note="and 8 more places"), False, id="one more of many"
        ),
        pytest.param(finding(note="x; and 7 more places"), finding(note="and 7 more places"), True, id="as many"),
    ],
)
def test_an_identity_is_of_the_thing_and_not_of_its_place(before: Finding, after: Finding, same: bool) -> None:
    assert (build_fingerprints(inventory(before)) == build_fingerprints(inventory(after))) is same


def test_a_second_copy_has_an_identity_of_its_own() -> None:
    first, second = build_fingerprints(inventory(finding(), finding(span=Span(9, 5, 9, 20))))

    assert first != second
    assert build_fingerprints(inventory(finding())) == (first,)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("words_", "code_"),
    [
        pytest.param([], 1, id="by findings"),
        pytest.param(["--exit-zero"], 0, id="told to end with zero"),
        pytest.param(["--fail-on", "never"], 4, id="by what is unread"),
    ],
)
def test_a_format_never_changes_the_exit_code(
    form: str, words_: list[str], code_: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scan", str(SAMPLE), "--format", form, *words_]) == code_


def test_an_annotation_escapes_what_the_runner_reads() -> None:
    line = annotation_line(Annotation("error", "a,b:c", "50% ::stop-commands::x\n::error::y", "a,b:c%.py", 2, 2, 3, 9))

    assert line == (
        "::error file=a%2Cb%3Ac%25.py,title=a%2Cb%3Ac,line=2,endLine=2,col=3,endColumn=8"
        "::50%25 ::stop-commands::x\\n::error::y\n"
    )


def test_no_more_annotations_are_written_than_the_runner_shows(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = "".join(f"import os\nos.system(x{n})\n" for n in range(30))
    (tmp_path / "SKILL.md").write_text("---\nname: x\ndescription: A sample.\n---\n")
    (tmp_path / "a.py").write_text(lines)
    main(["scan", str(tmp_path), "--format", "github"])

    assert 0 < len(re.findall("^::(?:error|warning)", capsys.readouterr().out, re.MULTILINE)) <= 20


def test_the_job_summary_is_appended_where_the_runner_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    main(["scan", str(SAMPLE), "--format", "github"])

    assert summary.read_text().startswith("before\n### plugseal scan\n")


def test_the_job_summary_is_not_written_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "target").write_text("mine\n")
    (tmp_path / "summary").symlink_to("target")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))

    assert main(["scan", str(SAMPLE), "--format", "github"]) == 4
    assert (tmp_path / "target").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param("plain", "`plain`", id="plain"),
        pytest.param("a`b", "``a`b``", id="a backtick"),
        pytest.param("``a", "``` ``a ```", id="backticks at the start"),
        pytest.param("a|b", r"`a\x7cb`", id="the end of a cell"),
        pytest.param("a\nb", "`a\\nb`", id="a line break"),
        pytest.param("", "` `", id="nothing"),
    ],
)
def test_hostile_text_stands_in_a_code_span(text: str, written: str) -> None:
    assert code(text) == written


@pytest.mark.parametrize("text", ["ask @octocat", "fixes #12", "see https://x.invalid", "GH-1", "by deadbeef1"])
def test_our_words_that_would_speak_to_github_stand_in_code(text: str) -> None:
    assert words(text) == f"`{text}`"


def test_a_fence_is_longer_than_any_inside() -> None:
    assert list(fenced(["a", "````", "b"])) == ["`````text", "a", "````", "b", "`````"]


def test_an_element_escapes_text_and_attributes() -> None:
    node = element("p", {"title": '"><script>'}, Text("</p><script>alert(1)</script>é"))

    assert node == ('<p title="&quot;&gt;&lt;script&gt;">&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#233;</p>')


@pytest.mark.parametrize("name", ["href", "onclick", "style", "src"])
def test_an_element_has_no_attribute_that_could_run_or_load(name: str) -> None:
    with pytest.raises(LookupError):
        element("p", {name: "x"})


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_the_page_is_one_file_without_script_and_loads_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    main(["scan", str(SAMPLE), "--format", "html"])
    text = capsys.readouterr().out
    seen = _Seen()
    seen.feed(text)

    assert "default-src &#x27;none&#x27;; style-src &#x27;sha256-" in text
    assert "base-uri &#x27;none&#x27;; form-action &#x27;none&#x27;" in text
    assert not seen.tags & {"script", "link", "img", "iframe", "object", "embed", "a", "form", "base", "use", "image"}
    assert not {name for name in seen.attributes if name.startswith("on") or name in ("href", "src", "style", "action")}
    assert text.isascii()


@pytest.mark.parametrize(
    ("path", "base"),
    [
        pytest.param(".", "", id="here"),
        pytest.param("./fixtures/", "fixtures", id="below"),
        pytest.param("..", "", id="above"),
        pytest.param("/tmp", "", id="absolute"),
        pytest.param("pyproject.toml", "", id="a file here"),
        pytest.param("docs/limits.md", "docs", id="a file below"),
    ],
)
def test_places_lead_from_the_current_folder(path: str, base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)

    assert base_of(path) == base


def test_the_users_own_folders_have_no_such_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scan", "--user", "--format", "sarif"]) == 2

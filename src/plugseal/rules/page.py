"""The reference page of all rules, made from their files: the page can't say anything else than the rules do.

`docs/reference/rules.md` is this text; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.rules.examples import parse_marks
from plugseal.rules.rule import Example, Rule
from plugseal.rules.vocabulary import GROUPS

_HEADINGS: Final = {
    "python": "Python",
    "javascript": "JavaScript and TypeScript",
    "manifest": "Manifests",
    "file": "Files",
    "ruby": "Ruby, Perl, PHP and Lua",
    "perl": "Perl",
    "php": "PHP",
    "lua": "Lua",
    "shell": "Shell",
    "powershell": "PowerShell",
    "prose": "Prose",
}
_FENCES: Final = {"python": "python", "javascript": "js", "typescript": "ts"}
"""What a fence of an example says that names no file."""
_INTRODUCTION: Final = """\
# Rules

<!-- Generated from `rules/` by `python tests/rules/write_page.py`; edits here are lost. -->

A rule raises an alarm, a *finding*; what a plugin merely can do are facts, and no rule fires on them alone.
Severity says how bad it is if it is so, confidence how sure the scanner is that it is so.
`plugseal scan` ends with 1 at `high` unless `--fail-on` says otherwise.
Nothing in a scanned tree silences a rule.
The [format of rule files](rule-format.md) has a page of its own.
"""


def render_page(rules: Sequence[tuple[Rule, Sequence[Example]]]) -> str:
    """Return the whole page.

    Args:
        rules: every rule with its examples, sorted by id.
    """
    lines = [_INTRODUCTION]
    for language in GROUPS:
        own = [(rule, examples) for rule, examples in rules if rule.languages[0] == language]
        if not own:
            continue
        lines += [f"## {_HEADINGS[language]}", "", "| rule | severity | what it finds |", "|---|---|---|"]
        lines += [f"| [`{rule.id}`](#{rule.id}) | {rule.severity.value} | {_cell(rule.title)} |" for rule, _ in own]
        lines.append("")
        for rule, examples in own:
            lines += _section(rule, examples)
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(rule: Rule, examples: Sequence[Example]) -> Iterator[str]:
    """Yield the lines of one rule."""
    yield from (f"### {rule.id}", "", f"{_sentence(rule.title)}", "")
    yield f"- severity {rule.severity.value}, confidence {rule.confidence.value}, since {rule.since}"
    if rule.when_unstarted is not None:
        yield f"- severity {rule.when_unstarted.value} in programs that only developers start: tests that nothing names"
    if rule.capability:
        yield f"- capability `{rule.capability}`"
    yield from ("", *rule.what.strip().splitlines(), "", *rule.why.strip().splitlines(), "")
    yield from (f"To do: {rule.remedy}.", "")
    firing = [example for example in examples if _fires(rule, example)]
    silent = [example for example in examples if not _fires(rule, example)]
    for verb, shown in (("Fires", firing[0]), ("Silent", silent[0])):
        yield from (f"{verb}: {shown.name}", "", *_code(rule, shown), "")
    yield f"{len(firing) + len(silent) - 2} more examples stand in `rules/{rule.languages[0]}/{rule.id}.toml`."
    yield ""
    for reference in rule.references:
        yield f"- <{reference}>"
    yield ""


def _fires(rule: Rule, example: Example) -> bool:
    texts = (example.code, *(text for _, text in example.more))
    return any(rule.id in parse_marks(text).rules() for text in texts)


def _code(rule: Rule, example: Example) -> Iterator[str]:
    """Yield an example as a fenced block, invisible characters as escapes."""
    language = _FENCES.get(rule.languages[0], "")
    if example.file:
        language = {"json": "json", "py": "python", "js": "js", "ts": "ts"}.get(example.file.rpartition(".")[2], "")
    fence = "`" * max(3, _longest_run(example.code) + 1)
    yield f"{fence}{language}"
    yield from (_visible(line) for line in example.code.strip("\n").split("\n"))
    yield fence


def _visible(line: str) -> str:
    """Write what a reader could not see as an escape."""
    return "".join(c if c.isprintable() or c == "\t" else f"\\u{{{ord(c):X}}}" for c in line)


def _longest_run(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def _sentence(title: str) -> str:
    return title[:1].upper() + title[1:] + "."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")

"""List rules, run their examples as tests, begin a new one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from plugseal.errors import RuleError, UsageError
from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.rules.compile import build_rule
from plugseal.rules.examples import build_examples
from plugseal.rules.files import MAX_RULE_BYTES, RuleFile, read_rule_files
from plugseal.rules.load import (
    build_digest,
    find_rules,
    has_documents,
    is_checked,
    load_rules,
    parse_rules,
    write_checked,
)
from plugseal.rules.page import render_page
from plugseal.rules.rule import Rule, RuleSet
from plugseal.rules.template import render_template
from plugseal.rules.vocabulary import GROUPS
from plugseal.scan.trial import Outcome, try_example
from plugseal.signing.files import read_regular, why_unread

_ID: Final = lazy(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class ExampleResult(NamedTuple):
    """One example that was run."""

    rule: str
    example: str
    """Its name."""
    failures: tuple[str, ...]
    """What is wrong, a line each; empty where the rule fired exactly on the marked lines."""


class RulesTest(NamedTuple):
    """What came of running examples."""

    results: tuple[ExampleResult, ...]
    """In the order of rule ids and of the examples in their files."""
    rules: int
    digest: str
    """SHA-256 of the set."""
    recorded: bool
    """Whether the set stands recorded as validated, so that scans need not validate it again."""

    @property
    def failed(self) -> int:
        """Return how many examples failed."""
        return sum(1 for result in self.results if result.failures)


def list_rules(folder: Path | None = None) -> RuleSet:
    """Return all rules of a folder, by default the built-in ones.

    Raises:
        RuleError: if they are not sound.
    """
    return load_rules(folder)


def test_rules(files: Sequence[Path] = (), *, folder: Path | None = None) -> RulesTest:
    """Validate rules, run their examples, and record a whole set that passes as validated.

    Args:
        files: rule files to test by themselves; none to test a whole folder.
        folder: the folder to test where no files are given, by default the built-in one.

    Raises:
        RuleError: with every fault, if the rules are not sound.
    """
    if files:
        return _run(tuple(_read_one(path) for path in files), place=files[0].parent)
    folder = find_rules() if folder is None else folder
    found = read_rule_files(folder)
    tested = _run(found, place=folder)
    if tested.failed:
        return tested
    return tested._replace(recorded=_record(folder, found, tested.digest))


def render_rules_page(folder: Path | None = None) -> str:
    """Return the reference page of a folder's rules, by default of the built-in ones.

    Raises:
        RuleError: if they are not sound.
    """
    folder = find_rules() if folder is None else folder
    documents = parse_rules(read_rule_files(folder), place=folder)
    pages = [(build_rule(document), build_examples(document)) for document in documents]
    return render_page(sorted(pages, key=lambda page: page[0].id))


def new_rule(path: Path) -> Path:
    """Write a first draft of a rule file; it fails `rules test` until it is filled in.

    Args:
        path: `<language>/<id>.toml`; the folder's name is the language.

    Raises:
        UsageError: if the name is no rule id, the folder no language, or the file exists.
    """
    if path.suffix != ".toml":
        path = path.with_name(path.name + ".toml")
    rule, language = path.stem, path.absolute().parent.name
    if not _ID.fullmatch(rule):
        raise UsageError(f"`{rule}` is no rule id", hint="use lower-case words joined by `-` that name the bad pattern")
    if language not in GROUPS:
        hint = f"the folder names the language, one of {', '.join(GROUPS)}: `rules/python/{rule}.toml`"
        raise UsageError(f"`{language}` is no language of rules", hint=hint)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as stream:
            stream.write(render_template(rule, language))
    except FileExistsError:
        raise UsageError(f"`{path}` exists", hint="choose another id, or edit that file") from None
    except OSError as error:
        raise UsageError(f"`{path}` can't be written: {error.strerror}") from None
    return path


def _run(files: Sequence[RuleFile], *, place: Path) -> RulesTest:
    documents = parse_rules(files, place=place)
    rules = sorted((build_rule(document) for document in documents), key=lambda rule: rule.id)
    examples = {document["id"]: build_examples(document) for document in documents}
    digest = build_digest(files)
    rule_set = RuleSet(tuple(rules), digest)
    results = tuple(
        ExampleResult(rule.id, example.name, _failures(rule, try_example(rule_set, rule, example)))
        for rule in rules
        for example in examples[rule.id]
    )
    return RulesTest(results, len(rules), digest, recorded=False)


def _failures(rule: Rule, outcome: Outcome) -> tuple[str, ...]:
    missing = tuple(f"{one.file}:{one.line}: `{one.rule}` was expected and is silent" for one in outcome.missing)
    return missing + tuple(f"{one.file}:{one.line}: `{rule.id}` fires without a mark" for one in outcome.surplus)


def _record(folder: Path, files: Sequence[RuleFile], digest: str) -> bool:
    """Record a validated set where the folder lets us; an installed one already is."""
    if is_checked(folder, digest) and has_documents(folder, digest):
        return True
    try:
        write_checked(folder, files, digest)
    except OSError:
        return False
    return True


def _read_one(path: Path) -> RuleFile:
    try:
        data = read_regular(os.path.realpath(path), max_bytes=MAX_RULE_BYTES)
    except (OSError, ValueError) as error:
        raise RuleError(f"a rule can't be read: {why_unread(error)}", place=str(path)) from None
    if len(data) > MAX_RULE_BYTES:
        raise RuleError(f"a rule is larger than {MAX_RULE_BYTES} bytes", place=str(path))
    return RuleFile(f"{path.absolute().parent.name}/{path.name}", data.replace(b"\r\n", b"\n"))

"""What a rule must mean, beyond its form: faults that a schema can't see.

Each fault is `file:line: what`. A document whose form is wrong is checked as far as it goes, so that one run names
everything. The examples are only looked at by what they declare; `plugseal rules test` runs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from plugseal.encode.toml import index_toml
from plugseal.errors import DataError
from plugseal.rules.examples import parse_marks
from plugseal.rules.files import RuleFile, cut_examples, parse_rule
from plugseal.rules.vocabulary import GROUPS, KIND_WORDS

_Found: TypeAlias = "list[tuple[list[str | int], str]]"
_CALL_WORDS = ("argument", "keyword", "origin")


def check_meaning(file: RuleFile, document: Mapping[str, Any]) -> list[str]:
    """Return every fault of what one rule means."""
    found = _check_names(file, document) + _check_tables(document) + _check_examples(document)
    found += _check_order(file, document)
    if not found:
        return []
    places = index_toml(file.data)
    return [f"{file.path}:{max(1, places.nearest(place).line)}: {fault}" for place, fault in found]


def _check_names(file: RuleFile, document: Mapping[str, Any]) -> _Found:
    """Check that file, folder, id, languages and title agree."""
    found: _Found = []
    folder, _, name = file.path.rpartition("/")
    rule = document.get("id")
    if isinstance(rule, str) and name != f"{rule}.toml":
        found.append((["id"], f"`{rule}` is not the file's name"))
    languages = _languages(document)
    if languages and folder not in languages:
        found.append((["languages"], f"the folder `{folder}` is none of the languages"))
    groups = sorted({GROUPS[language] for language in languages})
    if len(groups) > 1:
        found.append((["languages"], f"one rule can't be about {' and '.join(groups)}"))
    for key in ("title", "what", "why", "remedy"):
        if str(document.get(key, "")).startswith("TODO"):
            found.append(([key], "still to be written"))
    title = document.get("title")
    if isinstance(title, str) and (title.endswith(".") or (title[:1].isupper() and title[1:2].islower())):
        found.append((["title"], "a title is lower case, without a final period"))
    return found


def _check_tables(document: Mapping[str, Any]) -> _Found:
    """Check that the rule says how it matches: by tables or by a detector, never by both or neither."""
    found: _Found = []
    if bool(document.get("match")) == bool(document.get("detector")):
        found.append((["detector"], "a rule has `[[match]]` tables or a `detector`, one of the two"))
    if document.get("unless") and document.get("detector"):
        found.append((["unless", 0], "a detector has no `[[unless]]`"))
    languages = _languages(document)
    kinds = KIND_WORDS.get(GROUPS[languages[0]], ()) if languages else ()
    for section in ("match", "unless"):
        for number, table in enumerate(_tables(document, section)):
            if fault := _check_table(table, kinds, must_name=section == "match"):
                found.append(([section, number], fault))
    return found


def _check_table(table: Mapping[str, Any], kinds: tuple[str, ...], *, must_name: bool) -> str | None:
    """Say what is wrong with one table."""
    named = [word for word in kinds if word in table]
    if not table:
        return "an empty table matches everything"
    if kinds and (len(named) > 1 or (must_name and not named)):
        return f"a table has exactly one of {', '.join(f'`{kind}`' for kind in kinds)}"
    if named and named[0] not in ("call", "command") and any(word in table for word in _CALL_WORDS):
        return f"`{named[0]}` has no arguments"
    return None


def _check_examples(document: Mapping[str, Any]) -> _Found:
    """Check that the examples show both sides, each under its own name."""
    rule = document.get("id")
    examples = [e for e in _tables(document, "example") if isinstance(e.get("code"), str)]
    fires = [any(rule in parse_marks(text).rules() for text in _texts(example)) for example in examples]
    found: _Found = []
    if not any(fires):
        found.append((["example", 0], f"no example fires: mark a line with `# expect: {rule}`"))
    if all(fires):
        found.append((["example", 0], "no example is silent: add a look-alike without a mark"))
    names = [example.get("name") for example in examples]
    for number, name in enumerate(names):
        if name in names[:number]:
            found.append((["example", number, "name"], f"two examples are named `{name}`"))
    return found


def _check_order(file: RuleFile, document: Mapping[str, Any]) -> _Found:
    """Check that the examples come last: a scan reads what stands above them and nothing below."""
    above = cut_examples(file.data)
    try:
        same = parse_rule(file._replace(data=above)) == {k: v for k, v in document.items() if k != "example"}
    except DataError:
        same = False
    return [] if same else [(["example", 0], "the examples stand last, under `[[example]]` lines, below all else")]


def _languages(document: Mapping[str, Any]) -> list[str]:
    """Return the known languages of a rule."""
    languages = document.get("languages")
    return [one for one in languages if isinstance(one, str) and one in GROUPS] if isinstance(languages, list) else []


def _tables(document: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    """Return the well-formed tables of a section."""
    tables = document.get(section)
    return [table for table in tables if isinstance(table, dict)] if isinstance(tables, list) else []


def _texts(example: Mapping[str, Any]) -> list[str]:
    """Return all texts of an example."""
    more = example.get("more")
    return (
        [example["code"], *(t for t in more.values() if isinstance(t, str))]
        if isinstance(more, dict)
        else [example["code"]]
    )

"""What a rule must mean, beyond its form: faults that a schema can't see.

Each fault is `file:line: what`. The examples are only looked at by what they declare; `plugseal rules test` runs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plugseal.rules.examples import parse_marks
from plugseal.rules.load import RuleFile
from plugseal.rules.places import find_line
from plugseal.rules.vocabulary import GROUPS, KIND_WORDS


def check_meaning(file: RuleFile, document: Mapping[str, Any]) -> list[str]:
    """Return every fault of one rule whose form is sound."""
    text = file.data.decode()
    folder, _, name = file.path.rpartition("/")
    found: list[tuple[list[str | int], str]] = []
    if name != f"{document['id']}.toml":
        found.append((["id"], f"`{document['id']}` is not the file's name"))
    if folder not in document["languages"]:
        found.append((["languages"], f"the folder `{folder}` is none of the languages"))
    groups = sorted({GROUPS[language] for language in document["languages"]})
    if len(groups) > 1:
        found.append((["languages"], f"one rule can't be about {' and '.join(groups)}"))
    found += _check_tables(document, groups[0])
    found += _check_examples(document)
    if document["title"].endswith(".") or document["title"][:1].isupper() and document["title"][1:2].islower():
        found.append((["title"], "a title is lower case, without a final period"))
    return [f"{file.path}:{find_line(text, place)}: {fault}" for place, fault in found]


def _check_tables(document: Mapping[str, Any], group: str) -> list[tuple[list[str | int], str]]:
    """Check that the rule says how it matches: by tables or by a detector, never by both or neither."""
    found: list[tuple[list[str | int], str]] = []
    tables = document.get("match", [])
    if bool(tables) == bool(document.get("detector")):
        found.append((["detector"], "a rule has `[[match]]` tables or a `detector`, one of the two"))
    if document.get("unless") and not tables:
        found.append((["unless", 0], "a detector has no `[[unless]]`"))
    kinds = KIND_WORDS.get(group, ())
    for section in ("match", "unless"):
        for number, table in enumerate(document.get(section, [])):
            named = [word for word in kinds if word in table]
            if not table:
                found.append(([section, number], "an empty table matches everything"))
            elif kinds and (len(named) > 1 or (section == "match" and not named)):
                found.append(([section, number], f"a table has exactly one of {', '.join(kinds)}"))
            elif "string" in named and any(word in table for word in ("argument", "keyword", "origin")):
                found.append(([section, number], "a string has no arguments"))
    return found


def _check_examples(document: Mapping[str, Any]) -> list[tuple[list[str | int], str]]:
    """Check that the examples show both sides."""
    rule = document["id"]
    fires = [rule in parse_marks(example["code"]).rules() for example in document["example"]]
    found: list[tuple[list[str | int], str]] = []
    if not any(fires):
        found.append((["example", 0], f"no example fires: mark a line with `# expect: {rule}`"))
    if all(fires):
        found.append((["example", 0], "no example is silent: add a look-alike without a mark"))
    names = [example["name"] for example in document["example"]]
    found += [
        (["example", number, "name"], f"two examples are named `{name}`")
        for number, name in enumerate(names)
        if name in names[:number]
    ]
    return found

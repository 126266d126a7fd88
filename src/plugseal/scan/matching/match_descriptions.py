"""Match the rules of prose over what manifests say to a model: descriptions of tools, plugins and servers, prompts.

A model reads these as it reads a skill. Front matter is read with its file and left out here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.finding import Finding
from plugseal.model.location import WHOLE_FILE
from plugseal.model.plugin import Plugin
from plugseal.rules.rule import RuleSet
from plugseal.scan.detectors.hidden import iterate_metadata
from plugseal.scan.matching.hit import sort_findings
from plugseal.scan.matching.match_plugin import Evidence
from plugseal.scan.matching.match_words import rules_over, tells_something

_FRONT: Final = "front."
_FOR_PEOPLE: Final = frozenset({"github-actions"})
"""Systems whose steps have names that a person reads in a log, and no model."""
_TELLS_NO_MODEL: Final = frozenset({"tooling", "git"})
"""Systems whose settings are for programs alone: the words in their commands are code."""
_MAX_TEXTS: Final = 20_000


def match_descriptions(rules: RuleSet, plugin: Plugin, kept: Mapping[str, bytes]) -> list[Finding]:
    """Return the findings in the texts of one plugin's manifests.

    Args:
        rules: the set.
        plugin: as its system describes it.
        kept: bytes of manifests by path below the scanned root, for the evidence.
    """
    if plugin.system in _TELLS_NO_MODEL:
        return []
    evidence = Evidence(plugin, kept)
    found: list[Finding] = []
    for number, (word, hit) in enumerate(iterate_metadata(plugin)):
        if number >= _MAX_TEXTS:
            break
        if not tells_something(word) or (hit.object or "").startswith(_FRONT):
            continue
        if plugin.system in _FOR_PEOPLE and hit.object == "name":
            continue
        component = hit.component
        near = component.span if component is not None else WHOLE_FILE
        file = hit.file or (component.file if component is not None else plugin.manifest)
        name = component.name if component is not None else None
        for text in _texts(word):
            found += [evidence.finding(rule, file, near, text, obj=name) for rule, _ in rules_over(rules, text)]
    return sort_findings(found)


def _texts(word: str) -> Iterator[str]:
    """Yield a text, or those of a value that stands there as JSON: escaped quotation marks quote nothing."""
    if word[:1] not in ('"', "[", "{"):
        yield word
        return
    try:
        waiting: list[object] = [json.loads(word, object_pairs_hook=_keys_and_values)]
    except (ValueError, RecursionError):
        yield word
        return
    for value in waiting:  # It grows while it is gone through.
        if isinstance(value, str):
            if tells_something(value):
                yield value
        elif isinstance(value, list):
            waiting.extend(value)


def _keys_and_values(pairs: list[tuple[str, object]]) -> list[object]:
    """Return all that stands in an object of JSON: a key tells something too, and so does a value given twice."""
    return [one for pair in pairs for one in pair]

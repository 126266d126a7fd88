"""Literal credentials: in the launch data of manifests, and in the strings of code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.lang.facts import FileFacts, Interest
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.model.secrets import (
    TELLING_NAME,
    TELLING_WORDS,
    default_of,
    find_secrets,
    find_shapes,
    is_made_up,
    is_secret_value,
    is_spoken,
)
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector, ManifestHit
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.values import searches

_TELLS: Final = lazy(rf"(?i){TELLING_NAME}$|^(?:x-)?(?:api-?)?key$", needs=TELLING_WORDS)
_SCHEME: Final = lazy(r"(?i)^(?:bearer|basic|token)\s+", needs=("bearer", "basic", "token"))
_KEY: Final = lazy(r"(?i)^--?key$", needs=("-key",))
_FOR_TESTS: Final = lazy(r"(?i)(?<![a-z0-9])(?:test|fake|mock|stub|dummy)[0-9]{0,4}(?![a-z0-9])")
"""A word that stands in no token that was issued."""
_RANDOM: Final = lazy(r"[A-Za-z0-9]{12}|(?=[A-Za-z]{0,7}[0-9])(?=[0-9]{0,7}[A-Za-z])[A-Za-z0-9]{8}")
_FLAG: Final = lazy(rf"(?i)^--?[a-z0-9_.-]{{0,40}}{TELLING_NAME}$", needs=TELLING_WORDS)


def look_for_manifest_secrets(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find credentials written into commands, environments, headers, endpoints, and a plugin's own settings."""
    for component in plugin.components:
        for word, kind in _secrets(component):
            yield ManifestHit(component, word, kind)
    for name, value in _settings(plugin):
        kind = _kind(value, is_named=searches(_TELLS, name))
        if kind:
            yield ManifestHit(None, value, kind)


def _settings(plugin: Plugin) -> Iterator[tuple[str, str]]:
    """Yield the texts that a plugin's manifest sets its own settings to."""
    for key, text in plugin.extra:
        table = json.loads(text) if key == "settings" else None
        for name, value in table.items() if isinstance(table, dict) else ():
            if isinstance(value, str):
                yield name, default_of(value)


def _secrets(component: Component) -> Iterator[tuple[str, str]]:
    """Yield (the value as written, kind), each value once."""
    named = [*component.literals, *component.headers, *_defaults(component)]
    seen: set[str] = set()
    for name, value in named:
        kind = _kind(_SCHEME.sub("", default_of(value)), is_named=searches(_TELLS, name))
        if kind and value not in seen:
            seen.add(value)
            yield value, kind
    previous = ""
    for word in (*component.command, component.endpoint or ""):
        kind = _kind(word, is_named=searches(_FLAG, previous) and not word.startswith("--"))
        if not kind and searches(_KEY, previous):
            kind = _kind(f"{previous} {word}", is_named=False)
        previous = word
        if kind and word not in seen:
            seen.add(word)
            yield word, kind


def _defaults(component: Component) -> Iterator[tuple[str, str]]:
    """Yield what a host offers the user for a value that it asks for, by the name of the value."""
    if component.kind is not ComponentKind.SETTING:
        return
    for key, text in component.extra:
        if key != "default" and '"default"' not in text:
            continue
        value = json.loads(text)
        value = value.get("default") if isinstance(value, dict) else value
        if isinstance(value, str):
            yield component.name, value


def _kind(value: str, *, is_named: bool) -> str:
    found = find_secrets(value)
    if found:
        said = value[found[0].start : found[0].end]
        is_for_show = searches(_FOR_TESTS, said) if found[0].kind != "credential" else is_said_to_be_none(said)
        return "" if is_for_show else found[0].kind
    return "credential" if is_named and is_secret_value(value) and not is_said_to_be_none(value) else ""


def is_said_to_be_none(value: str) -> bool:
    """Say whether the words of a value say that it opens nothing: no random part is beside them."""
    return is_spoken(value) or (searches(_FOR_TESTS, value) and not searches(_RANDOM, _FOR_TESTS.sub("", value)))


def _look_at_strings(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Find tokens among the strings of code; only what its issuer made recognisable, since code is full of hashes.

    Each credential counts once: a test that compares it with itself says nothing new.
    """
    seen: set[str] = set()
    for event in facts.events:
        if event.kind != "string":
            continue
        for secret in find_shapes(event.name):
            value = event.name[secret.start : secret.end]
            if value in seen or is_made_up(event.name, secret):
                continue
            seen.add(value)
            yield Hit(event.span, secret.kind)
            break


# All shapes at once cost as much as parsing; these beginnings cost a twelfth of it, and whole files go by unseen.
_BEGINNINGS: Final = (
    r"A(?:KIA|SIA|Iza|GE-SEC)|g(?:h[pousr]_|ithub_pat_|l(?:pat|dt|rt|soat)-)|x(?:ox[abeoprs]|app)-"
    r"|s(?:k-|ecret_[0-9A-Za-z]{40})|k_live_|ya29\.|:AA|slack\.com/services/T|api/webhooks/[0-9]|npm_|pypi-A|hf_|SG\.[A-Za-z0-9_-]{22}|d[opr]{2}_v1_"
    r"|shp[acs][tas]_|lin_api_|ntn_|glsa_|eyJ|PRIVATE KEY"
)

STRING_SECRETS: Final = CodeDetector(_look_at_strings, Interest(strings=lazy(_BEGINNINGS)))

"""Match manifest rules over what systems said of a plugin: commands, arguments, environments, endpoints, names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from plugseal.encode.urls import split_host
from plugseal.model.finding import Finding
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.rules.rule import Clause, Rule, RuleSet
from plugseal.scan.detectors import MANIFEST_DETECTORS
from plugseal.scan.evidence import find_word
from plugseal.scan.launches import Launch, launches
from plugseal.scan.matching.hit import Hit, build_finding, sort_findings
from plugseal.scan.matching.values import fits_name, fits_value
from plugseal.scan.sources import SourceLines, decode_for_show, split_lines


def match_plugin(rules: RuleSet, plugin: Plugin, kept: Mapping[str, bytes]) -> list[Finding]:
    """Return the findings in one plugin's manifests.

    Args:
        rules: the set.
        plugin: as its system describes it.
        kept: bytes of manifests by path below the scanned root, for the evidence.
    """
    evidence = Evidence(plugin, kept)
    found: list[Finding] = []
    for rule in _manifest_rules(rules):
        if rule.detector:
            found += _by_detector(rule, plugin, evidence)
            continue
        for component in plugin.components:
            for word in () if _runs_elsewhere(component, rule.id) else _words(rule, component):
                found.append(evidence.finding(rule, component.file, component.span, word))
    return _once_each(sort_findings(found))


_ABOUT_PACKAGES: Final = frozenset({"unpinned-server", "unbound-source"})
"""Rules about what is fetched: one more hook that fetches the same says nothing new."""


def _once_each(findings: list[Finding]) -> list[Finding]:
    """Return findings, those about one package in one file as one that says how many more places there are."""
    found: list[Finding] = []
    first: dict[tuple[str, str, str], int] = {}
    more: dict[int, int] = {}
    for finding in findings:
        key = (finding.rule, finding.file, finding.object or "")
        if finding.rule in _ABOUT_PACKAGES and finding.object and key in first:
            more[first[key]] = more.get(first[key], 0) + 1
            continue
        first[key] = len(found)
        found.append(finding)
    for at, count in more.items():
        places = "1 more place" if count == 1 else f"{count:,} more places"
        found[at] = found[at]._replace(note=f"{found[at].note}; {places} of this file too")
    return found


def _by_detector(rule: Rule, plugin: Plugin, evidence: Evidence) -> Iterator[Finding]:
    """Yield the findings of a rule whose question a function answers."""
    for hit in MANIFEST_DETECTORS[rule.detector](plugin):
        component = hit.component
        if component is not None and _runs_elsewhere(component, rule.id):
            continue
        near = component.span if component is not None else WHOLE_FILE
        if hit.line:
            near = Span(hit.line, 1, hit.line, 1)
        file = hit.file or (component.file if component is not None else plugin.manifest)
        yield evidence.finding(rule, file, near, hit.word, note=hit.note, obj=hit.object)


_ABOUT_STARTS: Final = frozenset(
    "privileged-launch unpinned-server environment-adds-modules shell-as-server outside-path-argument "
    "inline-code-server".split()
)
"""Rules about what a client starts on its user's machine."""
_ABOUT_CLIENTS: Final = frozenset({"redirected-endpoint", "literal-secret-in-manifest"})
"""Rules about variables of the user's client: services of containers have ones of their own."""
_ABOUT_ANY_START: Final = _ABOUT_STARTS | {"environment-loads-code", "piped-download"}
"""Rules about what starts on that machine, whoever starts it."""
_BUILD_STEPS: Final = frozenset({ComponentKind.SCRIPT, ComponentKind.SOURCE, ComponentKind.SETTING})
"""What the steps of a build server are described as; their trigger is `unknown`."""


def _runs_elsewhere(component: Component, rule: str) -> bool:
    """Say whether a rule about starts on the user's machine has no say over a component.

    Steps of a build server (whose trigger is not known here) and commands inside a container run where being root and
    fetching by name are the usual way; what a person starts by its name is shown and no surprise.
    """
    if component.kind is ComponentKind.SCRIPT and component.trigger == "command":
        return rule in _ABOUT_STARTS
    if component.transport == "container" and rule in _ABOUT_CLIENTS:
        return True
    on_server = component.trigger == "unknown" and component.kind in _BUILD_STEPS
    return (on_server or component.transport == "container") and rule in _ABOUT_ANY_START


class Evidence:
    """The manifests of one plugin, split into lines at first use."""

    def __init__(self, plugin: Plugin, kept: Mapping[str, bytes]) -> None:
        self._plugin = plugin
        self._kept = kept
        self._lines: dict[str, list[str]] = {}

    def finding(
        self, rule: Rule, file: str, near: Span, word: str, *, note: str = "", obj: str | None = None
    ) -> Finding:
        """Return a finding at the place of a word."""
        path = self._plugin.path_of(file)
        data = self._kept.get(path, b"")
        if path not in self._lines:
            self._lines[path] = split_lines(decode_for_show(data)) if data else []
        span = find_word(self._lines[path], near, word)
        return build_finding(rule, Hit(span, note or rule.note, obj), path, SourceLines(data))


def _words(rule: Rule, component: Component) -> Iterator[str]:
    """Yield the words of a component at which a rule fires."""
    for launch in launches(component) or (Launch("", ()),):
        if any(_holds(clause, component, launch) is not None for clause in rule.unless):
            continue
        for clause in rule.matches:
            word = _holds(clause, component, launch)
            if word is not None:
                yield word
                break


def _holds(clause: Clause, component: Component, launch: Launch) -> str | None:
    """Return the word that best shows why a table holds, None where it does not."""
    shown = component.command[0] if component.command else component.name
    for word, test in clause.names:
        hit = next((value for value in _values(word, component, launch) if fits_name(test, value)), None)
        if hit is None:
            return None
        if word in ("env", "host", "path"):
            shown = hit
    for key, value_test in clause.arguments:
        values = launch.arguments if key == "any" else launch.arguments[int(key) : int(key) + 1]
        if value_test.absent and not values:
            continue
        argument = next((value for value in values if fits_value(value_test, (value,))), None)
        if argument is None:
            return None
        shown = argument
    return shown


def _values(word: str, component: Component, launch: Launch) -> tuple[str, ...]:
    """Return what a word of the vocabulary means for a component."""
    if word == "command":
        return (launch.program,) if launch.program else ()
    if word == "env":
        return tuple(name for name, _ in component.environment)
    if word == "host":
        return (split_host(component.endpoint),) if component.endpoint else ()
    if word == "path":
        return tuple(path for path in (component.entry, component.cwd) if path)
    return (component.kind.value,) if word == "kind" else (component.trigger,)


@lru_cache(maxsize=8)
def _manifest_rules(rules: RuleSet) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules.rules if "manifest" in rule.languages)

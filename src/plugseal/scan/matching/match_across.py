"""Match what only several plugins of one scan show together: servers whose names hosts join with the plugin's.

A host that calls a plugin's server `plugin_server` makes one name of `a_b` with `c` and of `a` with `b_c`; who is
allowed the tools of the one is allowed those of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from plugseal.model.finding import Finding
from plugseal.model.plugin import ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.rules.rule import RuleSet
from plugseal.scan.matching.match_plugin import Evidence

_DETECTOR: Final = "colliding-names"
_NOT_KEPT: Final = lazy(r"[^A-Za-z0-9_-]")
"""What Claude Code replaces by an underscore in the name of a tool; others replace at least as much."""
_JOINING: Final = frozenset({"agent-plugins", "claude-code", "codex", "copilot", "cursor", "gemini"})
"""Systems whose hosts build the name of a server's tools from the plugin's name and the server's."""


def match_across(rules: RuleSet, plugins: Iterable[Plugin], kept: Mapping[str, bytes]) -> list[Finding]:
    """Return the findings about servers of different plugins that hosts call by one name.

    Args:
        rules: the set.
        plugins: all of one scan, in order.
        kept: bytes of manifests by path below the scanned root, for the evidence.
    """
    asking = [rule for rule in rules.rules if rule.detector == _DETECTOR]
    first: dict[tuple[str, str], tuple[str, str]] = {}
    found: list[Finding] = []
    for plugin in plugins if asking else ():
        servers = [c for c in plugin.components if c.kind is ComponentKind.SERVER and plugin.system in _JOINING]
        evidence = Evidence(plugin, kept)
        for server in servers:
            key = (plugin.system, _NOT_KEPT.sub("_", f"{plugin.name}_{server.name}"))
            name, other = first.setdefault(key, (plugin.name, server.name))
            if name == plugin.name:  # A copy of it, or one whose names `match_plugin` looks at.
                continue
            note = f"with its plugin's name it becomes that of `{other}` in `{name}`"
            found += [evidence.finding(rule, server.file, server.span, server.name, note=note) for rule in asking]
    return found

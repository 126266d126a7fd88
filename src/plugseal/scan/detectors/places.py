"""Files and variables that decide for more than the plugin, in whatever language they are changed: by facts alone.

What is told of a file is its path, so a copy elsewhere under the same name is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import FileFacts
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.detectors.facts import first_places
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.values import searches

_HISTORY: Final = lazy(
    r"(?i)(?:^|[/\\])\.(?:bash|zsh|sh|python|node_repl)_history$|ConsoleHost_history\.txt$"
    r"|^/var/log/(?:\*|auth|secure|syslog|messages|wtmp|btmp|lastlog|audit)"
)
_SYSTEM: Final = lazy(
    r"(?i)^/etc/(?:hosts|resolv\.conf|nsswitch\.conf|passwd|shadow|gshadow|group|pam\.d/.{1,100}|ssh/sshd_config(?:\.d/.{1,100})?)$"
    r"|(?:^|[/\\])system32[/\\]drivers[/\\]etc[/\\]hosts$"
)
_MEMORY: Final = lazy(r"^/proc/(?!self/|thread-self/)[^/]+/(?:task/[^/]+/)?mem$")
"""What another process holds: secrets of a build that its log masks, keys, passwords."""
_REGISTRY: Final = lazy(
    r"(?i)^~[/\\]\.(?:npmrc|yarnrc(?:\.yml)?|pip[/\\]pip\.conf|config[/\\](?:pip[/\\]pip\.conf|uv[/\\]uv\.toml)"
    r"|cargo[/\\]config(?:\.toml)?|bunfig\.toml|m2[/\\]settings\.xml)$|^/etc/(?:pip\.conf|npmrc)$|[/\\]pip[/\\]pip\.ini$"
)
"""Where package managers read which registry they ask, whatever project they work on."""
_CHECKS: Final = {
    "NODE_TLS_REJECT_UNAUTHORIZED": lazy(r"[=,]\s*[\"'`]?0\b"),
    "PYTHONHTTPSVERIFY": lazy(r"[=,]\s*[\"'`]?0\b"),
    "GIT_SSL_NO_VERIFY": lazy(r"[=,]\s*[\"'`]?(?:1|true|on|yes)\b"),
}
"""By variable, how a line goes on that switches the check off."""
_WORKFLOW: Final = lazy(r"(?i)(?:^|[/\\])\.github[/\\]workflows[/\\][^/\\]{1,200}\.ya?ml$")


def _at_paths(paths: re.Pattern[str], *capabilities: str) -> CodeDetector:
    """Return what looks for files of some paths to which one of some things is surely done."""

    def look(facts: FileFacts, _: Lines) -> Iterator[Hit]:
        for capability in capabilities:
            for path, span in first_places(facts, capability):
                if searches(paths, path):
                    yield Hit(span, f"`{path}`", path)

    return CodeDetector(look)


def _look_for_set_id(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield files that are given the bit by which whoever starts them becomes their owner."""
    changed = {(fact.span, fact.object) for fact in facts.facts if fact.capability == "fs.meta"}
    for path, span in first_places(facts, "privilege"):
        if (span, path) in changed:
            yield Hit(span, f"`{path}`", path)


def _look_for_unchecked_certificates(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield variables by which a program, and what it starts, stops checking certificates."""
    for name, span in first_places(facts, "env.write"):
        off = _CHECKS.get(name)
        if off is not None and searches(off, "".join(lines(span.line)[:1])[span.column - 1 :]):
            yield Hit(span, f"`{name}`", name)


HISTORY_DELETED: Final = _at_paths(_HISTORY, "fs.delete")
MEMORY_READS: Final = _at_paths(_MEMORY, "fs.read", "fs.write")
REGISTRY: Final = _at_paths(_REGISTRY, "fs.write")
SYSTEM_FILE: Final = _at_paths(_SYSTEM, "fs.write")
WORKFLOW_WRITTEN: Final = _at_paths(_WORKFLOW, "fs.write")
SET_ID: Final = CodeDetector(_look_for_set_id)
UNCHECKED_CERTIFICATES: Final = CodeDetector(_look_for_unchecked_certificates)

"""Small questions about manifests: faults, hooks on everything, arguments that lead out, commands that approve."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.launches import launches, shell_line
from plugseal.scan.matching.values import searches
from plugseal.systems.launching.launch import outward_path
from plugseal.systems.launching.packages import on_this_machine

_TOOL_EVENTS: Final = lazy(r"(?i)^hook:(?:pre|post|before|after)_?-?(?:tool|mcp|shell|command|file)")
_ANY_MATCHER: Final = frozenset({"", "*", ".*", "^.*$", ".+", "(.*)"})
_FOR_ONE_SHELL: Final = lazy(r"(?i)\.(?:powershell|bash|windows|linux|osx|macos|command_?windows)$")
_ACTS: Final = frozenset(
    {"trust", "enable", "revoke", "disable", "recheck", "forget", "key", "wrap", "unwrap", "run", "call"}
)
_IN_GROUPS: Final = {
    "receipt": "sign",
    "policy": "new pin",
    "pins": "approve",
    "amber": "on off uninstall",
    "codewhale": "trust enable revoke disable",
}
_SIGNS: Final = frozenset((group, word) for group, words in _IN_GROUPS.items() for word in words.split())
_PERMITS: Final = frozenset({"--trust-project", "--authorize"})
"""Options by which a host is told that a person agreed."""
_CHANGES_STATE: Final = _ACTS - {"run", "call", "recheck"}
_DECODED: Final = lazy(
    r"(?i)\bbase64[ \t]{1,8}(?:-d|-D|--decode)\b[^\n;]{0,500}\|[ \t]{0,8}(?:sudo[ \t]{1,8})?"
    r"(?:ba|z|da|k)?(?:sh|python[0-9.]{0,6}|node|perl)\b"
    r"|\b(?:pwsh|powershell)(?:\.exe)?\b[^\n;|]{0,500}[ \t]-e(?:nc|ncodedcommand|c)?[ \t]{1,8}[A-Za-z0-9+/=]{16,}"
    r"|\b(?:xxd[ \t]{1,8}-r|openssl[ \t]{1,8}(?:base64|enc)[ \t]{1,8}-d)\b[^\n;]{0,500}\|[ \t]{0,8}(?:ba|z|da)?sh\b",
    needs=("base64", "pwsh", "powershell", "xxd", "openssl"),
)


def look_for_faults(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find what could not be understood in a manifest."""
    for fault in plugin.faults:
        text = f"`{fault.field}`: {fault.message}" if fault.field else fault.message
        yield ManifestHit(note=text, file=fault.file, line=fault.line)


def look_for_hooks_on_everything(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find hooks around tool calls that no matcher narrows."""
    told: set[tuple[str, str]] = set()
    for component in plugin.components:
        if component.kind is not ComponentKind.HOOK or not searches(_TOOL_EVENTS, component.trigger):
            continue
        # The lines for other shells are one hook.
        name = _FOR_ONE_SHELL.sub("", component.name)
        if (component.file, name) in told:
            continue
        told.add((component.file, name))
        if _matcher(component) in _ANY_MATCHER and (component.command or component.endpoint):
            yield ManifestHit(component, component.command[0] if component.command else "", "no matcher narrows it")


def look_for_outside_paths(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find arguments that name a path outside the plugin."""
    for component in plugin.components:
        if component.shell:
            continue
        for argument in on_this_machine(component.command)[1:]:
            path = outward_path(argument, component.cwd)
            if path is not None and not _PLACEHOLDER.search(path):
                yield ManifestHit(component, argument, "outside the plugin", path)


_PLACEHOLDER: Final = lazy(r"(?i)[/\\](?:absolute|full|your)?[/\\]?path[/\\]to(?:[/\\]|$)")
"""What a sample says where its reader shall write a path: `/path/to/config.yaml`."""


def look_for_self_approval(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find components that make plugseal trust, enable or sign something."""
    for component in plugin.components:
        for launch in launches(component):
            words = plugseal_words(launch.program, launch.arguments)
            permits = any(word.partition("=")[0] in _PERMITS for word in launch.arguments)
            if changes_state(words) or (words and permits):
                yield ManifestHit(component, _shown(component, words), f"runs `plugseal {words[0]}`")


def look_for_encoded_commands(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find command lines that are decoded before they run."""
    for component in plugin.components:
        line = shell_line(component) or " ".join(component.command)
        if searches(_DECODED, line):
            yield ManifestHit(component, component.command[-1], "decoded, then run")


def plugseal_words(program: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words after `plugseal`, or after `python -m plugseal`; empty where it is something else."""
    if program == "plugseal":
        rest = arguments
    else:
        at = next((i for i in range(len(arguments) - 1) if arguments[i : i + 2] == ("-m", "plugseal")), None)
        named = next((i for i, word in enumerate(arguments) if word == "plugseal"), None)
        rest = arguments[at + 2 :] if at is not None else arguments[named + 1 :] if named is not None else ()
    return tuple(word for word in rest if not word.startswith("-"))


def changes_state(words: tuple[str, ...]) -> bool:
    """Say whether a plugseal command approves something or makes keys and signatures."""
    return bool(words) and (words[0] in _CHANGES_STATE or words[:2] in _SIGNS)


def _matcher(component: Component) -> str:
    """Return what narrows a hook, empty where nothing does."""
    extra = dict(component.extra)
    for key in ("group.matcher", "matcher", "group.tools", "tools", "group.if", "if", "group.pattern", "pattern"):
        if key in extra:
            try:
                value = json.loads(extra[key])
            except ValueError:
                value = extra[key]
            return value if isinstance(value, str) else json.dumps(value) if value else ""
    return ""


def _shown(component: Component, words: tuple[str, ...]) -> str:
    return component.command[0] if component.shell else next((w for w in component.command if w == words[0]), words[0])

"""Tell commands that fetch what they run: package runners and containers. Nothing that was reviewed binds that code.

By the words of the reviewed command alone, through the wrappers that only start another program and through shells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from plugseal.patterns import lazy

_RUNNERS: Final = frozenset("npx uvx bunx pnpx pipx docker podman nerdctl dlx uvenv pkgx nix-shell".split())
_MANAGERS: Final = {
    "npm": frozenset("exec x install i ci init create".split()),
    "pnpm": frozenset("dlx exec install i add create".split()),
    "yarn": frozenset("dlx exec install add create".split()),
    "bun": frozenset("x install add create".split()),
    "uv": frozenset("run tool pip sync add".split()),
    "pip": frozenset({"install"}),
    "pip3": frozenset({"install"}),
    "go": frozenset("run install get".split()),
    "cargo": frozenset("run install".split()),
    "nix": frozenset("run shell develop".split()),
    "deno": frozenset("run install serve".split()),
    "poetry": frozenset("install add".split()),
    "gem": frozenset("install exec".split()),
}
_WRAPPERS: Final = frozenset("env nice nohup sudo doas setsid stdbuf timeout time xvfb-run command exec".split())
_SHELLS: Final = frozenset("sh bash dash zsh ksh fish cmd pwsh powershell".split())
_ADDRESS: Final = lazy(r"\A(?:https?|npm|jsr|git\+[a-z]+):", re.IGNORECASE)
_WORD: Final = lazy(r"[^\s;&|()`$'\"<>]+")


def fetches_code(command: Sequence[str], *, shell: bool) -> bool:
    """Say whether a command fetches what it runs.

    Args:
        command: the reviewed words.
        shell: whether the one word is a line for a shell.
    """
    if not command:
        return False
    if shell:
        return _line_fetches(command[0])
    at = 0
    while at < len(command) and (_name(command[at]) in _WRAPPERS or (at and _is_passed_over(command[at]))):
        at += 1
    words = command[at:]
    if not words:
        return False
    if _name(words[0]) in _SHELLS:
        return any(_line_fetches(word) for word in words[1:] if not word.startswith("-"))
    return _words_fetch(words)


def _line_fetches(line: str) -> bool:
    words = _WORD.findall(line)
    return any(_words_fetch(words[at:]) for at in range(len(words)))


def _words_fetch(words: Sequence[str]) -> bool:
    name = _name(words[0])
    if name in _RUNNERS:
        return True
    verbs = _MANAGERS.get(name)
    if verbs is None:
        return name.startswith("python") and list(words[1:3]) in (["-m", "pip"], ["-m", "pipx"], ["-m", "uv"])
    if name == "deno":
        return any(_ADDRESS.match(word) for word in words[1:])
    first = next((word for word in words[1:] if not word.startswith("-")), "")
    return first in verbs


def _name(word: str) -> str:
    base = word.replace("\\", "/").rpartition("/")[2].lower()
    for ending in (".exe", ".cmd", ".bat", ".ps1"):
        base = base.removesuffix(ending)
    return base


def _is_passed_over(word: str) -> bool:
    """Say whether a word is an option or a variable of a wrapper."""
    return word.startswith("-") or "=" in word or word.replace(".", "").rstrip("smhd").isdigit()

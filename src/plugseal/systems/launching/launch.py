"""What a command line starts: program, the plugin's own file behind it, fetched packages, hosts, variables, paths.

Pure text work over argument vectors and shell lines, shared by all systems; it resolves names only inside the plugin
and never looks at the machine. What it can't tell is None: the reader of the component's language says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from plugseal.patterns import lazy
from plugseal.systems.launching.words import (
    POWERSHELLS,
    ROOT_NAMES,
    SHELLS,
    base_name,
    exact_variable,
    inline_shell,
    shell_commands,
    shell_program,
    shell_variables,
    unwrapped,
    variables,
)

__all__ = [
    "base_name",
    "entry_file",
    "exact_variable",
    "hosts",
    "inline_shell",
    "inner",
    "outward_path",
    "reachable",
    "shell_commands",
    "shell_entry",
    "shell_program",
    "shell_variables",
    "unwrapped",
    "variables",
]

_ANY_ROOT = "|".join(sorted(ROOT_NAMES))
_ROOT = lazy(rf"(?:\$\{{(?:{_ANY_ROOT})(?::?-[^}}]{{0,1000}})?\}}|\$(?:{_ANY_ROOT})\b)[/\\]?")
_DEFAULT = lazy(r"\$\{[A-Za-z_]\w{0,99}:-([^${}]{0,512})\}")
_URL = lazy(
    r"\b(?:https?|wss?|sse|s?ftps?|ssh|git|svn|rsync)://(?:[^\s/?#'\"\\]*@)?(\[[0-9A-Fa-f:.]+\]|[^\s/:?#'\"<>|;&)\\]+)",
    re.I,
    needs=("://",),
)
_INTERPRETERS = SHELLS | POWERSHELLS | frozenset("node nodejs deno bun ruby perl php lua tsx ts-node java".split())
_PYTHON = lazy(r"(?:python|pypy)[0-9.]*[wt]?\Z", needs=("python", "pypy"))
_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/sbin/", "/usr/sbin/", "/dev/")
_DRIVE = lazy(r"[A-Za-z]:[\\/]", needs=(":\\", ":/"))
_HOME = lazy(
    r"[A-Za-z]:[\\/]|\\\\|~|\$\{?HOME\b|%USERPROFILE%|%APPDATA%",
    re.I,
    needs=(":\\", ":/", "\\\\", "~", "$home", "${home", "%userprofile%", "%appdata%"),
)
_GLUED_FLAG = lazy(r"\A-[A-Za-z](?=[./~])")
_FILE_SCHEME = lazy(r"\Afile:(?://)?", re.I)
_INLINE_FLAGS = frozenset({"-c", "-e", "--eval", "-p", "--print", "-Command", "-EncodedCommand", "-enc"})


def assumed(text: str) -> str:
    """Return a text as it is where no variable is set: with the defaults of `${NAME:-default}` in their places."""
    return _DEFAULT.sub(r"\1", text) if ":-" in text else text


def hosts(text: str) -> tuple[str | None, ...]:
    """Return the hosts of the URLs in a text, lower-case, each once; None for one that is put in at run time."""
    found = dict.fromkeys(host.lower().rstrip(".").strip("[]") for host in _URL.findall(assumed(text)))
    return tuple(dict.fromkeys(None if set(host) & set("${}%*") else host for host in found))


def hides_host(address: str) -> bool:
    """Say whether the host of an address goes on, for clients, behind what ends it in a line of a shell."""
    place = re.split(r"[/?#\\]", address.partition("://")[2], maxsplit=1)[0]
    return bool(set(place.rpartition("@")[2].rstrip()) & set("\t\r\n '\"<>|;&)"))


def inner(text: str, cwd: str = "") -> str | None:
    """Return a launch path relative to the plugin's root, or None where it leaves the root or is no such path."""
    path = reachable(text, cwd)
    return None if path is None or path == ".." or path.startswith("../") else path


def reachable(text: str, cwd: str = "") -> str | None:
    """Return a launch path relative to the plugin's root, one beside the root as `../x`; None where it is no such path.

    Args:
        text: as written.
        cwd: relative to the root.
    """
    text = _with_separators(text)
    path, rooted = _ROOT.subn("", text, count=1) if "$" in text and _ROOT.match(text) else (text, 0)
    if not path and rooted:
        return ""
    if "$" in path or "://" in path or path.startswith(("/", "~", "\\")) or _DRIVE.match(path):
        return None
    parts: list[str] = [] if rooted else [part for part in cwd.split("/") if part]
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def entry_file(argv: Sequence[str], cwd: str | None, is_file: Callable[[str], bool]) -> str | None:
    """Return the plugin's file that a command runs first, or None where there is none or it can't be told.

    Args:
        argv: program and arguments.
        cwd: the declared working directory, as written.
        is_file: whether a path relative to the plugin's root is a file; asked of `../x` too.
    """
    words = unwrapped(argv)
    base = reachable(cwd) if cwd else ""
    if not words or base is None:
        return None
    line = inline_shell(words)
    if line is not None:
        return shell_entry(line, is_file)
    program = reachable(words[0], base)
    if program and ("/" in words[0] or "\\" in words[0]) and is_file(program):
        return program
    if _PYTHON.match(base_name(words[0])):
        module = _python_module(words, base, is_file)
        if module is not None:
            return module
    for index, word in enumerate(words[1:], start=1):
        if word in _INLINE_FLAGS and base_name(words[0]) in _INTERPRETERS | {"python", "python3"}:
            return None
        if word.startswith("-") or words[index - 1] in ("-m", "--directory"):
            continue
        path = reachable(word, base)
        if path and is_file(path):
            return path
    return None


def shell_entry(line: str, is_file: Callable[[str], bool]) -> str | None:
    """Return the plugin's file that a shell line runs first, or None."""
    for words in shell_commands(line):
        found = entry_file(words, None, is_file)
        if found is not None:
            return found
        words = list(unwrapped(words))
        if len(words) > 1 and words[0] in (".", "source"):
            path = reachable(words[1])
            if path and is_file(path):
                return path
    return None


def outward_path(argument: str, cwd: str | None = None) -> str | None:
    """Return the part of an argument that names a path outside the plugin, or None.

    `--flag=VALUE`, `@FILE`, `file:` URLs, percent signs and backslashes don't hide it; a placeholder of the
    plugin's root doesn't save a path that climbs out of it.
    """
    text = _path_text(argument)
    if "://" in text:
        return None
    if _HOME.match(text):
        return text
    if text.startswith("/"):
        is_flag = len(text) <= 2  # `/` alone, or a flag of Windows as in `cmd /c`.
        return None if is_flag or text.startswith(_SYSTEM_FOLDERS) else text
    rooted = _ROOT.match(text) if "$" in text else None
    if rooted and rooted.end() < len(text) and not rooted[0].endswith(("/", "\\")):
        return text  # `${PLUGIN_ROOT}-evil/x` is a neighbour of the root, not inside it.
    climbs = ".." in text.replace("\\", "/").split("/")
    return text if climbs and inner(text, inner(cwd or "") or "") is None else None


def _with_separators(text: str) -> str:
    """Return a text with the placeholders of hosts for the separator of paths filled in."""
    return text.replace("${/}", "/").replace("${pathSeparator}", "/") if "${" in text else text


def _path_text(argument: str) -> str:
    """Return the part of an argument that may be a path: behind its flag, without `@`, `file:` and percent signs."""
    text = _with_separators(argument)
    if text.startswith("-"):
        flag, equals, value = text.partition("=")
        text = value if equals else _GLUED_FLAG.sub("", flag)
    text = text.removeprefix("@")
    if text.lower().startswith("file:"):
        text = _FILE_SCHEME.sub("", text)
    if "%2" in text or "%5" in text:
        from urllib.parse import unquote

        text = unquote(text)
    return text


def _python_module(words: tuple[str, ...], base: str, is_file: Callable[[str], bool]) -> str | None:
    if "-m" not in words[:-1]:
        return None
    module = words[words.index("-m") + 1].replace(".", "/")
    for folder in (base, "src" if not base else f"{base}/src"):
        stem = f"{folder}/{module}" if folder else module
        for path in (f"{stem}.py", f"{stem}/__main__.py", f"{stem}/__init__.py"):
            if is_file(path):
                return path
    return None

"""What a command line starts: program, the plugin's own file behind it, fetched packages, hosts, variables, paths.

Pure text work over argument vectors and shell lines, shared by all systems; it resolves names only inside the plugin
and never looks at the machine. What it can't tell is None: the reader of the component's language says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

ROOT_NAMES = frozenset(
    {
        "PLUGIN_ROOT",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_SKILL_DIR",
        "CURSOR_PLUGIN_ROOT",
        "CODEX_PLUGIN_ROOT",
        "extensionPath",
        "workspacePath",
        "workspaceFolder",
        "__dirname",
    }
)
"""Placeholders that stand for the plugin's (or the project's) own folder."""
HOST_NAMES = ROOT_NAMES | {"PLUGIN_DATA", "CLAUDE_PLUGIN_DATA", "/", "pathSeparator", "ARGUMENTS"}
"""Placeholders that the host fills in, so that they are no environment variables."""

_ANY_ROOT = "|".join(sorted(ROOT_NAMES))
_ROOT = re.compile(rf"(?:\$\{{(?:{_ANY_ROOT})(?::?-[^}}]*)?\}}|\$(?:{_ANY_ROOT})\b)/?")
_MODIFIER = r"(?::?[-=?+]|[#%/^,@]|:[0-9 ])[^}]*"
_VARIABLE = re.compile(rf"\$(?:\{{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?:{_MODIFIER})?\}}|([A-Za-z_][A-Za-z0-9_]*))")
_ASSIGNED = re.compile(
    r"(?:\A|[\s;&|(])(?:for\s+|read\s+(?:-\S+\s+)*)?([A-Za-z_][A-Za-z0-9_]*)(?==|\s+in\b|\s*(?:;|\Z|\n))"
)
_WORD_END = re.compile(r"[\s;&|]")
_EXACT = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")
_URL = re.compile(r"\b(?:https?|wss?|sse|ftp)://(?:[^\s/@'\"]*@)?(\[[0-9A-Fa-f:.]+\]|[^\s/:?#'\"<>|;&)\\]+)", re.I)
_SEPARATORS = frozenset({"|", "||", "&&", "&", ";", "|&", "(", ")", "\n"})
_WRAPPERS = frozenset({"env", "sudo", "nohup", "exec", "time", "nice", "command", "xargs", "timeout", "doas", "setsid"})
_KEYWORDS = frozenset({"if", "then", "else", "elif", "fi", "while", "until", "do", "done", "!", "{", "}", "$", "time"})
_RUNNERS = frozenset(
    "poetry pipenv pdm hatch rye bundle volta fnm mise op doppler infisical dotenvx direnv aws-vault asdf".split()
)
"""Programs whose `run` or `exec` starts the command behind it."""
_POWERSHELLS = frozenset({"pwsh", "powershell"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
_INTERPRETERS = _SHELLS | frozenset(
    {"node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "pwsh", "powershell", "tsx", "ts-node", "java"}
)
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*[wt]?\Z")
_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/sbin/", "/usr/sbin/", "/dev/")
_SHELL_MAX_CHARACTERS = 65_536
_HOME = re.compile(r"[A-Za-z]:[\\/]|\\\\|~|\$\{?HOME\b|%USERPROFILE%|%APPDATA%", re.I)
_GLUED_FLAG = re.compile(r"\A-[A-Za-z](?=[./~])")
_FILE_SCHEME = re.compile(r"\Afile:(?://)?", re.I)
_INLINE_FLAGS = frozenset({"-c", "-e", "--eval", "-p", "--print", "-Command", "-EncodedCommand", "-enc"})


def base_name(program: str) -> str:
    """Return a program's name without folder and `.exe`, lower-case."""
    name = program.replace("\\", "/").rpartition("/")[2].lower()
    return name[:-4] if name.endswith((".exe", ".cmd", ".bat")) else name


def variables(text: str) -> tuple[str, ...]:
    """Return the environment variables that a text asks for, sorted; the host's own placeholders are none."""
    return tuple(sorted({name for name, _ in _asked(text)}))


def shell_variables(line: str) -> tuple[str, ...]:
    """Return the variables that a shell line takes from its environment, sorted: those that it sets itself are none."""
    first_set: dict[str, int] = {}
    for match in _ASSIGNED.finditer(line):
        first_set.setdefault(match[1], match.start(1))
    asked = set()
    for name, at in _asked(line):
        since = first_set.get(name)
        # `PATH=x:$PATH` asks for the old value: a use within the word that sets it is no use of the new one.
        if since is None or at < since or not _WORD_END.search(line, since, at):
            asked.add(name)
    return tuple(sorted(asked))


def _asked(text: str) -> Iterator[tuple[str, int]]:
    for match in _VARIABLE.finditer(text):
        name = match[1] or match[2]
        if name not in HOST_NAMES:
            yield name, match.start()


def exact_variable(text: str) -> str | None:
    """Return the variable's name where a text is nothing but one reference, e.g. `${TOKEN}`."""
    match = _EXACT.fullmatch(text)
    return match.group(1) if match and match.group(1) not in HOST_NAMES else None


def hosts(text: str) -> tuple[str | None, ...]:
    """Return the hosts of the URLs in a text, lower-case, each once; None for one that is put in at run time."""
    found = dict.fromkeys(host.lower().rstrip(".").strip("[]") for host in _URL.findall(text))
    return tuple(dict.fromkeys(None if set(host) & set("${}%*") else host for host in found))


def shell_commands(line: str) -> list[list[str]]:
    """Split a shell line into its simple commands' words, tolerantly: a first look, not a shell.

    Returns:
        One list of words for each simple command; the whole line as one word where its quotes don't close.
    """
    import shlex

    line = line[:_SHELL_MAX_CHARACTERS].replace("\\\n", " ").replace("\n", " ; ")
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word in _SEPARATORS or (word and not word.strip("();|&")):
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:
        commands = [[line]]
    return [words for words in commands if words]


def shell_program(line: str) -> str | None:
    """Return the first program that a shell line starts, behind settings, wrappers and the shell's own words."""
    for words in shell_commands(line):
        rest = [word for word in words if word not in _KEYWORDS]
        for word in unwrapped(rest)[:1]:
            if word and not word.startswith(("$(", "`")):
                return word
    return None


def unwrapped(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the command behind `env A=1`, `sudo`, `timeout 5`, `cmd /c` and the like."""
    words = tuple(argv)
    for _ in range(8):
        if not words:
            return ()
        name = base_name(words[0])
        if re.match(r"[A-Za-z_][A-Za-z0-9_]*=", words[0]):
            words = words[1:]
        elif name == "cmd" and len(words) > 1 and words[1].lower() in ("/c", "/k"):
            words = words[2:]
        elif name in _RUNNERS and len(words) > 2 and words[1] in ("run", "exec", "x"):
            words = words[words.index("--") + 1 :] if "--" in words else words[2:]
        elif name in _WRAPPERS and len(words) > 1:
            rest = words[1:]
            while rest and (rest[0].startswith("-") or "=" in rest[0] or (name == "timeout" and rest[0][:1].isdigit())):
                rest = rest[1:]
            if not rest:
                return words
            words = rest
        else:
            return words
    return words


def inline_shell(argv: Sequence[str]) -> str | None:
    """Return the line that `sh -c LINE` or `powershell -Command LINE` gives to a shell, or None."""
    words = unwrapped(argv)
    name = base_name(words[0]) if words else ""
    for index, word in enumerate(words[1:-1], start=1):
        flag = word.lower()
        if name in _POWERSHELLS and len(flag) > 1 and "-command".startswith(flag):
            return " ".join(words[index + 1 :])
        if name in _SHELLS and flag.startswith("-") and not flag.startswith("--") and "c" in flag[1:]:
            return words[index + 1]
        if name in _SHELLS and not flag.startswith(("-", "+")):
            return None
    return None


def inner(text: str, cwd: str = "") -> str | None:
    """Return a launch path relative to the plugin's root, or None where it leaves the root or is no such path."""
    path, rooted = _ROOT.subn("", text, count=1) if _ROOT.match(text) else (text, 0)
    if not path and rooted:
        return ""
    if "$" in path or "://" in path or path.startswith(("/", "~", "\\")) or re.match(r"[A-Za-z]:[\\/]", path):
        return None
    parts: list[str] = [] if rooted else [part for part in cwd.split("/") if part]
    for part in path.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def entry_file(argv: Sequence[str], cwd: str | None, is_file: Callable[[str], bool]) -> str | None:
    """Return the plugin's file that a command runs first, or None where there is none or it can't be told.

    Args:
        argv: program and arguments.
        cwd: the declared working directory, as written.
        is_file: whether a path relative to the plugin's root is a file.
    """
    words = unwrapped(argv)
    base = inner(cwd, "") if cwd else ""
    if not words or base is None:
        return None
    line = inline_shell(words)
    if line is not None:
        return shell_entry(line, is_file)
    program = inner(words[0], base)
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
        path = inner(word, base)
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
            path = inner(words[1])
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
    rooted = _ROOT.match(text)
    if rooted and rooted.end() < len(text) and not rooted[0].endswith("/"):
        return text  # `${PLUGIN_ROOT}-evil/x` is a neighbour of the root, not inside it.
    climbs = ".." in text.replace("\\", "/").split("/")
    return text if climbs and inner(text, inner(cwd or "") or "") is None else None


def _path_text(argument: str) -> str:
    """Return the part of an argument that may be a path: behind its flag, without `@`, `file:` and percent signs."""
    text = argument
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

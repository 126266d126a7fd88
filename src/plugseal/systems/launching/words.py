"""Words of command lines and shell lines: which program stands behind wrappers, which variables are asked for.

Pure text work, linear in the length of the line, whatever is in it; a first look, not a shell. What it can't tell is
None, and the reader of the language says more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from plugseal.limits import MAX_LINE_CHARACTERS
from plugseal.patterns import lazy

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
_HOST_NAMES = ROOT_NAMES | {"PLUGIN_DATA", "CLAUDE_PLUGIN_DATA", "pathSeparator", "ARGUMENTS"}
"""Placeholders that the host fills in, so that they are no environment variables."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_VARIABLE = lazy(rf"\$(?:\{{(?:(?:env|localEnv):)?({_NAME})(?=\}}|:?[-=?+]|[#%/^,@]|:[0-9 ])|({_NAME}))", needs=("$",))
_ASSIGNED = lazy(rf"(?:\A|[\s;&|(])(?:for\s+|read\s+(?:-\S+\s+){{0,8}})?({_NAME})(?!\w)(?==|\s+in\b|\s*(?:;|\Z|\n))")
_SETTING = lazy(rf"{_NAME}=")
_LEADING_COMMENTS = lazy(r"\A[ \t\r\n]*(?:#[^\n]*(?:\n[ \t\r\n]*|\Z))+")
_WORD_END = lazy(r"[\s;&|]|\Z")
_EXACT = lazy(rf"\$\{{(?:(?:env|localEnv):)?({_NAME})\}}", needs=("${",))
_SEPARATORS = frozenset({"|", "||", "&&", "&", ";", "|&", "(", ")"})
_WRAPPERS = frozenset({"env", "sudo", "nohup", "exec", "time", "nice", "command", "xargs", "timeout", "doas", "setsid"})
_KEYWORDS = frozenset({"if", "then", "else", "elif", "fi", "while", "until", "do", "done", "!", "{", "}", "$", "time"})
_RUNNERS = frozenset(
    "poetry pipenv pdm hatch rye bundle volta fnm mise op doppler infisical dotenvx direnv aws-vault asdf".split()
)
"""Programs whose `run` or `exec` starts the command behind it."""
_MAX_WRAPPERS = 64
_MAX_KEPT = 2_048
"""Characters of a line whose words are remembered."""
POWERSHELLS = frozenset({"pwsh", "powershell"})
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})


def base_name(program: str) -> str:
    """Return a program's name without folder and `.exe`, lower-case."""
    name = program.replace("\\", "/").rpartition("/")[2].lower()
    return name[:-4] if name.endswith((".exe", ".cmd", ".bat")) else name


def variables(text: str) -> tuple[str, ...]:
    """Return the environment variables that a text asks for, sorted; the host's own placeholders are none."""
    return tuple(sorted({name for name, _ in _asked(text)}))


def shell_variables(line: str) -> tuple[str, ...]:
    """Return the variables that a shell line takes from its environment, sorted: those that it sets itself are none."""
    set_from: dict[str, int] = {}
    for match in _ASSIGNED.finditer(line):
        # `PATH=x:$PATH` asks for the old value: the new one holds from the end of the word that sets it.
        end = _WORD_END.search(line, match.start(1))
        set_from.setdefault(match[1], end.start() if end is not None else len(line))
    asked = {name for name, at in _asked(line) if at < set_from.get(name, len(line))}
    return tuple(sorted(asked))


def _asked(text: str) -> Iterator[tuple[str, int]]:
    for match in _VARIABLE.finditer(text):
        name = match[1] or match[2]
        if name not in _HOST_NAMES:
            yield name, match.start()


def exact_variable(text: str) -> str | None:
    """Return the variable's name where a text is nothing but one reference, e.g. `${TOKEN}`."""
    match = _EXACT.fullmatch(text)
    return match.group(1) if match and match.group(1) not in _HOST_NAMES else None


def shell_commands(line: str) -> list[list[str]]:
    """Split a shell line into its simple commands' words, tolerantly.

    Returns:
        One list of words for each simple command; the whole line as one word where its quotes don't close, and
        nothing of a line that is longer than `MAX_LINE_CHARACTERS`.
    """
    return [list(words) for words in (_split_short(line) if len(line) <= _MAX_KEPT else _split_long(line))]


@lru_cache(maxsize=4096)
def _split_short(line: str) -> tuple[tuple[str, ...], ...]:
    """Split a line that is asked for again and again: by its system, its facts and every rule."""
    return _split(line)


@lru_cache(maxsize=4)
def _split_long(line: str) -> tuple[tuple[str, ...], ...]:
    """Split a line of which few are kept: each takes some megabytes."""
    return _split(line)


def _split(line: str) -> tuple[tuple[str, ...], ...]:
    import shlex

    if len(line) > MAX_LINE_CHARACTERS:
        return ()
    line = _LEADING_COMMENTS.sub("", line, count=1)
    lexer = shlex.shlex(line.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars="();|&")
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
    return tuple(tuple(words) for words in commands if words)


def shell_program(line: str) -> str | None:
    """Return the first program that a shell line starts, behind settings, wrappers and the shell's own words."""
    for words in shell_commands(line):
        rest = [word for word in words if word not in _KEYWORDS]
        for word in unwrapped(rest)[:1]:
            if word and not word.startswith(("$(", "`")):
                return word
    return None


def unwrapped(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the command behind `env A=1`, `sudo`, `timeout 5`, `poetry run`, `cmd /c` and the like."""
    words = tuple(argv)
    at = 0
    for _ in range(_MAX_WRAPPERS):
        while at < len(words) and _SETTING.match(words[at]):
            at += 1
        past = _past_wrapper(words, at) if at < len(words) else at
        if past == at or past >= len(words):
            break
        at = past
    return words[at:]


def _past_wrapper(words: tuple[str, ...], at: int) -> int:
    """Return where the command behind one wrapper begins; `at` itself where there is no wrapper."""
    name = base_name(words[at])
    following = words[at + 1].lower() if at + 1 < len(words) else ""
    if name == "cmd" and following in ("/c", "/k"):
        return at + 2
    if name in _RUNNERS and following in ("run", "exec", "x"):
        return words.index("--", at) + 1 if "--" in words[at:] else at + 2
    if name not in _WRAPPERS:
        return at
    at += 1
    while at < len(words) and _is_wrapper_option(name, words[at]):
        at += 1
    return at


def _is_wrapper_option(name: str, word: str) -> bool:
    return word.startswith("-") or "=" in word or (name == "timeout" and word[:1].isdigit())


def inline_shell(argv: Sequence[str]) -> str | None:
    """Return the line that `sh -c LINE` or `powershell -Command LINE` gives to a shell, or None."""
    words = unwrapped(argv)
    name = base_name(words[0]) if words else ""
    for index, word in enumerate(words[1:-1], start=1):
        flag = word.lower()
        if name in POWERSHELLS and len(flag) > 1 and "-command".startswith(flag):
            return " ".join(words[index + 1 :])
        if name in SHELLS and flag.startswith("-") and not flag.startswith("--") and "c" in flag[1:]:
            return words[index + 1]
        if name in SHELLS and not flag.startswith(("-", "+")):
            return None
    return None

"""Programs whose words stand in arguments of their own: `os.execv(path, words)`, `os.execl(path, *words)`.

To whoever reads what a program is given, a call is told as one list: the program, then its words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import UNKNOWN, Ref, Unknown, Value
from plugseal.lang.judging.objects import EXECUTABLES
from plugseal.lang.python.judging.fact_values import alternatives
from plugseal.records import NamedTuple

if TYPE_CHECKING:
    from plugseal.lang.python.resolving.resolver import Resolver
    from plugseal.lang.python.resolving.values import Arguments


class _Launch(NamedTuple):
    """Where one function has its program and its words."""

    program: int
    words: int
    is_list: bool
    """Whether the words are one argument."""
    has_name: bool
    """Whether the first word is what the program is called."""


_LAUNCHES: Final = {
    **{
        f"os.{name}": _Launch(0, 1, True, True)
        for name in "execv execve execvp execvpe posix_spawn posix_spawnp".split()
    },
    **{f"os.{name}": _Launch(1, 2, True, True) for name in "spawnv spawnve spawnvp spawnvpe".split()},
    **{f"os.{name}": _Launch(0, 1, False, True) for name in "execl execle execlp execlpe".split()},
    **{f"os.{name}": _Launch(1, 2, False, True) for name in "spawnl spawnle spawnlp spawnlpe".split()},
    **{f"nox.Session().{name}": _Launch(0, 1, False, False) for name in "run run_always run_install".split()},
    "pexpect.spawn": _Launch(0, 1, True, False),
    "asyncio.create_subprocess_exec": _Launch(0, 1, False, False),
    "asyncio.subprocess.create_subprocess_exec": _Launch(0, 1, False, False),
}
_MAX_WORDS: Final = 64
NAMED: Final = ("@name",)
"""As the keywords of a place: the program is what the function is called, and its arguments are the program's."""


def named_words(resolver: Resolver, name: str, arguments: Arguments | None) -> Value:
    """Return the words of a program that is a member of a module: `sh.git.clone(url)`, `plumbum.cmd.ls()`."""
    parts = [part.strip("_").replace("_", "-") for part in name.partition("()")[0].split(".")[1:]]
    words: list[Value] = [part for part in parts if part != "cmd"] or [UNKNOWN]
    if arguments is not None:
        words.extend(alternatives(resolver, *one)[0] for one in arguments.positional[:_MAX_WORDS])
        if arguments.rest:
            words.append(UNKNOWN)
    return tuple(words)


def with_words(
    resolver: Resolver, name: str, arguments: Arguments | None, position: int, programs: tuple[Value, ...]
) -> tuple[Value, ...]:
    """Return what a program may be with the words that it is started with, unchanged where these are not known.

    Args:
        resolver: of the file.
        name: what is called.
        arguments: of the call.
        position: which of them is asked for.
        programs: what it may be.
    """
    launch = _LAUNCHES.get(name)
    if launch is None or launch.program != position or arguments is None:
        return programs
    given = arguments.positional[launch.words : launch.words + _MAX_WORDS]
    words: tuple[Value, ...]
    if launch.is_list:
        found = alternatives(resolver, *given[0])[:1] if given else ()
        value = found[0] if found else None
        words = value if isinstance(value, tuple) and not isinstance(value, (Ref, Unknown)) else ()
    else:
        words = tuple(alternatives(resolver, *one)[0] for one in given)
    words = words[1:] if launch.has_name else words
    if not words:
        return programs
    named = [EXECUTABLES.get(one.name, one) if isinstance(one, Ref) else one for one in programs]
    return tuple((one, *words) if isinstance(one, str) else one for one in named)

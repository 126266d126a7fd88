"""The environment of what is started: built from a small base and the reviewed mappings, never inherited.

Rules
- The base is a short list of names that say who and where one is, nothing that carries a secret, a proxy or code.
- A reviewed mapping copies one variable of ours under its reviewed name; one that is not set is an error that names it
  and never shows a value.
- What makes interpreters or loaders run other code is never copied, mapped or not. A proxy is copied where a reviewed
  mapping names it, and never by itself.
- The home is an owned empty folder, so that nothing in the user's home is found by asking for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason

PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_BASE: Final = frozenset("USER LOGNAME LANG LANGUAGE TZ TERM COLORTERM NO_COLOR FORCE_COLOR".split())
_BASE_PREFIX: Final = "LC_"
_FIXED: Final = {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
_CODE: Final = frozenset(
    """
    PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONWARNINGS
    PYTHONBREAKPOINT PYTHONUSERBASE NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS RUBYOPT RUBYLIB
    PERL5OPT PERL5LIB PERL5DB BASH_ENV ENV SHELLOPTS BASHOPTS PROMPT_COMMAND IFS CDPATH GLOBIGNORE JAVA_TOOL_OPTIONS
    _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH HOSTALIASES RES_OPTIONS
    OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG
    GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_EXEC_PATH GIT_PROXY_COMMAND PAGER EDITOR VISUAL LESSOPEN
    LESSCLOSE MANPAGER BROWSER LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR DOTNET_STARTUP_HOOKS
    CORECLR_PROFILER CORECLR_ENABLE_PROFILING COR_PROFILER DENO_DIR BUN_OPTIONS ELECTRON_RUN_AS_NODE
    """.split()
)
_CODE_PREFIXES: Final = (
    "LD_",
    "DYLD_",
    "PLUGSEAL_",
    "BASH_FUNC_",
    "LUA_INIT_",
    "LUA_PATH_",
    "LUA_CPATH_",
    "GIT_CONFIG_",
)


def build_environment(
    ours: Mapping[str, str],
    *,
    mapped: Iterable[tuple[str, str | None]],
    literals: Iterable[tuple[str, str]],
    home: str,
    temporary: str,
    path: str = PATH,
) -> dict[str, str]:
    """Return the whole environment of a program.

    Args:
        ours: a snapshot of this process's environment.
        mapped: reviewed (destination, source); source None for a literal.
        literals: reviewed (destination, value), placeholders expanded.
        home: an owned empty folder.
        temporary: an owned folder.
        path: where programs are looked for.

    Raises:
        RefusedError: a reviewed source is not set, or a destination loads code.
    """
    built = {name: value for name, value in ours.items() if name in _BASE or name.startswith(_BASE_PREFIX)}
    built.update(_FIXED, PATH=path, HOME=home, TMPDIR=temporary)
    for name, value in literals:
        _verify_harmless(name)
        built[name] = value
    for name, source in mapped:
        if source is None:
            continue
        _verify_harmless(name)
        if source not in ours:
            raise RefusedError(
                Reason.VARIABLE_MISSING.value,
                f"`{source}` is not set, from which it gets `{name}`",
                hint=f"set `{source}`, then start again",
            )
        built[name] = ours[source]
    return built


def loads_code(name: str) -> bool:
    """Say whether a variable makes loaders or interpreters run other code."""
    upper = name.upper()
    return upper in _CODE or upper.startswith(_CODE_PREFIXES)


def find_wrapper(ours: Mapping[str, str]) -> str | None:
    """Return a variable under which our own process can't be trusted, None where there is none."""
    for name in ours:
        upper = name.upper()
        if upper.startswith(("LD_", "DYLD_")) or upper in ("GLIBC_TUNABLES", "GCONV_PATH"):
            return name
    return None


def snapshot() -> dict[str, str]:
    """Return this process's environment as it is now."""
    return dict(os.environ)


def _verify_harmless(name: str) -> None:
    if loads_code(name):
        raise RefusedError(
            Reason.POLICY_DENIES.value,
            f"its environment sets `{name}`, which makes programs load other code",
            hint="ask its author for a plugin that does without it",
        )
    if not name or "=" in name or "\0" in name:
        raise RefusedError(
            Reason.POLICY_DENIES.value,
            "its environment has a name that no environment can hold",
            hint="ask its author for a plugin that does without it",
        )

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
from plugseal.model.variables import MODULE_PATHS, UNKNOWN_PART, loading

PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_BASE: Final = frozenset("USER LOGNAME LANG LANGUAGE TZ TERM COLORTERM NO_COLOR FORCE_COLOR".split())
_BASE_PREFIX: Final = "LC_"
_FIXED: Final = {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
_CODE: Final = frozenset(
    """
    PYTHONPLATLIBDIR PYTHONWARNINGS PYTHONBREAKPOINT NODE_OPTIONS NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS ENV IFS
    CDPATH GLOBIGNORE JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS LOCPATH NLSPATH HOSTALIASES RES_OPTIONS
    OPENSSL_CONF SSLKEYLOGFILE GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT PAGER EDITOR VISUAL MANPAGER BROWSER
    CORECLR_ENABLE_PROFILING DENO_DIR BUN_OPTIONS ELECTRON_RUN_AS_NODE
    """.split()
)
"""Those that are refused by name though `model/variables.py` asks for their value, or knows nothing of them."""
_CODE_PREFIXES: Final = ("LD_", "DYLD_", "PLUGSEAL_", "LUA_PATH_", "LUA_CPATH_", "GIT_CONFIG_")


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
        _verify_harmless(name, value)
        built[name] = value
    for name, source in mapped:
        if source is None:
            continue
        _verify_harmless(name, ours.get(source, ""))
        if source not in ours:
            raise RefusedError(
                Reason.VARIABLE_MISSING.value,
                f"`{source}` is not set, from which it gets `{name}`",
                hint=f"set `{source}`, then start again",
            )
        built[name] = ours[source]
    return built


def loads_code(name: str) -> bool:
    """Say whether a variable makes loaders or interpreters run other code, whatever its value."""
    upper = name.upper()
    return upper in _CODE or upper.startswith(_CODE_PREFIXES) or upper in MODULE_PATHS or _loads(upper, UNKNOWN_PART)


def _loads(name: str, value: str) -> bool:
    found = loading(name, value)
    return found is not None and found.is_sure


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


def _verify_harmless(name: str, value: str) -> None:
    if loads_code(name) or _loads(name.upper(), value):
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

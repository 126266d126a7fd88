"""Variables of the environment by which whatever is started later loads or runs other code, in one table for all.

Readers of every language ask it when a program sets one, detectors when a manifest does, the gate before it passes one.
Many hold something ordinary most of the time (`NODE_OPTIONS=--max-old-space-size=4096`): these count by the words of
their value, and what is not known of a value counts as harmful, but not as sure.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

UNKNOWN_PART: Final = "\x00"
"""Stands in a value for a stretch that nobody knows."""
NATIVE: Final = frozenset("LD_PRELOAD LD_AUDIT GCONV_PATH GTK_MODULES".split())
"""By which programs load native code."""
_NATIVE_PREFIXES: Final = ("DYLD_INSERT", "DYLD_FORCE", "DYLD_FRAMEWORK")
LIBRARY_PATHS: Final = frozenset(
    "LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH GTK_PATH QT_PLUGIN_PATH".split()
)
"""Folders that native libraries are looked for in."""
CODE: Final = frozenset(
    """
    PYTHONSTARTUP PYTHONPYCACHEPREFIX PYTHONINSPECT BASH_ENV PROMPT_COMMAND ZDOTDIR SHELLOPTS BASHOPTS
    PERL5OPT PERL5DB RUBYOPT LUA_INIT PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER ERL_AFLAGS ERL_ZFLAGS
    GIT_SSH GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG GIT_CONFIG_PARAMETERS
    OPENSSL_MODULES OPENSSL_ENGINES GLIBC_TUNABLES VIMINIT EXINIT SUDO_ASKPASS
    DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS CORECLR_PROFILER CORECLR_PROFILER_PATH COR_PROFILER COR_PROFILER_PATH
    npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_node_options NPM_CONFIG_NODE_OPTIONS
    RUSTC_WRAPPER CARGO_BUILD_RUSTC_WRAPPER LESSOPEN LESSCLOSE WGETRC CURL_HOME
    CLAUDE_CODE_SHELL_PREFIX CLAUDE_ENV_FILE CLAUDE_CODE_PROCESS_WRAPPER CLAUDE_CODE_PLUGIN_SEED_DIR
    """.split()
)
"""By which programs run something, or lose what protects them, whatever the value."""
_CODE_PREFIXES: Final = ("BASH_FUNC_", "LUA_INIT_")
MODULE_PATHS: Final = frozenset(
    """
    PYTHONPATH PYTHONHOME PYTHONUSERBASE NODE_PATH PERL5LIB PERLLIB RUBYLIB CLASSPATH LUA_PATH LUA_CPATH GEM_PATH
    """.split()
)
"""Folders that modules are looked for in; a plugin's own one is nothing new."""
_DISPLAY: Final = lazy(
    r"(?:/usr)?(?:/bin/)?(?:cat|less|more|true|false|echo|:|vi|vim|nvim|nano|emacs|code|--wait|-[A-Za-z]+)"
)
_HARMLESS_WORD: Final[dict[str, re.Pattern[str]]] = {
    **dict.fromkeys(
        ("NODE_OPTIONS", "BUN_OPTIONS"),
        lazy(
            r"[0-9]+|--(?:(?:max-(?:old|semi)-space-size|max-http-header-size|stack-trace-limit|unhandled-rejections"
            r"|dns-result-order)(?:=[a-z0-9-]+)?|(?:no-)?(?:warnings|deprecation|trace-warnings|experimental-fetch)"
            r"|(?:no-)?experimental-(?!(?:loader|config-file|default-config-file|network-inspection)\b)[a-z-]+"
            r"|trace-[a-z-]+|(?:pending|throw)-deprecation|preserve-symlinks(?:-main)?|openssl-legacy-provider"
            r"|enable-source-maps|expose-gc|use-system-ca|use-openssl-ca|use-bundled-ca)"
        ),
    ),
    **dict.fromkeys(
        ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"),
        lazy(
            r"-(?:X(?:mx|ms|ss|mn)[0-9]+[kmgKMG]?|D[A-Za-z0-9_.]+=[^\s@]*|XX:(?:[+-]Use|Max|Min|Initial)[A-Za-z0-9=.]+)"
        ),
    ),
    **dict.fromkeys(
        ("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "MANPAGER", "GIT_ASKPASS", "SSH_ASKPASS"), _DISPLAY
    ),
    **dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "OPENSSL_CONF"), lazy(r"/dev/null")),
    **dict.fromkeys(
        ("CLAUDE_CODE_SHELL", "CLAUDE_CODE_GIT_BASH_PATH"),
        lazy(
            r"(?i)(?:/usr|/usr/local|/opt/homebrew)?/bin/(?:ba|z)?sh|[a-z]:\\\\?program|files\\\\?git\\\\?(?:usr\\\\?)?bin\\\\?bash\.exe"
        ),
    ),
    "PYTHONBREAKPOINT": lazy(r"0"),
    "ENV": lazy(r"[A-Za-z0-9_-]*"),
    "MAKEFLAGS": lazy(r"-j[0-9]*|-[iknrRsSw]+|--(?:no-print-directory|silent|quiet|(?:jobs|output-sync)(?:=\w+)?)"),
    "GOFLAGS": lazy(r"--?(?!toolexec|exec|overlay|modfile)[a-z-]+(?:=[\w.,/:@-]*)?"),
}
"""Variables that often hold something ordinary, and what each word of their value may then be."""
NAMES: Final = NATIVE | LIBRARY_PATHS | CODE | MODULE_PATHS | frozenset((*_HARMLESS_WORD, "GIT_SSH_COMMAND", "PS4"))
"""All that are known by their whole name."""
_GIT_KEY: Final = lazy(r"(?i)(?:user|safe|init|color|advice|column|pull|push|commit)\.")
_SSH_RUNS: Final = lazy(r"(?i)(?:Proxy|Local|KnownHosts)Command")


class Loading(NamedTuple):
    """What setting a variable does to whatever is started with it."""

    capability: str
    """`code.native` or `code.dynamic`."""
    is_sure: bool
    """Whether what is known of the value is enough to say so."""


def loading(name: str, value: str) -> Loading | None:
    """Return what a variable makes be loaded, None where that is nothing.

    Args:
        name: of the variable.
        value: what is known of it, with `UNKNOWN_PART` for the rest; an empty one loads nothing.
    """
    if not value:
        return None
    if name in NATIVE or name in LIBRARY_PATHS or name.startswith(_NATIVE_PREFIXES):
        return Loading("code.native", True)
    if name in CODE or name.startswith(_CODE_PREFIXES):
        return Loading("code.dynamic", True)
    if name == "PS4":
        return Loading("code.dynamic", True) if "$(" in value or "`" in value else _if_unknown(value)
    if name.startswith("GIT_CONFIG_KEY_"):
        return None if _GIT_KEY.match(value) else Loading("code.dynamic", UNKNOWN_PART not in value)
    words = value.split()
    if name == "GIT_SSH_COMMAND":
        return _if_unknown(value) if words[:1] == ["ssh"] and not _SSH_RUNS.search(value) else _SURELY_CODE
    harmless = _HARMLESS_WORD.get(name)
    if harmless is None:
        return None
    odd = [word for word in words if harmless.fullmatch(word) is None]
    return Loading("code.dynamic", any(UNKNOWN_PART not in word for word in odd)) if odd else None


def is_followed(name: str) -> bool:
    """Say whether programs look for code where a variable of this name leads: a folder outside counts as one."""
    return (
        name == "PATH"
        or name in MODULE_PATHS
        or name in LIBRARY_PATHS
        or name in _HARMLESS_WORD
        or loading(name, UNKNOWN_PART) is not None
    )


_SURELY_CODE: Final = Loading("code.dynamic", True)


def _if_unknown(value: str) -> Loading | None:
    return Loading("code.dynamic", False) if UNKNOWN_PART in value else None

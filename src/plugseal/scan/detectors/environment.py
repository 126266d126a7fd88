"""Environment entries that are code: variables by which a loader, a runtime or git runs what they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.launches import launches, shell_line
from plugseal.scan.matching.values import compiled, searches

LOADS_CODE: Final = frozenset(
    """
    LD_PRELOAD LD_AUDIT GCONV_PATH GLIBC_TUNABLES
    PYTHONSTARTUP PYTHONBREAKPOINT PYTHONPYCACHEPREFIX PYTHONINSPECT
    BASH_ENV PROMPT_COMMAND ZDOTDIR PS4 SHELLOPTS BASHOPTS
    PERL5OPT PERL5DB RUBYOPT LUA_INIT PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER ERL_AFLAGS ERL_ZFLAGS
    GIT_SSH GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG GIT_CONFIG_PARAMETERS
    OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES
    DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS CORECLR_PROFILER CORECLR_PROFILER_PATH COR_PROFILER COR_PROFILER_PATH
    npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_node_options NPM_CONFIG_NODE_OPTIONS
    RUSTC_WRAPPER CARGO_BUILD_RUSTC_WRAPPER LESSOPEN LESSCLOSE WGETRC CURL_HOME
    CLAUDE_CODE_SHELL_PREFIX CLAUDE_ENV_FILE CLAUDE_CODE_PROCESS_WRAPPER CLAUDE_CODE_PLUGIN_SEED_DIR
    """.split()
)
"""Variables that make something run, or turn off what protects, whatever their value."""
_LOADS_CODE_PREFIXES: Final = ("DYLD_INSERT", "DYLD_FORCE", "DYLD_FRAMEWORK", "BASH_FUNC_", "LUA_INIT_")
_MODULE_PATHS: Final = frozenset(
    """
    PYTHONPATH PYTHONHOME PYTHONUSERBASE NODE_PATH PERL5LIB PERLLIB RUBYLIB CLASSPATH LUA_PATH LUA_CPATH GEM_PATH
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH
    """.split()
)
_HARMLESS_WORD: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("NODE_OPTIONS", "BUN_OPTIONS"),
        r"[0-9]+|--(?:(?:max-(?:old|semi)-space-size|max-http-header-size|stack-trace-limit|unhandled-rejections"
        r"|dns-result-order)(?:=[a-z0-9-]+)?|(?:no-)?(?:warnings|deprecation|trace-warnings|experimental-fetch)"
        r"|(?:no-)?experimental-(?!(?:loader|config-file|default-config-file|network-inspection)\b)[a-z-]+"
        r"|trace-[a-z-]+|(?:pending|throw)-deprecation|preserve-symlinks(?:-main)?|openssl-legacy-provider"
        r"|enable-source-maps|expose-gc|use-system-ca|use-openssl-ca|use-bundled-ca)",
    ),
    **dict.fromkeys(
        ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"),
        r"-(?:X(?:mx|ms|ss|mn)[0-9]+[kmgKMG]?|D[A-Za-z0-9_.]+=[^\s@]*|XX:(?:[+-]Use|Max|Min|Initial)[A-Za-z0-9=.]+)",
    ),
    **dict.fromkeys(
        ("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_ASKPASS", "SSH_ASKPASS"),
        r"(?:/usr)?(?:/bin/)?(?:cat|less|more|true|false|echo|:|vi|vim|nvim|nano|emacs|code|--wait)",
    ),
    **dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), r"/dev/null"),
    **dict.fromkeys(
        ("CLAUDE_CODE_SHELL", "CLAUDE_CODE_GIT_BASH_PATH"),
        r"(?i)(?:/usr|/usr/local|/opt/homebrew)?/bin/(?:ba|z)?sh|[a-z]:\\\\?program|files\\\\?git\\\\?(?:usr\\\\?)?bin\\\\?bash\.exe",
    ),
    "ENV": r"[A-Za-z0-9_-]*",
}
"""Variables that often hold something ordinary, and what each word of their value may then be."""
_FOLDERS: Final = lazy(r";|(?<!\$\{env)(?<!\A[A-Za-z])(?<![;:][A-Za-z]):")
"""Parts the folders of a `PATH`, on Windows too; a drive's colon and that of `${env:PATH}` part nothing."""
_USUAL_FOLDER: Final = lazy(
    r"(?i)(?:\$PATH|\$\{(?:env:)?PATH\}|%PATH%|(?:~|\$HOME|\$\{(?:env:)?HOME\}|%USERPROFILE%)[\\/].*"
    r"|/(?!tmp\b|var/tmp\b|dev/).*|[a-z]:[\\/].*)"
)
_GIT_KEY: Final = lazy(r"(?i)(?:user|safe|init|color|advice|column|pull|push|commit)\.")
_SSH_RUNS: Final = lazy(r"(?i)(?:Proxy|Local|KnownHosts)Command")
_WRAPPER: Final = lazy(r"HOME|USERPROFILE|XDG_[A-Z_]+|PLUGSEAL_[A-Z_]+|OPENSSL_[A-Z]+|PYTHON\w+")
_REFERENCE: Final = lazy(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)")
_ASSIGNMENT: Final = lazy(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def look_for_code_in_environment(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find variables that make a loader or a runtime run something."""
    return _look(plugin, loads_code)


def look_for_module_paths(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find variables that add folders which modules, libraries or programs are loaded from."""
    return _look(plugin, lambda name, value: name in _MODULE_PATHS or (name.upper() == "PATH" and _is_odd_path(value)))


def look_for_wrapper_environment(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find variables around plugseal itself that move its state or load code into it.

    A client's own variables are around whatever it starts: those of plugseal count anywhere, the others where the
    client starts plugseal.
    """
    started = {c for c in plugin.components if any(_is_plugseal(one.program, one.arguments) for one in launches(c))}
    for component in plugin.components:
        if component.kind is ComponentKind.SETTING and component not in started:
            for name, _ in _entries(component):
                if name.startswith("PLUGSEAL_") or (started and (_WRAPPER.fullmatch(name) or loads_code(name, ""))):
                    yield ManifestHit(component, name, "set around plugseal itself", name)
        if component not in started:
            continue
        for name, _ in _entries(component):
            if _WRAPPER.fullmatch(name) or loads_code(name, ""):
                yield ManifestHit(component, name, "set around plugseal itself", name)


def _look(plugin: Plugin, is_wanted: Callable[[str, str], bool]) -> Iterator[ManifestHit]:
    for component in plugin.components:
        for name, value in _entries(component):
            if is_wanted(name, value):
                place = dict(component.places).get(f"env.{name}")  # Its name may stand in another one before it.
                yield ManifestHit(component, name, "", name, line=place.line if place is not None else 0)


def loads_code(name: str, value: str) -> bool:
    """Say whether a variable of this name and value makes what is started run something else."""
    if name in LOADS_CODE or name.startswith(_LOADS_CODE_PREFIXES):
        return True
    if name.startswith("GIT_CONFIG_KEY_"):
        return _GIT_KEY.match(value) is None
    words = value.split()
    if name == "GIT_SSH_COMMAND":
        return words[:1] != ["ssh"] or _SSH_RUNS.search(value) is not None
    harmless = _HARMLESS_WORD.get(name)
    return harmless is not None and not all(compiled(harmless).fullmatch(word) for word in words)


def _is_odd_path(value: str) -> bool:
    """Say whether a search path for programs has a folder that is neither the user's nor the system's.

    What a command gives is not known: `$($SHELL -lc 'echo $PATH')` is the user's own path.
    """
    if "$(" in value or "`" in value:
        return False
    return not all(_USUAL_FOLDER.fullmatch(folder) for folder in _FOLDERS.split(value))


def _entries(component: Component) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of a component's environment, that of `env NAME=value program` included.

    A variable that passes the user's own one on under its own name is the user's and left out.
    """
    literals = dict(component.literals)
    for name, source in component.environment:
        if name in literals or source != name:
            yield name, literals.get(name, f"${{{source}}}")
    line = shell_line(component)
    if line is not None or _is_env(component.command):
        for word in (line or "").split() or component.command[1:]:
            if found := _ASSIGNMENT.fullmatch(word):
                yield found[1], _with_answers(found[2].strip("\"'"), line or "")


def _with_answers(value: str, line: str) -> str:
    """Return a value with `$(` in front if a variable in it holds what a command of the line gives."""
    names = _REFERENCE.findall(value)
    return f"$({value}" if any(searches(compiled(rf"\b{name}=[\"']?(?:\$\(|`)"), line) for name in names) else value


def _is_env(words: tuple[str, ...]) -> bool:
    return bool(words) and words[0].rpartition("/")[2] in ("env", "cross-env")


def _is_plugseal(program: str, arguments: tuple[str, ...]) -> bool:
    if program == "plugseal":
        return True
    return any(arguments[at : at + 2] == ("-m", "plugseal") for at in range(len(arguments)))

"""What a started program's environment holds: a small base, the reviewed names, and never what loads code."""

from __future__ import annotations

import pytest

from plugseal.errors import RefusedError
from plugseal.runtime.environment import build_environment, find_wrapper, loads_code
from plugseal.runtime.expand import expand
from plugseal.runtime.fetching import fetches_code

AROUND = {
    "PATH": "/evil",
    "HOME": "/home/x",
    "USER": "x",
    "LANG": "C",
    "LC_ALL": "C",
    "TZ": "UTC",
    "AWS_SECRET_ACCESS_KEY": "s",
    "HTTPS_PROXY": "http://p",
    "http_proxy": "http://p",
    "SSH_AUTH_SOCK": "/s",
    "NODE_OPTIONS": "--require=/evil.js",
    "PYTHONPATH": "/evil",
    "PLUGSEAL_HOME": "/state",
    "SOURCE": "v",
}


def _built(**more: object) -> dict[str, str]:
    settings: dict[str, object] = {"mapped": (), "literals": (), "home": "/h", "temporary": "/t", **more}
    return build_environment(AROUND, **settings)  # type: ignore[arg-type]


def test_nothing_but_the_base_is_inherited() -> None:
    assert _built() == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/h",
        "TMPDIR": "/t",
        "USER": "x",
        "LANG": "C",
        "LC_ALL": "C",
        "TZ": "UTC",
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_a_reviewed_name_is_mapped_and_a_proxy_only_so() -> None:
    built = _built(mapped=[("KEY", "SOURCE"), ("HTTPS_PROXY", "HTTPS_PROXY")], literals=[("MODE", "a")])
    assert (built["KEY"], built["HTTPS_PROXY"], built["MODE"]) == ("v", "http://p", "a")
    assert "http_proxy" not in built


def test_a_missing_source_names_the_variable_and_no_value() -> None:
    with pytest.raises(RefusedError, match="`OTHER` is not set") as refused:
        _built(mapped=[("KEY", "OTHER"), ("B", "SOURCE")])
    assert refused.value.reason == "variable-missing"


@pytest.mark.parametrize(
    "name",
    "LD_PRELOAD ld_preload LD_AUDIT DYLD_INSERT_LIBRARIES GLIBC_TUNABLES GCONV_PATH NODE_OPTIONS Node_Options NODE_PATH"
    " PYTHONPATH PYTHONSTARTUP PYTHONHOME PERL5OPT RUBYOPT BASH_ENV ENV JAVA_TOOL_OPTIONS OPENSSL_CONF SSLKEYLOGFILE"
    " GIT_SSH_COMMAND GIT_CONFIG_KEY_0 PLUGSEAL_HOME BASH_FUNC_ls%% LUA_INIT_5_4 DOTNET_STARTUP_HOOKS".split(),
)
def test_what_loads_code_is_refused_however_it_was_reviewed(name: str) -> None:
    assert loads_code(name)
    for how in ({"literals": [(name, "x")]}, {"mapped": [(name, "SOURCE")]}):
        with pytest.raises(RefusedError):
            _built(**how)


@pytest.mark.parametrize("name", ["", "A=B", "A\0B"])
def test_what_no_environment_can_hold_is_refused(name: str) -> None:
    with pytest.raises(RefusedError):
        _built(literals=[(name, "x")])


@pytest.mark.parametrize(
    "name", ["LD_PRELOAD", "LD_LIBRARY_PATH", "ld_audit", "DYLD_X", "GLIBC_TUNABLES", "GCONV_PATH"]
)
def test_a_variable_that_reaches_our_own_process_is_found(name: str) -> None:
    assert find_wrapper({"PATH": "/bin", name: "x"}) == name
    assert find_wrapper({"PATH": "/bin", "PLUGSEAL_HOME": "/s"}) is None


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("${PLUGIN_ROOT}/a.py", "/stage/a.py"),
        ("${CLAUDE_PLUGIN_ROOT}/${PLUGIN_DATA}", "/stage//data"),
        ("--x=${KEY}", "--x=v"),
        ("${env:KEY}", "v"),
        ("${KEY:-w}", "v"),
        ("${NONE:-w}", "w"),
        ("$PLUGIN_ROOT ${ $", "$PLUGIN_ROOT ${ $"),
        ("${ROOTED}", "${PLUGIN_ROOT}"),
    ],
)
def test_placeholders_become_what_is_documented_once(text: str, becomes: str) -> None:
    variables = {"KEY": "v", "ROOTED": "${PLUGIN_ROOT}"}
    reviewed = frozenset({"KEY", "NONE", "ROOTED"})
    assert expand(text, root="/stage", data="/data", variables=variables, reviewed=reviewed) == becomes


@pytest.mark.parametrize("text", ["${HOME}", "${}", "${a b}", "${workspaceFolder}", "${input:key}", "${NONE}"])
def test_a_placeholder_nobody_reviewed_refuses(text: str) -> None:
    with pytest.raises(RefusedError):
        expand(text, root="/s", data="/d", variables={"HOME": "/h"}, reviewed=frozenset({"NONE"}))


@pytest.mark.parametrize(
    "command",
    [
        ["npx", "-y", "x"],
        ["/usr/bin/NPX.cmd", "x"],
        ["uvx", "x"],
        ["docker", "run", "x"],
        ["env", "A=b", "-i", "npx", "x"],
        ["timeout", "5s", "uvx", "x"],
        ["npm", "exec", "x"],
        ["pnpm", "--silent", "dlx", "x"],
        ["uv", "run", "x.py"],
        ["python3", "-m", "pip", "install", "x"],
        ["bash", "-c", "cd /tmp && npx -y x"],
        ["deno", "run", "https://x.invalid/a.ts"],
        ["go", "run", "x@latest"],
    ],
    ids=" ".join,
)
def test_a_command_that_fetches_what_it_runs_is_told(command: list[str]) -> None:
    assert fetches_code(command, shell=False)


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["node", "npx.js"],
        ["python3", "server.py", "npx"],
        ["npm", "start"],
        ["npm", "run", "serve"],
        ["bash", "run.sh"],
        ["deno", "run", "a.ts"],
        ["env", "A=b", "node", "x.js"],
        ["docs"],
    ],
    ids=" ".join,
)
def test_a_command_that_runs_what_is_there_is_not(command: list[str]) -> None:
    assert not fetches_code(command, shell=False)


def test_a_line_for_a_shell_is_looked_at_word_by_word() -> None:
    assert fetches_code(["set -e; exec $(which npx) x || uvx y"], shell=True)
    assert not fetches_code(["node server.js"], shell=True)

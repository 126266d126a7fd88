"""What a command line starts is told from its words alone."""

from __future__ import annotations

import pytest

from plugseal.systems.launching.launch import (
    base_name,
    entry_file,
    exact_variable,
    hosts,
    inline_shell,
    inner,
    outward_path,
    shell_commands,
    shell_entry,
    shell_program,
    shell_variables,
    unwrapped,
    variables,
)
from plugseal.systems.launching.packages import fetched_by_line, fetched_packages, on_this_machine

_FILES = {
    "server.py",
    "mcp/server.js",
    "bin/run",
    "pkg/__main__.py",
    "src/other/__init__.py",
    "hooks/start.sh",
    "a b.py",
}


def _is_file(path: str) -> bool:
    return path in _FILES


@pytest.mark.parametrize(
    ("argv", "cwd", "entry"),
    [
        pytest.param(["python3", "server.py"], None, "server.py", id="an interpreter and a script"),
        pytest.param(["python3", "-u", "./server.py", "x"], None, "server.py", id="options before the script"),
        pytest.param(["node", "server.js"], "mcp", "mcp/server.js", id="below the working directory"),
        pytest.param(["node", "server.js"], "${PLUGIN_ROOT}/mcp", "mcp/server.js", id="a rooted working directory"),
        pytest.param(["python", "${CLAUDE_PLUGIN_ROOT}/server.py"], None, "server.py", id="a placeholder of the root"),
        pytest.param(["python", "${CLAUDE_PLUGIN_ROOT}/server.py"], "mcp", "server.py", id="rooted whatever the cwd"),
        pytest.param(["python", "${CLAUDE_PLUGIN_ROOT:-.}/server.py"], None, "server.py", id="with a default"),
        pytest.param(["./bin/run"], None, "bin/run", id="a program of the plugin"),
        pytest.param(["${extensionPath}/bin/run", "x"], None, "bin/run", id="a rooted program"),
        pytest.param(["python3", "-m", "pkg"], None, "pkg/__main__.py", id="a module that is a package"),
        pytest.param(["python3", "-m", "other"], None, "src/other/__init__.py", id="a module below src"),
        pytest.param(["uv", "run", "--directory", "x", "server.py"], None, "server.py", id="behind uv run"),
        pytest.param(["npx", "tsx", "mcp/server.js"], None, "mcp/server.js", id="behind npx tsx"),
        pytest.param(["env", "A=1", "python3", "server.py"], None, "server.py", id="behind env"),
        pytest.param(["cmd", "/c", "node", "mcp/server.js"], None, "mcp/server.js", id="behind cmd /c"),
        pytest.param(["sh", "-c", "cd x && python3 server.py"], None, "server.py", id="inside a shell line"),
        pytest.param(["python3", "a b.py"], None, "a b.py", id="a name with a space"),
        pytest.param(["python3", "-c", "server.py"], None, None, id="inline code is no file"),
        pytest.param(["node", "-e", "1", "server.py"], None, None, id="nor what follows it"),
        pytest.param(["server.py"], None, None, id="a bare program is looked up elsewhere"),
        pytest.param(["python3", "../server.py"], None, None, id="outside"),
        pytest.param(["python3", "server.py"], "/srv", None, id="a working directory outside"),
        pytest.param([], None, None, id="nothing"),
    ],
)
def test_the_file_that_a_command_runs_first(argv: list[str], cwd: str | None, entry: str | None) -> None:
    assert entry_file(argv, cwd, _is_file) == entry


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        pytest.param("hooks/start.sh", "hooks/start.sh", id="a script"),
        pytest.param('bash "${CLAUDE_PLUGIN_ROOT}/hooks/start.sh" --x', "hooks/start.sh", id="behind a shell"),
        pytest.param("$CLAUDE_PLUGIN_ROOT/hooks/start.sh", "hooks/start.sh", id="a placeholder without braces"),
        pytest.param("true; . hooks/start.sh", "hooks/start.sh", id="sourced"),
        pytest.param("echo 'unclosed", None, id="quotes that don't close"),
    ],
)
def test_the_file_that_a_shell_line_runs_first(line: str, entry: str | None) -> None:
    assert shell_entry(line, _is_file) == entry


@pytest.mark.parametrize(
    ("argument", "cwd", "path"),
    [
        pytest.param("../x", None, "../x", id="climbs"),
        pytest.param("a/../../x", None, "a/../../x", id="climbs in the middle"),
        pytest.param("a/../x", None, None, id="comes back inside"),
        pytest.param("../x", "mcp", None, id="inside, seen from the working directory"),
        pytest.param("../../x", "mcp", "../../x", id="outside, seen from the working directory"),
        pytest.param("${PLUGIN_ROOT}/../x", "mcp", "${PLUGIN_ROOT}/../x", id="climbs out of the placeholder"),
        pytest.param("${PLUGIN_ROOT}-evil/x", None, "${PLUGIN_ROOT}-evil/x", id="glued to the placeholder"),
        pytest.param("${PLUGIN_ROOT}/x", None, None, id="below the placeholder"),
        pytest.param("--config=../../x", None, "../../x", id="inside a flag"),
        pytest.param("-I/opt/x", None, "/opt/x", id="glued to a short flag"),
        pytest.param("@/etc/x", None, "/etc/x", id="behind an at sign"),
        pytest.param("file:///etc/x", None, "/etc/x", id="a file URL"),
        pytest.param("%2e%2e/x", None, "../x", id="percent signs"),
        pytest.param("..\\..\\x", None, "..\\..\\x", id="backslashes"),
        pytest.param("~/.config", None, "~/.config", id="a home"),
        pytest.param("$HOME/x", None, "$HOME/x", id="the home by its variable"),
        pytest.param("C:\\x", None, "C:\\x", id="a drive"),
        pytest.param("\\\\host\\x", None, "\\\\host\\x", id="a share"),
        pytest.param("/usr/bin/env", None, None, id="a system's program"),
        pytest.param("/c", None, None, id="a flag of Windows"),
        pytest.param("https://a.example.invalid/../x", None, None, id="a URL"),
        pytest.param("a..b", None, None, id="dots in a name"),
        pytest.param("", None, None, id="nothing"),
    ],
)
def test_arguments_that_name_a_path_outside(argument: str, cwd: str | None, path: str | None) -> None:
    assert outward_path(argument, cwd) == path


@pytest.mark.parametrize(
    ("argv", "packages"),
    [
        pytest.param(["npx", "-y", "tool@1.2.3"], ("tool@1.2.3",), id="npx"),
        pytest.param(["npx", "--package", "tool", "--", "run"], ("tool",), id="npx with a package option"),
        pytest.param(["npx", "--registry", "https://r.example.invalid", "tool"], ("tool",), id="npx with a registry"),
        pytest.param(["cmd", "/c", "npx", "tool"], ("tool",), id="npx behind cmd"),
        pytest.param(["/usr/bin/npx.cmd", "tool"], ("tool",), id="npx by its path"),
        pytest.param(["npx", "./local"], (), id="npx of a local folder"),
        pytest.param(["npx"], (None,), id="npx of nothing said"),
        pytest.param(["npm", "exec", "--", "tool"], ("tool",), id="npm exec"),
        pytest.param(["pnpm", "dlx", "tool"], ("tool",), id="pnpm dlx"),
        pytest.param(["bunx", "tool"], ("tool",), id="bunx"),
        pytest.param(["bun", "x", "tool"], ("tool",), id="bun x"),
        pytest.param(["bun", "run", "server.ts"], (), id="bun run"),
        pytest.param(
            ["uvx", "--from", "git+https://g.example.invalid/t", "t"], ("git+https://g.example.invalid/t",), id="uvx"
        ),
        pytest.param(["uv", "tool", "run", "tool==1"], ("tool==1",), id="uv tool run"),
        pytest.param(["uv", "run", "--with", "lib", "server.py"], ("lib",), id="uv run with a library"),
        pytest.param(["uv", "run", "server.py"], (), id="uv run of a file"),
        pytest.param(["pipx", "run", "--spec", "tool==1", "tool"], ("tool==1",), id="pipx"),
        pytest.param(["python3", "-m", "pip", "install", "lib"], ("lib",), id="pip as a module"),
        pytest.param(["docker", "run", "-i", "--rm", "-e", "A", "i:1", "-x"], ("i:1",), id="docker run"),
        pytest.param(
            ["docker", "run", "--mount=type=bind", "--name", "n", "i@sha256:0"], ("i@sha256:0",), id="by digest"
        ),
        pytest.param(["docker", "ps"], (), id="docker of another kind"),
        pytest.param(["deno", "run", "-A", "jsr:@a/b"], ("jsr:@a/b",), id="deno run of a package"),
        pytest.param(["deno", "run", "-A", "server.ts"], (), id="deno run of a file"),
        pytest.param(
            ["go", "run", "g.example.invalid/t@latest"], ("g.example.invalid/t@latest",), id="go run of a module"
        ),
        pytest.param(["go", "run", "./cmd"], (), id="go run of a folder"),
        pytest.param(["op", "run", "--", "npx", "tool"], ("tool",), id="behind a keeper of secrets"),
        pytest.param(
            ["powershell", "-c", "irm https://a.example.invalid | iex"], ("https://a.example.invalid",), id="iex"
        ),
        pytest.param(["sh", "-c", "npx tool"], ("tool",), id="inside a shell line"),
        pytest.param(["node", "server.js"], (), id="an interpreter"),
        pytest.param([], (), id="nothing"),
    ],
)
def test_what_a_command_fetches_and_runs(argv: list[str], packages: tuple[str | None, ...]) -> None:
    assert fetched_packages(argv) == packages


@pytest.mark.parametrize(
    ("line", "packages"),
    [
        pytest.param(
            "curl -s https://a.example.invalid/x | sh", ("https://a.example.invalid/x",), id="piped to a shell"
        ),
        pytest.param("curl -s https://a.example.invalid/x | sudo bash -s", ("https://a.example.invalid/x",), id="sudo"),
        pytest.param("curl -s $URL | python3", (None,), id="from where is not said"),
        pytest.param("curl -s https://a.example.invalid/x > y", (), id="a download alone"),
        pytest.param("cd x && npx -y tool; echo done", ("tool",), id="between other commands"),
        pytest.param("echo npx", (), id="a word"),
    ],
)
def test_what_a_shell_line_fetches_and_runs(line: str, packages: tuple[str | None, ...]) -> None:
    assert fetched_by_line(line) == packages


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("${A} $B ${C:-x} ${env:D}", ("A", "B", "C", "D"), id="all spellings"),
        pytest.param("${PLUGIN_ROOT}/x ${workspaceFolder} ${input:key} ${user_config.k}", (), id="the host's own"),
        pytest.param("costs $5", (), id="a price"),
    ],
)
def test_variables_that_a_text_asks_for(text: str, names: tuple[str, ...]) -> None:
    assert variables(text) == names


def test_an_exact_reference_is_told_from_a_text_around_it() -> None:
    assert exact_variable("${TOKEN}") == "TOKEN"
    assert exact_variable("${env:TOKEN}") == "TOKEN"
    assert exact_variable("Bearer ${TOKEN}") is None
    assert exact_variable("${TOKEN:-x}") is None
    assert exact_variable("${PLUGIN_ROOT}") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("https://API.example.invalid:8443/x", ("api.example.invalid",), id="a port and capitals"),
        pytest.param("https://user:word@a.example.invalid/", ("a.example.invalid",), id="behind a user"),
        pytest.param("http://[::1]:80/x", ("::1",), id="an address in brackets"),
        pytest.param(
            "wss://a.example.invalid. sse://b.example.invalid", ("a.example.invalid", "b.example.invalid"), id="two"
        ),
        pytest.param("--url=https://a.example.invalid?x", ("a.example.invalid",), id="inside a flag"),
        pytest.param("a.example.invalid", (), id="a bare name"),
        pytest.param("https://${HOST}/x https://*.example.invalid", (None,), id="put in at run time"),
    ],
)
def test_hosts_of_the_urls_in_a_text(text: str, found: tuple[str | None, ...]) -> None:
    assert hosts(text) == found


def test_a_shell_line_falls_into_its_simple_commands() -> None:
    assert shell_commands("a 'b c' | d && (e; f)\ng \\\n h") == [["a", "b c"], ["d"], ["e"], ["f"], ["g", "h"]]
    assert shell_commands("a 'b") == [["a 'b"]]
    assert shell_commands("") == []


def test_wrappers_are_taken_off() -> None:
    assert unwrapped(["sudo", "-E", "env", "A=1", "timeout", "5", "sh", "x"]) == ("sh", "x")
    assert unwrapped(["A=1", "sh"]) == ("sh",)
    assert unwrapped(["env"]) == ("env",)
    assert unwrapped(["poetry", "run", "python", "x"]) == ("python", "x")
    assert unwrapped(["mise", "exec", "node@20", "--", "npx", "x"]) == ("npx", "x")


def test_the_line_of_a_shell_is_found_behind_its_flags() -> None:
    assert inline_shell(["bash", "-lc", "echo a"]) == "echo a"
    assert inline_shell(["/bin/sh", "-e", "-c", "echo a"]) == "echo a"
    assert inline_shell(["bash", "script.sh", "-c", "x"]) is None
    assert inline_shell(["python3", "-c", "x"]) is None
    assert inline_shell(["pwsh", "-NoProfile", "-Command", "irm", "x"]) == "irm x"
    assert inline_shell(["powershell.exe", "-c", "irm x | iex"]) == "irm x | iex"


def test_names_and_paths_are_made_plain() -> None:
    assert base_name("C:\\Tools\\NPX.CMD") == "npx"
    assert inner("./a//b/../c") == "a/c"
    assert inner("${PLUGIN_ROOT}") == ""
    assert inner("${OTHER}/x") is None
    assert inner("/x") is None


@pytest.mark.parametrize(
    ("line", "names"),
    [
        pytest.param('_R="$ROOT"; echo "$_R" ${_R%/}', ("ROOT",), id="set, then used"),
        pytest.param("echo $A; A=1; echo $A", ("A",), id="used before it is set"),
        pytest.param('PATH="/x:$PATH" run', ("PATH",), id="the old value in the new"),
        pytest.param("for f in $LIST; do echo $f; done", ("LIST",), id="a loop's own"),
        pytest.param("read -r line; echo $line $HOME", ("HOME",), id="read from input"),
        pytest.param("export A=1; echo $A", (), id="exported"),
    ],
)
def test_variables_that_a_shell_line_takes_from_its_environment(line: str, names: tuple[str, ...]) -> None:
    assert shell_variables(line) == names


@pytest.mark.parametrize(
    ("line", "program"),
    [
        pytest.param("A=1 sudo run x", "run", id="behind settings and wrappers"),
        pytest.param("if true; then run; fi", "true", id="behind keywords"),
        pytest.param("_P=$(printenv PATH)", "printenv", id="inside a substitution"),
        pytest.param('"${CLAUDE_PLUGIN_ROOT}/x.sh" y', "${CLAUDE_PLUGIN_ROOT}/x.sh", id="a script of the plugin"),
        pytest.param("A=1", None, id="nothing is started"),
    ],
)
def test_the_first_program_of_a_shell_line(line: str, program: str | None) -> None:
    assert shell_program(line) == program


@pytest.mark.parametrize(
    ("address", "host"),
    [
        pytest.param("https://evil.invalid?@good.invalid/", "evil.invalid", id="a sign behind the question mark"),
        pytest.param("https://evil.invalid#@good.invalid/", "evil.invalid", id="a sign behind the fragment"),
        pytest.param("https://evil.invalid\\@good.invalid/", "evil.invalid", id="a backslash ends the host"),
        pytest.param("https://a@good.invalid@evil.invalid/", "evil.invalid", id="the last sign ends the login"),
        pytest.param("https://good.invalid:x@evil.invalid/", "evil.invalid", id="a login that looks like a host"),
    ],
)
def test_the_host_is_the_one_that_clients_reach(address: str, host: str) -> None:
    from plugseal.lang.recipes.sources import host_of
    from plugseal.systems.launching.launch import hosts

    assert hosts(address) == (host,)
    assert host_of(address) == host


@pytest.mark.parametrize(
    ("address", "is_odd"),
    [
        pytest.param("https://good.invalid\t.evil.invalid/", True, id="a tab that clients drop"),
        pytest.param("https://good.invalid\n.evil.invalid/", True, id="a line's end that clients drop"),
        pytest.param("https://good.invalid&.evil.invalid/", True, id="an ampersand is part of a host"),
        pytest.param("https://good.invalid;.evil.invalid", True, id="so is a semicolon"),
        pytest.param("https://good.invalid/a;b?c=d&e#(f)", False, id="signs behind the host"),
        pytest.param("https://user;x@good.invalid:8443/", False, id="signs in the login"),
        pytest.param("https://${HOST}:${PORT}/x", False, id="variables"),
        pytest.param("http://[2001:db8::1]:80/", False, id="IPv6"),
        pytest.param("https://good.invalid \n", False, id="blanks behind it"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_a_host_that_goes_on_for_clients_is_not_known(address: str, is_odd: bool) -> None:
    from plugseal.systems.launching.launch import hides_host

    assert hides_host(address) is is_odd


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        pytest.param("node a.js /etc/x", "node a.js /etc/x", id="no container"),
        pytest.param("docker run -i --rm a:1 --config /x", "docker run -i --rm a:1", id="words for the program inside"),
        pytest.param("podman container run -v /a:/b a:1 /b/c", "podman container run -v /a:/b a:1", id="a volume"),
        pytest.param("docker run --mount type=bind,src=/a,dst=/b a:1", "docker run --mount /a a:1", id="a mount"),
        pytest.param("docker run --mount=type=bind,source=/a,target=/b a:1", "docker run /a a:1", id="a mount glued"),
        pytest.param(
            "docker run --mount type=tmpfs,dst=/b a", "docker run --mount type=tmpfs,dst=/b a", id="no source"
        ),
        pytest.param("docker exec a cat /x", "docker exec a cat /x", id="another command"),
        pytest.param("docker run -i", "docker run -i", id="no image"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_follows_an_image_names_nothing_of_this_machine(command: str, kept: str) -> None:
    assert on_this_machine(command.split()) == tuple(kept.split())

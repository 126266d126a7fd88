"""Servers in a `plugin.toml`: each rule of Codewhale refuses what it names and no more, boundaries included."""

from __future__ import annotations

import pytest

from tests import codewhale_bundles as bundles

A = "mcp_servers.a"


def server(body: str, *, hosts: str = "", name: str = "a") -> str:
    """Return a manifest with one server, and the hosts that it declares."""
    declared = f"[capabilities]\nnetwork_hosts = [{hosts}]\n" if hosts else ""
    return f"{bundles.HEAD}{declared}[mcp_servers.{name}]\n{body}\n"


def local(body: str) -> str:
    return server(f'command = "node"\n{body}')


def args(*values: str) -> str:
    """Return a manifest whose server has arguments, each as TOML."""
    return local(f"args = [{', '.join(values)}]")


def remote(body: str = "", *, url: str = "https://h.invalid/mcp", hosts: str = '"h.invalid"') -> str:
    return server(f'url = "{url}"\n{body}', hosts=hosts)


def table(key: str, count: int, value: str) -> str:
    return f"{key} = {{ {', '.join(f'N{number} = {value}' for number in range(count))} }}"


def many(count: int) -> str:
    return bundles.HEAD + "".join(f'[mcp_servers.s{number}]\ncommand = "node"\n' for number in range(count))


def tools(count: int, length: int = 5) -> str:
    return "[" + ", ".join(f'"{number:0{length}}"' for number in range(count)) + "]"


REFUSED = {
    "65 servers": (many(65), "mcp_servers"),
    "servers are a list": (f"mcp_servers = [1]\n{bundles.HEAD}", "mcp_servers"),
    "a server is a text": (f'{bundles.HEAD}[mcp_servers]\na = "node"\n', A),
    "a name of 65": (server('command = "n"', name="a" * 65), f"mcp_servers.{'a' * 65}"),
    "a name that begins with an underscore": (server('command = "n"', name="_a"), "mcp_servers._a"),
    "a name that ends with a hyphen": (server('command = "n"', name="a-"), "mcp_servers.a-"),
    "a name with a dot": (server('command = "n"', name='"a.b"'), "mcp_servers.a.b"),
    "an empty name": (server('command = "n"', name='""'), "mcp_servers."),
    "an unknown field": (local("autostart = true"), f"{A}.autostart"),
    "the field `disabled` of user configuration": (local("disabled = true"), f"{A}.disabled"),
    "the field `type` of other clients": (local('type = "stdio"'), f"{A}.type"),
    "neither command nor URL": (server("enabled = true"), A),
    "command and URL": (server('command = "node"\nurl = "https://h.invalid/"', hosts='"h.invalid"'), A),
    "the command is a list": (server('command = ["node"]'), f"{A}.command"),
    "an empty command": (server('command = ""'), f"{A}.command"),
    "a bare command of 129": (server(f'command = "{"n" * 129}"'), f"{A}.command"),
    "a command with a blank": (server('command = "node server.js"'), f"{A}.command"),
    "a command with a variable": (server('command = "$SHELL"'), f"{A}.command"),
    "the command is a dot": (server('command = "."'), f"{A}.command"),
    "the command is two dots": (server('command = ".."'), f"{A}.command"),
    "a command that is missing": (server('command = "bin/none"'), f"{A}.command"),
    "a command that is a directory": (server('command = "mcp/"'), f"{A}.command"),
    "an absolute command": (server('command = "/bin/sh"'), f"{A}.command"),
    "a command of Windows": (server("command = 'C:\\x.exe'"), f"{A}.command"),
    "a command that climbs": (server('command = "../x"'), f"{A}.command"),
    "a missing cwd": (local('cwd = "none"'), f"{A}.cwd"),
    "a cwd that is a file": (local('cwd = "server.js"'), f"{A}.cwd"),
    "an absolute cwd": (local('cwd = "/tmp"'), f"{A}.cwd"),
    "a cwd that climbs": (local('cwd = "mcp/.."'), f"{A}.cwd"),
    "a blank cwd": (local('cwd = " "'), f"{A}.cwd"),
    "65 arguments": (args(*['"x"'] * 65), f"{A}.args"),
    "an empty argument": (args('"x"', '""'), f"{A}.args.1"),
    "an argument of 4,097": (args(f'"{"x" * 4097}"'), f"{A}.args.0"),
    "an argument with a line end": (args('"a\\nb"'), f"{A}.args.0"),
    "an argument that turns its direction": (args('"a\\u202eb"'), f"{A}.args.0"),
    "an argument is a number": (args('"x"', "1"), f"{A}.args"),
    "arguments are a text": (local('args = "x"'), f"{A}.args"),
    "an absolute argument": (args('"/etc/passwd"'), f"{A}.args.0"),
    "an argument at the root of Windows": (args("'\\x'"), f"{A}.args.0"),
    "an argument on a drive": (args("'C:\\x'"), f"{A}.args.0"),
    "an argument on a drive with a slash": (args("'c:/x'"), f"{A}.args.0"),
    "an argument that climbs": (args('"a/../../x"'), f"{A}.args.0"),
    "an argument that climbs at its end": (args('"a/.."'), f"{A}.args.0"),
    "an argument that climbs by backslashes": (args("'a\\..\\x'"), f"{A}.args.0"),
    "65 variables": (local(table("env", 65, '"${X}"')), f"{A}.env"),
    "variables are a list": (local('env = ["X"]'), f"{A}.env"),
    "a literal value": (local('env = { X = "literal" }'), f"{A}.env.X"),
    "an empty value": (local('env = { X = "" }'), f"{A}.env.X"),
    "a value that is a number": (local("env = { X = 1 }"), f"{A}.env.X"),
    "a value with a default": (local('env = { X = "${Y:-z}" }'), f"{A}.env.X"),
    "a value that is more than a reference": (local('env = { X = "a${Y}" }'), f"{A}.env.X"),
    "a value without braces": (local('env = { X = "$Y" }'), f"{A}.env.X"),
    "a source that begins with a digit": (local('env = { X = "${1Y}" }'), f"{A}.env.X"),
    "a source of 129": (local(f'env = {{ X = "${{{"Y" * 129}}}" }}'), f"{A}.env.X"),
    "a destination with a hyphen": (local('env = { X-Y = "${Y}" }'), f"{A}.env.X-Y"),
    "a destination of 129": (local(f'env = {{ {"X" * 129} = "${{Y}}" }}'), f"{A}.env.{'X' * 129}"),
    **{
        f"a command with {key}": (local(f"{key} = {value}"), f"{A}.{key}")
        for key, value in {
            "transport": '"sse"',
            "headers": '{ X = "y" }',
            "env_headers": '{ X = "Y" }',
            "env_http_headers": '{ X = "Y" }',
            "bearer_token_env_var": '"X"',
            "scopes": '["x"]',
            "oauth": "{}",
            "oauth_resource": '"https://h.invalid/"',
        }.items()
    },
    **{
        f"a URL with {key}": (remote(f"{key} = {value}"), f"{A}.{key}")
        for key, value in {
            "args": '["x"]',
            "env": '{ X = "${Y}" }',
            "cwd": '"mcp"',
            "headers": '{ Authorization = "x" }',
            "scopes": '["x"]',
            "oauth": '{ client_id = "x" }',
            "oauth_resource": '"https://h.invalid/"',
        }.items()
    },
    "timeout 0": (local("connect_timeout = 0"), f"{A}.connect_timeout"),
    "timeout 3,601": (local("execute_timeout = 3601"), f"{A}.execute_timeout"),
    "timeout -1": (local("read_timeout = -1"), f"{A}.read_timeout"),
    "a timeout with a fraction": (local("read_timeout = 1.5"), f"{A}.read_timeout"),
    "a timeout that is a boolean": (local("read_timeout = true"), f"{A}.read_timeout"),
    "required and not enabled": (local("required = true\nenabled = false"), f"{A}.required"),
    "required is a text": (local('required = "yes"'), f"{A}.required"),
    "enabled is a number": (local("enabled = 1"), f"{A}.enabled"),
    "65 tools": (local(f"enabled_tools = {tools(65)}"), f"{A}.enabled_tools"),
    "65 tools that are off": (local(f"disabled_tools = {tools(65)}"), f"{A}.disabled_tools"),
    "a tool of 257": (local(f"disabled_tools = {tools(1, 257)}"), f"{A}.disabled_tools.0"),
    "a tool twice": (local('enabled_tools = ["a", "A"]'), f"{A}.enabled_tools.1"),
    "a tool in both lists": (local('enabled_tools = ["a"]\ndisabled_tools = ["a"]'), f"{A}.disabled_tools"),
    "65 headers": (remote(table("env_headers", 65, '"X"')), f"{A}.env_headers"),
    "a header with a blank": (remote('env_headers = { "X Y" = "Z" }'), f"{A}.env_headers.X Y"),
    "a header of no variable": (remote('env_headers = { X = "a-b" }'), f"{A}.env_headers.X"),
    "headers under both names": (
        remote('env_headers = { X = "Y" }\nenv_http_headers = { X = "Y" }'),
        f"{A}.env_http_headers",
    ),
    "a bearer that is no variable": (remote('bearer_token_env_var = "a b"'), f"{A}.bearer_token_env_var"),
    "a bearer that is a reference": (remote('bearer_token_env_var = "${X}"'), f"{A}.bearer_token_env_var"),
    "transport http": (remote('transport = "http"'), f"{A}.transport"),
    "transport stdio": (remote('transport = "stdio"'), f"{A}.transport"),
}
ACCEPTED = {
    "63 servers": many(63),
    "64 servers": many(64),
    "a name of 64": server('command = "n"', name="a" * 64),
    "a name with both marks inside": server('command = "n"', name="a-_b"),
    "a bare command of 128": server(f'command = "{"n" * 128}"'),
    "a bare command with all its marks": server('command = "g++-12.x_y"'),
    "a command of the plugin": server('command = "./server.js"'),
    "a cwd of the plugin": local('cwd = "mcp"'),
    "the plugin as cwd": local('cwd = "."'),
    "63 arguments": args(*['"x"'] * 63),
    "64 arguments": args(*['"x"'] * 64),
    "an argument twice": args('"x"', '"x"'),
    "an argument of 4,096": args(f'"{"x" * 4096}"'),
    "a file of the plugin": args('"server.js"', '"./mcp/server.js"'),
    "two dots inside a word": args('"a/..b"', '"v1..v2"'),
    "two dots in an option, in the home and in an address": args('"-I../x"', '"~/../x"', '"https://h.invalid/../x"'),
    "two dots and no slash": args('".."'),
    "64 variables": local(table("env", 64, '"${X}"')),
    "a variable of 128": local(f'env = {{ {"X" * 128} = "${{{"Y" * 128}}}" }}'),
    "a variable in lower case": local('env = { x_1 = "${_y}" }'),
    "what is empty of the other kind": local("headers = {}\nenv_headers = {}\nscopes = []"),
    "timeouts of 1 and 3,600": local("connect_timeout = 1\nexecute_timeout = 3600\nread_timeout = 3599"),
    "required and enabled": local("required = true"),
    "64 tools": local(f"enabled_tools = {tools(64)}"),
    "a tool of 256": local(f"disabled_tools = {tools(1, 256)}"),
    "a tool in both lists but for its case": local('enabled_tools = ["a"]\ndisabled_tools = ["A"]'),
    "64 headers": remote(table("env_headers", 64, '"X"')),
    "headers under their other name": remote('env_http_headers = { X-Key = "KEY" }'),
    "a bearer": remote('bearer_token_env_var = "TOKEN"'),
    "transport sse": remote('transport = "SSE"'),
    "an endpoint that is off": remote("enabled = false"),
}


@pytest.mark.parametrize(("manifest", "field"), REFUSED.values(), ids=REFUSED)
def test_a_server_is_refused_for_one_field(manifest: str, field: str) -> None:
    plugin = bundles.describe(manifest)
    assert bundles.fault_fields(plugin) == [field]
    assert not bundles.verdict(plugin, "0.9.10")["loads"]


@pytest.mark.parametrize("manifest", ACCEPTED.values(), ids=ACCEPTED)
def test_a_server_is_accepted(manifest: str) -> None:
    plugin = bundles.describe(manifest)
    assert plugin.faults == ()
    assert bundles.verdict(plugin, "0.9.1")["loads"]


def test_a_broken_server_hides_no_other() -> None:
    plugin = bundles.describe(
        f'{bundles.HEAD}[mcp_servers.good]\ncommand = "node"\nargs = ["server.js"]\n[mcp_servers.bad]\nargs = [1]\n'
    )
    assert [(c.name, c.entry) for c in plugin.components] == [("bad", None), ("good", "server.js")]
    assert bundles.fault_fields(plugin) == ["mcp_servers.bad", "mcp_servers.bad.args"]


def test_every_fault_of_a_server_is_said_with_its_line() -> None:
    plugin = bundles.describe(local('args = ["/x", "ok", "a/../b"]\nenv = { K = "v" }\nread_timeout = 0'))
    found = [(fault.line, fault.field) for fault in plugin.faults]
    assert found == [(7, f"{A}.args.0"), (7, f"{A}.args.2"), (8, f"{A}.env.K"), (9, f"{A}.read_timeout")]

"""Addresses, hosts and credentials in a `plugin.toml`: what Codewhale takes for one, in every spelling."""

from __future__ import annotations

import pytest

from tests import codewhale_bundles as bundles

A = "mcp_servers.a"


def remote(url: str, *hosts: str) -> str:
    """Return a manifest with one endpoint and the declared hosts."""
    declared = ", ".join(f'"{host}"' for host in hosts)
    return f'{bundles.HEAD}[capabilities]\nnetwork_hosts = [{declared}]\n[mcp_servers.a]\nurl = "{url}"\n'


def args(*values: str) -> str:
    return f"{bundles.HEAD}[mcp_servers.a]\ncommand = 'node'\nargs = [{', '.join(repr(value) for value in values)}]\n"


HOSTS = "capabilities.network_hosts"
REFUSED = {
    "http": (remote("http://h.invalid/", "h.invalid"), f"{A}.url"),
    "http to a name that begins like loopback": (
        remote("http://127.0.0.1.h.invalid/", "127.0.0.1.h.invalid"),
        f"{A}.url",
    ),
    "http to a name that ends like loopback": (remote("http://x.localhost/", "x.localhost"), f"{A}.url"),
    "http to localhost with a dot": (remote("http://localhost./", "localhost."), f"{A}.url"),
    "http to all addresses": (remote("http://0.0.0.0/", "0.0.0.0"), f"{A}.url"),
    "http to IPv6 loopback": (remote("http://[::1]/", "[::1]"), f"{A}.url"),
    "a socket": (remote("ws://h.invalid/"), f"{A}.url"),
    "a file": (remote("file:///etc/passwd"), f"{A}.url"),
    "a host alone": (remote("h.invalid/mcp"), f"{A}.url"),
    "no host": (remote("https:///mcp"), f"{A}.url"),
    "an empty address": (remote(""), f"{A}.url"),
    "a blank": (remote("https://h.invalid/a b"), f"{A}.url"),
    "a tab": (remote("https://h.invalid\\t/"), f"{A}.url"),
    "a backslash": (remote("https://h.invalid\\\\@g.invalid/"), f"{A}.url"),
    "a port over 65,535": (remote("https://h.invalid:65536/"), f"{A}.url"),
    "a port that is no number": (remote("https://h.invalid:x/"), f"{A}.url"),
    "a host beyond ASCII": (remote("https://bücher.invalid/"), f"{A}.url"),
    "five numbers": (remote("https://1.2.3.4.5/"), f"{A}.url"),
    "a number over 255": (remote("https://256.1.1.1/"), f"{A}.url"),
    "a login": (remote("https://u:p@h.invalid/", "h.invalid"), f"{A}.url"),
    "a user": (remote("https://u@h.invalid/", "h.invalid"), f"{A}.url"),
    "an empty login": (remote("https://@h.invalid/", "h.invalid"), f"{A}.url"),
    "a query": (remote("https://h.invalid/?token=x", "h.invalid"), f"{A}.url"),
    "an empty query": (remote("https://h.invalid/mcp?", "h.invalid"), f"{A}.url"),
    "a fragment": (remote("https://h.invalid/#x", "h.invalid"), f"{A}.url"),
    "an empty fragment": (remote("https://h.invalid/#", "h.invalid"), f"{A}.url"),
    "a variable in the address": (remote("https://${HOST}/"), f"{A}.url"),
    "a host that is not declared": (remote("https://h.invalid/"), HOSTS),
    "another host is declared": (remote("https://api.h.invalid/", "h.invalid"), HOSTS),
    "one host too many": (remote("https://h.invalid/", "h.invalid", "g.invalid"), HOSTS),
    "a declared host that nothing contacts": (
        f'{bundles.HEAD}[capabilities]\nnetwork_hosts = ["h.invalid"]\n',
        HOSTS,
    ),
    "a trailing dot that is not declared": (remote("https://h.invalid./", "h.invalid"), HOSTS),
    "a declared address": (remote("https://h.invalid/", "h.invalid", "https://h.invalid"), f"{HOSTS}.1"),
    "a declared path": (remote("https://h.invalid/", "h.invalid", "h.invalid/x"), f"{HOSTS}.1"),
    "a declared port": (remote("https://h.invalid/", "h.invalid", "h.invalid:8443"), f"{HOSTS}.1"),
    "a declared user": (remote("https://h.invalid/", "h.invalid", "u@h.invalid"), f"{HOSTS}.1"),
    "a declared query": (remote("https://h.invalid/", "h.invalid", "h.invalid?x"), f"{HOSTS}.1"),
    "a declared pattern of hosts": (remote("https://h.invalid/", "h.invalid", "*.h.invalid"), f"{HOSTS}.1"),
    "a blank declared host": (remote("https://h.invalid/", "h.invalid", " "), f"{HOSTS}.1"),
    "a declared host of 254": (remote("https://h.invalid/", "h.invalid", "h" * 254), None),
    "a host declared twice but for its case": (remote("https://h.invalid/", "h.invalid", "H.invalid"), f"{HOSTS}.1"),
    "65 declared hosts": (remote("https://h0/", *(f"h{number}" for number in range(65))), HOSTS),
    "declared hosts are a text": (f'{bundles.HEAD}[capabilities]\nnetwork_hosts = "h"\n', HOSTS),
}
ACCEPTED = {
    "https": remote("https://h.invalid/mcp", "h.invalid"),
    "capitals and the usual port": remote("HTTPS://H.Invalid:443/mcp", "h.invalid"),
    "capitals where it is declared": remote("https://h.invalid/", "H.INVALID"),
    "another port": remote("https://h.invalid:8443/mcp", "h.invalid"),
    "the usual port where it is declared": remote("https://h.invalid/", "h.invalid:443"),
    "no path": remote("https://h.invalid", "h.invalid"),
    "a trailing dot in both": remote("https://h.invalid./", "h.invalid."),
    "http to localhost": remote("http://localhost:3000/mcp", "localhost"),
    "http to LOCALHOST": remote("http://LOCALHOST/", "localhost"),
    "http to 127.0.0.1": remote("http://127.0.0.1:3000/", "127.0.0.1"),
    "http to 127.255.255.255": remote("http://127.255.255.255/", "127.255.255.255"),
    "http to loopback in short": remote("http://127.1/", "127.0.0.1"),
    "http to loopback in hexadecimal": remote("http://0x7f000001/", "127.0.0.1"),
    "https to IPv6": remote("https://[2001:DB8::1]/", "[2001:db8::1]"),
    "an address as one number": remote("https://3221225985/", "192.0.2.1"),
    "a host in percent signs": remote("https://%68.invalid/", "h.invalid"),
    "punycode": remote("https://xn--bcher-kva.invalid/", "xn--bcher-kva.invalid"),
    "two endpoints of one host": remote("https://h.invalid/a", "h.invalid")
    + '[mcp_servers.b]\nurl = "https://h.invalid/b"\n',
}
CREDENTIALS = {
    **{
        f"--{key} and a value": args("server.js", f"--{key}", "x")
        for key in (
            "token api-key apikey password passwd secret client-secret authorization auth-token access-key private-key "
            "credential credentials"
        ).split()
    },
    "in one word": args("--token=x"),
    "with underscores and capitals": args("--GITHUB_API_KEY=x"),
    "one hyphen": args("-password", "x"),
    "no hyphen": args("token=x"),
    "a longer key": args("--my-service-token", "x"),
    "sk-": args("sk-x"),
    "sk- behind a blank": args(" sk-x"),
    "ghp_": args("ghp_x"),
    "github_pat_": args("github_pat_x"),
    "xoxb-": args("xoxb-x"),
    "xoxp-": args("xoxp-x"),
    "AKIA and 12 more": args("AKIA" + "X" * 12),
}
HARMLESS = {
    "a mode and a program": args("--mode=worker", "-e", "console.log(1)"),
    "a key without a value at the end": args("server.js", "--token"),
    "a key with an empty value": args("--token="),
    "a key that only begins so": args("--token-file", "x"),
    "a key that only ends so": args("--notoken", "x"),
    "AKIA and 11 more": args("AKIA" + "X" * 11),
    "a token inside a word": args("--mode=sk-x"),
}


@pytest.mark.parametrize(("manifest", "field"), REFUSED.values(), ids=REFUSED)
def test_an_address_or_a_host_is_refused(manifest: str, field: str | None) -> None:
    found = bundles.fault_fields(bundles.describe(manifest))
    assert found == ([field] if field else [HOSTS, f"{HOSTS}.1"])


@pytest.mark.parametrize("manifest", ACCEPTED.values(), ids=ACCEPTED)
def test_an_address_is_accepted(manifest: str) -> None:
    assert bundles.describe(manifest).faults == ()


@pytest.mark.parametrize("manifest", CREDENTIALS.values(), ids=CREDENTIALS)
def test_a_credential_in_an_argument_is_refused(manifest: str) -> None:
    messages = [fault.message for fault in bundles.describe(manifest).faults]
    assert messages == ["holds a credential: take it from the environment"]


@pytest.mark.parametrize("manifest", HARMLESS.values(), ids=HARMLESS)
def test_what_is_no_credential_is_accepted(manifest: str) -> None:
    assert bundles.describe(manifest).faults == ()


def test_no_message_repeats_a_value() -> None:
    secret = "sk-sample-1234567890abcdef"
    manifest = (
        f'schema_version = "{secret}"\nskills = "{secret}"\n[plugin]\nname = "{secret}S"\nversion = "{secret}"\n'
        f'keywords = "{secret}"\n[mcp_servers.a]\ncommand = "{secret} "\nargs = ["--token", "{secret}"]\n'
        f'cwd = "/{secret}"\nenv = {{ K = "{secret}" }}\nread_timeout = "{secret}"\n'
        f'[mcp_servers.b]\nurl = "https://u:{secret}@h.invalid/?{secret}"\nheaders = {{ K = "{secret}" }}\n'
        f'transport = "{secret}"\n[when]\nos = ["{secret}"]\n[commands]\npath = "{secret}"\n'
    )
    plugin = bundles.describe(manifest)
    assert len(plugin.faults) > 12
    assert not [fault for fault in plugin.faults if secret in fault.message]
    assert not [host for host in plugin.hosts if secret in host.summary]


def test_a_parse_error_does_not_repeat_a_value() -> None:
    plugin = bundles.describe('[plugin]\nname = "p"\nversion = sk-sample-1234567890\n')
    assert len(plugin.faults) == 1
    assert "sk-sample" not in plugin.faults[0].message

"""A host that a policy names is meant in all its spellings: denied by any reading of it, allowed only by every one."""

from __future__ import annotations

import pytest

from plugseal.policy.hosts import is_allowed_host, is_denied_host, readings
from plugseal.policy.objects import is_denied_object

HOST = "api.example.invalid"
SPELLINGS = {
    "as it is": "api.example.invalid",
    "in capitals": "API.Example.INVALID",
    "the root's dot": "api.example.invalid.",
    "a port": "api.example.invalid:8443",
    "a port and the root's dot": "api.example.invalid.:443",
    "an empty port": "api.example.invalid:",
    "a tab inside": "api.exam\tple.invalid",
    "a line's end inside": "ht\ntps://api.example.invalid/",
    "a blank before": " https://api.example.invalid/",
    "no slashes": "https:api.example.invalid/",
    "one slash": "https:/api.example.invalid/",
    "backslashes": "https:\\\\api.example.invalid\\x",
    "percent signs": "ap%69.example.invalid",
    "wide letters": "\uff41pi.example.invalid",
    "ideographic stops": "api\u3002example\uff0einvalid",
    "a soft hyphen": "a\u00adpi.example.invalid",
    "a login": "good.invalid@api.example.invalid",
    "an address with a login": "https://x@good.invalid@api.example.invalid/x?y@good.invalid",
    "a place behind it": "api.example.invalid:owner",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=list(SPELLINGS))
@pytest.mark.parametrize("glob", [HOST, "API.example.invalid.", "*.example.invalid", "api.*", "**"])
def test_a_denied_host_is_denied_in_every_spelling(text: str, glob: str) -> None:
    assert is_denied_host([glob], text)
    assert is_denied_object((glob,), "net.outbound", text)


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=list(SPELLINGS))
def test_another_host_is_neither_denied_nor_allowed_by_it(text: str) -> None:
    assert not is_denied_host(["good.invalid", "*.good.invalid", "*.invalid:9"], text)
    assert not is_allowed_host(["good.invalid", "*.good.invalid", "x.invalid"], text)


@pytest.mark.parametrize(
    ("denied", "text"),
    [
        pytest.param("b\u00fccher.invalid", "xn--bcher-kva.invalid", id="Unicode by its code"),
        pytest.param("xn--bcher-kva.invalid", "B\u00dcCHER.invalid", id="its code by Unicode"),
        pytest.param("*.b\u00fccher.invalid", "www.xn--bcher-kva.invalid", id="a pattern in Unicode"),
        pytest.param("fass.invalid", "fa\u00df.invalid", id="a sharp s of old clients"),
        pytest.param("xn--fa-hia.invalid", "fa\u00df.invalid", id="a sharp s of new clients"),
        pytest.param("2001:db8::1", "[2001:0DB8:0:0:0:0:0:1]:80", id="IPv6, without brackets"),
        pytest.param("[2001:db8::1]", "2001:db8::1", id="IPv6 with brackets"),
        pytest.param("192.0.2.1", "[::ffff:192.0.2.1]", id="IPv4 inside IPv6"),
        pytest.param("169.254.169.254", "2852039166", id="an address as one number"),
        pytest.param("127.0.0.1", "0x7f.1:80", id="an address in parts"),
    ],
)
def test_one_host_in_two_writings_is_one(denied: str, text: str) -> None:
    assert is_denied_host([denied], text)


@pytest.mark.parametrize("text", ["a b", "%s.example.invalid", "{host}", "x" * 300 + "\u2026", "\U0001fae0.invalid"])
def test_what_is_no_host_may_be_any(text: str) -> None:
    assert readings(text).hosts is None
    assert is_denied_host(["api.example.invalid"], text)
    assert not is_allowed_host(["**.invalid", "*"], text)
    assert is_allowed_host([text], text)


@pytest.mark.parametrize(
    ("globs", "text", "is_allowed"),
    [
        pytest.param(["*.example.invalid"], "api.example.invalid.", True, id="the root's dot"),
        pytest.param(["api.example.invalid."], "api.example.invalid", True, id="the root's dot in the policy"),
        pytest.param(["api.example.invalid"], "api.example.invalid:8443", False, id="another port was not said"),
        pytest.param(["api.example.invalid:*"], "api.example.invalid:8443", True, id="any port was said"),
        pytest.param(["fass.invalid"], "fa\u00df.invalid", False, id="one of two readings"),
        pytest.param(["fass.invalid", "xn--fa-hia.invalid"], "fa\u00df.invalid", True, id="both readings"),
        pytest.param(["2001:db8::1"], "[2001:db8::1]", True, id="IPv6"),
        pytest.param(["/run/x.sock"], "/run/x.sock", True, id="a socket"),
        pytest.param(["github.com:owner"], "github.com:owner", True, id="a place behind a host"),
        pytest.param(["*.good.invalid"], "https:/evil.invalid/x.good.invalid", False, id="a path that looks like one"),
    ],
)
def test_an_allowance_is_sure(globs: list[str], text: str, is_allowed: bool) -> None:
    assert is_allowed_host(globs, text) is is_allowed


@pytest.mark.parametrize("address", ["https://evil.invalid\\@good.invalid/", "//evil.invalid\\.good.invalid"])
def test_an_address_that_clients_read_differently_has_no_host_that_is_known(address: str) -> None:
    from plugseal.lang.judging.objects import cut_object

    assert cut_object("host", address) is None

"""The seal is HMAC-SHA256 as RFC 2104 defines it, whatever the secret and the data are."""

from __future__ import annotations

import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.errors import TrailError
from plugseal.trust.seals import seal, verify_seal


@given(st.binary(max_size=200), st.binary(max_size=40), st.binary(max_size=300))
def test_the_seal_is_that_of_the_standard_library(secret: bytes, domain: bytes, data: bytes) -> None:
    for _ in range(2):
        assert seal(secret, domain, data) == hmac.digest(secret, domain + data, "sha256").hex()


def test_the_seal_is_that_of_rfc_4231() -> None:
    assert seal(b"Jefe", b"what do ya want ", b"for nothing?") == (
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
    assert seal(b"\xaa" * 131, b"", b"Test Using Larger Than Block-Size Key - Hash Key First") == (
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    )


def test_another_seal_is_refused() -> None:
    found = seal(b"s", b"d", b"x")
    verify_seal(b"s", b"d", b"x", found)
    for secret, domain, data in ((b"t", b"d", b"x"), (b"s", b"e", b"x"), (b"s", b"d", b"y")):
        with pytest.raises(TrailError, match="not written by this installation"):
            verify_seal(secret, domain, data, found)

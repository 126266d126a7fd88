"""Keys: what is refused at load, what a file must be like, and names that other tools agree with."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest

from plugseal.encode.sshwire import ssh_integer, ssh_string
from plugseal.errors import KeyRefusedError
from plugseal.signing.keys import KeyKind, PublicKey, decode_word, parse_blob, parse_line, parse_public_key, parse_spki
from plugseal.signing.private import ROUNDS, make_key, read_passphrase, read_private_key
from plugseal.signing.signers import matches_list, parse_signers

P = 2**255 - 19


def ed25519(y: int, *, sign: int = 0) -> bytes:
    return (y | sign << 255).to_bytes(32, "little")


def of(name: bytes, *fields: bytes) -> bytes:
    return ssh_string(name) + b"".join(map(ssh_string, fields))


GOOD = make_key(KeyKind.P256).public
REFUSED = {
    "the identity": of(b"ssh-ed25519", ed25519(1)),
    "the identity with a sign": of(b"ssh-ed25519", ed25519(1, sign=1)),
    "order 2": of(b"ssh-ed25519", ed25519(P - 1)),
    "order 4": of(b"ssh-ed25519", ed25519(0)),
    "a second spelling": of(b"ssh-ed25519", ed25519(P + 3)),
    "short": of(b"ssh-ed25519", b"x" * 31),
    "something behind": of(b"ssh-ed25519", b"\x05" * 32) + b"x",
    "a security key of low order": of(b"sk-ssh-ed25519@openssh.com", ed25519(0), b"ssh:"),
    "a point off the curve": of(b"ecdsa-sha2-nistp256", b"nistp256", b"\x04" + b"\x01" * 64),
    "a point that is too large": of(b"ecdsa-sha2-nistp256", b"nistp256", b"\x04" + b"\xff" * 64),
    "a compressed point": of(b"ecdsa-sha2-nistp256", b"nistp256", b"\x02" + GOOD.raw[1:33]),
    "infinity": of(b"ecdsa-sha2-nistp256", b"nistp256", b"\x00"),
    "another curve": of(b"ecdsa-sha2-nistp384", b"nistp384", b"\x04" + b"\x01" * 96),
    "another curve than it says": of(b"ecdsa-sha2-nistp256", b"nistp384", GOOD.raw),
    "short RSA": ssh_string(b"ssh-rsa") + ssh_integer(65537) + ssh_integer(2**1023 + 1),
    "RSA with exponent 1": ssh_string(b"ssh-rsa") + ssh_integer(1) + ssh_integer(2**2047 + 1),
    "RSA with an even modulus": ssh_string(b"ssh-rsa") + ssh_integer(65537) + ssh_integer(2**2047),
    "RSA with a padded number": ssh_string(b"ssh-rsa") + ssh_string(b"\0\1\0\1") + ssh_integer(2**2047 + 1),
    "DSA": of(b"ssh-dss", b"x"),
    "nothing": b"",
}


@pytest.mark.parametrize("blob", REFUSED.values(), ids=REFUSED)
def test_a_key_that_no_honest_person_has_is_refused(blob: bytes) -> None:
    with pytest.raises(KeyRefusedError):
        parse_blob(blob)


@pytest.mark.parametrize("kind", [KeyKind.ED25519, KeyKind.P256])
def test_a_key_has_the_names_that_other_tools_give_it(kind: KeyKind) -> None:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

    key = make_key(kind).public
    theirs = load_pem_public_key(key.pem.encode())
    spki = theirs.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert key.keyid == hashlib.sha256(spki).hexdigest()
    assert theirs.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode() == key.line
    assert parse_spki(key.spki) == key
    assert parse_public_key(key.pem.encode())[0] == key
    assert parse_line(f"{key.line} a comment with words") == (key, "a comment with words")


def test_an_rsa_key_has_the_names_that_other_tools_give_it() -> None:
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    theirs = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
    line = theirs.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    key, _ = parse_line(line)
    assert key.line == line
    assert key.spki == theirs.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert parse_spki(key.spki) == key


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda key: f"ssh-rsa {key.line.split()[1]}", id="another type than the key"),
        pytest.param(lambda key: key.line.replace(" ", "\u00a0"), id="another kind of space"),
        pytest.param(lambda key: key.line.rstrip("=") + "*", id="no base64"),
        pytest.param(lambda key: f"{key.line}\n{key.line}", id="two lines"),
        pytest.param(lambda key: "", id="nothing"),
    ],
)
def test_a_line_that_is_no_key_is_refused(change: object) -> None:
    assert callable(change)
    with pytest.raises(KeyRefusedError):
        parse_public_key(change(GOOD).encode())


def test_an_encrypted_key_resists_guessing() -> None:
    text = make_key(KeyKind.ED25519).render(b"a passphrase").decode()
    data = decode_word("".join(text.split("\n")[1:-2]))
    assert data.startswith(b"openssh-key-v1\0")
    at = data.index(b"bcrypt") + len(b"bcrypt") + 4
    (salt,) = struct.unpack(">I", data[at : at + 4])
    (rounds,) = struct.unpack(">I", data[at + 4 + salt : at + 8 + salt])
    assert rounds == ROUNDS
    assert rounds >= 100


def _written(path: Path, mode: int = 0o600) -> Path:
    path.write_bytes(make_key(KeyKind.ED25519).render(None))
    path.chmod(mode)
    return path


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o601, 0o000])
def test_a_key_that_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(KeyRefusedError):
        read_private_key(_written(tmp_path / "k", mode))


def test_a_key_behind_a_link_or_in_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(_written(tmp_path / "k"))
    for path in (tmp_path / "link", tmp_path, tmp_path / "none", Path("/dev/null")):
        with pytest.raises(KeyRefusedError):
            read_private_key(path)


def test_a_key_in_another_format_is_refused(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

    key = Ed25519PrivateKey.generate()
    path = tmp_path / "k"
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")))
    path.chmod(0o600)
    with pytest.raises(KeyRefusedError, match="OpenSSH"):
        read_private_key(path, b"x")


@pytest.mark.parametrize("text", ["", "\n", "two\nlines\n", "x" * 2000, "a\0b"])
def test_a_passphrase_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "p"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(KeyRefusedError):
        read_passphrase(path=path)


def test_a_pattern_takes_no_exponential_time() -> None:
    assert not matches_list("a" * 5000 + "b", ("*a" * 200 + "c",))


def test_a_line_that_is_not_understood_refuses_the_whole_list() -> None:
    good = f'alice namespaces="plugin-review@plugseal" {GOOD.line}\n'
    assert len(parse_signers(good.encode())) == 1
    for bad in ("bob\n", "bob ssh-ed25519\n", "bob ssh-ed25519 AAAA\n", '"bob ssh-ed25519 AAAA\n', ",bob " + GOOD.line):
        with pytest.raises(KeyRefusedError):
            parse_signers((good + bad).encode())


def test_a_key_is_its_raw_bytes() -> None:
    assert PublicKey(KeyKind.SK_P256, GOOD.raw, b"ssh:").raw == GOOD.raw
    assert PublicKey(KeyKind.SK_P256, GOOD.raw, b"ssh:").keyid != GOOD.keyid

"""Signed notes: the example of Go's package, what is refused, and checkpoints of trails that somebody signed."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.encode.note import note_hash, parse_notes, render_signature
from plugseal.errors import DataError
from plugseal.signing.keys import KeyKind, PublicKey
from plugseal.signing.signature import verify_dsse

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = (
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"


def test_the_example_of_go_s_package_holds() -> None:
    # See: https://pkg.go.dev/golang.org/x/mod/sumdb/note
    raw = base64.b64decode(KEY.split("+", 2)[2])[1:]
    (note,) = parse_notes(f"{TEXT}\n{LINE}".encode())
    ((name, key_hash, signature),) = note.signatures

    assert note.text == TEXT
    assert key_hash == note_hash(name, raw)
    assert key_hash.hex() == KEY.split("+")[1]
    assert render_signature(name, raw, signature) == LINE
    verify_dsse(PublicKey(KeyKind.ED25519, raw), TEXT.encode(), signature)


@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
def test_notes_may_be_put_together(between: str) -> None:
    one = f"{TEXT}\n{LINE}"
    first, second, third = parse_notes(between.join([one, f"{TEXT}\n{LINE}{LINE}", one]).encode())
    assert first == third
    assert {note.text for note in (first, second, third)} == {TEXT}
    assert second.signatures == (*first.signatures, *first.signatures)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT, id="no signature"),
        pytest.param(f"{TEXT}\n{LINE}{TEXT}", id="no signature below the second, which follows at once"),
        pytest.param(f"{TEXT}\n{LINE}{LINE}x\n", id="something behind the signatures"),
        pytest.param(f"{TEXT}\n{LINE}\n{TEXT}", id="no signature below the second"),
        pytest.param(f"{TEXT}\n{LINE[:-3]}\n", id="a cut signature"),
        pytest.param(f"{TEXT}\n{LINE.replace('PeterNeumann', 'Peter+Neumann')}", id="a plus in the name"),
        pytest.param(f"{TEXT}\n{LINE.replace('BwJnAM=', 'BwJnAN=')}", id="spare bits"),
        pytest.param(LINE, id="no text"),
    ],
)
def test_what_is_no_note_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        parse_notes(text.encode())


def test_signed_checkpoints_are_verified_before_a_trail_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(SAMPLE, tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.setenv("PLUGSEAL_HOME", str(tmp_path / "state"))
    main(["review", "plugins/deploy-helper"])
    token = capsys.readouterr().out.split()[-1]
    assert main(["trust", "plugins/deploy-helper", token]) == 0
    for name in ("alice", "mallory"):
        assert main(["key", "new", f"../{name}"]) == 0
    assert main(["log", "checkpoint", "--key", "../alice.key", "-o", "../signed"]) == 0

    verify = ["log", "verify", "--since", "../signed", "--key"]
    assert main([*verify, "../alice.pub"]) == 0
    assert main([*verify, "../mallory.pub"]) == 1
    text = Path("../signed").read_text()
    assert text.startswith("plugseal/")
    assert "\n\n\u2014 alice " in text
    Path("../signed").write_text(text.replace("/reviews\n1\n", "/reviews\n2\n"))
    assert main([*verify, "../alice.pub"]) == 1
    assert main(["log", "verify", "--key", "../alice.pub"]) == 2
    assert main(["log", "checkpoint", "-o", "../plain"]) == 0
    assert main(["log", "verify", "--since", "../plain", "--key", "../alice.pub"]) == 4

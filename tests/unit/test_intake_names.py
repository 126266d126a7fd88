"""Names: which are refused and why, the same on every Python and in every locale."""

from __future__ import annotations

import sys

import pytest

from plugseal import names
from plugseal.intake.faults import FAULTS
from plugseal.intake.judge import check_names


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        pytest.param("a\udcff", {"not-utf-8"}, id="not UTF-8"),
        pytest.param("\udced\udca0\udc80", {"not-utf-8"}, id="a surrogate in UTF-8"),
        pytest.param("e\u0301", {"not-nfc"}, id="decomposed"),
        pytest.param("\u212b", {"not-nfc"}, id="the angstrom sign"),
        pytest.param("a\n", {"odd-character"}, id="a line end last"),
        pytest.param("a\x1b[2J", {"odd-character"}, id="escape"),
        pytest.param("a\x7f", {"odd-character"}, id="delete"),
        pytest.param("a\x85", {"odd-character"}, id="a control of Latin-1"),
        pytest.param("a\u200bb", {"odd-character"}, id="zero width space"),
        pytest.param("a\u202eb", {"odd-character"}, id="right-to-left override"),
        pytest.param("a\U000e0041", {"odd-character"}, id="a tag character"),
        pytest.param("a\ue000", {"odd-character"}, id="private use"),
        pytest.param("a\u0378", {"odd-character"}, id="unassigned"),
        pytest.param("a\u2028b", {"odd-character"}, id="line separator"),
        pytest.param("a\u2029b", {"odd-character"}, id="paragraph separator"),
        pytest.param("a\u00a0b", {"odd-character"}, id="no-break space"),
        pytest.param("a\u3000b", {"odd-character"}, id="ideographic space"),
        *[pytest.param(f"a{c}b", {"forbidden-character"}, id=f"with {c}") for c in '<>:"|?*\\'],
        pytest.param("a.", {"trailing-dot-or-space"}, id="a dot last"),
        pytest.param("a ", {"trailing-dot-or-space"}, id="a space last"),
        pytest.param("...", {"trailing-dot-or-space"}, id="three dots"),
        pytest.param("CON", {"device-name"}, id="a device"),
        pytest.param("nul.tar.gz", {"device-name"}, id="a device with extensions"),
        pytest.param("aux .txt", {"device-name"}, id="a device with a space"),
        pytest.param("Com1", {"device-name"}, id="a port"),
        pytest.param("lpt²", {"device-name"}, id="a port with a superscript"),
        pytest.param("CONIN$", {"device-name"}, id="the console's input"),
        pytest.param(".GIT", {"git-name"}, id="git in capitals"),
        pytest.param(".g\u0131t", set(), id="git with a dotless i, which no file system folds"),
        pytest.param("git~1", {"git-name"}, id="the short name of git"),
        pytest.param("GIT~12", {"git-name"}, id="a later short name of git"),
        pytest.param(".git ", {"git-name", "trailing-dot-or-space"}, id="git and a space"),
        pytest.param(".git.", {"git-name", "trailing-dot-or-space"}, id="git and a dot"),
        pytest.param(".git::$INDEX_ALLOCATION", {"git-name", "forbidden-character"}, id="a stream of git"),
        pytest.param(".g\u200cit", {"git-name", "odd-character"}, id="git with what HFS+ ignores"),
        pytest.param("a" * 256, {"name-too-long"}, id="256 bytes"),
        pytest.param("é" * 128, {"name-too-long"}, id="256 bytes in 128 characters"),
    ],
)
def test_a_name_is_refused_for_exactly_these_reasons(name: str, codes: set[str]) -> None:
    assert {f.code for f in check_names("d", [name, "plain.txt"])} == codes
    assert codes <= FAULTS.keys()


@pytest.mark.parametrize(
    "name",
    [
        ".env", ".gitignore", ".github", ".gitx", "git~", "git~x", "~", "a b", "-rf", "日本語.md", "emoji-😀.txt",
        "é", "console", "com10", "com", "nul-device", "a" * 255, "%s", "'", "$(x)", "a\u0301\u0302"[:1], "ⅷ", "👍🏽",
    ],
)  # fmt: skip
def test_a_harmless_name_is_accepted(name: str) -> None:
    assert check_names("", [name]) == []
    assert check_names("d", [name, "other"]) == []


def test_git_is_refused_below_the_root_and_named_so() -> None:
    assert [f.code for f in check_names("plugins/one", [".git"])] == ["nested-git"]


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(("SKILL.md", "skill.md"), id="ASCII"),
        pytest.param(("straße", "STRASSE"), id="a sharp s"),
        pytest.param(("é", "É"), id="an accent"),
        pytest.param(("Σ", "ς"), id="a final sigma"),
        pytest.param(("\ufb01", "fi"), id="a ligature"),
        pytest.param(("\u212a", "k"), id="the kelvin sign"),
        pytest.param(("é", "e\u0301"), id="two normal forms"),
        pytest.param(("\u1c89", "\u1c8a"), id="letters of Unicode 16, newer than most Pythons"),
        pytest.param(("\U00016ea0", "\U00016ebb"), id="letters of Unicode 17"),
    ],
)
def test_names_that_some_file_system_takes_for_one_collide(pair: tuple[str, str]) -> None:
    faults = [f for f in check_names("d", [*pair, "other"]) if f.code == "case-collision"]
    assert {f.path for f in faults} == {f"d/{name}" for name in pair}


def test_faults_name_both_sides_of_a_collision() -> None:
    first, second = check_names("", ["a", "A"])
    assert (first.path, second.path) == ("A", "a")
    assert first.message.endswith(": a")
    assert second.message.endswith(": A")


def test_ascii_alone_never_loads_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("the tables were loaded")

    monkeypatch.setattr(names, "_tables", refuse)
    assert check_names("", ["a", "A"])
    assert check_names("d", [".git", "CON", "a:b", "x" * 300, "tab\t"])
    assert names.collision_key("ABC") == "abc"
    assert names.nfc("abc") == "abc"


def test_the_unicode_version_is_fixed() -> None:
    assert names.unicode_version() == "18.0.0"


def test_our_case_folding_adds_only_what_the_oldest_python_lacks() -> None:
    # A pair that this interpreter knows must be folded by it to the same letter: stability of case folding.
    for capital, small in names._new_folds().items():
        assert chr(capital).casefold() in (chr(capital), chr(small))
        assert names.casefold(chr(capital)) == chr(small)
        assert names.category(chr(capital)) == "Lu"


def test_no_letter_that_gains_a_folding_is_missing() -> None:
    # Read from the tables themselves: a capital whose small twin exists must fold to something.
    missing = [
        f"U+{point:04X}"
        for point in range(0x80, sys.maxunicode + 1)
        if names.category(chr(point)) == "Lu"
        and " CAPITAL LETTER " in names.name(chr(point))
        and names.casefold(chr(point)) == chr(point)
    ]
    assert missing == []

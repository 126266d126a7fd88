"""Texts on which others' parsers went round for ever are read, and cost nothing else of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.facts import list_facts

_WENT_ROUND = b"``<<E\n$:"
"""Eight bytes on which tree-sitter-perl 2.0 goes round for ever, if no line end is put behind them."""


@pytest.mark.usefixtures("descriptors_stay")
def test_a_text_on_which_a_parser_went_round_is_read_like_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "a.pl").write_bytes(b"system('first');\n")
    (tmp_path / "b.pl").write_bytes(_WENT_ROUND)
    (tmp_path / "c.pl").write_bytes(b"system('second');\n")
    (tmp_path / "d.rb").write_bytes(b"system('third')\n")
    (tmp_path / "e.sh").write_bytes(b"fourth\n")
    said = {(file, fact.capability, fact.object) for file, fact in list_facts(tmp_path)}
    assert ("process.shell", None) in {(capability, name) for file, capability, name in said if file == "b.pl"}
    assert {(file, name) for file, capability, name in said if capability == "process.exec"} == {
        ("a.pl", "first"),
        ("c.pl", "second"),
        ("d.rb", "third"),
        ("e.sh", "fourth"),
    }

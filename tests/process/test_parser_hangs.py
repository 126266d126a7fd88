"""A parser of others that never ends costs the file that it was given, and nothing else of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.facts import list_facts

_NEVER_ENDS = b"``<<E\n$:"
"""Eight bytes on which tree-sitter-perl 2.0 goes round for ever: a here-document behind an empty command."""


@pytest.mark.usefixtures("descriptors_stay")
def test_a_parser_that_never_ends_loses_its_own_file_alone(tmp_path: Path) -> None:
    (tmp_path / "a.pl").write_bytes(b"system('first');\n")
    (tmp_path / "b.pl").write_bytes(_NEVER_ENDS)
    (tmp_path / "c.pl").write_bytes(b"system('second');\n")
    (tmp_path / "d.rb").write_bytes(b"system('third')\n")
    (tmp_path / "e.sh").write_bytes(b"fourth\n")
    said = {(file, fact.capability, fact.object) for file, fact in list_facts(tmp_path)}
    of_it = {(capability, name) for file, capability, name in said if file == "b.pl"}
    if not of_it:
        pytest.skip("this version of the parser ends")
    assert of_it == {("unread", "b.pl")}
    assert {(file, name) for file, capability, name in said if capability == "process.exec"} == {
        ("a.pl", "first"),
        ("c.pl", "second"),
        ("d.rb", "third"),
        ("e.sh", "fourth"),
    }

"""What a host fills into a line stands as a variable of the same length: a shell's reader understands the rest."""

from __future__ import annotations

import pytest

from plugseal.scan.component_texts import without_placeholders


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("echo ${{ github.ref }} done", "echo ${______________} done", id="a build server's expression"),
        pytest.param("git diff {{args}} | head", "git diff ${_____} | head", id="a command's arguments"),
        pytest.param("a ${{ x }} {{y}}", "a ${_____} ${__}", id="two"),
        pytest.param("echo ${HOME} {a,b}", "echo ${HOME} {a,b}", id="a shell's own braces"),
        pytest.param("echo {{", "echo {{", id="one that never ends"),
    ],
)
def test_a_placeholder_becomes_a_variable_of_its_length(line: str, expected: str) -> None:
    found = without_placeholders(line)
    assert found == expected
    assert len(found) == len(line)

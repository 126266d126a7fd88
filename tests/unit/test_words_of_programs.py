"""Words of programs that are easily taken for others: options with two values, lists behind colons, requests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from plugseal.verbs.facts import list_facts

_Seen = set[tuple[str, str | None]]
Look = Callable[..., _Seen]


@pytest.fixture
def seen(tmp_path: Path) -> Look:
    """Return what a file of this name and text is seen to do."""

    def look(text: str, name: str = "a.sh") -> _Seen:
        (tmp_path / name).write_text(text)
        return {(fact.capability, fact.object) for _, fact in list_facts(tmp_path)}

    return look


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("jq -e --arg p \"$P\" '.a == $p' a.json", {"a.json"}),
        ("jq -r .version a.json", {"a.json"}),
        ("jq -f a.jq a.json", {"a.jq", "a.json"}),
        ("jq --rawfile n a.txt . a.json", {"a.txt", "a.json"}),
        ("jq --argjson n 1 '.a' a.json", {"a.json"}),
        ("yq -e .a a.yml", {"a.yml"}),
        ("sed -e s/a/b/ a.txt", {"a.txt"}),
    ],
)
def test_files_of_filters(line: str, read: set[str], seen: Look) -> None:
    assert {name for capability, name in seen(line) if capability == "fs.read"} == read


def test_each_word_behind_colons_is_a_line(seen: Look) -> None:
    found = seen('parallel --jobs 6 ::: "curl https://a.example/x" "touch /tmp/b"')
    assert {("net.outbound", "a.example"), ("fs.write", "/tmp/b")} <= found
    assert not any(name == ":::" for _, name in found)


def test_words_behind_colons_are_given_to_what_stands_before(seen: Look) -> None:
    found = seen("parallel -j2 gzip ::: a b")
    assert {("fs.write", "a"), ("fs.write", "b")} <= found
    assert not any(name == ":::" for _, name in found)


def test_a_file_needs_no_shell(seen: Look) -> None:
    assert not any(capability == "process.shell" for capability, _ in seen("bun run src/index.ts convert"))
    assert any(capability == "process.shell" for capability, _ in seen("bun run build"))


def test_a_request_is_no_program(seen: Look) -> None:
    text = "# A\n\n```bash\nPOST /sessions/{id}/summary  # makes one\nGET /x\nls /tmp\n```\n"
    assert {name for capability, name in seen(text, "SKILL.md") if capability == "process.exec"} == {"ls"}


def test_what_a_type_asks_for_is_not_used(seen: Look) -> None:
    text = "const f = (async () => 1) as typeof fetch;\nconst g = f satisfies typeof fetch;\n"
    assert seen(text, "a.ts") == set()


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("D=$(mktemp -d)\npython3 -c \"open('$D/a.json')\"", ("fs.read", "/tmp/*/a.json")),
        ("node -e \"require('fs').readFileSync('$1/x')\"", ("fs.read", "*/x")),
        ('sqlite3 a.db ".output $2/x"', ("fs.write", "*/x")),
        ('awk "{print > \\"$3/log\\"}" in', ("fs.write", "*/log")),
        ("ruby -e \"File.read('$4')\"", ("fs.read", None)),
    ],
)
def test_what_a_shell_puts_into_code_is_not_known(line: str, fact: tuple[str, str | None], seen: Look) -> None:
    found = seen(line)
    assert fact in found
    assert not any(name is not None and "HOLE" in name for _, name in found)


def test_what_lua_asserts_is_its_first_argument(seen: Look) -> None:
    text = 'local s = require("socket")\nlocal t = assert(s.tcp())\nt:connect("a.example", 1)\n'
    assert ("net.outbound", "a.example") in seen(text, "a.lua")

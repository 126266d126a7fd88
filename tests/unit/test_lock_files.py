"""Lock files and small lists of what tools fetch: what comes from elsewhere is told, the usual is silent."""

from __future__ import annotations

import pytest

from plugseal.lang.classify import READ, classify
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.recipes.reader import RecipeReader


def _read(path: str, text: str) -> FileFacts:
    verdict = classify(path, text.encode())
    assert verdict.action == READ, verdict
    return RecipeReader(verdict.language).read(text.encode(), Context(path, Interest()))


def _said(path: str, text: str) -> set[tuple[str, str | None]]:
    return {(fact.capability, fact.object) for fact in _read(path, text).facts}


_DOES: dict[str, tuple[str, str, set[tuple[str, str | None]]]] = {
    "npm's lock: another registry": (
        "package-lock.json",
        '{"packages": {"node_modules/x": {"resolved": "https://a.example/x/-/x-1.0.0.tgz"}}}',
        {("net.outbound", "a.example"), ("autorun", "https://a.example/x/-/x-1.0.0.tgz")},
    ),
    "npm's lock: another package of the usual registry": (
        "npm-shrinkwrap.json",
        '{"packages": {"node_modules/x": {"resolved": "https://registry.npmjs.org/other/-/other-1.0.0.tgz"}}}',
        {("code.obfuscated", "x")},
    ),
    "npm's older lock: a repository": (
        "package-lock.json",
        '{"dependencies": {"x": {"version": "git+ssh://git@a.example/o/x.git#abc", "from": "x"}}}',
        {("net.outbound", "a.example"), ("code.fetched", "git+ssh://git@a.example/o/x.git#abc")},
    ),
    "yarn's lock: an archive": (
        "yarn.lock",
        'x@^1:\n  version "1.0.0"\n  resolved "https://a.example/x.tgz#abc"\n',
        {("net.outbound", "a.example")},
    ),
    "yarn's lock: another package of the usual registry": (
        "yarn.lock",
        'x@^1:\n  resolved "https://registry.yarnpkg.com/other/-/other-1.0.0.tgz#abc"\n',
        {("code.obfuscated", "x")},
    ),
    "yarn's newer lock: a repository": (
        "yarn.lock",
        '"x@https://a.example/x.git":\n  resolution: "x@https://a.example/x.git#commit=abc"\n',
        {("net.outbound", "a.example")},
    ),
    "pnpm's lock: an archive": (
        "pnpm-lock.yaml",
        "packages:\n  x@1.0.0:\n    resolution: {tarball: https://a.example/x.tgz}\n",
        {("net.outbound", "a.example")},
    ),
    "poetry's lock: another registry": (
        "poetry.lock",
        '[[package]]\nname = "x"\n[package.source]\ntype = "legacy"\nurl = "https://a.example/simple"\n',
        {("net.outbound", "a.example"), ("code.fetched", "https://a.example/simple")},
    ),
    "uv's lock: a repository": (
        "uv.lock",
        '[[package]]\nname = "x"\nsource = { git = "https://a.example/x.git?rev=1#abc" }\n',
        {("net.outbound", "a.example")},
    ),
    "cargo's lock: a repository": (
        "Cargo.lock",
        '[[package]]\nname = "x"\nsource = "git+https://a.example/x?branch=b#abc"\n',
        {("net.outbound", "a.example")},
    ),
    "bundler's lock: another registry": (
        "Gemfile.lock",
        "GEM\n  remote: https://a.example/\n  specs:\n    x (1.0)\n",
        {("net.outbound", "a.example")},
    ),
    "composer's lock: an archive": (
        "composer.lock",
        '{"packages": [{"name": "o/x", "dist": {"type": "zip", "url": "https:\\/\\/a.example\\/x.zip"}}]}',
        {("net.outbound", "a.example")},
    ),
    "pipenv's lock: another registry": (
        "Pipfile.lock",
        '{"_meta": {"sources": [{"name": "x", "url": "https://a.example/simple"}]}}',
        {("net.outbound", "a.example")},
    ),
    "go: a module of another name": (
        "go.mod",
        "module a\nreplace a.example/known v1.0.0 => b.example/other v1.0.0\n",
        {("net.outbound", "b.example"), ("code.fetched", "b.example/other"), ("code.obfuscated", "a.example/known")},
    ),
    "go: a folder outside": ("go.mod", "replace (\n\ta.example/b => ../../b\n)\n", {("path.outside", "../../b")}),
    "pip's settings: another registry": (
        "pip.conf",
        "[global]\nindex-url = https://a.example/simple\ntrusted-host = b.example\n",
        {("net.outbound", "a.example"), ("autorun", "https://a.example/simple"), ("net.outbound", "b.example")},
    ),
    "pip's settings: several, each on its line": (
        "pip.ini",
        "[install]\nextra-index-url =\n    https://a.example/simple\n",
        {("net.outbound", "a.example")},
    ),
    "conda: a channel": (
        "environment.yml",
        "channels:\n  - https://a.example/c\ndependencies:\n  - python\n",
        {("net.outbound", "a.example"), ("autorun", "https://a.example/c")},
    ),
    "conda: what pip installs": (
        "conda-dev.yaml",
        "dependencies:\n  - pip:\n    - git+https://a.example/x\n    - -r ../../r.txt\n",
        {("net.outbound", "a.example"), ("path.outside", "../../r.txt")},
    ),
    "git: a repository inside": (
        ".gitmodules",
        '[submodule "x"]\n\tpath = x\n\turl = git@a.example:o/x.git\n',
        {("net.outbound", "a.example"), ("code.fetched", "ssh://a.example/o/x.git")},
    ),
    "git: a line for each of them": (
        ".gitmodules",
        '[submodule "x"]\n\tupdate = !frobnicate x\n',
        {("process.shell", "frobnicate")},
    ),
}


@pytest.mark.parametrize(("path", "text", "expected"), _DOES.values(), ids=_DOES)
def test_a_list_says_what_it_takes_from_elsewhere(path: str, text: str, expected: set[tuple[str, str | None]]) -> None:
    assert expected <= _said(path, text)


_SILENT: dict[str, tuple[str, str]] = {
    "a lock of the usual registry": (
        "package-lock.json",
        (
            '{"packages": {"node_modules/a/node_modules/@o/x": {"resolved": '
            '"https://registry.npmjs.org/@o/x/-/x-1.0.0.tgz", "funding": {"url": "https://a.example/fund"}}}}'
        ),
    ),
    "a lock that says by what name a package is known": (
        "package-lock.json",
        (
            '{"packages": {"node_modules/x": {"name": "other", '
            '"resolved": "https://registry.npmjs.org/other/-/other-1.0.0.tgz"}}}'
        ),
    ),
    "yarn's lock that says so": (
        "yarn.lock",
        '"x@npm:other@^1":\n  resolved "https://registry.yarnpkg.com/other/-/other-1.0.0.tgz#abc"\n',
    ),
    "cargo's lock": (
        "Cargo.lock",
        '[[package]]\nname = "x"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n',
    ),
    "composer's lock": (
        "composer.lock",
        (
            '{"packages": [{"dist": {"url": "https://api.github.com/repos/o/x/zipball/abc"}, '
            '"support": {"url": "https://a.example"}}]}'
        ),
    ),
    "go's own modules": ("go.mod", "module a\nrequire b.example/c v1\nreplace b.example/c => ./c // => ../../x\n"),
    "conda's own channels": (
        "environment.yml",
        "channels:\n  - conda-forge\ndependencies:\n  - pip:\n    - requests\n",
    ),
    "another document of that name": ("environment.yaml", "channels:\n  - https://a.example/hook\nname: x\n"),
    "comments of pip's settings": ("pip.conf", "[global]\n# index-url = https://a.example/\ntimeout = 60\n"),
}


@pytest.mark.parametrize(("path", "text"), _SILENT.values(), ids=_SILENT)
def test_what_comes_from_the_usual_places_is_silent(path: str, text: str) -> None:
    assert _said(path, text) == set()


def test_a_file_in_a_client_s_folder_is_the_client_s() -> None:
    assert classify(".client/environment.yaml", b"a: 1").action == "unread"


def test_a_registry_is_told_once_at_its_first_package() -> None:
    text = "".join(f'a{n}@1:\n  resolved "https://a.example/a{n}/-/a{n}-1.tgz"\n' for n in range(9))
    assert {fact.span.line for fact in _read("yarn.lock", text).facts} == {2}


def test_a_lock_that_is_no_document_is_read_in_part() -> None:
    facts = _read("uv.lock", "[[package]\n")
    assert (facts.status, facts.reason.startswith("not valid")) == ("partial", True)

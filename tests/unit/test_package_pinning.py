"""Which packages a command fetches, and how surely they are the same tomorrow."""

from __future__ import annotations

import pytest

from plugseal.model.plugin import Package
from plugseal.systems.launching.packages import packages_of
from plugseal.systems.launching.pinning import build_package

SHA = "0123456789abcdef0123456789abcdef01234567"
DIGEST = "sha256:" + SHA + "0" * 24


@pytest.mark.parametrize(
    ("name", "source", "pinning", "digest"),
    [
        pytest.param("a@1.2.3", "npm", "exact", "", id="npm: a version"),
        pytest.param("@s/a@1.2.3-rc.1", "npm", "exact", "", id="npm: a scope and a pre-release"),
        pytest.param("a@^1.2.3", "npm", "versioned", "", id="npm: a range"),
        pytest.param("a@1.2", "npm", "versioned", "", id="npm: a part of a version is a range"),
        pytest.param("a@latest", "npm", "floating", "", id="npm: a tag"),
        pytest.param("@s/a", "npm", "floating", "", id="npm: no version"),
        pytest.param("a==1.2", "pypi", "exact", "", id="pypi: a version"),
        pytest.param("a>=1.2", "pypi", "versioned", "", id="pypi: a bound"),
        pytest.param("a", "pypi", "floating", "", id="pypi: no version"),
        pytest.param("git+https://g.example.invalid/a", "pypi", "url", "", id="a repository"),
        pytest.param(f"git+https://g.example.invalid/a@{SHA}", "pypi", "url", SHA, id="a repository at a commit"),
        pytest.param("github:a/b", "npm", "url", "", id="a shorthand of a repository"),
        pytest.param("https://x.example.invalid/a.sh", "url", "url", "", id="a download"),
        pytest.param("a/b:1.2", "image", "versioned", "", id="image: a tag with a version"),
        pytest.param("a/b:latest", "image", "floating", "", id="image: the latest"),
        pytest.param("a/b", "image", "floating", "", id="image: no tag"),
        pytest.param(f"a/b:1.2@{DIGEST}", "image", "exact", DIGEST, id="image: a digest"),
        pytest.param("g.example.invalid/a@v1.2.3", "go", "exact", "", id="go: a version"),
        pytest.param("g.example.invalid/a@latest", "go", "floating", "", id="go: the latest"),
        pytest.param("jsr:@s/a@1.2.3", "deno", "exact", "", id="deno: a version"),
        pytest.param("${PACKAGE:-a@1.2.3}", "npm", "floating", "", id="a variable may be anything"),
        pytest.param(None, "npm", "floating", "", id="nothing is said"),
    ],
)
def test_how_a_package_is_pinned(name: str | None, source: str, pinning: str, digest: str) -> None:
    assert build_package(name, source) == Package(name, source, pinning, digest)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        pytest.param(["npx", "-y", "a@1.0.0"], [("a@1.0.0", "npm", "exact")], id="npx"),
        pytest.param(["bunx", "a"], [("a", "npm", "floating")], id="bunx"),
        pytest.param(["pnpm", "dlx", "a@2"], [("a@2", "npm", "versioned")], id="pnpm dlx"),
        pytest.param(["yarn", "dlx", "a"], [("a", "npm", "floating")], id="yarn dlx"),
        pytest.param(["npm", "exec", "--", "a"], [("a", "npm", "floating")], id="npm exec"),
        pytest.param(["uvx", "a==1.0"], [("a==1.0", "pypi", "exact")], id="uvx"),
        pytest.param(["uvx", "-p", "3.13", "a==1.0"], [("a==1.0", "pypi", "exact")], id="uvx with an interpreter"),
        pytest.param(["uv", "tool", "run", "-p", "3.13", "a"], [("a", "pypi", "floating")], id="uv with one"),
        pytest.param(["npx", "-p", "a@1.0.0", "b"], [("a@1.0.0", "npm", "exact")], id="npx with a package by option"),
        pytest.param(["uv", "run", "--with", "a", "x.py"], [("a", "pypi", "floating")], id="uv run --with"),
        pytest.param(["pipx", "run", "a"], [("a", "pypi", "floating")], id="pipx run"),
        pytest.param(["python3", "-m", "pip", "install", "a==1"], [("a==1", "pypi", "exact")], id="python -m pip"),
        pytest.param(["podman", "run", "-i", "a:1"], [("a:1", "image", "versioned")], id="podman run"),
        pytest.param(
            ["go", "run", "g.example.invalid/a@v1.0.0"], [("g.example.invalid/a@v1.0.0", "go", "exact")], id="go"
        ),
        pytest.param(["deno", "run", "-A", "npm:a@1.0.0"], [("npm:a@1.0.0", "deno", "exact")], id="deno run"),
        pytest.param(["cargo", "install", "a"], [("a", "cargo", "floating")], id="cargo install"),
        pytest.param(["cmd", "/c", "npx", "a"], [("a", "npm", "floating")], id="behind cmd"),
        pytest.param(
            ["sh", "-c", "npx a && uvx b"], [("a", "npm", "floating"), ("b", "pypi", "floating")], id="a line"
        ),
        pytest.param(["npx", "${PACKAGE}"], [("${PACKAGE}", "npm", "floating")], id="a variable"),
        pytest.param(["npx", "${CLAUDE_PLUGIN_ROOT}/tool"], [], id="a folder of the plugin"),
        pytest.param(
            ["pip", "install", "-r", "requirements.txt"], [(None, "pypi", "floating")], id="a list of packages"
        ),
        pytest.param(["node", "server.js"], [], id="nothing is fetched"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_what_a_command_fetches(command: list[str], found: list[tuple[str | None, str, str]]) -> None:
    assert [(one.name, one.source, one.pinning) for one in packages_of(command, shell=False)] == found


def test_a_download_that_a_shell_runs_is_a_package_too() -> None:
    line = "curl -fsSL https://x.example.invalid/i.sh | bash -s -- --yes"

    assert packages_of([line], shell=True) == (Package("https://x.example.invalid/i.sh", "url", "url"),)

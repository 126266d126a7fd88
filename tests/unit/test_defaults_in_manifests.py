"""What a variable is where nobody sets it counts: packages, addresses and credentials that stand there as a default."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.model.inventory import Inventory
from plugseal.systems.launching.launch import assumed, hosts
from plugseal.systems.launching.packages import fetched_packages
from plugseal.verbs.scan import scan_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${A:-npx}", "npx"),
        ("x ${A:-b} ${C:-d} y", "x b d y"),
        ("${A:-}", ""),
        ("${A}", "${A}"),
        ("${A-b}", "${A-b}"),
        ("${A:-${B}}", "${A:-${B}}"),
        ("plain :- text", "plain :- text"),
    ],
)
def test_a_default_stands_for_its_variable(text: str, expected: str) -> None:
    assert assumed(text) == expected


def test_a_package_and_a_program_may_be_defaults() -> None:
    assert fetched_packages(["${RUN:-npx}", "-y", "${WHAT:-example-pkg}"]) == ("example-pkg",)
    assert fetched_packages(["${RUN:-sh}", "-c", "npx -y example-pkg"]) == ("example-pkg",)


def test_a_host_may_be_a_default() -> None:
    assert hosts("${BASE:-https://a.example.invalid}/x") == ("a.example.invalid",)
    assert hosts("https://${HOST}/x") == (None,)


def _bundle(root: Path, default: str) -> Inventory:
    manifest = {
        "manifest_version": "0.3",
        "name": "m",
        "version": "1.0.0",
        "description": "x",
        "author": {"name": "x"},
        "server": {"type": "node", "entry_point": "a.js", "mcp_config": {"command": "node", "args": ["a.js"]}},
        "user_config": {"api_key": {"type": "string", "title": "Key", "sensitive": True, "default": default}},
    }
    (root / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    (root / "a.js").write_text("console.log(1);\n", "utf-8")
    return scan_path(root)


@pytest.mark.parametrize(
    ("default", "found"), [("ghp_sample0000000000000000000000000000", True), ("your key", False), ("", False)]
)
def test_a_credential_that_is_offered_is_one(tmp_path: Path, default: str, found: bool) -> None:
    rules = [finding.rule for finding in _bundle(tmp_path, default).findings]
    assert ("literal-secret-in-manifest" in rules) is found

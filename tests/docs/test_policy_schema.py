"""The published schema of policies is the one by which they are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tomli
from jsonschema import Draft202012Validator

from plugseal.policy.schema import PolicyFile, render_schema

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/policy.schema.json").read_text("utf-8"))


def test_the_published_schema_is_current() -> None:
    """To write it anew: `python tests/docs/write_policy_schema.py`."""
    assert (ROOT / "docs/reference/policy.schema.json").read_text("utf-8") == render_schema()


def test_the_sample_policy_is_valid_by_it() -> None:
    document = tomli.loads((ROOT / "fixtures/sample/organisation/plugseal.toml").read_text("utf-8"))
    for one in document["exception"]:
        one["until"] = one["until"].isoformat()

    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []


@pytest.mark.parametrize("text", ['[allow]\n"fs.read" = true', 'schema = "plugseal.policy/1"\nx = 1'])
def test_what_is_no_policy_is_not(text: str) -> None:
    assert list(Draft202012Validator(SCHEMA).iter_errors(tomli.loads(text)))


def test_the_page_names_every_key() -> None:
    page = (ROOT / "docs/reference/policy.md").read_text("utf-8")
    assert [name for name in PolicyFile.model_fields if f"[{name}]" not in page and name != "schema_"] == []

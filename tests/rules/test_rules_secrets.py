"""Literal credentials: which texts hold one, and that none is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugseal.model.secrets import SHAPES, find_secrets, find_shapes, mask_secrets
from plugseal.rules.grammar import check_pattern
from plugseal.scan.detectors.credentials import STRING_SECRETS
from plugseal.verbs.scan import scan_path

SECRETS = {
    "a header": ('"Authorization": "Bearer sk-sample-1111222233334444"', "sk-sample-1111222233334444"),
    "a default": ('"TOKEN": "${TOKEN:-sk-sample-5555666677778888}"', "sk-sample-5555666677778888"),
    "an option": ('"--api-key=ghp_sample0000000000000000000000000000"', "ghp_sample0000000000000000000000000000"),
    "the next word": ('"--password", "hunter2-sample"', "hunter2-sample"),
    "an option by one letter": ('"-phunter2-sample"', "hunter2-sample"),
    "a bot": ('"bot.token=123456:AAsampleSampleSampleSampleSample"', "SampleSampleSample"),
    "inside JSON in a text": (r'"{\"auth\": {\"key\": \"sk-sample-AAAA1111BBBB2222\"}}"', "AAAA1111BBBB2222"),
    "a login in a URL": ("https://user:hunter2-sample@api.example.invalid/", "hunter2-sample"),
    "a parameter of a URL": ("https://api.invalid/mcp?api_key=sk-sample-AAAA1111BBBB2222", "AAAA1111BBBB2222"),
    "a cookie": ('"Cookie": "session=xoxb-sample-7777-8888"', "sample-7777-8888"),
    "an assignment": ("password = 'correct-horse-7'", "correct-horse-7"),
    "a private key": ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n", "MIIEvQIBADANBgkqhkiG9w0BAQEF"),
    "a web token": (
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJzYW1wbGUifQ.c2lnbmF0dXJlLXNhbXBsZS0w",
        "c2lnbmF0dXJl",
    ),
}
OVER_LINES = {
    "an option and its value": ('"--token",\n        "ghpsampleAAAA1111BBBB2222",', "ghpsampleAAAA1111BBBB2222"),
    "items of YAML": ("- --api-key\n  - hunter-sample-two\n", "hunter-sample-two"),
    "a key and its value": ('"password":\r\n    "hunter-sample-two"', "hunter-sample-two"),
}
HARMLESS = [
    '"TOKEN": "${TOKEN}"',
    '"Authorization": "Bearer <your key>"',
    '"Authorization": "Bearer ${TOKEN}"',
    "API_KEY=your-key-here",
    'API_KEY = "YOUR_API_KEY"',
    "DATABASE_URL=postgres://user:password@localhost/db",
    'token = os.environ["TOKEN"]',
    "password: str = field(default=None)",
    "token=self.token",
    "token: get_token(request)",
    "max_tokens=4096",
    "--token-file /run/token",
    "cookie: session cookies are kept",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    'class="sk-toggleable__label-arrow"',
    "pytest -p no:cacheprovider",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
]


@pytest.mark.parametrize(("text", "secret"), SECRETS.values(), ids=SECRETS)
def test_a_credential_is_masked(text: str, secret: str) -> None:
    masked = mask_secrets(text)
    assert secret in text
    assert secret not in masked
    assert len(masked) == len(text)
    assert masked.count("\n") == text.count("\n")


def test_a_sample_of_a_known_shape_is_hidden_and_no_finding() -> None:
    sample = 'AWS_KEY = "AKIAIOSFODNN7EXAMPLE"'
    assert "EXAMPLE" not in mask_secrets(sample)
    assert find_secrets(sample) == ()


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_credential_is_left_alone(text: str) -> None:
    assert mask_secrets(text) == text
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    ("kind", "pattern"), SHAPES, ids=[f"{kind} {number}" for number, (kind, _) in enumerate(SHAPES)]
)
def test_no_text_makes_a_shape_slow(kind: str, pattern: str) -> None:
    assert check_pattern(pattern) is None


def test_masking_twice_changes_nothing_more() -> None:
    for text, _ in SECRETS.values():
        assert mask_secrets(mask_secrets(text)) == mask_secrets(text)


SAMPLES = [
    "AKIAQ7SAMPLE2KEY3ID4",
    "ASIAQ7SAMPLE2KEY3ID4",
    "ghp_sampleCCCC3333DDDD4444EEEE5555FFFF66",
    "github_pat_sampleCCCC3333DDDD4444EEEE",
    "glpat-sampleCCCC3333DDDD4444",
    "xoxb-sample-7777-8888",
    "https://hooks.slack.com/services/T0SAMPLE1/B0SAMPLE2/sampleCCCC3333DDDD4444",
    "https://discord.com/api/webhooks/123456789/sampleCCCC3333DDDD4444EEEE5555FFFF",
    "sk-sample-AAAA1111BBBB2222",
    "sk_live_sampleCCCC3333DDDD",
    "AIzaSampleCCCC3333DDDD4444EEEE5555FFFF6",
    "123456:AAsampleSampleSampleSampleSample",
    "npm_sampleCCCC3333DDDD4444EEEE5555FFFF66",
    "hf_sampleCCCC3333DDDD4444EEEE5555FFFF",
]


@pytest.mark.parametrize("text", SAMPLES)
def test_the_readers_report_every_text_that_holds_a_shape(text: str) -> None:
    assert find_shapes(text)
    assert STRING_SECRETS.interest.strings is not None
    assert STRING_SECRETS.interest.strings.search(text)


@pytest.mark.parametrize(("text", "secret"), OVER_LINES.values(), ids=OVER_LINES)
def test_a_value_on_the_line_below_its_name_is_hidden(text: str, secret: str) -> None:
    masked = mask_secrets(text)

    assert secret not in masked
    assert (len(masked), masked.count("\n")) == (len(text), text.count("\n"))


def test_no_finding_shows_a_value_whose_name_stands_on_the_line_before(tmp_path: Path) -> None:
    servers = {"a": {"command": "npx", "args": ["-y", "docs", "--token", "ghpsampleAAAA1111BBBB2222"]}}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=2))
    findings = scan_path(tmp_path).findings

    assert "literal-secret-in-manifest" in {finding.rule for finding in findings}
    assert not [line for finding in findings for line in finding.source if "ghpsample" in line]

"""Tokens in scripts and texts: each once, in every part of a long line, and none that somebody made up."""

from __future__ import annotations

import pytest

from plugseal.scan.detectors.text_secrets import MAX_HITS, look_for_text_secrets

_TOKEN = "ghp_" + "qR7vK2mXc9TzLp4WnB8sHd3JfY6aGu1E"
_KEY = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n" * 3


def places(text: str, language: str = "instructions") -> list[tuple[int, int, str]]:
    found = look_for_text_secrets("SKILL.md", text.encode(), language)
    return [(hit.span.line, hit.span.column, hit.note) for hit in found]


@pytest.mark.parametrize("language", ["shell", "PowerShell", "batch", "Markdown", "plain text", "go", "text"])
def test_a_token_is_found_in_every_language_without_a_rule_of_its_own(language: str) -> None:
    assert places(f"a\nuse {_TOKEN}\n", language) == [(2, 5, "GitHub token")]


@pytest.mark.parametrize("language", ["python", "javascript", "json", "yaml", "environment file", "picture (PNG)"])
def test_languages_with_a_rule_of_their_own_are_left_to_it(language: str) -> None:
    assert places(f"use {_TOKEN}\n", language) == []


def test_a_token_counts_once_and_a_long_list_ends() -> None:
    assert len(places(f"{_TOKEN} {_TOKEN}\n{_TOKEN}\n")) == 1
    assert len(places("".join(f"{_TOKEN}{number:03}\n" for number in range(100)))) == MAX_HITS


@pytest.mark.parametrize("before", [0, 65_500, 65_536, 200_000])
def test_no_part_of_a_long_line_is_passed_over(before: int) -> None:
    assert places("x " * (before // 2) + _TOKEN) == [(1, before // 2 * 2 + 1, "GitHub token")]


def test_a_private_key_goes_on_below_its_first_line() -> None:
    assert places(_KEY) == [(1, 1, "private key")]
    assert places("-----BEGIN PRIVATE KEY-----\n…\n") == []


def test_placeholders_words_and_bytes_are_none() -> None:
    assert places("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxx AKIAIOSFODNN7EXAMPLE risk-assessment-of-2024-and-more") == []
    assert places(f"\0{_TOKEN}") == []


def test_a_token_in_the_address_of_a_bot_is_found() -> None:
    token = "bot7712345678:AA" + "H9x2y3z4w5v6c7d8e9f0q1b2n3m4k5f6g"
    assert places(f"curl https://api.telegram.org/{token}/sendMessage\n") == [(1, 31, "Telegram bot token")]


def test_words_in_the_place_of_a_token_are_none() -> None:
    assert places("auth('ghp_" + "YourGitHubPersonalAccessToken')\n") == []

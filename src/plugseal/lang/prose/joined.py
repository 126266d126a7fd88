"""Put two sentences together of which one takes a secret and a later one sends what was taken.

Each of them alone is nothing: steps of a list say in one what to read, and in the next where it goes. Only what the
later one points back to counts ("it", "that text", "what you read"), and only over a few sentences.
"""

from __future__ import annotations

from typing import Final

from plugseal.lang.facts import Event
from plugseal.lang.prose.sentences import Sentence
from plugseal.patterns import lazy

_MAX_BETWEEN: Final = 6
"""Sentences between the two."""
_MAX_TAKEN: Final = 400
_TAKES: Final = lazy(
    r"\b(?:read|open|cat|load|get|copy|collect|gather|find|look up)\b.{0,60}(?:~/\.ssh|\bid_rsa\b|\bid_ed25519\b|"
    r"\.aws/credentials|~/\.netrc|/etc/shadow|\.git-credentials\b|\bwallet\.dat\b|~/\.claude\.json|"
    r"claude_desktop_config\.json|\.cursor/mcp\.json)"
)
_SENDS: Final = lazy(
    r"\b(?:send|post|upload|forward|transmit|submit|exfiltrate|put|append|attach)\b.{0,24}\b(?:it|them|(?:that|this|the|its)"
    r" (?:text|contents?|file|values?|keys?|results?|output|data)|what (?:you|was) (?:read|found|got|saw|collected))\b"
)
_ADDRESS: Final = lazy(r"\b(?:https?|ftp|wss?)://|\bwebhook\b")


class Joined:
    """What earlier sentences of one text took."""

    def __init__(self) -> None:
        self._taken = ""
        self._since = 0

    def take(self, sentence: Sentence) -> Event | None:
        """Take the next sentence; return the event of both where it sends what an earlier one took."""
        told = sentence.told
        self._since += 1
        if self._taken and self._since <= _MAX_BETWEEN and _SENDS.search(told) and _ADDRESS.search(told):
            return Event("text", f"{self._taken} and {told}", sentence.span, (), (), "direct", "prose")
        if told and _TAKES.search(told):
            self._taken, self._since = told[-_MAX_TAKEN:], 0
        return None

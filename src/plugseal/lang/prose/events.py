"""What rules see of prose: an event for what a sentence tells, one for what it forbids, one for what is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import Event
from plugseal.lang.prose.blocks import COMMENT, PARAGRAPH, Block
from plugseal.lang.prose.lines import Piece, Stretch
from plugseal.lang.prose.sentences import Passage, Sentence, iterate_sentences
from plugseal.patterns import lazy

_TOPICS: Final = lazy(
    r"instruction|prompt|directive|guideline|guardrail|rules|message|orders|training|constraint|everything|mode\b|script|"
    r"binary|installer|executable|payload|loader|program|setup|helper|terminal|shell|console|https?:|ftp:|passw|passphrase|"
    r"passcode|archive|\bzip|\brar\b|\b7z|sandbox|virus|defender|gatekeeper|firewall|\bedr\b|linux|apparmor|permission|"
    r"approv|safety|security|protection|filter|danger|yolo|bypass|api key|private key|credential|secret|tokens|seed|"
    r"environment|\.env|\bid_|ssh|aws|netrc|cookie|wallet|keychain|conversation|chat|transcript|repository|codebase|"
    r"files|contents|you are|user|human|owner|operator|developer|anyone|anybody|disk|drive|documents|computer|decode|"
    r"decrypt|base64|rot13|deobfuscate|unscramble|settings|override|system|dan\b|inst\b|im_start|notice|"
    r"mention|reveal|disclos|admit|restriction|silently|out of |"
    r"soul\.md|identity\.md|heartbeat\.md|claude\.md|agents\.md|gemini\.md|"
    r"openclaw|clawdbot|moltbot|"
    r"other (?:skill|plugin|agent|tool|rule)|\.cursor|_config\.json|emails|e-mails|recipient|payee|"
    r"(?:treat|consider|regard) (?:all|every|any|each)|principal|loyalty|allegiance|obey|phrase|mnemonic|pretend|claim|"
    r"recommend|promote|scanner|reviewer|auditor|twice|postinstall|secretly|covertly|stealthily|surreptitiously|white|"
    r"invisible|\bbcc\b|contradict|conflict|even if|even when|removes|deletes|disables|reverts|uninstalls|undoes|hook|"
    r"keystore|everything it|whatever it|servers|audited|reviewed|direction|demands|among the|no findings|no issues|"
    r"no warnings|no alerts|no vulnerab|quiet|leave (?:it|this|that|them) |let them|attention|suspicion|the warning|"
    r"any warning|outrank|file you|balance|all funds|bank account|account number|iban|approve|home dir|xor|no longer|"
    r"rm -|\bzip\b|history|the account|before (?:every|all|each|any)|the change|aware of|"
    r"nothing (?:had )?happened|nopasswd|"
    r"sudoers|leaked|expired|analy[sz]er|review bot|pixel|lowest bit|"
    r"sicherheit|seguridad|berechtigung|virenscanner|nutzer|usuario|utilisateur|utente|heimlich|unbemerkt|"
    r"instruccion|istruzioni|anweisung|instruktion|consigne|instructie|instruks|instrukc|poleceni|perintah|petunjuk|"
    r"aanwijzing"
)
"""Every sentence that a rule of prose may fire on holds one of these; most sentences hold none."""


def events_of_text(text: str, *, is_hidden: bool = False) -> Iterator[Event]:
    """Yield the events of a text that stands by itself, such as a description; places are those in the text.

    Args:
        text: any text.
        is_hidden: whether no page shows it.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    paragraphs: list[list[Piece]] = [[]]
    for number, line in enumerate(lines, 1):
        if line.strip():
            paragraphs[-1].append(Piece(number, 1, line))
        elif paragraphs[-1]:
            paragraphs.append([])
    for pieces in filter(None, paragraphs):
        block = Block(COMMENT if is_hidden else PARAGRAPH, Stretch(tuple(pieces)))
        for sentence in iterate_sentences(Passage(block, is_silent=False)):
            yield from iterate_events(sentence)


def iterate_events(sentence: Sentence) -> Iterator[Event]:
    """Yield the events of one sentence that is about something that rules ask of."""
    if (
        not sentence.is_comment
        and sentence.raw.isascii()
        and not _TOPICS.search(f"{sentence.told} {sentence.forbidden}")
    ):
        return
    if sentence.told:
        if sentence.is_comment:
            yield Event("comment", sentence.told, sentence.span, (), (), "direct", "prose")
        yield Event("text", sentence.told, sentence.span, (), (), "direct", "prose")
    if sentence.forbidden:
        yield Event("forbids", sentence.forbidden, sentence.span, (), (), "direct", "prose")

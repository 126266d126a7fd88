"""Why receipts don't hold, for people: each status and each step's reason. A test asserts that none is missing."""

from __future__ import annotations

from typing import Final

from plugseal.records import NamedTuple


class ReceiptReason(NamedTuple):
    """What `explain` says of one reason."""

    title: str
    why: str
    remedy: str


_MADE_UP = "A signature that could mean two things, or be spelled in two ways, proves neither."
_SIGN_AGAIN = "Let the reviewer sign again: `plugseal receipt sign`."
RECEIPT_REASONS: Final[dict[str, ReceiptReason]] = {
    "malformed": ReceiptReason("the receipt is not of the form that is signed", _MADE_UP, _SIGN_AGAIN),
    "unknown-key": ReceiptReason(
        "the receipt is by a key that the team does not list",
        "Anybody can make a key.",
        "See who is listed with `plugseal key list --team FOLDER`. Don't delete lines of keys that signed: end them.",
    ),
    "bad-signature": ReceiptReason(
        "the signature is not of these bytes by this key",
        "The receipt was changed, or somebody else made it.",
        "Restore the file from the repository's history.",
    ),
    "wrong-namespace": ReceiptReason(
        "the key is not listed for reviews, or it signed for another purpose",
        "A key that signs commits, or whatever an agent is asked for, must not thereby sign reviews.",
        "Add `plugin-review@plugseal` to the namespaces of its line, if its owner reviews.",
    ),
    "wrong-reviewer": ReceiptReason(
        "the reviewer who is named is not the one that the key belongs to",
        "Else one key could be several people.",
        "Sign under the name that the team lists: `--reviewer NAME`.",
    ),
    "revoked-key": ReceiptReason(
        "the key is revoked",
        "Whoever stole it can write any time into a receipt.",
        _SIGN_AGAIN,
    ),
    "key-not-yet-valid": ReceiptReason(
        "the receipt says that it was made before its key was valid", "Its time was made up.", _SIGN_AGAIN
    ),
    "key-expired": ReceiptReason(
        "the receipt says that it was made after its key was retired", "A retired key signs no more.", _SIGN_AGAIN
    ),
    "new-by-retired-key": ReceiptReason(
        "the receipt is by a retired key, and was not there before",
        "Whoever holds a retired key can write an older time into a receipt.",
        _SIGN_AGAIN,
    ),
    "no-user-presence": ReceiptReason(
        "nobody touched the security key", "A program could have asked for the signature by itself.", _SIGN_AGAIN
    ),
    "from-the-future": ReceiptReason(
        "the receipt says that it was made later than now",
        "A clock is wrong, or its time was made up.",
        "Set the clock.",
    ),
    "expired": ReceiptReason("the receipt has expired", "Reviews age as their scanners do.", _SIGN_AGAIN),
    "too-old": ReceiptReason(
        "the receipt is older than the team allows", "Reviews age as their scanners do.", _SIGN_AGAIN
    ),
    "wrong-audience": ReceiptReason(
        "the receipt is for another team", "What one team accepts, another need not.", _SIGN_AGAIN
    ),
    "wrong-place": ReceiptReason(
        "the receipt's name or folder is not that of what it holds",
        "Names that follow from what is inside can neither collide nor replace each other.",
        "Put it back where `plugseal receipt sign` wrote it.",
    ),
    "refused": ReceiptReason(
        "a reviewer refuses it",
        "One refusal wins over any number of signatures, whether its key is alive or not.",
        "Read why, change the plugin, and review it again: its token is another then.",
    ),
    "receipts-missing": ReceiptReason(
        "receipts that were there before are gone", "A deleted receipt may be a refusal.", "Bring them back from git."
    ),
    "history-broken": ReceiptReason(
        "receipts are missing from a sequence, or two have one number",
        "Each receipt of a key names the one before it; a gap hides something.",
        "Bring the missing ones back from git.",
    ),
    "not-newest": ReceiptReason(
        "a newer state of the plugin was reviewed", "Going back to an older one must be decided, too.", _SIGN_AGAIN
    ),
    "too-few-people": ReceiptReason(
        "fewer people trust it than the team asks for",
        "People are counted by distinct names and distinct keys; patterns and certificates make one at most.",
        "Let another reviewer read and sign it.",
    ),
    "not-reviewed": ReceiptReason(
        "nobody signed what is there now", "A name is not enough: bytes are signed.", "Review it, and sign."
    ),
    "content-changed": ReceiptReason(
        "the content is not what was signed", "The plugin changed after its review.", "Review what changed, and sign."
    ),
    "other-plugin": ReceiptReason(
        "the receipt is about another plugin", "The same bytes under another name may be run differently.", _SIGN_AGAIN
    ),
    "document-changed": ReceiptReason(
        "the capability document beside the receipt is not the one that was signed",
        "What was reviewed can't be told from it any more.",
        "Restore `capabilities.json` from the repository's history.",
    ),
    "other-team": ReceiptReason(
        "the list of signers is not the one that was pinned",
        "Whoever changes the list decides who signs.",
        "Read what changed in the folder of the team, then pin it again.",
    ),
    "review-outdated": ReceiptReason(
        "a scan of today sees more than was reviewed",
        "Newer rules see what the reviewer was not shown.",
        "Review it again, and sign.",
    ),
}

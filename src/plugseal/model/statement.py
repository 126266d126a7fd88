"""What a reviewer signs, and what is known once it was verified: pure data."""

from __future__ import annotations

from enum import Enum

from plugseal.records import NamedTuple


class Decision(str, Enum):
    """What a reviewer says of exactly one token."""

    TRUST = "trust"
    REJECT = "reject"
    REVOKE = "revoke"


class Reviewed(NamedTuple):
    """The plugin that a statement is about, without its place: a receipt travels with the repository."""

    system: str
    name: str
    """Hostile text."""
    version: str
    """Hostile text."""


class Scanned(NamedTuple):
    """What the scan of the review said, bound by digests."""

    findings: str
    """SHA-256 of the findings, 64 hex digits."""
    worst: str
    """The highest severity among them; empty where there are none."""
    counts: tuple[tuple[str, int], ...]
    """(severity, how many), sorted."""
    unread: int
    """Files that no reader understood."""
    version: str
    """Of plugseal."""
    rules: str
    """SHA-256 of the rule set, 64 hex digits."""


class Statement(NamedTuple):
    """One reviewer's word on one token: the payload of a receipt."""

    plugin: Reviewed
    content: str
    """The content receipt, 64 hex digits."""
    h1: str
    """Go's directory hash, in hex; derived from the same files."""
    capability: str
    """The capability receipt, 64 hex digits: it names the capability document."""
    decision: Decision
    reviewer: str
    """The principal that the reviewer signs as; hostile text."""
    audience: str | None
    """The team that the receipt is for; None where it is for none in particular."""
    sequence: int
    """Counts the receipts of this key for this plugin and audience, from 1: a missing one is seen."""
    previous: str | None
    """SHA-256 of the payload before it in that sequence."""
    generation: int
    """Counts the reviewed states of the plugin for this audience, from 1."""
    created: str
    """UTC, `YYYY-MM-DDThh:mm:ssZ`."""
    expires: str
    """The same; after this moment it holds no more."""
    scanned: Scanned
    policy: str | None = None
    """SHA-256 of the policy that the reviewer judged by."""

    @property
    def token(self) -> str:
        """Return `<content>.<capability>`."""
        return f"{self.content}.{self.capability}"

    @property
    def line(self) -> tuple[str, str, str | None]:
        """Return what a sequence counts within, apart from the key: system, name and audience."""
        return (self.plugin.system, self.plugin.name, self.audience)


class ReceiptStatus(str, Enum):
    """What became of one receipt; the value is what users and programs read."""

    VALID = "valid"
    RETIRED_KEY = "valid-retired-key"
    """Made while the key was current, which it is no more."""
    MALFORMED = "malformed"
    UNKNOWN_KEY = "unknown-key"
    BAD_SIGNATURE = "bad-signature"
    WRONG_NAMESPACE = "wrong-namespace"
    """The key is not allowed to sign reviews, or the signature was made for something else."""
    WRONG_REVIEWER = "wrong-reviewer"
    """The reviewer that it names is not the one that the key belongs to."""
    REVOKED_KEY = "revoked-key"
    KEY_NOT_YET = "key-not-yet-valid"
    KEY_EXPIRED = "key-expired"
    """It says itself that it was made when the key was current no more."""
    NEW_BY_RETIRED_KEY = "new-by-retired-key"
    """By a key that is retired, and not among the receipts that were there before."""
    NO_PRESENCE = "no-user-presence"
    """A security key signed without anybody touching it."""
    FROM_THE_FUTURE = "from-the-future"
    EXPIRED = "expired"
    TOO_OLD = "too-old"
    WRONG_AUDIENCE = "wrong-audience"
    WRONG_PLACE = "wrong-place"
    """The file's name is not that of what it holds."""

    @property
    def holds(self) -> bool:
        """Say whether a receipt with this status counts."""
        return self in (ReceiptStatus.VALID, ReceiptStatus.RETIRED_KEY)


class SignedBy(NamedTuple):
    """The key of one receipt and whose it is."""

    keyid: str
    """64 hex digits."""
    kind: str
    """`ed25519`, `p256`, `rsa`, `sk-ed25519` or `sk-p256`."""
    principal: str
    """As the team's list of signers names it; hostile text. Empty where one key was given."""
    counts_alone: bool
    """Whether it counts as a person of its own: no pattern, no certificate, plain ASCII."""
    presence: bool
    """Whether a person touched a security key for it."""
    raw: str = ""
    """SHA-256 of the raw key: two keys with the same are the same, whatever their IDs."""


class JudgedReceipt(NamedTuple):
    """One receipt file and what became of it."""

    file: str
    """Hostile text."""
    status: ReceiptStatus
    reason: str
    """A few words, ours but for what stands in backticks; hostile text. Empty where it holds."""
    digest: str = ""
    """SHA-256 of the payload; empty where there is none."""
    statement: Statement | None = None
    signer: SignedBy | None = None


class Step(NamedTuple):
    """One step of a verification as it is shown."""

    name: str
    """One word."""
    verdict: str
    """`ok`, `no`, `not asked` or `not reached`."""
    detail: str = ""
    """Hostile text."""


class Verification(NamedTuple):
    """The steps of verifying one receipt or the receipts of one plugin, in order."""

    title: str
    """Name and version; hostile text."""
    steps: tuple[Step, ...]
    reason: str = ""
    """The value that says why it does not hold, e.g. `bad-signature`; empty where it does."""
    token: str = ""
    receipts: tuple[JudgedReceipt, ...] = ()

    @property
    def holds(self) -> bool:
        """Say whether no step failed."""
        return not self.reason


class JudgedBy(NamedTuple):
    """Whose signatures counted, so that it is seen before the judgement."""

    place: str
    """The folder of the team, or the file of one key; hostile text."""
    digest: str
    """SHA-256 over the files of the folder, to be pinned elsewhere; empty for one key."""
    is_inside: bool
    """Whether it lies in what is judged: whoever may change that may change who signs."""


class Judgement(NamedTuple):
    """What became of one receipt, of a folder of them, or of a repository."""

    verifications: tuple[Verification, ...]
    """One for each plugin that receipts, or a repository, name."""
    receipts: tuple[JudgedReceipt, ...]
    faults: tuple[str, ...] = ()
    """Of sequences, and of receipts that are gone; hostile text."""

    @property
    def holds(self) -> bool:
        """Say whether everything holds; a receipt that merely counts no more is no fault of its folder."""
        spent = (ReceiptStatus.EXPIRED, ReceiptStatus.TOO_OLD, ReceiptStatus.REVOKED_KEY)
        sound = all(judged.status.holds or judged.status in spent for judged in self.receipts)
        return sound and not self.faults and all(one.holds for one in self.verifications)

"""What the gate decides: every reason of refusal from a closed list, each with what to type. Pure data."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Reason(str, Enum):
    """Why the gate refuses; the value is what users read, what `plugseal explain` takes, and what the trail holds."""

    STATE_UNREADABLE = "state-unreadable"
    NOT_RECORDED = "not-recorded"
    NOT_TRUSTED = "not-trusted"
    NOT_ENABLED = "not-enabled"
    ANOTHER_PLACE = "another-place"
    SOURCE_GONE = "source-gone"
    CONTENT_DRIFTED = "content-drifted"
    STAGE_DAMAGED = "stage-damaged"
    DOCUMENT_DAMAGED = "document-damaged"
    NO_COMPONENT = "no-component"
    AMBIGUOUS_COMPONENT = "ambiguous-component"
    NOT_RUNNABLE = "not-runnable"
    FETCHES_CODE = "fetches-code"
    UNBOUND_CODE = "unbound-code"
    PROGRAM_MISSING = "program-missing"
    PROGRAM_CHANGED = "program-changed"
    VARIABLE_MISSING = "variable-missing"
    PLACEHOLDER_UNKNOWN = "placeholder-unknown"
    LEVEL_TOO_LOW = "level-too-low"
    SIGNATURE_MISSING = "signature-missing"
    REVIEW_REFUSED = "review-refused"
    REVIEWS_UNREADABLE = "reviews-unreadable"
    REVIEW_EXPIRED = "review-expired"
    POLICY_DENIES = "policy-denies"
    REVOKED_MEANWHILE = "revoked-meanwhile"
    TOOL_DRIFTED = "tool-drifted"
    NOT_AUTHORIZED = "not-authorized"
    FRAME_AMBIGUOUS = "frame-ambiguous"
    ORIGIN_LEFT = "origin-left"

    @property
    def meaning(self) -> str:
        """Say in one line why the gate refuses."""
        return _MEANINGS[self.value][0]

    @property
    def hint(self) -> str:
        """Say what to type or do; `{plugin}` stands for how the plugin is named."""
        return _MEANINGS[self.value][1]


_REVIEW: Final = "read it with `plugseal review {plugin}`, then trust and enable it"
_MEANINGS: Final[dict[str, tuple[str, str]]] = {
    "state-unreadable": (
        "what is stored about trust can't be believed",
        "see what is wrong with `plugseal log verify`",
    ),
    "not-recorded": ("nothing is recorded about it", _REVIEW),
    "not-trusted": ("it is not trusted", _REVIEW),
    "not-enabled": ("it is trusted and not enabled", "permit it with `plugseal enable {plugin}`"),
    "another-place": (
        "another folder stands where it was enabled",
        "look at it, then permit it with `plugseal enable {plugin}`",
    ),
    "source-gone": ("its source is gone", "restore it, or take the trust back with `plugseal revoke {plugin}`"),
    "content-drifted": (
        "its content is not what was trusted",
        "see the change with `plugseal diff {plugin}`, then review and trust it again",
    ),
    "stage-damaged": ("its staged copy is not what was trusted", "make it anew: review and trust it again"),
    "document-damaged": ("its reviewed capability document is not what was trusted", "review and trust it again"),
    "no-component": (
        "it has no such component among those that were trusted",
        "see them with `plugseal show {plugin}`",
    ),
    "ambiguous-component": ("more than one component could be meant", "name one: `plugseal run {plugin} KIND:NAME`"),
    "not-runnable": ("that component is nothing that can be started", "see them with `plugseal show {plugin}`"),
    "fetches-code": (
        "it fetches code when it starts, so nothing that was reviewed binds what would run",
        "install what it fetches into the plugin, and start that",
    ),
    "unbound-code": (
        "an interpreter would load code from outside the copy",
        "remove the folder that is named, or keep the state folder elsewhere",
    ),
    "program-missing": ("the program that it starts is not there", "install it, then trust the plugin again"),
    "program-changed": (
        "the program that it starts is not the one that was there at trust",
        "after an update: `plugseal review {plugin}`, then trust it again",
    ),
    "variable-missing": ("a variable that it was reviewed with is not set", "set it, then start again"),
    "placeholder-unknown": (
        "its command holds a placeholder whose value nobody reviewed",
        "ask its author for a command without it",
    ),
    "level-too-low": (
        "the policy demands more containment than this machine or version has",
        "run it where that is available, or change the policy",
    ),
    "signature-missing": (
        "the policy demands signed reviews, and there are not enough",
        "have it reviewed and signed with `plugseal receipt sign`, and bring the receipts to the folder that is named",
    ),
    "review-refused": (
        "a reviewer of the team refuses it",
        "read who and why with `plugseal receipt show`; a changed plugin is reviewed anew",
    ),
    "reviews-unreadable": (
        "the keys or the signed reviews of the team can't be believed",
        "mend what is named; after a change of the team or its folders: `plugseal policy pin FILE`",
    ),
    "review-expired": ("its review is older than the policy allows", _REVIEW),
    "policy-denies": (
        "the policy denies it",
        "do without it, or change the policy that is named and pin it anew: `plugseal policy pin FILE`",
    ),
    "revoked-meanwhile": ("it was revoked, disabled or changed meanwhile", _REVIEW),
    "tool-drifted": (
        "a tool is not what was approved",
        "see the difference with `plugseal show {plugin}`, then approve it anew",
    ),
    "not-authorized": (
        "a tool that does not say what it accesses was called, and nobody authorized that",
        "add `--authorize TOOL`, or name `{plugin}/TOOL` under `authorize` in the pinned policy",
    ),
    "frame-ambiguous": ("a message can be read in two ways", "report it to the author of the server or the client"),
    "origin-left": (
        "a remote server is not, or leads away from, the address that was reviewed",
        "ask its author for a server that stays at one address",
    ),
}

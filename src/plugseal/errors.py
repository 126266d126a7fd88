"""The error tree: every failure that a user can meet is one of these, with a hint of what to type.

Messages are lower case, without a final period, literals in backticks. A verb never lets another exception
through: what is not one of these is our bug (exit 70).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class PlugsealError(Exception):
    """Base of every error that plugseal raises on purpose."""

    code: ClassVar[str] = "error"
    """Stable identifier, an argument of `plugseal explain`."""
    exit_code: ClassVar[int] = 4
    """What the command line ends with; see `docs/reference/cli.md`."""

    def __init__(
        self, message: str, *, place: str | None = None, hint: str | None = None, details: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        """The path (and `:line:column`) that the error is about, as found: hostile text, show it by `shown()`."""
        self.hint = hint
        """What to type next."""
        self.details = tuple(details)
        """Further lines, one fact each: hostile text, show them by `shown()`."""


class UsageError(PlugsealError):
    """Refuse an unknown command, option or value."""

    code = "usage"
    exit_code = 2


class NothingToJudgeError(PlugsealError):
    """Report that there is nothing that any client would load or run: silence would be taken for a pass."""

    code = "nothing-to-judge"
    exit_code = 3


class CouldNotJudgeError(PlugsealError):
    """Base of everything that keeps plugseal from an answer: no answer is never a yes."""

    code = "could-not-judge"


class IntakeError(CouldNotJudgeError):
    """Report a path that can't be read at all (missing, unreadable, no directory, no archive)."""

    code = "unreadable"


class TreeRefusedError(CouldNotJudgeError):
    """Refuse a tree that would not mean the same on every machine; `details` holds every reason at once."""

    code = "tree-refused"


class DataError(CouldNotJudgeError):
    """Report a JSON, TOML or YAML document that the strict parsers refuse."""

    code = "bad-data"

    def __init__(self, message: str, *, line: int = 0, column: int = 0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.line = line
        """1-based line, 0 where it is not known."""
        self.column = column
        """1-based column in code points, 0 where it is not known."""


class RuleError(CouldNotJudgeError):
    """Refuse a rule set; `details` holds every fault at once as `file:line: what`."""

    code = "bad-rules"


class CanonicalError(CouldNotJudgeError):
    """Refuse data that has no canonical JSON form (floats, lone surrogates, unknown types)."""

    code = "not-canonical"


class RefusedTransitionError(PlugsealError):
    """Refuse to change trust: the plugin is not in the state that the transition needs."""

    code = "transition-refused"
    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        status: str = "",
        place: str | None = None,
        hint: str | None = None,
        details: Sequence[str] = (),
    ) -> None:
        super().__init__(message, place=place, hint=hint, details=details)
        self.status = status
        """The value of the trust status, empty where that is not the reason."""


class TokenError(PlugsealError):
    """Refuse a token that is not, whole and exactly, the one of what is on disk now."""

    code = "token"
    exit_code = 1


class StateError(CouldNotJudgeError):
    """Report stored trust that can't be believed: nothing is trusted, and nothing was changed."""

    code = "bad-state"


class TrailError(StateError):
    """Report a trail that was cut, changed or put back; `kind` says which."""

    code = "trail-broken"

    def __init__(self, message: str, *, kind: str, place: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, place=place, hint=hint)
        self.kind = kind
        """`cut-newest cut-oldest gap edited reordered doubled rolled-back missing torn forged malformed`."""


class StageError(CouldNotJudgeError):
    """Report a staged copy that can't be made or is not what was trusted; nothing runs from it."""

    code = "bad-stage"


class KeyRefusedError(CouldNotJudgeError):
    """Refuse a key, a list of signers or an agent: nothing is signed or verified by it, and no other is taken."""

    code = "key-refused"


class ReasonedError(PlugsealError):
    """Base of the errors whose reason is one of a closed list, which programs go by and `plugseal explain` explains."""

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        place: str | None = None,
        hint: str | None = None,
        details: Sequence[str] = (),
    ) -> None:
        super().__init__(message, place=place, hint=hint, details=details)
        self.reason = reason


class ReceiptError(ReasonedError):
    """Refuse receipts that don't hold; `reason` is a `model.statement.ReceiptStatus` or a step over several of them."""

    code = "receipt-refused"
    exit_code = 1


class RefusedError(ReasonedError):
    """Refuse to start or to go on; `reason` is a `model.decision.Reason`."""

    code = "gate-refused"
    exit_code = 126


class SupervisorError(PlugsealError):
    """Report that plugseal itself could not do its part of a run."""

    code = "supervisor-failed"
    exit_code = 125


class OutputError(PlugsealError):
    """Report a result that could not be written where it was asked for."""

    code = "no-output"

"""What a policy says of a repository: pure data."""

from __future__ import annotations

from plugseal.model.finding import Finding
from plugseal.model.inventory import Inventory
from plugseal.records import NamedTuple


class Objection(NamedTuple):
    """One reason why something fails."""

    kind: str
    """Stable: `capability`, `denied`, `finding`, `receipt`, `server`, `launch`, `package`,
    `governance`."""
    message: str
    """Literals in backticks; hostile text."""
    line: int
    """Of the policy that asks for it; 0 where a default does."""
    file: str = ""
    """Where it is seen, below the judged root; hostile text."""
    at: int = 0
    """The line in that file."""


class Excepted(NamedTuple):
    """One exception at work."""

    until: str
    reason: str
    """Hostile text."""
    owner: str
    """Hostile text."""


class Verdict(NamedTuple):
    """What the policy says of one plugin, or of what belongs to none."""

    id: str
    name: str
    """Hostile text."""
    system: str
    root: str
    """Hostile text."""
    objections: tuple[Objection, ...]
    excepted: tuple[Excepted, ...]
    is_incomplete: bool = False
    """Whether a part of it could not be judged."""

    @property
    def word(self) -> str:
        """Return `pass`, `fail` or `open`: what could not be judged is no pass."""
        return "fail" if self.objections else "open" if self.is_incomplete else "pass"


class Hidden(NamedTuple):
    """What a baseline of accepted findings did."""

    number: int
    dead: tuple[str, ...]
    """Rule and file of entries that hide nothing any more; hostile text."""


class Checked(NamedTuple):
    """A whole judgement."""

    inventory: Inventory
    verdicts: tuple[Verdict, ...]
    policy: str
    """The policy's name, digest and origin, ready for a line; hostile text."""
    file: str
    """The policy's file as messages name it; hostile text."""
    governance: tuple[Objection, ...] = ()
    """What the change itself loosens."""
    notes: tuple[str, ...] = ()
    """What a reader should know: expired exceptions, unused ones; hostile text."""
    hidden: Hidden | None = None
    findings: tuple[Finding, ...] = ()
    """Those that count: at or above the policy's severity, neither excepted nor in the baseline."""
    is_own: bool = False
    """Whether the policy lies in what is judged and nobody named it: no exception of it counts."""

    @property
    def failed(self) -> bool:
        """Say whether anything fails."""
        return bool(self.governance) or any(verdict.objections for verdict in self.verdicts)

    @property
    def is_open(self) -> bool:
        """Say whether something could not be judged."""
        return any(verdict.is_incomplete for verdict in self.verdicts)

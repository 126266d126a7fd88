"""What the gate hands out: that a plugin is admitted, and that one component of it may be started. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plugseal.model.policy import GatePolicy
from plugseal.model.trust import Approval, Subject
from plugseal.runtime.approved import Approved, Document
from plugseal.trust.record import Record


@dataclass(frozen=True, slots=True)
class Admission:
    """That a plugin as a whole is what was trusted, and enabled; bound to one state of one record."""

    id: str
    subject: Subject
    record: Record
    document: Document
    stage: Path
    policy: GatePolicy

    @property
    def approval(self) -> Approval:
        """Return what was trusted."""
        approval = self.record.standing.trust
        if approval is None:
            raise AssertionError("a grant without trust")
        return approval

    @property
    def state(self) -> tuple[str, int]:
        """Return (incarnation, generation): what a later look must find unchanged."""
        return self.record.standing.incarnation, self.record.standing.generation


@dataclass(frozen=True, slots=True)
class Grant(Admission):
    """The permission to start one component once."""

    component: Approved

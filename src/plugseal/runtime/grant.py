"""What the gate hands out: that a plugin is admitted, and that one component of it may be started. Never changed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plugseal.model.policy import GatePolicy
from plugseal.model.trust import Approval, Subject
from plugseal.runtime.approved import Approved, Document
from plugseal.trust.record import Record


class Admission:
    """That a plugin as a whole is what was trusted, and enabled; bound to one state of one record."""

    def __init__(self, plugin: str, record: Record, *, document: Document, stage: Path, policy: GatePolicy) -> None:
        self.id: Final = plugin
        self.record: Final = record
        self.document: Final = document
        self.stage: Final = stage
        self.policy: Final = policy

    @property
    def subject(self) -> Subject:
        """Return whose record it is."""
        return self.record.subject

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


class Grant(Admission):
    """The permission to start one component once."""

    def __init__(self, admitted: Admission, component: Approved) -> None:
        super().__init__(
            admitted.id,
            admitted.record,
            document=admitted.document,
            stage=admitted.stage,
            policy=admitted.policy,
        )
        self.component: Final = component

"""What a runtime of ours loads where an interpreter can't load the reviewed bytes as they stand: a folder made of them.

It is made at trust, beside the staged copy, and named by its own content, which stands in the trust record. The copy
itself stays what was reviewed. A plugin that needs no such folder is loaded from its copy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from plugseal.errors import StageError
from plugseal.model.trust import Approval
from plugseal.runtime.ancestors import find_ancestor, put_manifest
from plugseal.runtime.grant import Admission

DERIVED: Final = "derived"
"""Folder of what was made of copies, below the state folder."""


def verify_derived(home: Path, approval: Approval) -> None:
    """Refuse what was made of a copy at trust if it is anything else now.

    Args:
        home: the state folder.
        approval: what was trusted.

    Raises:
        StageError: it is missing, not ours alone, or changed.
    """
    if not approval.derived:
        return
    from plugseal.intake.stage import verify_stage  # few plugins have it

    folder = home / DERIVED / approval.derived
    verify_stage(folder, approval.derived)
    if not put_manifest(folder.parent) or find_ancestor(folder) == str(folder.parent / "node_modules"):
        raise StageError("what stands above it would decide how it is read", place=str(folder.parent))


def code_folder(grant: Admission) -> Path:
    """Return the folder from which a granted plugin's code is loaded."""
    derived = grant.approval.derived
    return grant.stage.parent.parent / DERIVED / derived if derived else grant.stage

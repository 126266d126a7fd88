"""The authority that everything of a bundle is handed out under, and how it is looked at again at each boundary.

It names one state of one record, one content, one capability document, one workspace and one place. Whatever of these
is another later ends it for good: a new registry makes a new one. Nothing here writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.records import NamedTuple
from plugseal.runtime.gate import Gate
from plugseal.runtime.grant import Admission

AGAIN: Final = (
    "run `plugseal codewhale reload`, look at it with `plugseal codewhale show {name}`, then trust and enable it again"
)


class Place(NamedTuple):
    """A folder that must stay the very one that it was."""

    path: str
    device: int
    inode: int

    @property
    def digest(self) -> str:
        """Return a name of the folder that shows nothing of its path: 64 hex digits."""
        text = f"{self.device}\0{self.inode}\0{self.path}"
        return sha256(b"plugseal-codewhale-place-v1\0" + text.encode("utf-8", "surrogateescape")).hexdigest()


def place_of(path: str) -> Place | None:
    """Return a folder as it is now, None where there is no folder that is no link."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return None
    is_folder = (status.st_mode & 0o170000) == 0o040000
    return Place(path, status.st_dev, status.st_ino) if is_folder else None


@dataclass(frozen=True, slots=True)
class Authority:
    """What a bundle's skills and servers are handed out under."""

    plugin: str
    """Our ID."""
    bundle: str
    """Its name; hostile text."""
    version: str
    scope: str
    workspace: Place
    root: Place
    home: Place
    """The discovery root that it lies in."""
    content: str
    capability: str
    incarnation: str
    generation: int
    reviewed_at: str

    @property
    def state(self) -> tuple[str, int]:
        """Return (incarnation, generation)."""
        return self.incarnation, self.generation


def verify_authority(authority: Authority, gate: Gate, *, operation: str) -> Admission:
    """Return the admission that an authority still stands for: workspace, place, source, copy, receipt and generation.

    Args:
        authority: as it was when the registry was built.
        gate: of the records.
        operation: what is about to happen, for the message.

    Raises:
        RefusedError: any of them is another; the hint says how to begin again.
    """
    for place in (authority.workspace, authority.home, authority.root):
        if place_of(place.path) != place:
            raise refused(authority.bundle, operation, Reason.ANOTHER_PLACE)
    try:
        admission = gate.admit(authority.plugin)
    except RefusedError as error:
        raise refused(authority.bundle, operation, Reason(error.reason)) from error
    now = admission.approval
    if admission.state != authority.state:
        raise refused(authority.bundle, operation, Reason.REVOKED_MEANWHILE)
    if (now.content, now.capability) != (authority.content, authority.capability):
        raise refused(authority.bundle, operation, Reason.CONTENT_DRIFTED)
    return admission


def refused(bundle: str, operation: str, reason: Reason, detail: str = "") -> RefusedError:
    """Return a refusal that says how to begin again, and nothing that a plugin, a path or a variable holds.

    Args:
        bundle: its name.
        operation: what was about to happen: `to start the server …`.
        reason: from the gate's closed list.
        detail: a few words of ours in place of the reason's meaning.
    """
    told = f"refused {operation} of bundle `{bundle}`: {reason.value}: {detail or reason.meaning}"
    return RefusedError(reason.value, told, hint=AGAIN.replace("{name}", bundle))


Verify = Callable[[str], Admission]
"""Look at an authority again before an operation that is named."""

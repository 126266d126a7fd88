"""How the Agent Plugins specification wants a server started: command, arguments, folder and environment (7.2.1, 9).

The command is one token: a bare name, or a path from the plugin's root wherever the working folder is; nothing is
expanded in it. The two placeholders are replaced in arguments, values of variables and the working folder, once, and
whatever else looks like one stays as it is: no variable of ours gets in. `PLUGIN_ROOT` and `PLUGIN_DATA` are set last.

See: https://github.com/agentplugins/agent-plugins-spec/blob/main/spec/1.0.0.md
"""

from __future__ import annotations

import os
from typing import Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.records import NamedTuple
from plugseal.runtime.agent_plugins.expand import expand
from plugseal.runtime.approved import Approved

SYSTEM: Final = "agent-plugins"
ROOT: Final = "PLUGIN_ROOT"
DATA: Final = "PLUGIN_DATA"


class SpecifiedLaunch(NamedTuple):
    """The reviewed launch data of one server, filled in."""

    words: tuple[str, ...]
    program: str
    """Where the command leads: an absolute path in the copy, or a bare name."""
    folder: str
    """Absolute; inside the copy or inside the data folder."""
    literals: tuple[tuple[str, str], ...]
    fixed: tuple[tuple[str, str], ...]
    """Set after everything else."""


def fill_launch(component: Approved, *, root: str, data: str) -> SpecifiedLaunch:
    """Return how a server is started.

    Args:
        component: as reviewed.
        root: the staged copy, absolute and without links.
        data: the plugin's data folder, absolute; it is there.

    Raises:
        RefusedError: a value was never reviewed as text, or the working folder leads out or is not there.
    """
    known = {name for name, _ in component.literals}
    lost = next((name for name, _ in component.environment if name not in known), None)
    if lost is not None:
        raise RefusedError(
            Reason.DOCUMENT_DAMAGED.value,
            f"the reviewed document does not hold the value of `{lost}`",
            hint=Reason.DOCUMENT_DAMAGED.hint,
        )
    command = component.command[0]
    arguments = (expand(word, root=root, data=data) for word in component.command[1:])
    return SpecifiedLaunch(
        words=(command, *arguments),
        program=os.path.normpath(f"{root}/{command}") if command.startswith("./") else command,
        folder=_folder(component.cwd, root, data),
        literals=tuple((name, expand(value, root=root, data=data)) for name, value in component.literals),
        fixed=((ROOT, root), (DATA, data)),
    )


def _folder(wanted: str | None, root: str, data: str) -> str:
    """Return the working folder once links are followed: the data folder is the plugin's to write, links too."""
    if not wanted:
        return root
    filled = expand(wanted, root=root, data=data)
    path = os.path.realpath(os.path.join(root, filled))  # noqa: PTH118  # text
    owner = os.path.realpath(data if wanted.startswith("${PLUGIN_DATA}") else root)
    if path != owner and not path.startswith(f"{owner}/"):
        raise RefusedError(
            Reason.UNBOUND_CODE.value,
            f"its working folder `{wanted}` leads out",
            hint="ask its author for a working folder inside the plugin or its data",
        )
    if not os.path.isdir(path):  # noqa: PTH112  # text
        raise RefusedError(
            Reason.NOT_RUNNABLE.value,
            f"its working folder `{wanted}` is not there",
            hint="make it where it belongs to the data of the plugin; else ask its author",
        )
    return path

"""The plan of one start: a pure function of what was reviewed, of the copy and of our environment; it can be printed.

What is executed is the reviewed argument vector after documented expansion, nothing added, nothing left out. Paths that
the command names inside the plugin lead into the staged copy. Programs outside are the ones that were there at trust.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.records import NamedTuple
from plugseal.runtime.agent_plugins.launch import SYSTEM, fill_launch
from plugseal.runtime.codewhale.freeze import SYSTEM as CODEWHALE
from plugseal.runtime.codewhale.freeze import frozen_words
from plugseal.runtime.environment import PATH, build_environment
from plugseal.runtime.expand import expand
from plugseal.runtime.grant import Grant
from plugseal.runtime.hosted import hosted_words
from plugseal.trust.programs import digest_of, read_head, shebang_names

SHELL: Final = "/bin/sh"
_MAX_SCRIPTS: Final = 5
"""Scripts that may start each other before a program does: the kernel takes no more."""


class Plan(NamedTuple):
    """Everything of one start."""

    program: str
    """Absolute path of what is executed."""
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    """Working folder, absolute."""
    level: int


class Places(NamedTuple):
    """Folders of ours that a start uses."""

    home: str
    """Empty at each start."""
    temporary: str
    """Empty at each start."""
    programs: str
    """Holds links to the programs of the trust under their reviewed names."""
    data: str
    """Stays between starts of the same plugin."""


Digest = Callable[[str], "str | None"]


def build_plan(grant: Grant, ours: Mapping[str, str], places: Places, *, digest: Digest = digest_of) -> Plan:
    """Return how a granted component is started.

    Args:
        grant: the permission.
        ours: a snapshot of our environment.
        places: folders of ours.
        digest: from the path of a program to the SHA-256 of its bytes.

    Raises:
        RefusedError: a variable, a placeholder or a program is not there or not what was reviewed.
    """
    component, stage = grant.component, str(grant.stage)
    if grant.document.system == SYSTEM and component.command:
        return _specified(grant, ours, places, digest)

    def filled(text: str) -> str:
        reviewed = grant.document.variables
        return expand(text, root=stage, data=places.data, variables=ours, reviewed=reviewed)

    words = tuple(filled(word) for word in component.command) or hosted_words(grant) or _entry_words(grant)
    folder = _folder(grant, filled(component.cwd) if component.cwd else "")
    if grant.document.system == CODEWHALE:
        words = frozen_words(words, folder, stage)
    if component.shell:
        argv: tuple[str, ...] = ("sh", "-c", *words)
        program = SHELL
    else:
        argv = words
        program = _program(grant, words[0], folder, digest)
    environment = build_environment(
        ours,
        mapped=component.environment,
        literals=[(name, filled(value)) for name, value in component.literals],
        home=places.home,
        temporary=places.temporary,
        path=_search_path(grant, program, places),
    )
    return Plan(program, argv, environment, folder, grant.policy.level)


def _specified(grant: Grant, ours: Mapping[str, str], places: Places, digest: Digest) -> Plan:
    """Return how a server of an Agent Plugins package is started: by its specification, which maps no variable."""
    try:
        launch = fill_launch(grant.component, root=str(grant.stage), data=places.data)
    except RefusedError as error:
        raise _refused(Reason(error.reason), grant, error.message) from error
    program = _program(grant, launch.program, launch.folder, digest)
    environment = build_environment(
        ours,
        mapped=(),
        literals=launch.literals,
        home=places.home,
        temporary=places.temporary,
        path=_search_path(grant, program, places),
    )
    return Plan(program, launch.words, {**environment, **dict(launch.fixed)}, launch.folder, grant.policy.level)


def _entry_words(grant: Grant) -> tuple[str, ...]:
    entry = grant.component.entry
    if entry is None or entry.startswith("../"):
        raise _refused(Reason.NOT_RUNNABLE, grant, f"`{grant.component.label}` starts nothing")
    return (str(grant.stage / entry),)


def _folder(grant: Grant, wanted: str) -> str:
    """Return the working folder: the copy's root, or a folder inside it."""
    if not wanted:
        return str(grant.stage)
    path = os.path.normpath(grant.stage / wanted)
    if path != str(grant.stage) and not path.startswith(f"{grant.stage}/"):
        raise _refused(Reason.UNBOUND_CODE, grant, f"its working folder `{wanted}` lies outside the copy")
    return path


def _program(grant: Grant, word: str, folder: str, digest: Digest) -> str:
    if word == grant.component.entry or ("/" in word and not word.startswith("/")):
        return _staged(grant, os.path.normpath(f"{folder}/{word}"), word, digest)
    if word.startswith(f"{grant.stage}/"):
        return _staged(grant, os.path.normpath(word), word, digest)
    return _outside(grant, word, digest)


def _staged(grant: Grant, path: str, word: str, digest: Digest) -> str:
    if not path.startswith(f"{grant.stage}/"):
        raise _refused(Reason.UNBOUND_CODE, grant, f"`{word}` leads out of the copy")
    if not (os.path.isfile(path) and os.access(path, os.R_OK)):  # noqa: PTH113  # text
        raise _refused(Reason.PROGRAM_MISSING, grant, f"`{word}` is not in the copy")
    _verify_interpreters(grant, path, digest, deep=1)
    return path


def _verify_interpreters(grant: Grant, path: str, digest: Digest, *, deep: int) -> None:
    """Refuse a script whose interpreter is not the one of the trust, or leads to another one by now.

    What the kernel will start for a script is as outside as a command's own program, and may be a script again.
    """
    if deep > _MAX_SCRIPTS:
        raise _refused(Reason.PROGRAM_MISSING, grant, f"the interpreters of `{path}` are scripts without end")
    for name in shebang_names(read_head(path)):
        real = _outside(grant, name, digest, deep=deep)
        if name.startswith("/") and os.path.realpath(name) != real:
            # It is started by this name, and not by the path that was looked at.
            raise _refused(Reason.PROGRAM_CHANGED, grant, f"`{name}` does not lead to `{real}` any more")


def _outside(grant: Grant, word: str, digest: Digest, *, deep: int = 0) -> str:
    """Return the path of a program that was there at trust, if it and its interpreters still are the ones."""
    known = {name: (path, trusted) for name, path, trusted in grant.approval.interpreters}
    if word not in known:
        raise _refused(
            Reason.PROGRAM_MISSING,
            grant,
            f"`{word}` was not installed when it was trusted, or only beside the plugin or below where one stood",
        )
    path, trusted = known[word]
    now = digest(path)
    if now is None:
        raise _refused(Reason.PROGRAM_MISSING, grant, f"`{word}` is not at `{path}` any more")
    if now != trusted:
        raise _refused(Reason.PROGRAM_CHANGED, grant, f"`{path}` is not the program that was there at trust")
    _verify_interpreters(grant, path, digest, deep=deep + 1)
    return path


def _search_path(grant: Grant, program: str, places: Places) -> str:
    """Return where the program may look for others: the ones of the trust, what stands beside them, what is always."""
    folders = [os.path.dirname(path) for _, path, _ in grant.approval.interpreters]  # noqa: PTH120  # text
    own = os.path.dirname(program)  # noqa: PTH120  # text
    if not own.startswith(str(grant.stage)):
        folders.insert(0, own)
    folders.insert(0, places.programs)
    return ":".join(dict.fromkeys([*folders, *PATH.split(":")]))


def _refused(reason: Reason, grant: Grant, message: str) -> RefusedError:
    hint = reason.hint.replace("{plugin}", grant.id)
    return RefusedError(reason.value, f"the gate refused {grant.id}: {reason.value}: {message}", hint=hint)

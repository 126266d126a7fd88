"""Where state lives: below the home that the account database names, or where `PLUGSEAL_HOME` may say.

A repository must not be able to bring its own state: `$HOME` is not asked, `PLUGSEAL_HOME` must lie outside the current
folder (unless that is the root of the disk) and every work tree, and nothing starts from there unless it is registered
(`homes`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from plugseal.errors import StateError

VARIABLE: Final = "PLUGSEAL_HOME"
_BELOW_HOME: Final = Path(".local/state/plugseal")
_HINT: Final = f"unset it, or set `{VARIABLE}` to a private folder outside every checkout"
_ROOT: Final = Path("/")
_WORK_TREES: Final = (".git", ".hg", ".jj", ".svn", ".claude", ".codex", ".cursor", ".vscode", ".gemini", ".amness")
"""What makes a folder a work tree or a workspace; a user's own home may hold them and counts as none."""


def state_home(environment: Mapping[str, str] | None = None, *, current: Path | None = None) -> Path:
    """Return the state folder, which may not exist yet.

    Args:
        environment: the process's own by default.
        current: the current folder; the process's own by default.

    Raises:
        StateError: `PLUGSEAL_HOME` is not allowed where it is, or the account has no home.
    """
    asked = (os.environ if environment is None else environment).get(VARIABLE)
    if asked is None:
        return default_home()
    path = Path(asked)
    if not path.is_absolute() or ".." in path.parts:
        raise StateError(f"`{VARIABLE}` is no absolute path", place=asked, hint=_HINT)
    here = Path(os.path.realpath(current_folder() if current is None else current))
    _verify_outside(path, here)
    return path


def default_home() -> Path:
    """Return the state folder of the account, whatever the environment says; it may not exist yet.

    Raises:
        StateError: the account has no home.
    """
    return account_home() / _BELOW_HOME


def account_home() -> Path:
    """Return the home that the account database names for the effective user; the environment is not asked.

    Raises:
        StateError: it names none.
    """
    import pwd

    try:
        home = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        home = ""
    if not Path(home).is_absolute():
        raise StateError(f"the account of user {os.geteuid()} has no home", hint=f"set `{VARIABLE}`")
    return Path(home)


def _verify_outside(path: Path, here: Path) -> None:
    real = Path(os.path.realpath(path))
    # Everything lies below the root, which is nobody's checkout: a service is started there.
    if here != _ROOT and (real == here or here in real.parents):
        raise StateError(f"`{VARIABLE}` lies inside the current folder", place=str(path), hint=_HINT)
    homes = {_ROOT}
    with suppress(StateError):  # an account without a home has none that may hold marks
        homes.add(Path(os.path.realpath(account_home())))
    for above in (real, *real.parents):
        if above in homes:
            return
        marks = [mark for mark in _WORK_TREES if os.path.lexists(above / mark)]
        if marks:
            raise StateError(
                f"`{VARIABLE}` lies inside a work tree ({above} holds `{marks[0]}`)", place=str(path), hint=_HINT
            )


def current_folder() -> str:
    """Return the current folder; the root where it is gone."""
    try:
        return os.getcwd()  # noqa: PTH109  # a folder that is gone is no path to follow
    except OSError:
        return "/"

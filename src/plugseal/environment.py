"""Take out of plugseal's own process what a scanned tree, or whoever started us, could use to run code in it.

Called first thing by the command line, before anything imports `hashlib`, `ssl` or `cryptography`: OpenSSL reads its
configuration from the environment when it is loaded, and a configuration can load a library. What the interpreter does
before our first line (`PYTHONPATH`, `PYTHONHOME`, `python -m` from a hostile folder) can't be undone here; hence the
advice to start plugseal as `<absolute python> -I -m plugseal`.
"""

# pathlib is not loaded yet, and loading it takes longer than all of this.
# ruff: noqa: PTH100, PTH109, PTH117, PTH120

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping

_OPENSSL_PREFIX = "OPENSSL_"


def harden_process() -> None:
    """Forget OpenSSL's variables and the import paths that follow the current folder; call it before other imports."""
    drop_openssl_variables()
    drop_relative_paths()


def drop_openssl_variables(environment: MutableMapping[str, str] | None = None) -> tuple[str, ...]:
    """Remove every variable that can make OpenSSL load a configuration, a module or an engine.

    Args:
        environment: what to clean; the process's own by default, which workers inherit.

    Returns:
        The names removed, sorted.
    """
    variables = os.environ if environment is None else environment
    found = tuple(sorted(name for name in variables if name.upper().startswith(_OPENSSL_PREFIX)))
    for name in found:
        del variables[name]
    return found


def drop_relative_paths(paths: list[str] | None = None) -> None:
    """Remove the import paths that are the current folder or depend on it, but never the one plugseal came from.

    `python -m` puts the current folder first, and an empty or relative part of `PYTHONPATH` means it too; what is
    imported later (`json`, `hashlib`) would come from the folder that somebody wants scanned.

    Args:
        paths: what to clean in place; `sys.path` by default.
    """
    paths = sys.path if paths is None else paths
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        here = os.getcwd()
    except OSError:
        here = ""
    paths[:] = [path for path in paths if path == own or (os.path.isabs(path) and os.path.normpath(path) != here)]

"""Rule files as they are read, before anybody judged them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from plugseal.errors import RuleError
from plugseal.records import NamedTuple

MAX_RULE_BYTES: Final = 64 * 1024
CHECK_HINT: Final = "check the rules with `plugseal rules test`"
_EXAMPLES: Final = b"\n[[example]]\n"


class RuleFile(NamedTuple):
    """One file as read."""

    path: str
    """Below the rules' folder, `/` between parts, e.g. `python/subprocess-shell.toml`."""
    data: bytes


def read_rule_files(folder: Path) -> tuple[RuleFile, ...]:
    """Read every `<language>/<id>.toml`, sorted by path.

    Raises:
        RuleError: where the folder is missing, holds no rule, or a file can't be read or is too large.
    """
    files: list[RuleFile] = []
    faults: list[str] = []
    names, strays = _names(folder)
    for name in names:
        try:
            with open(f"{folder}/{name}", "rb", buffering=0) as stream:  # noqa: PTH123  # each path object costs
                data = stream.read(MAX_RULE_BYTES + 1)
        except OSError as error:
            faults.append(f"{name}:0: can't be read: {error.strerror}")
            continue
        if len(data) > MAX_RULE_BYTES:
            faults.append(f"{name}:0: larger than {MAX_RULE_BYTES} bytes")
        files.append(RuleFile(name, data.replace(b"\r\n", b"\n")))
    faults += [f"{name}:0: a rule stands in the folder of its language" for name in strays]
    if not files and not faults:
        raise RuleError("no rules there", place=str(folder), hint="rules stand at `<language>/<id>.toml`")
    if faults:
        raise RuleError("the rules can't be read", place=str(folder), details=faults, hint=CHECK_HINT)
    return tuple(files)


def _names(folder: Path) -> tuple[list[str], list[str]]:
    """Return the paths of the rule files below a folder, and those that stand beside the languages' folders, sorted."""
    found: list[str] = []
    strays: list[str] = []
    try:
        with os.scandir(folder) as listed:
            for one in list(listed):
                if one.name.endswith(".toml"):
                    strays.append(one.name)
                elif one.is_dir():
                    with os.scandir(one.path) as entries:
                        found += [f"{one.name}/{entry.name}" for entry in entries if entry.name.endswith(".toml")]
    except OSError:
        return [], []
    return sorted(found), sorted(strays)


def cut_examples(data: bytes) -> bytes:
    """Return a rule file's text above its first example: all that matching needs."""
    return data.partition(_EXAMPLES)[0] + b"\n"


def parse_rule(file: RuleFile) -> dict[str, Any]:
    """Return one file's whole document.

    Raises:
        DataError: where it is no TOML.
    """
    from plugseal.encode.toml import parse_toml  # loads the TOML library

    return parse_toml(file.data)

"""The prompt registry: a folder of Markdown files, each a complete system prompt, chosen by its ID.

A project's prompt wins over the user's of the same ID; `base` is the one that the host brings. Files are read without
following links. A prompt is text for a model: nothing in it is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from plugseal.errors import IntakeError, UsageError
from plugseal.limits import MIB
from plugseal.patterns import lazy

BASE: Final = "base"
FOLDER: Final = ".amness/prompts"
MAX_PROMPT_BYTES: Final = MIB
_ID: Final = lazy(r"\A[A-Za-z0-9._-]{1,40}\Z", re.ASCII)
_SUFFIX: Final = ".md"


def find_prompts(roots: Sequence[Path]) -> dict[str, Path]:
    """Return the prompts by their IDs.

    Args:
        roots: folders that may hold `.amness/prompts`, the project's first.
    """
    found: dict[str, Path] = {}
    for root in roots:
        for prompt_id, path in _in_folder(root / FOLDER):
            found.setdefault(prompt_id, path)
    return found


def read_prompt(prompt_id: str, base: str, roots: Sequence[Path]) -> str:
    """Return a system prompt.

    Args:
        prompt_id: `base` or empty for the host's own.
        base: the host's own.
        roots: as for `find_prompts`.

    Raises:
        UsageError: there is no such prompt.
        IntakeError: it can't be read.
    """
    if prompt_id in ("", BASE, "off"):
        return base
    known = find_prompts(roots)
    if prompt_id not in known:
        there = ", ".join([BASE, *sorted(known)])
        raise UsageError(f"there is no prompt `{prompt_id[:40]}`", hint=f"there are: {there}")
    return _without_front_matter(_read(known[prompt_id]))


def _in_folder(folder: Path) -> Iterator[tuple[str, Path]]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  # names alone
    except OSError:
        return
    for name in names:
        prompt_id = name.removesuffix(_SUFFIX)
        path = folder / name
        if name.endswith(_SUFFIX) and prompt_id != BASE and _ID.match(prompt_id) and path.is_file():
            yield prompt_id, path


def _read(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(MAX_PROMPT_BYTES + 1)
        if len(data) > MAX_PROMPT_BYTES:
            raise IntakeError(f"a prompt is larger than {MAX_PROMPT_BYTES:,} bytes", place=str(path))
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise IntakeError("a prompt can't be read", place=str(path)) from error


def _without_front_matter(text: str) -> str:
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].strip() != "---":
        return text
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == "---":
            return "".join(lines[number + 1 :])
    return text

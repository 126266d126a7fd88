"""The formats of a scan beside text and JSON: SARIF, Markdown, annotations, one HTML page."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.cli.output import Result
from plugseal.errors import OutputError
from plugseal.model.inventory import Inventory

FORMATS: Final = ("text", "json", "sarif", "html", "markdown", "github")
SUMMARY_VARIABLE: Final = "GITHUB_STEP_SUMMARY"
"""GitHub's runner names the file of the job summary so."""


def write_scan(inventory: Inventory, path: str, form: str, result: Result) -> None:
    """Write a scan in one of the further formats.

    Args:
        inventory: what the scan knows.
        path: the scanned path as the user gave it.
        form: `sarif`, `html`, `markdown` or `github`.
        result: where to.

    Raises:
        OutputError: it can't be written.
    """
    with result as stream:
        stream.writelines(_pieces(inventory, path, form))
    if form == "github":
        from plugseal.render.markdown import render_markdown

        append_summary(render_markdown(inventory))


def base_of(path: str) -> str:
    """Return what leads from the current folder to the scanned one, empty where it does not lie below."""
    folder = path if not os.path.isfile(path) or path.endswith((".zip", ".mcpb", ".gz", ".tgz")) else _parent(path)  # noqa: PTH113  # a word
    normal = os.path.normpath(folder).replace(os.sep, "/")
    is_below = normal != "." and normal != ".." and not normal.startswith("../") and not os.path.isabs(folder)  # noqa: PTH117  # a word
    return normal if is_below else ""


def append_summary(lines: Iterable[str]) -> None:
    """Append to the job summary where the runner has one.

    Raises:
        OutputError: it can't be written.
    """
    path = os.environ.get(SUMMARY_VARIABLE, "")
    if not os.path.isabs(path):  # noqa: PTH117  # a word
        return
    try:
        with open(path, "a", encoding="utf-8", newline="\n", opener=_open_there) as stream:
            stream.writelines(lines)
    except OSError as error:
        why = (error.strerror or "error").lower()
        raise OutputError(f"can't write the job summary: {why}", place=path) from error


def _open_there(path: str, _flags: int) -> int:
    """Open a regular file that is there already, through no link: the runner made it."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(None, "no regular file")
    return descriptor


def _parent(path: str) -> str:
    return os.path.dirname(path) or "."  # noqa: PTH120  # a word, not a path yet


def _pieces(inventory: Inventory, path: str, form: str) -> Iterator[str]:
    if form == "sarif":
        from plugseal.render.sarif import render_sarif
        from plugseal.verbs.explain import explain_rules

        return render_sarif(inventory, explain_rules(f.rule for f in inventory.findings), base=base_of(path))
    if form == "markdown":
        from plugseal.render.markdown import render_markdown

        return render_markdown(inventory)
    if form == "github":
        from plugseal.render.github import render_github

        return render_github(inventory, base=base_of(path))
    from plugseal.render.html import render_html

    return render_html(inventory)
